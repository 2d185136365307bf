"""Seconds since a user last typed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from condor_py.machine.probes.reader import Read, read_file
from condor_py.model import packages

#: Time of last access of a device in Unix seconds, or None when it does not exist.
AccessTime = Callable[[str], float | None]
CONSOLE_DEVICES = ("console", "mouse")
#: Where people's input devices may be, below /dev.
_INPUT = "input"
#: The users who are logged in. Machines of today and containers often have no such file.
_LOGINS = "/var/run/utmp"
#: Seconds between looks at a machine whose keyboard, if there is one, makes no interrupts of its own (USB).
_NO_INPUT = 60.0
#: Lines of /proc/interrupts that count key strokes and movements of the mouse.
_INPUT_INTERRUPTS = re.compile(r"i8042|keyboard|kbd|mouse|psaux|ps/2", re.IGNORECASE)


def access_time(path: str) -> float | None:
    """Return the time when ``path`` was last read from; None when it does not exist."""
    try:
        return os.stat(path).st_atime
    except OSError:
        return None


def terminals() -> list[str]:
    """Device names (without /dev/) of the terminals on which a user is logged in."""
    if not os.path.exists(_LOGINS):
        return []
    packages.make_known()
    import psutil

    return [user.terminal for user in psutil.users() if user.terminal]


def since(devices: Iterable[str], now: float, otherwise: int, accessed: AccessTime = access_time) -> int:
    """Seconds since the latest access of any of ``devices`` (names below /dev); ``otherwise`` when none exists."""
    times = [when for device in devices if (when := accessed(f"/dev/{device}")) is not None]
    return max(0, int(now - max(times))) if times else otherwise


def input_devices() -> list[str]:
    """Names (without /dev/) of the devices of keyboards and mice."""
    try:
        return [
            f"{_INPUT}/{name}" for name in os.listdir(f"/dev/{_INPUT}") if name.startswith(("event", "mouse", "mice"))
        ]
    except OSError:
        return []


class InputWatch:
    """Notices input by the interrupts it makes: they have no time, so that two looks are needed."""

    def __init__(self, read: Read = read_file) -> None:
        self._read = read
        self._count: int | None = None
        #: When a machine without such interrupts is looked at again: the kernel takes long to count them all.
        self._again = 0.0
        #: When interrupts were seen to have come, in Unix seconds; 0 when none has.
        self.last = 0.0

    def look(self, now: float) -> None:
        """Compares with the look before."""
        if 0.0 <= self._again - now <= _NO_INPUT:
            return
        count = self._interrupts()
        if count is None:
            self._again = now + _NO_INPUT
        if self._count is not None and count is not None and count != self._count:
            self.last = now
        self._count = count

    def _interrupts(self) -> int | None:
        """None where nothing counts input."""
        text = self._read("/proc/interrupts") or ""
        lines = [line for line in text.splitlines() if _INPUT_INTERRUPTS.search(line)]
        counts = [int(word) for line in lines for word in line.split()[1:] if word.isdigit()]
        return sum(counts) if lines else None
