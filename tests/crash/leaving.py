"""How jobs leave, for tests: the records of a departure, and the history from its beginning."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.model.ids import JobId
from condor_py.store.adlog import DESTROY_AD, SET, Record
from condor_py.store.fs import FileSystem
from condor_py.store.history import HistoryRecord, forwards, history_files
from condor_py.store.keys import cluster_key, private_key, proc_key


def destroy_job_records(job: JobId, *, last_of_cluster: bool) -> list[Record]:
    """The departure of a job, and of its cluster when it was the last."""
    gone = [Record(SET, proc_key(job), "JobStatus", "4"), Record(DESTROY_AD, proc_key(job))]
    if last_of_cluster:
        gone.append(Record(DESTROY_AD, cluster_key(job.cluster)))
        gone.append(Record(DESTROY_AD, private_key(job.cluster)))
    return gone


def records_oldest_first(path: str, fs: FileSystem | None = None) -> Iterator[HistoryRecord]:
    """All records, oldest first."""
    for name in reversed(history_files(path, fs)):
        yield from forwards(name, fs)
