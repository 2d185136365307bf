"""Directories of a pool are on the medium before anything in them is promised to be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.store.event_log import append
from condor_py.store.fs import RealFs, make_pool_directory


def test_the_names_of_new_directories_are_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(RealFs, "sync_dir", lambda _, path: flushed.append(os.path.relpath(path, tmp_path)))
    make_pool_directory(str(tmp_path / "pool" / "spool"))
    assert sorted(flushed) == [".", "pool"]
    make_pool_directory(str(tmp_path / "pool" / "spool"))
    assert sorted(flushed) == [".", "pool"]


def test_the_name_of_a_new_event_log_is_flushed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(RealFs, "sync_dir", lambda _, path: flushed.append(os.path.relpath(path, tmp_path)))
    for durable in (True, True, False):
        append(str(tmp_path / "job.log"), ["000 (001.000.000) 2026-11-21 07:15:18 x\n...\n"], durable=durable)
    append(str(tmp_path / "other.log"), ["000 (001.000.000) 2026-11-21 07:15:18 x\n...\n"])
    assert flushed == ["."]
