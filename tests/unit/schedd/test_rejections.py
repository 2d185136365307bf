"""From plan to job and back: why a job was not matched, refusals, losses, what is told of submissions and starts."""

from __future__ import annotations

import pytest
from world import CallNegotiator, ReleaseClaim, World

from condor_py.core.jobs.demand import demand
from condor_py.core.jobs.effects import Mail, Note, RunRecord, UserEvent
from condor_py.core.jobs.events import ClaimLost, ClaimRefused, LogsWanted, Planned, PoliciesDue, RunNow
from condor_py.core.jobs.immediate import CannotReassign
from condor_py.core.jobs.index import order_of
from condor_py.core.jobs.rights import Caller
from condor_py.lang.events import Execute, JobEvicted, JobHeld, Submit
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate, RequestClaim
from condor_py.model.messages.runs import ExitReport, RunEnded, RunUpdate
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.model.record import SET, Change

ALICE = "alice@example.net"


def said(world: World, job: JobId, *names: str) -> list[str | None]:
    ad = world.queue.job(job)
    assert ad is not None
    return [ad.text(name) for name in names]


def events(world: World, kind: type) -> list[object]:
    return [effect.event for effect in world.told(UserEvent) if isinstance(effect.event, kind)]


def running(world: World, **attributes: str) -> JobId:
    world.connect()
    (job,) = world.submit(1, **attributes)
    world.match(job)
    world.started(job)
    return job


def test_a_job_remembers_why_it_was_not_matched_and_since_when() -> None:
    world = World()
    (job,) = world.submit(1)

    def refuse(reason: str, fault: bool = False) -> None:
        world.core.handle(Planned(Plan((), (Rejection(job, ALICE, 1, reason, fault),))), world.now)
        world.turn()

    refuse("no match found")
    world.now += 60
    refuse("no match found")
    assert said(world, job, "LastRejMatchReason", "LastRejMatchTime") == ['"no match found"', "1000"]
    refuse("submitter limit exceeded")
    assert said(world, job, "LastRejMatchReason", "LastRejMatchTime") == ['"submitter limit exceeded"', "1060"]
    refuse("cannot be judged", fault=True)
    assert said(world, job, "JobStatus", "HoldReason") == ["5", '"cannot be judged"']
    world.core.handle(Planned(Plan((), (Rejection(JobId(9, 9), ALICE, 1, "gone"),))), world.now)


def test_a_preempted_job_says_for_whom() -> None:
    world = World()
    job = running(world)
    slot = world.queue.job(job).eval_str("RemoteHost")  # type: ignore[union-attr]
    (other,) = world.submit(2, User='"bob@example.net"', Owner='"bob"')
    match = Match(other, "bob@example.net", "slot1@vm", 1.0, Preemption.PRIORITY, (slot,))
    world.handle(Planned(Plan((match,))))
    report = ExitReport(world.core.runs[job].claim_id, str(job), 1, vacated=True)
    world.handle(RunEnded(report, 1019, "Preempted for a Priority user"))
    (evicted,) = events(world, JobEvicted)
    assert evicted.reason == "Preempted for a Priority user (bob@example.net)"  # type: ignore[attr-defined]


def test_a_match_for_a_job_that_is_not_there_or_not_his_asks_for_nothing() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    for match in (Match(JobId(9, 9), ALICE, "slot1@vm", 1.0), Match(job, "bob@example.net", "slot1@vm", 1.0)):
        world.core.handle(Planned(Plan((match,))), world.now)
        world.turn()
    assert world.told(RequestClaim) == []


@pytest.mark.parametrize("fault", [False, True])
def test_a_refused_claim(fault: bool) -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.core.handle(Planned(Plan((Match(job, ALICE, "slot1@vm", 1.0),))), world.now)
    world.turn()
    (request,) = world.told(RequestClaim)
    world.handle(ClaimRefused(request.id, "too small", fault))
    if fault:
        assert said(world, job, "JobStatus", "HoldReasonCode", "HoldReason") == ["5", "21", '"too small"']
    else:
        assert world.status(job) == 1
        assert f"claim for job {job} refused: too small" in [note.text for note in world.told(Note)]
    assert (job in world.core.idle) is not fault


