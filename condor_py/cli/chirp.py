"""condor_chirp: a running job reaches files and its own ad at the access point."""

from __future__ import annotations

import sys

from condor_py.cli.options import EXACT, Opt, ToolSpec
from condor_py.client.chirp import COMMANDS, condor_chirp

_SPEC = ToolSpec(
    name="condor_chirp",
    usage="COMMAND [options] [ARGUMENT ...]",
    summary="Reach files and the job ad at the access point from a running job.",
    positional="COMMAND [ARGUMENT ...]",
    positional_help="; ".join(f"{name} {words}".strip() for name, words in COMMANDS.items()),
    description=(
        "Jobs with want_io_proxy = true in their submit description can use it (set_job_attr_delayed and "
        "get_job_attr_delayed: all jobs). REMOTE paths are those of the access point, relative to the directory that "
        "the job was submitted from, and reached with the rights of the job's owner; for LOCAL, - is standard input or "
        "output. set_job_attr changes the job ad in the queue at once; set_job_attr_delayed costs less: attributes "
        "whose names begin with Chirp change with the next update."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("h", EXACT, help="the commands", same_as="help"),
        Opt(
            "mode",
            EXACT,
            "MODE",
            "how put opens REMOTE: w write, a append, t truncate, c create, x fail if it is there",
        ),
        Opt("perm", EXACT, "PERM", "permissions of what put makes, octal"),
        Opt("offset", EXACT, "N", "offset at which read and write begin"),
        Opt("stride", EXACT, "LENGTH SKIP", "read and write LENGTH bytes every SKIP bytes"),
        Opt("r", EXACT, help="rmdir: with all that is in it"),
        Opt("l", EXACT, help="getdir: with the output of stat"),
        Opt("s", EXACT, help="link: a symbolic one"),
    ),
    examples=(
        ("condor_chirp set_job_attr Progress 0.5", "all users can see it with condor_q -af Progress"),
        ('condor_chirp ulog "half way"', "event 008 in the event log of the job"),
        ("echo more | condor_chirp put -mode wa - results.txt", "appends to a file at the access point"),
    ),
    exit_status="0 when it was done, 1 otherwise.",
    unknown="",
    see_also=("condor_submit", "condor_q", "condor_wait"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_chirp."""
    if argv and argv[0] in ("-help", "--help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    return int(condor_chirp(argv, return_exit_code=True))
