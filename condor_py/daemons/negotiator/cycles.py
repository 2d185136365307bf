"""The last negotiation cycles, as the negotiator ad tells of them (LastNegotiationCycle attributes)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.core.match.cycle import Cycle

Value = int | float | str


class Fetching(NamedTuple):
    """When phase 1, the reading of the ads, began: wall clock and processor time in seconds."""

    wall: float
    cpu: float

    def seconds(self, wall: float, cpu: float) -> tuple[float, float]:
        """What it took until now."""
        return wall - self.wall, cpu - self.cpu


class CycleHistory:
    """Figures of the last cycles, latest first."""

    def __init__(self, length: int) -> None:
        self._cycles: deque[dict[str, Value]] = deque(maxlen=max(1, length))
        self._length = length

    def keep(self, length: int) -> None:
        """Remember ``length`` cycles from now on; one always, for the period of the next."""
        self._cycles = deque(list(self._cycles)[: max(1, length)], maxlen=max(1, length))
        self._length = length

    def add(self, cycle: Cycle, began: int, ended: int, slots: int, fetched: tuple[float, float]) -> None:
        """A cycle that ended. ``slots`` counts the slot ads read, which took ``fetched`` (wall, processor) seconds."""
        period = ended - int(self._cycles[0]["End"]) if self._cycles else 0
        self._cycles.appendleft(_figures(cycle, began, ended, period, slots, fetched))

    def attributes(self) -> Iterator[tuple[str, Value]]:
        """Names and values for the ad."""
        for number, figures in enumerate(list(self._cycles)[: self._length]):
            for name, value in figures.items():
                yield f"LastNegotiationCycle{name}{number}", value


def _figures(
    cycle: Cycle, began: int, ended: int, period: int, slots: int, fetched: tuple[float, float]
) -> dict[str, Value]:
    tally, plan = cycle.tally, cycle.plan
    matches, duration = len(plan.matches), ended - began
    return {
        "Time": began,
        "End": ended,
        "Period": period,
        "Duration": duration,
        **_phases(cycle, fetched),
        "PrefetchDuration": 0,
        "PrefetchCpuTime": 0.0,
        "TotalSlots": slots,
        "TrimmedSlots": tally.trimmed,
        "CandidateSlots": tally.candidates,
        "SlotShareIter": tally.rounds,
        "NumSchedulers": len(tally.schedds),
        "NumIdleJobs": sum(tally.idle.values()),
        "NumJobsConsidered": tally.considered,
        "Matches": matches,
        "Rejections": tally.rejections,
        "MatchRate": matches / duration if duration > 0 else 0.0,
        "MatchRateSustained": matches / period if period > 0 else 0.0,
        "ActiveSubmitterCount": len(tally.idle),
        "Pies": tally.pies,
        "PieSpins": tally.spins,
        "SubmittersFailed": "",
        "SubmittersOutOfTime": ", ".join(tally.out_of_time),
        "SubmittersShareLimit": ", ".join(tally.share_limit),
        "ScheddsOutOfTime": ", ".join(tally.schedds_out_of_time),
    }


def _phases(cycle: Cycle, fetched: tuple[float, float]) -> dict[str, Value]:
    """Durations in whole seconds, processor time in fractions; the sorting of phase 3 is no part of phase 4."""
    figures: dict[str, Value] = {}
    wall, cpu = list(cycle.tally.phase_time), list(cycle.tally.phase_cpu)
    for seconds, first in (wall, fetched[0]), (cpu, fetched[1]):
        seconds[0] += first
        seconds[3] = max(0.0, seconds[3] - seconds[2])
    figures["CpuTime"] = sum(cpu)
    for number in range(4):
        figures[f"Phase{number + 1}Duration"] = int(wall[number])
        figures[f"Phase{number + 1}CpuTime"] = cpu[number]
    return figures
