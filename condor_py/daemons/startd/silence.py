"""A schedd that is connected but stopped says nothing: its claims have their lease from then on."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.slots.events import Event, ScheddBack, ScheddSilent
from condor_py.daemons.common.loop import Loop, monotonic, now

#: Seconds between looks whether it is silent: while it is or soon may be, and at most.
_SOON, _LATER = 1.0, 30.0


class Silence:
    """``connected`` returns whether there is a schedd, ``claims`` whether it has any: else no message is due.
    ``happened`` receives the events."""

    def __init__(
        self,
        loop: Loop,
        seconds: float,
        connected: Callable[[], bool],
        claims: Callable[[], bool],
        happened: Callable[[Event], object],
    ) -> None:
        self._loop, self._connected, self._claims, self._happened = loop, connected, claims, happened
        self._patience = seconds
        self._heard, self._silent = monotonic(), False
        self._timer = loop.after(_SOON, self.listen)

    def change(self, seconds: float) -> None:
        """Wait so long for a word from now on."""
        self._patience = seconds

    def heard(self) -> None:
        """A word of the schedd."""
        self._heard = monotonic()

    def begins(self) -> None:
        """A schedd (again)."""
        self._heard, self._silent = monotonic(), False
        self.listen()

    def listen(self) -> None:
        """Looks, and once more in time; not while nothing is expected."""
        expected = self._connected() and self._claims()
        silent = expected and monotonic() - self._heard > self._patience
        if silent and not self._silent:
            self._happened(ScheddSilent(now() - monotonic() + self._heard))
        elif self._silent and not silent and self._connected():
            self._happened(ScheddBack())
        self._silent = silent
        self._timer.cancel()
        if expected:
            left = self._heard + self._patience - monotonic()
            self._timer = self._loop.after(min(max(_SOON, left), _LATER), self.listen)

    def go_on(self) -> None:
        """Something may be expected now."""
        if self._timer.cancelled:
            self.listen()
