"""The Chirp server of a starter: whom it lets in and when, whose rights a connection has, and what it leaves behind."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.client.chirpwire import LINE_MAX
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter import chirp
from condor_py.daemons.starter.chirp import ChirpServer
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, account
from condor_py.model.settings.starter import ChirpSettings

TOO_MANY, NOT_AUTHORIZED, TOO_BIG, INVALID = -9, -2, -5, -8
AD = '[ WantIOProxy = true; Owner = "ann" ]'


class World:
    """A server that this process runs, and its clients. ``iwd`` is the directory at the access point."""

    def __init__(self, top: Path, user: Account | None = None) -> None:
        self.top, self.iwd = top, top / "iwd"
        self.iwd.mkdir()
        self.loop, self.helpers = Loop(), set[int]()
        self.log: list[str] = []
        self.server = ChirpServer(self.loop, ChirpSettings(), str(top), self.helpers, self.log.append)
        self.socks: list[socket.socket] = []
        self.run: Any = SimpleNamespace(
            job=SimpleNamespace(job_id="7.0", iwd=str(self.iwd)), owner=user, submitter=user
        )
        self.open()

    def open(self, host: str = "127.0.0.1", ad: str = AD, schedd: str = "/no/schedd") -> dict[str, str]:
        self.variables = self.server.open(self.run, ClassAd(ad), schedd, (), host)
        return self.variables

    @property
    def config(self) -> Path:
        return Path(self.variables["_CONDOR_CHIRP_CONFIG"])

    def until(self, condition: Callable[[], object]) -> None:
        limit = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < limit, self.log
            self.loop.turn(0.01)

    def client(self, *said: bytes) -> socket.socket:
        host, port, _ = self.config.read_text().split()
        sock = socket.create_connection((host, int(port)), 10)
        self.socks.append(sock)
        for data in said:
            sock.sendall(data)
        return sock

    def hears(self, sock: socket.socket) -> bytes:
        """What comes next at a client; b"" for the end of the connection."""
        found: list[bytes] = []
        sock.setblocking(False)

        def heard() -> bool:
            try:
                found.append(sock.recv(65536))
            except BlockingIOError:
                return False
            except ConnectionResetError:
                found.append(b"")
            return True

        self.until(heard)
        return found[0]

    def all(self, sock: socket.socket, end: bytes) -> bytes:
        """What comes next at a client, up to this end."""
        heard = b""
        while not heard.endswith(end):
            more = self.hears(sock)
            assert more, f"the connection ends after {heard!r}"
            heard += more
        return heard

    def code(self, sock: socket.socket, request: bytes = b"") -> int:
        """The number of the next answer, to a request if there is one."""
        sock.setblocking(True)
        sock.sendall(request)
        return int(self.hears(sock).split(b"\n")[0])

    def cookie(self) -> bytes:
        return b"cookie " + self.config.read_text().split()[2].encode() + b"\n"

    def entered(self) -> socket.socket:
        sock = self.client(self.cookie())
        assert self.hears(sock) == b"0\n"
        return sock

    def leave(self, sock: socket.socket) -> None:
        """A client goes. (The children of the server have its socket, too, as it is ours.)"""
        sock.shutdown(socket.SHUT_RDWR)
        sock.close()
        self.socks.remove(sock)

    def close(self) -> None:
        self.server.close()
        for sock in self.socks:
            sock.close()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """One with all the time that a busy machine takes."""
    monkeypatch.setattr(chirp, "_PATIENCE", 300.0)
    monkeypatch.setattr(chirp, "_REST", 300.0)
    made = World(tmp_path)
    yield made
    made.close()


def waiting(world: World, patience: float, monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    """A client that has shown the cookie, and is turned away when it has waited for a session for so many seconds."""
    sock = world.client()
    world.until(lambda: world.server._strangers)
    monkeypatch.setattr(chirp, "_PATIENCE", patience)
    sock.sendall(world.cookie())
    world.until(lambda: not world.server._strangers)
    return sock


def test_a_connection_between_two_runs_ends_at_once(world: World) -> None:
    world.server.close()
    assert world.hears(world.client(world.cookie())) == b""
    assert (world.helpers, world.log) == (set(), [])
    world.open()
    assert world.code(world.entered(), b"version\n") > 0


def test_a_run_ends_the_connections_of_the_run_before(world: World) -> None:
    stranger, session = world.client(), world.entered()
    world.until(lambda: world.server.in_use)
    before = world.cookie()
    world.open()
    assert (world.hears(stranger), world.hears(session)) == (b"", b"")
    assert (world.server.in_use, world.helpers) == (False, set())
    assert world.hears(world.client(before)) == b"-1\n", "its cookie is worth nothing"
    assert world.log == ["A Chirp client without the cookie"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (b"cookie\n", b"-1\n"),
        (b"cookie @ more\n", b"-1\n"),
        (b"biscuit @\n", b"-1\n"),
        (b"cookie x\n", b"-1\n"),
        (b"\n", b"-1\n"),
        (b"x" * LINE_MAX + b"\n", b"-1\n"),
        (b"x" * (LINE_MAX + 2), b""),
    ],
)
def test_only_the_cookie_opens(world: World, said: bytes, answer: bytes) -> None:
    stranger = world.client()
    stranger.sendall(said.replace(b"@", world.cookie().split()[1]))
    assert world.hears(stranger) == answer
    assert world.hears(stranger) == b"" if answer else True
    assert not world.server.in_use
    assert world.log == (["A Chirp client without the cookie"] if answer else [])


def test_a_cookie_may_come_in_pieces_and_with_the_first_request(world: World) -> None:
    sock = world.client()
    whole = world.cookie() + b"whoami 6\n"
    for at in range(0, len(whole), 20):
        sock.sendall(whole[at : at + 20])
        world.loop.turn(0.01)
    assert world.all(sock, b"CONDOR") == b"0\n6\nCONDOR"


def test_a_stranger_has_little_time_and_makes_room_for_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chirp, "_MOST_STRANGERS", 2)
    first, second, third = (world.client() for _ in range(3))
    assert world.hears(first) == b""
    for sock in (second, third):
        sock.sendall(world.cookie())
        assert world.hears(sock) == b"0\n", "these two were kept"
    monkeypatch.setattr(chirp, "_PATIENCE", 0.05)
    assert world.hears(world.client(b"cook")) == b""
    world.loop.turn(0.1)
    assert world.code(second, b"version\n") > 0, "a session has all the time that it wants"


def test_a_client_waits_until_another_has_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chirp, "_MOST_SESSIONS", 1)
    first = world.entered()
    assert len(world.helpers) == 1
    second = world.client(world.cookie() + b"whoami 6\n")
    for _ in range(5):
        world.loop.turn(0.01)
    assert len(world.helpers) == 1
    world.leave(first)
    assert world.all(second, b"CONDOR") == b"0\n6\nCONDOR", "what it sent meanwhile is answered"
    assert len(world.helpers) == 1
    third = waiting(world, 0.05, monkeypatch)
    assert world.code(third) == TOO_MANY
    assert world.hears(third) == b""
    world.leave(second)
    world.until(lambda: not world.helpers)
    assert not world.server.in_use


def test_a_client_that_waits_at_the_end_is_turned_away_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chirp, "_MOST_SESSIONS", 1)
    world.entered()
    waits = waiting(world, 0.3, monkeypatch)
    world.server.close()
    assert world.code(waits) == TOO_MANY
    assert world.hears(waits) == b""
    limit = time.monotonic() + 0.5
    while time.monotonic() < limit:
        world.loop.turn(0.05)  # nothing of it is left


def test_what_was_sent_is_served_before_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []
    world.server.drain(lambda: ends.append("at once"))
    assert ends == ["at once"]
    sock = world.entered()
    sock.setblocking(True)
    sock.sendall(b"putfile late 420 5\nhello")
    sock.shutdown(socket.SHUT_WR)
    world.server.drain(lambda: ends.append("served"))
    assert ends == ["at once"]
    world.until(lambda: len(ends) > 1)
    assert (ends[1], (world.iwd / "late").read_bytes()) == ("served", b"hello")
    monkeypatch.setattr(chirp, "_REST", 0.05)
    stays = world.entered()
    world.server.drain(lambda: ends.append("given up"))
    world.until(lambda: len(ends) > 2)
    assert world.hears(stays) == b""
    assert (ends[2:], world.helpers) == (["given up"], set())
    world.loop.turn(0.1)
    assert len(ends) == 3


def test_changes_that_wait_keep_the_job_in_use_until_they_are_taken(world: World) -> None:
    assert (world.server.in_use, world.server.take_delayed()) == (False, {})
    sock = world.entered()
    assert world.server.in_use
    assert world.code(sock, b"get_job_attr_delayed Owner\n") == len('"ann"')
    assert world.code(sock, b"set_job_attr_delayed ChirpA 7\n") == 0
    world.leave(sock)
    world.until(lambda: not world.helpers)
    assert world.server.in_use
    assert world.server.take_delayed() == {"ChirpA": "7"}
    assert not world.server.in_use
    world.open()
    assert world.server.take_delayed() == {}


def test_there_is_no_server_where_nothing_is_granted_or_nobody_could_be_asked(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.open(schedd="") == {}
    assert world.open(ad="[ WantDelayedUpdates = false ]") == {}
    assert list(world.open(ad="[ WantDelayedUpdates = true ]")) == ["_CONDOR_CHIRP_CONFIG"]
    world.close()


def test_a_server_that_cannot_be_made_is_no_reason_not_to_run(world: World) -> None:
    assert world.open(host="203.0.113.77") == {}
    assert len(world.log) == 1
    assert world.log[0].startswith("Cannot serve Chirp: ")
    world.open()
    assert world.code(world.entered(), b"version\n") > 0
    assert (world.top / "user").stat().st_mode & 0o7777 == 0o711


def test_the_longest_request_is_read(world: World) -> None:
    sock = world.entered()
    assert world.code(sock, b"x" * LINE_MAX + b"\n") == INVALID
    assert world.code(sock, b"x" * (LINE_MAX + 1) + b"\n") == TOO_BIG
    assert world.hears(sock) == b""


@pytest.mark.parametrize("request_line", [b"get_job_attr\n", b"set_job_attr_delayed ChirpA\n", b"ulog\n", b"open\n"])
def test_a_request_that_lacks_words_is_refused_and_the_next_is_served(world: World, request_line: bytes) -> None:
    sock = world.entered()
    assert world.code(sock, request_line) == INVALID
    assert world.code(sock, b"set_job_attr_delayed ChirpA 7\n") == 0


def test_a_request_of_which_the_end_is_missing_changes_nothing(world: World) -> None:
    (world.iwd / "given").write_bytes(b"0123456789")
    sock = world.entered()
    file = world.code(sock, b"open given rw 420\n")
    sock.setblocking(True)
    sock.sendall(b"pwrite %d 8 0\nabc" % file)
    sock.shutdown(socket.SHUT_WR)
    assert world.hears(sock) == b""
    world.until(lambda: not world.helpers)
    assert (world.iwd / "given").read_bytes() == b"0123456789"


def test_a_connection_has_few_files_open(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.starter.chirpsession._MOST_OPEN", 2)
    (world.iwd / "given").touch()
    sock = world.entered()
    files = [world.code(sock, b"open given r 0\n") for _ in range(3)]
    assert files[2] == TOO_MANY
    assert world.code(sock, b"close %d\n" % files[0]) == 0
    assert world.code(sock, b"open given r 0\n") >= 0


def test_the_figures_of_a_file_system_are_those_of_the_kernel(world: World) -> None:
    sock, found = world.entered(), os.statvfs(world.iwd)
    (world.iwd / "given").touch()
    sock.setblocking(True)
    sock.sendall(b"statfs given\n")
    heard = world.all(sock, b"\n")
    code, facts = (heard if heard.count(b"\n") == 2 else heard + world.all(sock, b"\n")).splitlines()
    numbers = [int(word) for word in facts.split()]
    assert (code, numbers[:3], numbers[5]) == (b"0", [0, found.f_bsize, found.f_blocks], found.f_files)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root takes on other accounts")
def test_a_connection_has_the_rights_of_the_owner_and_nobody_else_reads_the_cookie(open_path: Path) -> None:
    nobody, other = account("nobody"), Account("other", 4242, 4243, "/", ())
    world = World(open_path, nobody)
    world.iwd.chmod(0o777)
    (open_path / "secret").write_text("of root")
    (open_path / "secret").chmod(0o600)
    try:
        for user in (nobody, other, nobody):
            world.run.owner = world.run.submitter = user
            world.open()
            found = world.config.stat()
            assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (user.uid, user.gid, 0o700)
            sock = world.entered()
            assert world.code(sock, b"getfile ../secret\n") == NOT_AUTHORIZED
            assert world.code(sock, b"putfile mine 384 0\n") == 0
            found = (world.iwd / "mine").stat()
            assert (found.st_uid, found.st_gid) == (user.uid, user.gid)
            (world.iwd / "mine").unlink()
        inode = world.config.stat().st_ino
        world.run.owner = Account(nobody.name, nobody.uid, nobody.gid, nobody.home, nobody.groups)
        world.open()
        assert world.config.stat().st_ino == inode, "the next run of the same account gets the same file"
    finally:
        world.close()


def test_a_line_without_a_question_yet_is_not_at_its_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may call one readable that is not: the session would wait for its answer for ever."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    forgotten: list[int] = []
    monkeypatch.setattr(world.loop, "forget", forgotten.append)
    with ours, theirs:
        world.server._asked(ours, bytearray())
        assert forgotten == []
        theirs.close()
        world.server._asked(ours, bytearray())
        assert forgotten == [ours.fileno()]
    monkeypatch.undo()


def test_a_client_whose_process_got_a_part_of_an_answer_does_not_wait_for_the_rest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may stop that process, which has its rights."""
    monkeypatch.setattr(chirp, "_REST", 0.1)
    world.open(ad=f'[ WantIOProxy = true; WantRemoteUpdates = true; Owner = "ann"; Big = "{"x" * 2_000_000}" ]')
    sock = world.entered()
    (helper,), (line,) = world.helpers, world.server._sessions.values()
    sock.sendall(b"get_job_attr Big\n")
    assert select.select([line], [], [], 30)[0]
    os.kill(helper, signal.SIGSTOP)
    world.loop.turn(0.0)
    os.kill(helper, signal.SIGCONT)
    assert world.code(sock) == INVALID
    world.leave(sock)
    world.until(lambda: not world.server.in_use)
