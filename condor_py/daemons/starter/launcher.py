"""The process that forks starters: ``Launcher`` is its side in the daemon.

A forked process shares the pages of its parent until one of both writes to them. A startd writes to most of its memory
as jobs come and go, so each starter that it forked itself would soon have a copy of its own. The launcher is forked
when the daemon starts and does nothing but fork, so what it has loaded stays shared by all starters.

A starter is a child of the daemon all the same: the launcher forks a process that forks the starter and ends, and the
daemon is the subreaper of its orphans. The launcher ends when the daemon closes its connection or dies. If the launcher
dies, the daemon forks another one.
"""

from __future__ import annotations

import errno
import gc
import os
import pickle
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from condor_py.daemons.common.errand import close_all_but
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter.daemon import StarterDaemon
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.machine.probes import process
from condor_py.machine.run.family import become_subreaper

#: Bytes of a setup behind it; the process id of a starter, or an errno below 0.
_LENGTH, _ANSWER = struct.Struct("=I"), struct.Struct("=i")
#: Seconds after which a launcher that does not answer is replaced.
_PATIENCE = 10.0


class Launcher:
    """Forks starters through a process of its own."""

    def __init__(self, loop: Loop, log: Callable[[str], None]) -> None:
        self._loop, self._log = loop, log
        self._pid = 0
        self._sock: socket.socket | None = None
        loop.soon(self._start_early)  # when the daemon has let go of the terminal that started it

    def fork(self, setup: StarterSetup) -> tuple[int, socket.socket]:
        """Return the process id of a new starter, and our end of the connection to it. OSError: there cannot be one."""
        try:
            return self._ask(setup)
        except _NoAnswer as error:
            self._log(f"The launcher of starters (pid {self._pid}) does not answer ({error}): another replaces it")
            self.close()
            process.send([self._pid], signal.SIGKILL)
        try:
            return self._ask(setup)
        except _NoAnswer as error:
            raise OSError(errno.EPIPE, f"its launcher does not answer ({error})") from None

    def close(self) -> None:
        """Let it end."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None

    def _start_early(self) -> None:
        """Fork it before the daemon grows."""
        if self._sock is None:
            with suppress(OSError):  # it is tried again when a starter is wanted
                self._sock = self._start()

    def _start(self) -> socket.socket:
        """Fork a launcher; return our end of the connection to it."""
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        with theirs:
            try:
                self._pid = os.fork()
            except OSError:
                ours.close()
                raise
            if not self._pid:
                _work(theirs)
        ours.settimeout(_PATIENCE)
        self._loop.on_exit(self._pid, lambda status: None)
        return ours

    def _ask(self, setup: StarterSetup) -> tuple[int, socket.socket]:
        """Have a starter forked. OSError: it cannot be; _NoAnswer: the launcher is gone, or stands still."""
        if self._sock is None:
            self._sock = self._start()
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                pid = _answer(self._sock, pickle.dumps(setup), theirs.fileno())
            except OSError:
                ours.close()
                raise
        return pid, ours


class _NoAnswer(OSError):
    """The launcher is gone or does not answer."""


def _answer(sock: socket.socket, text: bytes, descriptor: int) -> int:
    """The process id that a launcher answers a setup with."""
    try:
        socket.send_fds(sock, [_LENGTH.pack(len(text))], [descriptor])
        sock.sendall(text)
        data = sock.recv(_ANSWER.size, socket.MSG_WAITALL)
    except OSError as error:
        raise _NoAnswer(error) from error
    if len(data) < _ANSWER.size:
        raise _NoAnswer("it has ended")
    answer = int(_ANSWER.unpack(data)[0])
    if answer < 0:
        raise OSError(-answer, os.strerror(-answer))
    return answer


def _work(sock: socket.socket) -> NoReturn:
    """The launcher: never returns into the daemon's code."""
    try:
        close_all_but(sock.fileno())
        _reset_signals()
        gc.freeze()  # what is here now is never garbage in a starter: leave its pages shared
        while _serve(sock):
            pass
        os._exit(0)
    except BaseException as error:  # nothing above may go on here
        _say(f"the launcher of starters: {type(error).__name__}: {error}")
    finally:
        os._exit(1)


def _serve(sock: socket.socket) -> bool:
    """Fork one starter; False when the daemon is gone."""
    head, descriptors, _, _ = socket.recv_fds(sock, _LENGTH.size, 1, socket.MSG_CMSG_CLOEXEC)
    if len(head) < _LENGTH.size:
        return False
    text = sock.recv(_LENGTH.unpack(head)[0], socket.MSG_WAITALL)
    with socket.socket(fileno=descriptors[0]) as theirs:
        try:
            middle = os.fork()
        except OSError as error:
            sock.sendall(_ANSWER.pack(-(error.errno or errno.EAGAIN)))
            return True
        if not middle:
            _fork_and_end(sock, theirs, text)
        os.waitpid(middle, 0)
    return True


def _fork_and_end(sock: socket.socket, theirs: socket.socket, text: bytes) -> NoReturn:
    """The process between the launcher and a starter: it ends at once, so that the starter is the daemon's child."""
    try:
        try:
            pid = os.fork()
        except OSError as error:
            pid = -(error.errno or errno.EAGAIN)
        if pid:
            sock.sendall(_ANSWER.pack(pid))
        else:
            sock.close()
            be_starter(pickle.loads(text), theirs)
    except BaseException as error:  # nothing above may go on here
        _say(f"condor_starter {os.getpid()}: {type(error).__name__}: {error}")
    finally:
        os._exit(1)


def be_starter(setup: StarterSetup, sock: socket.socket) -> NoReturn:
    """Turn a forked process into a starter, from its start to its end. ``sock`` is its end of the connection."""
    status = 1
    try:
        _reset_signals()
        become_subreaper()
        os.nice(setup.niceness)
        status = StarterDaemon(setup, sock).serve()
    except BaseException as error:  # nothing above may go on in a starter
        _say(f"condor_starter {os.getpid()}: {type(error).__name__}: {error}")
    finally:
        os._exit(status)


def _say(line: str) -> None:
    """Write a line to standard error, from a process that ends without the interpreter's own end."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _reset_signals() -> None:
    """Signals as at program start; those that end a program are ignored: the end of the connection ends us.

    By a handler, not SIG_IGN: an ignored signal would stay ignored in the jobs that starters execute.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, _ignore)


def _ignore(*arguments: object) -> None:
    """The daemon ends us by closing our socket."""
