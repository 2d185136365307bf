"""Files that do not belong in SPOOL, EXECUTE and LOG: left-overs of processes that ended before they could tidy up.

Only names are judged, and the queue: a job's files stay while its job or cluster is in it. What is younger than half an
hour stays in any case (a process may be about to use it), and so does the execute directory of a starter that lives.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatchcase
from time import localtime, strftime
from typing import NamedTuple

from condor_py.model.ids import JobId
from condor_py.model.settings.preen import PreenSettings
from condor_py.store.drain_file import STARTD_DRAIN
from condor_py.store.job_sizes import JOB_SIZES

#: Nothing younger is a left-over, in seconds.
YOUNG = 30 * 60
_LEASE = 300
#: Lists of checkpoints that are to be cleared wait in this directory of the spool.
CHECKPOINT_CLEANUP = "checkpoint-cleanup"
#: Events that wait for their event logs are in this one.
LATE_EVENTS = "late_events"
#: Notices that could not be posted yet are in this file.
NOTICES = "notices"
_ALWAYS = (
    "job_queue.log*", "Accountantnew.log*", "Accountant.log*", "spool_version", "local_univ_execute", "*OfflineLog*",
    "*OfflineAds*", "lost+found", "ads", ".*", "*.lock", "*.damaged", CHECKPOINT_CLEANUP,
    LATE_EVENTS, JOB_SIZES, NOTICES, STARTD_DRAIN,
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,4}")
_OF_JOB = re.compile(r"cluster(\d+)\.proc(\d+)\.subproc\d+(\.tmp|\.swap|\.old|\.checkpoint(\.tmp|\.old)?)?")
_OF_CLUSTER = re.compile(r"(?:condor_submit\.(\d+)\.\w+|cluster(\d+)\.ickpt\.subproc\d+)")
_EXECUTE = re.compile(r"dir_(\d+)")
_CORE = re.compile(r"core\.|.*\.core\.|core\Z")


class Entry(NamedTuple):
    """A file or directory that was checked. ``bad``: it does not belong there; ``note`` says more about it."""

    path: str
    bad: bool
    note: str = ""


def look(settings: PreenSettings, in_queue: Callable[[], Collection[JobId]], now: float) -> Iterator[Entry]:
    """Everything in the directories, judged at ``now`` (Unix seconds). ``in_queue`` reads the jobs of the queue.

    Clusters without a proc (factories that wait) are in it as proc -1. OSError for a directory that cannot be read.
    """
    yield from _spool(settings, in_queue, now)
    yield from _execute(settings, now)
    yield from _log(settings, now)


def expired_leases(settings: PreenSettings, now: float) -> list[str]:
    """Return the expired leases that HTCondor's daemons have left in LOCK/syndicate. There they agree on who transfers
    common files, by leases that hold for five minutes. condor_py leaves none."""
    found = []
    for folder, _, names in os.walk(f"{settings.lock}/syndicate") if settings.lock else ():
        for path in (os.path.join(folder, name) for name in names):
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(status.st_mode) and now - status.st_mtime > _LEASE:
                found.append(path)
    return found


def remove(entry: Entry) -> bool:
    """Takes a left-over away; whether that worked. A link is removed, not what it points to."""
    from shutil import rmtree  # which no daemon that only knows the names needs

    try:
        if os.path.isdir(entry.path) and not os.path.islink(entry.path):
            rmtree(entry.path)
        else:
            os.unlink(entry.path)
    except FileNotFoundError:
        return True
    except (OSError, RecursionError):
        return False
    return True


def _entries(directory: str) -> list[os.DirEntry[str]]:
    if not directory:
        return []
    try:
        with os.scandir(directory) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_young(entry: os.DirEntry[str], now: float) -> bool:
    try:
        return now - entry.stat(follow_symlinks=False).st_mtime < YOUNG
    except FileNotFoundError:
        return True


def _spool(settings: PreenSettings, in_queue: Callable[[], Collection[JobId]], now: float) -> Iterator[Entry]:
    patterns = (*_ALWAYS, *settings.valid_spool, *(f"{name}*" for name in settings.histories))
    of_jobs: list[tuple[JobId, str]] = []
    for entry in _entries(settings.spool):
        if any(fnmatchcase(entry.name, pattern) for pattern in patterns):
            yield Entry(entry.path, False)
        elif entry.is_dir(follow_symlinks=False) and _NUMBER.fullmatch(entry.name):
            yield from _cluster_folder(entry.path, of_jobs, now)
            yield Entry(entry.path, False)
        elif (job := _job_of(entry.name)) is not None:
            of_jobs.append((job, entry.path))
        else:
            yield Entry(entry.path, not _is_young(entry, now))
    if of_jobs:  # the queue is read after the names: a job that came since has its files on no list
        jobs = in_queue()
        clusters = {job.cluster for job in jobs}
        for job, path in of_jobs:
            kept = job in jobs or (job.proc < 0 and job.cluster in clusters)
            yield Entry(path, not kept)


def _cluster_folder(path: str, of_jobs: list[tuple[JobId, str]], now: float) -> Iterator[Entry]:
    """``SPOOL/<cluster mod 10000>`` and the directories of procs below it."""
    for entry in _entries(path):
        folder = entry.is_dir(follow_symlinks=False) and _NUMBER.fullmatch(entry.name) is not None
        for inner in _entries(entry.path) if folder else [entry]:
            job = _job_of(inner.name)
            if _is_young(inner, now):
                yield Entry(inner.path, False)
            elif job is None:
                yield Entry(inner.path, True)
            else:
                of_jobs.append((job, inner.path))


def _job_of(name: str) -> JobId | None:
    """The job whose file this is; proc -1 for one of the whole cluster."""
    found = _OF_JOB.fullmatch(name)
    if found is not None:
        return JobId(int(found[1]), int(found[2]))
    found = _OF_CLUSTER.fullmatch(name)
    return None if found is None else JobId(int(found[1] or found[2]), -1)


def _execute(settings: PreenSettings, now: float) -> Iterator[Entry]:
    """While any starter lives, everything without a number may be its; a number tells which process has made it."""
    for directory in settings.execute:
        entries = _entries(directory)
        lives = {entry.name: _is_alive(entry.name) for entry in entries}
        busy = any(lives.values())
        for entry in entries:
            numbered = _EXECUTE.fullmatch(entry.name) is not None
            kept = lives[entry.name] or _is_young(entry, now) or (busy and not numbered) or entry.name[:1] == "."
            yield Entry(entry.path, not kept)


def _is_alive(name: str) -> bool:
    found = _EXECUTE.fullmatch(name)
    return found is not None and os.path.exists(f"/proc/{found[1]}")


def _log(settings: PreenSettings, now: float) -> Iterator[Entry]:
    """INVALID_LOG_FILES, and core files that are old, large, or too many."""
    cores: list[tuple[float, Entry]] = []
    for entry in _entries(settings.log):
        if entry.name in settings.invalid_log:
            yield Entry(entry.path, True)
        elif not _CORE.match(entry.name) or not entry.is_file(follow_symlinks=False):
            yield Entry(entry.path, False)
        else:
            status = entry.stat(follow_symlinks=False)
            note = f"modify time: {strftime('%Y-%m-%d %H:%M', localtime(status.st_mtime))}, size: {status.st_size}"
            bad = now - status.st_mtime > settings.core_stale_age or status.st_size > settings.core_max_size
            cores.append((status.st_mtime, Entry(entry.path, bad, note if bad else "")))
    kept = 0
    for _, core in sorted(cores, reverse=True):
        kept += not core.bad
        yield core if core.bad or kept <= settings.cores_kept else Entry(core.path, True, "too many core files")
