"""Jobs that agree in all attributes that an action depends on get the same changes: decided once, written as one
record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from condor_py.lang.classad.kinds import is_plain
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:  # tools load no more of the core than they use
    from condor_py.core.jobs.parts import JobTable

#: Attributes that decide about an action (``actions.perform``). They must be literals: an expression could have another
#: value in each job;
LITERAL = ("owner", "jobstatus", "numholds", "holdreasoncode", "leavejobinqueue")
#: and those whose text goes unchanged into its records.
TEXTS = ("numholdsbyreason", "holdreason", "holdreasonsubcode", "releasereason")
#: Fewer jobs than these are written one by one.
FEW = 8


def in_kinds(
    table: JobTable, jobs: Sequence[JobId], literal: tuple[str, ...] = LITERAL, texts: tuple[str, ...] = TEXTS
) -> Iterator[tuple[Sequence[JobId], bool]]:
    """Yield jobs in groups that agree in all of these attributes (lower-case names), in the order of the first job of
    each group; and whether all of ``literal`` are literals in them. A job where one is not comes by itself, as does one
    that is not in the queue. Only the ad of the first job of each group is read."""
    names = (*literal, *texts)
    for some in table.like(jobs, names) if len(jobs) >= FEW else [jobs]:
        shared = table.cluster(some[0].cluster) if len(some) >= FEW else None
        if shared is None or not is_plain(map(shared.attrs.get, literal)):
            yield from (((job,), False) for job in some)
            continue
        for group in _kinds(table, some, names):
            first = group[0]
            ad = table.job(first)
            if ad is not None and is_plain(map(ad.attrs.get, literal)):
                yield group, True
                table.rest(first.cluster, (first.proc,))  # it is no more likely to be looked at than the others
            else:
                yield from (((job,), False) for job in group)


def by_cluster(jobs: Iterable[JobId]) -> dict[int, list[JobId]]:
    """Jobs by their cluster, in the order in which they come."""
    found: dict[int, list[JobId]] = {}
    for cluster, some in groupby(jobs, itemgetter(0)):
        found.setdefault(cluster, []).extend(some)
    return found


def _kinds(table: JobTable, jobs: Sequence[JobId], names: tuple[str, ...]) -> list[list[JobId]]:
    try:
        return table.kinds(jobs, names)
    except KeyError:  # some of them have left the queue
        there = table.among(jobs)
        gone = set(jobs).difference(there)
        return [*table.kinds(there, names), *([job] for job in jobs if job in gone)]


def alike(jobs: Sequence[JobId], changes: tuple[Change, ...]) -> list[Entry]:
    """The same changes (with empty keys) of several jobs."""
    entry = Alike(tuple(jobs), changes)
    return list(entry.each()) if len(jobs) < FEW else [entry]
