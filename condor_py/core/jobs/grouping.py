"""Jobs that say the same of what an action looks at get the same changes: decided once, written as one record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from condor_py.core.jobs.parts import JobTable
from condor_py.lang.classad.kinds import is_plain
from condor_py.model.ids import JobId
from condor_py.model.record import Alike, Change, Entry

#: What decides about an action (``actions.perform``) and must not be computed from anything else,
LITERAL = ("owner", "jobstatus", "numholds", "holdreasoncode", "leavejobinqueue")
#: and what goes into its records as it stands.
TEXTS = ("numholdsbyreason", "holdreason", "holdreasonsubcode", "releasereason")
#: Fewer jobs than these are written one by one.
FEW = 8


def in_kinds(
    table: JobTable, jobs: Sequence[JobId], literal: tuple[str, ...] = LITERAL, texts: tuple[str, ...] = TEXTS
) -> Iterator[tuple[Sequence[JobId], bool]]:
    """Jobs in groups that say the same of all of these (lower-case names), in the order of the first of each cluster
    and group; and whether none of ``literal`` is computed in them. A job where it is comes by itself, and so does one
    that is not in the queue. No ad but the first of each group is read."""
    for cluster, some in by_cluster(jobs).items():
        shared = table.cluster(cluster) if len(some) >= FEW else None
        if shared is None or not is_plain(map(shared.attrs.get, literal)):
            yield from (((job,), False) for job in some)
            continue
        by_proc = {job[1]: job for job in some}
        for procs in _kinds(table, cluster, list(by_proc), (*literal, *texts)):
            ad = table.job(by_proc[procs[0]])
            if ad is not None and is_plain(map(ad.attrs.get, literal)):
                yield some if len(procs) == len(some) else [by_proc[proc] for proc in procs], True
                table.rest(cluster, procs[:1])  # it stands for others, and is no more likely to be looked at than they
            else:
                yield from (((by_proc[proc],), False) for proc in procs)


def by_cluster(jobs: Iterable[JobId]) -> dict[int, list[JobId]]:
    """Jobs by their cluster, in the order in which they come."""
    found: dict[int, list[JobId]] = {}
    for cluster, some in groupby(jobs, itemgetter(0)):
        found.setdefault(cluster, []).extend(some)
    return found


def _kinds(table: JobTable, cluster: int, procs: list[int], names: tuple[str, ...]) -> list[list[int]]:
    try:
        return table.kinds(cluster, procs, names)
    except KeyError:  # some of them have left the queue
        gone = [proc for proc in procs if table.job(JobId(cluster, proc)) is None]
        there = set(procs).difference(gone)
        return [*table.kinds(cluster, [proc for proc in procs if proc in there], names), *([proc] for proc in gone)]


def alike(jobs: Sequence[JobId], changes: tuple[Change, ...]) -> list[Entry]:
    """The same changes (with empty keys) of several jobs."""
    entry = Alike(tuple(jobs), changes)
    return list(entry.each()) if len(jobs) < FEW else [entry]
