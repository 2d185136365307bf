"""Mending the logs of a spool: what a daemon does with its own when it starts, and condor_store_check -repair.

Every file is copied to ``FILE.damaged`` (``.damaged.1`` ...) before it is changed. What is wrong and what is done about
it, ``mend`` says. Histories are not changed.
"""

from __future__ import annotations

import os
from itertools import islice

from condor_py.store.accountant_log import AccountingRules
from condor_py.store.fs import FileSystem, RealFs, close_quietly
from condor_py.store.history import history_files, records_newest_first
from condor_py.store.lock import QueueLock
from condor_py.store.mend import Mended, Rules, mend
from condor_py.store.table import LOCK_TIMEOUT

#: The logs of a spool that can be repaired.
QUEUE, ACCOUNTING = LOGS = ("job_queue.log", "Accountantnew.log")
#: So many of the last jobs of the history are asked for the last number that a cluster got.
_LOOK_BACK = 1000


def repair_spool(spool: str, fs: FileSystem | None = None, *, timeout: float = LOCK_TIMEOUT) -> list[str]:
    """Mends the logs of a spool and says what it did, a line a deed. Raises StoreError, LockTimeout, OSError."""
    done: list[str] = []
    for name in LOGS:
        done += mend_log(os.path.join(spool, name), fs, timeout=timeout)
    return done


def mend_log(path: str, fs: FileSystem | None = None, *, timeout: float = LOCK_TIMEOUT) -> list[str]:
    """Mends one log, if anything is wrong with it; what it did, a line a deed.

    StoreError, LockTimeout; OSError when the file cannot be repaired, which is as it was then.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    if not examine(path, file_system).notes:
        return []
    lock = QueueLock(path + ".lock")
    lock.acquire(timeout)
    try:
        return _mend(path, file_system)
    finally:
        lock.release()


def examine(path: str, fs: FileSystem, history: str | None = None) -> Mended:
    """Return the damage in a log, and the content that is to replace it; a missing log is sound. Raises OSError."""
    data = _read(fs, path)
    return mend(data, rules_of(path, fs, history)) if data else Mended(data, [])


def rules_of(path: str, fs: FileSystem, history: str | None = None) -> Rules:
    """Return the rules of the ads of a log, by its name; ``history`` is that of the jobs, when it is not next to a
    queue."""
    if os.path.basename(path) == ACCOUNTING:
        return AccountingRules()
    from condor_py.store.queue_rules import QueueRules  # a negotiator repairs its own log alone

    beside = history if history is not None else os.path.join(os.path.dirname(path), "history")
    return QueueRules(lambda: _last_in_history(beside, fs))


def _read(fs: FileSystem, path: str) -> bytes:
    """The content of a file; nothing when it is not there."""
    try:
        handle = fs.open_read(path)
    except FileNotFoundError:
        return b""
    try:
        return fs.read_at(handle, 0, fs.fstat(handle).size)
    finally:
        close_quietly(fs, handle)


def _mend(path: str, fs: FileSystem) -> list[str]:
    data = _read(fs, path)
    mended = mend(data, rules_of(path, fs))
    if not mended.notes:
        return []
    copy = _free_name(f"{path}.damaged")
    _write_new(fs, copy, data, path)
    _write_new(fs, f"{path}.tmp", mended.data, path)
    fs.rename(f"{path}.tmp", path)
    fs.sync_dir(os.path.dirname(path) or ".")
    return [f"{path}: kept as it was in {copy}", *(f"{path}: {note.done}" for note in mended.notes)]


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


def _last_in_history(history: str, fs: FileSystem) -> int:
    """The highest cluster among the last jobs of a history; 0 without one."""
    if not history_files(history, fs):
        return 0
    jobs = (record.job() for record in islice(records_newest_first(history, fs), _LOOK_BACK))
    return max((job.cluster for job in jobs if job is not None), default=0)
