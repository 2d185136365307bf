"""The log of condor_dagman, ``.dagman.out``."""

from __future__ import annotations

import os
import time

from condor_py.lang.dag.messages import NORMAL, QUIET
from condor_py.model.settings.daemon import LogSettings
from condor_py.store.fs import is_full

_NAME = "condor_dagman (condor_DAGMAN)"
#: The level of lines that not even DAGMAN_VERBOSITY = 0 leaves out; the category of those that DAGMAN_DEBUG asks for.
_ALWAYS, _TEST = 0, "D_TEST"
#: Bytes that wait for room at most; seconds for which the last line does.
_MOST_LATE, _PATIENCE = 1 << 20, 10.0


def append(path: str, data: bytes) -> bytes:
    """Append to a log; return what found no room, the last megabyte of it. What cannot be written for another reason is
    lost."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        return data[-_MOST_LATE:] if is_full(error) else b""
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError as error:
        return data[-_MOST_LATE:] if is_full(error) else b""
    finally:
        os.close(handle)
    return b""


class OutLog:
    """Appends lines with the time in front. On a full disk they wait for room; what cannot be written for another
    reason is lost. Neither ends a DAG that runs."""

    def __init__(self, path: str, level: int) -> None:
        self.path = path
        #: DAGMAN_VERBOSITY: lines of a higher level are left out.
        self.level = level
        self._look = LogSettings(path)
        self._lines: list[str] = []
        #: What found no room.
        self._late = b""
        #: The last second in which something was said, and how its lines begin.
        self._second: tuple[int, str] = (-1, "")
        self._stamp = ""

    def configure(self, look: LogSettings) -> None:
        """Set how a line begins (DAGMAN_DEBUG)."""
        self._look = look

    def set_level(self, level: int) -> None:
        """Leave out lines of a higher level from now on."""
        self.level = level

    def say(self, text: str, level: int = NORMAL, category: str = "D_ALWAYS") -> None:
        """One line, written with the next ``flush``."""
        if level <= self.level:
            begin = self._begin(category)
            self._lines += [f"{begin}{line}\n" for line in text.split("\n")]

    def _begin(self, category: str) -> str:
        look, now = self._look, time.time()
        if (second := (int(now), look.time_format)) != self._second:
            self._second = second
            self._stamp = time.strftime(look.time_format, time.localtime(now)) if look.time_format else str(int(now))
        begin = self._stamp
        if look.milliseconds:
            begin += f".{int(now * 1000) % 1000:03d}"
        if look.pid:
            begin += f" (pid:{os.getpid()})"
        if look.tells_category:
            begin += f" ({category})"
        return begin + " "

    def test(self, text: str) -> None:
        """Add a line if DAGMAN_DEBUG has D_TEST."""
        if _TEST in self._look.categories:
            self.say(text, _ALWAYS, _TEST)

    def loud(self, text: str) -> None:
        """A line that is written whatever the verbosity."""
        self.say(text, QUIET)

    def flush(self) -> None:
        """Write what was said."""
        lines, self._lines = self._lines, []
        data = self._late + "".join(lines).encode("utf-8", "surrogateescape")
        if data:
            self._late = append(self.path, data)

    def refusal(self) -> str:
        """The reason why the log cannot be written at all; "" when it can, or lacks room."""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644))
        except OSError as error:
            return "" if is_full(error) else f"{self.path}: {error.strerror}"
        return ""

    def banner(self, version: str, platform: str) -> None:
        """The lines with which a daemon begins."""
        bar = "*" * 54
        program = os.path.realpath("/proc/self/exe")
        for line in (bar, "** condor_dagman (CONDOR_DAGMAN) STARTING UP", f"** {program}", f"** {version}",
                     f"** {platform}", f"** PID = {os.getpid()} RealUID = {os.getuid()}", bar):  # fmt: skip
            self.say(line, _ALWAYS)

    def farewell(self, code: int) -> None:
        """The line with which it ends."""
        self.say(f"**** {_NAME} pid {os.getpid()} EXITING WITH STATUS {code}", _ALWAYS)
        self.flush()
        deadline = time.monotonic() + _PATIENCE
        while self._late and time.monotonic() < deadline:
            time.sleep(0.2)
            self.flush()
