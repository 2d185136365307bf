"""A file that is watched by its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.watch import FileWatch


@pytest.mark.parametrize("is_open", [False, True])
def test_a_file_that_was_replaced_is_told_once_and_watched_on(tmp_path: Path, is_open: bool) -> None:
    """Also while somebody has the old one open."""
    path, new = tmp_path / "log", tmp_path / "new"
    path.write_text("old")
    loop, told = Loop(), list[int]()
    FileWatch(loop, str(path), lambda: told.append(1))
    with path.open() if is_open else new.open("w"):
        new.write_text("new")
        os.replace(new, path)
        for _ in range(10):
            loop.turn(0.001)
        assert 1 <= len(told) <= 2
        told.clear()
        path.write_text("more")
        loop.turn()
        assert told


def test_a_watch_says_whether_it_works_and_begins_when_the_file_is_there(tmp_path: Path) -> None:
    """Whoever is not told of changes has to look."""
    path, loop, told = tmp_path / "log", Loop(), list[int]()
    watch = FileWatch(loop, str(path), lambda: told.append(1))
    assert not watch.works
    path.write_text("new")
    assert watch.works
    path.write_text("more")
    loop.turn()
    assert told
