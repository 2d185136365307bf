"""Starters that the machine cannot give: no descriptor or no process is left."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd.local import LocalStarters
from condor_py.daemons.startd import starters
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.claims import ClaimLost


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
