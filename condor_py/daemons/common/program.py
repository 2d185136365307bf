"""A program that a daemon runs next to its work: cron programs, hooks, benchmarks. Nothing blocks.

It gets a session of its own, so that it can be killed with what it started, and reads ``stdin`` from memory. What it
prints comes as it comes (``on_output``) and as a whole at its end. It has ended when its process has; a child that it
leaves behind with its pipes is not waited for.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, NamedTuple

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.ownprograms import command_line
from condor_py.machine.probes import process
from condor_py.machine.run.identity import Account
from condor_py.machine.run.spawning import Launch, start

_CHUNK = 65536
#: Bytes of each stream that are kept, unless more is asked for; what is more is read and forgotten.
_MOST = 4_000_000


class Ended(NamedTuple):
    """``exit_code`` is None when it died by ``signal``. ``cut``: it printed more than ``out`` holds."""

    exit_code: int | None
    signal: int
    out: bytes
    err: bytes
    cut: bool = False


class Program:
    """One run of a program. OSError from the constructor: it could not be executed."""

    def __init__(
        self,
        loop: Loop,
        argv: Sequence[str],
        *,
        on_end: Callable[[Ended], None],
        on_output: Callable[[bytes], None] | None = None,
        environment: Mapping[str, str],
        directory: str | None = None,
        stdin: bytes = b"",
        user: Account | None = None,
        most: int = _MOST,
        niceness: int = 0,
    ) -> None:
        self._loop = loop
        self._most = most
        self._on_end = on_end
        self._on_output = on_output
        self._stdin = memoryview(stdin)
        self._cut = False
        self._kept: dict[int, bytearray] = {}
        launch = Launch(command_line(argv), environment, directory or "", user, niceness=niceness)
        source = subprocess.PIPE if stdin else subprocess.DEVNULL
        try:
            self._process = start(launch, source, subprocess.PIPE, subprocess.PIPE)
        except subprocess.SubprocessError:
            raise OSError(errno.EACCES, f"cannot work in {directory}", argv[0]) from None
        self.pid = self._process.pid
        #: Whose lines ``on_output`` gets; at the end it is closed before the other stream is read.
        self._out = self._process.stdout.fileno() if self._process.stdout is not None else -1
        loop.on_exit(self.pid, self._exited)
        self._watch()

    def _watch(self) -> None:
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                descriptor = stream.fileno()
                os.set_blocking(descriptor, False)
                self._kept[descriptor] = bytearray()
                self._loop.read(descriptor, self._reader(descriptor))
        if self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)
            self._loop.write(self._process.stdin.fileno(), self._feed)

    def _reader(self, descriptor: int) -> Callable[[], None]:
        def ready() -> None:
            self._read(descriptor)

        return ready

    def _read(self, descriptor: int, most: int = _CHUNK) -> int:
        """Read at most ``most`` bytes; the number read. One call reads once: a program that prints faster than it is
        read would keep the daemon from everything else."""
        try:
            data = os.read(descriptor, min(most, _CHUNK))
        except BlockingIOError:
            return 0
        if not data:
            self._loop.forget(descriptor)
            return 0
        kept = self._kept[descriptor]
        room = max(0, self._most - len(kept))
        kept += data[:room]
        if descriptor == self._out:
            self._cut = self._cut or len(data) > room
            if self._on_output is not None:
                self._loop.call(partial(self._on_output, data))  # whatever that does, the end is still to be reported
        return len(data)

    def _read_rest(self, descriptor: int) -> None:
        """Read what the pipe of an ended program holds now. A child that still prints into it is not waited for."""
        rest = int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)
        while rest > 0 and (count := self._read(descriptor, rest)):
            rest -= count

    def _feed(self) -> None:
        stream = self._process.stdin
        if stream is None or stream.closed:
            return
        try:
            written = os.write(stream.fileno(), self._stdin[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:  # it does not want to read: its own affair
            written = len(self._stdin)
        self._stdin = self._stdin[written:]
        if not self._stdin:
            self._loop.forget(stream.fileno())
            _close(stream)

    def signal(self, number: int) -> None:
        """Sends a signal to the program."""
        process.send([self.pid], number)

    def kill(self) -> None:
        """Kills the program with everything in its session. What is printed from now on is not kept: a shell that ends
        last reports that its child was killed, which is no answer of the program's."""
        if self._process.returncode is None:
            for descriptor in self._kept:
                self._read_rest(descriptor)
            self._most = 0
        process.send(process.session_pids(self.pid), signal.SIGKILL)

    def _exited(self, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        self._process.returncode = code
        collected: list[bytes] = []
        for stream in (self._process.stdout, self._process.stderr):
            if stream is None:
                continue
            self._read_rest(stream.fileno())
            collected.append(bytes(self._kept[stream.fileno()]))
            self._loop.forget(stream.fileno())
            _close(stream)
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._loop.forget(self._process.stdin.fileno())
            _close(self._process.stdin)
        out, err = collected
        self._on_end(Ended(None if code < 0 else code, -code if code < 0 else 0, out, err, self._cut))


def _close(stream: IO[bytes]) -> None:
    """Closes without a flush: the stream's own buffer is never used."""
    raw: IO[bytes] = getattr(stream, "raw", stream)
    raw.close()
