"""Where the records come from: the files of this machine's schedd or startd, files of one's own, event logs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.cli.common import check_place
from condor_py.cli.options import Args
from condor_py.client.pool import Pool, open_pool
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.store.history import HistoryRecord, all_records, backwards, forwards, history_files

_HISTORY_OFF = (
    "Error: No passed search file and configuration key {knob} is unset.\n\n"
    "No history is kept without it; define {knob} in the configuration."
)


class _Refused(CondorError):
    """The daemon has no such history."""

    exit_code = 5


class Source(NamedTuple):
    """Files in the order in which they are read, or a ``history`` with its rotated files; ``delete`` removes each file
    when it was read."""

    files: tuple[str, ...] = ()
    delete: bool = False
    history: str = ""

    def records(self, newest_first: bool) -> Iterator[HistoryRecord]:
        """The records, file by file. CondorError names a file that cannot be read."""
        if self.history:
            for name in history_files(self.history):
                if not os.access(name, os.R_OK) and os.path.exists(name):  # one that is gone has been rotated
                    raise CondorError(f"Error opening history file {name}: {_why_unreadable(name)}")
            yield from all_records(self.history, newest_first=newest_first, rest=True)
        for name in self.files:
            if not os.access(name, os.R_OK):
                raise CondorError(f"Error opening history file {name}: {_why_unreadable(name)}")
            yield from backwards(name) if newest_first else forwards(name, rest=True)
            if self.delete:
                os.unlink(name)


def is_remote(args: Args) -> bool:
    """Whether a daemon is asked for its history. It is this machine's: its own configuration says where that is."""
    return args.has("name") or args.has("pool")


def configured(args: Args) -> str | None:
    """The file that the configuration names for -epochs, -transfer-history and -daemon, "" for none; None without
    these options. Raises CondorError where none is named."""
    if args.has("daemon"):
        knob = f"{_daemon(args)}_DAEMON_HISTORY"
        return open_pool().config.path(knob) or _none(f"Error: No daemon history to read: {knob} undefined")
    if args.has("epochs") or args.has("transfer-history"):
        config = open_pool().config
        path = config.path("JOB_EPOCH_HISTORY")
        if not path and not (args.has("epochs") and config.path("JOB_EPOCH_HISTORY_DIR")):
            raise CondorError("Error: No Job Run Instance recordings to read.")
        return path
    return None


def source(args: Args, newest_first: bool, named: str | None) -> Source:
    """The files to read; ``named`` is what ``configured`` said. CondorError says why there are none."""
    if is_remote(args):
        return Source(history=_of_daemon(args))
    if args.has("file"):
        return Source((args.text("file") or "",))
    if args.has("directory"):
        return _directory(args, newest_first)
    path = args.text("search") or named
    if not path:
        knob = _knob(args)
        path = open_pool().config.path(knob) or _none(_HISTORY_OFF.format(knob=knob))
    return Source(history=path)


def _knob(args: Args) -> str:
    if args.has("epochs") or args.has("transfer-history"):
        return "JOB_EPOCH_HISTORY"
    if args.has("daemon"):
        return f"{_daemon(args)}_DAEMON_HISTORY"
    return "STARTD_HISTORY" if args.has("startd") else "HISTORY"


def _daemon(args: Args) -> str:
    return (args.colon("daemon") or "SCHEDD").upper()


def _none(message: str) -> str:
    raise CondorError(message)


def _of_daemon(args: Args) -> str:
    """The path that the configuration of the daemon itself names, whose knobs may have its prefix (SCHEDD.HISTORY)."""
    daemon = "startd" if args.has("startd") else "schedd"
    pool = open_pool(daemon.upper())
    _check_daemon(args, pool, daemon)
    knob = _knob(args) + ("_DIR" if args.has("directory") else "")
    path = pool.config.path(knob)
    if not path:
        text = f"{knob} undefined in remote configuration. No such related history to be queried."
        raise _Refused(f"Error {_Refused.exit_code}: {text}")
    return path


def _check_daemon(args: Args, pool: Pool, daemon: str) -> None:
    asked, where = args.text("name"), args.text("pool") or ""
    unknown = f"Unable to locate remote {daemon} (name={{name}}, pool={where})."
    if daemon == "schedd":
        check_place(args, pool, unknown)
        return
    name = pool.settings.startd_name.lower()
    if asked is not None and asked.lower() not in (name, name.partition("@")[0] + "@", name.rpartition("@")[2]):
        raise CondorError(unknown.format(name=asked))


def _directory(args: Args, newest_first: bool) -> Source:
    """The files of single jobs with their runs (``job.runs.C.P.ads``), that of the newest job first."""
    delete = (args.colon("epochs") or "").lower().startswith("d")
    for option, words in (("scanlimit", "-scanlimit"), ("limit", "-limit or -match")):
        if delete and args.has(option):
            raise CondorError(f"Error: -epoch:d (delete) cannot be used with {words}.")
    directory = args.text("search")
    if directory is None and args.has("epochs"):
        directory = open_pool().config.path("JOB_EPOCH_HISTORY_DIR")
    if not directory:
        raise CondorError("Error: No search directory found for locating history files.")
    if not os.path.isdir(directory):
        raise CondorError(f"Error: {directory} is not a valid directory.")
    found = [re.fullmatch(r"job\.runs\.(\d+)\.(\d+)\.ads", name) for name in os.listdir(directory)]
    jobs = sorted(((int(match[1]), int(match[2]), match[0]) for match in found if match), reverse=newest_first)
    return Source(tuple(os.path.join(directory, name) for _, _, name in jobs), delete)


def single_ads(args: Args) -> Iterator[ClassAd] | None:
    """Ads that have no banners: of an event log, of PER_JOB_HISTORY_DIR. None when the command line names none."""
    if args.has("userlog"):
        from condor_py.cli.userlog import jobs_of_log

        path = args.text("userlog") or ""
        if not os.access(path, os.R_OK):
            raise CondorError(f"Error: Can't open userlog {path}")
        return iter(jobs_of_log(path))
    if args.has("directory") and args.has("search") and not args.has("epochs") and not is_remote(args):
        return _per_job(args.text("search") or "")
    return None


def _per_job(path: str) -> Iterator[ClassAd]:
    """Single records (``history.C.P``), the newest first."""
    from condor_py.cli.adfile import read_ads

    try:
        with os.scandir(path) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.name.startswith("history.")]
    except OSError as error:
        raise CondorError(f"Error opening history directory {path}: {error.strerror}") from error
    for _, name in sorted(files, reverse=True):
        yield from read_ads(name, "long")


def _why_unreadable(path: str) -> str:
    try:
        with open(path, "rb"):
            return "Permission denied"
    except OSError as error:
        return error.strerror or str(error)
