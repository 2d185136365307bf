"""Starters are children of the daemon that asks for them, have nothing of it open, and come whatever their launcher
does."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from apart import apart
from pool import wait_for

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter import launcher
from condor_py.daemons.starter.launcher import Launcher
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings


class Fake:
    """A starter that says what it has open, and exits with the number of its slot."""

    def __init__(self, setup: StarterSetup, sock: socket.socket) -> None:
        if setup.slot_name == "bad":
            raise OSError("no room")
        self._slot, self._sock = int(setup.slot_name), sock

    def serve(self) -> int:
        names = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
        files = [os.readlink(name) for name in names if os.path.exists(name)]
        ignored = signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        self._sock.sendall(f"{os.getppid()} {os.nice(0)} {ignored} {' '.join(files)}\n".encode())
        return self._slot


def setup_of(slot: str, niceness: int = 0) -> StarterSetup:
    log = LogSettings("/nowhere/log")
    settings = StarterSettings("/e")
    return StarterSetup("c", slot, ClassAd(), "/e", "", "here", "here", (), log, settings, niceness=niceness)


def launcher_of(log: list[str]) -> Launcher:
    """One that has been forked."""
    loop = Loop()
    made = Launcher(loop, log.append)
    loop.turn(0)
    return made


def status_of(made: tuple[int, socket.socket]) -> tuple[str, int]:
    """All that a starter has said, and its exit status."""
    pid, sock = made
    with sock, sock.makefile() as lines:
        return lines.read(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(launcher, "StarterDaemon", Fake)
    monkeypatch.setattr(launcher, "_PATIENCE", 300.0)
    return []


@apart
def test_a_starter_is_our_child_and_keeps_none_of_our_files(log: list[str], tmp_path: Path) -> None:
    with open(tmp_path / "of-the-startd", "w"):
        made = launcher_of(log)
        for slot in (3, 4):
            with open(tmp_path / "opened-later", "w"):
                said, status = status_of(made.fork(setup_of(str(slot), niceness=2)))
            parent, nice, ignored, *files = said.split()
            assert (status, int(nice), ignored) == (slot, min(19, os.nice(0) + 2), "True")
            # Until the process between them has ended it is the parent; it ends soon after the answer.
            if int(parent) != os.getpid():
                wait_for(lambda parent=parent: not os.path.exists(f"/proc/{parent}"), "the process between has ended")
            assert not [name for name in files if name.startswith(str(tmp_path))]
            assert len([name for name in files if name.startswith("socket:")]) == 1
    assert log == []


@apart
def test_a_launcher_that_was_killed_or_stands_still_is_replaced(log: list[str]) -> None:
    made = launcher_of(log)
    for number in (signal.SIGKILL, signal.SIGSTOP):
        os.kill(made._pid, number)
        if number == signal.SIGKILL:
            os.waitpid(made._pid, 0)
        else:
            assert made._sock is not None
            made._sock.settimeout(1.0)
        assert status_of(made.fork(setup_of("5")))[1] == 5
    assert [line.partition("(pid")[0] for line in log] == ["The launcher of starters "] * 2
    assert all("another replaces it" in line for line in log)


@apart
def test_a_starter_that_cannot_begin_says_why(log: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "err", "w") as err, open(2, "w", closefd=False) as standard_error:
        os.dup2(err.fileno(), 2)
        monkeypatch.setattr(sys, "stderr", standard_error)
        pid, sock = launcher_of(log).fork(setup_of("bad"))
        assert status_of((pid, sock)) == ("", 1)
    assert (tmp_path / "err").read_text() == f"condor_starter {pid}: OSError: no room\n"


@apart
def test_no_starter_comes_where_no_process_can_be_made(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    forks = os.fork
    monkeypatch.setattr(os, "fork", fails)
    made = launcher_of(log)
    with pytest.raises(OSError, match="temporarily unavailable"):
        made.fork(setup_of("6"))
    monkeypatch.setattr(os, "fork", forks)
    assert status_of(made.fork(setup_of("6")))[1] == 6, "it is tried again"
    os.kill(made._pid, signal.SIGKILL)
    monkeypatch.setattr(os, "fork", fails)
    with pytest.raises(OSError, match="temporarily unavailable"):
        made.fork(setup_of("6"))


@apart
def test_a_launcher_in_which_nothing_can_be_forked_says_so(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    made = launcher_of(log)
    with socket.socketpair()[0]:
        ours, theirs = socket.socketpair()
        made._sock = ours
        theirs.sendall(launcher._ANSWER.pack(-errno.EAGAIN))
        with pytest.raises(BlockingIOError, match="temporarily unavailable"):
            made.fork(setup_of("7"))
    assert log == [], "it has answered"


@apart
def test_the_launcher_ends_when_the_daemon_lets_go(log: list[str]) -> None:
    made = launcher_of(log)
    os.kill(made._pid, signal.SIGTERM)
    assert status_of(made.fork(setup_of("8")))[1] == 8, "only the end of the connection ends it"
    made.close()
    assert os.waitpid(made._pid, 0)[1] == 0
