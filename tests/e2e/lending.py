"""One running pool for one test after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pool import PersonalPool, wait_for

AnyPool = TypeVar("AnyPool", bound=PersonalPool)
DAEMONS = ("master", "schedd", "negotiator", "startd")


@contextmanager
def lending(make: Callable[[], AnyPool], restarted: bool = False) -> Iterator[LendingPool[AnyPool]]:
    """Pools that are made when a test wants one, and stopped at the end. Where they are to be ``restarted``, tests may
    end their daemons."""
    lender = (LendingRestartedPool if restarted else LendingPool)(make)
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

    def __init__(self, make: Callable[[], AnyPool]) -> None:
        self._make = make
        self._pool: AnyPool | None = None

    @contextmanager
    def lent(self) -> Iterator[AnyPool]:
        """Lends the pool to a test."""
        pool = self._pool or self._started()
        self._begin(pool)
        environment = dict(pool.environment)
        daemons = [pool.pid(name) for name in DAEMONS]
        pool.work = Path(tempfile.mkdtemp(dir=pool.directory, prefix="work."))
        pool.work.chmod(0o755)
        pool.first_cluster = pool.read_queue().next_cluster
        self._pool = None
        yield pool
        pool.environment = environment
        try:
            self._end(pool, daemons)
        except BaseException:
            pool.stop()
            raise
        self._pool = pool

    def _begin(self, pool: AnyPool) -> None:
        """The pool runs, as the test before has left it."""

    def _end(self, pool: AnyPool, daemons: list[int]) -> None:
        """Leave the pool to the next test. It must have the daemons that it had before."""
        _clear(pool)
        assert [pool.pid(name) for name in DAEMONS] == daemons, "other daemons than before: this is for restarted"

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


class LendingRestartedPool(LendingPool[AnyPool]):
    """Lends a pool to tests that kill, stop and restart its daemons, or take all of it down."""

    def _begin(self, pool: AnyPool) -> None:
        if not pool.processes():
            pool.start()

    def _end(self, pool: AnyPool, daemons: list[int]) -> None:
        wait_for(lambda: pool.ready() or not pool.processes(), "all daemons serve again, or none is left")
        if not pool.processes():
            (pool.directory / "condor_config").write_text("")
            if not pool.read_queue().clusters():
                return  # the next test that wants the pool starts it
            pool.start()
        _clear(pool)


def _clear(pool: PersonalPool) -> None:
    """Waits until the pool has no jobs, and its daemons have no other knobs than before."""
    if pool.read_queue().clusters():
        # Neither finds what was just leaving by itself.
        pool.tool("condor_qedit", "-constraint", "true", "LeaveJobInQueue", "false", check=False)
        pool.tool("condor_rm", "-all", check=False)
    wait_for(lambda: not pool.read_queue().clusters(), "the queue is empty")
    wait_for(lambda: not pool.starters(), "every slot is free")
    if (pool.directory / "condor_config").stat().st_size:
        pool.configure("")
