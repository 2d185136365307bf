"""What submit commands and schedd knobs do to the life of a job: policies, repeats, delays, kept claims."""

from __future__ import annotations

import pytest
from told_jobs import check, running, said
from world import Activate, Deactivate, ReleaseClaim, World

from condor_py.core.jobs.actions import perform, set_text
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.events import ClientWrites, QueueChanged, Reconfigured, StartdLost, Tick
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobEvicted, JobTerminated
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunUpdate
from condor_py.model.record import NEW_AD, SET, Change
from condor_py.model.report import Usage
from condor_py.model.settings.schedd import PolicyRule, Rounding, SystemPolicy
from condor_py.model.states import VacateCode

HOLD = ("HoldReasonCode", "HoldReasonSubCode", "HoldReason")


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"PeriodicHold": "1"}, [3, 0, "The job attribute PeriodicHold expression '1' evaluated to TRUE"]),
        ({"PeriodicHold": "1", "PeriodicHoldReason": 'strcat("a", 1)', "PeriodicHoldSubCode": "6 * 7"}, [3, 42, "a1"]),
        ({"AllowedJobDuration": "4"}, [46, 0, "The job exceeded allowed job duration of 00:04"]),
        ({"AllowedExecuteDuration": "3"}, [47, 0, "The job exceeded allowed execute duration of 00:03"]),
    ],
)  # fmt: skip
def test_holds_by_policy_tell_code_and_reason_and_only_event_012(
    attributes: dict[str, str], expected: list[object]
) -> None:
    world = World()
    job = running(world, **attributes)
    check(world, 4)
    assert world.told(Deactivate)
    world.ended(job, vacated=True, exit_signal=15)
    assert said(world, job, *HOLD) == expected
    assert said(world, job, "NumHolds", "VacateReason", "VacateReasonCode") == [1, "Claim deactivated", 1009]
    assert world.events(job) == [0, 1, 12]


def test_allowed_durations_count_from_the_present_run() -> None:
    world = World()
    job = running(world, AllowedExecuteDuration="10")
    check(world, 8)
    world.ended(job, error="lost")
    world.now += 100
    world.core.handle(Tick(), world.now)
    world.turn()
    world.match(job)
    check(world)
    assert world.status(job) == 2


def test_periodic_vacate_has_its_own_code_and_the_job_runs_again() -> None:
    world = World()
    job = running(world, PeriodicVacate="true")
    check(world)
    (stop,) = world.told(Deactivate)
    assert isinstance(stop, Deactivate)
    assert stop.code == 1000
    world.ended(job, vacated=True, exit_signal=15)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.text("NumVacatesByReason") == "[ VacateBase = 1 ]"
    assert world.events(job)[:3] == [0, 1, 4]


def test_periodic_remove_of_a_running_job_is_told_by_009_alone() -> None:
    world = World()
    job = running(world, PeriodicRemove="true", PeriodicRemoveReason='"enough"')
    check(world)
    world.ended(job, vacated=True, exit_signal=15)
    assert world.status(job) is None
    assert world.events(job) == [0, 1, 9]


def test_system_rules_by_name_come_first_and_may_explain_themselves() -> None:
    rules = (
        PolicyRule("SYSTEM_PERIODIC_HOLD", "RequestMemory > 100", 'strcat("too big: ", RequestMemory)', "5 + 1"),
        PolicyRule("SYSTEM_PERIODIC_HOLD", "true"),
    )
    world = World(system_periodic=SystemPolicy(hold=rules))
    world.connect()
    big, small = world.submit(1)[0], world.submit(2, RequestMemory="50")[0]
    check(world)
    assert said(world, big, *HOLD) == [26, 6, "too big: 128"]
    assert said(world, small, *HOLD) == [
        26, 0, "The system macro SYSTEM_PERIODIC_HOLD expression 'true' evaluated to TRUE"
    ]  # fmt: skip


def test_a_job_that_was_held_too_often_is_not_released_by_policy() -> None:
    world = World(system_periodic=SystemPolicy(max_releases=2))
    world.connect()
    (job,) = world.submit(1, PeriodicRelease="true", PeriodicHold="HoldReasonCode is undefined")
    for expected in (5, 1, 5, 5, 5):
        check(world)
        assert world.status(job) == expected


