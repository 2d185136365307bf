"""Open files that come with messages."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.client.wire import Client, encode
from condor_py.daemons.common.link import Link, Listener
from condor_py.daemons.common.loop import Loop
from condor_py.model.messages.codec import Answer, Head, Message, Vocabulary, head_of


class Big(Message, op="big"):
    filler: str


class Take(Message, op="take"):
    pass


class Keep(Message, op="keep"):
    pass


class Hello(Message, op="hello"):
    pass


class Numbered(Answer):
    number: int


class Door:
    """A listener, and what came in."""

    def __init__(self, path: Path) -> None:
        self.loop = Loop()
        self.heads: list[Head] = []
        self.closed: list[Link] = []
        self.links: list[Link] = []
        self.complaints: list[str] = []
        self.listener = Listener(
            self.loop,
            str(path),
            self._message,
            self.closed.append,
            takes_files=True,
            complain=self.complaints.append,
            hears=Vocabulary(Big, Take, Keep, Hello),
        )

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        self.heads.append(head_of(message))
        self.links.append(link)

    def turn_until(self, done: Callable[[], object]) -> None:
        """Turns of the loop; each waits at most ten seconds."""
        for _ in range(50):
            if done():
                return
            self.loop.turn(10.0)
        pytest.fail("nothing came")


def open_files() -> int:
    """How many descriptors this process has, but for those that nobody will use again."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def test_files_come_with_their_message_and_go_with_the_link(tmp_path: Path) -> None:
    door = Door(tmp_path / "door")
    reading, writing = os.pipe()
    before = open_files()
    with Client(str(tmp_path / "door")) as client:
        client.send({"op": "big", "filler": "x" * 100_000}, descriptors=())
        door.turn_until(lambda: len(door.heads) == 1)
        client.send({"op": "take"}, descriptors=(writing,))
        door.turn_until(lambda: len(door.heads) == 2)
        (copy,) = door.links[-1]._files
        os.write(copy, b"through")
        assert os.read(reading, 100) == b"through"
        assert not os.get_inheritable(copy)
    door.turn_until(lambda: door.closed)
    assert open_files() == before
    os.close(reading)
    os.close(writing)


def test_nobody_can_fill_our_table_of_open_files(tmp_path: Path) -> None:
    door = Door(tmp_path / "door")
    reading, writing = os.pipe()
    before = open_files()
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(tmp_path / "door"))
        for _ in range(3):
            socket.send_fds(stranger, [encode({"op": "keep"})[:1]], [writing] * 4)
        door.turn_until(lambda: door.closed)
        assert door.heads == []
        assert open_files() == before + 1
    os.close(reading)
    os.close(writing)


def test_a_file_goes_out_with_its_message(tmp_path: Path) -> None:
    door = Door(tmp_path / "door")
    before = open_files()
    with Client(str(tmp_path / "door"), 10.0) as client:
        client.send({"op": "hello"})
        door.turn_until(lambda: door.heads)
        for number in range(3):
            reading, writing = os.pipe()
            os.write(writing, b"pipe %d" % number)
            os.close(writing)
            door.links[-1].send(Numbered(number), b"x" * 50_000, descriptor=reading)
            door.links[-1].send(Numbered(number), b"x" * 50_000)
        heads = []
        for number in range(3):
            while len(client.files) <= number:
                door.loop.turn(0.0)
                heads.append(client.receive()[0]["number"])
            assert os.read(client.files[number], 100) == b"pipe %d" % number
        assert heads == sorted(heads)
    door.turn_until(lambda: door.closed)
    assert open_files() == before


def test_a_file_for_somebody_who_left_is_closed(tmp_path: Path) -> None:
    door = Door(tmp_path / "door")
    before = open_files()
    with Client(str(tmp_path / "door")) as client:
        client.send({"op": "hello"})
        door.turn_until(lambda: door.heads)
    reading, writing = os.pipe()
    door.links[-1].send(Numbered(1), descriptor=reading)
    door.turn_until(lambda: door.closed)
    door.links[-1].send(Numbered(2), descriptor=writing)
    assert open_files() == before
