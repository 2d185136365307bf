"""Small rules of the schedd: which jobs are alike, how sets are counted, odd records and schedules, sizes."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs import factory, moves, ocu, spooled
from condor_py.core.jobs.autocluster import Autoclusters
from condor_py.core.jobs.crontab import BadSchedule, next_run, schedule_of
from condor_py.core.jobs.events import ClaimRefused, Planned, QueueChanged, Tick
from condor_py.core.jobs.external import export, take_back
from condor_py.core.jobs.jobad import run_number, status_of, universe_of
from condor_py.core.jobs.jobsets import job_sets
from condor_py.core.jobs.lifecycle import input_counts, rounded
from condor_py.core.jobs.moves import IllegalMove
from condor_py.core.jobs.ocu import OcuError, requested
from condor_py.core.jobs.policing import CannotExpand, expand
from condor_py.core.jobs.requests import BadConstraint, apply, select
from condor_py.core.jobs.rights import Caller, RefusedEdit, allowed_assignments
from condor_py.core.jobs.state import Pace
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.plan import Match, Plan
from condor_py.model.record import DELETE, NEW_AD, SET, Change
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import EditRules
from condor_py.model.states import JobStatus

ALWAYS = (
    "Requirements", "Rank", "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs", "RequireGPUs",
    "ConcurrencyLimits", "JobUniverse", "FileSystemDomain", "Owner", "NiceUser", "MaxJobRetirementTime", "OCUWanted",
    "OCUWilling",
)  # fmt: skip


@pytest.mark.parametrize("name", ALWAYS)
def test_jobs_that_differ_in_what_slots_always_look_at_are_told_apart(name: str) -> None:
    clusters = Autoclusters(ScheddSettings())
    alike = ClassAd({"Color": "red"}), ClassAd({"Color": "blue"})
    assert clusters.number(alike[0]) == clusters.number(alike[1]) == 1
    other = ClassAd.from_text_items([(name, "1")])
    assert clusters.number(other) == 2
    assert clusters.representative(2).text(name) == "1"
    assert clusters.number(other) == 2
    assert clusters.significant == tuple(sorted(ALWAYS, key=str.lower))
    clusters.set_significant(["color"])
    assert clusters.significant == tuple(sorted([*ALWAYS, "color"], key=str.lower))


def test_a_changed_cluster_is_looked_at_afresh() -> None:
    clusters = Autoclusters(ScheddSettings())
    parent = ClassAd.from_text_items([("RequestCpus", "1")])
    proc = ClassAd.from_text_items([("ProcId", "0")])
    proc.chain(parent)
    assert clusters.number(proc) == 1
    assert not clusters.has_dollars(proc)
    parent.set_text("RequestCpus", "2")
    parent.set_text("Args", '"$$(Cpus)"')
    assert clusters.number(proc) == 1, "until somebody tells"
    clusters.forget_cluster(parent)
    clusters.forget_cluster(ClassAd())
    assert clusters.number(proc) == 2
    assert clusters.has_dollars(proc)
    assert clusters.has_dollars(ClassAd.from_text_items([("Args", '"$$(Cpus)"')]))
    assert not clusters.has_dollars(ClassAd.from_text_items([("Args", '"$(Cpus)"')]))


def test_sets_are_counted_by_name_and_owner() -> None:
    def job(cluster: int, status: int, **more: object) -> ClassAd:
        return ClassAd({"JobSetName": "Lot", "Owner": "a", "ClusterId": cluster, "JobStatus": status, **more})

    jobs = [
        job(4, 1, User="a@x"), job(3, 2, JobSetName="lot"), job(5, 6), job(5, 5), job(6, 7), job(6, 3), job(6, 4),
        job(6, 9), job(7, 2, JobUniverse=7), job(2, 1, Owner="b"), job(9, 1, JobSetName=""),
        ClassAd({"ClusterId": 1, "JobStatus": 1}),
    ]  # fmt: skip
    first, second = job_sets(jobs)
    states = ("Idle", "Running", "Removed", "Completed", "Held", "Suspended")
    assert dict(second) == {
        "MyType": "JobSet", "JobSetId": 3, "JobSetName": "Lot", "Owner": "a", "User": "a@x", "NumJobs": 7,
        **dict(zip((f"Num{state}" for state in states), (1, 2, 1, 1, 1, 1), strict=True)),
        "NumSchedulerJobs": 1, **{f"NumScheduler{state}": int(state == "Running") for state in states},
    }  # fmt: skip
    assert (first["JobSetId"], first["Owner"], first["User"], first["NumIdle"], first["NumJobs"]) == (2, "b", "b", 1, 1)
    assert job_sets([]) == []


def test_what_every_ad_is_asked_for() -> None:
    ads = [
        ClassAd(),
        ClassAd({"JobStatus": 5, "JobUniverse": 7, "NumShadowStarts": 3}),
        ClassAd({"NumShadowStarts": 0}),
    ]
    assert [(status_of(ad), universe_of(ad), run_number(ad)) for ad in ads] == [(0, 5, 0), (5, 7, 2), (0, 5, 0)]


def test_records_of_what_is_not_there_or_foreign_do_nothing() -> None:
    world = World()
    (job,) = world.submit(1)
    records = [
        Change(SET, "1.0", "A", "1"), Change(SET, "7.0", "A", "1"), Change(SET, "7.-1", "A", "1"),
        Change(DELETE, "7.0", "A"), Change(SET, "1.-1", "B", "2"), Change(DELETE, "1.0", "ProcId"),
        Change(NEW_AD, "1.0", "Job"),
    ]  # fmt: skip
    apply(world.queue, records)
    ad = world.queue.procs[job]
    assert (ad.text("A"), ad.text("B"), ad.text("ProcId")) == ("1", "2", None)
    world.core.handle(QueueChanged([Change(NEW_AD, "foreign"), Change(SET, "1.-2", "Secret", "1")]), world.now)
    world.core.handle(
        QueueChanged([Change(SET, "0.0", "NextClusterNum", "2"), Change(SET, "0.2", "A", "1")]), world.now
    )
    assert world.turn() == []
    with pytest.raises(BadConstraint, match="Can't parse constraint: =="):
        list(select(world.queue, "=="))
    assert [one for one, _ in select(world.queue, "true", (JobId(9, 9), job))] == [job]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"CronMinute": '""', "CronHour": "7"}, 60),
        ({"CronMinute": '"30"'}, 1800),
        ({"CronMinute": '"10-20/7"'}, 14 * 60),
        ({"CronMinute": '"50-99"'}, 3000),
        ({"CronMinute": '"-5/5"'}, 300),
        ({"CronMinute": '"0"', "CronHour": '"*/5"'}, 5 * 3600),
        ({"CronMinute": '"0"', "CronDayOfMonth": '"1"'}, 3600),
        ({"CronMinute": '"0"', "CronHour": '"0"', "CronDayOfMonth": '"2"'}, 86400),
        ({"CronMinute": '"0"', "CronHour": '"0"', "CronDayOfWeek": '"5"'}, 86400),
        ({"CronMinute": '"0"', "CronHour": '"0"', "CronDayOfWeek": '"0-6"'}, 86400),
        ({"CronMinute": '"0"', "CronHour": '"0"', "CronDayOfWeek": '"0-6"', "CronDayOfMonth": '"3"'}, 2 * 86400),
        ({"CronMinute": '"0"', "CronHour": '"0"', "CronMonth": '"2"'}, 31 * 86400),
        ({"CronMinute": '"0, 5"', "CronHour": '"1,*"'}, 300),
        ({"CronMinute": '"7x"'}, None),
        ({"CronMinute": '"60"'}, 60),
        ({"CronMinute": '"*/0"'}, None),
        ({"CronMinute": '"7-3"'}, None),
        ({"CronDayOfMonth": '"31"', "CronMonth": '"2"'}, None),
    ],
)  # fmt: skip
def test_schedules_on_the_first_day_of_time(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], expected: int | None
) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    ad = ClassAd.from_text_items(list(fields.items()))
    if expected is None:
        with pytest.raises(BadSchedule, match=r"^Invalid "):
            next_run(schedule_of(ad), 0)
    else:
        assert next_run(schedule_of(ad), 0) == next_run(schedule_of(ad), 59) == expected


@pytest.mark.parametrize(
    ("how", "sizes"), [("x", [1, 1234]), ("0", [1, 1234]), ("2", [100, 1300]), ("10% ", [1, 1300])]
)
def test_sizes_as_published(how: str, sizes: list[int]) -> None:
    assert [rounded(size, how) for size in (1, 1234)] == sizes
    assert rounded(-5, how) == -5


def test_files_of_a_job_by_protocol() -> None:
    def counts(**items: str) -> str:
        return input_counts(ClassAd.from_text_items(list(items.items())))

    assert counts() == "[ CEDAR = 1 ]"
    assert counts(TransferExecutable="false") == "[  ]"
    assert counts(TransferExecutable="false", In='"x"') == "[ CEDAR = 1 ]"
    assert counts(Cmd='"http://h/x"', In='"/dev/null"') == "[ HTTP = 1 ]"
    assert counts(TransferInput='"a, ,http://h/b,osdf:///c"') == "[ CEDAR = 2; HTTP = 1; OSDF = 1 ]"
    assert counts(TransferInput='"a"', CommonInputFiles='"a b"') == "[ CEDAR = 3 ]"


def test_what_a_factory_ad_says_as_records() -> None:
    paused = ClassAd.from_text_items([("JobMaterializePaused", "1"), ("JobMaterializePauseReason", '"why"')])
    assert [(one.op, one.name, one.value) for one in factory.present_records(paused)] == [
        (SET, "JobMaterializePauseReason", '"why"'), (SET, "JobMaterializePaused", "1"),
    ]  # fmt: skip
    assert [(one.name, one.value) for one in factory.present_records(ClassAd())] == [("JobMaterializePaused", "0")]


def test_who_has_very_many_units_gets_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ocu._MOST_UNITS == 1000
    monkeypatch.setattr(ocu, "_MOST_UNITS", 20)
    world = World()
    request = [("Owner", '"alice"')]
    books = world.core.state
    for number in range(1, 21):
        unit, _ = requested(books, Caller("alice"), request, number)
        books.ocus.units[number] = unit
    with pytest.raises(OcuError, match="alice has 20 OCUs already"):
        requested(books, Caller("alice"), request, 21)
    del books.ocus.units[7]
    with pytest.raises(OcuError, match="An OCU request has at most 16384 bytes"):
        requested(books, Caller("alice"), [*request, ("Note", f'"{"x" * 16400}"')], 7)
    unit, (record,) = requested(books, Caller("alice"), request, 7)
    assert record.value.count("OCUId = ") == 20


def test_delays_that_are_over_are_forgotten() -> None:
    pace, settings = Pace(), ScheddSettings(max_next_job_start_delay=0)
    ad = ClassAd({"NextJobStartDelay": 10})
    for number in range(1000):
        pace.started(ad, f"u{number}", settings, 100 + number // 999)
    assert pace.waits(109, "u0")
    assert not pace.waits(110, "u0")
    pace.started(ad, "new", settings, 110)
    assert pace.waits(110, "u999")
    assert pace.waits(119, "new")
    assert not pace.waits(105, "u0"), "it was forgotten, as it was over"


@pytest.mark.parametrize(
    ("text", "filled", "kept"),
    [
        ('"$$(Cpus)"', '"4"', {"MATCH_Cpus": "4"}),
        ('"$$(Name) x"', '"slot1 x"', {"MATCH_Name": '"slot1"'}),
        ('"$$(DollarDollar)(Cpus)"', '"$$(Cpus)"', {}),
        ('"$$(No:a b)"', '"a b"', {"MATCH_No": '"a b"'}),
        ('"$$(No:)"', '""', {"MATCH_No": '""'}),
        ("$$(Cpus) + 1", "4 + 1", {"MATCH_Cpus": "4"}),
        ('"$$([Cpus * 2])"', '"8"', {}),
        ('"$$([strcat(\\"a\\\\\\", Name)])"', None, {}),
        ('"$$([MY.X])"', '"q\\"r"', {}),
        ('"$$([MY.B])"', r'"q\\r"', {}),
        ('"$$(No)"', None, {}),
        ('"$$(a.b)"', None, {}),
        ('"$$([Nothing])"', None, {}),
        ('"$$([(])"', None, {}),
    ],
)  # fmt: skip
def test_what_is_filled_in_from_the_slot(text: str, filled: str | None, kept: dict[str, str]) -> None:
    job = ClassAd.from_text_items(
        [("Args", text), ("MATCH_EXP_Old", '"$$(Cpus)"'), ("X", '"q\\"r"'), ("B", r'"q\\r"'), ("Plain", '"$(Cpus)"')]
    )
    slot = ClassAd.from_text_items([("Cpus", "4"), ("Name", '"slot1"')])
    if filled is None:
        with pytest.raises(CannotExpand, match=r"^Cannot expand \$\$ expression \("):
            expand(job, slot)
        return
    found = expand(job, slot)
    assert found.run == {"Args": filled}
    assert found.kept == {**kept, "MATCH_EXP_Args": filled}


@pytest.mark.parametrize(
    ("name", "place"),
    [("a/b", "b"), ("a/b/", "b/"), ("b", "b"), ("/", "directory/"), ("..", "directory"), ("../", "directory/")],
)
def test_where_a_file_lies_in_the_spool(name: str, place: str) -> None:
    assert spooled.base(name) == place


def test_the_files_that_a_job_brings() -> None:
    ad = ClassAd.from_text_items(
        [
            ("Cmd", '"/bin/x"'), ("In", '"/dev/null"'), ("x509userproxy", '"/tmp/p"'), ("TransferInput", '"a, b,,http://h/c,a"'),
            ("CommonInputFiles", '"b d"'), ("JobStatus", "5"), ("HoldReasonCode", "16"), ("Owner", '"alice"'),
        ]
    )  # fmt: skip
    rest = [("/tmp/p", "p"), ("a", "a"), ("b", "b"), ("d", "d")]
    assert spooled.input_files(ad) == [("/bin/x", "x"), *rest]
    ad.set_text("TransferExecutable", "false")
    ad.set_text("In", '"in"')
    assert spooled.input_files(ad) == [("in", "in"), *rest]
    assert spooled.awaits_input(ad)
    world = World()
    job = JobId(1, 0)
    world.queue.procs[job] = ad
    assert spooled.awaiting(world.queue, Caller("alice"), [job, JobId(2, 0)]) == [(job, ad)]
    assert spooled.awaiting(world.queue, Caller("bob"), [job]) == []
    ad.set_text("HoldReasonCode", "1")
    assert spooled.awaiting(world.queue, Caller("alice"), [job]) == []


def test_what_is_counted_and_whether_the_ticks_have_work() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, KeepClaimIdle="3")
    assert not world.core.ticks
    world.match(job)
    world.started(job)
    assert (world.core.counters.started, world.core.counters.completed) == (1, 0)
    world.ended(job, exit_code=0)
    assert (world.core.counters.started, world.core.counters.completed) == (1, 1)
    assert world.core.ticks, "the claim is kept for a while"
    world.now += 3
    world.handle(Tick())
    assert not world.core.ticks
    world.submit(2, IsNoopJob="true")
    assert world.core.counters.completed == 2


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("ClusterId ProcId Owner User MyType TargetType GlobalJobId JobUniverse OsUser", "immutable"),
        ("ClaimId ClaimIds PublicClaimId RemoteHost", "protected"),
    ],
)
def test_what_nobody_may_edit(names: str, why: str) -> None:
    for name in names.split():
        with pytest.raises(RefusedEdit, match=f'Update of {why} attribute "{name}" is not allowed.'):
            allowed_assignments([(name, "1")], Caller("root", True), EditRules())
    assert allowed_assignments([("JobPrio", "1")], Caller("a"), EditRules()) == [("JobPrio", "1")]
    with pytest.raises(RefusedEdit, match="Update aborted, illegal value for : A"):
        allowed_assignments([("A", "==")], Caller("a"), EditRules())
    with pytest.raises(RefusedEdit, match="Got invalid attribute named a b"):
        allowed_assignments([("a b", "1")], Caller("a"), EditRules())


def story(world: World, job: JobId) -> str:
    """What an illegal move tells of a job."""
    ad = world.queue.procs[job]
    with pytest.raises(IllegalMove) as caught:
        moves.move(world.core.state, job, ad, JobStatus.SUSPENDED)
    return str(caught.value).partition("Story: ")[2]


def test_an_illegal_move_tells_where_a_job_is_filed() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    assert story(world, job) == "IDLE at 1000; in the index of idle jobs"
    world.core.handle(Planned(Plan((Match(job, "alice@example.net", "slot1@vm", 1.0),))), world.now)
    world.turn()
    assert story(world, job) == "IDLE at 1000; a claim is asked for for it"
    world.handle(ClaimRefused("1", "no"))
    world.match(job)
    world.ended(job, error="no disk")
    assert story(world, job) == "IDLE until 1000; RUNNING until 1000; IDLE at 1000; it is cooling down"
    (other,) = world.submit(2, JobStatus="2", ClaimId='"c"', LeaveJobInQueue="true")
    world.slot_more = {"HasCommonFilesTransfer": "2", "SlotType": '"Dynamic"'}
    (blocked,) = world.submit(3, CommonInputFiles='"/a"', GlobalJobId='"vm#3.0#1"')
    world.match(blocked)
    assert story(world, blocked) == "IDLE until 1000; BLOCKED at 1000; it waits for common files"
    assert story(world, other).startswith("IDLE at 1000; in the index of idle jobs")


def test_what_became_of_an_exported_job_is_written_as_told() -> None:
    world = World()
    (job,) = world.submit(1)
    _, records = export(world.queue, Caller("alice"), [1])
    world.written(records)
    told = [(job, [("JobStatus", "5"), ("A", "1"), ("Secure", "2"), ("Owner", '"x"'), ("JobPrio", "0"), ("B", "==")])]
    rules = EditRules(secure=frozenset({"secure"}), refuse_secure=True)
    jobs, records = take_back(world.queue, Caller("alice"), told, rules, 1005)
    assert jobs == [job]
    assert [(record.op, record.name, record.value) for record in records] == [
        (SET, "LastJobStatus", "1"), (SET, "JobStatus", "5"), (SET, "EnteredCurrentStatus", "1005"), (SET, "A", "1"),
        (DELETE, "Managed", ""), (DELETE, "ManagedManager", ""),
    ]  # fmt: skip
    with pytest.raises(CondorError, match="User not authorized to import given jobs"):
        take_back(world.queue, Caller("bob"), told, rules, 1005)
    assert take_back(world.queue, Caller("root", True), [(JobId(9, 9), [])], rules, 1005) == ([], [])
