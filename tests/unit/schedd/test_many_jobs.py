"""What is done to many jobs at once, or asked of them: by whom, to which, and what is written."""

from __future__ import annotations

from sys import getsizeof

import pytest
from world import World

from condor_py.core.jobs.actions import ACTIONS, Result, counted, hold_records, perform
from condor_py.core.jobs.events import UserLine
from condor_py.core.jobs.jobevents import submit_event
from condor_py.core.jobs.jobsets import job_sets
from condor_py.core.jobs.lifecycle import input_counts, rounded
from condor_py.core.jobs.policy import STAY, Verdict, at_exit, has_periodic, periodic
from condor_py.core.jobs.requests import BadConstraint, act, edit, select
from condor_py.core.jobs.rights import Caller, RefusedEdit
from condor_py.core.jobs.spooled import awaiting, awaits_input, base, input_files, staged_in
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change
from condor_py.model.selection import Selection
from condor_py.model.settings.schedd import PolicyRule, SystemPolicy

NOW = 5000
ALICE = Caller("alice")


@pytest.fixture
def world() -> World:
    """Two jobs of alice (one of them held), and one of bob."""
    world = World()
    world.submit(1, 2)
    world.submit(2, Owner='"bob"')
    world.written([Change(SET, "1.1", "JobStatus", "5"), Change(SET, "1.1", "HoldReasonCode", "3")])
    return world


# selecting, acting, editing


def test_everybody_acts_on_his_own_jobs(world: World) -> None:
    chosen = Selection((JobId(1, 0), JobId(2, 0), JobId(9, 9)), "true")
    results, changes = act(world.queue, ALICE, "hold", chosen, "because", 7, NOW)
    assert results == {
        JobId(1, 0): Result.SUCCESS,
        JobId(2, 0): Result.PERMISSION_DENIED,
        JobId(9, 9): Result.NOT_FOUND,
        JobId(1, 1): Result.SUCCESS,
    }
    assert {change.key for change in changes} == {"1.0", "1.1"}
    assert Change(SET, "1.0", "HoldReason", '"because (by user alice)"') in changes
    assert Change(SET, "1.0", "HoldReasonSubCode", "7") in changes
    everything, _ = act(world.queue, Caller("root", True), "remove", Selection(constraint="true"), None, None, NOW)
    assert set(everything.values()) == {Result.SUCCESS}


def test_a_constraint_is_tried_on_all_or_some(world: World) -> None:
    assert [job for job, _ in select(world.queue, "JobStatus == 5")] == [JobId(1, 1)]
    some = (JobId(1, 0), JobId(8, 8))
    assert [job for job, _ in select(world.queue, "true", some)] == [JobId(1, 0)]
    with pytest.raises(BadConstraint, match="Can't parse constraint"):
        list(select(world.queue, "(("))


def test_what_has_completed_is_met_by_its_number_only(world: World) -> None:
    world.written([Change(SET, "1.0", "JobStatus", "4")])
    assert act(world.queue, ALICE, "remove", Selection(constraint="ClusterId == 1"), None, None, NOW)[0] == {
        JobId(1, 1): Result.SUCCESS
    }
    assert act(world.queue, ALICE, "remove", Selection((JobId(1, 0),)), None, None, NOW)[0] == {
        JobId(1, 0): Result.NOT_FOUND
    }


def test_an_edit_reaches_the_jobs_that_are_yet_to_come(world: World) -> None:
    cluster = world.queue.cluster_ads[1]
    cluster.set_str("JobMaterializeDigestFile", "x")
    cluster.set_str("EditedClusterAttrs", "Zeta,,alpha")
    chosen = Selection((JobId(1, 0),), clusters=(1, 2))
    results, changes = edit(world.queue, ALICE, chosen, [("Beta", "2"), ("ZETA", "1")])
    assert results == {JobId(1, -1): Result.SUCCESS, JobId(1, 0): Result.SUCCESS}
    assert changes == [
        Change(SET, "01.-1", "Beta", "2"),
        Change(SET, "01.-1", "ZETA", "1"),
        Change(SET, "01.-1", "EditedClusterAttrs", '"alpha,Beta,Zeta"'),
        Change(SET, "1.0", "Beta", "2"),
        Change(SET, "1.0", "ZETA", "1"),
    ]


