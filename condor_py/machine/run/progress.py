"""Transfers that do not get on are given up, as by HTCondor's plugin: less than a byte a second for half a minute."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO

#: Seconds that a transfer may take before anybody looks, and between two looks.
PATIENCE = 30.0
#: Seconds between two thoughts of looking.
_PERIOD = 0.5


class Stalled(Exception):
    """The transfer does not get on."""


class Pace:
    """How a transfer gets on; ``bytes`` is what has come or gone so far."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.bytes = 0
        self._patience = patience
        self._looked = 0.0
        self._seen = 0

    def stalls(self, seconds: float) -> bool:
        """Whether the transfer is to be given up, ``seconds`` after it began."""
        if seconds <= self._patience:
            return False
        if not self.bytes:
            return True
        if seconds - self._looked <= self._patience:
            return False
        slow = self.bytes - self._seen < seconds - self._looked
        self._looked, self._seen = seconds, self.bytes
        return slow


class Counted:
    """A file that tells ``pace`` what is read of it."""

    def __init__(self, file: IO[bytes], pace: Pace) -> None:
        self._file = file
        self._pace = pace

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._pace.bytes += len(data)
        return data


@contextmanager
def watched(pace: Pace) -> Iterator[None]:
    """Raises Stalled inside when the pace says so, whatever is waited for there. In the main thread only: others are
    not watched."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    begun = time.monotonic()

    def look(_number: int, _frame: FrameType | None) -> None:
        if pace.stalls(time.monotonic() - begun):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stalled

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
