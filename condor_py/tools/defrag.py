"""condor_defrag: the daemon that drains machines so that whole ones come to be, run by hand."""

from __future__ import annotations

from condor_py.tools.common import handle_help_and_version
from condor_py.tools.options import EXACT, Opt, ToolSpec, parse

_SPEC = ToolSpec(
    name="condor_defrag",
    usage="[-f] [-v]",
    summary="The daemon that drains machines, so that whole ones come to be.",
    description=(
        "Usually nobody runs it: the master does, when DAEMON_LIST contains DEFRAG. Every DEFRAG_INTERVAL seconds it "
        "looks at the partitionable slots and drains those that meet DEFRAG_REQUIREMENTS, in the order of DEFRAG_RANK, "
        "at most DEFRAG_DRAINING_MACHINES_PER_HOUR an hour, DEFRAG_MAX_CONCURRENT_DRAINING at a time, and none while "
        "there are DEFRAG_MAX_WHOLE_MACHINES that meet DEFRAG_WHOLE_MACHINE_EXPR. DEFRAG_DRAINING_SCHEDULE (graceful, "
        "quick or fast) says how the jobs are treated, DEFRAG_DRAINING_START_EXPR which jobs may still start, and "
        "DEFRAG_CANCEL_REQUIREMENTS when a draining ends early. `condor_status -defrag -long` shows its ad, with how "
        "often it drained and what that has cost; its log is DEFRAG_LOG."
    ),
    options=(
        Opt("f", EXACT, help="stay in the foreground (always)"),
        Opt("version", EXACT, help="print the version and exit"),
        Opt("v", EXACT, same_as="version", help="print the version and exit"),
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
    ),
    examples=(
        ("condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) DEFRAG'", "let the master start it"),
        ("condor_status -defrag", "what it does"),
    ),
    exit_status="0 when it was told to stop, 1 when it could not start.",
    see_also=("condor_drain", "condor_status", "condor_master"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_defrag until it is told to stop."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.daemon.main import main as run_daemon

    return run_daemon("DEFRAG")