STATES = {"idle": 1, "running": 2, "removed": 3, "completed": 4, "held": 5, "output": 6, "suspended": 7}
DONE, BAD, ALREADY, GONE = Result.SUCCESS, Result.BAD_STATUS, Result.ALREADY_DONE, Result.NOT_FOUND


@pytest.mark.parametrize(
    ("action", "results"),
    [
        ("hold", [DONE, DONE, BAD, BAD, ALREADY, DONE, DONE]),
        ("release", [BAD, BAD, BAD, BAD, DONE, BAD, BAD]),
        ("remove", [DONE, DONE, ALREADY, GONE, DONE, DONE, DONE]),
        ("remove-transfer", [DONE, DONE, ALREADY, GONE, DONE, DONE, DONE]),
        ("removex", [BAD, BAD, DONE, BAD, BAD, BAD, BAD]),
        ("suspend", [BAD, DONE, BAD, BAD, BAD, DONE, BAD]),
        ("continue", [BAD, BAD, BAD, BAD, BAD, BAD, DONE]),
        ("vacate", [BAD, DONE, BAD, BAD, BAD, BAD, DONE]),
        ("vacate-fast", [BAD, DONE, BAD, BAD, BAD, BAD, DONE]),
    ],
)
def test_which_action_a_job_takes_in_which_state(action: str, results: list[Result]) -> None:
    for status, result in zip(STATES.values(), results, strict=True):
        ad = ClassAd({"JobStatus": status, "HoldReasonCode": 1})
        found, changes = perform(action, JobId(1, 0), ad, actor="a", reason=None, subcode=None, now=NOW)
        assert found == result, status
        assert bool(changes) == (result == DONE)
    assert action in ACTIONS


def test_a_hold_of_another_kind_becomes_the_users_and_one_for_input_stays() -> None:
    for code, result in ((3, DONE), (16, ALREADY)):
        ad = ClassAd({"JobStatus": 5, "HoldReasonCode": code})
        assert perform("hold", JobId(1, 0), ad, actor="a", reason=None, subcode=None, now=NOW)[0] == result
    waiting = ClassAd({"JobStatus": 5, "HoldReasonCode": 16})
    assert perform("release", JobId(1, 0), waiting, actor="a", reason=None, subcode=None, now=NOW)[0] == BAD


def test_counters_by_reason() -> None:
    assert counted(None, "A") == counted("[  ]", "A") == "[ A = 1 ]"
    assert counted("[ A = 1; B = 9 ]", "B") == "[ A = 1; B = 10 ]"
    assert counted("[ A = x ]", "B") == "[ B = 1 ]"


# jobs whose input is spooled


def spooling(**attributes: object) -> ClassAd:
    return ClassAd({"Owner": "alice", "JobStatus": 5, "HoldReasonCode": 16, "Iwd": "/home/a", **attributes})


def test_who_may_bring_input_and_for_what() -> None:
    assert awaits_input(spooling())
    assert not awaits_input(spooling(JobStatus=1))
    assert not awaits_input(spooling(HoldReasonCode=1))
    world = World()
    (job,) = world.submit(1)
    world.written([Change(SET, "1.0", "JobStatus", "5"), Change(SET, "1.0", "HoldReasonCode", "16")])
    assert [found for found, _ in awaiting(world.queue, ALICE, [job, JobId(9, 9)])] == [job]
    assert awaiting(world.queue, Caller("bob"), [job]) == []


def test_what_a_job_brings_along() -> None:
    ad = spooling(Cmd="bin/x", In="/dev/null", TransferInput=" a/b , http://h/c,d/,a/b", x509userproxy="/tmp/p")
    rest = [("/tmp/p", "p"), ("a/b", "b"), ("d/", "d")]
    assert input_files(ad) == [("bin/x", "x"), *rest]
    ad["TransferExecutable"] = False
    ad["In"] = "data/in"
    assert input_files(ad) == [("data/in", "in"), *rest]
    ad["TransferIn"] = False
    assert input_files(ad) == rest


def test_where_a_file_lies_in_the_spool() -> None:
    names = ("a", "a/b", "a/b/", "/", "..", "a/..", "/x/y//")
    assert [base(name) for name in names] == ["a", "b", "b/", "directory/", "directory", "directory", "y/"]


