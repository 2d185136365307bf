"""What accounts that may not command a daemon can do to it over its socket: nothing that others notice."""

from __future__ import annotations

import gc
import json
import os
import resource
import socket
import struct
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from condor_py.client.wire import Client, Decoder, WireError, connect
from condor_py.daemons.common.link import Link, Listener
from condor_py.daemons.common.loop import Loop
from condor_py.model.messages.codec import Answer, Head, Message, Vocabulary, head_of
from condor_py.model.messages.wakeups import Done, Ring

LONGEST = 1 << 20


class Echo(Message, op="echo"):
    size: int = 0


class Echoed(Answer):
    filler: str


class Later(Message, op="later"):
    pass


class Break(Message, op="break"):
    pass


class Daemon:
    """Answers ``echo`` at once, ``later`` when ``answer_one`` is called, breaks at ``break``."""

    def __init__(self, path: Path, is_stranger: bool = True) -> None:
        self.path = str(path)
        self.loop = Loop()
        self.heads: list[Head] = []
        self.unanswered: list[Link] = []
        self.complaints: list[str] = []
        self.listener = Listener(
            self.loop,
            self.path,
            self._message,
            complain=self.complaints.append,
            longest=LONGEST,
            is_stranger=lambda peer: is_stranger,
            hears=Vocabulary(Ring, Echo, Later, Break),
        )

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        self.heads.append(head_of(message))
        match message:
            case Echo(size):
                link.send(Echoed("x" * size))
            case Later():
                self.unanswered.append(link)
            case Break():
                raise AttributeError("not prepared for this")

    def turns(self, count: int = 30) -> None:
        """Some turns that do not wait."""
        for _ in range(count):
            self.loop.turn(0.0)

    def turn_until(self, done: Callable[[], object]) -> None:
        """Turns of the loop until something holds."""
        for _ in range(500):
            if done():
                return
            self.loop.turn(1.0)
        pytest.fail("nothing came")

    def serves(self) -> bool:
        """Whether somebody else gets his answer."""
        with Client(self.path, 10.0) as client:
            client.send({"op": "echo"})
            self.turns()
            return client.receive()[0]["ok"] is True

    def close(self) -> None:
        """Gives every descriptor back."""
        self.listener.close()
        self.loop.close()


@pytest.fixture(autouse=True)
def only_tests_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stands still while a message is read makes no account rest."""
    monkeypatch.setattr("condor_py.daemons.common.link.monotonic", lambda: 0.0)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon to which everybody is a stranger."""
    made = Daemon(tmp_path / "door")
    yield made
    made.close()


def frame(head: bytes, body: bytes = b"") -> bytes:
    """A message as it travels, whatever is in it."""
    return struct.pack("!II", len(head), len(body)) + head + body


