"""When the startd's core is asked to look at its timers: those of claims, matches and runs, and of a shutdown.

Nothing but events changes them: without any an idle startd is asked when the next timer is due, or never. Events of one
moment are looked at together, a moment later.
"""

from __future__ import annotations

from collections.abc import Callable

from condor_py.daemons.common.loop import Loop, Timer, now

#: Seconds between an event and the look at the timers that it may have set, and between looks while one is due.
_SOON = 0.2


class Alarm:
    """``wakeup`` says when the next timer is due (Unix seconds, None for none), ``poll`` has the core look at them."""

    def __init__(self, loop: Loop, wakeup: Callable[[], float | None], poll: Callable[[], object]) -> None:
        self._loop, self._wakeup, self._poll = loop, wakeup, poll
        self._timer = Timer(_never)
        self._is_soon = False

    def stir(self) -> None:
        """Something happened."""
        if not self._is_soon:
            self._set(_SOON)

    def look(self) -> None:
        """Polls if a timer is due; else waits for the next one."""
        self._is_soon = False  # if we fail now, the next event has us look again
        wakeup = self._wakeup()
        if wakeup is not None and wakeup <= now():
            self._set(_SOON)
            self._poll()
        elif wakeup is not None:
            self._set(wakeup - now())
        else:
            self._timer.cancel()

    def _set(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(max(seconds, 0.0), self.look)
        self._is_soon = seconds <= _SOON


def _never() -> None:
    """The timer that is not set."""
