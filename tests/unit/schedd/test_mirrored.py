"""Jobs that the job router has: nothing starts them here, and their logs tell what becomes of their copies."""

from __future__ import annotations

from world import World

from condor_py.core.jobs.actions import enter_status, set_text
from condor_py.core.jobs.demand import elsewhere
from condor_py.core.jobs.effects import Leave
from condor_py.core.jobs.events import PoliciesDue, QueueTaken
from condor_py.core.routes import mirror
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim

COPY = JobId(9, 0)


def routed(world: World, **attributes: str) -> JobId:
    """A job that has a copy."""
    world.connect()
    (job,) = world.submit(1, **attributes)
    world.written(mirror.claimed(job, COPY, "jobrouter"))
    return job


def now_is(world: World, job: JobId, status: int) -> None:
    """The router writes that the copy has gone there."""
    ad = world.queue.job(job)
    assert ad is not None
    world.written(enter_status(job, ad, status, world.now))  # type: ignore[arg-type]


def test_nothing_starts_it_and_its_log_tells_of_its_copy() -> None:
    world = World()
    job = routed(world)
    assert job not in world.core.idle
    assert not [effect for effect in world.match(job) if isinstance(effect, RequestClaim)]
    now_is(world, job, 2)
    now_is(world, job, 1)
    now_is(world, job, 2)
    ad = world.queue.job(job)
    assert ad is not None
    world.written([set_text(job, "ExitCode", "3"), *mirror.finished(job, ad, world.now)])
    assert world.events(job) == [0, 1, 4, 1, 5]
    assert [effect.jobs[0] for effect in world.told(Leave)] == [job]


def test_a_quick_copy_has_begun_before_it_ended() -> None:
    world = World()
    job = routed(world)
    ad = world.queue.job(job)
    assert ad is not None
    world.written([set_text(job, "NumJobStarts", "1"), *mirror.finished(job, ad, world.now)])
    assert world.events(job) == [0, 1, 5]


def test_it_is_the_schedds_again() -> None:
    world = World()
    job = routed(world)
    now_is(world, job, 2)
    ad = world.queue.job(job)
    assert ad is not None
    world.written(mirror.yielded(job, ad, world.now, True))
    assert job in world.core.idle
    assert world.events(job) == [0, 1, 4]


def test_its_own_policy_is_looked_at() -> None:
    world = World()
    job = routed(world, PeriodicRemove="JobStatus == 2")
    now_is(world, job, 2)
    world.handle(PoliciesDue())
    assert world.status(job) is None
    assert world.events(job) == [0, 1, 9]


def test_a_schedd_that_starts_finds_it_running() -> None:
    world = World()
    job = routed(world)
    now_is(world, job, 2)
    world.handle(QueueTaken({job: [0]}, set()))
    assert world.events(job) == [0, 1, 1], "its log lacked the event"
    world.handle(QueueTaken({job: [0, 1]}, set()))
    assert world.events(job) == [0, 1, 1]


def test_grid_jobs_that_run_count_elsewhere() -> None:
    world = World(remote_usage_weight=0.5)
    world.connect()
    world.submit(1, JobUniverse="9", RequestCpus="4", GridResource='"batch slurm"')
    world.submit(2, JobUniverse="9", RequestCpus="2", GridResource='"batch slurm"')
    assert elsewhere(world.core.state) == {}
    now_is(world, JobId(1, 0), 2)
    assert elsewhere(world.core.state) == {"alice@example.net": 2.0}


def test_a_grid_job_that_says_nothing_of_cpus_counts_for_one() -> None:
    world = World(remote_usage_weight=1.0)
    for cluster, cpus in enumerate(("undefined", "0", "-3"), 1):
        world.submit(cluster, JobUniverse="9", RequestCpus=cpus, GridResource='"batch slurm"')
        now_is(world, JobId(cluster, 0), 2)
    assert elsewhere(world.core.state) == {"alice@example.net": 2.0}
    world = World(remote_usage_weight=0.0)
    world.submit(1, JobUniverse="9", GridResource='"batch slurm"')
    now_is(world, JobId(1, 0), 2)
    assert elsewhere(world.core.state) == {}
