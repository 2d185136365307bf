"""Seconds since somebody last typed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

#: Time of last access of a device in Unix seconds, or None when it does not exist.
AccessTime = Callable[[str], float | None]
CONSOLE_DEVICES = ("console", "mouse")


def access_time(path: str) -> float | None:
    """When ``path`` was last read from; None when it does not exist."""
    try:
        return os.stat(path).st_atime
    except OSError:
        return None


def terminals() -> list[str]:
    """Device names (without /dev/) of the terminals on which somebody is logged in."""
    import psutil

    return [user.terminal for user in psutil.users() if user.terminal]


def since(devices: Iterable[str], now: float, otherwise: int, accessed: AccessTime = access_time) -> int:
    """Seconds since the latest access of any of ``devices`` (names below /dev); ``otherwise`` when none exists."""
    times = [when for device in devices if (when := accessed(f"/dev/{device}")) is not None]
    return max(0, int(now - max(times))) if times else otherwise
