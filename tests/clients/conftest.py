"""Personal pools for client programs."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "e2e")]

from client_pool import ClientPool, interpreter
from lending import LendingPool, lending
from pool import PersonalPool, wait_for


@pytest.fixture(scope="session")
def _of_clients() -> Iterator[LendingPool[ClientPool]]:
    """Its directory has a short name: multiprocessing makes sockets in TMPDIR, which is the job's scratch directory."""
    if os.environ.get("CONDOR_PY_CLIENTS") == "0":
        pytest.skip("CONDOR_PY_CLIENTS=0 leaves out the client programs")
    installed, failed = _HERE / ".venv" / "installed", _HERE / ".venv" / "failed"
    if os.environ.get("CONDOR_PY_CLIENTS_COMING"):
        wait_for(lambda: installed.exists() or failed.exists(), "tests/clients/install ends", 600)
    if not interpreter().exists() or failed.exists():
        pytest.skip("the client programs are not installed: run tests/clients/install")
    with (
        tempfile.TemporaryDirectory(prefix="condor-") as directory,
        lending(lambda: ClientPool(Path(directory, "pool"), cpus=4)) as lender,
    ):
        yield lender


@pytest.fixture
def clients(_of_clients: LendingPool[ClientPool]) -> Iterator[ClientPool]:
    """A running pool of four cpus whose tools the client programs find: one for all tests."""
    with _of_clients.lent() as clients:
        yield clients


@pytest.fixture(scope="session")
def _of_readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("readers") / "pool", cpus=4)) as lender:
        yield lender


@pytest.fixture
def pool(_of_readers: LendingPool[PersonalPool]) -> Iterator[PersonalPool]:
    """A running pool of four cpus: one for all tests of a worker."""
    with _of_readers.lent() as pool:
        yield pool
