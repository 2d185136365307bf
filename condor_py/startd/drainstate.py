"""What is remembered about draining."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.startd.events import DrainHow, OnCompletion


@dataclass(slots=True)
class DrainState:
    """The drain that is on, if any, and the totals of all. Times in Unix seconds, badput and idle time in
    cpu-seconds."""

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