def test_a_job_whose_input_has_come_finds_it_and_is_released() -> None:
    ad = spooling(
        Cmd="bin/x", In="in", TransferInput="a/b, http://h/c, d", HoldReason="Spooling input data files",
        TransferOutputRemaps="out=/home/a/out; log=http://h/log",
    )  # fmt: skip
    changes = {change.name: change.value for change in staged_in(JobId(1, 0), ad, "/spool/1", 4990, NOW)}
    assert changes == {
        "SUBMIT_Iwd": '"/home/a"',
        "Iwd": '"/spool/1"',
        "SUBMIT_Cmd": '"bin/x"',
        "Cmd": '"x"',
        "SUBMIT_TransferInput": '"a/b,http://h/c,d"',
        "TransferInput": '"b,http://h/c,d"',
        "SUBMIT_TransferOutputRemaps": '"out=/home/a/out"',
        "TransferOutputRemaps": '"log=http://h/log"',
        "StageInStart": "4990",
        "StageInFinish": "5000",
        "LastJobStatus": "5",
        "JobStatus": "1",
        "EnteredCurrentStatus": "5000",
        "ReleaseReason": '"Data files spooled"',
        "LastHoldReason": '"Spooling input data files"',
        "HoldReason": "",
        "LastHoldReasonCode": "16",
        "HoldReasonCode": "",
    }
    plain = {change.name: change.value for change in staged_in(JobId(1, 0), spooling(TransferInput="a"), "/s", 1, 2)}
    assert "TransferInput" not in plain
    assert "TransferOutputRemaps" not in plain
    remapped = spooling(TransferOutputRemaps="a=b")
    assert Change(SET, "1.0", "TransferOutputRemaps", "undefined") in staged_in(JobId(1, 0), remapped, "/s", 1, 2)


def test_files_are_counted_by_protocol() -> None:
    ad = ClassAd({"Cmd": "x", "In": "data", "TransferInput": "a, http://h/b,HTTP://h/c,,osdf://d"})
    assert input_counts(ad) == "[ CEDAR = 3; HTTP = 2; OSDF = 1 ]"
    assert input_counts(ClassAd({"Cmd": "x", "In": "/dev/null", "TransferExecutable": False})) == "[  ]"


# sets of jobs


def test_sets_are_counted_by_owner_and_state() -> None:
    def job(cluster: int, status: int, **more: object) -> ClassAd:
        return ClassAd({"ClusterId": cluster, "JobStatus": status, "Owner": "alice", "JobSetName": "S", **more})

    jobs = [job(5, 1), job(3, 2), job(4, 6), job(4, 5), job(4, 7), job(6, 3), job(6, 4), job(6, 99)]
    jobs += [job(7, 2, JobUniverse=7), job(8, 1, JobSetName="s"), job(9, 1, Owner="bob", User="bob@x")]
    first, second = job_sets([*jobs, ClassAd({"ClusterId": 1, "Owner": "alice"})])
    assert {name: first.eval_int(name) for name, text in first.text_items() if text.isdigit() and text != "0"} == {
        "JobSetId": 3,
        "NumJobs": 8,
        "NumIdle": 2,
        "NumRunning": 2,
        "NumHeld": 1,
        "NumSuspended": 1,
        "NumRemoved": 1,
        "NumCompleted": 1,
        "NumSchedulerJobs": 1,
        "NumSchedulerRunning": 1,
    }
    told = [(ad.eval_str("JobSetName"), ad.eval_str("Owner"), ad.eval_str("User")) for ad in (first, second)]
    assert told == [("S", "alice", "alice"), ("S", "bob", "bob@x")]


# policies


def judged(system: SystemPolicy | None = None, **attributes: str) -> Verdict:
    items = {"JobStatus": "1", **attributes}
    return periodic(ClassAd.from_text_items(items.items()), system or SystemPolicy(), NOW)


@pytest.mark.parametrize("name", ["PeriodicHold", "PeriodicRelease", "PeriodicRemove", "PeriodicVacate"])
def test_which_jobs_are_looked_at_from_time_to_time(name: str) -> None:
    assert has_periodic(ClassAd.from_text_items([(name, "JobStatus == 9")]))
    assert not has_periodic(ClassAd.from_text_items([(name, "False")]))
    assert has_periodic(ClassAd.from_text_items([(name, "false"), ("TimerRemove", "7")]))
    assert not has_periodic(ClassAd())


