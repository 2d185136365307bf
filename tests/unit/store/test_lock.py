"""The lock of writers: one at a time, whoever they are and whatever happens to the file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.model.errors import LockTimeout, StoreError
from condor_py.store.lock import QueueLock

ROOT = Path(__file__).resolve().parents[3]


def test_one_at_a_time_and_who_waits_in_vain_is_told_for_whom(tmp_path: Path) -> None:
    first, second = (QueueLock(str(tmp_path / "log.lock")) for _ in range(2))
    first.acquire(1)
    first.acquire(1)  # one process may enter again
    with pytest.raises(LockTimeout, match=rf"log.lock is still locked by pid {os.getpid()} \(.+\) after 0.01 seconds"):
        second.acquire(0.01)
    first.release()
    assert first.held
    with pytest.raises(LockTimeout):
        second.acquire(0)
    first.release()
    second.acquire(0)
    second.release()
    assert (tmp_path / "log.lock").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_taken_away_locks_nobody_out_and_lets_no_two_in(tmp_path: Path) -> None:
    path = tmp_path / "log.lock"
    first, second, third = (QueueLock(str(path)) for _ in range(3))
    first.acquire(1)
    path.unlink()
    second.acquire(1)
    first.release()
    with pytest.raises(LockTimeout):
        third.acquire(0.01)
    second.release()


def test_a_child_neither_keeps_nor_ends_the_lock_of_its_parent(tmp_path: Path) -> None:
    lock, other = (QueueLock(str(tmp_path / "log.lock")) for _ in range(2))
    lock.acquire(1)
    wake, go = os.pipe()
    child = os.fork()
    if not child:
        lock.__del__()
        os.close(go)
        os.read(wake, 1)
        os._exit(0)
    with pytest.raises(LockTimeout):
        other.acquire(0.01)
    lock.release()
    other.acquire(0)  # although the child has the file open
    other.release()
    os.close(go)
    assert os.waitpid(child, 0)[1] == 0


def test_a_quota_that_is_told_when_the_file_closes_keeps_nobody_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As NFS does with what was written before."""
    close = os.close

    def complain(handle: int) -> None:
        close(handle)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    first, second = (QueueLock(str(tmp_path / "log.lock")) for _ in range(2))
    first.acquire(1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "close", complain)
        first.release()
    assert not first.held
    second.acquire(0)
    second.release()


def test_a_spool_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot lock the spool"):
        QueueLock(str(tmp_path / "none" / "log.lock")).acquire(1)


@pytest.mark.parametrize(
    "kept",
    [
        "from condor_py.store.lock import QueueLock; kept = QueueLock(PATH)",
        "from condor_py.store.lock import QueueLock; kept = QueueLock(PATH); kept.acquire(1)",
        "from condor_py.store.job_queue import JobQueue; kept = JobQueue(PATH)",
        "from condor_py.store.history import HistoryWriter; kept = HistoryWriter(PATH)",
    ],
)
def test_the_end_of_the_interpreter_is_silent(kept: str, tmp_path: Path) -> None:
    """A program may keep what is only taken apart when all modules are gone."""
    path = str(tmp_path / "log")
    program = f"import codecs, sys, types; sys.path.insert(0, {str(ROOT)!r}); PATH = {path!r}\n"
    program += "early = sys.modules['early'] = types.ModuleType('early')\n"  # of modules the last is emptied first
    program += f"{kept}\nearly.kept = kept; late = [*sys.modules.values()]\n"
    program += "codecs.register(lambda name, late=late: None)"  # which the interpreter lets go after all modules
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
