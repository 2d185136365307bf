"""From built clusters to queue records: used by condor_submit for the owner of the spool and by the schedd daemon
for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from condor_py.classad import quote_string
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.model.states import JobStatus
from condor_py.store.adlog import Record
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import NewProc, submit_records, user_record
from condor_py.submit.admission import apply_submit_policy

Items = Sequence[tuple[str, str]]
#: Written by ``submit_records`` itself, or decided by whoever owns the queue.
_OURS = frozenset({"procid", "jobstatus", "globaljobid", "initialjobstatus"})
_IDENTITY = frozenset({"owner", "user", "osuser"})
#: What a job never brings along.
_FORBIDDEN = frozenset({"claimid", "publicclaimid", "remotehost", "clusterid"})


@dataclass(frozen=True, slots=True)
class SubmittedCluster:
    """A cluster to be queued: the cluster ad and what each proc has beside it, proc 0 first."""

    cluster: int
    ad: Items
    procs: Sequence[Items]

    def to_wire(self) -> list[Any]:
        """JSON-ready."""
        return [self.cluster, list(self.ad), [list(items) for items in self.procs]]

    @classmethod
    def from_wire(cls, item: list[Any]) -> SubmittedCluster:
        """The cluster of ``to_wire``; ValueError or TypeError for anything else."""
        cluster, ad, procs = item
        return cls(int(cluster), _pairs(ad), [_pairs(items) for items in procs])


def _pairs(items: Iterable[Any]) -> list[tuple[str, str]]:
    pairs = []
    for name, text in items:
        if not isinstance(name, str) or not isinstance(text, str) or "\n" in name + text or not name or " " in name:
            raise ValueError(f"not an attribute: {name!r}")
        pairs.append((name, text))
    return pairs


def check_limits(queue: JobQueue, user: str, clusters: Sequence[SubmittedCluster], settings: ScheddSettings) -> None:
    """MAX_JOBS_PER_SUBMISSION and MAX_JOBS_PER_OWNER; CondorError with HTCondor's words."""
    count = sum(len(cluster.procs) for cluster in clusters)
    if count > settings.max_jobs_per_submission:
        raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION")
    if queue.count() + count > settings.max_jobs_per_owner:
        quoted = quote_string(user)
        owned = sum(ad.text("User") == quoted for _, ad in queue.jobs())
        if owned + count > settings.max_jobs_per_owner:
            raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_OWNER")


def submission(
    queue: JobQueue,
    clusters: Sequence[SubmittedCluster],
    owner: str,
    user: str,
    schedd_name: str,
    now: int,
    policy: SubmitPolicy | None = None,
    warnings: list[str] | None = None,
) -> list[Record | Change]:
    """The records of a submit, in HTCondor's order; the first submit of a user makes his user record.

    Whatever the ads say, the jobs belong to ``owner``. ``policy`` may change or refuse them (CondorError);
    ``warnings`` receives what it has to say to the submitter.
    """
    records: list[Record | Change] = []
    if queue.user_record_of(user) is None:
        records += user_record(queue.next_user, user, owner)
    for cluster in clusters:
        identity = [("User", quote_string(user)), ("Owner", quote_string(owner)), ("ClusterId", str(cluster.cluster))]
        hidden = _IDENTITY | _FORBIDDEN | _OURS
        ad = [*identity, *((name, text) for name, text in cluster.ad if name.lower() not in hidden)]
        status = _status(cluster.ad, JobStatus.IDLE)
        jobs: Sequence[Items] = cluster.procs
        if policy is not None and not policy.is_empty:
            ad, jobs = _admitted(ad, jobs, status, policy, warnings)
        procs = [
            _new_proc(cluster.cluster, number, items, status, schedd_name, now) for number, items in enumerate(jobs)
        ]
        records += submit_records(cluster.cluster, ad, procs)
    return records


def _admitted(
    ad: list[tuple[str, str]], procs: Sequence[Items], status: int, policy: SubmitPolicy, warnings: list[str] | None
) -> tuple[list[tuple[str, str]], Sequence[Items]]:
    """The cluster and its jobs as the policy leaves them."""
    told = [
        items if any(n.lower() == "jobstatus" for n, _ in items) else [*items, ("JobStatus", str(status))]
        for items in procs
    ]
    admitted = apply_submit_policy(ad, told, policy)
    if admitted.warnings:
        if warnings is not None:
            warnings += admitted.warnings
        admitted.ad.append(("SubmitEventWarnings", quote_string("; ".join(text.strip() for text in admitted.warnings))))
    return admitted.ad, admitted.procs


def _new_proc(cluster: int, number: int, items: Items, status: int, schedd_name: str, now: int) -> NewProc:
    hidden = _IDENTITY | _FORBIDDEN | _OURS
    kept = [(name, text) for name, text in items if name.lower() not in hidden]
    return NewProc(number, kept, _status(items, status), f"{schedd_name}#{JobId(cluster, number)}#{now}")


def _status(items: Items, default: int) -> int:
    """A new job is idle or held, nothing else."""
    text = next((text for name, text in items if name.lower() == "jobstatus"), str(int(default)))
    return int(JobStatus.HELD if text == "5" else JobStatus.IDLE)