def test_what_is_freed_is_worth_a_cycle() -> None:
    world = World()
    job = running(world)
    world.submit(2)
    before = len(world.told(CallNegotiator))
    world.handle(ClaimLost(world.core.runs[job].claim_id, 1011, "preempted"))
    assert len(world.told(CallNegotiator)) == before + 1


def test_demand_counts_what_is_held_and_what_is_wanted() -> None:
    world = World()
    world.slot_cpus = 3
    running(world)
    world.submit(2, 2, RequestCpus="2", JobPrio="4")
    world.submit(3, JobPrio="7")
    (found,) = demand(world.core.state, "<addr>")
    assert (found.name, found.running, found.running_weight, found.idle, found.idle_weight) == (ALICE, 1, 3.0, 3, 5.0)
    assert (found.job_prio, found.schedd) == (7, "<addr>")


def test_all_five_priorities_decide_in_their_order() -> None:
    names = ("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2")
    world = World()
    plain, *better = [world.submit(n + 1, **({names[n - 1]: "1"} if n else {}))[0] for n in range(6)]
    keys = {job: order_of(job, ad) for job, ad in world.queue.jobs()}
    assert sorted(keys, key=keys.__getitem__) == [*better, plain]


@pytest.mark.parametrize(
    ("requirements", "left"), [('"ClusterId > 1"', [3]), ('"(("', [2, 3, 4]), ('""', [2, 3, 4]), ("7", [2, 3, 4])]
)
def test_a_job_that_leaves_takes_those_of_its_owner_with_it(requirements: str, left: list[int]) -> None:
    world = World()
    world.submit(2)
    world.submit(3, Owner='"bob"')
    world.submit(4)
    (job,) = world.submit(1, OtherJobRemoveRequirements=requirements)
    world.written([Change(SET, str(job), "JobStatus", "3")])
    assert [found.cluster for found, _ in world.queue.jobs()] == left


def test_condor_now_is_for_jobs_of_the_vanilla_universe() -> None:
    world = World()
    job = running(world)
    (other,) = world.submit(2, JobUniverse="7", Requirements="false")
    with pytest.raises(CannotReassign, match="the now-job must be in the vanilla universe"):
        world.core.handle(RunNow(Caller("alice"), other, [job]), world.now)


def test_the_event_of_a_submission_tells_notes_and_warnings() -> None:
    world = World()
    world.submit(1, SubmitEventNotes='"for me"', SubmitEventUserNotes='"for all"', SubmitEventWarnings='"odd"')
    (event,) = events(world, Submit)
    assert isinstance(event, Submit)
    assert (event.log_notes, event.user_notes, event.warnings) == ("for me", "for all", "odd")


def test_the_event_of_a_start_tells_what_the_job_asks_for() -> None:
    world = World()
    world.slot_more = {"Site": '"here"'}
    running(world, UserLogExecuteEventAttrs='"Site,NoSuch,Cpus"')
    (event,) = events(world, Execute)
    assert isinstance(event, Execute)
    assert [name for name, _ in event.props].count("Cpus") == 1
    assert dict(event.props)["Site"] == '"here"'
    assert "NoSuch" not in dict(event.props)
    assert event.slot_name == "slot1_1@vm"


def test_a_hold_by_the_user_of_a_job_that_is_held_already_is_told_once() -> None:
    world = World()
    (job,) = world.submit(1)
    for holds in ("1", "1", "2"):
        world.written([Change(SET, str(job), "JobStatus", "5"), Change(SET, str(job), "NumHolds", holds)])
    assert len(events(world, JobHeld)) == 2


def test_a_text_that_cannot_be_filled_in_from_the_slot_holds_and_is_counted() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, Args='"$$(NoSuch)"')
    world.match(job)
    assert said(world, job, "JobStatus", "NumSystemHolds") == ["5", "1"]
    assert len(world.told(ReleaseClaim)) == 1


