"""The command line of condor_complete, for people: shells go to ``words`` directly."""

from __future__ import annotations

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.complete.words import KINDS, run
from condor_py.cli.options import ToolSpec, UsageError, parse

_SPEC = ToolSpec(
    name="condor_complete",
    usage="KIND [WORD]",
    summary="List the completions of a word on a command line, for shells when Tab is pressed.",
    positional="KIND [WORD]",
    positional_help=f"{', '.join(KINDS)}; and what has been typed of the word",
    description=(
        "Prints what begins with WORD, a line each, with a tab and a remark where there is one. mine are the jobs that "
        "one may change, jobs all of them, one's own first; with +users names of users, too. The completions of bash, "
        "zsh and fish use it."
    ),
    options=(HELP, VERSION),
    examples=(("condor_complete knobs SCHEDD_", "the knobs whose names begin with this"),),
    exit_status="0, 1 when nothing could be read or there is no such kind.",
    see_also=("condor_setup",),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_complete."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if not 1 <= len(args.positional) <= 2 or args.positional[0] not in KINDS:
        raise UsageError(f"condor_complete: say one of {', '.join(KINDS)}, and a word", _SPEC)
    return run(list(args.positional))
