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
    from collections.abc import Collection, Iterable, Mapping

_COUNTERS = ("  DONE", "  RUN ", "  IDLE", "  HOLD", " TOTAL")
_HOLD_COLUMN = 3
#: What the fixed columns take of a terminal's width, and the least that owner, batch name and ids get.
_FIXED_WIDTH = 50
_LEAST_OWNER, _LEAST_NAME, _LEAST_IDS = 8, 10, 9

JobKey = tuple[int, int]


class Facts:
    """The facts that the first job of a cluster tells of its batch. Clusters whose first jobs are alike may share them.

    ``batch_name`` is None where JobBatchName is no text, ``named`` says that there is one. ``parent`` is the cluster of
    the DAGMan job that the job is a node of. ``by_node``: with -dag the owner is the name of a node.
    """

    __slots__ = (
        "batch_name", "is_dag", "made", "name", "named", "nodes", "nodes_done", "owner", "parent", "shown_owner",
        "status", "submitted", "width",
    )  # fmt: skip

    def __init__(self, ad: ClassAd, by_node: bool = False) -> None:
        self.owner = ad.eval_str("Owner")
        self.shown_owner = renderers.dag_owner(ad.raw("Owner"), ad) if by_node else self.owner
        self.width = text_width(self.shown_owner or "")
        self.named = ad.has("JobBatchName")
        self.batch_name = ad.eval_str("JobBatchName")
        self.name = renderers.batch_name(None, ad)
        self.is_dag = ad.eval_int("JobUniverse") == Universe.SCHEDULER
        parent = ad.eval_int("DAGManJobId", 0)
        self.parent = parent if parent > 0 else None
        self.submitted = ad.eval_int("TotalSubmitProcs", 0)
        self.made = ad.eval_int("JobMaterializeNextProcId", -1)
        self.nodes = ad.eval_int("DAG_NodesTotal")
        self.nodes_done = ad.eval_int("DAG_NodesDone", 0)
        self.status = ad.eval_int("JobStatus", 0)


#: The attributes (in lower case) that Facts reads.
FACTS = (
    "owner", "jobbatchname", "jobuniverse", "dagmanjobid", "dagnodename", "totalsubmitprocs",
    "jobmaterializenextprocid", "dag_nodestotal", "dag_nodesdone", "jobstatus",
)  # fmt: skip


class Members:
    """The jobs of one cluster: what the first of them says, its QDate, the lowest and highest id, their number, how
    many in each state."""

    __slots__ = ("date", "facts", "high", "low", "size", "states")

    def __init__(
        self, facts: Facts, date: int | None, low: JobKey, high: JobKey, size: int, states: Mapping[int, int]
    ) -> None:
        self.facts = facts
        self.date = date
        self.low = low
        self.high = high
        self.size = size
        self.states = states


class Batch:
    """One row: the jobs folded into it, counted by state.

    ``total`` counts submitted procs and ``done`` those that left; both are unknown when a cluster does not tell.
    ``done`` is negative when there are more jobs than were submitted: -factory and edited jobs.
    """

    __slots__ = (
        "done", "high", "jobs", "key", "low", "name", "owner", "states", "submitted", "total", "unknown",
        "widest_owner",
    )  # fmt: skip

    def __init__(self, members: Members) -> None:
        facts = members.facts
        self.key = members.low
        self.owner = facts.shown_owner
        self.name = f"ID: {self.key[0]}" if facts.name is None else facts.name
        self.submitted = members.date
        self.states: Mapping[int, int] = {}
        self.total = self.done = self.unknown = self.jobs = self.widest_owner = 0
        self.low: JobKey | None = None
        self.high: JobKey = (0, 0)

    def counters(self) -> tuple[int, int, int, int, int]:
        """DONE, RUN, IDLE, HOLD, TOTAL; unknown ones are 0."""
        states = self.states
        return (
            0 if self.unknown else self.done,
            states.get(JobStatus.RUNNING, 0) + states.get(JobStatus.TRANSFERRING_OUTPUT, 0),
            states.get(JobStatus.IDLE, 0) + states.get(JobStatus.SUSPENDED, 0),
            states.get(JobStatus.HELD, 0),
            0 if self.unknown else self.total,
        )

    def job_ids(self) -> str:
        """``79.0-2``, ``85.0`` or ``83.0 ... 84.2``; ``0.0`` for a DAG without nodes."""
        low, high = self.low or (0, 0), self.high
        first = f"{low[0]}.{low[1]}"
        if low == high:
            return first
        return f"{first}-{high[1]}" if low[0] == high[0] else f"{first} ... {high[0]}.{high[1]}"

    def add_dag(self, members: Members) -> None:
        """Fold in a cluster of scheduler universe jobs: the first is the DAG, and in no counter itself."""
        facts = members.facts
        self._count(members)
        self.states = {**self.states, facts.status: self.states[facts.status] - 1}
        self.total += (facts.submitted if facts.nodes is None else facts.nodes) or 0
        self.done += facts.nodes_done or 0

    def add_cluster(self, members: Members, partial: bool) -> None:
        """Fold in the jobs of one cluster."""
        self._count(members)
        self.jobs += members.size
        self.low = min(self.low, members.low) if self.low is not None else members.low
        self.high = max(self.high, members.high)
        facts = members.facts
        if facts.parent is not None:
            return
        if not facts.submitted:
            self.unknown += 1
            return
        self.total += facts.submitted
        if not partial:
            self.done += facts.submitted - members.size if facts.made < 0 else facts.made - self.jobs

    def _count(self, members: Members) -> None:
        self.widest_owner = max(self.widest_owner, members.facts.width)
        if not self.states:
            self.states = members.states
            return
        states = dict(self.states)
        for status, count in members.states.items():
            states[status] = states.get(status, 0) + count
        self.states = states


