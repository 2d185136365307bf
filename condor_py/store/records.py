"""Records that several packages write, in HTCondor's order: a submit, a user's first job, a job's departure."""

from __future__ import annotations

from condor_py.lang.classad import quote_string as quote
from condor_py.model.ids import JobId
from condor_py.model.record import Entry, NewJobs
from condor_py.model.states import JobStatus
from condor_py.store.adlog import DELETE, NEW_AD, SET, Record, format_record, format_records
from condor_py.store.keys import cluster_key, private_key, proc_key, user_key
from condor_py.store.logreader import job_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    Items: TypeAlias = Iterable[tuple[str, str]]


class NewProc:
    """A proc to be: ``items`` are (name, ClassAd text) of what differs from the cluster, without the
    attributes that ``submit_records`` writes itself (GlobalJobId, ProcId, InitialJobStatus, JobStatus)."""

    __slots__ = ("global_job_id", "items", "proc", "status")

    def __init__(self, proc: int, items: Sequence[tuple[str, str]], status: int, global_job_id: str) -> None:
        self.proc = proc
        self.items = items
        self.status = status
        self.global_job_id = global_job_id


def cluster_records(cluster: int, items: Items) -> list[Record]:
    """A new cluster ad and its private companion."""
    key = cluster_key(cluster)
    made = [Record(NEW_AD, key, "Job", "Machine"), Record(NEW_AD, private_key(cluster), "ClusterPvt")]
    made += [Record(SET, key, name, text) for name, text in items]
    return made


def proc_records(cluster: int, proc: NewProc) -> list[Record]:
    """A new proc ad without its JobStatus, which ``submit_records`` sets at the end."""
    key = proc_key(JobId(cluster, proc.proc))
    made = _begin(key, str(proc.proc), quote(proc.global_job_id), proc.status)
    made += [Record(SET, key, name, text) for name, text in proc.items]
    return made


def _begin(key: str, number: str, name: str, status: int) -> list[Record]:
    """Return the records of a job before its own attributes; ``name`` is its GlobalJobId, quoted."""
    made = [
        Record(NEW_AD, key, "Job", "Machine"),
        Record(SET, key, "GlobalJobId", name),
        Record(SET, key, "ProcId", number),
    ]
    if status != JobStatus.IDLE:
        made.append(Record(SET, key, "InitialJobStatus", str(int(status))))
    return made


def submit_records(cluster: int, items: Items, procs: Sequence[NewProc], condor_version: str = "") -> list[Record]:
    """One submit of a cluster with ``procs``; what comes before it are ``alloc_cluster`` and ``user_record``.

    ``condor_version`` (unquoted) is written once more at the end, as condor_submit does; empty: it is not.
    JobStatus is set last, when everything else of the job is there.
    """
    key = cluster_key(cluster)
    made = cluster_records(cluster, items)
    for proc in procs:
        made += proc_records(cluster, proc)
    made.append(Record(SET, key, "TotalSubmitProcs", str(len(procs))))
    if condor_version:
        made.append(Record(SET, key, "CondorVersion", quote(condor_version)))
    made.append(Record(DELETE, key, "JobPreparingTasks"))
    for proc in procs:
        made += _end(proc_key(JobId(cluster, proc.proc)), proc.status)
    return made


def packed_records(cluster: int, items: Items, groups: Iterable[Sequence[NewProc]]) -> Iterator[list[Entry]]:
    """The same for very many procs, in pieces: one for each group of them, which is one record, and what stands before
    and behind them. ValueError for what a log cannot hold."""
    count = 0
    yield [*cluster_records(cluster, items)]
    for group in groups:
        count += len(group)
        yield [packed_group(cluster, group)]
    yield packed_end(cluster, count)


def packed_group(cluster: int, group: Sequence[NewProc]) -> NewJobs:
    """Procs as one record. ValueError for what a log cannot hold."""
    made: list[Record] = []
    for proc in group:
        made += proc_records(cluster, proc)
        made += _end(proc_key(JobId(cluster, proc.proc)), proc.status)
    return NewJobs(((cluster, tuple([proc.proc for proc in group])),), format_records(made))


class Making:
    """Rules for making procs of their attributes: the JobStatus of those that set none, the texts before and behind the
    job's number in GlobalJobId, and lower-case names of what is left out, and of what has to be checked first."""

    __slots__ = ("hidden", "id_before", "id_behind", "special", "status")

    def __init__(
        self, status: int, id_before: str, id_behind: str, hidden: tuple[str, ...], special: tuple[str, ...]
    ) -> None:
        self.status = status
        self.id_before = id_before
        self.id_behind = id_behind
        self.hidden = hidden
        self.special = special


def packed_jobs(cluster: int, first: int, jobs: list[list[tuple[str, str]]], how: Making) -> NewJobs | None:
    """As ``packed_group``, of procs from ``first`` on with these attributes, in one pass. None where one of them has
    anything special, or that is no plain line, and where there is no compiled reader."""
    name = quote(how.id_before)[:-1] + "\0" + quote(how.id_behind)[1:]
    if not name.isascii() or "\n" in name or name.count("\0") > 1:
        return None
    forms = tuple([_form(cluster, status, name) for status in (how.status, JobStatus.HELD, JobStatus.IDLE)])
    lines = job_lines(f"{cluster}.", first, jobs, forms, how.hidden, how.special)
    return None if lines is None else NewJobs(((cluster, tuple(range(first, first + len(jobs)))),), lines)


def _form(cluster: int, status: int, name: str) -> tuple[bytes, bytes]:
    """The lines before and behind the attributes of a job that begins with ``status``, with zeros for its number."""
    key = f"{cluster}.\0"
    records = _begin(key, "\0", name, status), _end(key, status)
    before, behind = ["".join(map(format_record, some)).encode() for some in records]
    return before, behind


def packed_end(cluster: int, count: int) -> list[Entry]:
    """Return the records behind ``count`` procs."""
    key = cluster_key(cluster)
    return [Record(SET, key, "TotalSubmitProcs", str(count)), Record(DELETE, key, "JobPreparingTasks")]


def _end(key: str, status: int) -> tuple[Record, Record]:
    """Return the records that are written of a job after everything else of it."""
    return Record(DELETE, key, "JobPreparingTasks"), Record(SET, key, "JobStatus", str(int(status)))


def project_record(number: int, name: str) -> list[Record]:
    """A new record of a project, among those of users."""
    key = user_key(number)
    return [Record(NEW_AD, key, "Project"), Record(SET, key, "Name", quote(name)), Record(SET, key, "Enabled", "1")]


def user_record(number: int, user: str, owner: str) -> list[Record]:
    """A new user record; ``user`` is ``name@domain``, ``owner`` the account."""
    key = user_key(number)
    return [
        Record(NEW_AD, key, "Owner"),
        Record(SET, key, "User", quote(user)),
        Record(SET, key, "Owner", quote(owner)),
        Record(SET, key, "OsUser", quote(owner)),
        Record(SET, key, "Enabled", "1"),
    ]
