"""One running pool for one test after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pool import PersonalPool, wait_for

AnyPool = TypeVar("AnyPool", bound=PersonalPool)
DAEMONS = ("master", "schedd", "negotiator", "startd")


@contextmanager
def lending(make: Callable[[], AnyPool], lasting: Collection[str] = DAEMONS) -> Iterator[LendingPool[AnyPool]]:
    """Pools that are made when a test wants one, and stopped at the end. ``lasting`` are the daemons that a test leaves
    alone; when it has killed another one, the master has started that again."""
    lender = LendingPool(make, lasting)
    try:
        yield lender
    finally:
        lender.stop()


class LendingPool(Generic[AnyPool]):
    """Gives a running pool to one test after the other.

    Each has a work directory, an environment and a history of its own. It leaves the daemons that it has found, and an
    empty queue and free slots, which is asserted; its knobs (``PersonalPool.configure``) are taken back. After a test
    that leaves something else the next one gets a new pool.
    """

    def __init__(self, make: Callable[[], AnyPool], lasting: Collection[str]) -> None:
        self._make = make
        self._lasting = lasting
        self._pool: AnyPool | None = None

    @contextmanager
    def lent(self) -> Iterator[AnyPool]:
        """Lends the pool to a test."""
        pool = self._pool or self._started()
        environment = dict(pool.environment)
        daemons = [pool.pid(name) for name in self._lasting]
        pool.work = Path(tempfile.mkdtemp(dir=pool.directory, prefix="work."))
        pool.work.chmod(0o755)
        pool.first_cluster = pool.read_queue().next_cluster
        self._pool = None
        yield pool
        pool.environment = environment
        try:
            _clear(pool)
            assert [pool.pid(name) for name in self._lasting] == daemons, (
                "other daemons than before: this is for own_pool"
            )
        except BaseException:
            pool.stop()
            raise
        self._pool = pool

    def _started(self) -> AnyPool:
        pool = self._make()
        config = pool.directory / "condor_config"
        config.touch()
        pool.environment["CONDOR_CONFIG"] = str(config)
        try:
            pool.start()
        except BaseException:
            pool.stop()
            raise
        return pool

    def stop(self) -> None:
        """Stops the pool that is there."""
        if self._pool is not None:
            self._pool.stop()


def _clear(pool: PersonalPool) -> None:
    """Waits until the pool has no jobs, and its daemons have no other knobs than before."""
    if pool.read_queue().clusters():
        pool.tool("condor_rm", "-all", check=False)  # which has not found what was just leaving by itself
    wait_for(lambda: not pool.read_queue().clusters(), "the queue is empty")
    wait_for(lambda: not pool.starters() and pool.ready(), "every slot is free, and every daemon serves")
    if (pool.directory / "condor_config").stat().st_size:
        pool.configure("")
