"""The bytes of a session of condor_ssh_to_job: between the user's terminal and a program, to the end of both."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator

import pytest

from condor_py.cli.ssh_to_job import relay
from condor_py.cli.ssh_to_job.relay import Streams, streams_for
from condor_py.client.wire import WireError
from condor_py.model.messages.sessions import SessionEnded, SessionLost


class Link:
    """The connection to the starter: readable once the session has ended."""

    def __init__(self, news: object) -> None:
        self._reading, self._writing = os.pipe()
        self._news = news
        self.has_message = False

    def end(self) -> None:
        os.write(self._writing, b"x")

    def fileno(self) -> int:
        return self._reading

    def hear(self, messages: object) -> object:
        if isinstance(self._news, Exception):
            raise self._news
        return self._news

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)


class User:
    """A user at a terminal, which is this process's standard input and output while the block lasts."""

    def __init__(self, terminal: int, side: int) -> None:
        self.terminal = terminal
        self._side = side
        self.seen = b""
        self._modes = termios.tcgetattr(side)
        self._modes[3] &= ~termios.ECHO
        termios.tcsetattr(side, termios.TCSANOW, self._modes)

    def __enter__(self) -> User:
        self._before = [os.dup(number) for number in (0, 1, 2)]
        for number in (0, 1, 2):
            os.dup2(self._side, number)
        return self

    def __exit__(self, *_: object) -> None:
        for number, saved in enumerate(self._before):
            os.dup2(saved, number)
            os.close(saved)
        assert termios.tcgetattr(self._side) == self._modes

    def see(self, text: bytes) -> None:
        """Reads what is shown until it has a text."""
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], 60)
            assert ready, self.seen
            self.seen += os.read(self.terminal, 4096)

    def type(self, text: bytes) -> None:
        os.write(self.terminal, text)

    def resize(self, lines: int, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


@pytest.fixture
def user() -> Iterator[User]:
    ours, theirs = os.openpty()
    yield User(ours, theirs)
    os.close(ours)
    os.close(theirs)


def _session(streams: Streams, script: str, does: Callable[[], None], news: object = None) -> int | None:
    """The exit code of a session in which a shell runs ``script`` while the user ``does`` something."""
    errors = streams.theirs[2] if len(streams.theirs) == 3 else streams.theirs[0]
    program = subprocess.Popen(
        ["/bin/sh", "-c", script], stdin=streams.theirs[0], stdout=streams.theirs[min(1, len(streams.theirs) - 2)],
        stderr=errors, start_new_session=True,
    )  # fmt: skip
    streams.close_theirs()
    link = Link(SessionEnded(5) if news is None else news)
    wakeup = os.pipe()

    def wait() -> None:
        program.wait()
        link.end()

    threads = [threading.Thread(target=does), threading.Thread(target=wait)]
    for thread in threads:
        thread.start()
    try:
        return streams.serve(link, wakeup[0])  # type: ignore[arg-type]
    finally:
        program.kill()
        for thread in threads:
            thread.join()
        program.wait()
        link.close()
        for descriptor in wakeup:
            os.close(descriptor)


def test_a_command_gets_pipes_where_the_user_has_a_terminal(user: User) -> None:
    def does() -> None:
        user.see(b"ready")
        user.type(b"one\ntwo\n")
        user.see(b"two")
        user.type(b"\x04")

    with user, streams_for(None, is_command=True) as streams:
        assert not streams.has_terminal
        assert not any(map(os.isatty, streams.theirs))
        assert _session(streams, "echo ready >&2; cat; echo end", does) == 5
    user.see(b"end")
    assert user.seen == b"ready\r\none\r\ntwo\r\nend\r\n"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_pipe_or_file_of_the_user_goes_to_the_session_unchanged(user: User, number: int) -> None:
    reading, writing = os.pipe()
    with user:
        os.dup2(reading if number == 0 else writing, number)
        with streams_for(False, is_command=False) as streams:
            assert [mine for mine, theirs in enumerate(streams.theirs) if mine == theirs] == [number]
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(("wanted", "is_command", "has"), [(None, False, True), (None, True, False), (True, True, True),
                                                           (False, False, False)])  # fmt: skip
def test_who_has_a_terminal(user: User, wanted: bool | None, is_command: bool, has: bool) -> None:
    with user, streams_for(wanted, is_command) as streams:
        assert streams.has_terminal == has
        assert len(streams.theirs) == (2 if has else 3)


def test_a_terminal_with_its_size_and_keys(user: User) -> None:
    user.resize(33, 101)
    main = threading.main_thread().ident or 0

    def does() -> None:
        user.see(b"33 101")
        user.type(b"hey\r")
        user.see(b"got hey")
        user.resize(50, 120)
        signal.pthread_kill(main, signal.SIGWINCH)
        user.type(b"\r")

    before = signal.getsignal(signal.SIGWINCH)
    with user, streams_for(None, is_command=False) as streams:
        assert os.isatty(streams.theirs[0])
        assert streams.theirs[1] == 0
        script = "stty size; read a; echo got $a; read a; stty size; echo end"
        assert _session(streams, script, does) == 5
    assert signal.getsignal(signal.SIGWINCH) == before
    user.see(b"end\r\n")
    assert [line for line in user.seen.decode().split("\r\n") if line] == ["33 101", "got hey", "50 120", "end"]


def test_the_user_leaves(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program has not ended: its last output is not waited for long."""
    monkeypatch.setattr(relay, "_LAST_OUTPUT", 20)

    def does() -> None:
        user.see(b"ready")
        user.type(b"x\r~.never")

    with user, streams_for(None, is_command=False) as streams:
        assert _session(streams, "echo ready; cat", does) == 255


def test_the_user_suspends_this_program(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[tuple[int, int, bool]] = []

    def stop(process: int, number: int) -> None:
        stopped.append((process, number, bool(termios.tcgetattr(0)[3] & termios.ICANON)))
        user.resize(44, 111)

    def does() -> None:
        user.see(b"ready")
        user.type(b"~\x1aa\r")

    monkeypatch.setattr(os, "kill", stop)
    with user, streams_for(None, is_command=False) as streams:
        assert _session(streams, "echo ready; read a; echo got $a; stty size", does) == 5
    assert stopped == [(os.getpid(), signal.SIGTSTP, True)]
    user.see(b"44 111")
    assert b"got a\r\n" in user.seen


def test_the_end_of_a_pipe_is_the_end_of_file_in_a_terminal(user: User) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"text\n")
    os.close(writing)
    with user:
        os.dup2(reading, 0)
        with streams_for(True, is_command=True) as streams:
            assert streams.theirs[1] == 1
            assert _session(streams, "stty -echo; cat; echo end", lambda: user.see(b"end")) == 5
    os.close(reading)
    assert user.seen.startswith(b"text\r")


@pytest.mark.parametrize("news", [SessionLost(), WireError("gone")])
def test_a_session_that_is_lost_has_no_exit_code(user: User, news: object) -> None:
    with user, streams_for(True, is_command=True) as streams:
        assert _session(streams, "echo there", lambda: user.see(b"there"), news) is None


def test_an_end_that_came_with_the_beginning(user: User) -> None:
    link = Link(SessionEnded(7))
    link.has_message = True
    with user, streams_for(False, is_command=True) as streams:
        os.write(streams.theirs[1], b"last words\n")
        streams.close_theirs()
        assert streams.serve(link, 0) == 7  # type: ignore[arg-type]
    link.close()
    user.see(b"last words\r\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a terminal away")
def test_the_terminal_is_the_owners(user: User) -> None:
    with user, streams_for(True, is_command=True) as streams:
        name = os.ttyname(streams.theirs[0])
        streams.close_theirs(12345)
        assert os.stat(name).st_uid == 12345
