"""The check of a spool's consistency: ``python -m condor_py.store.check SPOOL`` prints what is not, and
exits 1.

Looks at the files alone, without locks and without changing anything. A torn end of a log is no problem:
the next writer cuts it. The crash tests use this as their judge.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.history import HistoryRecord, forwards, history_files
from condor_py.store.job_queue import JobQueue
from condor_py.store.repair import LOGS, QUEUE, examine


class Problem(NamedTuple):
    """Something wrong: the file, the byte (-1 for the file as a whole), what it is."""

    file: str
    offset: int
    text: str

    def __str__(self) -> str:
        where = f"{self.file}, byte {self.offset}" if self.offset >= 0 else self.file
        return f"{where}: {self.text}"


#: Called with the number of bytes that have been checked, and that of all.
Listener = Callable[[int, int], None]


def check_spool(
    spool: str, fs: FileSystem | None = None, *, history: str | None = None, told: Listener | None = None
) -> list[Problem]:
    """Return the problems of a spool directory; ``history`` is HISTORY when it is not ``SPOOL/history``.

    ``told`` is called with the progress.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    history_path = history if history is not None else os.path.join(spool, "history")
    problems: list[Problem] = []
    queue_path = os.path.join(spool, QUEUE)
    logs = [os.path.join(spool, name) for name in LOGS]
    histories = [*reversed(history_files(history_path, file_system))]
    way = _Way(file_system, [*logs, *histories], told)
    for path in logs:
        problems += _check_log(file_system, path, history_path)
        way.file_done(path)
    if any(problem.file == queue_path for problem in problems):
        queued: dict[str, JobId] = {}
    else:
        queue = JobQueue(queue_path, file_system, readonly=True)
        queued = _queued_ids(queue)
        queue.close()
    seen: dict[str, str] = {}
    for path in histories:
        problems += _check_history(file_system, path, seen, way)
        way.file_done(path)
    problems += [
        Problem(seen[identity], -1, f"job {job} ({identity}) is in the history and, not ended, in the queue")
        for identity, job in queued.items()
        if identity in seen
    ]
    return problems


class _Way:
    """The bytes of the files that have been checked."""

    def __init__(self, fs: FileSystem, paths: Sequence[str], listener: Listener | None) -> None:
        self._listener = listener
        self._sizes = {path: _size(fs, path) for path in paths} if listener is not None else {}
        self._total = sum(self._sizes.values())
        self._before = 0

    def at(self, offset: int) -> None:
        """The file that is read now is checked up to there."""
        if self._listener is not None:
            self._listener(self._before + offset, self._total)

    def file_done(self, path: str) -> None:
        """A file is checked as a whole."""
        self._before += self._sizes.get(path, 0)
        self.at(0)


def _size(fs: FileSystem, path: str) -> int:
    try:
        return fs.stat(path).size
    except OSError:
        return 0


# logs


def _check_log(fs: FileSystem, path: str, history: str) -> list[Problem]:
    """Return the problems that the daemon that owns the log repairs when it starts, as -repair does."""
    try:
        return [Problem(path, note.offset, note.wrong) for note in examine(path, fs, history).notes]
    except OSError as error:
        return [Problem(path, -1, str(error.strerror))]


def _queued_ids(queue: JobQueue) -> dict[str, JobId]:
    """GlobalJobIds of the jobs that have not come to their end: an ended one may already have its history
    record."""
    found = {}
    for job, ad in queue.jobs():
        identity = ad.text("GlobalJobId")
        if identity is not None and ad.text("JobStatus") not in ("3", "4"):
            found[identity.strip('"')] = job
    return found


# history


def _check_history(fs: FileSystem, path: str, seen: dict[str, str], way: _Way) -> Iterator[Problem]:
    """Banners and offsets of one file; adds its GlobalJobIds to ``seen``."""
    end = banner = 0
    for record in forwards(path, fs):
        yield from _check_record(record, end, banner, seen)
        way.at(record.offset)
        banner = record.offset + len(record.text.encode("utf-8", "surrogateescape"))
        end = banner + len(record.banner.encode("utf-8", "surrogateescape")) + 1


def _check_record(record: HistoryRecord, end: int, banner: int, seen: dict[str, str]) -> Iterator[Problem]:
    """``end`` and ``banner`` are where the banner before the record ends and begins (0 without one)."""
    if record.offset != end:
        yield Problem(record.path, end, "lines that belong to no record")
    said = record.fields().get("Offset")
    if said not in (str(banner), str(record.offset)):  # some writers name the record, HTCondor the banner before it
        yield Problem(record.path, record.offset, f"the banner says Offset = {said}")
    try:
        ad = record.ad()
    except StoreError as error:
        yield Problem(record.path, record.offset, str(error))
        return
    job = record.job()
    if job is None or (ad.text("ClusterId"), ad.text("ProcId")) != (str(job.cluster), str(job.proc)):
        yield Problem(record.path, record.offset, "banner and ad name different jobs")
    identity = (ad.text("GlobalJobId") or "").strip('"')
    if identity in seen:
        yield Problem(record.path, record.offset, f"a second record of job {job} ({identity})")
    if identity:
        seen[identity] = record.path


def main(arguments: list[str]) -> int:
    """The program; returns its exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("Usage: python -m condor_py.store.check SPOOL", file=sys.stderr)
        return 2
    if not os.path.isdir(arguments[0]):
        print(f"{arguments[0]} is no directory; name the SPOOL directory", file=sys.stderr)
        return 2
    try:
        problems = check_spool(arguments[0])
    except StoreError as error:
        print(error, file=sys.stderr)
        return 1
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
