"""Large trees do not keep a daemon waiting."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest
from hanging import HangingDirectory

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import Remover


@pytest.mark.parametrize("patience", [60.0, -1.0])
def test_a_tree_is_gone_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float) -> None:
    monkeypatch.setattr("condor_py.daemons.common.remover._PATIENCE", patience)
    loop = Loop()
    loop.watch_children()
    told: list[str] = []
    for number in range(200):
        (tmp_path / "top" / str(number)).mkdir(parents=True)
    Remover(loop, told.append).take_away(str(tmp_path / "top"))
    assert not (tmp_path / "top").exists()
    if patience < 0:
        assert "is large: process" in told.pop()
        deadline = time.monotonic() + 30
        while os.listdir(tmp_path) and time.monotonic() < deadline:
            loop.turn(0.1)
        while loop.children() and time.monotonic() < deadline:  # it is waited for
            loop.turn(0.1)
        assert not loop.children()
    assert not told
    assert os.listdir(tmp_path) == []
    loop.close()


@pytest.mark.parametrize("place", ["it", "in it"])
def test_a_file_system_in_a_tree_that_does_not_answer_keeps_nobody_waiting(
    tmp_path: Path, hanging: HangingDirectory, place: str
) -> None:
    """Whoever owns a directory may mount one there."""
    loop = Loop()
    loop.watch_children()
    hanging.hang()
    told: list[str] = []
    remover = Remover(loop, told.append)
    remover.take_away(str(hanging.path if place == "it" else hanging.path.parent))
    (tmp_path / "other").mkdir()
    remover.take_away(str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()
    assert loop.children(), "it is another's work"
    hanging.answer()
    deadline = time.monotonic() + 30
    while loop.children() and time.monotonic() < deadline:
        loop.turn(0.1)
    assert not loop.children()
    loop.close()


def test_what_cannot_be_removed_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    loop = Loop()
    Remover(loop, told.append).take_away(str(tmp_path / "nothing"))
    Remover(loop, told.append).take_away("/proc/self")
    assert len(told) == 1
    assert told[0].startswith("cannot remove /proc/self: ")
    loop.close()


def test_what_a_bad_disk_keeps_is_removed_when_it_is_well(
    hanging: HangingDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("condor_py.daemons.common.remover._PAUSE", 0.05)
    loop = Loop()
    loop.watch_children()
    told: list[str] = []
    ended, used = (hanging.backing / f"dir_{pid}" for pid in (2**30, os.getpid()))
    for path in (ended, used):
        path.mkdir()
        (path / "file").touch()
    remover = Remover(loop, told.append)
    hanging.fail(errno.ESTALE, permille=1000)
    for path in (ended, used):
        remover.take_away(str(hanging.path / path.name))
    for _ in range(20):
        loop.turn(0.05)
    assert [line.partition(": ")[2] for line in told] == ["Stale file handle"] * 2, "it is tried in silence"
    hanging.answer()
    deadline = time.monotonic() + 30
    while ended.exists() and time.monotonic() < deadline:
        loop.turn(0.1)
    assert not ended.exists()
    assert used.exists(), "a process has its number now"
    loop.close()
