"""Idle jobs in the order in which they should run, by submitter and autocluster."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId

#: PreJobPrio1, PreJobPrio2, JobPrio, PostJobPrio1, PostJobPrio2 (negated: higher first).
Prios = tuple[int, int, int, int, int]
#: Sort key of the jobs of a submitter. Jobs with the same priorities share one tuple of them (``_shared``).
OrderKey = tuple[Prios, JobId]
#: A cycle sees ``limit`` jobs of each autocluster of a submitter that has up to _IN_ALL autoclusters. With more of them
#: it sees fewer of each, but at least _AT_LEAST.
_IN_ALL = 20
_AT_LEAST = 50
#: Relative difference that rounding may make between sums of cpus.
_ROUNDING = 1e-6
#: When more jobs than these enter or leave one list together, all of it is read once, instead of a bisection for each.
_MANY_OF_A_LIST = 32
#: Attributes that decide the position of a job among those of its submitter, before its id does.
PRIOS = ("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2")


def prios_of(ad: ClassAd) -> Prios:
    """Return the priorities of a job, negated, so that a higher one sorts first."""
    return _shared(*[-ad.eval_int(name, 0) for name in PRIOS])


@lru_cache(maxsize=1024)
def _shared(before: int, before_2: int, own: int, after: int, after_2: int) -> Prios:
    """Return the same tuple for the same priorities: a queue has many jobs and few priorities."""
    return (before, before_2, own, after, after_2)


def order_of(job: JobId, ad: ClassAd) -> OrderKey:
    """Sort key of a job among those of its submitter."""
    return (prios_of(ad), job)


class IdleJob(NamedTuple):
    """Place of an idle job in the index; adjacent jobs with the same request share one."""

    submitter: str
    autocluster: int
    prios: Prios
    cpus: float


class RequestGroup(NamedTuple):
    """Neighbours in a submitter's order that share an autocluster."""

    autocluster: int
    jobs: Sequence[JobId]


