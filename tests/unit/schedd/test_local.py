"""Jobs that run on the schedd's own machine: universes local (12) and scheduler (7)."""

from __future__ import annotations

import pytest
from world import Activate, Deactivate, ReleaseClaim, RequestClaim, World

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import Leaving, Published, QueueTaken, Reconfigured, Tick
from condor_py.core.jobs.local import as_machine
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import DESTROY_AD, SET, Change


def tick(world: World) -> None:
    world.core.handle(Tick(), world.now)
    world.turn()


def running(world: World, *jobs: JobId) -> list[bool]:
    return [world.status(job) == 2 for job in jobs]


@pytest.mark.parametrize("universe", [7, 12])
def test_it_starts_without_a_slot_and_without_a_startd(universe: int) -> None:
    world = World(schedd_name="schedd@vm")
    (job,) = world.submit(1, JobUniverse=str(universe))
    tick(world)
    (start,) = world.told(Activate)
    assert isinstance(start, Activate)
    assert (start.job, start.run) == (job, 1)
    assert not world.told(RequestClaim)
    ad = world.queue.job(job)
    assert ad is not None
    assert ad.eval_str("RemoteHost") == "schedd@vm"
    assert ad.eval_int("RemoteSlotID") == 1
    assert ad.text("NumJobMatches") is None
    world.started(job)
    world.ended(job, exit_code=0)
    assert (world.status(job), world.events(job)) == (None, [0, 1, 5])
    assert [effect.claim for effect in world.told(ReleaseClaim) if isinstance(effect, ReleaseClaim)] == [start.claim]


def begin(world: World, *jobs: JobId) -> None:
    """Lets the jobs start that may, one after the other."""
    for _ in jobs:
        tick(world)
        for job in jobs:
            run = world.core.runs.get(job)
            if run is not None and not run.executing:
                world.started(job)


def test_jobs_begin_in_the_order_of_their_priorities() -> None:
    world = World()
    jobs = [world.submit(number, JobUniverse="7", JobPrio=str(number))[0] for number in range(1, 4)]
    seen = []
    for _ in jobs:
        tick(world)
        seen += [job for job in jobs if job in world.core.runs and not world.core.runs[job].executing]
        world.started(seen[-1])
    assert seen == [jobs[0], jobs[2], jobs[1]]  # the first had begun to start when the others came


@pytest.mark.parametrize(("universe", "knob"), [(12, "Local"), (7, "Scheduler")])
def test_start_universe_counts_what_runs_of_it(universe: int, knob: str) -> None:
    world = World(**{f"start_{knob.lower()}_universe": f"Total{knob}JobsRunning < 2"})
    other = world.submit(9, JobUniverse=str(19 - universe))[0]
    jobs = world.submit(1, 3, JobUniverse=str(universe))
    begin(world, other, *jobs)
    assert running(world, other, *jobs) == [True, True, True, False]
    world.ended(jobs[0], exit_code=0)
    tick(world)
    assert running(world, *jobs) == [False, True, True]


def test_start_universe_may_look_at_the_job() -> None:
    world = World(start_local_universe="TARGET.JobPrio > 5")
    (low,) = world.submit(1, JobUniverse="12")
    (high,) = world.submit(2, JobUniverse="12", JobPrio="6")
    tick(world)
    assert running(world, low, high) == [False, True]


def test_start_universe_sees_the_whole_ad_of_the_schedd() -> None:
    world = World(start_local_universe="TotalLocalJobsRunning < 200 && MaxJobsRunning > 0 && TotalIdleJobs < 5")
    (job,) = world.submit(1, JobUniverse="12")
    tick(world)
    assert running(world, job) == [False]  # nothing is published yet
    world.core.handle(Published(ClassAd("[ Memory = 4000; MaxJobsRunning = 10; TotalIdleJobs = 7 ]")), world.now)
    tick(world)
    assert running(world, job) == [False]
    world.core.handle(Published(ClassAd("[ Memory = 4000; MaxJobsRunning = 10; TotalIdleJobs = 1 ]")), world.now)
    tick(world)
    assert running(world, job) == [True]


@pytest.mark.parametrize("universe", ["12", "7"])
def test_requirements_see_the_schedd_as_a_machine(universe: str) -> None:
    world = World()
    fits, counts, too_much, unknown = (
        world.submit(number, JobUniverse=universe, Requirements=text, RequestMemory="100")[0]
        for number, text in enumerate(
            (
                'TARGET.Arch == "X86_64" && TARGET.Memory >= RequestMemory && Disk > 5 && Cpus == 2 && HasContainer',
                f"TARGET.Total{'Local' if universe == '12' else 'Scheduler'}JobsRunning < 1",
                "TARGET.Memory > 4000",
                "TARGET.GPUs > 0",
            ),
            1,
        )
    )
    tick(world)
    assert running(world, fits, too_much, unknown) == [False] * 3  # little is published yet
    settings = world.core.settings.changed(machine=(("Arch", '"X86_64"'),))
    published = as_machine(ClassAd("[ DetectedMemory = 4000; DetectedCpus = 2 ]"), settings, 6)
    world.core.handle(Published(published), world.now)
    begin(world, fits, counts, too_much, unknown)
    assert running(world, fits, too_much, unknown) == [True, False, False]
    assert running(world, counts) == [True]


