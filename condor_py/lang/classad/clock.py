"""The two sources of things that change by themselves: the system's clock and random numbers.

``time()`` in an expression calls ``now``, ``random()`` calls ``uniform``. A core that must be pure, or a test, puts its
own in place: ``with frozen(1700000000): ...`` or ``clock.now = lambda: cycle_start``.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

#: Seconds since 1970-01-01 UTC.
now: Callable[[], float] = time.time


def _uniform() -> float:
    import random

    return random.random()


#: A number in [0, 1).
uniform: Callable[[], float] = _uniform


class frozen:
    """Context manager: ``time()`` is ``seconds`` inside, whatever the system's clock says."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._before = now

    def __enter__(self) -> None:
        global now
        self._before = now
        seconds = self._seconds
        now = lambda: seconds  # noqa: E731 - a bound value, not a function of its own

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global now
        now = self._before
