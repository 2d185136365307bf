"""The log of condor_dagman, ``.dagman.out``."""

from __future__ import annotations

import os
import time

from condor_py.dagman.language.messages import NORMAL, QUIET

_NAME = "condor_dagman (condor_DAGMAN)"


class OutLog:
    """Appends lines with the time in front. What cannot be written is lost: a full disk ends no DAG."""

    def __init__(self, path: str, level: int) -> None:
        self.path = path
        #: DAGMAN_VERBOSITY: lines of a higher level are left out.
        self.level = level
        self._lines: list[str] = []

    def say(self, text: str, level: int = NORMAL) -> None:
        """One line, written with the next ``flush``."""
        if level <= self.level:
            stamp = time.strftime("%m/%d/%y %H:%M:%S ")
            self._lines += [f"{stamp}{line}\n" for line in text.split("\n")]

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
        for line in (bar, f"** {_NAME} STARTING UP", f"** {os.path.realpath('/proc/self/exe')}", f"** {version}",
                     f"** {platform}", f"** PID = {os.getpid()}", bar):  # fmt: skip
            self.loud(line)

    def farewell(self, code: int) -> None:
        """The line with which it ends."""
        self.loud(f"**** {_NAME} pid {os.getpid()} EXITING WITH STATUS {code}")
        self.flush()
