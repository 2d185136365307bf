"""State of draining, also kept when the startd restarts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from condor_py.model.messages.kinds import DrainHow, OnCompletion


@dataclass(slots=True)
class DrainState:
    """The drain that is on, if any, and the totals of all. Times in Unix seconds, badput and idle time in
    cpu-seconds. ``boot_time`` is that of the machine when it was remembered."""

    active: bool = False
    how: DrainHow = "graceful"
    reason: str = ""
    request_id: str = ""
    on_completion: OnCompletion = "nothing"
    start: str = ""
    requests: int = 0
    last_start: int = 0
    last_stop: int = 0
    badput: float = 0.0
    unclaimed: float = 0.0
    counted_until: float = 0.0
    boot_time: int = 0

    def remembered(self, boot_time: int) -> dict[str, Any]:
        """State that the next startd of this machine needs."""
        return {**asdict(self), "boot_time": boot_time}


#: Boot times that differ by less are the same: they are computed from clocks that get corrected.
_SAME_BOOT = 30


def recalled(remembered: Mapping[str, Any], boot_time: int, now: float) -> DrainState:
    """The state that a former startd remembered. A drain continues, unless the machine was rebooted since."""
    known = {field.name: type(getattr(DrainState(), field.name)) for field in fields(DrainState)}
    usable = {name: value for name, value in remembered.items() if name in known and _is(value, known[name])}
    state = DrainState(**usable)
    if state.active and abs(state.boot_time - boot_time) > _SAME_BOOT:
        state.active = False
        state.start = ""
        state.last_stop = int(now)
    state.counted_until = now
    return state


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) or (kind is float and isinstance(value, int))
