"""Work that may take long, done by a child so that the daemon stays responsive. What the work returns comes back by
pickle.

The child and all that it has started are killed by ``stop`` and when the daemon dies, unless it is ``lasting``. (A
parent-death signal would not do: the kernel forgets it when the child takes the rights of a job's owner.)
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from condor_py.daemons.common.loop import Loop
from condor_py.machine.probes import process

_CHUNK = 1 << 20


class Errand:
    """One piece of work. ``then`` gets what ``work`` returned, or None and why: ``work`` raised, the child died, or
    there can be no child. It is called in a later turn.

    ``alone``: the child keeps nothing of what the daemon has open, as it may wait in the kernel where not even SIGKILL
    ends it (a file system of a user that does not answer), and a lock that it held would keep the next daemon out.
    ``lasting``: the child finishes its work in any case, as it would leave too much behind (containers); the work has
    to end by itself.
    """

    def __init__(
        self,
        loop: Loop,
        work: Callable[[], Any],
        then: Callable[[Any, str], None],
        *,
        alone: bool = False,
        lasting: bool = False,
    ) -> None:
        self._loop = loop
        self._then = then
        self._lasting = lasting
        self._data = b""
        self._pid = 0
        ends: list[int] = []
        try:
            ends += os.pipe()
            ends += os.pipe()
            sys.stdout.flush()
            sys.stderr.flush()
            self._pid = os.fork()
        except OSError as error:  # no descriptor, process or memory is left
            for end in ends:
                os.close(end)
            self._wait = loop.after(0.0, partial(then, None, f"no process can be started: {error.strerror}"))
            return
        self._result, result, line, self._line = ends
        if not self._pid:
            os.close(self._result)
            os.close(self._line)
            if alone or lasting:
                close_all_but(result, line)
            _serve(work, result, None if lasting else line)
        os.close(result)
        os.close(line)
        loop.expect(self._pid)
        loop.read(self._result, self._read)

    @property
    def pid(self) -> int:
        """The child; 0 if there can be none."""
        return self._pid

    def stop(self) -> None:
        """Kills the child and all that it has started, if it is not lasting; ``then`` is not called any more."""
        if not self._pid:
            self._wait.cancel()
            return
        if not self._lasting:
            self._kill()
        self._close()
        self._loop.on_exit(self._pid, lambda status: None)  # it may take long: see ``alone``

    def _kill(self) -> None:
        process.send([self._pid], signal.SIGSTOP)  # it shall start nothing more
        process.kill_family(lambda: process.descendants(self._pid))
        process.send([self._pid], signal.SIGKILL)

    def _read(self) -> None:
        data = os.read(self._result, _CHUNK)
        if data:
            self._data += data
            return
        self._close()
        try:
            os.waitpid(self._pid, 0)
            self._loop.collected(self._pid)
        except ChildProcessError:
            pass  # the code that collects all children has collected this one
        try:
            result, why = pickle.loads(self._data)
        except Exception:  # what a dying child wrote may be cut anywhere
            result, why = None, "the child died"
        self._then(result, why)

    def _close(self) -> None:
        self._loop.forget(self._result)
        os.close(self._result)
        os.close(self._line)


def close_all_but(*kept: int) -> None:
    """Close what a forked child has inherited, except the standard streams and the descriptors that it needs."""
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2 and descriptor not in kept:
            with suppress(OSError):  # the one that listed them
                os.close(descriptor)


def _serve(work: Callable[[], Any], result: int, line: int | None) -> NoReturn:
    """The child: never returns into the daemon's code."""
    try:
        signal.set_wakeup_fd(-1)
        if line is not None:
            threading.Thread(target=_watch, args=(line,), daemon=True).start()
        try:
            data = pickle.dumps((work(), ""))
        except Exception as error:  # whatever a job does to the child, its daemon gets an answer
            data = pickle.dumps((None, f"{type(error).__name__}: {error}"))
        while data:
            data = data[os.write(result, data) :]
    finally:
        os._exit(0)


def _watch(line: int) -> None:
    """The daemon holds the other end of ``line``: when that closes, the result is not wanted any more."""
    os.read(line, 1)
    process.kill_family(lambda: process.descendants(os.getpid()))
    os._exit(1)
