"""Requests about many jobs, a piece at a time: in each batch of the schedd as much as takes a moment, so that nobody
else waits for the rest. Each piece is a transaction of its own; the answer follows the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from condor_py.daemon.common.loop import monotonic
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.schedd.requests import Selection

if TYPE_CHECKING:
    from condor_py.daemon.schedd.daemon import ScheddDaemon

#: Jobs that are looked at together, and seconds of one piece.
_JOBS = 500
_MOMENT = 0.05
#: Job ids that one request may name; tools send more in several.

Step = Callable[[Selection], "tuple[dict[JobId, int], list[Change]]"]
#: The records that follow the last piece, from the results.
End = Callable[[dict[JobId, int]], list[Change]]


class SlicedRequest:
    """``step`` performs the request on some of the jobs; ``end`` makes what comes after all of them."""

    def __init__(self, daemon: ScheddDaemon, selection: Selection, step: Step, end: End) -> None:
        self._step = step
        self._end = end
        self._selections = self._pieces(daemon, selection)
        self.results: dict[JobId, int] = {}
        self.done = False

    def _pieces(self, daemon: ScheddDaemon, selection: Selection) -> Iterator[Selection]:
        first = replace(selection, ids=(), constraint=None)
        ids = iter(selection.ids)
        while part := tuple(islice(ids, _JOBS)):
            yield replace(first, ids=part)
            first = replace(first, clusters=())
        jobs = iter([job for job, _ in daemon.queue.jobs()] if selection.constraint is not None else ())
        while part := tuple(islice(jobs, _JOBS)):
            yield replace(first, constraint=selection.constraint, among=part)
            first = replace(first, clusters=())
        if first.clusters or (selection.constraint is not None and not self.results):
            yield replace(first, constraint=selection.constraint, among=())

    def piece(self) -> list[Change]:
        """The next moment's work: records to commit. ``done`` says whether it was the last."""
        until, records = monotonic() + _MOMENT, []
        for selection in self._selections:
            results, changes = self._step(selection)
            new = {job: result for job, result in results.items() if job not in self.results}
            if len(new) < len(results):
                keys = {str(job) for job in results if job not in new}
                changes = [change for change in changes if change.key not in keys]
            self.results.update(new)
            records += changes
            if monotonic() > until:
                return records
        self.done = True
        return records + self._end(self.results)
