"""The lock of a daemon: one holder, whose pid everybody may read, and which nobody else can take."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from condor_py.client import lockfile
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


def test_a_process_that_proc_hides_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hidepid=2 an ordinary account saw no daemon of the machine's pool."""
    ended = subprocess.Popen(["true"])
    ended.wait()

    def hidden(*_: object) -> object:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", hidden)
    assert lockfile.lives(str(os.getpid()))
    assert not lockfile.lives(str(ended.pid))

    def refuses(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuses)
    assert lockfile.lives(str(ended.pid)), "it is somebody else's"
    monkeypatch.undo()
    assert not lockfile.lives("9" * 30)
