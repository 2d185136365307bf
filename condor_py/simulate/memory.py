"""Memory in simulations: what jobs really need, runs that end for want of it, and requests that follow from that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from condor_py.lang.classad import quote_string
from condor_py.lang.submit.auto import NEXT, retry_lines
from condor_py.lang.submit.evict import LINE
from condor_py.model.states import HoldCode
from condor_py.simulate.report import Report

#: A run for which its slot has too little memory ends after this part of its time.
_ENDS_AFTER = 0.5
#: The code and subcode of a job that had more memory than it asked for.
OVER_MEMORY = (int(HoldCode.JOB_OUT_OF_RESOURCES), 102)


@dataclass(slots=True)
class MemoryUse:
    """Runs that ended for want of memory; gigabyte-hours that runs had, and used."""

    starved: int = 0
    held: float = 0.0
    used: float = 0.0

    def count(self, seconds: float, megabytes: float, needed: float, starved: bool) -> None:
        """A run is over: how long it was, and the memory of its slot and of the job (0: unknown)."""
        self.starved += starved
        self.held += seconds / 3600 * megabytes / 1024
        self.used += seconds / 3600 * min(megabytes, needed) / 1024


def shortened(seconds: float) -> float:
    """Seconds until a run ends for want of memory."""
    return max(1.0, seconds * _ENDS_AFTER)


def auto_items(default: int, retries: int, most: int) -> dict[str, str]:
    """The attributes of jobs whose memory is found from the history. ``default`` and ``most``: megabytes."""
    return {
        "RequestMemory": "AutoRequestMemory",
        "AutoRequestMemory": str(default),
        "MemoryRequestSource": quote_string("default"),
        "NextRequestMemory": NEXT.format(name="RequestMemory"),
        "MaxRequestMemory": str(most),
        "TransformBody_RequestMemory": quote_string(LINE.join(retry_lines("RequestMemory", retries, is_limited=True))),
        "TransformOnEvict": quote_string("RequestMemory"),
    }


def comparison(
    found: tuple[Report, MemoryUse, int], fixed: tuple[Report, MemoryUse, int], span: Callable[[float], str]
) -> Iterator[str]:
    """Lines that compare requests that are found from the history with those that users made. Each: the report, its
    memory, and the number of jobs that were on hold in the end."""
    rows = [
        ("", "from the history", "as asked"),
        *zip(_NAMES, _figures(*found, span), _figures(*fixed, span), strict=True),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        yield f"{row[0].ljust(widths[0])}  {row[1].rjust(widths[1])}  {row[2].rjust(widths[2])}"


_NAMES = (
    "Jobs a day", "Jobs finished", "Jobs on hold in the end", "Runs that ended for want of memory",
    "Memory of runs, GB h", "Part of it that was used", "Wait on average",
)  # fmt: skip


def _figures(report: Report, memory: MemoryUse, on_hold: int, span: Callable[[float], str]) -> tuple[str, ...]:
    waits = sum(user.mean_wait * user.submitted for user in report.users) / max(1, report.submitted)
    return (
        f"{report.finished / max(report.seconds, 1.0) * 86400:.0f}", str(report.finished), str(on_hold),
        str(memory.starved), f"{memory.held:.0f}", f"{memory.used / max(memory.held, 1e-9):.0%}", span(waits),
    )  # fmt: skip
