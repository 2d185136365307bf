"""condor_preen: finds, and removes when asked, what crashed processes left in SPOOL, EXECUTE and LOG."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.model.ids import JobId

_SPEC = ToolSpec(
    name="condor_preen",
    usage="[-mail] [-remove] [-verbose] [-debug] [-log FILE]",
    summary="Remove left-over files from the pool's directories.",
    description=(
        "It checks SPOOL, EXECUTE and LOG. In SPOOL what neither HTCondor nor any knob names is left over, "
        "and the files of jobs that are not in the queue; in EXECUTE the directories of starters that are gone; in LOG "
        "the names of INVALID_LOG_FILES and core files that are old, large or many. Nothing that was changed within "
        "the last half hour is touched. Whatever the options, leases in LOCK/syndicate that are over five minutes old "
        "are removed, and checkpoints of jobs that have left the queue are deleted "
        "at their checkpoint_destination, where that did not work before. The master runs it every PREEN_INTERVAL "
        "seconds with PREEN_ARGS."
    ),
    options=(
        Opt("mail", 1, help="mail the findings to PREEN_ADMIN instead of printing them"),
        Opt("remove", 1, help="remove what was found"),
        Opt("verbose", 1, help="list everything that was checked"),
        Opt("debug", 1, help="as -verbose, on stderr"),
        Opt("log", 1, "FILE", "as -verbose, into FILE", takes="file"),
        VERSION,
        HELP,
    ),
    examples=(("condor_preen", "show what is left over"), ("condor_preen -remove", "remove it")),
    exit_status="0, 1 when it could not check, 2 when the mail could not be sent.",
    see_also=("condor_store_check", "condor_master"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_preen."""
    import time

    from condor_py.client.pool import open_pool
    from condor_py.client.progress import Meter, ticking
    from condor_py.lang.config.builders.preen import preen
    from condor_py.store.preen import Entry, expired_leases, look, remove

    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    pool = open_pool()
    lines, seen = [], []
    settings = preen(pool.config)
    meter = Meter(None, "files checked")
    try:
        if meter.is_shown:
            meter.total = sum(1 for _ in look(settings, tuple, time.time()))
        leases = expired_leases(settings, time.time())
        lines += [f"  {path} - Removed\n" for path in leases if remove(Entry(path, True))]
        for entry in look(settings, lambda: _jobs(pool.paths.job_queue_log), time.time()):
            seen.append(f"{entry.path} - {'BAD' if entry.bad else 'OK'}\n")
            meter.at(len(seen))
            if entry.bad:
                done = "Removed" if args.has("remove") and remove(entry) else "Not Removed"
                lines.append(f"  {entry.path} - {done}{f' - {entry.note}' if entry.note else ''}\n")
    except OSError as error:
        raise CondorError(f"condor_preen: cannot read {error.filename}: {error.strerror}") from error
    meter.done()
    with ticking("condor_preen: clearing checkpoints"):
        lines += _clear_checkpoints()
    if args.has("verbose"):
        sys.stdout.writelines(seen)
    if args.has("debug"):
        sys.stderr.writelines(seen)
    if args.has("log"):
        _write_log(args.text("log", ""), seen)
    if args.has("mail") and lines:
        return _mail(lines)
    sys.stdout.writelines(lines)
    return 0


def _clear_checkpoints() -> list[str]:
    """Clears checkpoints at destinations whose jobs have left the queue; a line for each that stays."""
    import os

    from condor_py.client.pool import open_pool
    from condor_py.store.preen import CHECKPOINT_CLEANUP

    pool = open_pool()
    if not os.path.isdir(os.path.join(pool.paths.spool, CHECKPOINT_CLEANUP)):
        return []
    from condor_py.lang.config.builders.checkpoints import checkpoints
    from condor_py.machine.run.checkpointcleanup import all_waiting, clear_waiting

    settings = checkpoints(pool.config)
    lines = []
    try:
        for waiting in all_waiting(pool.paths.spool):
            errors = clear_waiting(waiting, settings, settings.preen_timeout)
            lines += [f"  {waiting.directory} - {error.strip()}\n" for error in errors[:1]]
    except OSError as error:
        raise CondorError(f"condor_preen: cannot read {error.filename}: {error.strerror}") from error
    return lines


def _jobs(path: str) -> set[JobId]:
    """Jobs of the queue, and its clusters as proc -1."""
    from condor_py.model.ids import JobId
    from condor_py.store.job_queue import JobQueue

    queue = JobQueue(path, readonly=True)
    found = {JobId(cluster, proc) for cluster, procs in queue.groups() for proc in procs}
    return found | {JobId(cluster, -1) for cluster in queue.clusters()}


def _write_log(path: str, lines: list[str]) -> None:
    try:
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
    except OSError as error:
        raise CondorError(f"condor_preen: cannot write {path}: {error.strerror}") from error


def _mail(lines: list[str]) -> int:
    """The findings to PREEN_ADMIN; 2 when they cannot be mailed."""
    from condor_py.client.mail import Mailer
    from condor_py.client.pool import open_pool
    from condor_py.lang.config.builders.daemon import mail
    from condor_py.lang.config.builders.preen import preen

    config = open_pool().config
    settings = mail(config)
    mailer = Mailer(settings, lambda text: print(text, file=sys.stderr))
    many = "s" if len(lines) > 1 else ""
    subject = f"condor_preen results {settings.host}: {len(lines)} old file{many} found"
    text = f"The condor_preen process has found the following stale condor files on <{settings.host}>:\n\n"
    sent = mailer.send(preen(config).admin or settings.admin, subject, text + "".join(lines))
    mailer.wait()
    return 0 if sent else 2