def test_scheduler_jobs_of_one_owner_are_limited() -> None:
    world = World(max_running_scheduler_jobs_per_owner=1)
    first, second = world.submit(1, 2, JobUniverse="7")
    (bobs,) = world.submit(2, JobUniverse="7", Owner='"bob"')
    (local,) = world.submit(3, JobUniverse="12")
    begin(world, first, second, bobs, local)
    assert running(world, first, second, bobs, local) == [True, False, True, True]
    world.ended(first, exit_code=0)
    tick(world)
    assert running(world, second) == [True]


def test_a_job_that_is_held_while_it_waits_does_not_start() -> None:
    from condor_py.core.jobs.actions import perform

    world = World(start_local_universe="false")
    (job,) = world.submit(1, JobUniverse="12")
    tick(world)
    ad = world.queue.job(job)
    assert ad is not None
    world.written(perform("hold", job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
    world.core.handle(Reconfigured(World().core.settings), world.now)
    tick(world)
    assert (world.status(job), world.told(Activate)) == (5, [])


def test_a_failed_scheduler_job_that_stays_waits_before_it_runs_again() -> None:
    world = World(scheduler_cool_down=300)
    (job,) = world.submit(1, JobUniverse="7", OnExitRemove="ExitCode =?= 0")
    for code, wait in ((1, 300), (1, 300)):
        tick(world)
        world.started(job)
        world.ended(job, exit_code=code)
        world.now += wait - 1
        tick(world)
        assert world.status(job) == 1
        world.now += 1
    tick(world)
    assert world.status(job) == 2


@pytest.mark.parametrize("code", [14, 7])
def test_a_scheduler_job_whose_directory_or_output_is_away_is_tried_again_later(code: int) -> None:
    world = World(scheduler_cool_down=300)
    (job,) = world.submit(1, JobUniverse="7")
    tick(world)
    world.ended(job, hold_code=code, hold_reason="no directory")
    ad = world.queue.job(job)
    assert ad is not None
    assert (world.status(job), ad.eval_int("JobCoolDownExpiration", 0)) == (1, world.now + 300)
    world.now += 300
    tick(world)
    assert world.status(job) == 2


def test_jobs_that_wait_start_in_the_order_of_their_priority() -> None:
    world = World(schedd_name="schedd@vm", max_running_scheduler_jobs_per_owner=1)
    first, low, high = (
        world.submit(number, JobUniverse="7", JobPrio=prio)[0] for number, prio in ((1, "0"), (2, "0"), (3, "10"))
    )
    tick(world)
    assert running(world, first, low, high) == [True, False, False]
    world.started(first)
    world.ended(first, exit_code=0)
    tick(world)
    assert running(world, low, high) == [False, True]


def test_a_schedd_that_is_shut_down_starts_no_job_again_that_it_has_stopped() -> None:
    world = World()
    (job,) = world.submit(1, JobUniverse="7")
    begin(world, job)
    world.handle(Leaving())
    world.ended(job, vacated=True, exit_signal=15)
    tick(world)
    assert world.status(job) == 1
    assert len(world.told(Activate)) == 1


def test_a_shutdown_ends_the_schedds_own_jobs_and_no_others() -> None:
    world = World()
    world.connect()
    (slot_job,) = world.submit(1)
    world.match(slot_job)
    (own,) = world.submit(2, JobUniverse="12")
    world.handle(Leaving())
    assert [effect.claim for effect in world.told(Deactivate)] == [world.core.runs[own].claim_id]


def test_a_start_in_a_slot_delays_none_here() -> None:
    world = World()
    world.connect()
    (slot_job,) = world.submit(1)
    world.match(slot_job)
    (own,) = world.submit(2, JobUniverse="12")
    assert running(world, slot_job, own) == [True, True]


def test_one_that_was_held_or_started_waits_no_more() -> None:
    world = World(start_local_universe="JobPrio > 0")
    (job,) = world.submit(1, JobUniverse="12")
    assert world.core.ticks
    world.written([Change(SET, str(job), "JobStatus", "5")])
    assert not world.core.ticks
    (other,) = world.submit(2, JobUniverse="12", JobPrio="1")
    assert running(world, other) == [True]
    assert not world.core.ticks


@pytest.mark.parametrize("universe", ["7", "12"])
def test_one_that_was_taken_out_of_the_queue_while_it_runs_counts_no_more(universe: str) -> None:
    limit = {"start_local_universe": "TotalLocalJobsRunning < 1", "max_running_scheduler_jobs_per_owner": 1}
    world = World(**limit)
    first, second = world.submit(1, 2, JobUniverse=universe)
    begin(world, first)
    tick(world)
    assert running(world, first, second) == [True, False]
    world.written([Change(DESTROY_AD, str(first))])
    tick(world)
    assert running(world, second) == [True]


@pytest.mark.parametrize(("logged", "missing"), [((0,), [1, 4]), ((0, 1), [4]), ((0, 1, 4), [])])
def test_a_run_that_the_last_schedd_told_nothing_of_is_told_before_the_next_is_given_up(
    logged: tuple[int, ...], missing: list[int]
) -> None:
    world = World()
    (job,) = world.submit(1, JobUniverse="12", OnExitRemove="ExitCode =?= 0", DisableCoolDown="true")
    begin(world, job)
    world.ended(job, exit_code=1)
    tick(world)
    assert (world.status(job), world.core.runs[job].number) == (2, 2)
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.seen.clear()
    world.handle(QueueTaken({job: logged}, ()))
    assert world.events(job) == [*missing, 22, 24]
