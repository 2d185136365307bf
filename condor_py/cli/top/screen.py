"""The terminal of condor_top: curses draws, keys come in, and whatever ends us leaves the terminal as it was."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from condor_py.cli.act import told
from condor_py.cli.top.picture import Line, heights, picture
from condor_py.cli.top.state import Act, Look, Quit, State, press, settle
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    import curses

    from condor_py.cli.top.look import Looker
    from condor_py.cli.top.rows import Snapshot
    from condor_py.cli.top.state import Act
    from condor_py.client.pool import Pool

# What condor_top does to jobs when the user has confirmed.


def carry_out(pool: Pool, order: Act) -> str:
    """Carry out an order with the rights of the caller; return one line with the result."""
    from condor_py.model.selection import Selection

    try:
        results = pool.act(order.action, Selection(ids=order.jobs)).results
    except CondorError as error:
        return str(error).splitlines()[0]
    lines = [told(order.action, job, results.get(job)) for job in order.jobs]
    if len(lines) == 1:
        return f"{lines[0][0]}."
    failed = [text for text, worked in lines if not worked]
    done = f"{len(lines) - len(failed)} of {len(lines)} jobs: {order.action} worked."
    return f"{done} {failed[0]}." if failed else done


_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: A look may take this part of the time between two of them; on a queue where it takes longer we look less often.
_MOST_BUSY = 0.1
_ESCAPE_MS = 25


class CannotDraw(Exception):
    """The terminal cannot move its cursor, or its capabilities are unknown."""


class _Ended(BaseException):
    """A signal came; nothing on the way takes it for an error of its own."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run(pool: Pool, looker: Looker, state: State) -> int:
    """Until q or a signal; the exit code. CannotDraw."""
    try:
        import curses
    except ImportError:
        raise CannotDraw from None
    if os.environ.get("TERM", "dumb") == "dumb":
        raise CannotDraw
    try:
        curses.setupterm()
    except curses.error:
        raise CannotDraw from None
    if not curses.tigetstr("cup"):
        raise CannotDraw
    try:
        with _ended_by_signals():
            seen = looker.snapshot()
            with _full_screen() as window:
                return _Live(pool, looker, window, seen, state).run()
    except _Ended as end:
        return 0 if end.number == signal.SIGINT else 128 + end.number


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        for each in _ENDS:  # what puts the terminal in order is not ended by a second one
            signal.signal(each, signal.SIG_IGN)
        raise _Ended(number)

    before = {number: signal.signal(number, end) for number in _ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _full_screen() -> Iterator[curses.window]:
    """The whole terminal, whose keys come one by one; as it was before when this ends, whatever ends it."""
    import curses

    window = curses.initscr()
    try:
        curses.noecho()
        curses.cbreak()
        window.keypad(True)
        curses.set_escdelay(_ESCAPE_MS)
        with contextlib.suppress(curses.error):
            curses.curs_set(0)
        yield window
    finally:
        with contextlib.suppress(curses.error):
            curses.curs_set(1)
        with contextlib.suppress(curses.error):  # the terminal is gone
            curses.endwin()


class _Live:
    """Looks, draws, waits for a key, again and again."""

    def __init__(self, pool: Pool, looker: Looker, window: curses.window, seen: Snapshot, state: State) -> None:
        self._pool = pool
        self._looker = looker
        self._window = window
        self._seen = seen
        self._state = state
        self._styles = _styles()
        self._due = time.monotonic() + state.delay

    def run(self) -> int:
        """Until q, or until the terminal is gone."""
        while True:
            self._draw()
            key = self._key()
            if key == "gone":
                return 128 + signal.SIGHUP
            if key and not self._pressed(key):
                return 0
            if self._is_due():
                self._look()

    def _is_due(self) -> bool:
        quiet = self._state.paused or self._state.mode == "confirm"
        return not quiet and time.monotonic() >= self._due

    def _look(self) -> None:
        begun = time.monotonic()
        self._seen = self._looker.snapshot()
        now = time.monotonic()
        self._due = now + max(self._state.delay, (now - begun) / _MOST_BUSY)

    def _pressed(self, key: str) -> bool:
        """Whether to continue."""
        lines, _ = self._window.getmaxyx()
        delay = self._state.delay
        self._state, order = press(self._state, key, self._seen, heights(self._state, self._seen, lines))
        if isinstance(order, Act):
            message = carry_out(self._pool, order)
            self._look()
            self._state = self._state._replace(message=message)
        elif isinstance(order, Look):
            self._look()
        if self._state.delay != delay:
            self._due = time.monotonic() + self._state.delay
        return not isinstance(order, Quit)

    # ---- the terminal -------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        begun = time.monotonic()
        lines, columns = self._window.getmaxyx()
        self._state = settle(self._state, self._seen, heights(self._state, self._seen, lines))
        self._window.erase()
        for number, pieces in enumerate(picture(self._state, self._seen, columns, lines)):
            self._write(number, pieces)
        self._window.refresh()
        now = time.monotonic()
        self._due = max(self._due, now + (now - begun) / _MOST_BUSY)

    def _write(self, number: int, pieces: Line) -> None:
        import curses

        with contextlib.suppress(curses.error):  # a screen smaller than it said; its last corner cannot be written
            self._window.move(number, 0)
            for text, style in pieces:
                shown = text.encode(self._window.encoding, "replace").decode(self._window.encoding)
                self._window.addstr(shown, self._styles.get(style, 0))

    def _key(self) -> str:
        """The next key; "" when it is time to read the pool, or when there is only to redraw."""
        import curses

        left = 3600.0 if self._state.paused else self._due - time.monotonic()
        self._window.timeout(max(1, min(int(left * 1000), 3_600_000)))
        try:
            key = self._window.get_wch()
        except curses.error:
            return "gone" if _is_gone(sys.stdin.fileno()) else ""
        if key == curses.KEY_RESIZE:
            curses.update_lines_cols()
            return ""
        return _names().get(key, key if isinstance(key, str) else "")


def _is_gone(handle: int) -> bool:
    """Whether no key will ever come: the terminal was hung up."""
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poller.poll(0))


