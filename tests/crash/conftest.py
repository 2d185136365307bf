"""Pools for crash tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "e2e")]

from faultfs import BLOCK
from pool import PersonalPool, wait_for

from condor_py.store import adlog


@pytest.fixture(autouse=True)
def small_sectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system that loses what was not synced has sectors of its own size."""
    monkeypatch.setattr(adlog, "SECTOR", BLOCK)


class KilledPool:
    """One pool for one test after the other, whose daemons they kill; its master restarts at once what dies.

    Each test has a work directory and a history of its own, and finds an empty queue and daemons that serve. After a
    test that leaves something else the next one gets a new pool.
    """

    def __init__(self, make: Callable[[], PersonalPool]) -> None:
        self._make = make
        self._pool: PersonalPool | None = None

    @contextmanager
    def lent(self) -> Iterator[PersonalPool]:
        """Give the pool to a test."""
        pool = self._pool or self._started()
        pool.work = Path(tempfile.mkdtemp(dir=pool.directory, prefix="work."))
        pool.first_cluster = pool.read_queue().next_cluster
        self._pool = None
        yield pool
        try:
            pool.tool("condor_rm", "-all", check=False)
            wait_for(lambda: not pool.read_queue().clusters(), "the queue is empty")
            wait_for(lambda: not pool.starters() and pool.ready(), "every slot is free, and every daemon serves")
        except BaseException:
            pool.stop()
            raise
        self._pool = pool

    def _started(self) -> PersonalPool:
        pool = self._make()
        try:
            pool.start()
        except BaseException:
            pool.stop()
            raise
        return pool

    def stop(self) -> None:
        """Stop the pool that is there."""
        if self._pool is not None:
            self._pool.stop()


@pytest.fixture(scope="module")
def _killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KilledPool]:
    knobs = {"MASTER_BACKOFF_CONSTANT": "0", "MASTER_BACKOFF_FACTOR": "0.01"}
    lender = KilledPool(lambda: PersonalPool(tmp_path_factory.mktemp("killed") / "pool", cpus=4, **knobs))
    yield lender
    lender.stop()


@pytest.fixture
def pool(_killed: KilledPool) -> Iterator[PersonalPool]:
    """A running pool with four cpus whose master restarts what dies at once: one for all tests of a file, since its
    start and end take longer than most of them."""
    with _killed.lent() as pool:
        yield pool


def _mount(directory: Path, *options: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, str(directory)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a small file system here: {done.stderr.strip()}")


@pytest.fixture
def small_spool(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool whose spool is a file system of 2 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    made = PersonalPool(tmp_path / "pool", cpus=2)
    _mount(made.spool, "-t", "tmpfs", "-o", "size=2m,mode=755", "tmpfs")
    try:
        made.start()
        yield made
    finally:
        made.stop()
        subprocess.run(["umount", "--lazy", str(made.spool)], check=True)


@pytest.fixture
def read_only_spool(tmp_path: Path) -> Iterator[PersonalPool]:
    """Directories of a pool that does not run and whose spool cannot be written."""
    made = PersonalPool(tmp_path / "pool", cpus=2)
    made.tool("condor_submit", "-dry-run", "/dev/null", "-", stdin="executable = /bin/true\nqueue\n")
    made.spool.mkdir(parents=True)
    if os.geteuid() == 0:
        _mount(made.spool, "-t", "tmpfs", "-o", "size=1m,ro,mode=755", "tmpfs")
    else:
        made.spool.chmod(0o500)
    try:
        yield made
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", "--lazy", str(made.spool)], check=True)
        else:
            made.spool.chmod(0o700)
