"""Helpers: each request has its answer, whatever the handling of another does, and a helper that cannot be made keeps
no descriptor."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

from condor_py.daemons.common.helper import DIED, Helper
from condor_py.daemons.common.loop import Loop


class Asked:
    """A helper in a loop. Every answer is noted, and then its handling fails."""

    def __init__(self) -> None:
        self.loop, self.faults = Loop(), list[Exception]()
        self.loop.on_fault(self.faults.append)
        self.answers: list[Any] = []

    def then(self, answer: Any, why: str) -> None:
        self.answers.append(answer if answer is not None else why)
        raise RecursionError("too deep")

    def turns_until(self, answers: int) -> None:
        for _ in range(1_000):
            if len(self.answers) == answers:
                return
            self.loop.turn(0.1)
        raise AssertionError(self.answers)


def test_an_answer_that_cannot_be_handled_keeps_no_other() -> None:
    asked = Asked()
    helper = Helper(asked.loop, None, lambda request: 2 * request)
    for number in range(3):
        helper.ask(number, asked.then)
    asked.turns_until(3)
    assert asked.answers == [0, 2, 4]
    assert len(asked.faults) == 3
    assert not helper.busy
    helper.close()


def test_all_requests_of_a_helper_that_dies_are_answered() -> None:
    asked = Asked()
    helper = Helper(asked.loop, None, lambda request: os._exit(1))
    for number in range(3):
        helper.ask(number, asked.then)
    asked.turns_until(3)
    assert asked.answers == [DIED] * 3
    assert not helper.lives


def test_a_helper_that_cannot_be_made_keeps_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", none_left)
    loop = Loop()
    before = os.listdir("/proc/self/fd")
    kept = []
    for _ in range(2):
        with pytest.raises(OSError) as caught:
            Helper(loop, None, str)
        kept.append(caught)  # its traceback refers to the sockets
    assert os.listdir("/proc/self/fd") == before
