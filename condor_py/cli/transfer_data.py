"""condor_transfer_data: brings the output of spooled jobs to where they were submitted."""

from __future__ import annotations

import re
import sys

from condor_py.cli.common import HELP, VERSION, check_address, check_place, elsewhere, handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse

_SPEC = ToolSpec(
    name="condor_transfer_data",
    usage="[options] [constraints]",
    summary="Bring the output files of jobs that were submitted with -spool.",
    positional="CLUSTER.PROC | CLUSTER | USER",
    positional_help="a job, all jobs of a cluster, or all jobs of a user",
    description=(
        "Files that a job made or changed, its standard output and standard error are copied from the spool into the "
        "directory that the job was submitted from, where TransferOutputRemaps says so under another name. What the "
        "job brought along is left out. A finished job leaves the queue once its output was fetched."
    ),
    options=(
        HELP,
        VERSION,
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        Opt("name", 1, "NAME", "the schedd to ask"),
        Opt("pool", 1, "HOST", "the pool of the schedd that -name names"),
        Opt("addr", 2, "ADDR", "the schedd at this address"),
        Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", dash_value=True),
        Opt("all", 1, help="all your jobs"),
    ),
    exit_status="0, or 1 when a file could not be copied.",
    unknown="Unrecognized option: {arg}",
    dash=False,
    usage_after=("unknown", "usage"),
    examples=(("condor_transfer_data 25", "the output of cluster 25"),),
    see_also=("condor_submit", "condor_rm"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_transfer_data."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    constraint = _constraint(args)
    from condor_py.client.output import fetch_output
    from condor_py.client.pool import open_pool

    pool = open_pool()
    other = elsewhere(args, pool)
    if other is None:
        check_place(args, pool, "condor_transfer_data: unknown host {name}")
        check_address(args, pool)
    sys.stdout.write("Fetching data files...\n")
    sys.stdout.flush()
    if other is not None:
        other.fetch(constraint)
        return 0
    fetch_output(pool, constraint)
    if args.positional and sys.stderr.isatty():
        from condor_py.cli.suggest import hint_at_absent

        hint_at_absent(pool.read_queue(), args.positional)
    return 0


def _constraint(args: Args) -> str:
    parts = [f"({text})" for text in args.texts("constraint")]
    parts += [_of_word(str(use.values[0])) for use in args.uses if not use.name]
    if args.has("all"):
        if parts:
            raise UsageError("", args.spec, kind="usage")
        return "true"
    if not parts:
        raise UsageError("You did not specify any jobs", args.spec, kind="usage")
    return " || ".join(parts)


def _of_word(word: str) -> str:
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
    if match is None:
        return f'(Owner == "{word}")'
    if match[2] is None:
        return f"(ClusterId == {match[1]})"
    return f"(ClusterId == {match[1]} && ProcId == {match[2]})"
