"""condor_mcp: the queue and the pool as tools of an agent, by the Model Context Protocol on standard input and output
(not in HTCondor)."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.cli.mcp.limits import Limits

_ROWS, _MOST_ROWS = 50, 1_000
_BYTES, _FEWEST_BYTES, _MOST_BYTES = 20_000, 1_000, 1_000_000

_SPEC = ToolSpec(
    name="condor_mcp",
    usage="[-directory DIR] [-read-only] [-rows N] [-bytes N]",
    summary="Give an agent tools for this pool, by the Model Context Protocol on standard input and output.",
    description=(
        "A program that talks to a language model starts it and ends it; it is of no use in a terminal. Its tools are "
        "submit, queue, job, why, history, log, hold, release, remove, prio, edit, slots and users. They act with the "
        "rights of the account that runs it. A tool that changes something only says at first what it would do, and "
        "returns a token; it acts when it is called again with that token, and only if it would still do the same. No "
        "tool runs a command: a submit description that asks for one (queue from COMMAND |, include command) is "
        "refused. It needs the package mcp of PyPI: pip install 'condor_py[mcp]'."
    ),
    options=(
        Opt("directory", 1, "DIR", "the working directory: submit files are below it, and the paths of submit "
            "descriptions begin there (by default the current directory)", takes="dir"),
        Opt("read-only", 3, help="no tool changes anything: only queue, job, why, history, log, slots and users"),
        Opt("rows", 2, "N", f"rows of a table in one answer, at most ({_ROWS}; up to {_MOST_ROWS})", convert=int),
        Opt("bytes", 1, "N", f"bytes of a table or a text in one answer, at most ({_BYTES}; {_FEWEST_BYTES} to "
            f"{_MOST_BYTES})", convert=int),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_mcp -directory /home/alice/work", "as the command of a server in the configuration of an agent"),
        ("condor_mcp -read-only", "an agent that only looks"),
    ),
    exit_status="0 when the agent has closed the connection, 1 when it could not start.",
    see_also=("condor_submit", "condor_q", "condor_history", "condor_tail"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_mcp."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    rows, size = args.number("rows"), args.number("bytes")
    if rows is not None and not 1 <= rows <= _MOST_ROWS:
        raise UsageError(f"condor_mcp: -rows takes a number from 1 to {_MOST_ROWS}", _SPEC)
    if size is not None and not _FEWEST_BYTES <= size <= _MOST_BYTES:
        raise UsageError(f"condor_mcp: -bytes takes a number from {_FEWEST_BYTES} to {_MOST_BYTES}", _SPEC)
    directory = args.text("directory")
    if directory is not None:
        try:
            os.chdir(directory)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise CondorError(f"condor_mcp: -directory {directory}: {why}") from None
    serve = _server()
    from condor_py.cli.mcp.limits import Limits

    if sys.stdin.isatty():
        sys.stderr.write("condor_mcp: waiting for an agent on standard input; ^D ends it\n")
    serve(Limits(rows or _ROWS, size or _BYTES), args.has("read-only"))
    return 0


def _server() -> Callable[[Limits, bool], None]:
    """Return what serves. CondorError where the package mcp is not installed, or too old."""
    from condor_py.model import packages

    packages.make_known()
    try:
        from condor_py.cli.mcp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "condor_py":
            raise
        raise CondorError(
            f"condor_mcp: {sys.executable or 'python3'} has no package mcp (2 or later): pip install 'condor_py[mcp]'"
        ) from None
    return serve
