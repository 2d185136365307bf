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

from container_pool import containing, containing_pool, engine, tree
from event_logs import check_event_logs
from pool import PersonalPool
from shared_pool import SharedPool, usable_python
from slurm_engine import Slurm

__all__ = ["containing", "containing_pool", "engine", "tree"]


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool with four cpus, whatever the machine has."""
    with PersonalPool(tmp_path / "pool", cpus=4).running() as made:
        yield made
    check_event_logs(made.work)


@pytest.fixture(scope="module")
def _pool_of_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    with PersonalPool(tmp_path_factory.mktemp("of_file") / "pool", cpus=4).running() as made:
        yield made


@pytest.fixture
def common_pool(_pool_of_file: PersonalPool) -> Iterator[PersonalPool]:
    """A running pool for all tests of a file, which belong to one group of pytest-xdist: its start and end take longer
    than most tests."""
    with _pool_of_file.lent() as pool:
        yield pool
    check_event_logs(pool.work)


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
def _shared_pool() -> Iterator[SharedPool]:
    if os.geteuid() != 0:
        pytest.skip("sharing a pool between accounts needs root")
    usable_python()
    top = Path(tempfile.mkdtemp(prefix="condor_py-shared.", dir="/tmp"))  # another one each time, if this one stays
    top.chmod(0o755)
    made = SharedPool(top / "pool", cpus=2)
    try:
        yield made
    finally:
        made.stop()
        shutil.rmtree(top)


@pytest.fixture
def stopped_shared() -> Iterator[SharedPool]:
    """A pool of root's in a place that everybody may reach; the test starts it itself."""
    with _shared_pool() as made:
        yield made


@pytest.fixture(scope="module")
def _shared_pool_of_file() -> Iterator[SharedPool]:
    with _shared_pool() as made:
        made.start()
        yield made


@pytest.fixture
def common_shared(_shared_pool_of_file: SharedPool) -> Iterator[SharedPool]:
    """Root's pool for all tests of a file, as ``common_pool``; the other account has a directory for each test, too."""
    with _shared_pool_of_file.lent():
        yield _shared_pool_of_file


@pytest.fixture
def shared(stopped_shared: SharedPool) -> SharedPool:
    """The same, and it runs."""
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
