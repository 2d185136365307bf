"""The event loop of the daemons: whose callback gets what the kernel reports."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Loop


@pytest.fixture
def pairs() -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    made = [socket.socketpair() for _ in range(3)]
    yield made
    for sock in (sock for pair in made for sock in pair):
        sock.close()


@pytest.mark.parametrize("watch", [Loop.read, Loop.write])
def test_a_new_descriptor_does_not_get_what_was_for_the_one_before_it(
    pairs: list[tuple[socket.socket, socket.socket]], watch: Callable[[Loop, int, Callable[[], None]], None]
) -> None:
    """Two descriptors are ready in one turn. The callback of the first closes the other, and a new one, which is not
    ready, gets its number."""
    (first, _), (second, _), (new, far) = pairs
    loop, called = Loop(), list[str]()
    numbers = [first.fileno(), second.fileno()]
    new.setblocking(False)
    if watch is Loop.write:
        fill(new)

    def ready(me: int) -> None:
        called.append("ready")
        other = numbers[1 - me]
        for number in numbers:
            loop.forget(number)
        os.dup2(new.fileno(), other)
        watch(loop, other, partial(called.append, "new"))

    for me, sock in enumerate((first, second)):
        watch(loop, sock.fileno(), partial(ready, me))
    for _, sock in pairs[:2]:
        sock.send(b"x")
    loop.turn(1.0)
    assert called == ["ready"]
    far.send(b"x")
    empty(far)
    loop.turn(1.0)
    assert called == ["ready", "new"]
    loop.close()


@pytest.mark.parametrize("watch", [Loop.read, Loop.write])
def test_a_descriptor_that_cannot_be_watched_does_not_keep_the_next_one_of_its_number_from_it(
    pairs: list[tuple[socket.socket, socket.socket]],
    tmp_path: Path,
    watch: Callable[[Loop, int, Callable[[], None]], None],
) -> None:
    (sock, far), *_ = pairs
    loop, called = Loop(), list[str]()
    with open(tmp_path / "file", "w") as file:  # epoll refuses those
        number = file.fileno()
        with pytest.raises(PermissionError):
            watch(loop, number, partial(called.append, "never"))
    os.dup2(sock.fileno(), number)
    watch(loop, number, partial(called.append, "new"))
    far.send(b"x")
    loop.turn(1.0)
    assert called == ["new"]
    loop.close()
    os.close(number)


def fill(sock: socket.socket) -> None:
    """Write into a socket until it takes no more."""
    try:
        while sock.send(b"x" * 65536):
            pass
    except BlockingIOError:
        pass


def empty(sock: socket.socket) -> None:
    """Read all that a socket has."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
    except BlockingIOError:
        pass


def test_a_callback_that_closes_its_descriptor_and_fails_ends_only_its_turn() -> None:
    loop, faults = Loop(), list[Exception]()
    loop.on_fault(faults.append)
    reading, writing = os.pipe()

    def fails() -> None:
        os.close(reading)
        raise OSError("what follows fails")

    loop.read(reading, fails)
    os.write(writing, b"x")
    loop.turn(1)
    loop.turn(0)
    assert len(faults) == 1
    os.close(writing)
    loop.close()
