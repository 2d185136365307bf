"""The life of jobs in the schedd core; every batch ends with validate()."""

from __future__ import annotations

import pytest
from world import Acknowledge, Activate, CallNegotiator, Deactivate, ReleaseClaim, RequestClaim, World

from condor_py.core.jobs import lifecycle, review
from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    JobsRecorded,
    Planned,
    PoliciesDue,
    QueueTaken,
    StartdConnected,
    StartdLost,
    Tick,
)
from condor_py.core.jobs.jobevents import resource_table
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import FileTransfer
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunEnded, RunUpdate
from condor_py.model.plan import Match, Plan
from condor_py.model.record import SET, Change
from condor_py.model.report import ExitReport, Usage


def world_with_running_job(**attributes: str) -> tuple[World, JobId]:
    """One job, executing."""
    world = World()
    world.connect()
    (job,) = world.submit(1, **attributes)
    world.match(job)
    world.started(job)
    return world, job


def act(world: World, job: JobId, action: str) -> None:
    """What condor_hold and its family write."""
    ad = world.queue.job(job)
    assert ad is not None
    _, records = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=world.now)
    world.written(records)


def test_a_job_runs_to_its_end() -> None:
    world, job = world_with_running_job()
    assert world.status(job) == 2
    world.now += 5
    world.ended(job, exit_code=0)
    assert world.status(job) is None
    assert world.events(job) == [0, 1, 5]
    assert len(world.told(Acknowledge)) == 1
    assert len(world.told(ReleaseClaim)) == 1
    assert world.queue.cluster(1) is None
    assert world.queue.user.eval_int("TotalCompletedJobs") == 1


def test_status_is_committed_before_the_startd_is_asked() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    effects = world.match(job)
    (activate,) = [effect for effect in effects if isinstance(effect, Activate)]
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_int("JobStatus") == 2
    assert ad.eval_str("ClaimId") == activate.claim
    assert ad.eval_int("NumShadowStarts") == activate.run == 1


def test_a_claim_takes_the_next_job_of_the_same_submitter() -> None:
    world = World()
    world.connect()
    first, second = world.submit(1, procs=2)
    world.match(first)
    world.started(first)
    world.now += 1
    effects = world.ended(first, exit_code=0)
    (activate,) = [effect for effect in effects if isinstance(effect, Activate)]
    assert activate.job == second
    assert world.told(ReleaseClaim) == []


def test_a_claim_is_not_reused_for_another_submitter() -> None:
    world = World()
    world.connect()
    (mine,) = world.submit(1)
    (other,) = world.submit(2, Owner='"bob"', User='"bob@example.net"')
    world.match(mine)
    world.started(mine)
    world.ended(mine, exit_code=0)
    assert len(world.told(ReleaseClaim)) == 1
    assert world.status(other) == 1


def test_a_claim_past_its_worklife_goes_back() -> None:
    world = World(claim_worklife=10)
    world.connect()
    first, second = world.submit(1, procs=2)
    world.match(first)
    world.started(first)
    world.now += 20
    world.ended(first, exit_code=0)
    assert len(world.told(ReleaseClaim)) == 1
    assert world.status(second) == 1


def test_the_best_job_is_next() -> None:
    world = World()
    world.connect()
    (first,) = world.submit(1)
    world.submit(2, JobPrio="-1")
    (urgent,) = world.submit(3, JobPrio="5")
    world.match(first)
    world.started(first)
    effects = world.ended(first, exit_code=0)
    assert [effect.job for effect in effects if isinstance(effect, Activate)] == [urgent]


def test_an_edited_priority_counts_at_once_and_is_logged() -> None:
    world = World()
    world.connect()
    (first,) = world.submit(1)
    (second,) = world.submit(2)
    (third,) = world.submit(3)
    world.written([Change(SET, str(third), "JobPrio", "9")])
    assert world.events(third) == [0, 33]
    world.match(first)
    world.started(first)
    effects = world.ended(first, exit_code=0)
    assert [effect.job for effect in effects if isinstance(effect, Activate)] == [third]
    assert world.status(second) == 1


