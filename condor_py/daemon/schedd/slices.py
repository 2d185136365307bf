"""Requests about many jobs, a piece at a time: in each batch of the schedd as much as takes a moment, so that nobody
else waits for the rest. Each piece is a transaction of its own; the answer follows the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from condor_py.daemon.common.loop import monotonic
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry
from condor_py.schedd import factory
from condor_py.schedd.requests import Selection, condition_of

if TYPE_CHECKING:
    from condor_py.daemon.schedd.daemon import ScheddDaemon
    from condor_py.store.job_queue import JobQueue

#: Jobs that are looked at together, how often in one piece, and its seconds: what follows takes several times as long.
_JOBS = 300
_AT_MOST = 2
_MOMENT = 0.004
#: What is done with some of the jobs at a time (Unix seconds): results and records.
Step = Callable[[Selection, int], "tuple[dict[JobId, int], list[Entry]]"]


class SlicedRequest:
    """``step`` performs the request on some of the jobs; ``factories`` were acted on, with records for the first piece
    (see ``schedd.factory.act``)."""

    def __init__(
        self,
        daemon: ScheddDaemon,
        selection: Selection,
        step: Step,
        factories: tuple[Iterable[int], Iterable[Entry]] = ((), ()),
    ) -> None:
        self._step = step
        self._factories, first = factories
        self._first = list(first)
        self._selections = self._pieces(daemon, selection)
        self.results: dict[JobId, int] = {}
        self.done = False

    def _pieces(self, daemon: ScheddDaemon, selection: Selection) -> Iterator[Selection]:
        if selection.constraint is not None:
            condition_of(selection.constraint)  # one that is none is found before anything is done
        first = replace(selection, ids=(), constraint=None)
        ids = iter(selection.ids)
        while part := tuple(islice(ids, _JOBS)):
            yield replace(first, ids=part)
            first = replace(first, clusters=())
        jobs = _all_jobs(daemon.queue) if selection.constraint is not None else iter(())
        while part := tuple(islice(jobs, _JOBS)):
            yield replace(first, constraint=selection.constraint, among=part)
            first = replace(first, clusters=())
        if first.clusters or (selection.constraint is not None and not self.results):
            yield replace(first, constraint=selection.constraint, among=())

    def piece(self, moment: int) -> list[Entry]:
        """The next moment's work, done at ``moment`` (Unix seconds): records to commit. ``done`` says whether it was
        the last."""
        until, records = monotonic() + _MOMENT, self._first
        self._first = []
        for count, selection in enumerate(self._selections, 1):
            results, changes = self._step(selection, moment)
            new = {job: result for job, result in results.items() if job not in self.results}
            if len(new) < len(results):
                keys = {str(job) for job in results if job not in new}
                changes = _without(changes, keys)
            self.results.update(new)
            records += changes
            if monotonic() > until or count == _AT_MOST:
                return records
        self.done = True
        factory.add_results(self.results, self._factories)
        return records


def _all_jobs(queue: JobQueue) -> Iterator[JobId]:
    """The jobs of the clusters that are there now, which are only counted up when their turn has come."""
    for cluster in queue.clusters():
        yield from [JobId(cluster, proc) for proc in queue.procs(cluster)]


def spans(results: dict[JobId, int]) -> list[list[int]]:
    """The results for the wire: [cluster, first proc, how many procs, result]."""
    found: list[list[int]] = []
    last = [0, 0, 0, 0]
    for (cluster, proc), result in results.items():
        if cluster == last[0] and proc == last[1] + last[2] and result == last[3]:
            last[2] += 1
        else:
            last = [cluster, proc, 1, result]
            found.append(last)
    return found


def _without(entries: list[Entry], keys: set[str]) -> list[Entry]:
    """The records that are not about jobs of these keys."""
    found: list[Entry] = []
    for entry in entries:
        if type(entry) is Alike:
            found.append(entry._replace(keys=tuple([key for key in entry.keys if key not in keys])))
        elif type(entry) is Change and entry.key not in keys:
            found.append(entry)
    return found
