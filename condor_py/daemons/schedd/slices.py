"""Requests about many jobs, done in pieces: each batch of the schedd does as much as takes a moment, so that other work
does not wait for all of it. Each piece is a transaction of its own; the answer follows the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from condor_py.core.jobs import factory
from condor_py.core.jobs.requests import condition_of
from condor_py.model.copies import changed
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry
from condor_py.model.selection import Selection
from condor_py.store.job_queue import JobQueue

#: Jobs of the first piece, and those that a piece has at least and at most.
_JOBS = 300
_FEWEST = 100
_MOST = 3_000
#: Seconds of processor time that a turn of the loop should take that has a piece, with all that follows from it.
_TURN = 0.015
#: Performs a request on some jobs at a time (Unix seconds); returns results and records.
Step = Callable[[Selection, int], "tuple[dict[JobId, int], list[Entry]]"]


class PieceSize:
    """The number of jobs for the next piece."""

    def __init__(self) -> None:
        self.jobs = _JOBS

    def took(self, jobs: int, seconds: float) -> None:
        """Adapt to the processor time (seconds) of a turn that had a piece of so many jobs."""
        wanted = int(jobs * min(2.0, _TURN / max(seconds, 1e-9)))
        self.jobs = max(_FEWEST, min(_MOST, wanted))


class SlicedRequest:
    """A request about the jobs of a ``selection``. ``step`` performs it on some of them. ``factories``: the clusters
    whose factories it has been performed on already, and the records of that (see ``core.jobs.factory.act``)."""

    def __init__(
        self,
        queue: JobQueue,
        selection: Selection,
        step: Step,
        factories: tuple[Iterable[int], Iterable[Entry]] = ((), ()),
    ) -> None:
        self._step = step
        self._factories, first = factories
        self._first = list(first)
        self._selections = self._pieces(queue, selection)
        self.results: dict[JobId, int] = {}
        #: Number of jobs that were handled, or compared with the constraint.
        self.seen = 0
        #: When the client was last sent that number (``monotonic``).
        self.told = 0.0
        self._queue, self._selection = queue, selection
        #: The results for the wire: [cluster, first proc, how many procs, result].
        self.spans: list[list[int]] = []
        self.done = False
        #: Whether anything is to be written for it.
        self.changes = False
        self._size = PieceSize()
        self._next: Selection | None = None
        self._last = 0

    def took(self, seconds: float) -> None:
        """Adapt to the processor time (seconds) of the turn that had the last piece."""
        self._size.took(self._last, seconds)

    def total(self) -> int:
        """Return the number of jobs to handle or to compare, as of now."""
        named = len(self._selection.ids)
        return named + (self._queue.count() if self._selection.constraint is not None else 0)

    def _pieces(self, queue: JobQueue, selection: Selection) -> Iterator[Selection]:
        """Yield parts of the selection: named jobs first, then those that a constraint is to be evaluated for. The
        first part has the clusters that are named."""
        if selection.constraint is not None:
            condition_of(selection.constraint)  # an error in it is found before anything is done
        first = changed(selection, ids=(), constraint=None)
        ids = iter(selection.ids)
        while part := tuple(islice(ids, self._size.jobs)):
            yield changed(first, ids=part)
            first = changed(first, clusters=())
        jobs = _all_jobs(queue) if selection.constraint is not None else iter(())
        while part := tuple(islice(jobs, self._size.jobs)):
            yield changed(first, constraint=selection.constraint, among=part)
            first = changed(first, clusters=())
        if first.clusters or (selection.constraint is not None and not self.results):
            yield changed(first, constraint=selection.constraint, among=())

    def piece(self, moment: int) -> list[Entry]:
        """Do the next piece at ``moment`` (Unix seconds); return the records to commit. Then ``done`` is whether it was
        the last."""
        records, self._first = self._first, []
        selection = self._next or next(self._selections, None)
        if selection is not None:
            results, changes = self._step(selection, moment)
            again = results.keys() & self.results.keys()
            if again:
                changes = _without(changes, again)
                results = {job: result for job, result in results.items() if job not in again}
            self.results.update(results)
            _extend(self.spans, results)
            records += changes
            self._last = len(selection.ids) + len(selection.among or ())
            self.seen += self._last
            self._next = next(self._selections, None)
        if self._next is None:
            self.done = True
            have = len(self.results)
            factory.add_results(self.results, self._factories)
            _extend(self.spans, dict(islice(self.results.items(), have, None)))
        self.changes = self.changes or bool(records)
        return records


def _all_jobs(queue: JobQueue) -> Iterator[JobId]:
    """Yield the jobs of the clusters that are there now. The procs of a cluster are read when it is reached."""
    for cluster in queue.clusters():
        yield from [JobId(cluster, proc) for proc in queue.procs(cluster)]


def _extend(spans: list[list[int]], results: dict[JobId, int]) -> None:
    """Add results to spans: neighbours with the same result share one."""
    last = spans[-1] if spans else [0, 0, 0, 0]
    for (cluster, proc), result in results.items():
        if cluster == last[0] and proc == last[1] + last[2] and result == last[3]:
            last[2] += 1
        else:
            last = [cluster, proc, 1, result]
            spans.append(last)


def _without(entries: list[Entry], jobs: set[JobId]) -> list[Entry]:
    """Return the records that are not about these jobs."""
    keys = set(map(str, jobs))
    found: list[Entry] = []
    for entry in entries:
        if type(entry) is Alike:
            found.append(changed(entry, jobs=tuple([job for job in entry.jobs if job not in jobs])))
        elif type(entry) is Change and entry.key not in keys:
            found.append(entry)
    return found
