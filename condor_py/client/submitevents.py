"""Events 000 of new jobs that no schedd can write, as none runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.client.userlog import UserLogs
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.jobevents import SUBMIT_NAMES, TELLING_MORE, submit_event
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.kinds import is_plain
from condor_py.lang.config.builders.history import userlog
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId, jobs_of
from condor_py.store.job_queue import JobQueue

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


def write_events(pool: Pool, clusters: list[int]) -> None:
    """Write the events of all jobs of ``clusters``, which are in the queue."""
    logs = UserLogs(userlog(pool.config), lambda text: None)
    write_submit_events(pool.table(readonly=True), clusters, logs, pool.schedd_address, pool.now())


#: Texts of so many events are held at once.
_AT_ONCE = 5_000


def write_submit_events(queue: JobQueue, clusters: Iterable[int], logs: UserLogs, address: str, now: int) -> None:
    """Writes the events 000 of all jobs of ``clusters`` that no schedd, which has died since, has written; jobs that
    say the same of their logs have one text."""
    clusters = list(clusters)
    logged = logs.logged(queue, clusters)
    for cluster in clusters:
        for group in _alike(queue, cluster, logs.everything):
            procs = [proc for proc in group if JobEventType.SUBMIT not in (logged.get(JobId(cluster, proc)) or ())]
            if not procs:
                continue
            first = JobId(cluster, procs[0])
            ad = queue.job(first)
            if ad is None:
                continue
            event = submit_event(first, ad, address, float(ad.eval_int("QDate", now)))
            for at in range(0, len(procs), _AT_ONCE):
                if at:
                    logs.flush()
                logs.add(UserEvent(ad, event, tuple(procs[at : at + _AT_ONCE])))
    logs.flush()


def _alike(queue: JobQueue, cluster: int, alone: bool) -> list[list[int]]:
    """The procs of a cluster, those together that say the same of all that decides about their events; or each
    ``alone``."""
    procs, shared = queue.procs(cluster), queue.cluster(cluster)
    names = (*SUBMIT_NAMES, *TELLING_MORE)
    if alone or shared is None or not procs or not _is_simple(shared):
        return [[proc] for proc in procs]
    if not queue.mentioned(cluster, names):
        return [list(procs)] if procs else []
    found = []
    for group in queue.kinds(jobs_of(cluster, procs), names):
        ad = queue.job(group[0])
        same = [job.proc for job in group]
        found += [same] if ad is not None and _is_simple(ad) else [[proc] for proc in same]
    return found


def _is_simple(ad: ClassAd) -> bool:
    """Whether nothing that an ad itself says of its events depends on anything else."""
    return is_plain(map(ad.attrs.get, SUBMIT_NAMES)) and ad.attrs.keys().isdisjoint(TELLING_MORE)
