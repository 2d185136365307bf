"""Jobs that another process manages for a while: exported into a directory, taken back with their results. Pure.

An exported job stays in the queue, marked by ``Managed`` and ``ManagedManager``; nothing starts or judges it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from condor_py.core.jobs.actions import delete, set_string, set_text
from condor_py.core.jobs.jobad import MANAGER, is_away, is_exported, status_of
from condor_py.core.jobs.parts import JobTable
from condor_py.core.jobs.rights import Caller, RefusedEdit, allowed_assignments
from condor_py.lang.classad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.settings.submit_policy import EditRules
from condor_py.model.states import JobStatus

#: What ManagedManager says of exported jobs, as in HTCondor.
_MARKS = ("Managed", "ManagedManager")
#: What an exported job keeps whatever comes back.
_OWN = frozenset(("jobstatus", "leavejobinqueue", "iwd", "managed", "managedmanager"))
#: The states that may come back; a job that is said to run, does so nowhere that we know of.
_BACK = (JobStatus.IDLE, JobStatus.REMOVED, JobStatus.COMPLETED, JobStatus.HELD)
_AWAY = (JobStatus.IDLE, JobStatus.HELD)
#: A job and its reported changes: attributes with their expression texts.
JobChanges = tuple[JobId, Sequence[tuple[str, str]]]


def export(jobs: JobTable, caller: Caller, clusters: Iterable[int]) -> tuple[list[JobId], list[Change]]:
    """Marks the jobs of clusters that neither run nor are away: which, and the records. CondorError: not allowed.

    HTCondor exports running jobs too; they would run twice.
    """
    owners = {ad.eval_str("Owner", "") for ad in _clusters(jobs, caller, clusters, "export given jobs")}
    if not owners:
        raise CondorError("No valid clusters to export")
    if len(owners) > 1:
        raise CondorError("Cannot export for more than one user")
    found: list[JobId] = []
    records: list[Change] = []
    for job, ad in _procs(jobs, clusters):
        if status_of(ad) in _AWAY and not is_away(ad):
            found.append(job)
            records += (set_string(job, name, text) for name, text in zip(_MARKS, ("External", MANAGER), strict=True))
    return found, records


def unexport(jobs: JobTable, caller: Caller, clusters: Iterable[int]) -> tuple[list[JobId], list[Change]]:
    """The jobs of clusters that are away are this schedd's again, as they were. CondorError: not allowed."""
    list(_clusters(jobs, caller, clusters, "unexport given jobs"))
    found = [job for job, ad in _procs(jobs, clusters) if is_away(ad)]
    return found, [delete(job, name) for job in found for name in _MARKS]


def take_back(
    jobs: JobTable, caller: Caller, changes: Iterable[JobChanges], rules: EditRules, now: int
) -> tuple[list[JobId], list[Change]]:
    """Return exported jobs to this schedd; give the jobs and the records. CondorError when one belongs to another user.

    Attributes that their owner may not change are skipped; so are jobs that were held or removed here meanwhile.
    """
    found: list[JobId] = []
    records: list[Change] = []
    for job, items in changes:
        ad = jobs.job(job)
        if ad is None:
            continue
        if not caller.may_change(ad):
            raise CondorError("User not authorized to import given jobs")
        if status_of(ad) != JobStatus.IDLE or not is_exported(ad):
            continue
        found.append(job)
        records += _merged(job, ad, items, caller, rules, now)
        records += (delete(job, name) for name in _MARKS)
    return found, records


def _merged(
    job: JobId, ad: ClassAd, items: Iterable[tuple[str, str]], caller: Caller, rules: EditRules, now: int
) -> Iterator[Change]:
    silent = changed(rules, refuse_secure=False)
    for name, text in items:
        if name.lower() == "jobstatus":
            if text != ad.text(name) and text in map(str, map(int, _BACK)):
                yield set_text(job, "LastJobStatus", str(int(status_of(ad))))
                yield set_text(job, "JobStatus", text)
                yield set_text(job, "EnteredCurrentStatus", str(now))
        elif name.lower() not in _OWN and text != ad.text(name):
            try:
                allowed = allowed_assignments([(name, text)], caller, silent)
            except RefusedEdit:
                continue
            yield from (set_text(job, *assignment) for assignment in allowed)


def _clusters(jobs: JobTable, caller: Caller, clusters: Iterable[int], what: str) -> Iterator[ClassAd]:
    for cluster in clusters:
        ad = jobs.cluster(cluster)
        if ad is not None:
            if not caller.may_change(ad):
                raise CondorError(f"User not authorized to {what}")
            yield ad


def _procs(jobs: JobTable, clusters: Iterable[int]) -> Iterator[tuple[JobId, ClassAd]]:
    for cluster in clusters:
        yield from jobs.procs_of(cluster)
