"""What others change of jobs, and what that means: edits, removals behind the schedd's back, policies, lost logs."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.actions import hold_records, release_records
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.events import JobsRecorded, Planned, PoliciesDue, Reconfigured, StartdLost, UpdatesDue
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate, WithdrawClaim
from condor_py.model.messages.runs import RunUpdate
from condor_py.model.plan import Match, Plan
from condor_py.model.record import DESTROY_AD, NEW_AD, SET, Change
from condor_py.model.settings.schedd import PolicyRule, StatisticsSettings, SystemPolicy


def test_edits_that_say_nothing_to_the_schedd() -> None:
    """A job without a priority has none that changes; marks for runs and for the removed mean nothing to others."""
    world = World()
    (job,) = world.submit(1, JobPrio="undefined")
    for name, text in (("Color", '"red"'), ("JobLeaveForced", "true"), ("RunCommand", '"vacate"')):
        world.written([Change(SET, str(job), name, text)])
    assert (world.status(job), world.events(job)) == (1, [0])
    assert not [effect for effect in world.seen if isinstance(effect, Note)]


def test_a_hold_of_a_run_is_told_when_the_run_is_over() -> None:
    """Whatever is edited meanwhile, and whether it is released before."""
    for released in (False, True):
        world = World()
        world.connect()
        (job,) = world.submit(1)
        world.match(job)
        world.started(job)
        ad = world.queue.procs[job]
        world.written(hold_records(job, ad, 1, 0, "by me", world.now))
        world.written([Change(SET, str(job), "NumHolds", "2")])
        if released:
            world.written(release_records(job, ad, "by me", world.now))
        assert world.events(job) == [0, 1]
        world.ended(job, vacated=True)
        assert world.events(job)[:4] == ([0, 1, 4] if released else [0, 1, 4, 12])


@pytest.mark.parametrize("away", [False, True])
def test_a_job_that_is_held_and_released_before_anybody_looks_runs_anew(away: bool) -> None:
    """It was to be stopped: it does not run on as an idle job. Nor does it when its startd was away meanwhile."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    run = world.core.runs[job]
    if away:
        world.handle(StartdLost())
    ad = world.queue.procs[job]
    held = hold_records(job, ad, 1, 0, "by me", world.now)
    world.queue.apply(held)
    world.written([*held, *release_records(job, ad, "by me", world.now)])
    if away:
        world.connect(ClaimInfo(run.claim_id, "slot1@vm", "alice@example.net", ClassAd(), str(job), run.number))
    (told,) = world.told(Deactivate)
    assert (told.graceful, told.code, told.reason) == (True, 1, "by me")
    world.ended(job, vacated=True)
    if world.status(job) == 1:  # its claim is not kept
        world.match(job)
    world.started(job)
    assert [number for number in world.events(job) if number in (1, 4, 5)] == [1, 4, 1]


def test_a_job_that_is_made_late_is_judged_by_the_policy_of_its_cluster() -> None:
    world = World()
    world.submit(1, 1, PeriodicHold="ProcId == 1")
    new = [
        Change(NEW_AD, "1.1", "Job", "Machine"),
        Change(SET, "1.1", "ProcId", "1"),
        Change(SET, "1.1", "JobStatus", "1"),
    ]
    world.written(new)
    world.handle(PoliciesDue())
    assert (world.status(JobId(1, 0)), world.status(JobId(1, 1))) == (1, 5)


def test_a_job_that_comes_removed_leaves_at_once() -> None:
    world = World()
    (job,) = world.submit(1, status=3)
    assert (world.status(job), world.events(job)) == (None, [0, 9])


@pytest.mark.parametrize(
    "attributes",
    [
        {"JobCoolDownExpiration": "5000"},
        {"PeriodicHold": "JobPrio == 7"},
        {"JobUniverse": "12"},
        {"CronMinute": '"0"'},
        {"JobUniverse": "9", "GridResource": '"batch slurm"'},
        {"JobStatus": "4", "LeaveJobInQueue": "true"},
        {},
    ],
)
def test_a_job_that_was_taken_out_of_the_queue_is_looked_for_nowhere(attributes: dict[str, str]) -> None:
    """``validate`` ends each step: whatever a job waits for, the schedd forgets it with the job."""
    world = World(start_local_universe="false")
    world.connect()
    (job,) = world.submit(1, status=int(attributes.pop("JobStatus", "1")), **attributes)
    world.written([Change(DESTROY_AD, str(job))])
    assert not world.core.known
    assert not world.core.ticks
    world.handle(PoliciesDue())


