"""Processes that work at files of one account, one request after the other, with the rights of that account.

A file system that does not answer stops the helper of its user, in the kernel and for as long as it likes; the daemon
continues. A helper keeps none of the daemon's open files. It ends when the daemon closes its connection or dies.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from condor_py.daemons.common.errand import close_all_but
from condor_py.daemons.common.loop import Loop
from condor_py.machine.run.identity import Account

_LENGTH = 4
_CHUNK = 1 << 16
#: The reason of requests whose helper has ended.
DIED = "the process that was to do it died"

#: Receives the answer, or None and the reason.
Then = Callable[[Any, str], None]


class Helper:
    """A forked process that answers requests with what ``serve`` makes of them, in their order. Both are what JSON can
    say: what comes from a process with the rights of a user is not to be trusted with more. ``load`` is called there
    with the daemon's rights: it imports what the user may not be allowed to read."""

    def __init__(
        self, loop: Loop, who: Account | None, serve: Callable[[Any], Any], load: Callable[[], None] | None = None
    ) -> None:
        self._loop = loop
        self._waiting: deque[Then] = deque()
        self._out = self._in = b""
        self._sock, theirs = socket.socketpair()
        try:
            self.pid = os.fork()
        except OSError:
            self._sock.close()
            theirs.close()
            raise
        if not self.pid:
            _work(theirs, who, serve, load)
        theirs.close()
        self._sock.setblocking(False)
        loop.read(self._sock.fileno(), self.read)
        loop.on_exit(self.pid, lambda status: None)

    @property
    def busy(self) -> bool:
        """Whether it has not answered all."""
        return bool(self._waiting)

    @property
    def lives(self) -> bool:
        """Whether it can be asked."""
        return self._sock.fileno() >= 0

    def ask(self, request: Any, then: Then) -> None:
        """Send a request; ``then`` is called in a later turn."""
        self._waiting.append(then)
        self._out += _frame(request)
        self._write()

    def fileno(self) -> int:
        """The descriptor of its answers; -1 once it is closed."""
        return self._sock.fileno()

    def close(self) -> None:
        """Let go of it: it ends when its current request is done, and no answers come any more."""
        if self.lives:
            self._loop.forget(self._sock.fileno())
            self._sock.close()
        self._waiting.clear()

    def _write(self) -> None:
        try:
            while self._out:
                self._out = self._out[self._sock.send(self._out) :]
        except BlockingIOError:
            pass
        except OSError:
            return  # it is gone, which reading finds
        self._loop.write(self._sock.fileno(), self._write if self._out else None)

    def read(self) -> None:
        """Take what it has answered."""
        try:
            data = self._sock.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            waiting = list(self._waiting)
            self.close()
            for then in waiting:
                self._loop.call(partial(then, None, DIED))
            return
        self._in += data
        while (frame := _first_frame(self._in)) is not None:
            self._in = self._in[_LENGTH + len(frame) :]
            self._loop.call(partial(self._waiting.popleft(), *json.loads(frame)))


def _frame(value: Any) -> bytes:
    data = json.dumps(value).encode("ascii")
    return len(data).to_bytes(_LENGTH, "big") + data


def _first_frame(data: bytes) -> bytes | None:
    size = int.from_bytes(data[:_LENGTH], "big")
    return data[_LENGTH : _LENGTH + size] if len(data) - size >= _LENGTH else None


def _work(
    sock: socket.socket, who: Account | None, serve: Callable[[Any], Any], load: Callable[[], None] | None
) -> NoReturn:
    """The helper: never returns into the daemon's code."""
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        close_all_but(sock.fileno())
        sock.setblocking(True)
        if load is not None:
            load()
        if who is not None and os.geteuid() == 0:
            os.setgroups(who.groups)
            os.setgid(who.gid)
            os.setuid(who.uid)
        with sock.makefile("rb") as requests:
            while len(head := requests.read(_LENGTH)) == _LENGTH:
                request = json.loads(requests.read(int.from_bytes(head, "big")))
                sock.sendall(_frame(_answer(serve, request)))
    finally:
        os._exit(0)


def _answer(serve: Callable[[Any], Any], request: Any) -> tuple[Any, str]:
    try:
        return serve(request), ""
    except Exception as error:  # whatever a user's files do to it, its daemon gets an answer
        return None, f"{type(error).__name__}: {error}"
