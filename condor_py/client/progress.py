"""A line on a terminal that tells how far a long work has come, and how long it will still take.

Nothing is shown of work that takes less than half a second, nothing where standard error is no terminal, and nothing
where standard output is a pipe: what reads it writes on the same terminal. The line leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import stat
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
#: Seconds of work after which the time left is worth telling.
_KNOWN = 1.0
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_COLUMNS = 80
_CLEAR_TO_END = "\033[K"


class Line:
    """One line of a terminal, drawn over itself and never wider than the terminal is at the moment."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str) -> None:
        """The line says ``text``."""
        global _shown
        room = _columns() - 1
        text = printable(text)[:room]
        draw(sys.stderr, f"\r{text:<{min(room, self._width)}}{self._rest(room)}")
        sys.stderr.flush()
        self._width = max(min(room, self._width), len(text))
        _shown = self

    def clear(self) -> None:
        """The line is empty, and the next text begins where it began."""
        global _shown
        if self._width:
            room = _columns() - 1
            draw(sys.stderr, "\r" + " " * min(room, self._width) + self._rest(room) + "\r")
            sys.stderr.flush()
            self._width = 0
        _shown = None

    def _rest(self, room: int) -> str:
        """Return what clears the last column, which only a terminal that has become narrower shows text in."""
        return _CLEAR_TO_END if self._width > room else ""


_shown: Line | None = None


def erase() -> None:
    """Clear the line of a work that was interrupted, by an error or by the user."""
    if _shown is not None:
        with contextlib.suppress(OSError, ValueError):
            _shown.clear()


def may_show() -> bool:
    """Whether a person reads standard error, and no other program writes on that terminal meanwhile."""
    if not sys.stderr.isatty():
        return False
    try:
        return not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return True


def _columns() -> int:
    """Return the width of the terminal as it is now, as a user may change it at any time."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS


def time_left(elapsed: float, share: float) -> str:
    """Return how long a work still takes, of which ``share`` (0 to 1) took ``elapsed`` seconds; "" if unknown."""
    if elapsed < _KNOWN or not 0.0 < share < 1.0:
        return ""
    seconds = elapsed * (1.0 - share) / share
    for size, unit, lower, part in ((_DAY, "d", "h", _HOUR), (_HOUR, "h", "min", _MINUTE)):
        if seconds >= size:
            return f"{int(seconds // size):,} {unit} {int(seconds % size // part)} {lower} left"
    return f"{int(seconds // _MINUTE)} min left" if seconds >= _MINUTE else f"{max(1, round(seconds))} s left"


def amount(count: int, total: int | None, what: str) -> str:
    """Return ``12,000 of 100,000 jobs``; without a total ``12,000 jobs``. ``what`` is a plural."""
    return f"{count:,} {what}" if total is None else f"{count:,} of {total:,} {what}"


class Meter:
    """``12,000 of 100,000 jobs, 3 s left`` on stderr; without a total ``12,000 jobs``. ``what`` is a plural.

    ``quiet``: nothing is shown in any case, as a program reads the output.
    """

    def __init__(self, total: int | None, what: str, *, quiet: bool = False) -> None:
        self.total = total
        self.what = what
        #: Steps that were done before the first look: they tell nothing of the time that the others take.
        self.before = 0
        self.is_shown = not quiet and may_show()
        self._begin = time.monotonic()
        self._next = self._begin + PATIENCE
        self._line = Line()

    def at(self, count: int, share: float | None = None) -> None:
        """``count`` steps are done, which are ``share`` (0 to 1) of the work. Cheap; writes ten times a second at most.

        Without ``share`` that is the count's part of the total.
        """
        if not self.is_shown:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        parts = [amount(count, self.total, self.what)]
        if share is not None:
            parts.append(f"{100 * min(1.0, share):.0f} %")
        elif self.total is not None and self.total > self.before:
            share = (count - self.before) / (self.total - self.before)
        parts.append("" if share is None else time_left(now - self._begin, share))
        self._line.show(", ".join(filter(None, parts)))

    def done(self) -> None:
        """Takes the line away; it comes back when there is more to do for half a second."""
        self._line.clear()
        if self.is_shown:
            self._next = time.monotonic() + PATIENCE


class Ticker:
    """The state of work that another process reports now and then; ``ticking`` shows it."""

    def __init__(self, what: str, unit: str, *, is_shown: bool) -> None:
        self._what, self._unit = what, unit
        self._begin = time.monotonic()
        self._done, self._total = 0, 0
        #: Takes the reports of the other process; None where nothing is shown.
        self.told = self.at if is_shown else None

    def at(self, done: int, total: int) -> None:
        """``done`` of ``total`` units have been seen to."""
        self._done, self._total = done, total

    def text(self) -> str:
        """Return the line: ``tool: what ... 3 s``, or ``tool: 12,000 of 100,000 jobs, 3 s left``."""
        elapsed = time.monotonic() - self._begin
        if not self._total:
            return f"{self._what} ... {elapsed:.0f} s"
        share = min(1.0, self._done / self._total)
        left = time_left(elapsed, share)
        far = amount(self._done, self._total, self._unit) if self._unit else f"{100 * share:.0f} %"
        return f"{self._what.partition(':')[0]}: {far}{left and ', '}{left}"


@contextlib.contextmanager
def ticking(what: str, unit: str = "jobs", *, quiet: bool = False) -> Iterator[Ticker]:
    """``tool: what ... 3 s`` on stderr while the body runs; it must print nothing itself.

    ``unit`` is what the ticker counts, a plural; "" for work of which only the share is shown.
    """
    ticker = Ticker(what, unit, is_shown=not quiet and may_show())
    if ticker.told is None:
        yield ticker
        return
    from threading import Event, Thread

    over = Event()

    def tick() -> None:
        line = Line()
        pause = PATIENCE
        while not over.wait(pause):
            line.show(ticker.text())
            pause = _EVERY
        line.clear()

    thread = Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield ticker
    finally:
        over.set()
        thread.join()
