"""A line on a terminal that tells how far a long work has come, and leaves nothing behind."""

from __future__ import annotations

import sys
import time

#: Work of fewer steps shows no line.
LEAST = 2000
_EVERY = 0.1


class Meter:
    """``12,000 of 100,000 jobs`` on stderr, on a terminal only and not for short work. ``what`` is a plural."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self.is_shown = total >= LEAST and sys.stderr.isatty()
        self._next = 0.0
        self._width = 0

    def at(self, count: int) -> None:
        """``count`` steps are done. Cheap; writes at most ten times a second."""
        if not self.is_shown or count % 256:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        text = f"{count:,} of {self.total:,} {self.what}"
        self._width = max(self._width, len(text))
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()

    def done(self) -> None:
        """Takes the line away."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