def fold(jobs: Iterable[ClassAd], partial: bool, by_node: bool = False) -> list[Batch]:
    """The batches of ``jobs`` (in job id order), in the order of their first jobs. ``by_node``: nodes whose DAGMan is
    not among them are shown by their names instead of their owners."""
    clusters: dict[int, list[tuple[JobKey, ClassAd]]] = {}
    for ad in jobs:
        key = job_key(ad)
        clusters.setdefault(key[0], []).append((key, ad))
    return fold_clusters([_members(found, by_node) for found in clusters.values()], partial)


def _members(found: list[tuple[JobKey, ClassAd]], by_node: bool) -> Members:
    from collections import Counter

    states = Counter(ad.eval_int("JobStatus", 0) or 0 for _, ad in found)
    low, first = found[0]
    return Members(Facts(first, by_node), first.eval_int("QDate"), low, found[-1][0], len(found), states)


def fold_clusters(clusters: Iterable[Members], partial: bool) -> list[Batch]:
    """The batches of clusters, in the order of their first jobs. A node joins a DAGMan that is job 0 of a cluster."""
    batches: list[Batch] = []
    by_name: dict[tuple[str | None, str], Batch] = {}
    of_cluster: dict[int, Batch] = {}
    for members in clusters:
        facts = members.facts
        batch = _home(facts, of_cluster, by_name)
        if batch is None:
            batch = Batch(members)
            batches.append(batch)
            if facts.named and not facts.is_dag:
                by_name.setdefault((facts.owner, batch.name), batch)
        cluster, proc = members.low
        if proc == 0:
            of_cluster[cluster] = batch
        if facts.is_dag:
            batch.add_dag(members)
        else:
            batch.add_cluster(members, partial)
    return batches


def _home(facts: Facts, of_cluster: dict[int, Batch], by_name: dict[tuple[str | None, str], Batch]) -> Batch | None:
    """The batch that a cluster joins: that of its DAGMan, or one of the same name and owner."""
    if facts.parent is not None:
        return of_cluster.get(facts.parent)
    if facts.batch_name is None or facts.is_dag:
        return None
    return by_name.get((facts.owner, facts.batch_name))


def _digits(count: int) -> int:
    """The width that HTCondor gives to a count: 1 for one below zero, which is shown as nothing."""
    return len(str(count)) if count > 0 else 1


def table(batches: list[Batch], filler: str, width: int | None, *, keep_hold: bool = False) -> str:
    """Heading and rows; ``width`` (bytes) cuts rows, None leaves them whole and trims their ends."""
    owner_width, name_width = _widths(batches, width)
    rows = [batch.counters() for batch in batches]
    kinds = set(rows)  # of many batches most say the same
    shown = [index for index in range(len(_COUNTERS)) if _shows(index, kinds, keep_hold)]
    sizes = [max([6, *(_digits(row[index]) for row in kinds)]) for index in range(len(_COUNTERS))]
    heading = (
        f"{pad('OWNER', owner_width, True)} {pad('BATCH_NAME', name_width, True)}    SUBMITTED "
        + "".join(f"{_COUNTERS[index]:<{sizes[index]}} " for index in shown)
        + "JOB_IDS"
    )
    counters = {row: "".join(f"{_counter(row[index], filler, sizes[index])} " for index in shown) for row in kinds}
    owners = {
        owner: _cell(_unknown(owner_width) if owner is None else owner, owner_width)
        for owner in {batch.owner for batch in batches}
    }
    dates = {when: f"{'' if when is None else date(when):>12}" for when in {batch.submitted for batch in batches}}
    lines = [_fit(heading, width, trim=False)]
    for batch, row in zip(batches, rows, strict=True):
        name = _cell(batch.name, name_width)
        text = f"{owners[batch.owner]} {name} {dates[batch.submitted]} {counters[row]}{batch.job_ids()}"
        lines.append(_fit(text, width, trim=True))
    return "".join([f"{line}\n" for line in lines])


def _shows(index: int, rows: Collection[tuple[int, ...]], keep_hold: bool) -> bool:
    return index != _HOLD_COLUMN or keep_hold or not rows or any(row[index] for row in rows)


def _unknown(width: int) -> str:
    return f"[{'?' * (width - 2)}]"


def _cell(text: str, width: int) -> str:
    if text.isascii():
        return text[:width].ljust(width)
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