class IdleIndex:
    """Sorted lists by submitter and autocluster, best job first. To add or remove a job costs a bisection.

    The lists have job ids only, as there may be very many; the sort key of a job is made from its entry.
    """

    def __init__(self) -> None:
        self._jobs: dict[JobId, IdleJob] = {}
        self._groups: dict[str, dict[int, list[JobId]]] = {}
        self._cpus: dict[str, float] = {}

    def _key(self, job: JobId) -> OrderKey:
        """Sort key of a job that is in the index."""
        return self._jobs[job].prios, job

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, job: object) -> bool:
        return job in self._jobs

    def get(self, job: JobId) -> IdleJob | None:
        """Place of ``job`` in the index, None when it is not idle."""
        return self._jobs.get(job)

    def put(self, jobs: Sequence[JobId], entry: IdleJob) -> None:
        """Put jobs at the place of ``entry``, wherever they were before, if anywhere."""
        moved = [job for job in jobs if self._jobs.get(job) != entry]
        if not moved:
            return
        self.discard(moved)
        line = self._groups.setdefault(entry.submitter, {}).setdefault(entry.autocluster, [])
        if line and (neighbour := self._jobs[line[-1]]) == entry:
            entry = neighbour
        self._jobs.update(dict.fromkeys(moved, entry))
        self._cpus[entry.submitter] = self._cpus.get(entry.submitter, 0.0) + entry.cpus * len(moved)
        if len(moved) < _MANY_OF_A_LIST:
            for job in moved:
                if not line or self._key(line[-1]) < (entry.prios, job):
                    line.append(job)
                else:
                    insort(line, job, key=self._key)
            return
        moved.sort()
        at = bisect_left(line, (entry.prios, moved[0]), key=self._key)
        if at == bisect_left(line, (entry.prios, moved[-1]), key=self._key):  # no job's place is between theirs
            line[at:at] = moved
        else:
            line += moved
            line.sort(key=self._key)

    def discard(self, jobs: Sequence[JobId]) -> None:
        """Remove jobs; those that are not in the index are ignored."""
        entries = [self._jobs.get(job) for job in jobs]
        if len(jobs) <= _MANY_OF_A_LIST:
            for job, entry in zip(jobs, entries, strict=True):
                if entry is not None:
                    self._discard_one(job, entry)
            return
        places: dict[tuple[str, int], list[JobId]] = {}
        shared = entries[0] if len(set(map(id, entries))) == 1 else None
        if shared is not None:  # the usual case
            places[shared.submitter, shared.autocluster] = list(jobs)
        else:
            for job, entry in zip(jobs, entries, strict=True):
                if entry is not None:
                    places.setdefault((entry.submitter, entry.autocluster), []).append(job)
        for (submitter, autocluster), some in places.items():
            if len(some) > _MANY_OF_A_LIST:
                *most, last = some
                if shared is not None:
                    lowest, highest = (shared.prios, min(most)), (shared.prios, max(most))
                else:
                    keys = [self._key(job) for job in most]
                    lowest, highest = min(keys), max(keys)
                self._discard_between(self._groups[submitter][autocluster], lowest, highest, most)
                self._cpus[submitter] -= sum([self._jobs.pop(job).cpus for job in most])
                some = [last]  # removed as a single job is, together with the lists that become empty
            for job in some:
                self._discard_one(job, self._jobs[job])

    def _discard_one(self, job: JobId, entry: IdleJob) -> None:
        groups = self._groups[entry.submitter]
        line = groups[entry.autocluster]
        del line[0 if line[0] == job else bisect_left(line, (entry.prios, job), key=self._key)]
        del self._jobs[job]
        self._cpus[entry.submitter] -= entry.cpus
        if not line:
            del groups[entry.autocluster]
            if not groups:
                del self._groups[entry.submitter]
                del self._cpus[entry.submitter]
        if not self._jobs:
            self._jobs.clear()  # an empty table keeps its size until then

    def _discard_between(self, line: list[JobId], first: OrderKey, last: OrderKey, jobs: list[JobId]) -> None:
        """Remove jobs of a list, whose keys are all from ``first`` to ``last``."""
        begin, end = bisect_left(line, first, key=self._key), bisect_right(line, last, key=self._key)
        if end - begin == len(jobs):  # no other job is between them
            del line[begin:end]
        else:
            gone = set(jobs)
            line[begin:end] = [job for job in line[begin:end] if job not in gone]

    def jobs(self) -> Iterable[JobId]:
        """All idle jobs."""
        return self._jobs.keys()

    def validate(self) -> None:
        """AssertionError when the lists are not those of the jobs."""
        listed = [
            (job, submitter, autocluster)
            for submitter, groups in self._groups.items()
            for autocluster, line in groups.items()
            for job in line
        ]
        assert sorted(listed) == sorted([(job, one.submitter, one.autocluster) for job, one in self._jobs.items()])
        for submitter, groups in self._groups.items():
            assert groups, f"{submitter} has no idle jobs and is listed"
            in_order = all(line == sorted(line, key=self._key) for line in groups.values())
            assert in_order, f"the jobs of {submitter} are out of order"
            cpus = sum(one.cpus for one in self._jobs.values() if one.submitter == submitter)
            assert abs(self.weight(submitter) - cpus) < _ROUNDING * (1 + abs(cpus)), f"{submitter} wants {cpus} cpus"

    def submitters(self) -> Iterable[str]:
        """Submitters with idle jobs."""
        return self._groups.keys()

    def count(self, submitter: str) -> int:
        """Idle jobs of a submitter."""
        return sum(map(len, self._groups.get(submitter, {}).values()))

    def sizes(self, submitter: str) -> dict[int, int]:
        """Number of idle jobs in each autocluster of a submitter."""
        return {autocluster: len(line) for autocluster, line in self._groups.get(submitter, {}).items()}

    def weight(self, submitter: str) -> float:
        """Cpus that the idle jobs of a submitter ask for."""
        return self._cpus.get(submitter, 0.0)

    def best(self, submitter: str, accepts: Callable[[int], bool]) -> JobId | None:
        """The first job of a submitter whose autocluster is accepted."""
        best: OrderKey | None = None
        for autocluster, line in self._groups.get(submitter, {}).items():
            first = self._key(line[0])
            if (best is None or first < best) and accepts(autocluster):
                best = first
        return None if best is None else best[1]

    def requests(self, submitter: str, limit: int) -> Iterator[RequestGroup]:
        """Yield the first jobs of a submitter in their order, neighbours of one autocluster grouped.

        At most ``limit`` of each autocluster (fewer if there are many autoclusters): so one that fits no slot does not
        keep the others out, however many jobs it has.
        """
        groups = self._groups.get(submitter, {})
        each = min(limit, max(_AT_LEAST, _IN_ALL * limit // max(1, len(groups))))
        left = _IN_ALL * limit
        given: dict[int, int] = {}
        heads = [(self._key(line[0]), autocluster, 0) for autocluster, line in groups.items()]
        heapify(heads)
        while heads and left > 0:
            _, autocluster, begin = heappop(heads)
            line = groups[autocluster]
            end = bisect_left(line, heads[0][0], begin, key=self._key) if heads else len(line)
            taken = min(end - begin, each - given.get(autocluster, 0), left)
            yield RequestGroup(autocluster, line[begin : begin + taken])
            given[autocluster] = given.get(autocluster, 0) + taken
            left -= taken
            if end < len(line) and given[autocluster] < each:
                heappush(heads, (self._key(line[end]), autocluster, end))
