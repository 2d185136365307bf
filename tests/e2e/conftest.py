"""A real personal pool for each test: own directories, own daemons, taken down (and checked for orphans) at the end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from container_pool import _containing, containing, engine, tree
from event_logs import check_event_logs
from lending import LendingPool, lending
from pool import PersonalPool
from shared_pool import SharedPool, usable_python
from slurm_engine import Slurm

__all__ = ["_containing", "containing", "engine", "tree"]


#: Nodes of DAGs keep their claims so many seconds for those that follow, and the next test waits for free slots.
LENT = {"DAGMAN_HOLD_CLAIM_TIME": "1"}


@pytest.fixture(scope="session")
def _common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("common") / "pool", cpus=4, **LENT)) as lender:
        yield lender


@pytest.fixture
def pool(_common: LendingPool[PersonalPool]) -> Iterator[PersonalPool]:
    """A running pool with four cpus, whatever the machine has: one for all tests of a worker, since its start and end
    take longer than most tests. It is to be left as it was (``LendingPool``)."""
    with _common.lent() as pool:
        yield pool
    check_event_logs(pool.work)


@pytest.fixture
def own_pool(stopped_pool: PersonalPool) -> PersonalPool:
    """A running pool for this test alone, which may kill and stop its daemons."""
    stopped_pool.start()
    return stopped_pool


@pytest.fixture
def stopped_pool(tmp_path: Path) -> Iterator[PersonalPool]:
    """Directories and configuration of a pool that the test starts itself."""
    made = PersonalPool(tmp_path / "pool", cpus=4)
    try:
        yield made
    finally:
        made.stop()
    check_event_logs(made.work)


@contextmanager
def _place_for_all() -> Iterator[Path]:
    """A directory that everybody may reach, for a pool of root's."""
    if os.geteuid() != 0:
        pytest.skip("sharing a pool between accounts needs root")
    usable_python()
    top = Path(tempfile.mkdtemp(prefix="condor_py-shared.", dir="/tmp"))  # another one each time, if this one stays
    top.chmod(0o755)
    try:
        yield top
    finally:
        shutil.rmtree(top)


@pytest.fixture
def stopped_shared() -> Iterator[SharedPool]:
    """A pool of root's in a place that everybody may reach; the test starts it itself."""
    with _place_for_all() as top:
        made = SharedPool(top / "pool", cpus=2)
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="session")
def _common_shared() -> Iterator[LendingPool[SharedPool]]:
    with _place_for_all() as top, lending(lambda: SharedPool(top / "pool", cpus=2, **LENT)) as lender:
        yield lender


@pytest.fixture
def shared(_common_shared: LendingPool[SharedPool]) -> Iterator[SharedPool]:
    """Root's pool for all tests of a worker, as ``pool``; the other account has a directory for each test, too."""
    with _common_shared.lent() as shared:
        yield shared


@pytest.fixture
def own_shared(stopped_shared: SharedPool) -> SharedPool:
    """A pool of root's for this test alone, and it runs."""
    stopped_shared.start()
    return stopped_shared


@pytest.fixture(scope="session")
def slurm() -> Iterator[Slurm]:
    """One Slurm for all tests of a worker that want one; they belong to one group, so that there is one worker."""
    top = Path(f"/tmp/condor_py-slurm-{os.getpid()}")
    made = Slurm(top)
    top.mkdir(mode=0o755)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(top)
