"""Jobs that leave the pool for a while, and come back: the files of ``Schedd.export_jobs`` and its relatives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from condor_py.bindings import session
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.jobspec import selection
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.run.identity import account, as_user
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change
from condor_py.store.adlog import format_records, header_record, records_of
from condor_py.store.fs import RealFs

if TYPE_CHECKING:
    from condor_py.bindings.jobspec import JobSpec
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView
    from condor_py.core.jobs.external import JobChanges

_FILE = "job_queue.log"
#: SCHEDD_ERR_EXPORT_FAILED, and what an import answers.
_EXPORT_FAILED, _IMPORT_FAILED = 4007, 1
_T = TypeVar("_T")


def export(pool: Pool, job_spec: JobSpec, directory: str, spool: str) -> ClassAd:
    """See ``Schedd.export_jobs``."""
    view = pool.read_queue()
    clusters = _clusters(view, job_spec)
    if not clusters:
        raise _error("exportJobs", "No clusters to export")
    jobs = _asked("exportJobs", lambda: pool.manage_elsewhere("export", clusters))
    owner = next(ad for number in clusters if (ad := view.table.cluster(number)) is not None)
    path = os.path.join(directory, _FILE)
    try:
        with as_user(account(owner.eval_str("Owner", "") or "")):  # root writes what the owner may write, and no more
            _write(path, _records(view, clusters, frozenset(jobs), spool))
    except (OSError, CondorError) as error:
        pool.manage_elsewhere("unexport", sorted({job.cluster for job in jobs}))
        raise _error("exportJobs", f"Failed to initialize export job log: {error}") from None
    user = owner.eval_str("User", "") or ""
    totals = {"TotalJobAds": len(jobs), "TotalClusterAds": len(clusters)}
    return ClassAd({"ActionResult": 1, "Log": path, "User": user, **totals})


def unexport(pool: Pool, job_spec: JobSpec) -> ClassAd:
    """See ``Schedd.unexport_jobs``."""
    clusters = _clusters(pool.read_queue(), job_spec)
    if not clusters:
        raise _error("unexportJobs", "No clusters to unexport")
    jobs = _asked("unexportJobs", lambda: pool.manage_elsewhere("unexport", clusters))
    return ClassAd({"ActionResult": 1, "TotalJobAds": len(jobs), "TotalClusterAds": len(clusters)})


def take_back(pool: Pool, directory: str) -> ClassAd:
    """See ``Schedd.import_exported_job_results``."""
    call, path = "importExportedJobResults", os.path.join(directory, _FILE)
    try:
        with open(path, "rb") as file:
            changes = list(_changes_of_jobs(records_of(file.read(), path)))
    except (OSError, CondorError) as error:
        raise _error(call, f"Failed to initialize import job log: {error}", _IMPORT_FAILED) from None
    jobs = _asked(call, lambda: pool.manage_elsewhere("import", changes=changes), _IMPORT_FAILED)
    return ClassAd({"ActionResult": 1, "TotalJobAds": len(jobs)})


def _error(call: str, reason: str, code: int = _EXPORT_FAILED) -> HTCondorException:
    return HTCondorException(f"DCSchedd::{call}:{code}:{reason}")


def _asked(call: str, ask: Callable[[], _T], code: int = _EXPORT_FAILED) -> _T:
    try:
        return ask()
    except CondorError as error:
        raise _error(call, str(error), code) from None


def _clusters(view: QueueView, job_spec: JobSpec) -> list[int]:
    """The clusters that a specification of jobs means: those of the named jobs, or whose ads fit."""
    named = selection(job_spec)
    found = {job.cluster for job in named.ids}
    if named.constraint is not None:
        wanted = session.constraint_of(named.constraint)
        found.update(number for number, ad in view.clusters() if session.is_true(ad, wanted))
    return sorted(found)


def _records(view: QueueView, clusters: Iterable[int], jobs: frozenset[JobId], spool: str) -> Iterator[Change]:
    """A queue with nothing but these jobs. They stay in it when they are done, to be taken back."""
    yield Change(NEW_AD, "0.0", "Job", "Machine")
    yield Change(SET, "0.0", "NextClusterNum", str(view.table.next_cluster))
    for number in clusters:
        cluster = view.table.cluster(number)
        if cluster is None:
            continue
        yield from _ad(f"0{number}.-1", cluster.local_items(), {"LeaveJobInQueue": "true"})
        for job, ad in view.table.procs_of(number):
            if job in jobs:
                folder = (
                    f"{spool}/{job.cluster % 10_000}/{job.proc % 10_000}/cluster{job.cluster}.proc{job.proc}.subproc0"
                )
                own = {"Iwd": quote_string(folder)} if ad.local_text("Iwd") is not None else {}
                yield from _ad(str(job), ad.local_items(), own)


def _ad(key: str, items: Iterable[tuple[str, str]], changed: dict[str, str]) -> Iterator[Change]:
    yield Change(NEW_AD, key, "Job", "Machine")
    hidden = {"leavejobinqueue", *(name.lower() for name in changed)}
    yield from (Change(SET, key, name, text) for name, text in items if name.lower() not in hidden)
    yield from (Change(SET, key, name, text) for name, text in changed.items())


def _write(path: str, records: Iterable[Change]) -> None:
    """The file appears whole, and is on disk on return."""
    fs = RealFs()
    data = format_records([header_record(1, 0), *records])
    with open(f"{path}.new", "wb") as file:
        file.write(data)
        file.flush()
        fs.sync(file.fileno())
    os.replace(f"{path}.new", path)
    fs.sync_dir(os.path.dirname(path) or ".")


def _changes_of_jobs(records: Iterable[Change]) -> Iterator[JobChanges]:
    """The jobs of a log with the attributes that their own ads have."""
    ads: dict[str, dict[str, tuple[str, str]]] = {}
    for op, key, name, value in records:
        if op == NEW_AD:
            ads.setdefault(key, {})
        elif op == DESTROY_AD:
            ads.pop(key, None)
        elif op == SET and key in ads:
            ads[key][name.lower()] = (name, value)
        elif op == DELETE and key in ads:
            ads[key].pop(name.lower(), None)
    for key, items in ads.items():
        cluster, _, proc = key.partition(".")
        if proc.isdigit() and cluster.isdigit() and cluster[0] != "0":
            yield JobId(int(cluster), int(proc)), list(items.values())