def test_a_rule_of_the_system_that_is_not_true_does_nothing() -> None:
    rule = PolicyRule("SYSTEM_PERIODIC_HOLD", "NoSuch > 5", '"why"', "3")
    assert judged(SystemPolicy(hold=(rule,))) is STAY
    rule = PolicyRule("SYSTEM_PERIODIC_HOLD", "JobStatus == 1", '"why"', "3")
    assert judged(SystemPolicy(hold=(rule,))) == Verdict("hold", "why", 26, 3)
    bare = PolicyRule("SYSTEM_PERIODIC_REMOVE", "true", "", "")
    said = "The system macro SYSTEM_PERIODIC_REMOVE expression 'true' evaluated to TRUE"
    assert judged(SystemPolicy(remove=(bare,))) == Verdict("remove", said, 0, 0)
    odd = PolicyRule("SYSTEM_PERIODIC_HOLD", "true", "7", "1.5")
    assert judged(SystemPolicy(hold=(odd,))) == Verdict("hold", said.replace("REMOVE", "HOLD"), 26, 0)
    broken = PolicyRule("SYSTEM_PERIODIC_REMOVE", "((", "", "")
    assert judged(SystemPolicy(remove=(broken,))) is STAY


def test_a_job_is_released_as_often_as_the_system_allows() -> None:
    held = {"JobStatus": "5", "PeriodicRelease": "true", "HoldReasonCode": "3"}
    for most, holds, action in ((2, "1", "release"), (2, "2", "stay"), (-1, "99", "release"), (1, "0", "release")):
        assert judged(SystemPolicy(max_releases=most), **held, NumHolds=holds).action == action
    assert judged(SystemPolicy(max_releases=1), **held).action == "release"


@pytest.mark.parametrize(
    ("limit", "shown"), [("60", "01:00"), ("3599", "59:59"), ("3600", "01:00:00"), ("90061", "1+01:01:01")]
)
def test_limits_of_time_are_told_as_htcondor_does(limit: str, shown: str) -> None:
    found = judged(JobStatus="2", ShadowBday=str(NOW - 100_000), AllowedJobDuration=limit)
    assert found.reason == f"The job exceeded allowed job duration of {shown}"


@pytest.mark.parametrize(
    ("how", "sizes"),
    [
        ("25%", [0, 1, 7, 10, 50, 100, 125, 1250, 15000]),
        ("2", [0, 100, 100, 100, 100, 100, 200, 1300, 12600]),
        ("0", [0, 1, 7, 8, 48, 99, 101, 1234, 12501]),
        ("", [0, 1, 7, 8, 48, 99, 101, 1234, 12501]),
    ],
)
def test_sizes_are_published_rounded(how: str, sizes: list[int]) -> None:
    assert [rounded(size, how) for size in (0, 1, 7, 8, 48, 99, 101, 1234, 12501)] == sizes


def test_a_hold_without_a_code_becomes_the_users_and_is_released() -> None:
    for action in ("hold", "release"):
        ad = ClassAd({"JobStatus": 5})
        assert perform(action, JobId(1, 0), ad, actor="a", reason=None, subcode=None, now=NOW)[0] == DONE
    changes = {change.name: change.value for change in hold_records(JobId(1, 0), ClassAd(), 9999, 0, "odd", NOW)}
    assert changes["NumHoldsByReason"] == "[ Unspecified = 1 ]"
    assert counted("[X=1]", "X") == "[ X = 2 ]"


def test_a_hold_without_a_code_may_be_released_by_its_policy() -> None:
    assert judged(JobStatus="5", PeriodicRelease="true").action == "release"
    assert judged(JobStatus="5", PeriodicRelease="true", HoldReasonCode="1").action == "stay"
    assert judged(JobStatus="5", PeriodicRelease="true", HoldReasonCode="16").action == "stay"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("false", "requeue"),
        ("0", "requeue"),
        ("0.0", "requeue"),
        ("true", "remove"),
        ('""', "remove"),
        ("{ }", "remove"),
    ],
)
def test_only_false_sends_a_job_back(text: str, action: str) -> None:
    ad = ClassAd.from_text_items([("OnExitRemove", text), ("ExitCode", "1")])
    assert at_exit(ad, SystemPolicy(), NOW).action == action


