"""The log of condor_dagman, ``.dagman.out``."""

from __future__ import annotations

import os
import time

from condor_py.dagman.language.messages import NORMAL, QUIET
from condor_py.model.settings.daemon import LogSettings

_NAME = "condor_dagman (condor_DAGMAN)"
#: The level of lines that not even DAGMAN_VERBOSITY = 0 leaves out; the category of those that DAGMAN_DEBUG asks for.
_ALWAYS, _TEST = 0, "D_TEST"


class OutLog:
    """Appends lines with the time in front. What cannot be written is lost: a full disk ends no DAG."""

    def __init__(self, path: str, level: int) -> None:
        self.path = path
        #: DAGMAN_VERBOSITY: lines of a higher level are left out.
        self.level = level
        #: How a line begins (DAGMAN_DEBUG).
        self.look = LogSettings(path)
        self._lines: list[str] = []
        #: The last second in which something was said, and how its lines begin.
        self._second: tuple[int, str] = (-1, "")
        self._stamp = ""

    def say(self, text: str, level: int = NORMAL, category: str = "D_ALWAYS") -> None:
        """One line, written with the next ``flush``."""
        if level <= self.level:
            begin = self._begin(category)
            self._lines += [f"{begin}{line}\n" for line in text.split("\n")]

    def _begin(self, category: str) -> str:
        look, now = self.look, time.time()
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
        """A line for those who have D_TEST in DAGMAN_DEBUG."""
        if _TEST in self.look.categories:
            self.say(text, _ALWAYS, _TEST)

    def loud(self, text: str) -> None:
        """A line that is written whatever the verbosity."""
        self.say(text, QUIET)

    def flush(self) -> None:
        """Write what was said."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        try:
            with open(self.path, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.writelines(lines)
        except OSError:
            return

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
