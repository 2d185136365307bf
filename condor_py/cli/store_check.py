"""condor_store_check: verifies the files of a spool, and repairs them when asked."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.client.progress import ticking
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="condor_store_check",
    usage="[options] [SPOOL]",
    summary="Verify the files of the spool: job queue, accounting, history.",
    positional="[SPOOL]",
    positional_help="the directory to check; the configured SPOOL by default",
    description=(
        "It prints a line for everything that is wrong: the file, the byte and what it is. It changes nothing unless "
        "-repair is given. A record that was cut short by a crash at the end of a log is not wrong: the next writer "
        "removes it. A daemon that finds its log damaged when it starts repairs it as -repair does. -repair keeps a "
        "copy of each file as FILE.damaged, leaves out of the logs what cannot be read or "
        "does nothing, removes ads that belong to no job, and corrects the number of the next cluster; it wants the "
        "daemons off."
    ),
    options=(
        Opt("repair", 1, help="repair the logs; the daemons must not run"),
        Opt("quiet", 1, help="print nothing, only return the status"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_store_check", "verify the configured spool"),
        ("condor_store_check -repair", "repair it, when the daemons have ended after condor_off -master"),
    ),
    exit_status="0 when nothing is wrong (any more), 1 when something is, 2 when it could not check.",
    see_also=("condor_off", "condor_q"),
)  # fmt: skip
SPECS = (_SPEC,)


class CannotLook(CondorError):
    """There is no spool to check, or it must not be changed now."""

    exit_code = 2


def main(argv: list[str]) -> int:
    """Run condor_store_check."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args, after=1)
    from condor_py.store.check import check_spool

    spool, history = _places(args.positional[0] if args.positional else None)
    lines: list[str] = []
    if args.has("repair"):
        _refuse_if_running(spool)
        lines += _repair(spool)
    with ticking("condor_store_check: reading the spool", "", quiet=args.has("quiet")) as ticker:
        problems = check_spool(spool, history=history, told=ticker.told)
    lines += map(str, problems) if problems else [f"{spool}: nothing is wrong"]
    if not args.has("quiet"):
        sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problems else 0


def _repair(spool: str) -> list[str]:
    from condor_py.store.repair import repair_spool

    try:
        return repair_spool(spool)
    except OSError as error:
        raise CannotLook(f"condor_store_check: cannot repair {error.filename or spool}: {error.strerror}") from error


def _places(given: str | None) -> tuple[str, str | None]:
    """The spool, and its history unless it is the usual one."""
    if given is not None:
        spool, history = given, None
    else:
        from condor_py.client.pool import open_pool, why_closed

        pool = open_pool()
        if closed := why_closed(pool.paths):
            raise CannotLook(closed)
        spool, history = pool.paths.spool, pool.paths.history
    if not os.path.isdir(spool):
        raise CannotLook(f"condor_store_check: {spool} is no directory; name the SPOOL directory")
    return spool, history


def _refuse_if_running(spool: str) -> None:
    """CannotLook when a daemon of this pool works on the spool."""
    import socket

    from condor_py.client.pool import open_pool

    paths = open_pool().paths
    if os.path.realpath(paths.spool) != os.path.realpath(spool):
        return
    for daemon in ("master", "schedd", "negotiator"):
        with socket.socket(socket.AF_UNIX) as link:
            if link.connect_ex(paths.socket(daemon)) == 0:
                raise CannotLook(
                    f"condor_store_check: the {daemon} of this pool is running; turn it off with "
                    "condor_off -master before -repair"
                )
