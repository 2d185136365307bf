"""Mending what ``check`` found in a spool whose daemons do not run.

Every file is copied to ``FILE.damaged`` (``.damaged.1`` ...) before it is changed. Lines that are no records, and
records that do nothing, leave the logs; what was acknowledged and can still be read stays. Histories are not changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import time

from condor_py.store.adlog import DESTROY_AD, NEW_AD, SEQUENCE, Record, format_record, header_record, parse_line
from condor_py.store.check import check_spool, objection
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.job_queue import JobQueue
from condor_py.store.keys import split_key
from condor_py.store.lock import QueueLock
from condor_py.store.table import LOCK_TIMEOUT

#: The logs of a spool that can be mended.
LOGS = ("job_queue.log", "Accountantnew.log")


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
            lock.close()
    queue_path = os.path.join(spool, LOGS[0])
    if queue_path in wrong:
        done += _mend_image(queue_path, file_system, timeout)
    return done


def _mend_lines(fs: FileSystem, path: str) -> list[str]:
    handle = fs.open_read(path)
    try:
        seen = fs.fstat(handle)
        data = fs.read_at(handle, 0, seen.size)
    finally:
        fs.close(handle)
    lines = data.decode("utf-8", "surrogateescape").split("\n")[:-1]
    dropped: list[str] = []
    kept = list(_good_lines(lines, dropped))
    first = parse_line(kept[0][:-1]) if kept else None
    if first is None or first.op != SEQUENCE:
        kept.insert(0, format_record(header_record(1, int(time()))))
        dropped.append("the missing 107 was put at its beginning")
    if not dropped:
        return []
    copy = _free_name(f"{path}.damaged")
    _write_new(fs, copy, data, path)
    _write_new(fs, f"{path}.tmp", "".join(kept).encode("utf-8", "surrogateescape"), path)
    fs.rename(f"{path}.tmp", path)
    fs.sync_dir(os.path.dirname(path) or ".")
    return [f"{path}: kept as it was in {copy}", *(f"{path}: {text}" for text in dropped)]


def _good_lines(lines: list[str], dropped: list[str]) -> Iterator[str]:
    """The lines that are records and do something, with their newlines; what was left out goes to ``dropped``."""
    live: set[str] = set()
    seen = 0
    for number, line in enumerate(lines, 1):
        record: Record | None = parse_line(line)
        text = "it is no record" if record is None else objection(record, live, seen)
        if text:
            dropped.append(f"line {number} was left out: {text}: {line[:60]!r}")
            continue
        assert record is not None
        seen += 1
        if record.op == NEW_AD:
            live.add(record.key)
        elif record.op == DESTROY_AD:
            live.discard(record.key)
        yield line + "\n"


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
    """Ads that belong to nothing leave, and the next cluster has a number of its own."""
    queue = JobQueue(path, fs)
    done = []
    with queue.transaction(timeout) as transaction:
        for key in list(_leftovers(queue)):
            transaction.destroy(key)
            done.append(f"{path}: ad {key} belonged to no job and was removed")
        highest = max(queue.clusters(), default=0)
        if highest >= queue.next_cluster:
            number = transaction.alloc_cluster() + 1
            done.append(f"{path}: NextClusterNum is {number} now")
    queue.close()
    return done


def _leftovers(queue: JobQueue) -> Iterator[str]:
    clusters = set(queue.clusters())
    for key, ad in queue.ads.items():
        numbers = split_key(key)
        if numbers is None or numbers[0] <= 0:
            continue
        cluster, proc = numbers
        empty = proc == -1 and not queue.count(cluster) and ad.text("JobMaterializeDigestFile") is None
        if empty or (proc == -2 and cluster not in clusters):
            yield key