@pytest.fixture
def usual_recursion() -> Iterator[None]:
    """The limit that a daemon has; tests with hypothesis may have raised it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def answer_to(daemon: Daemon, data: bytes) -> Any:
    """The head of what comes back before the daemon closes."""
    with connect(daemon.path, 10.0) as sock:
        sock.sendall(data)
        daemon.turns()
        daemon.turn_until(lambda: not daemon.listener.links)
        answer = sock.recv(1 << 16)
        assert sock.recv(1) == b"", "the connection stays open"
        return json.loads(answer[8:])


@pytest.mark.parametrize(
    "data",
    [
        frame(b"[" * 100_000),
        frame(b'{"op":' * 20_000 + b"1" + b"}" * 20_000),
        frame(b'{"op":' + b"9" * 5000 + b"}"),
        frame(b"[]"),
        frame(b"\xff\xfe\x00"),
        frame(b""),
        struct.pack("!II", 0xFFFFFFFF, 0xFFFFFFFF),
        frame(b"{}", b"x" * (LONGEST + 1))[:100],
    ],
)
@pytest.mark.usefixtures("usual_recursion")
def test_what_is_no_message_ends_only_its_connection(daemon: Daemon, data: bytes) -> None:
    assert "error" in answer_to(daemon, data)
    assert daemon.serves()
    daemon.turns()
    assert not daemon.listener.links


@pytest.mark.promise("S39")
def test_a_request_that_the_daemon_cannot_bear_is_told_to_the_log_and_to_its_sender(daemon: Daemon) -> None:
    assert answer_to(daemon, frame(b'{"op":"break"}'))["error"] == "the request failed: AttributeError"
    assert "not prepared for this" in daemon.complaints[0]
    assert daemon.serves()


def test_unfinished_messages_do_not_fill_the_memory(daemon: Daemon) -> None:
    begun = frame(b"{}", b"x" * (LONGEST - 1000))[:-1]
    refused = 0
    links = [connect(daemon.path, 10.0) for _ in range(8)]
    for sock in links:
        sock.setblocking(False)
        sent = 0
        while sent < len(begun):
            try:
                sent += sock.send(begun[sent:])
            except BlockingIOError:
                daemon.turns(2)
            except BrokenPipeError:
                refused += 1
                break
    assert refused >= 5
    assert sum(link.waiting for link in daemon.listener.links) <= 3 * LONGEST
    assert daemon.serves()
    for sock in links:
        sock.close()


def test_memory_of_unfinished_messages_is_free_when_their_connection_ends(daemon: Daemon) -> None:
    """At once: nothing may depend on a search for garbage, which need not come for hours."""
    gc.disable()
    try:
        seen: list[weakref.ref[Link]] = []
        for _ in range(20):
            with connect(daemon.path, 10.0) as sock:
                sock.sendall(frame(b"{}", b"x" * (LONGEST - 1000))[:100_000])
                daemon.turns(5)
                seen += [weakref.ref(link) for link in daemon.listener.links]
            daemon.turns(5)
        left = [link for ref in seen if (link := ref()) is not None]
        assert sum(link.waiting for link in left) == 0
    finally:
        gc.enable()


@pytest.mark.promise("S23")
def test_what_is_announced_counts_before_it_has_come(daemon: Daemon) -> None:
    links = [connect(daemon.path, 10.0) for _ in range(4)]
    for sock in links:
        sock.sendall(frame(b"{}", b"x" * (LONGEST - 1000))[:80_000])
        daemon.turns(5)
    assert len(daemon.listener.links) == 2, "two of the longest messages at a time"
    for sock in links:
        sock.close()
    assert daemon.serves()


@pytest.mark.promise("S26")
def test_who_kept_the_daemon_busy_waits_for_the_others(daemon: Daemon) -> None:
    with connect(daemon.path, 10.0) as sock:
        sock.sendall(frame(b'{"op":"later"}') + frame(b'{"op":"echo"}'))
        daemon.turn_until(lambda: daemon.unanswered)
        link = daemon.unanswered.pop()
        begun = time.monotonic()
        link.charge(0.1)
        link.send(Done())
        daemon.turn_until(lambda: len(daemon.heads) == 2)
        assert time.monotonic() - begun > 0.2


def test_a_head_that_grows_when_it_is_parsed_is_refused() -> None:
    data = frame(b'{"op":[' + b"[]," * 300_000 + b"[]]}")
    decoder = Decoder(64 << 20, 8 << 20, 1 << 20)
    decoder.add(data)
    with pytest.raises(WireError, match="too much memory"):
        decoder.next()


@pytest.mark.promise("S25")
def test_who_does_not_read_his_answers_gets_no_more_of_them(daemon: Daemon) -> None:
    with connect(daemon.path, 10.0) as sock:
        sock.sendall(frame(b'{"op":"echo","size":100000}') * 500)
        daemon.turns(2000)
        assert len(daemon.heads) < 50
        assert daemon.serves()
        sock.settimeout(0.0)
        got = 0

        def read() -> bool:
            nonlocal got
            try:
                got += len(sock.recv(1 << 20))
            except BlockingIOError:
                pass
            return got >= 500 * 100_000

        daemon.turn_until(read)


@pytest.mark.promise("S21")
def test_requests_of_one_account_are_handled_a_few_at_a_time(daemon: Daemon) -> None:
    with connect(daemon.path, 10.0) as one, connect(daemon.path, 10.0) as two:
        one.sendall(frame(b'{"op":"later"}') * 100)
        two.sendall(frame(b'{"op":"later"}') * 100)
        daemon.turns()
        assert len(daemon.heads) == 2, "the next message of a connection waits for the answer to the one before"
        others = [connect(daemon.path, 10.0) for _ in range(10)]
        for sock in others:
            sock.sendall(frame(b'{"op":"later"}'))
        daemon.turns()
        assert len(daemon.heads) == 4
        while daemon.unanswered:
            daemon.unanswered.pop().send(Done())
            daemon.turns(5)
        assert len(daemon.heads) == 210
        for sock in others:
            sock.close()


def test_closing_connections_makes_room_for_requests(daemon: Daemon) -> None:
    for _ in range(20):
        with connect(daemon.path, 10.0) as sock:
            sock.sendall(frame(b'{"op":"later"}'))
            daemon.turns(3)
    daemon.turns()
    assert len(daemon.heads) == 20
    assert daemon.serves()


def test_a_bell_rung_in_passing_is_heard(daemon: Daemon) -> None:
    with connect(daemon.path, 10.0) as sock:
        sock.sendall(frame(b'{"op":"ring"}'))
    daemon.turns()
    assert daemon.heads == [{"op": "ring"}]


@contextmanager
def descriptors_left(count: int) -> Iterator[None]:
    """So many more files may be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.collect()  # it closes what tests before this one have forgotten
    taken = set(map(int, os.listdir("/proc/self/fd")))
    free = [number for number in range(soft) if number not in taken]  # the listing itself takes one of them
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[count], hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.promise("S20")
def test_connections_of_one_account_are_limited(daemon: Daemon) -> None:
    allowed = min(512, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
    links = [connect(daemon.path, 10.0) for _ in range(allowed + 8)]
    daemon.turns()
    assert len(daemon.listener.links) == allowed
    client = Client(daemon.path, 10.0)
    daemon.turns()
    with pytest.raises(WireError, match="too many connections of this user"):
        client.send({"op": "echo"})
    client.close()
    for sock in links:
        sock.close()
    daemon.turns()
    assert daemon.serves()


def test_a_daemon_without_descriptors_goes_on(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "door", is_stranger=False)
    links = [connect(daemon.path, 10.0) for _ in range(10)]
    with descriptors_left(3):
        daemon.turns(5)
        assert 0 < len(daemon.listener.links) < 10
        assert "Too many open files" in daemon.complaints[0]
    daemon.turn_until(lambda: len(daemon.listener.links) == 10)
    for sock in links:
        sock.close()
    daemon.close()


def test_whoever_finds_no_place_in_the_queue_of_a_daemon_tries_again(tmp_path: Path) -> None:
    path = str(tmp_path / "full")
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(path)
        full.listen(0)
        first = connect(path, 5.0)
        with pytest.raises(WireError, match="cannot connect"):
            connect(path, 0.05)
        first.close()
