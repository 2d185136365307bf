"""The lock of a daemon: one holder, whose pid everybody may read, and which nobody else can take."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from condor_py.client.lockfile import AlreadyRunning, take_lock


def test_whoever_may_read_who_holds_a_lock_cannot_hold_it(tmp_path: Path) -> None:
    path = str(tmp_path / "schedd.lock")
    held = take_lock(path, 0.0)
    assert int(Path(path).read_text()) == os.getpid()
    with pytest.raises(AlreadyRunning, match=f"is held by process {os.getpid()}"):
        take_lock(path, 0.0)
    os.close(held)
    readable = [entry for entry in tmp_path.iterdir() if entry.stat().st_mode & 0o077]
    assert readable == [tmp_path / "schedd.lock"]
    with open(path) as mine:
        fcntl.flock(mine, fcntl.LOCK_EX)
        os.close(take_lock(path, 0.0))
