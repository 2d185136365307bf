"""condor_q's common questions answered without reading every ad: tables, -af, -totals, batches, -long of whole queues.

``groups_of`` knows which command lines these are; all others take the way through ``select``, to the same result.
"""

from __future__ import annotations

from condor_py.cli.output.terminal import text_width
from condor_py.cli.q import batch
from condor_py.cli.q.request import Request
from condor_py.model.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.cli.output.mask import Mask
    from condor_py.cli.q import bulk, jobs
    from condor_py.cli.q.columns import Clock
    from condor_py.cli.q.source import Source
    from condor_py.client.queue_view import Groups
else:
    bulk, jobs = Later("condor_py.cli.q.bulk"), Later("condor_py.cli.q.jobs")

_DISPLAYS = frozenset(("batch", "jobs", "custom", "long", "totals", "why"))
_NOT_THESE = ("dry-run", "capture-raw-results", "unmatchable", "submitter", "global")


def groups_of(request: Request, source: Source, *, mine: bool) -> Groups | None:
    """The jobs that a request means; None when finding them out needs their ads."""
    if source.view is None or request.display not in _DISPLAYS or request.rows != "jobs":
        return None
    if request.args.has("dag") or request.asks_for_autoclusters:
        return None
    if request.users or any(request.args.has(name) for name in _NOT_THESE):
        return None
    groups = source.groups(mine=mine)
    if request.constraints:
        fitting = bulk.fitting(request.constraints, source, groups)
        if fitting is None:
            return None
        groups = fitting
    if request.ids:
        if request.folds and any(not proc for _, proc in request.ids) and _has_folds(source, groups):
            return None
        groups = named(groups, request.ids)
    if request.limit is not None:
        groups = _newest(groups, request.limit)
    return groups


def _has_folds(source: Source, groups: Groups) -> bool:
    """Whether any job may be meant by the number of another cluster."""
    assert source.view is not None
    return any(text is not None for name in ("DAGManJobId", "JobBatchId") for text in source.view.texts(name, groups))


def named(groups: Groups, ids: tuple[tuple[int, int | None], ...]) -> Groups:
    """Return those of the jobs that are named, by cluster with a proc or None."""
    whole = {cluster for cluster, proc in ids if proc is None}
    found = []
    for cluster, procs in groups:
        if cluster not in whole:
            wanted = {proc for number, proc in ids if number == cluster}
            procs = [proc for proc in procs if proc in wanted] if wanted else []
        if procs:
            found.append((cluster, procs))
    return found


def _newest(groups: Groups, limit: int) -> Groups:
    found: Groups = []
    for cluster, procs in reversed(groups):
        if limit <= 0:
            break
        found.append((cluster, procs[-limit:]))
        limit -= len(procs)
    return found[::-1]


def table(mask: Mask, clock: Clock, source: Source, groups: Groups, width: int | None) -> Iterator[str]:
    """Heading and rows of the table of jobs; ``width`` is that of the terminal, None cuts nothing."""
    mask.max_width = None if width is None else width - 1
    columns = bulk.cells(mask, source, groups)
    cluster = max((number for number, _ in groups), default=0)
    proc = max((max(procs) for _, procs in groups), default=0)
    owners = columns[jobs.OWNER_COLUMN].distinct
    longest = max((text_width(owner) for owner in owners if isinstance(owner, str)), default=0)

    def most_memory() -> float:
        sizes = [cell for column in columns if jobs.is_memory(column.column) for cell in column.distinct]
        return max((size for size in sizes if isinstance(size, float)), default=0.0)

    jobs.fit_widths(mask, clock, jobs.Extent(cluster, proc, longest), width, most_memory)
    yield mask.heading()
    yield from bulk.rows(mask, columns, trim=True)


def custom(mask: Mask, source: Source, groups: Groups) -> Iterator[str]:
    """``-af`` and ``-format``."""
    columns = bulk.cells(mask, source, groups)
    if mask.has_headings():
        yield mask.heading()
    yield from bulk.rows(mask, columns, trim=False)


def folded(source: Source, groups: Groups, partial: bool) -> list[batch.Batch]:
    """The batches of these jobs."""
    members = {}
    for cluster, procs in groups:
        first = source.chosen([(cluster, procs[:1])])[0]
        states = source.states(cluster, procs)
        members[cluster] = batch.Members(first, (cluster, procs[0]), (cluster, procs[-1]), len(procs), states)
    return batch.fold_clusters(members, partial)