@pytest.mark.parametrize(
    "name",
    [
        "Owner",
        "ClusterId",
        "ProcId",
        "User",
        "MyType",
        "TargetType",
        "GlobalJobId",
        "JobUniverse",
        "ClaimId",
        "OsUser",
        "RemoteHost",
        "PublicClaimId",
        "ClaimIds",
    ],
)
def test_nobody_edits_what_the_schedd_decides(world: World, name: str) -> None:
    with pytest.raises(RefusedEdit, match=name):
        edit(world.queue, Caller("root", True), Selection((JobId(1, 0),)), [(name, "1")])


def test_only_slashes_are_taken_off_the_name_of_a_file() -> None:
    assert (base("a/boX"), base("a/X/"), base("X")) == ("boX", "X/", "X")
    ad = spooling(TransferOutputRemaps="a=b; c=d ;e=http://h/e")
    written = {change.name: change.value for change in staged_in(JobId(1, 0), ad, "/s", 1, 2)}
    assert written["SUBMIT_TransferOutputRemaps"] == '"a=b;c=d"'
    assert written["TransferOutputRemaps"] == '"e=http://h/e"'


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"SubmitEventNotesAttrs": '"A, B C"', "A": "1", "B": "{ 1 }"}, "[ A = 1 ]"),
        ({"SubmitEventNotesAttrs": '"A"', "A": "NoSuch"}, ""),
        ({"JobBatchName": '"b"', "SubmitEventNotes": '"mine"'}, ""),
        ({"JobBatchName": '"b"', "DAGNodeName": '"n"'}, '[ DAGNodeName = "n"; JobBatchName = "b" ]'),
    ],
)
def test_what_a_submit_event_tells_of_a_job(attributes: dict[str, str], told: str) -> None:
    ad = ClassAd.from_text_items(attributes.items())
    assert submit_event(JobId(1, 0), ad, "<a>", 5.0).structured == told


@pytest.mark.parametrize("log", ["UserLog", "DAGManNodesLog"])
def test_a_job_with_any_log_is_told_of(log: str) -> None:
    world = World()
    world.submit(1, UserLog="undefined")
    cluster = world.queue.cluster_ads[1]
    for name in ("UserLog", "DAGManNodesLog"):
        cluster.delete(name)
    world.handle(UserLine(JobId(1, 0), "a"))
    cluster.set_str(log, "/tmp/log")
    world.handle(UserLine(JobId(1, 0), "b"))
    assert world.events(JobId(1, 0)) == [0, 8]


@pytest.mark.parametrize(
    ("due", "action"), [(str(NOW), "stay"), (str(NOW - 1), "remove"), ("0", "remove"), ("-1", "stay"), ('"x"', "hold")]
)
def test_a_job_goes_when_its_time_is_over(due: str, action: str) -> None:
    assert judged(TimerRemove=due).action == action


@pytest.mark.parametrize(
    ("saved", "action"),
    [({}, "hold"), ({"LastCkptTime": str(NOW - 50)}, "stay"), ({"LastCkptTime": str(NOW - 900)}, "hold")],
)
def test_the_execution_that_is_allowed_begins_anew_with_a_checkpoint(saved: dict[str, str], action: str) -> None:
    times = {
        "JobCurrentStartDate": str(NOW - 200),
        "JobCurrentStartExecutingDate": str(NOW - 200),
        "ShadowBday": str(NOW - 200),
    }
    assert judged(JobStatus="2", AllowedExecuteDuration="100", **times, **saved).action == action


def test_what_knew_many_jobs_is_small_when_they_have_left() -> None:
    """A dictionary or set from which they go one by one keeps the room that it had for all."""
    world = World()
    jobs = world.submit(1, 3000, status=5)
    core = world.core
    full = getsizeof(core.known)
    world.written([Change(SET, f"1.{job.proc}", "JobStatus", "3") for job in jobs])
    for _ in range(3):
        world.turn()
    assert not core.known
    tables = core.known, core.state.departing.leaving, core.state.tally._holders
    assert [getsizeof(table) < full / 100 for table in tables] == [True] * 3
