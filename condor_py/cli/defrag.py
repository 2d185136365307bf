"""condor_defrag: the daemon that drains machines so that whole ones come to be, run by hand."""

from __future__ import annotations

from condor_py.cli.daemon_program import daemon_spec, run

_SPEC = daemon_spec(
    "DEFRAG",
    "The daemon that drains machines, so that whole ones come to be.",
    "Every DEFRAG_INTERVAL seconds it checks the partitionable slots and drains those that meet DEFRAG_REQUIREMENTS, "
    "in the order of DEFRAG_RANK, at most DEFRAG_DRAINING_MACHINES_PER_HOUR an hour, DEFRAG_MAX_CONCURRENT_DRAINING at "
    "a time, and none while there are DEFRAG_MAX_WHOLE_MACHINES that meet DEFRAG_WHOLE_MACHINE_EXPR. "
    "DEFRAG_DRAINING_SCHEDULE (graceful, quick or fast) says how the jobs are treated, DEFRAG_DRAINING_START_EXPR "
    "which jobs may still start, and DEFRAG_CANCEL_REQUIREMENTS when a draining ends early. "
    "`condor_status -defrag -long` shows its ad, with how often it drained and what that has cost; its log is "
    "DEFRAG_LOG.",
    see_also=("condor_drain", "condor_status", "condor_master"),
    examples=(("condor_status -defrag", "what it does"),),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_defrag until it is asked to stop."""
    return run(_SPEC, "DEFRAG", argv)
