"""Mending what ``check`` found in a spool whose daemons do not run, or what a daemon finds when it starts.

Every file is copied to ``FILE.damaged`` (``.damaged.1`` ...) before it is changed. Lines that are no records, and
records that do nothing, leave the logs; what was acknowledged and can still be read stays. Histories are not changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from condor_py.classad import ClassAd, quote_string
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode, JobStatus
from condor_py.store.check import check_spool
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.history import history_files, records_newest_first
from condor_py.store.job_queue import JobQueue
from condor_py.store.keys import cluster_key, proc_key, split_key
from condor_py.store.lock import QueueLock
from condor_py.store.mend import mend
from condor_py.store.table import LOCK_TIMEOUT, Transaction

#: The logs of a spool that can be mended.
LOGS = ("job_queue.log", "Accountantnew.log")
#: What every job has.
_NEEDED = ("Owner", "User", "Cmd", "JobUniverse", "JobStatus")
#: So many of the last jobs of the history are asked for the last number that a cluster got.
_LOOK_BACK = 1000


def repair_spool(spool: str, fs: FileSystem | None = None, *, timeout: float = LOCK_TIMEOUT) -> list[str]:
    """Mends the logs of a spool and says what it did, a line a deed. Raises StoreError, LockTimeout, OSError."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    wrong = {problem.file for problem in check_spool(spool, file_system)}
    done: list[str] = []
    for path in (os.path.join(spool, name) for name in LOGS):
        if path not in wrong:
            continue
        lock = QueueLock(path + ".lock")
        lock.acquire(timeout)
        try:
            done += _mend_lines(file_system, path)
        finally:
            lock.release()
    queue_path = os.path.join(spool, LOGS[0])
    if queue_path in wrong:
        done += _mend_image(queue_path, file_system, timeout)
    return done


def _mend_lines(fs: FileSystem, path: str) -> list[str]:
    handle = fs.open_read(path)
    try:
        data = fs.read_at(handle, 0, fs.fstat(handle).size)
    finally:
        fs.close(handle)
    mended = mend(data)
    if not mended.notes:
        return []
    copy = _free_name(f"{path}.damaged")
    _write_new(fs, copy, data, path)
    _write_new(fs, f"{path}.tmp", mended.data, path)
    fs.rename(f"{path}.tmp", path)
    fs.sync_dir(os.path.dirname(path) or ".")
    return [f"{path}: kept as it was in {copy}", *(f"{path}: {text}" for text in mended.notes)]


def mend_log(path: str, fs: FileSystem | None = None, *, timeout: float = LOCK_TIMEOUT) -> list[str]:
    """Mends one log that is damaged, for the daemon that owns it and is about to start; what it did, a line a deed.

    StoreError, LockTimeout; OSError when the file cannot be mended, which is as it was then.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    lock = QueueLock(path + ".lock")
    lock.acquire(timeout)
    try:
        done = _mend_lines(file_system, path)
    finally:
        lock.release()
    if os.path.basename(path) == LOGS[0]:
        done += _mend_image(path, file_system, timeout)
    return done


def _free_name(path: str) -> str:
    number = 0
    name = path
    while os.path.lexists(name):
        number += 1
        name = f"{path}.{number}"
    return name


def _write_new(fs: FileSystem, path: str, data: bytes, model: str) -> None:
    """Writes a file that belongs to whom ``model`` belongs, so that root does not lock a pool's account out."""
    handle = fs.create(path, 0o600)
    try:
        fs.write(handle, data)
        fs.sync(handle)
    finally:
        fs.close(handle)
    if os.geteuid() == 0:
        owner = os.stat(model)
        os.chown(path, owner.st_uid, owner.st_gid)


def _mend_image(path: str, fs: FileSystem, timeout: float) -> list[str]:
    """Ads that belong to nothing leave, jobs that lack what every job has are held, and the next cluster has a number
    of its own."""
    queue = JobQueue(path, fs)
    clusters = set(queue.clusters())
    done = []
    with queue.transaction(timeout) as transaction:
        for key in list(_leftovers(queue, clusters)):
            transaction.destroy(key)
            done.append(f"{path}: ad {key} belonged to no job and was removed")
        for job, ad in queue.jobs():
            if not _is_leftover(queue, clusters, *job, ad):
                done += [f"{path}: {text}" for text in _complete(transaction, job, ad, clusters)]
        highest = max([*queue.clusters(), _last_in_history(path, fs)])
        if highest >= queue.next_cluster:
            transaction.set("0.0", "NextClusterNum", str(highest + 1))
            done.append(f"{path}: NextClusterNum is {highest + 1} now")
    queue.close()
    return done


def _complete(transaction: Transaction, job: JobId, ad: ClassAd, clusters: set[int]) -> Iterator[str]:
    """Gives a job the numbers that its key says, and holds it when what every job has is gone."""
    numbers = (("ClusterId", job.cluster), ("ProcId", job.proc))
    for name, number in numbers:
        if ad.text(name) is None:
            transaction.set(proc_key(job), name, str(number))
            yield f"job {job} has its {name} again"
    lacks = _lacks(ad)
    if lacks:
        _hold(transaction, proc_key(job), lacks)
        yield f"job {job} is held, it lacks {lacks}"
    if job.cluster not in clusters:
        clusters.add(job.cluster)
        transaction.new_ad(cluster_key(job.cluster), "Job", "Machine")
        transaction.set(cluster_key(job.cluster), "ClusterId", str(job.cluster))


def _lacks(ad: ClassAd) -> str:
    return ", ".join(name for name in _NEEDED if ad.text(name) is None)


def _hold(transaction: Transaction, key: str, lacks: str) -> None:
    values = (
        ("JobStatus", str(int(JobStatus.HELD))),
        ("HoldReason", quote_string(f"The record of this job in the queue was damaged: it lacks {lacks}")),
        ("HoldReasonCode", str(int(HoldCode.UNSPECIFIED))),
        ("HoldReasonSubCode", "0"),
    )
    for name, text in values:
        transaction.set(key, name, text)


def _last_in_history(path: str, fs: FileSystem) -> int:
    """The highest cluster among the last jobs of the history beside a queue; 0 without one."""
    history = os.path.join(os.path.dirname(path), "history")
    if not history_files(history, fs):
        return 0
    jobs = (record.job() for record in islice(records_newest_first(history, fs), _LOOK_BACK))
    return max((job.cluster for job in jobs if job is not None), default=0)


def _leftovers(queue: JobQueue, clusters: set[int]) -> Iterator[str]:
    for key, ad in queue.ads.items():
        numbers = split_key(key)
        if numbers is not None and numbers[0] > 0 and _is_leftover(queue, clusters, *numbers, ad):
            yield key


def _is_leftover(queue: JobQueue, clusters: set[int], cluster: int, proc: int, ad: ClassAd) -> bool:
    """A cluster without jobs, what is secret of none, or a job of which there is nothing but a number."""
    if proc == -1:
        return not queue.count(cluster) and ad.text("JobMaterializeDigestFile") is None
    return cluster not in clusters and ad.text("JobStatus") is None
