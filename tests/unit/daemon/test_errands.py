"""Work in children: what becomes of it when its daemon stops it, or dies."""

from __future__ import annotations

import errno
import os
import pickle
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop


def _work(path: Path) -> str:
    """Begins, waits until it may end, and ends."""
    (path / "begun").touch()
    until = time.monotonic() + 20
    while not (path / "may_end").exists() and time.monotonic() < until:
        time.sleep(0.01)
    (path / "ended").touch()
    return "done"


def _wait(path: Path) -> None:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until, f"there is no {path.name}"
        time.sleep(0.01)


def test_work_is_told_of_when_it_ends(tmp_path: Path) -> None:
    loop, told = Loop(), list[tuple[Any, str]]()
    (tmp_path / "may_end").touch()
    Errand(loop, lambda: _work(tmp_path), lambda result, why: told.append((result, why)))
    while not told:
        loop.turn(1)
    assert told == [("done", "")]


def test_work_that_fails_tells_why() -> None:
    loop, told = Loop(), list[tuple[Any, str]]()
    Errand(loop, lambda: 1 // 0, lambda result, why: told.append((result, why)))
    while not told:
        loop.turn(1)
    assert told == [(None, "ZeroDivisionError: integer division or modulo by zero")]


@pytest.mark.parametrize("lasting", [False, True])
def test_work_that_is_stopped_is_killed_unless_it_lasts(tmp_path: Path, lasting: bool) -> None:
    loop, told = Loop(), list[Any]()
    loop.watch_children()
    errand = Errand(loop, lambda: _work(tmp_path), lambda *answer: told.append(answer), lasting=lasting)
    _wait(tmp_path / "begun")
    errand.stop()
    (tmp_path / "may_end").touch()
    os.waitpid(errand.pid, 0)
    assert (tmp_path / "ended").exists() is lasting
    assert told == []


@pytest.mark.parametrize("lasting", [False, True])
def test_work_of_a_daemon_that_dies_ends_with_it_unless_it_lasts(tmp_path: Path, lasting: bool) -> None:
    reading, writing = os.pipe()
    daemon = os.fork()
    if not daemon:
        Errand(Loop(), lambda: _work(tmp_path), lambda result, why: None, lasting=lasting)
        _wait(tmp_path / "begun")
        os._exit(0)
    os.close(writing)
    os.waitpid(daemon, 0)
    if lasting:
        (tmp_path / "may_end").touch()
        _wait(tmp_path / "ended")
    else:
        assert os.read(reading, 1) == b""  # the last process that has the other end has ended
        assert not (tmp_path / "ended").exists()
    os.close(reading)


def _fails(*_: Any) -> NoReturn:
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


@pytest.mark.parametrize("call", ["fork", "pipe"])
def test_work_without_a_child_tells_why_and_keeps_no_descriptor(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    loop, told = Loop(), list[tuple[Any, str]]()
    before = os.listdir("/proc/self/fd")
    monkeypatch.setattr(os, call, _fails)
    errand = Errand(loop, lambda: 1, lambda result, why: told.append((result, why)))
    assert told == [], "whoever asked for it may still have to note that it runs"
    assert os.listdir("/proc/self/fd") == before
    loop.turn(1)
    assert told == [(None, "no process can be started: Resource temporarily unavailable")]
    errand.stop()
    Errand(loop, lambda: 1, lambda result, why: told.append((result, why))).stop()
    loop.turn(0)
    assert len(told) == 1


@pytest.mark.parametrize("fault", [AttributeError, IndexError, pickle.UnpicklingError])
def test_what_a_child_leaves_half_written_counts_as_its_death(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def half(data: bytes) -> NoReturn:
        raise fault

    monkeypatch.setattr(pickle, "loads", half)
    loop, told = Loop(), list[tuple[Any, str]]()
    Errand(loop, lambda: 1, lambda result, why: told.append((result, why)))
    while not told:
        loop.turn(1)
    assert told == [(None, "the child died")]
