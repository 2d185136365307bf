"""What the files of the store rest upon: calls of the kernel, locks, the compiled reader."""

from __future__ import annotations

import errno
import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from noting import Noting

from condor_py.model import later
from condor_py.model.errors import LockTimeout
from condor_py.store import lock as lock_module
from condor_py.store import logreader, logreader_py, stored_ad
from condor_py.store.fs import RealFs, describe, replace_file
from condor_py.store.lock import QueueLock

# locks


def test_who_waits_gets_in_when_the_other_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (QueueLock(str(tmp_path / "lock")) for _ in range(2))
    first.acquire(0)
    monkeypatch.setattr("condor_py.store.lock.time.sleep", lambda _: first.release())
    second.acquire(60)
    assert (first.held, second.held) == (False, True)
    second.release()


def test_the_record_of_a_lock_is_one_line_of_fixed_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("x" * 500, "é" * 500, ""):
        monkeypatch.setattr(lock_module, "_command", lambda pid, command=command: command)
        lock = QueueLock(str(tmp_path / "lock"))
        lock.acquire(0)
        record = (tmp_path / "lock").read_bytes()
        assert (len(record), record[-1:], record.count(b"\n")) == (160, b"\n", 1)
        assert record.startswith(f"{os.getpid()} {command[:20]}".encode())
        lock.release()


def test_what_cannot_be_locked_is_told() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        lock_module._locked(1 << 20)


def test_a_lock_that_nobody_can_leave_any_more_is_left(tmp_path: Path) -> None:
    lost, other, third = (QueueLock(str(tmp_path / "lock")) for _ in range(3))
    lost.acquire(0)
    with pytest.raises(LockTimeout):
        other.acquire(0)
    del lost
    other.acquire(0)
    other.release()
    third.acquire(0)
    del other  # what was left already is not left again
    assert third.held
    with pytest.raises(LockTimeout):
        QueueLock(str(tmp_path / "lock")).acquire(0)
    third.release()


# readers


def test_the_compiled_reader_is_in_use_where_it_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONDOR_PY_NO_EXT", raising=False)
    assert logreader._load()[1] == (find_spec("condor_py.store._logreader") is not None)
    monkeypatch.setenv("CONDOR_PY_NO_EXT", "1")
    assert logreader._load() == (logreader_py, False)
    monkeypatch.delenv("CONDOR_PY_NO_EXT")
    monkeypatch.setattr(later, "loaded", lambda name: __import__("condor_py.no_such_module"))
    assert logreader._load() == (logreader_py, False)


def test_what_the_lines_of_an_ad_delete() -> None:
    assert stored_ad.deleted(b"104 1.0 Foo\n103 1.0 A 1\n") == [("foo", "Foo")]
    assert stored_ad.deleted(b"103 1.0 A 1\n104 1.0 Foo\n104 1.0 JobPreparingTasks\n") == [("foo", "Foo")]
    assert stored_ad.deleted(b"104 1.0 JobPreparingTasks\n103 1.0 A 104 \n") == []
    assert stored_ad.deleted(b"103 1.0 A 1\n104 1.0 JobPreparingTasks\n") == []


# file systems


def test_only_a_directory_is_synced_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        RealFs().sync_dir(str(tmp_path / "file"))
    assert describe(OSError("odd"), "cannot do it", "f") == "cannot do it: odd: f"


def test_a_write_that_the_kernel_cuts_short_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:7]))
    replace_file(RealFs(), str(tmp_path / "x"), bytes(range(100)), 0o644, durable=False)
    assert (tmp_path / "x").read_bytes() == bytes(range(100))


def test_what_is_to_last_is_given_to_the_kernel_to_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    for name in ("fdatasync", "fsync"):
        call = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda handle, call=call: (synced.append(os.readlink(f"/proc/self/fd/{handle}")), call(handle))
        )
    replace_file(RealFs(), str(tmp_path / "x"), b"new", 0o644, durable=True)
    assert synced == [str(tmp_path / f"x.tmp{os.getpid()}"), str(tmp_path)]


def test_a_file_that_cannot_be_replaced_stays_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    for call in ("write", "sync"):
        with pytest.raises(OSError, match="No space left"):
            replace_file(Noting(**{call: errno.ENOSPC}), str(tmp_path / "x"), b"new", 0o644, durable=True)
        assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]
