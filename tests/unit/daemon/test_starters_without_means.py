"""Starters that the machine cannot give: no descriptor or no process is left."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from condor_py.core.jobs.events import OrderRefused
from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd.gridmanagers import GridManagers
from condor_py.daemons.schedd.links import StartdLink
from condor_py.daemons.schedd.local import LocalStarters
from condor_py.daemons.startd import starters
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import ConfigError
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate, ClaimLost, ClaimRefused, RequestClaim


class Setup:
    """As much of a starter's setup as is read before there is one."""

    claim_id = "LOCAL1#1#1.0"
    slot_name = "slot1"
    slot_ad = ClassAd()

    class settings:
        assign_cpu_affinity = "false"
        tracking_gids = None


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EAGAIN, errno.ENOMEM])
def test_a_starter_that_cannot_be_forked_is_gone_a_moment_later(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fails(*_: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(starters.Launcher, "fork", fails)
    monkeypatch.setattr(starters, "_PAUSE", 0.05)
    loop, told = Loop(), []
    gone: list[tuple[str, int]] = []
    made = starters.Starters(loop, lambda *_: None, lambda *news: gone.append(news), told.append)
    made.fork(Setup())  # type: ignore[arg-type]
    assert told == [f"cannot start a starter: {os.strerror(number)}"]
    assert gone == []
    deadline = time.monotonic() + 60
    while not gone and time.monotonic() < deadline:
        loop.turn(0.1)
    assert gone == [(Setup.claim_id, starters.NOT_STARTED)]
    loop.close()


@pytest.mark.parametrize(("status", "idle"), [(starters.NOT_STARTED, True), (9, False)])
def test_a_job_of_the_schedd_that_never_began_waits_again(tmp_path: Path, status: int, idle: bool) -> None:
    news: list[ClaimLost] = []

    class Inbox:
        @staticmethod
        def news(message: ClaimLost) -> None:
            news.append(message)

    local = LocalStarters.__new__(LocalStarters)
    local._jobs, local._inbox = {"LOCAL1": ("1.0", 1)}, Inbox  # type: ignore[assignment]
    local._gone("LOCAL1", status)
    (lost,) = news
    assert (lost.claim, lost.idle) == ("LOCAL1", idle)
    assert "could not be started" in lost.reason or not idle
    local._gone("LOCAL1", status)
    assert len(news) == 1


def fails(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_a_starter_that_leaves_what_cannot_be_cleared_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starters.process, "kill_family", fails)
    gone: list[tuple[str, int]] = []
    loop = Loop()
    made = starters.Starters(loop, lambda *_: None, lambda *news: gone.append(news), lambda text: None)
    link: Any = SimpleNamespace(drain=lambda: None, close=lambda: None)
    setup: Any = Setup()
    with pytest.raises(OSError, match="Too many open files"):
        made._gone(starters._Starter(Setup.claim_id, 1, setup, link), 9)
    assert gone == [(Setup.claim_id, 9)]
    loop.close()


@pytest.mark.parametrize("stopped", [False, True])
def test_a_starter_that_dies_takes_no_work_of_its_daemon_along(stopped: bool) -> None:
    """Children of the daemon that no starter owns are what is left of a job; those that do its own work are not."""
    loop, told = Loop(), list[Any]()
    made = starters.Starters(loop, lambda *_: None, lambda *_: None, lambda text: None)
    reading, writing = os.pipe()
    errand = Errand(loop, lambda: os.read(reading, 1), lambda *answer: told.append(answer))
    stray = subprocess.Popen(["sleep", "600"])
    assert stray.pid in made._strays()
    assert errand.pid not in made._strays()
    stray.kill()
    if stopped:
        errand.stop()
    else:
        os.write(writing, b"x")
    deadline = time.monotonic() + 60
    while (errand.pid in loop.children() or not (told or stopped)) and time.monotonic() < deadline:
        loop.turn(0.1)
    assert errand.pid not in loop.children()
    assert told == ([] if stopped else [(b"x", "")])
    made.close()
    loop.close()
    os.close(writing)
    os.close(reading)


def test_a_job_of_the_schedd_whose_directory_cannot_be_made_waits_again(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    news, log, due = list[ClaimLost](), list[str](), list[Any]()
    local: Any = LocalStarters.__new__(LocalStarters)
    local._jobs, local._inbox = {}, SimpleNamespace(news=news.append)
    local._log, local._loop = log.append, SimpleNamespace(after=lambda seconds, call: due.append(call))
    local._queue, local._starters = SimpleNamespace(job=lambda job: None), SimpleNamespace()
    local._execute = str(tmp_path / "file" / "execute")
    local._start("LOCAL1", JobId(1, 0), 1, b"")
    assert "Not a directory" in log[0]
    (then,) = due
    then()
    assert [(lost.claim, lost.idle) for lost in news] == [("LOCAL1", True)]


def test_a_job_of_the_schedd_waits_for_a_configuration_that_can_be_read(tmp_path: Path) -> None:
    """It was held, for a mistake of the administrator's, which its reason did not name."""

    def fails(*words: object) -> NoReturn:
        raise ConfigError("STARTER_UPDATE_INTERVAL: 'abc' is not valid", "STARTER_UPDATE_INTERVAL")

    news, log, due = list[ClaimLost](), list[str](), list[Any]()
    local: Any = LocalStarters.__new__(LocalStarters)
    local._jobs, local._inbox = {}, SimpleNamespace(news=news.append)
    local._log, local._loop = log.append, SimpleNamespace(after=lambda seconds, call: due.append(call))
    local._queue, local._starters = SimpleNamespace(job=lambda job: None), SimpleNamespace()
    local._execute, local._setup = str(tmp_path / "execute"), fails
    local._start("LOCAL1", JobId(1, 0), 1, b"")
    assert log == ["cannot start a starter of our own: STARTER_UPDATE_INTERVAL: 'abc' is not valid"]
    (then,) = due
    then()
    assert [(lost.claim, lost.idle) for lost in news] == [("LOCAL1", True)]


def test_a_gridmanager_for_which_no_descriptor_is_left_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socketpair", fails)
    log, due = list[str](), list[float]()
    managers: Any = GridManagers.__new__(GridManagers)
    managers._closing, managers._managers, managers._retries, managers._delays = False, {}, set(), {}
    managers._is_wanted, managers._mark = lambda owner: True, lambda owner: None
    managers._core = SimpleNamespace(grid_jobs=lambda owner: [])
    managers._log = SimpleNamespace(write=log.append)
    managers._loop = SimpleNamespace(after=lambda seconds, call: due.append(seconds))
    managers._start("ann")
    assert "cannot start a gridmanager for ann" in log[0]
    assert len(due) == 1


def test_an_order_that_cannot_be_sent_counts_as_refused() -> None:
    news: list[Any] = []
    link: Any = StartdLink.__new__(StartdLink)
    link._inbox, link._tell = SimpleNamespace(news_at_once=news.append), fails
    orders = Activate("c1", JobId(1, 0), 1), RequestClaim("r1", "slot1", JobId(1, 0), "ann", (), False, ("", False, ""))
    for order in orders:
        with pytest.raises(OSError, match="Too many open files"):
            link.tell(order)
    refused, no_claim = news
    assert isinstance(refused, OrderRefused)
    assert (refused.claim, refused.job) == ("c1", "1.0")
    assert isinstance(no_claim, ClaimRefused)
    assert (no_claim.id, no_claim.fault) == ("r1", False)
