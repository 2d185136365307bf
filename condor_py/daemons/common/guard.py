"""The guard of a daemon: a fault in handling one thing ends that thing's turn and goes to the log; never the daemon.

Everything that happens to a daemon happens in a callback of its loop, so the guard is there (``Loop.on_fault``), and
around each message of a connection, each item of a batch and each effect. Cores have smaller ones around one job
(``core.jobs.guard``) and one slot (``core.slots.guard``), which also decide what becomes of it.
"""

from __future__ import annotations

import traceback  # now: a fault for lack of descriptors leaves none to read it from
from collections.abc import Callable
from typing import Any

from condor_py.daemons.common.loop import monotonic
from condor_py.model.errors import described

#: Seconds in which a fault at the same place is logged in full once; more of them are counted.
_TOLD_FOR = 60.0
#: Places that are remembered.
_MOST_PLACES = 200


class FaultGuard:
    """``complain`` takes what is for the log."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._logged: dict[str, list[float]] = {}

    def fault(self, error: Exception, what: str = "") -> None:
        """Log a fault; the daemon continues."""
        place, moment = _place(error), monotonic()
        since, count = self._logged.get(place, (float("-inf"), 0))
        if moment - since < _TOLD_FOR:
            self._logged[place] = [since, count + 1]
            return
        if len(self._logged) >= _MOST_PLACES:
            self._logged.clear()
        self._logged[place] = [moment, 0]
        again = f" ({count:.0f} more of the kind since)" if count else ""
        self._complain(f"ERROR {what or 'a callback'} failed, the daemon continues{again}: {described(error)}")

    def turn(self, what: str, step: Callable[..., object], *arguments: Any) -> bool:
        """Do one step of many; False when it failed, which is logged."""
        try:
            step(*arguments)
        except Exception as error:  # whatever it is: the other steps are other people's
            self.fault(error, what)
            return False
        return True


def _place(error: Exception) -> str:
    """The type of a fault, and the file and line where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__} at {where}"
