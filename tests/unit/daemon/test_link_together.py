"""Messages that may wait a moment leave with the next one: who listens wakes up once for both."""

from __future__ import annotations

import socket
import time

from condor_py.access.wire import Decoder
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.loop import Loop
from condor_py.model.messages.codec import Message, Vocabulary

LONG = 30.0


class Word(Message, op="word"):
    text: str


def connected(loop: Loop) -> tuple[Link, socket.socket]:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    return Link(loop, ours, lambda link, message, body: None, hears=Vocabulary()), theirs


def heard(sock: socket.socket) -> list[str]:
    """The words that one read brings."""
    try:
        data = sock.recv(65536)
    except BlockingIOError:
        return []
    return [head["text"] for head, _ in Decoder().feed(data)]


def test_news_that_may_wait_leave_with_the_next_ones_in_their_order() -> None:
    loop = Loop()
    link, far = connected(loop)
    link.send(Word("started"), within=LONG)
    loop.turn(0.0)
    assert heard(far) == []
    link.send(Word("ended"))
    loop.turn(0.0)
    assert heard(far) == ["started", "ended"]


def test_news_that_nobody_follows_leave_by_themselves_and_not_before() -> None:
    loop = Loop()
    link, far = connected(loop)
    begun = time.monotonic()
    link.send(Word("started"), within=0.05)
    link.send(Word("as well"), within=LONG)
    while not (words := heard(far)):
        loop.turn(1.0)
    assert words == ["started", "as well"]
    assert time.monotonic() - begun >= 0.05


def test_what_waits_is_sent_by_a_flush_and_does_not_hold_up_what_comes_later() -> None:
    loop = Loop()
    link, far = connected(loop)
    link.send(Word("first"), within=LONG)
    link.flush()
    assert heard(far) == ["first"]
    link.send(Word("second"))
    loop.turn(0.0)
    assert heard(far) == ["second"]
