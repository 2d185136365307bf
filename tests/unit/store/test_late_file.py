"""Events that wait on disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.fs import RealFs
from condor_py.store.late_file import LateEvent, LateFiles


def test_a_new_file_is_on_the_medium_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []

    def of_handle(_: RealFs, handle: int) -> None:
        flushed.append(os.path.relpath(os.readlink(f"/proc/self/fd/{handle}"), tmp_path))

    monkeypatch.setattr(RealFs, "sync", of_handle)
    monkeypatch.setattr(RealFs, "sync_dir", lambda _, path: flushed.append(os.path.relpath(path, tmp_path)))
    files = LateFiles(str(tmp_path / "late"))
    event = LateEvent("/a.log", JobId(1, 0), 5, "005 ...\n")
    files.add("al", [event])
    assert flushed == ["late/616c.events", "late", "."]
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in flushed[:2]] == [0o600, 0o700]
    flushed.clear()
    files.add("al", [event])
    assert flushed == ["late/616c.events"]
    flushed.clear()
    files.replace("al", [event])
    assert flushed[0].startswith("late/616c.events.tmp")
    assert flushed[1:] == ["late"]
    assert [*files.read()] == [("al", [event])]


def _event(path: str, number: int) -> LateEvent:
    return LateEvent(path, JobId(1, number), 5, f"005 (1.{number})\n")


def test_what_was_written_to_a_log_is_late_no_more(tmp_path: Path) -> None:
    """A schedd that dies leaves a file of lines; the next one has the events that none of them tells as written."""
    files = LateFiles(str(tmp_path / "late"))
    sizes = [files.add("al", [_event("/a", 0), _event("/b", 1), _event("/a", 2), _event("/a", 3)])]
    sizes.append(files.done("al", "/a", 2))
    sizes.append(files.add("al", [_event("/b", 4)]))
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == (tmp_path / "late/616c.events").stat().st_size
    files.done("al", "/none", 1)
    (tmp_path / "late/odd.events").write_text("")
    (tmp_path / "late/616c").write_text("")
    again = LateFiles(str(tmp_path / "late"))
    assert [*again.read()] == [("al", [_event("/a", 3), _event("/b", 1), _event("/b", 4)])]
    assert again.done("al", "/a", 1) == (tmp_path / "late/616c.events").stat().st_size
    again.replace("al", [])
    assert [*again.read()] == []
    assert again.add("al", []) == 0


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[" * 100_000,
        b"[1, 2]",
        b'["/a"]',
        b'["/a", "b"]',
        b'["/a", 1, 0, 5, 6]',
        b"\xff\xfe",
        b'["/a", 1, 0, 5, "torn',
    ],
)
def test_a_damaged_line_costs_itself(tmp_path: Path, line: bytes) -> None:
    files = LateFiles(str(tmp_path))
    files.add("al", [_event("/a", 0)])
    with open(tmp_path / "616c.events", "ab") as file:
        file.write(line + b"\n")
    files.add("al", [_event("/a", 1)])
    assert [*LateFiles(str(tmp_path)).read()] == [("al", [_event("/a", 0), _event("/a", 1)])]


def test_a_line_that_a_crash_tore_spoils_no_line_after_it(tmp_path: Path) -> None:
    """The next schedd appends to the same file."""
    LateFiles(str(tmp_path)).add("al", [_event("/a", 0)])
    with open(tmp_path / "616c.events", "ab") as file:
        file.write(b'["/a", 1, 0, 5, "torn')
    LateFiles(str(tmp_path)).add("al", [_event("/a", 1)])
    assert [*LateFiles(str(tmp_path)).read()] == [("al", [_event("/a", 0), _event("/a", 1)])]


@pytest.mark.parametrize("whole", [False, True])
def test_nothing_stays_of_what_a_full_disk_has_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    """It is tried again as a whole: an event that stayed would be there twice, and half of one spoilt the next."""
    write = RealFs.write

    def fails(fs: RealFs, handle: int, data: bytes) -> None:
        write(fs, handle, data[: len(data) if whole else 20])
        raise OSError(errno.ENOSPC, "No space left on device")

    files, events = LateFiles(str(tmp_path)), [_event("/a", 1), _event("/a", 2)]
    files.add("al", [_event("/a", 0)])
    with monkeypatch.context() as full:
        full.setattr(RealFs, "write", fails)
        with pytest.raises(StoreError, match="o space left"):
            files.add("al", events)
    files.add("al", events)
    assert [*LateFiles(str(tmp_path)).read()] == [("al", [_event("/a", 0), *events])]


def test_what_cannot_be_kept_or_read_is_named(tmp_path: Path) -> None:
    assert [*LateFiles(str(tmp_path / "none")).read()] == []
    (tmp_path / "late").write_text("")
    files = LateFiles(str(tmp_path / "late"))
    with pytest.raises(StoreError, match="cannot read the late events"):
        [*files.read()]
    with pytest.raises(StoreError, match="cannot keep late events"):
        files.add("al", [_event("/a", 0)])
    with pytest.raises(StoreError, match="cannot keep late events"):
        files.replace("al", [_event("/a", 0)])
    (tmp_path / "616c.events").mkdir()
    with pytest.raises(StoreError, match=r"cannot read the late events.*616c\.events"):
        [*LateFiles(str(tmp_path)).read()]
