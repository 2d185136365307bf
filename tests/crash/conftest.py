"""Pools for crash tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "e2e")]

from faultfs import BLOCK
from pool import PersonalPool

from condor_py.store import adlog


@pytest.fixture(autouse=True)
def small_sectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system that loses what was not synced has sectors of its own size."""
    monkeypatch.setattr(adlog, "SECTOR", BLOCK)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool with four cpus whose master restarts what dies at once."""
    made = PersonalPool(tmp_path / "pool", cpus=4, MASTER_BACKOFF_CONSTANT="0", MASTER_BACKOFF_FACTOR="0.01")
    made.start()
    try:
        yield made
    finally:
        made.stop()


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
