"""Events that wait on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
