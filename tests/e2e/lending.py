"""One running pool for one test after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pool import DAEMONS, PersonalPool, wait_for

AnyPool = TypeVar("AnyPool", bound=PersonalPool)


@contextmanager
def lending(make: Callable[[], AnyPool], lasting: Collection[str] = DAEMONS) -> Iterator[LendingPool[AnyPool]]:
    """Pools that are made when a test wants one, and stopped at the end. ``lasting`` are the daemons that a test leaves
    alone; others it may end, if the master starts them again. Where none lasts, it may take down all of the pool."""
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
        if not self._lasting and not pool.processes():
            pool.start()
        environment = dict(pool.environment)
        daemons = [pool.pid(name) for name in self._lasting]
        pool.work = Path(tempfile.mkdtemp(dir=pool.directory, prefix="work."))
        pool.work.chmod(0o755)
        pool.first_cluster = pool.read_queue().next_cluster
        pool.log_sizes = {path.name: path.stat().st_size for path in pool.log.iterdir()}
        self._pool = None
        yield pool
        pool.environment = environment
        try:
            if self._lasting or self._serves_again(pool):
                _clear(pool)
                assert [pool.pid(name) for name in self._lasting] == daemons, "other daemons than before"
        except BaseException:
            pool.stop()
            raise
        self._pool = pool

    def _serves_again(self, pool: AnyPool) -> bool:
        """Whether a pool runs again from which a test may have taken daemons, or all: then only for jobs that it has
        left. The next test starts it otherwise."""
        wait_for(lambda: pool.ready() or not pool.processes(), "all daemons serve again, or none is left")
        if pool.processes():
            return True
        (pool.directory / "condor_config").write_text("")
        if not pool.read_queue().clusters():
            return False
        pool.start()
        return True

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
        """Stops the pool that is there. The next test gets another one."""
        if self._pool is not None:
            self._pool.stop()
        self._pool = None


def take_jobs_away(pool: PersonalPool) -> None:
    """Removes all jobs, also those that only force ends."""
    for force in ([], ["-forcex"]):
        pool.tool("condor_rm", "-all", *force, check=False)


def _clear(pool: PersonalPool) -> None:
    """Waits until the pool has no jobs, and its daemons have no other knobs than before."""
    if pool.read_queue().clusters():
        # Neither finds what was just leaving by itself.
        pool.tool("condor_qedit", "-constraint", "true", "LeaveJobInQueue", "false", check=False)
        pool.tool("condor_rm", "-all", check=False)
    wait_for(lambda: not pool.read_queue().clusters(), "the queue is empty")
    wait_for(lambda: not pool.starters() and pool.ready(), "every slot is free, and every daemon serves")
    wait_for(lambda: "Drain" not in pool.tool("condor_status", "-af", "State").stdout, "the machine is not drained", 20)
    if (pool.directory / "condor_config").stat().st_size:
        pool.configure("")
