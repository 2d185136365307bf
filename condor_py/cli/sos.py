"""condor_sos: another command, with more patience."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="condor_sos",
    usage="[-debug] [-timeoutmult N] condor_COMMAND [ARGUMENT ...]",
    summary="Run a command with more patience for daemons that are busy.",
    positional="condor_COMMAND [ARGUMENT ...]",
    positional_help="the command to run",
    description=(
        "HTCondor gives such a command precedence over others that wait. Here no command waits in a line: a daemon "
        "takes everything that has arrived in one turn. So only the time-outs are left, which -timeoutmult makes "
        "longer (the knob TIMEOUT_MULTIPLIER)."
    ),
    options=(
        Opt("debug", 1, colon="FLAGS", help="accepted; messages go to standard error in any case"),
        Opt("timeoutmult", 1, "N", "multiply the time-outs of the command by N",
            missing="Error: argument -timeoutmult requires an integer argument"),
        Opt("pool", 1, "HOST", hidden=True),
        Opt("name", 1, "NAME", hidden=True),
        VERSION,
        HELP,
    ),
    examples=(("condor_sos -timeoutmult 5 condor_hold -all", "hold everything, however long it takes"),),
    exit_status="that of the command; 1 when there is none to run.",
    see_also=("condor_q", "condor_hold"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_sos."""
    at = next((index for index, word in enumerate(argv) if word.startswith("condor_")), len(argv))
    if at and argv[at - 1].lstrip("-") and "timeoutmult".startswith(argv[at - 1].lstrip("-")):
        at = len(argv)
    args = parse(_SPEC, argv[:at])
    if args.has("pool") or args.has("name"):
        raise UsageError(
            "Neither -pool nor -name arguments are allowed, because condor_sos will only communicate with HTCondor "
            "services on the local machine.",
            _SPEC,
            kind="unknown",
        )
    if handle_help_and_version(args):
        return 0
    if args.positional:
        raise UsageError(f"Error: unrecognized argument {args.positional[0]}", _SPEC, kind="unknown")
    times = args.text("timeoutmult")
    if times is not None and not (times.isascii() and times.isdecimal()):
        raise CondorError("Error: argument -timeoutmult requires an integer argument")
    if at == len(argv):
        raise UsageError("Error: no condor command specified\n", _SPEC, kind="unknown")
    return _become(argv[at], argv[at + 1 :], times or "1")


def _become(program: str, words: list[str], times: str) -> int:
    """Run one of our commands in this process; any other takes this process over."""
    from condor_py.cli.entry import PROGRAMS, main

    os.environ["_CONDOR_TIMEOUT_MULTIPLIER"] = times
    if program in PROGRAMS:
        return main(program, words)
    sys.stdout.flush()
    try:
        os.execvp(program, [program, *words])
    except OSError as error:
        raise CondorError(f"Failed to spawn {program}: {error.strerror}") from None
