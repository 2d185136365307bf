"""Requests about many jobs, a piece at a time: in each batch of the schedd as much as takes a moment, so that nobody
else waits for the rest. Each piece is a transaction of its own; the answer follows the last.
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
#: Seconds of processor time that a turn of the loop with a piece is to take, with all that comes of the piece in it.
_TURN = 0.015
#: What is done with some of the jobs at a time (Unix seconds): results and records.
Step = Callable[[Selection, int], "tuple[dict[JobId, int], list[Entry]]"]


class PieceSize:
    """The number of jobs for the next piece."""

    def __init__(self) -> None:
        self.jobs = _JOBS

    def took(self, jobs: int, seconds: float) -> None:
        """So much processor time has gone by in the turn of a piece of so many jobs."""
        wanted = int(jobs * min(2.0, _TURN / max(seconds, 1e-9)))
        self.jobs = max(_FEWEST, min(_MOST, wanted))


class SlicedRequest:
    """``step`` performs the request on some of the jobs; ``factories`` were acted on, with records for the first piece
    (see ``schedd.factory.act``)."""

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
        #: Jobs that have been seen to, or that the constraint was tried on.
        self.seen = 0
        #: When the client last heard how many (``monotonic``).
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
        """So much processor time has gone by in the turn of the last piece."""
        self._size.took(self._last, seconds)

    def total(self) -> int:
        """Return how many jobs have to be seen to, of those that are there now."""
        named = len(self._selection.ids)
        return named + (self._queue.count() if self._selection.constraint is not None else 0)

    def _pieces(self, queue: JobQueue, selection: Selection) -> Iterator[Selection]:
        if selection.constraint is not None:
            condition_of(selection.constraint)  # one that is none is found before anything is done
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
        """The next moment's work, done at ``moment`` (Unix seconds): records to commit. ``done`` says whether it was
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
    """The jobs of the clusters that are there now, which are only counted up when their turn has come."""
    for cluster in queue.clusters():
        yield from [JobId(cluster, proc) for proc in queue.procs(cluster)]


def _extend(spans: list[list[int]], results: dict[JobId, int]) -> None:
    """More results."""
    last = spans[-1] if spans else [0, 0, 0, 0]
    for (cluster, proc), result in results.items():
        if cluster == last[0] and proc == last[1] + last[2] and result == last[3]:
            last[2] += 1
        else:
            last = [cluster, proc, 1, result]
            spans.append(last)


def _without(entries: list[Entry], jobs: set[JobId]) -> list[Entry]:
    """The records that are not about these jobs."""
    keys = set(map(str, jobs))
    found: list[Entry] = []
    for entry in entries:
        if type(entry) is Alike:
            found.append(changed(entry, jobs=tuple([job for job in entry.jobs if job not in jobs])))
        elif type(entry) is Change and entry.key not in keys:
            found.append(entry)
    return found
