"""The batch display: clusters, named batches and DAGs folded into one row each."""

from __future__ import annotations

from condor_py.cli.output import renderers
from condor_py.cli.output.conversion import date
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.cli.q.source import job_key
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.states import JobStatus, Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COUNTERS = ("  DONE", "  RUN ", "  IDLE", "  HOLD", " TOTAL")
_HOLD_COLUMN = 3
#: What the fixed columns take of a terminal's width, and the least that owner, batch name and ids get.
_FIXED_WIDTH = 50
_LEAST_OWNER, _LEAST_NAME, _LEAST_IDS = 8, 10, 9

JobKey = tuple[int, int]


class Members:
    """The jobs of one cluster: the first of them, their lowest and highest id, their number, how many in each
    state."""

    __slots__ = ("first", "high", "low", "size", "states")

    def __init__(self, first: ClassAd, low: JobKey, high: JobKey, size: int, states: Mapping[int, int]) -> None:
        self.first = first
        self.low = low
        self.high = high
        self.size = size
        self.states = states


class Batch:
    """One row: the jobs folded into it, counted by state.

    ``total`` counts submitted procs and ``done`` those that left; both are unknown when a cluster does not tell.
    ``done`` is negative when there are more jobs than were submitted: -factory and edited jobs.
    """

    def __init__(self, key: JobKey, ad: ClassAd, by_node: bool = False) -> None:
        self.key = key
        self.by_node = by_node
        self.owner = self._owner(ad)
        name = renderers.batch_name(None, ad)
        self.name = f"ID: {key[0]}" if name is None else name
        self.submitted = ad.eval_int("QDate")
        self.states: dict[int, int] = {}
        self.total = self.done = self.unknown = self.jobs = 0
        self.widest_owner = text_width(self.owner or "")
        self.low: JobKey | None = None
        self.high: JobKey = (0, 0)

    def counters(self) -> list[int]:
        """DONE, RUN, IDLE, HOLD, TOTAL; unknown ones are 0."""
        states = self.states
        return [
            0 if self.unknown else self.done,
            states.get(JobStatus.RUNNING, 0) + states.get(JobStatus.TRANSFERRING_OUTPUT, 0),
            states.get(JobStatus.IDLE, 0) + states.get(JobStatus.SUSPENDED, 0),
            states.get(JobStatus.HELD, 0),
            0 if self.unknown else self.total,
        ]

    def job_ids(self) -> str:
        """``79.0-2``, ``85.0`` or ``83.0 ... 84.2``; ``0.0`` for a DAG without nodes."""
        low, high = self.low or (0, 0), self.high
        first = f"{low[0]}.{low[1]}"
        if low == high:
            return first
        return f"{first}-{high[1]}" if low[0] == high[0] else f"{first} ... {high[0]}.{high[1]}"

    def add_dag(self, members: Members) -> None:
        """Fold in a cluster of scheduler universe jobs: the first is the DAG, and in no counter itself."""
        ad = members.first
        self._count(members)
        self.states[ad.eval_int("JobStatus", 0)] -= 1
        total = ad.eval_int("DAG_NodesTotal")
        self.total += (ad.eval_int("TotalSubmitProcs", 0) if total is None else total) or 0
        self.done += ad.eval_int("DAG_NodesDone", 0)

    def add_cluster(self, members: Members, partial: bool) -> None:
        """Fold in the jobs of one cluster."""
        self._count(members)
        self.jobs += members.size
        self.low = min(self.low, members.low) if self.low is not None else members.low
        self.high = max(self.high, members.high)
        first = members.first
        if _parent(first) is not None:
            return
        submitted = first.eval_int("TotalSubmitProcs", 0)
        if not submitted:
            self.unknown += 1
            return
        self.total += submitted
        if not partial:
            materialized = first.eval_int("JobMaterializeNextProcId", -1)
            self.done += submitted - members.size if materialized < 0 else materialized - self.jobs

    def _owner(self, ad: ClassAd) -> str | None:
        """The owner, or with -dag the name of a node."""
        return renderers.dag_owner(ad.raw("Owner"), ad) if self.by_node else ad.eval_str("Owner")

    def _count(self, members: Members) -> None:
        self.widest_owner = max(self.widest_owner, text_width(self._owner(members.first) or ""))
        for status, count in members.states.items():
            self.states[status] = self.states.get(status, 0) + count


def fold(jobs: Iterable[ClassAd], partial: bool, by_node: bool = False) -> list[Batch]:
    """The batches of ``jobs`` (in job id order), in the order of their first jobs. ``by_node``: nodes whose DAGMan is
    not among them are shown by their names instead of their owners."""
    clusters: dict[int, list[tuple[JobKey, ClassAd]]] = {}
    for ad in jobs:
        key = job_key(ad)
        clusters.setdefault(key[0], []).append((key, ad))
    return fold_clusters({cluster: _members(found) for cluster, found in clusters.items()}, partial, by_node)


def _members(found: list[tuple[JobKey, ClassAd]]) -> Members:
    from collections import Counter

    states = Counter(ad.eval_int("JobStatus", 0) for _, ad in found)
    return Members(found[0][1], found[0][0], found[-1][0], len(found), states)