@pytest.mark.parametrize(("action", "events", "status"), [("hold", [0, 1, 4, 12], 5), ("remove", [0, 1, 4, 9], None)])
def test_a_running_job_is_stopped_first(action: str, events: list[int], status: int | None) -> None:
    world, job = world_with_running_job()
    act(world, job, action)
    (order,) = world.told(Deactivate)
    assert order.graceful
    assert world.events(job) == [0, 1]
    world.ended(job, exit_signal=15, vacated=True)
    assert world.events(job) == events
    assert world.status(job) == status


def test_holding_and_releasing_an_idle_job() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    act(world, job, "hold")
    assert world.status(job) == 5
    assert world.match(job) == []
    act(world, job, "release")
    assert world.events(job) == [0, 12, 13]
    assert world.status(job) == 1
    world.match(job)
    assert world.status(job) == 2


def test_removing_an_idle_job_takes_it_out_at_once() -> None:
    world = World()
    (job,) = world.submit(1)
    act(world, job, "remove")
    assert world.status(job) is None
    assert world.events(job) == [0, 9]
    assert world.queue.user.eval_int("TotalRemovedJobs") == 1


def test_retries_until_the_last() -> None:
    condition = "NumJobCompletions > 2 || ExitCode =?= 0"
    world, job = world_with_running_job(OnExitRemove=condition)
    for _ in range(2):
        effects = world.ended(job, exit_code=1)
        assert world.status(job) == 2, "the claim takes it again"
        assert any(isinstance(effect, Activate) for effect in effects)
        world.started(job)
    world.ended(job, exit_code=0)
    assert world.status(job) is None
    assert world.events(job) == [0, 1, 4, 1, 4, 1, 5]


def test_on_exit_hold_holds_with_reason_and_code() -> None:
    world, job = world_with_running_job(
        OnExitHold="ExitCode == 3", OnExitHoldReason='"bad luck"', OnExitHoldSubCode="7"
    )
    world.ended(job, exit_code=3)
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("HoldReasonCode"), ad.eval_int("HoldReasonSubCode"), ad.eval_str("HoldReason")) == (
        3,
        7,
        "bad luck",
    )
    assert world.events(job) == [0, 1, 12]


@pytest.mark.parametrize("name", ["OnExitRemove", "OnExitHold", "PeriodicHold", "PeriodicRemove"])
def test_an_undefined_policy_does_nothing(name: str) -> None:
    world, job = world_with_running_job(**{name: "NoSuchAttribute > 3"})
    world.core.handle(PoliciesDue(), world.now)
    world.turn()
    assert world.status(job) == 2
    world.ended(job, exit_code=0)
    assert world.status(job) is None
    assert world.events(job)[-1] == 5


def test_an_undefined_removal_time_holds_and_is_named() -> None:
    world, job = world_with_running_job(TimerRemove="NoSuchAttribute + 3")
    world.core.handle(PoliciesDue(), world.now)
    world.turn()
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_int("HoldReasonCode") == 5
    assert "TimerRemove" in (ad.eval_str("HoldReason") or "")
    assert "UNDEFINED" in (ad.eval_str("HoldReason") or "")


def test_a_job_keeps_the_names_of_its_last_slots() -> None:
    world, job = world_with_running_job(LastMatchListLength="2")
    for number in (2, 3):
        world.ended(job, error="scratch directory is gone")
        world.match(job)
        world.started(job)
        ad = world.queue.job(job)
        assert ad is not None
        names = [ad.eval_str(f"LastMatchName{age}", None) for age in range(3)]
        assert names == [f"slot1_{number}@vm", f"slot1_{number - 1}@vm", None]


def test_a_fault_of_the_job_holds_it() -> None:
    world, job = world_with_running_job()
    world.ended(job, hold_code=6, hold_subcode=2, hold_reason="Failed to execute '/x'")
    assert world.status(job) == 5
    assert world.events(job) == [0, 1, 21, 4, 12]