def test_updates_of_another_run_are_nobodys() -> None:
    world = World()
    job = running(world)
    run = world.core.runs[job]
    world.handle(RunUpdate(run.claim_id, job, run.number + 1, {"DiskUsage": "77"}))
    world.handle(RunUpdate(run.claim_id, JobId(9, 9), run.number, {"DiskUsage": "77"}))
    assert said(world, job, "DiskUsage") == [None]
    world.handle(RunUpdate(run.claim_id, job, run.number, {"DiskUsage": "77"}))
    assert said(world, job, "DiskUsage") == ["77"]


def test_what_plugins_did_is_a_record_of_the_run() -> None:
    world = World(transfer_attributes=(("INPUT", ("Cmd",)),))
    world.core.handle(LogsWanted(runs=True), world.now)
    job = running(world, Cmd='"/bin/x"')
    run = world.core.runs[job]
    world.handle(RunUpdate(run.claim_id, job, run.number, {"TransferClass": '"INPUT"', "TransferTotalBytes": "5"}))
    (record,) = [effect for effect in world.told(RunRecord) if effect.kind == "INPUT"]
    assert (record.job, record.run, record.owner) == (job, 0, "alice")
    items = dict(record.items)
    assert items["RemoteHost"] == '"slot1_1@vm"'
    assert (items["Cmd"], items["TransferTotalBytes"], items["ClusterId"]) == ('"/bin/x"', "5", "1")
    assert "DiskUsage" not in items


def test_a_job_that_is_held_while_it_runs_is_stopped_with_the_reason() -> None:
    world = World()
    job = running(world)
    world.written([Change(SET, str(job), "JobStatus", "5"), Change(SET, str(job), "HoldReason", '"because"')])
    (order,) = world.told(Deactivate)
    assert (order.graceful, order.code, order.reason) == (True, 1, "because")


@pytest.mark.parametrize(("code", "success", "mails"), [(0, "0", 0), (3, "0", 1), (3, "3", 0), (0, "3", 1)])
def test_what_counts_as_a_failure_is_the_jobs_to_say(code: int, success: str, mails: int) -> None:
    world = World()
    job = running(world, JobNotification="3", JobSuccessExitCode=success)
    world.now += 2 * 86400 + 3661
    world.ended(job, exit_code=code)
    assert len(world.told(Mail)) == mails
    assert all("Real Time:             2+01:01:01" in mail.text for mail in world.told(Mail))


def test_an_edit_of_several_attributes_may_bring_a_policy() -> None:
    world = World()
    (job,) = world.submit(1)
    world.written([Change(SET, str(job), "Odd", "1"), Change(SET, str(job), "PeriodicHold", "true")])
    world.handle(PoliciesDue())
    assert said(world, job, "JobStatus", "HoldReasonCode", "HoldReasonSubCode") == ["5", "3", "0"]


def test_a_hold_at_exit_without_a_subcode_has_none() -> None:
    world = World()
    job = running(world, OnExitHold="true")
    world.ended(job, exit_code=0)
    assert said(world, job, "HoldReasonCode", "HoldReasonSubCode") == ["3", "0"]


@pytest.mark.parametrize(
    ("policy", "events"),
    [
        ({"PeriodicRemove": "ExitCode =?= 1 && JobStatus == 2", "OnExitHold": "true"}, [0, 1, 9]),
        ({"PeriodicRemove": "JobStatus == 4"}, [0, 1, 5]),
        ({"PeriodicRemove": "true", "PeriodicHold": "ExitCode =?= 1"}, [0, 1, 12]),
    ],
)
def test_a_periodic_expression_sees_the_end_of_a_run_before_those_of_the_exit(
    policy: dict[str, str], events: list[int]
) -> None:
    world = World()
    job = running(world, **policy)
    world.ended(job, exit_code=1)
    assert world.events(job) == events


def test_a_run_of_which_nothing_is_known_is_tried_again() -> None:
    world = World()
    job = running(world)
    world.ended(job)
    assert (world.status(job), world.events(job)) == (2, [0, 1, 4])


def test_an_edit_of_something_else_tells_nothing_of_the_priority() -> None:
    world = World()
    (job,) = world.submit(1, JobPrio="5")
    world.written([Change(SET, str(job), "Odd", "1")])
    assert world.events(job) == [0]
    world.written([Change(SET, str(job), "JobPrio", "6")])
    assert world.events(job) == [0, 33]