def _names() -> dict[int | str, str]:
    """The names of the keys that are no letters."""
    import curses

    return {
        curses.KEY_UP: "up", curses.KEY_DOWN: "down", curses.KEY_PPAGE: "pgup", curses.KEY_NPAGE: "pgdn",
        curses.KEY_HOME: "home", curses.KEY_END: "end", curses.KEY_BTAB: "btab", curses.KEY_F1: "f1",
        curses.KEY_ENTER: "enter", curses.KEY_BACKSPACE: "backspace", "\t": "tab", "\n": "enter", "\r": "enter",
        "\x1b": "esc", "\x7f": "backspace", "\b": "backspace", " ": "space", "\x0c": "g",
    }  # fmt: skip


def _styles() -> dict[str, int]:
    """Return the curses attributes of the styles; without colour they are bold, dim or reversed."""
    import curses

    styles = {
        "title": curses.A_BOLD, "head": curses.A_UNDERLINE, "focus": curses.A_REVERSE, "cursor": curses.A_REVERSE,
        "bar": curses.A_BOLD, "bad": curses.A_BOLD, "warn": curses.A_BOLD, "dim": curses.A_NORMAL,
    }  # fmt: skip
    if os.environ.get("NO_COLOR"):
        return styles
    with contextlib.suppress(curses.error):
        curses.start_color()
        if not curses.has_colors():
            return styles
        curses.use_default_colors()
        for number, (style, color) in enumerate(_COLORS.items(), 1):
            curses.init_pair(number, getattr(curses, f"COLOR_{color}"), -1)
            styles[style] = styles.get(style, 0) | curses.color_pair(number)
    return styles


_COLORS = {"good": "GREEN", "bad": "RED", "warn": "YELLOW", "bar": "GREEN", "focus": "CYAN", "head": "CYAN"}
