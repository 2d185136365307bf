"""The batches of the queue, folded as condor_q does, and folded again only where their jobs have changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from condor_py.cli.q.batch import Batch, Facts, Members, fold_clusters
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
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
    """Knowledge of a cluster: its batch, its jobs by state, the cluster of its DAGMan (0: none), and whether it may
    be that of others: it has a job 0."""

    __slots__ = ("key", "leads", "parent", "states")

    def __init__(self, key: Key, states: dict[int, int], parent: int, leads: bool) -> None:
        self.key = key
        self.states = states
        self.parent = parent
        self.leads = leads


class Batches:
    """The batches of live jobs, by the order of their first clusters."""

    def __init__(self) -> None:
        self.groups: dict[Key, Group] = {}
        self._clusters: dict[int, _Cluster] = {}
        #: Cluster of a DAGMan -> the clusters that name it.
        self._nodes: dict[int, set[int]] = {}

    def update(self, jobs: LiveJobs) -> None:
        """Take in what has changed since the last time."""
        touched = jobs.take_touched()
        if touched is None:
            self.groups.clear()
            self._clusters.clear()
            self._nodes.clear()
            touched = set(jobs.clusters)
        for number in sorted(self._with_nodes(touched)):
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
            members = [self._members(number, jobs) for number in sorted(group.clusters)]
            group.folded = fold_clusters(members, partial=False)[0]
        return group.folded

    def _members(self, number: int, jobs: LiveJobs) -> Members:
        procs = jobs.view.procs(number)
        first = jobs.view.job(JobId(number, procs[0]))
        assert first is not None
        low, high, states = (number, procs[0]), (number, procs[-1]), self._clusters[number].states
        return Members(Facts(first), first.eval_int("QDate"), low, high, len(procs), states)

    def _with_nodes(self, clusters: set[int]) -> set[int]:
        """Return clusters with those of their nodes, and of theirs: these move when the first come or go."""
        found, new = set(clusters), set(clusters)
        while new:
            new = {node for number in new for node in self._nodes.get(number, ())} - found
            found |= new
        return found

    def _drop(self, number: int) -> None:
        found = self._clusters.pop(number, None)
        if found is None:
            return
        if found.parent:
            nodes = self._nodes[found.parent]
            nodes.discard(number)
            if not nodes:
                del self._nodes[found.parent]
        group = self.groups[found.key]
        group.clusters.discard(number)
        group.states.subtract(found.states)
        group.folded = None
        if not group.clusters:
            del self.groups[found.key]

    def _add(self, jobs: LiveJobs, number: int, states: dict[int, int]) -> None:
        owner, name, dag, universe = _decides(jobs, number)
        parent = int(dag) if dag.isdecimal() and len(dag) < 12 else 0
        key: Key = number
        if parent:
            of_dag = self._clusters.get(parent)
            key = of_dag.key if of_dag is not None and of_dag.leads and parent < number else number
        elif name and universe != str(int(Universe.SCHEDULER)):
            key = (owner, name)
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(owner, name or f"ID: {number}")
        group.clusters.add(number)
        group.states.update(states)
        group.folded = None
        self._clusters[number] = _Cluster(key, states, parent, jobs.view.procs(number)[0] == 0)
        if parent:
            self._nodes.setdefault(parent, set()).add(number)


def _decides(jobs: LiveJobs, number: int) -> tuple[str, str, str, str]:
    procs = jobs.view.procs(number)
    found = [(jobs.view.texts(key, [(number, procs[:1])])[0] or "").strip('"') for key in _KEYS]
    return found[0], found[1], found[2], found[3]