def test_a_job_that_was_taken_out_of_the_queue_while_its_startd_is_away_or_asked() -> None:
    world = World()
    world.connect()
    gone, asked = world.submit(1, 2)
    world.match(gone)
    world.handle(StartdLost())
    world.written([Change(DESTROY_AD, str(gone))])
    assert not world.core.state.reach.orphans
    world.connect()
    world.handle(Planned(Plan((Match(asked, "alice@example.net", "slot1@vm", 1.0),))))
    world.written([Change(DESTROY_AD, str(asked))])
    assert len(world.told(WithdrawClaim)) == 1


def test_only_jobs_with_a_policy_are_watched() -> None:
    world = World()
    one, other, gone = world.submit(1, 3)
    world.written([
        Change(SET, str(gone), "PeriodicHold", "JobPrio == 7"), Change(SET, str(other), "Color", "1"),
        Change(SET, str(one), "PeriodicHold", "JobPrio == 7"), Change(DESTROY_AD, str(gone)),
    ])  # fmt: skip
    assert set(world.core.state.watched.jobs) == {one}


def updated(world: World, *jobs: JobId) -> None:
    for job in jobs:
        run = world.core.runs[job]
        world.handle(RunUpdate(run.claim_id, job, run.number, {"Color": '"red"'}))


def test_what_a_starter_tells_is_judged_soon_in_parts_and_for_runs_alone() -> None:
    world = World()
    world.connect()
    jobs = world.submit(1, 4, PeriodicHold='Color == "red"')
    world.match(*jobs)
    for job in jobs:
        world.started(job)
    updated(world, *jobs)
    assert world.core.updates_left
    world.ended(jobs[0], vacated=True)
    world.written([Change(DESTROY_AD, str(jobs[1]))])
    for _ in jobs:
        world.handle(UpdatesDue(lambda: True))
    assert not world.core.updates_left
    assert [world.status(job) for job in jobs[2:]] == [5, 5]
    assert not [effect for effect in world.seen if isinstance(effect, Note)]


def test_a_policy_of_the_system_makes_every_update_count() -> None:
    policy = SystemPolicy(hold=(PolicyRule("SYSTEM_PERIODIC_HOLD", 'Color == "red"', "", ""),))
    for system, status in ((policy, 5), (SystemPolicy(), 2)):
        world = World(system_periodic=system)
        world.connect()
        (job,) = world.submit(1)
        world.match(job)
        world.started(job)
        updated(world, job)
        assert world.core.updates_left is (status == 5)
        world.handle(UpdatesDue())
        assert world.status(job) == status


def test_a_run_out_of_reach_is_given_up_a_lease_after_it_was_lost() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, JobLeaseDuration="100")
    world.match(job)
    world.started(job)
    world.now += 500
    world.handle(StartdLost())
    for seconds, status in ((100, 2), (1, 1)):
        world.now += seconds
        world.handle(PoliciesDue())
        assert world.status(job) == status
    assert world.events(job) == [0, 1, 22, 24]


def test_a_job_that_left_between_two_parts_of_a_look_is_passed_over() -> None:
    world = World()
    jobs = world.submit(1, 2, PeriodicHold="JobPrio == 7")
    world.handle(PoliciesDue(lambda: True))
    for job in jobs:
        world.written([Change(DESTROY_AD, str(job))])
    world.handle(PoliciesDue(lambda: True))
    assert not world.core.policies_left
    assert not [effect for effect in world.seen if isinstance(effect, Note)]


def test_a_run_out_of_reach_is_not_judged() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, PeriodicHold="JobPrio == 7")
    world.match(job)
    world.started(job)
    world.handle(StartdLost())
    world.queue.procs[job].set_int("JobPrio", 7)
    world.handle(PoliciesDue())
    assert world.status(job) == 2


def test_what_only_time_changes_is_looked_at_when_the_last_part_is_done() -> None:
    world = World()
    world.submit(1, PeriodicHold="JobPrio == 7")
    (done,) = world.submit(2, LeaveJobInQueue="CurrentTime < 1050")
    world.written([Change(SET, str(done), "JobStatus", "4")])
    world.now = 1050
    world.handle(PoliciesDue(lambda: True))
    assert world.status(done) is None


def test_a_job_that_is_recorded_twice_leaves_once_and_keeps_no_other_from_leaving() -> None:
    world = World()
    jobs = world.submit(1, 3, LeaveJobInQueue="true")
    world.written([Change(SET, str(job), "JobStatus", "4") for job in jobs])
    world.handle(JobsRecorded([JobId(9, 9), jobs[0], jobs[0], jobs[1]]))
    assert [record.key for record in world.committed if record.op == DESTROY_AD] == ["1.0", "1.1"]
    assert [world.status(job) for job in jobs] == [None, None, 4]


def test_statistics_are_published_as_configured_now() -> None:
    world = World()
    assert dict(world.core.counters.shown(world.now))["RecentStatsLifetime"] == "0"
    world.handle(Reconfigured(world.core.settings.changed(statistics=StatisticsSettings(level=0))))
    assert dict(world.core.counters.shown(world.now)) == {}
