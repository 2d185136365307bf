"""Calls that the loop makes again and again."""

from __future__ import annotations

import pytest

from condor_py.daemons.common import loop as loops
from condor_py.daemons.common.loop import Loop


class Waits(Loop):
    """Notes for how long calls wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def after(self, seconds: float, callback: loops.Callback) -> loops.Timer:
        """Note how long."""
        self.waits.append(seconds)
        return super().after(seconds, callback)


@pytest.mark.parametrize(
    ("seconds", "first", "changed", "waits"),
    [(9.0, None, 8.0, [9.0, 8.0]), (9.0, 5.0, 8.0, [5.0, 5.0]), (9.0, 5.0, 3.0, [5.0, 3.0]), (9.0, 5.0, 9.0, [5.0])],
)
def test_the_first_call_may_come_sooner(
    seconds: float, first: float | None, changed: float, waits: list[float]
) -> None:
    loop = Waits()
    none = lambda: None  # noqa: E731
    repeat = loop.every(seconds, none) if first is None else loop.every(seconds, none, first=first)
    repeat.change(changed)
    assert loop.waits == waits
