"""Whether the daemons of a pool that has just been started serve, for the user who started it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from condor_py.daemons.common.loop import Loop, monotonic
from condor_py.daemons.master.obituary import manner
from condor_py.machine.probes.reader import read_file
from condor_py.model.limits import memory_limit

#: Seconds after which a daemon that has neither published nor died is reported.
_PATIENCE = 30.0
_POLL = 0.05
#: A daemon that dies is started again at once; what dies twice in a row does not serve.
_DEATHS = 2
#: What is read of the end of a log, at most, in bytes.
_TAIL_BYTES = 1 << 16
_LAST_WORDS = re.compile(r'ERROR "(.*?)"?$', re.MULTILINE)


class Starting(Protocol):
    """The view of a daemon that the master has started; ``pid`` is 0 while it does not run, ``status`` is that of its
    last end."""

    @property
    def name(self) -> str: ...
    @property
    def pid(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def wanted(self) -> bool: ...
    @property
    def status(self) -> int: ...


class StartReport(NamedTuple):
    """``lines`` are for the user; ``failed`` is whether a daemon that should serve does not."""

    lines: tuple[str, ...] = ()
    failed: bool = False


class StartWatch:
    """Waits until each daemon has published or died, and reports once."""

    def __init__(
        self,
        loop: Loop,
        daemons: Sequence[Starting],
        is_serving: Callable[[str, int], bool],
        logs: dict[str, str],
        report: Callable[[StartReport], None],
    ) -> None:
        """``is_serving`` takes a daemon's name and process id; ``logs`` are the paths of their logs."""
        self._loop = loop
        self._waiting = list(daemons)
        self._is_serving = is_serving
        self._logs = {name: _LogEnd(path) for name, path in logs.items()}
        self._report = report
        self._lines: list[str] = []
        self._failed = False
        self._deadline = monotonic() + _PATIENCE
        loop.soon(self._look)

    def _look(self) -> None:
        late = monotonic() >= self._deadline
        self._waiting = [daemon for daemon in self._waiting if not self._is_settled(daemon, late)]
        if self._waiting:
            self._loop.after(_POLL, self._look)
        else:
            self._report(StartReport(tuple(self._lines), self._failed))

    def _is_settled(self, daemon: Starting, late: bool) -> bool:
        program, log = f"condor_{daemon.name.lower()}", self._logs[daemon.name]
        if daemon.pid and self._is_serving(daemon.name, daemon.pid):
            return True
        if not daemon.wanted:
            self._lines.append(f"{program} has stopped until condor_on; see {log.path}")
        elif daemon.failures >= _DEATHS:
            self._failed = True
            self._lines.append(f"{program} does not start: {log.reason() or _end(daemon.status)}; see {log.path}")
        elif late:
            self._failed = True
            self._lines.append(f"{program} does not serve yet after {_PATIENCE:g} seconds; see {log.path}")
        else:
            return False
        return True


def _end(status: int) -> str:
    """Describe how a daemon ended, and the limit of memory that may have ended it."""
    limit = memory_limit(read_file) if status == -signal.SIGKILL else None
    if limit is None:
        return manner(status)
    return f"{manner(status)} (the control group has {limit >> 20} MB of memory)"


class _LogEnd:
    """The lines that a log gets from now on."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._begin = os.path.getsize(path) if os.path.exists(path) else 0

    def reason(self) -> str:
        """The last error in it; "" for none."""
        try:
            with open(self.path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                begin = self._begin if size >= self._begin else 0  # a log that was emptied, or another file
                file.seek(max(begin, size - _TAIL_BYTES))
                text = file.read(_TAIL_BYTES).decode(errors="replace")
        except OSError:
            return ""
        found = _LAST_WORDS.findall(text)
        return found[-1] if found else ""
