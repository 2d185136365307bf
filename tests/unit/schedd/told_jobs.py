"""Jobs that commands are tried on, and what was said of them."""

from __future__ import annotations

from world import World

from condor_py.core.jobs.events import PoliciesDue
from condor_py.model.ids import JobId


def running(world: World, cluster: int = 1, **attributes: str) -> JobId:
    """One job, executing since now."""
    world.connect()
    (job,) = world.submit(cluster, **attributes)
    world.match(job)
    world.started(job)
    return job


def check(world: World, seconds: int = 0) -> None:
    """The periodic expressions, so many seconds later."""
    world.now += seconds
    world.core.handle(PoliciesDue(), world.now)
    world.turn()


def said(world: World, job: JobId, *names: str) -> list[object]:
    """Values of attributes of a job in the queue."""
    ad = world.queue.job(job)
    assert ad is not None
    return [ad.evaluate(name) for name in names]
