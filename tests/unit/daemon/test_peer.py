"""Connections between daemons that come again, whatever has failed."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from condor_py.client import wire
from condor_py.daemons.common.link import Listener
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd.peer import PeerLink
from condor_py.model.messages.claims import FROM_STARTD
from condor_py.model.messages.codec import Refused


class Both:
    """Both ends of a connection, in one loop."""

    def __init__(self, path: str) -> None:
        self.loop, self.faults = Loop(), list[Exception]()
        self.loop.on_fault(self.faults.append)
        self.listener = Listener(
            self.loop, path, lambda *_: None, complain=lambda text: None, hears=FROM_STARTD, is_public=True
        )
        self.ups = 0
        self.peer = PeerLink(self.loop, path, FROM_STARTD, lambda *_: None, self.up, self.down)

    def up(self) -> None:
        self.ups += 1

    def down(self) -> None:
        raise RecursionError("what follows the end of a connection fails")

    def turns_until_up(self, times: int) -> None:
        for _ in range(1_000):
            if self.ups == times and self.listener.links:
                return
            self.loop.turn(0.05)
        raise AssertionError(self.ups)


@pytest.fixture
def both(tmp_path: Path) -> Both:
    return Both(str(tmp_path / "sock"))


def test_it_comes_again_though_its_end_could_not_be_handled(both: Both) -> None:
    both.turns_until_up(1)
    for link in list(both.listener.links):
        link.close()
    both.turns_until_up(2)
    assert len(both.faults) == 1


def test_it_comes_again_when_there_are_descriptors_again(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Any] = []

    def none_left(*words: Any) -> NoReturn:
        tries.append(words)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as short:
        short.setattr(wire._socket, "socket", none_left)
        while len(tries) < 3:
            both.loop.turn(1)
    both.turns_until_up(1)
    assert not both.faults


def test_a_file_that_cannot_be_closed_takes_no_end_of_a_connection_along(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    both.turns_until_up(1)
    (link,) = both.listener.links
    mine, other = socket.socketpair()
    link.send(Refused("no"), descriptor=mine.detach())
    whole = os.close

    def full(descriptor: int) -> None:
        whole(descriptor)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "close", full)
    link.close()
    assert not both.listener.links, "its owner has heard of the end"
    other.close()
