"""A real personal pool for each test: own directories, own daemons, taken down (and checked for orphans) at the end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from container_pool import _containing, containing, engine, tree
from event_logs import check_event_logs
from lending import AnyPool, LendingPool, lending
from pool import PersonalPool
from shared_pool import SharedPool, usable_python
from slurm_engine import Slurm

__all__ = ["_containing", "containing", "engine", "tree"]

#: A daemon that is killed again and again is there again after a second.
_SOON = {"MASTER_BACKOFF_CONSTANT": "1", "MASTER_BACKOFF_CEILING": "1"}
#: Nodes of DAGs keep their claims so many seconds for those that follow, and the next test waits for free slots.
_LENT = {"DAGMAN_HOLD_CLAIM_TIME": "1"}


@pytest.fixture(scope="session")
def _common(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("common") / "pool", cpus=4, **_LENT)) as lender:
        yield lender


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember which tests have failed: their pool may be in any state."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@contextmanager
def _given(lender: LendingPool[AnyPool], request: pytest.FixtureRequest) -> Iterator[AnyPool]:
    """The pool of a worker, for one test; the next gets another one if this one fails."""
    with lender.lent() as pool:
        yield pool
    if _FAILED in request.node.stash:
        lender.stop()
    check_event_logs(pool.work)


@pytest.fixture
def pool(_common: LendingPool[PersonalPool], request: pytest.FixtureRequest) -> Iterator[PersonalPool]:
    """A running pool with four cpus, whatever the machine has: one for all tests of a worker, since its start and end
    take longer than most tests. It is to be left as it was (``LendingPool``)."""
    with _given(_common, request) as pool:
        yield pool


@pytest.fixture(scope="session")
def _common_static(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    knobs = {"NUM_SLOTS": "14", "SLOT_TYPE_0_PARTITIONABLE": "false"}
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("static") / "pool", cpus=14, **knobs)) as lender:
        yield lender


@pytest.fixture
def static_pool(_common_static: LendingPool[PersonalPool], request: pytest.FixtureRequest) -> Iterator[PersonalPool]:
    """A running pool with fourteen static slots of one cpu, as ``pool`` for all tests of a worker. A test that wants
    fewer lets the others start nothing (START) or keeps the negotiator from them (NEGOTIATOR_SLOT_CONSTRAINT)."""
    with _given(_common_static, request) as pool:
        yield pool


@pytest.fixture(scope="session")
def _restarted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    def make() -> PersonalPool:
        return PersonalPool(tmp_path_factory.mktemp("restarted") / "pool", cpus=4, **_SOON)

    with lending(make, lasting=()) as lender:
        yield lender


@pytest.fixture
def restarted(_restarted: LendingPool[PersonalPool], request: pytest.FixtureRequest) -> Iterator[PersonalPool]:
    """As ``pool``, for tests that kill and stop its daemons, or all of it."""
    with _given(_restarted, request) as pool:
        yield pool


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
    top = _open_directory(Path("/tmp"))
    try:
        yield top
    finally:
        shutil.rmtree(top)


def _open_directory(place: Path) -> Path:
    """A new directory in a place, another one each time, that everybody may enter."""
    made = Path(tempfile.mkdtemp(prefix="condor_py-shared.", dir=place))
    made.chmod(0o755)
    return made


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
    with _place_for_all() as top, lending(lambda: SharedPool(_open_directory(top) / "pool", cpus=2, **_LENT)) as lender:
        yield lender


@pytest.fixture
def shared(_common_shared: LendingPool[SharedPool], request: pytest.FixtureRequest) -> Iterator[SharedPool]:
    """Root's pool for all tests of a worker, as ``pool``; the other account has a directory for each test, too."""
    with _given(_common_shared, request) as shared:
        yield shared


@pytest.fixture(scope="session")
def _restarted_shared() -> Iterator[LendingPool[SharedPool]]:
    with _place_for_all() as top:

        def make() -> SharedPool:
            return SharedPool(_open_directory(top) / "pool", cpus=2, **_SOON)

        with lending(make, lasting=()) as lender:
            yield lender


@pytest.fixture
def restarted_shared(
    _restarted_shared: LendingPool[SharedPool], request: pytest.FixtureRequest
) -> Iterator[SharedPool]:
    """As ``shared``, for tests that kill and stop its daemons."""
    with _given(_restarted_shared, request) as shared:
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
