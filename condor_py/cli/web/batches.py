"""The batches of the queue, folded as condor_q does, and folded again only where their jobs have changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from condor_py.cli.q.batch import Batch, Members, fold_clusters
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from condor_py.cli.top.look import LiveJobs

#: What decides which batch a cluster is in.
_KEYS = ("owner", "jobbatchname", "dagmanjobid", "jobuniverse")
#: A batch: the name of an owner's, or the first cluster of one without.
Key = tuple[str, str] | int


class Group:
    """The clusters of one batch, and how many of their jobs are in each state."""

    __slots__ = ("clusters", "folded", "name", "owner", "states")

    def __init__(self, owner: str, name: str) -> None:
        self.owner = owner
        self.name = name
        self.clusters: set[int] = set()
        self.states: Counter[int] = Counter()
        self.folded: Batch | None = None

    @property
    def first(self) -> int:
        """Its lowest cluster, by which its address is known."""
        return min(self.clusters)

    def count(self, status: JobStatus) -> int:
        """Return how many jobs are in a state; jobs whose output is on its way run."""
        more = self.states[JobStatus.TRANSFERRING_OUTPUT] if status == JobStatus.RUNNING else 0
        return self.states[status] + more


class _Cluster:
    """What is known of a cluster: its batch, what decided that, and its jobs by state."""

    __slots__ = ("decides", "key", "states")

    def __init__(self, key: Key, decides: tuple[str, ...], states: dict[int, int]) -> None:
        self.key = key
        self.decides = decides
        self.states = states


class Batches:
    """The batches of live jobs, by the order of their first clusters."""

    def __init__(self) -> None:
        self.groups: dict[Key, Group] = {}
        self._clusters: dict[int, _Cluster] = {}

    def update(self, jobs: LiveJobs) -> None:
        """Take in what has changed since the last time."""
        touched = jobs.take_touched()
        if touched is None:
            self.groups.clear()
            self._clusters.clear()
            touched = set(jobs.clusters)
        again = {other for number in touched for other in self._nodes_of(number)}
        for number in sorted(touched | again):
            self._drop(number)
            counted = jobs.clusters.get(number)
            if counted:
                states: Counter[int] = Counter()
                for known, count in counted.items():
                    states[known.status] += count
                self._add(jobs, number, dict(states))

    def group_of(self, cluster: int) -> Group | None:
        """Return the batch that has a cluster."""
        found = self._clusters.get(cluster)
        return None if found is None else self.groups[found.key]

    def folded(self, group: Group, jobs: LiveJobs) -> Batch:
        """Return the row of condor_q for a batch."""
        if group.folded is None:
            members = {number: self._members(number, jobs) for number in sorted(group.clusters)}
            group.folded = fold_clusters(members, partial=False)[0]
        return group.folded

    def _members(self, number: int, jobs: LiveJobs) -> Members:
        procs = jobs.view.procs(number)
        first = jobs.view.job(JobId(number, procs[0]))
        assert first is not None
        return Members(first, (number, procs[0]), (number, procs[-1]), len(procs), self._clusters[number].states)

    def _nodes_of(self, number: int) -> Iterable[int]:
        """Return the other clusters of the batch that a cluster began: they move when it comes or goes."""
        found = self._clusters.get(number)
        if found is None or found.key != number:
            return ()
        return self.groups[number].clusters - {number}

    def _drop(self, number: int) -> None:
        found = self._clusters.pop(number, None)
        if found is None:
            return
        group = self.groups[found.key]
        group.clusters.discard(number)
        group.states.subtract(found.states)
        group.folded = None
        if not group.clusters:
            del self.groups[found.key]

    def _add(self, jobs: LiveJobs, number: int, states: dict[int, int]) -> None:
        owner, name, parent, universe = decides = _decides(jobs, number)
        key: Key = number
        if parent.isdecimal() and int(parent) > 0:
            of_dag = self._clusters.get(int(parent))
            key = of_dag.key if of_dag is not None else number
        elif name and universe != str(int(Universe.SCHEDULER)):
            key = (owner, name)
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(owner, name or f"ID: {number}")
        group.clusters.add(number)
        group.states.update(states)
        group.folded = None
        self._clusters[number] = _Cluster(key, decides, states)


def _decides(jobs: LiveJobs, number: int) -> tuple[str, str, str, str]:
    procs = jobs.view.procs(number)
    found = [(jobs.view.texts(key, [(number, procs[:1])])[0] or "").strip('"') for key in _KEYS]
    return found[0], found[1], found[2], found[3]
