"""condor_fetchlog: prints the log of a daemon, or a history, of this machine's pool."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import check_pool, handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: Daemons that HTCondor's command may be sent to, and those of them that a pool of condor_py has.
_DAEMONS = ("master", "schedd", "startd", "collector", "negotiator", "kbdd", "view_collector")
_HERE = ("master", "schedd", "startd", "collector", "negotiator")
_SPEC = ToolSpec(
    name="condor_fetchlog",
    usage="[options] MACHINE SUBSYSTEM[.EXT]",
    summary="Print the log of a daemon.",
    positional="MACHINE SUBSYSTEM[.EXT]",
    positional_help="this machine; MASTER, SCHEDD, STARTD, STARTER.slot1_1, NEGOTIATOR, SHADOW ... (any name with a "
    "knob NAME_LOG), HISTORY or STARTD_HISTORY",
    description=(
        "The knob SUBSYSTEM_LOG names the file, to which .EXT is appended: .old is the log before the present one, "
        ".slot1_1 that of the starter of a slot. HISTORY and STARTD_HISTORY are all files of a history, the oldest "
        "first. The file is read with your own rights, and the daemons need not run."
    ),
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("pool", EXACT, "HOST", "the pool to ask; this machine is the only one",
            missing="-pool requires an argument."),
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        *(Opt(name, EXACT, help=f"accepted; no daemon is asked, the file is read ({name})") for name in _HERE),
        *(Opt(name, EXACT, help="refused: a pool of one machine has none", hidden=True)
          for name in _DAEMONS if name not in _HERE),
    ),
    examples=(
        ("condor_fetchlog $(hostname) SCHEDD", "the SchedLog"),
        ("condor_fetchlog $(hostname) STARTER.slot1_1", "the log of the starter of a slot"),
        ("condor_fetchlog localhost MASTER.old", "the MasterLog before the present one"),
    ),
    exit_status="0; 1 when there is no such log or it cannot be read.",
    unknown="",
    usage_after=("unknown", "missing", ""),
    see_also=("condor_history", "condor_who", "condor_gather_info"),
)  # fmt: skip
SPECS = (_SPEC,)

_HISTORIES = ("HISTORY", "STARTD_HISTORY")
_CHUNK = 1 << 16


def main(argv: list[str]) -> int:
    """Run condor_fetchlog."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if len(args.positional) > 2:
        raise UsageError(f"Extra argument: {args.positional[2]}\n", _SPEC)
    if len(args.positional) < 2:
        raise UsageError("", _SPEC, argument="" if not argv else argv[-1])
    machine, log = args.positional
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_pool(args, pool)
    asked = next((use.name for use in reversed(args.uses) if use.name in _DAEMONS), "master")
    if asked not in _HERE:
        raise CondorError(f"Couldn't locate daemon on {machine}: a pool of one machine has no {asked}")
    if machine.rpartition("@")[2].lower() not in _names(pool):
        raise CondorError(f"Couldn't locate daemon on {machine}: Can't find address for {asked} {machine}")
    for path in log_files(pool, log):
        _copy(path)
    return 0


def _names(pool: Pool) -> tuple[str, ...]:
    """Names of this machine, in lower case."""
    settings = pool.settings
    host = settings.host.lower()
    return host, host.split(".")[0], settings.startd_name.lower(), pool.schedd_name.lower(), "localhost", "127.0.0.1"


def log_files(pool: Pool, log: str) -> list[str]:
    """Return the files of a log (``SUBSYSTEM[.EXT]``) or history, the oldest first. CondorError when there is none."""
    if log in _HISTORIES:
        from condor_py.store.history import history_files

        path = pool.config.path(log)
        if not path:
            raise _failed("server can't provide that type of log")
        return history_files(path)[::-1]
    subsystem, dot, extension = log.partition(".")
    path = pool.config.path(f"{subsystem}_LOG")
    if not path or "/" in extension:
        raise _failed("no log file by that name")
    return [path + dot + extension]


def _copy(path: str) -> None:
    """Print a file. CondorError when it cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, encoding="utf-8", errors="surrogateescape", newline="") as file:
            while text := file.read(_CHUNK):
                sys.stdout.write(text)
    except PermissionError:
        raise _failed("permission denied") from None
    except OSError as error:
        if error.filename is None and not isinstance(error, IsADirectoryError):
            raise  # of the output
        raise _failed("server was unable to access it") from None


def _failed(reason: str) -> CondorError:
    return CondorError(f"Couldn't fetch log: {reason}.")
