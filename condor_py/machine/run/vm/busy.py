"""How busy a virtual machine keeps its processors."""

from __future__ import annotations

from collections.abc import Callable


class Busy:
    """What its processes have used since the last telling, as a share of ``cpus`` processors: at most every
    ``interval`` seconds. ``since`` is when the machine was started; all times are seconds of one clock."""

    def __init__(self, interval: float, cpus: int, since: float) -> None:
        self._interval, self._cpus = interval, cpus
        self._told, self._used = since, 0.0

    def share(self, now: float, used: Callable[[], float]) -> float | None:
        """0.0 for one that stands still; None while it is too early. ``used`` looks how many seconds of CPU they have
        used; less than before where the machine has begun anew, as after it was a file."""
        passed = now - self._told
        if passed <= 0 or passed < self._interval:
            return None
        seconds = used()
        grown = seconds - self._used if seconds >= self._used else seconds
        self._told, self._used = now, seconds
        return round(grown / passed / self._cpus, 4)