def fold_clusters(clusters: dict[int, Members], partial: bool, by_node: bool = False) -> list[Batch]:
    """The batches of clusters, in the order of their first jobs. A node joins a DAGMan that is job 0 of a cluster."""
    batches: list[Batch] = []
    by_name: dict[tuple[str | None, str], Batch] = {}
    of_cluster: dict[int, Batch] = {}
    for cluster, members in clusters.items():
        first = members.first
        batch = _home(first, of_cluster, by_name)
        if batch is None:
            batch = Batch(members.low, first, by_node)
            batches.append(batch)
            if first.has("JobBatchName") and not _is_dag(first):
                by_name.setdefault((first.eval_str("Owner"), batch.name), batch)
        if members.low[1] == 0:
            of_cluster[cluster] = batch
        if _is_dag(first):
            batch.add_dag(members)
        else:
            batch.add_cluster(members, partial)
    return batches


def _is_dag(ad: ClassAd) -> bool:
    return ad.eval_int("JobUniverse") == Universe.SCHEDULER


def _parent(ad: ClassAd) -> int | None:
    """The cluster of the DAGMan job that a job is a node of."""
    cluster = ad.eval_int("DAGManJobId", 0)
    return cluster if cluster > 0 else None


def _home(ad: ClassAd, of_cluster: dict[int, Batch], by_name: dict[tuple[str | None, str], Batch]) -> Batch | None:
    """The batch that the cluster of ``ad`` joins: that of its DAGMan, or one of the same name and owner."""
    parent = _parent(ad)
    if parent is not None and parent in of_cluster:
        return of_cluster[parent]
    name = ad.eval_str("JobBatchName")
    if parent is not None or name is None or _is_dag(ad):
        return None
    return by_name.get((ad.eval_str("Owner"), name))


def _digits(count: int) -> int:
    """The width that HTCondor gives to a count: 1 for one below zero, which is shown as nothing."""
    return len(str(count)) if count > 0 else 1


def table(batches: list[Batch], filler: str, width: int | None, *, keep_hold: bool = False) -> str:
    """Heading and rows; ``width`` (bytes) cuts rows, None leaves them whole and trims their ends."""
    owner_width, name_width = _widths(batches, width)
    rows = [batch.counters() for batch in batches]
    shown = [index for index in range(len(_COUNTERS)) if _shows(index, rows, keep_hold)]
    sizes = [max([6, *(_digits(row[index]) for row in rows)]) for index in range(len(_COUNTERS))]
    heading = (
        f"{pad('OWNER', owner_width, True)} {pad('BATCH_NAME', name_width, True)}    SUBMITTED "
        + "".join(f"{_COUNTERS[index]:<{sizes[index]}} " for index in shown)
        + "JOB_IDS"
    )
    lines = [_fit(heading, width, trim=False)]
    for batch, row in zip(batches, rows, strict=True):
        counters = "".join(f"{_counter(row[index], filler, sizes[index])} " for index in shown)
        owner = _cell(_unknown(owner_width) if batch.owner is None else batch.owner, owner_width)
        name = _cell(batch.name, name_width)
        submitted = "" if batch.submitted is None else date(batch.submitted)
        lines.append(_fit(f"{owner} {name} {submitted:>12} {counters}{batch.job_ids()}", width, trim=True))
    return "".join(line + "\n" for line in lines)


def _shows(index: int, rows: list[list[int]], keep_hold: bool) -> bool:
    return index != _HOLD_COLUMN or keep_hold or not rows or any(row[index] for row in rows)


def _unknown(width: int) -> str:
    return f"[{'?' * (width - 2)}]"


def _cell(text: str, width: int) -> str:
    return pad(cut(text, width), width, True)


def _counter(count: int, filler: str, width: int) -> str:
    return f"{count if count > 0 else filler or (count or 0):>{width}}"


def _fit(line: str, width: int | None, *, trim: bool) -> str:
    if width is not None:
        return cut(line, width - 1)
    return line.rstrip() if trim else line


def _widths(batches: list[Batch], width: int | None) -> tuple[int, int]:
    """The widths of OWNER and BATCH_NAME: the longest, squeezed on a terminal that is too narrow."""
    if not batches:
        return 5, 12
    owner = max(text_width(batch.owner or "") for batch in batches)
    widest = max(5, *(batch.widest_owner for batch in batches))
    name = max(text_width(batch.name) for batch in batches)
    if width is not None:
        ids = max(text_width(batch.job_ids()) for batch in batches)
        owner, name = _squeeze(owner, name, ids, width - _FIXED_WIDTH)
    return (max(8, owner) if owner < widest else owner), max(10, name)


def _squeeze(owner: int, name: int, ids: int, room: int) -> tuple[int, int]:
    """Deals ``room`` columns out evenly; what one column leaves goes to the others."""
    if owner + name + ids <= room:
        return owner, name
    share = int((room - _LEAST_OWNER - _LEAST_NAME - _LEAST_IDS) / 3)
    for_name = for_owner = share
    needed = name + owner - (2 * share + _LEAST_NAME + _LEAST_OWNER)
    if share < ids and needed > 7 and share < _LEAST_NAME:
        ids //= 2
    spare = share + _LEAST_IDS - ids
    if spare > 0:
        for_owner += spare // 2
        for_name += spare - spare // 2
    spare = for_name + _LEAST_NAME - name
    if spare > 0:
        for_owner = min(_LEAST_OWNER + for_owner + spare, owner) - _LEAST_OWNER
    spare = for_owner + _LEAST_OWNER - owner
    if spare > 0:
        for_name = min(_LEAST_NAME + for_name + spare, name) - _LEAST_NAME
    return min(owner, for_owner + _LEAST_OWNER), min(name, for_name + _LEAST_NAME)
