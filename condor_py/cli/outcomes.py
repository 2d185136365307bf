"""The ends and holds of jobs, according to their event log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from condor_py.model.event_types import JobEventType

if TYPE_CHECKING:
    from condor_py.store.event_log import LogEvent

_TERMINATED, _ABORTED = JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED
_ENDED = re.compile(r"termination \((return value|signal) (-?\d+)\)")


class Outcomes:
    """Results of the events of jobs. ``held`` is the reason by job."""

    def __init__(self) -> None:
        self.held: dict[tuple[int, int, int], str] = {}
        self._worst = 0

    @property
    def status(self) -> int:
        """The highest exit status so far: 128 and its number for a signal, 1 for a removed job."""
        return self._worst

    def take(self, event: LogEvent) -> None:
        """The next event of a job."""
        job = (event.cluster, event.proc, event.subproc)
        if event.number == JobEventType.JOB_HELD:
            self.held[job] = event.lines[1].strip() if len(event.lines) > 1 else ""
        elif event.number in (JobEventType.JOB_RELEASED, _TERMINATED, _ABORTED):
            self.held.pop(job, None)
        if event.number == _ABORTED:
            self._worst = max(self._worst, 1)
        elif event.number == _TERMINATED:
            self._worst = max(self._worst, ending(event)[0])


def ending(event: LogEvent) -> tuple[int, int]:
    """(exit status, signal or 0) that event 005 tells: 128 and its number for a signal; 1 when it tells none."""
    found = _ENDED.search(event.text)
    if found is None:
        return 1, 0
    number = int(found[2])
    return (128 + number, number) if found[1] == "signal" else (number & 0xFF, 0)
