"""How busy a daemon is: DaemonCoreDutyCycle and RecentDaemonCoreDutyCycle of its ad."""

from __future__ import annotations

import time

#: Seconds that the recent share is of, at least.
_WINDOW = 20.0


class DutyCycle:
    """Shares (0 to 1) of the wall time in which this process computed; a single-threaded daemon does nothing else."""

    def __init__(self) -> None:
        self._born = self._since = time.monotonic()
        self._used = time.process_time()
        self._recent = 0.0

    def shares(self) -> tuple[float, float]:
        """Since the start, and recently."""
        now, used = time.monotonic(), time.process_time()
        if now - self._since >= _WINDOW:
            self._recent = min(1.0, (used - self._used) / (now - self._since))
            self._since, self._used = now, used
        return min(1.0, used / max(now - self._born, _WINDOW)), self._recent