def test_a_fault_of_the_slot_puts_the_job_back_and_gives_the_claim_up() -> None:
    world, job = world_with_running_job()
    world.ended(job, error="scratch directory is gone")
    assert world.status(job) == 1
    assert len(world.told(ReleaseClaim)) == 1
    assert world.events(job) == [0, 1, 4]


def test_a_refused_claim_puts_the_job_back() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.core.handle(Planned(_plan(job)), world.now)
    (request,) = [effect for effect in world.turn() if type(effect).__name__ == "RequestClaim"]
    assert job not in world.core.idle
    world.handle(ClaimRefused(request.id, "Not enough Cpus"))
    assert job in world.core.idle
    assert len(world.told(CallNegotiator)) >= 2


def _plan(*jobs: JobId):  # type: ignore[no-untyped-def]
    from condor_py.model.plan import Match, Plan

    return Plan(tuple(Match(job, "alice@example.net", "slot1@vm", 1.0) for job in jobs))


@pytest.mark.parametrize(("action", "event"), [("hold", 12), ("remove", 9)])
def test_a_job_that_goes_while_its_slot_is_asked_for_does_not_start(action: str, event: int) -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.core.handle(Planned(Plan((Match(job, "alice@example.net", "slot1@vm", 1.0),))), world.now)
    (request,) = [effect for effect in world.turn() if isinstance(effect, RequestClaim)]
    act(world, job, action)
    world.grant(request)
    assert world.events(job) == [0, event]
    assert (len(world.told(Activate)), len(world.told(ReleaseClaim))) == (0, 1)


def test_a_checkpoint_is_told_once() -> None:
    world, job = world_with_running_job()
    run = world.core.runs[job]
    for number in ("0", "0", "1"):
        world.handle(RunUpdate(run.claim_id, job, run.number, {"CheckpointNumber": number}))
    assert world.events(job) == [0, 1, 40, 40, 40, 40]
    steps = [effect.event.step for effect in world.told(UserEvent) if isinstance(effect.event, FileTransfer)]
    assert steps == [5, 6, 5, 6]
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("CheckpointNumber"), ad.eval_int("NumOutputTransferStarts")) == (1, 2)


def test_a_transfer_says_how_long_it_waited_for_its_turn() -> None:
    world, job = world_with_running_job()
    run, begun = world.core.runs[job], world.now
    for direction, short in (("Input", "In"), ("Output", "Out")):
        for seconds, queued in ((0, "true"), (30, "false")):
            world.now += seconds
            told = {f"Transferring{direction}": "true", "TransferQueued": queued}
            world.handle(RunUpdate(run.claim_id, job, run.number, told))
        ad = world.queue.job(job)
        assert ad is not None
        assert ad.eval_int(f"Transfer{short}Queued") == world.now - 30
    steps = [effect.event for effect in world.told(UserEvent) if isinstance(effect.event, FileTransfer)]
    found = [(event.step, event.queueing_delay, event.host != "") for event in steps]
    assert found == [(1, -1, True), (2, 30, False), (4, -1, False), (5, 30, False)]
    world.ended(job, exit_code=0, vacated=True)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_int("TransferInQueued") == begun, "it tells of the last transfer that waited"


def test_the_execution_of_a_run_is_counted_from_its_last_checkpoint() -> None:
    world, job = world_with_running_job()
    run = world.core.runs[job]
    told = {"CheckpointNumber": "0", "LastCkptTime": "1050", "NewlyCommittedTime": "40"}
    world.handle(RunUpdate(run.claim_id, job, run.number, told))
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("ActivationExecutionDuration"), ad.eval_int("CommittedTime")) == (40, 40)
    world.ended(job, exit_code=0, pid=4711, start_time=1008.0, exec_time=1010.0, end_time=1065.0)
    assert (ad.eval_int("ActivationExecutionDuration"), ad.eval_int("ActivationDuration")) == (15, 57)


def test_a_lost_claim_loses_its_run_but_not_its_job() -> None:
    world, job = world_with_running_job()
    claim = world.core.runs[job].claim_id
    world.handle(ClaimLost(claim, 1008, "The starter of the job died"))
    assert world.status(job) == 1
    assert world.events(job) == [0, 1, 22, 24]
    assert job in world.core.idle


