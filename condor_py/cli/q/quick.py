"""condor_q's common questions answered without reading every ad: tables, -af, -totals, batches, -long of whole queues.

``groups_of`` knows which command lines these are; all others take the way through ``select``, to the same result.
"""

from __future__ import annotations

from condor_py.cli.output.terminal import text_width
from condor_py.cli.q import batch
from condor_py.cli.q.request import Request
from condor_py.cli.q.totals import is_plain
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.record import COMPUTED
from condor_py.model.later import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from condor_py.cli.output.mask import Mask
    from condor_py.cli.q import bulk, jobs
    from condor_py.cli.q.columns import Clock
    from condor_py.cli.q.source import Source
    from condor_py.client.queue_view import Groups
else:
    bulk, jobs = Later("condor_py.cli.q.bulk"), Later("condor_py.cli.q.jobs")

_DISPLAYS = frozenset(("batch", "jobs", "custom", "long", "totals", "why"))
_UNKNOWN: Any = object()
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
    table, keys = source.view.table, ("dagmanjobid", "jobbatchid")
    return table.may_say(keys) and any(text is not None for column in table.texts(groups, keys) for text in column)


def named(groups: Groups, ids: tuple[tuple[int, int | None], ...]) -> Groups:
    """Return those of the jobs that are named, by cluster with a proc or None."""
    wanted: dict[int, set[int | None]] = {}
    for cluster, proc in ids:
        wanted.setdefault(cluster, set()).add(proc)
    found: Groups = []
    for cluster, procs in (group for group in groups if group[0] in wanted):
        some = wanted[cluster]
        chosen = procs if None in some else [proc for proc in procs if proc in some]
        if chosen:
            found.append((cluster, chosen))
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
    assert source.view is not None
    firsts = [(cluster, procs[:1]) for cluster, procs in groups]
    date, *columns = source.view.table.texts(firsts, ("qdate", *batch.FACTS))
    texts = zip(*columns, strict=True)
    known: dict[object, batch.Facts | None] = {}
    members = []
    for (cluster, procs), first, when, said, states in zip(
        groups, firsts, date, texts, source.states_of(groups), strict=True
    ):
        facts = known.get(said, _UNKNOWN)
        if facts is _UNKNOWN:
            facts = known[said] = _facts(said)
        day = int(when) if when is not None and is_plain(when) else None
        if facts is None or (day is None and when is not None):
            ad = source.chosen([first])[0]
            facts, day = batch.Facts(ad), ad.eval_int("QDate")
        members.append(batch.Members(facts, day, (cluster, procs[0]), (cluster, procs[-1]), len(procs), states))
    return batch.fold_clusters(members, partial)


def _facts(texts: Sequence[str | None]) -> batch.Facts | None:
    """The facts that these expressions tell; None where that takes the ad of the job."""
    ad = ClassAd()
    for key, text in zip(batch.FACTS, texts, strict=True):
        if text is not None:
            ad.set_text(key, text)
    is_whole = all(binding.value is not COMPUTED for binding in ad.attrs.values())
    facts = batch.Facts(ad) if is_whole else None
    return None if facts is None or facts.is_dag else facts  # the name of a DAG has its number
