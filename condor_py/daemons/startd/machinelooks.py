"""When the startd looks at its machine: every POLLING_INTERVAL while time alone could change anything. Otherwise it
rests until its next update is due, and looks before whatever happens or is shown meanwhile, so that nobody decides by
what was true long ago."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.daemons.common.loop import Loop, monotonic


class MachineLooks:
    """``look`` takes one, and tells the core of it; ``pause`` are the seconds until the next that the core wants."""

    def __init__(self, loop: Loop, interval: float, look: Callable[[], None], pause: Callable[[], float]) -> None:
        self._loop, self._interval, self._take, self._pause = loop, interval, look, pause
        self._rests = False
        self._at = monotonic()
        self._timer = loop.after(interval, self._look)

    def _look(self) -> None:
        self._again(self._interval)  # if this one fails, the next may not
        self._fresh()
        pause = self._pause()
        if pause > self._interval:
            self._again(pause)
            self._rests = True

    def _again(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(seconds, self._look)
        self._rests = False

    def _fresh(self) -> None:
        self._at = monotonic()
        self._take()

    def change(self, interval: float) -> None:
        """Another POLLING_INTERVAL."""
        if interval != self._interval:
            self._interval = interval
            self._again(interval)

    def stir(self) -> None:
        """Something is about to happen: its decisions are made by what is true now, and looks go on."""
        if self._rests:
            self.refresh()
            self._again(self._interval)

    def refresh(self) -> None:
        """What is true now is about to be shown."""
        if monotonic() - self._at >= self._interval:
            rests, self._rests = self._rests, False  # what is seen is an event, too
            try:
                self._fresh()
            finally:
                self._rests = rests
