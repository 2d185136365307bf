"""A line on a terminal that tells how far a long work has come, and leaves nothing behind.

Nothing is shown of work that takes less than half a second, and nothing where stderr is no terminal.
"""

from __future__ import annotations

import contextlib
import sys
import time

from condor_py.client.screen import draw
from condor_py.model.texts import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Seconds before anything is shown, and between two looks of it.
PATIENCE = 0.5
_EVERY = 0.1


class Line:
    """One line of a terminal, drawn over itself."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str) -> None:
        """The line says ``text``."""
        self._width = max(self._width, len(text))
        draw(sys.stderr, f"\r{printable(text):<{self._width}}")
        sys.stderr.flush()

    def clear(self) -> None:
        """The line is empty, and the next text begins where it began."""
        if self._width:
            draw(sys.stderr, "\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0


class Meter:
    """``12,000 of 100,000 jobs`` on stderr; without a total ``12,000 jobs``. ``what`` is a plural."""

    def __init__(self, total: int | None, what: str) -> None:
        self.total = total
        self.what = what
        self.is_shown = sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE
        self._line = Line()

    def at(self, count: int) -> None:
        """``count`` steps are done. Cheap; writes at most ten times a second."""
        if not self.is_shown:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        total = "" if self.total is None else f" of {self.total:,}"
        self._line.show(f"{count:,}{total} {self.what}")

    def done(self) -> None:
        """Takes the line away; it comes back when there is more to do for half a second."""
        self._line.clear()
        if self.is_shown:
            self._next = time.monotonic() + PATIENCE


@contextlib.contextmanager
def ticking(what: str) -> Iterator[None]:
    """``what ... 3 s`` on stderr while the body runs; it must print nothing itself."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    over = Event()

    def tick() -> None:
        begin = time.monotonic()
        line = Line()
        pause = PATIENCE
        while not over.wait(pause):
            line.show(f"{what} ... {time.monotonic() - begin:.0f} s")
            pause = _EVERY
        line.clear()

    thread = Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