@pytest.mark.parametrize("status", [1, 3, 5])
def test_a_job_whose_claim_ended_before_it_began_has_not_run(status: int) -> None:
    """The startd gives an idle claim up (CLAIM_WORKLIFE) while the order to start the next job is on its way."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    run = world.core.runs[job]
    assert world.status(job) == 2
    if status != 1:
        act(world, job, "hold" if status == 5 else "remove")
    world.handle(ClaimLost(run.claim_id, 1015, "Claim released", idle=True))
    refused = ExitReport(claim_id=run.claim_id, job=str(job), run=run.number, error="ClaimId not found")
    world.handle(RunEnded(refused))
    assert world.events(job) == {1: [0], 3: [0, 9], 5: [0, 12]}[status]
    assert world.status(job) == (None if status == 3 else status)
    if status != 1:
        return
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("NumJobStarts", 0), ad.text("RemoteHost"), ad.text("JobCoolDownExpiration")) == (0, None, None)
    assert job in world.core.idle
    assert world.core.claims.get(run.claim_id) is None


def test_an_idle_claim_that_is_lost_with_a_job_that_runs_has_lost_it() -> None:
    world, job = world_with_running_job()
    world.handle(ClaimLost(world.core.runs[job].claim_id, 1015, "Claim released", idle=True))
    assert world.events(job) == [0, 1, 22, 24]


def test_the_startd_comes_back_with_the_job() -> None:
    world, job = world_with_running_job()
    run = world.core.runs[job]
    info = ClaimInfo(
        run.claim_id, "slot1_1@vm", "alice@example.net", world.core.claims[run.claim_id].info.slot_ad, str(job), 1
    )
    world.handle(StartdLost())
    assert world.status(job) == 2
    world.handle(StartdConnected((info,)))
    world.ended(job, exit_code=0)
    assert world.events(job) == [0, 1, 22, 23, 5]


def test_the_startd_comes_back_without_the_job() -> None:
    world, job = world_with_running_job()
    world.handle(StartdLost())
    world.handle(StartdConnected(()))
    assert world.status(job) == 1
    assert world.events(job) == [0, 1, 22, 24]


def test_a_report_that_comes_twice_counts_once() -> None:
    from condor_py.model.messages.runs import RunEnded
    from condor_py.model.report import ExitReport

    world, job = world_with_running_job()
    claim = world.core.runs[job].claim_id
    world.ended(job, exit_code=0)
    world.handle(RunEnded(ExitReport(claim, str(job), 1, exit_code=0)))
    assert world.events(job) == [0, 1, 5]
    assert len(world.told(Acknowledge)) == 2


@pytest.mark.parametrize(
    ("status", "attributes", "logged", "expected"),
    [
        (1, {}, [], [0]),
        (1, {}, [0], []),
        (1, {}, [0, 12], [13]),
        (1, {}, [0, 1], [4]),
        (5, {"NumHolds": "1", "HoldReasonCode": "1"}, [0], [12]),
        (5, {"NumHolds": "1", "HoldReasonCode": "1"}, [0, 12], []),
        (5, {"NumHolds": "1", "HoldReasonCode": "15"}, [0], []),
        (3, {}, [0], [9]),
        (4, {"ExitCode": "0", "ExitBySignal": "false"}, [0, 1], [5]),
        (4, {"ExitCode": "0", "ExitBySignal": "false"}, [0, 1, 5], []),
        (4, {"ExitCode": "0", "ExitBySignal": "false", "NumJobStarts": "1"}, [0], [1, 5]),
        (4, {"ExitCode": "0", "ExitBySignal": "false", "NumJobStarts": "2"}, [0, 1, 4], [1, 5]),
    ],
)
def test_a_new_schedd_writes_what_the_log_lacks(
    status: int, attributes: dict[str, str], logged: list[int], expected: list[int]
) -> None:
    old = World()
    (job,) = old.submit(1, status=status, **attributes)
    world = World()
    world.queue = old.queue
    world.queue.procs.setdefault(job, old.queue.procs.get(job) or _gone(old, job, status, attributes))
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.core.handle(QueueTaken({job: logged}, ()), world.now)
    world.turn()
    assert world.events(job) == expected


def _gone(world: World, job: JobId, status: int, attributes: dict[str, str]):  # type: ignore[no-untyped-def]
    """The ad of a job that left the old world at once, as it stood when that schedd died."""
    from world import CLUSTER

    from condor_py.lang.classad import ClassAd

    return ClassAd.from_text_items(
        {**CLUSTER, **attributes, "JobStatus": str(status), "ProcId": "0", "ClusterId": "1"}.items()
    )


def test_a_recorded_job_is_only_taken_out() -> None:
    old = World()
    (job,) = old.submit(1, status=4, LeaveJobInQueue="true")
    core = Schedd(old.queue, old.core.settings, old.now)
    core.handle(QueueTaken({job: [0, 1, 5]}, {job}), old.now)
    records, effects = core.take()
    assert effects == []
    assert [record.key for record in records if record.op == 102] == ["1.0", "01.-1", "1.-2"]


def test_periodic_expressions() -> None:
    world = World()
    world.connect()
    (held,) = world.submit(1, PeriodicHold="CurrentTime > 0 || true", PeriodicHoldReason='"too long"')
    (gone,) = world.submit(2, PeriodicRemove="JobStatus == 1")
    (stays,) = world.submit(3, PeriodicHold="NoSuchAttribute > 1")
    world.core.handle(PoliciesDue(), world.now)
    world.turn()
    assert world.status(held) == 5
    assert world.status(gone) is None
    assert world.status(stays) == 1
    assert world.events(held) == [0, 12]
    assert world.events(gone) == [0, 9]


def test_a_hold_by_hand_is_not_released_by_policy() -> None:
    world = World()
    (job,) = world.submit(1, PeriodicRelease="true")
    act(world, job, "hold")
    world.core.handle(PoliciesDue(), world.now)
    world.turn()
    assert world.status(job) == 5


def test_a_job_that_cannot_even_start_waits_longer_each_time() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    for delay in (1, 2, 4):
        world.match(job)
        world.ended(job, error="scratch directory is gone", exec_time=0.0)
        assert world.status(job) == 1
        assert job not in world.core.idle
        world.now += delay
        world.core.handle(Tick(), world.now)
        world.turn()
        assert job in world.core.idle, f"after {delay} s"
    world.match(job)
    world.started(job)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text("NumJobCoolDowns") is None


def test_the_last_jobs_of_a_cluster_take_it_along_also_one_by_one() -> None:
    """A schedd that starts takes out what its predecessor had recorded, before anything of it is committed."""
    old = World()
    old.core.state.removal = lambda jobs: None  # type: ignore[method-assign]
    old.submit(1, procs=3, status=4, ExitCode="0", ExitBySignal="false")
    world = World()
    world.queue = old.queue
    jobs = sorted(old.queue.procs)
    assert len(jobs) == 3
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.core.handle(QueueTaken({job: [0, 1, 5] for job in jobs}, jobs), world.now)
    world.core.handle(JobsRecorded(jobs[:1]), world.now)
    world.turn()
    assert (world.queue.procs, world.queue.cluster_ads) == ({}, {})


def test_the_size_of_a_job_is_told_when_it_has_grown() -> None:
    """As the shadow does: event 006 for a new peak only, and the attributes never shrink."""
    world, job = world_with_running_job()
    run = world.core.runs[job]

    def told(resident: int, image: int) -> None:
        sizes = {"ResidentSetSize_RAW": str(resident), "ImageSize_RAW": str(image)}
        world.handle(RunUpdate(run.claim_id, job, run.number, sizes))

    told(1000, 20000)
    told(900, 20000)
    told(1000, 21000)
    assert world.sizes(job) == 2
    ad = world.queue.job(job)
    assert ad is not None
    assert [ad.eval_int(name) for name in ("ResidentSetSize", "ImageSize", "ImageSize_RAW")] == [1000, 22500, 21000]
    world.ended(job, exit_code=0, usage=Usage(max_rss_kb=1000))
    assert world.sizes(job) == 2


def test_a_hold_by_the_starter_names_the_slot() -> None:
    world, job = world_with_running_job()
    world.ended(job, hold_code=6, hold_subcode=2, hold_reason="Failed to execute '/x'")
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_str("HoldReason") == f"Error from {ad.eval_str('LastRemoteHost')}: Failed to execute '/x'"
    assert ad.eval_str("VacateReason") == ad.eval_str("HoldReason")


def test_a_new_run_forgets_why_the_one_before_was_evicted() -> None:
    world, job = world_with_running_job()
    world.ended(job, vacated=True)
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("JobStatus"), ad.eval_int("NumVacates")) == (2, 1)  # on the same claim at once
    assert not ad.has("VacateReason")
    assert not ad.has("VacateReasonCode")


def test_condor_vacate_job_gives_the_slot_to_whoever_is_next() -> None:
    world, job = world_with_running_job(RunCommand='"vacate"')
    review.review(world.core.state, job)
    world.turn()
    world.ended(job, vacated=True)
    assert world.status(job) == 1
    assert len(world.told(ReleaseClaim)) == 1


def test_custom_resources_of_a_run() -> None:
    """Amounts and units are in the job ad, and in the table of the events."""
    slot = ClassAd.from_text_items(
        [("MachineResources", '"Cpus Memory Disk Swap GPUs Cogs"'), ("Cpus", "1"), ("Memory", "128"), ("Disk", "1024")]
    )
    slot.set_texts([("GPUs", "1"), ("AssignedGPUs", '"GPU-7b"'), ("Cogs", "2")])
    claim = ClaimInfo("c", "slot1_1@vm", "", slot)
    ad = ClassAd.from_text_items([("RequestCogs", "2"), ("AssignedCogs", '"gone"')])
    job = JobId(1, 0)
    for change in lifecycle.start_records(job, ad, claim, lifecycle.given_by(claim.slot_ad), 1, "<addr>", 1000):
        if change.op == SET:
            ad.set_text(change.name, change.value)
        else:
            ad.remove(change.name)
    assert (ad.text("AssignedGPUs"), ad.text("CogsProvisioned"), ad.text("AssignedCogs")) == ('"GPU-7b"', "2", None)
    table = resource_table(ad)
    assert len(dict(table)) == len(table)
    cells = [(name, text) for name, text in table if name.endswith(("GPUs", "Cogs"))]
    assert cells == [("GPUs", "1"), ("AssignedGPUs", '"GPU-7b"'), ("Cogs", "2"), ("RequestCogs", "2")]


@pytest.mark.promise("S31")
def test_periodic_expressions_can_be_judged_in_parts() -> None:
    """A user's expressions may take long: the schedd does something else in between, and comes to everybody's."""
    world = World()
    world.connect()
    jobs = world.submit(1, 5, PeriodicHold="true")
    world.turn()
    calls = 0
    enough = PoliciesDue(lambda: True)
    world.core.handle(enough, world.now)
    while world.core.policies_left:
        calls += 1
        assert [world.status(job) for job in jobs].count(5) == calls
        world.core.handle(enough, world.now)
    assert calls == 4
    assert [world.status(job) for job in jobs] == [5] * 5
    world.core.handle(enough, world.now)
    assert world.core.policies_left, "the next pass begins with all of them"


def test_the_length_of_the_history_of_slots_costs_nothing_by_itself() -> None:
    class Asked(ClassAd):
        """Counts how often it is asked for a text."""

        times = 0

        def text(self, name: str) -> str | None:
            Asked.times += 1
            return super().text(name)

    ad = Asked({"JobMachineAttrs": "Cpus", "JobMachineAttrsHistoryLength": 10**6, "MachineAttrCpus0": 4})
    changes = list(lifecycle.machine_records(JobId(1, 0), ad, ClassAd({"Cpus": 8}), (), 0))
    assert [(change.name, change.value) for change in changes] == [("MachineAttrCpus1", "4"), ("MachineAttrCpus0", "8")]
    assert Asked.times < 10