@pytest.mark.parametrize(
    ("asks", "knob", "graceful"), [(None, True, True), (None, False, False), ("false", True, False)]
)
def test_want_graceful_removal(asks: str | None, knob: bool, graceful: bool) -> None:
    world = World(gracefully_remove_jobs=knob)
    job = running(world, **({"WantGracefulRemoval": asks} if asks else {}))
    ad = world.queue.job(job)
    assert ad is not None
    world.written(perform("remove", job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
    (stop,) = world.told(Deactivate)
    assert isinstance(stop, Deactivate)
    assert stop.graceful is graceful


@pytest.mark.parametrize(
    ("attributes", "ending"),
    [
        ({}, (False, 0)), ({"NoopJobExitCode": "5"}, (False, 5)), ({"NoopJobExitSignal": "9"}, (True, 9)),
        ({"NoopJobExitSignal": "9", "NoopJobExitCode": "0"}, (False, 0)),
    ],
)  # fmt: skip
def test_a_noop_job_ends_without_running(attributes: dict[str, str], ending: tuple[bool, int]) -> None:
    world = World()
    (job,) = world.submit(1, IsNoopJob="true", LeaveJobInQueue="true", **attributes)
    assert world.status(job) == 4
    by_signal, number = ending
    assert said(world, job, "ExitBySignal", "ExitSignal" if by_signal else "ExitCode") == [by_signal, number]
    assert world.events(job) == [0, 5]


def test_a_job_that_repeats_gets_its_next_time_and_another_after_its_run() -> None:
    world = World()
    world.now = 1_795_245_301
    world.core.state.now = world.now
    world.connect()
    (job,) = world.submit(1, CronMinute='"*"', DeferralWindow="10", OnExitRemove="false")
    assert said(world, job, "DeferralTime") == [1_795_245_360]
    world.match(job)
    world.started(job)
    world.now = 1_795_245_371
    world.ended(job, exit_code=0)
    assert said(world, job, "DeferralTime") == [1_795_245_420]


def test_a_time_that_went_by_while_no_slot_was_free_is_followed_by_the_next() -> None:
    world = World()
    world.now = 1_795_245_301
    world.core.state.now = world.now
    (job,) = world.submit(1, CronMinute='"*"', DeferralWindow="10")
    check(world, 69)
    assert said(world, job, "DeferralTime") == [1_795_245_360]
    check(world, 1)
    assert said(world, job, "DeferralTime") == [1_795_245_420]


def test_a_schedule_that_is_none_holds_the_job() -> None:
    world = World()
    (job,) = world.submit(1, CronMinute='"61-x"')
    assert said(world, job, *HOLD) == [
        25, 0, "Invalid cron schedule parameters: Invalid parameter value '61-x' for CronMinute"
    ]  # fmt: skip


def starts(world: World) -> list[str]:
    return [str(effect.job) for effect in world.seen if isinstance(effect, Activate)]


def second(world: World, seconds: int = 1) -> None:
    world.now += seconds
    world.core.handle(Tick(), world.now)
    world.turn()


def test_next_job_start_delay_and_job_start_delay_pace_the_starts() -> None:
    world = World(job_start_count=2, job_start_delay=3, max_next_job_start_delay=4)
    world.connect()
    jobs = world.submit(1, procs=4)
    slow = world.submit(2, NextJobStartDelay="100")[0]
    world.match(*jobs, slow)
    assert starts(world) == ["1.0", "1.1"]
    assert world.core.ticks
    second(world, 2)
    assert starts(world) == ["1.0", "1.1"]
    second(world)
    assert starts(world) == ["1.0", "1.1", "1.2", "1.3"]
    second(world, 3)
    assert starts(world)[4:] == ["2.0"]
    world.submit(3)
    world.ended(jobs[0], exit_code=0)
    second(world, 3)
    assert len(starts(world)) == 5
    second(world)
    assert len(starts(world)) == 6


def test_no_more_jobs_than_max_jobs_running() -> None:
    world = World(max_jobs_running=2)
    world.connect()
    jobs = world.submit(1, procs=4)
    world.match(*jobs)
    assert starts(world) == ["1.0", "1.1"]
    world.ended(jobs[0], exit_code=0)
    assert starts(world) == ["1.0", "1.1", "1.2"]


def test_jobs_beyond_a_lower_max_jobs_running_are_vacated_and_no_others_follow() -> None:
    world = World()
    world.connect()
    jobs = world.submit(1, procs=6)
    world.match(*jobs[:4])
    assert starts(world) == ["1.0", "1.1", "1.2", "1.3"]
    settings = world.core.settings
    world.handle(Reconfigured(settings.changed(max_jobs_running=3)))
    world.handle(Reconfigured(settings.changed(max_jobs_running=2)))
    stops = [event for event in world.told(Deactivate) if isinstance(event, Deactivate)]
    assert [(stop.graceful, stop.reason) for stop in stops] == [(True, "Job vacated by schedd")] * 2
    assert [world.core.runs[job].stop_code > 0 for job in jobs[:4]] == [False, False, True, True]
    world.ended(jobs[0], exit_code=0)
    assert len(starts(world)) == 4, "there are still three"
    world.handle(Reconfigured(settings.changed(max_jobs_running=0)))
    assert all(run.stop_code for run in world.core.runs.values())


def test_keep_claim_idle_keeps_the_slot_for_the_next_job() -> None:
    world = World()
    job = running(world, KeepClaimIdle="20")
    world.ended(job, exit_code=0)
    assert not world.told(ReleaseClaim)
    second(world, 15)
    assert not world.told(ReleaseClaim)
    (late,) = world.submit(2)
    assert starts(world) == ["1.0", "2.0"]
    world.started(late)
    world.ended(late, exit_code=0)
    assert len(world.told(ReleaseClaim)) == 1


def test_a_claim_that_was_kept_in_vain_goes_back() -> None:
    world = World()
    job = running(world, KeepClaimIdle="20")
    world.ended(job, exit_code=0)
    second(world, 21)
    assert len(world.told(ReleaseClaim)) == 1
    assert not world.core.ticks


def test_system_on_vacate_cool_down() -> None:
    world = World(on_vacate_cool_down="NumVacates * 10")
    job = running(world)
    act = perform("vacate", job, _ad(world, job), actor="alice", reason=None, subcode=None, now=world.now)
    world.written(act[1])
    world.ended(job, vacated=True, exit_signal=15)
    assert said(world, job, "JobCoolDownExpiration") == [world.now + 10]
    assert job not in world.core.idle


@pytest.mark.parametrize(("starts", "until"), [("3", None), ("40", 1001)])
def test_a_job_that_its_slot_fails_at_once_time_and_again_waits(starts: str, until: int | None) -> None:
    world = World()
    job = running(world, NumShadowStarts=starts)
    world.ended(job, error="the Java machine was killed", exec_time=world.now)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.get("JobCoolDownExpiration") == until


def test_a_job_that_preempt_evicted_waits() -> None:
    """The same slot would take it at once, and evict it again."""
    world = World(preempted_pause=20)
    job = running(world)
    run = world.core.runs[job]
    run.stop(int(VacateCode.PREEMPT), "PREEMPT expression evaluated to True")
    world.ended(job, vacated=True, exit_signal=15)
    assert said(world, job, "VacateReasonCode", "JobCoolDownExpiration") == [1011, world.now + 20]
    assert job not in world.core.idle
    world.now += 19
    world.handle(Tick())
    assert job not in world.core.idle
    world.now += 1
    world.handle(Tick())
    assert job in world.core.idle


def _ad(world: World, job: JobId) -> ClassAd:
    ad = world.queue.job(job)
    assert ad is not None
    return ad


def test_job_machine_attrs_remember_the_slots_of_the_last_runs() -> None:
    world = World(job_machine_attrs_history_length=2)
    job = running(world, JobMachineAttrs='"SlotID, NoSuch"')
    assert said(world, job, "MachineAttrCpus0", "MachineAttrSlotWeight0", "MachineAttrSlotID0") == [1, 1, 1]
    world.ended(job, exit_code=1)
    world = World(job_machine_attrs_history_length=2)
    job = running(world, OnExitRemove="false")
    world.ended(job, exit_code=0)
    assert said(world, job, "MachineAttrCpus0", "MachineAttrCpus1") == [1, 1]
    assert not _ad(world, job).has("MachineAttrCpus2")


@pytest.mark.parametrize(
    ("how", "shown"), [("25%", 2000), ("0", 1999), ("3", 2000), ("10%", 2000), ("1", 2000), ("12.5%", 2000), ("", 1999)]
)
def test_schedd_round_attr(how: str, shown: int) -> None:
    world = World(rounding=Rounding(how, how, how))
    job = running(world, LeaveJobInQueue="true")
    world.ended(job, exit_code=0, usage=Usage(1.0, 0.5, 1999, 1999))
    assert said(world, job, "ResidentSetSize", "DiskUsage") == [shown, shown]
    assert said(world, job, "ResidentSetSize_RAW", "DiskUsage_RAW") == [1999, 1999]


@pytest.mark.parametrize(
    ("settings", "attributes"),
    [
        ({}, {"JobLeaseDuration": "30"}),
        ({"job_lease_duration": "30"}, {}),
        ({"job_lease_duration": "MY.Patience * 3"}, {"Patience": "10"}),
    ],
)
def test_a_run_whose_startd_stays_away_longer_than_its_lease_is_given_up(
    settings: dict[str, str], attributes: dict[str, str]
) -> None:
    world = World(**settings)
    job = running(world, **attributes)
    world.handle(StartdLost())
    assert world.events(job) == [0, 1, 22]
    check(world, 30)
    assert (world.status(job), world.events(job)) == (2, [0, 1, 22])
    check(world, 1)
    assert (world.status(job), world.events(job)) == (1, [0, 1, 22, 24])
    assert said(world, job, "VacateReasonCode") == [1008]


def test_a_job_whose_leave_in_queue_is_edited_leaves_at_once() -> None:
    world = World()
    job = running(world, LeaveJobInQueue="true")
    world.ended(job, exit_code=0)
    assert world.status(job) == 4
    world.written([set_text(job, "LeaveJobInQueue", "false")])
    assert world.status(job) is None


def test_a_job_that_leave_in_queue_keeps_leaves_once_it_is_false() -> None:
    world = World()
    (job,) = world.submit(1, LeaveJobInQueue="time() < 1100")
    world.written(perform("remove", job, _ad(world, job), actor="alice", reason=None, subcode=None, now=world.now)[1])
    assert (world.status(job), world.events(job)) == (3, [0, 9])
    check(world, 50)
    assert world.status(job) == 3
    check(world, 60)
    assert (world.status(job), world.events(job)) == (None, [0, 9])


def test_events_tell_the_bytes_of_the_run_and_of_all_runs() -> None:
    world = World()
    job = running(world, OnExitRemove="ExitCode == 0")
    world.ended(job, exit_code=1, usage=Usage(bytes_sent=10, bytes_received=4))
    world.started(job)
    world.ended(job, exit_code=0, usage=Usage(bytes_sent=7, bytes_received=2))
    evicted, terminated = (effect.event for effect in world.told(UserEvent) if effect.event.number in (4, 5))
    assert isinstance(evicted, JobEvicted)
    assert isinstance(terminated, JobTerminated)
    assert (evicted.sent_bytes, evicted.received_bytes) == (10.0, 4.0)
    assert (terminated.sent_bytes, terminated.received_bytes) == (7.0, 2.0)
    assert (terminated.total_sent_bytes, terminated.total_received_bytes) == (17.0, 6.0)


def test_a_job_whose_output_is_on_the_way_says_so() -> None:
    world = World()
    job = running(world)
    run = world.core.runs[job]
    world.handle(RunUpdate(run.claim_id, job, run.number, {"TransferringOutput": "true"}))
    assert said(world, job, "JobStatus", "TransferringOutput", "LastJobStatus") == [6, True, 2]
    world.ended(job, exit_code=0, output_transfer=(1.0, 2.0))
    assert world.events(job) == [0, 1, 40, 40, 5]
    job = running(world, cluster=2, OnExitRemove="false")
    run = world.core.runs[job]
    world.handle(RunUpdate(run.claim_id, job, run.number, {"TransferringOutput": "true"}))
    world.ended(job, exit_code=0)
    assert not _ad(world, job).has("TransferringOutput")


@pytest.mark.parametrize("action", ["hold", "remove"])
def test_what_a_client_did_to_a_job_holds_for_a_slot_that_gets_free_in_the_same_moment(
    action: str,
) -> None:
    world = World()
    world.connect()
    first, second = world.submit(1, 2)
    world.match(first)
    world.started(first)
    ad = world.queue.job(second)
    assert ad is not None
    _, records = perform(action, second, ad, actor="alice", reason=None, subcode=None, now=world.now)
    world.core.handle(ClientWrites(records, True), world.now)
    world.ended(first, exit_code=0)
    assert second not in world.core.runs
    assert world.events(second) == [0, {"hold": 12, "remove": 9}[action]]


def test_a_client_suspends_a_job_once() -> None:
    world = World()
    job = running(world)
    ad = world.queue.job(job)
    assert ad is not None
    _, records = perform("suspend", job, ad, actor="alice", reason=None, subcode=None, now=world.now)
    world.core.handle(ClientWrites(records, True), world.now)
    world.turn()
    world.core.handle(QueueChanged(records), world.now)
    world.turn()
    assert world.events(job).count(10) == 1
    assert said(world, job, "JobStatus", "TotalSuspensions") == [7, 1]
    assert ad.text("RunCommand") is None


@pytest.mark.parametrize("key", ["1.0", "01.-1"])
@pytest.mark.parametrize(("name", "status"), [("PERIODICHOLD", 5), ("PeriodicRemove", 3), ("AllowedJobDuration", 5)])
def test_a_policy_that_comes_by_an_edit_holds_from_then_on(key: str, name: str, status: int) -> None:
    world = World()
    job = running(world)
    check(world, 10)
    assert world.status(job) == 2
    world.written([Change(SET, key, name, "5")])
    check(world, 1)
    assert world.status(job) == status


def test_a_new_job_that_is_held_before_it_was_looked_at_was_submitted_first() -> None:
    """The core hears of many new jobs piece by piece; the queue has them all."""
    world = World()
    records = world.cluster(7, 2)
    world.queue.apply(records)
    changes = [Change(SET, "7.1", "JobStatus", "5"), Change(SET, "7.1", "HoldReason", '"why"')]
    world.core.handle(ClientWrites(changes, at_once=True), world.now)
    world.handle(QueueChanged([record for record in records if record.op == NEW_AD and record.key[0] != "0"]))
    assert world.events(JobId(7, 1)) == [0, 12]
    assert world.events(JobId(7, 0)) == [0]
