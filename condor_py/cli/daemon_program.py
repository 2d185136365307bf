"""Common parts of the programs of daemons that the master starts, for users who run or query them by hand."""

from __future__ import annotations

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, parse

#: Options of every program that is no tool.
ABOUT = (
    Opt("version", EXACT, help="print the version and exit"),
    Opt("v", EXACT, same_as="version", help="print the version and exit"),
    Opt("help", EXACT, help="this text"),
    Opt("h", EXACT, same_as="help", help="this text"),
)


def daemon_spec(
    subsystem: str,
    summary: str,
    description: str,
    see_also: tuple[str, ...],
    examples: tuple[tuple[str, str], ...] = (),
) -> ToolSpec:
    """The program of the daemon ``subsystem``; ``examples`` are those besides that by which the master starts it."""
    start = f"condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) {subsystem}'"
    return ToolSpec(
        name=f"condor_{subsystem.lower()}",
        usage="[-f] [-v]",
        summary=summary,
        description=f"The master starts it when DAEMON_LIST contains {subsystem}. {description}",
        options=(Opt("f", EXACT, help="stay in the foreground (always)"), *ABOUT),
        examples=((start, "let the master start it"), *examples),
        exit_status="0 when it was told to stop, 1 when it could not start.",
        see_also=see_also,
    )


def run(spec: ToolSpec, subsystem: str, argv: list[str]) -> int:
    """Run the daemon until it is asked to stop."""
    if handle_help_and_version(parse(spec, argv)):
        return 0
    from condor_py.daemons.main import main

    return main(subsystem)
