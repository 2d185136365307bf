"""The programs of daemons that the master starts, for users who run or query them by hand."""

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


def _spec(
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
        exit_status="0 when it was stopped, 1 when it could not start.",
        see_also=see_also,
    )


_DEFRAG = _spec(
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
_JOB_ROUTER = _spec(
    "JOB_ROUTER",
    "The daemon that lets waiting jobs run elsewhere, as copies of another kind.",
    "Every JOB_ROUTER_POLLING_PERIOD seconds it looks for idle jobs that meet JOB_ROUTER_SOURCE_JOB_CONSTRAINT and the "
    "REQUIREMENTS of a route (JOB_ROUTER_ROUTE_NAMES, JOB_ROUTER_ROUTE_<name>), and queues a copy of each that the "
    "route has changed. The job shows what becomes of its copy, and ends with it; where the copy is removed the job "
    "waits here as before. MaxJobs and MaxIdleJobs say how many jobs a route takes, JobFailureTest and "
    "FailureRateThreshold when it takes fewer for a while. `condor_job_router_info -config` shows the routes, "
    "`condor_router_q -S` the jobs on them; its log is JOB_ROUTER_LOG.",
    see_also=("condor_job_router_info", "condor_router_q", "condor_router_rm", "condor_router_history"),
)
_ROOSTER = _spec(
    "ROOSTER",
    "The daemon that wakes machines which sleep although they are wanted.",
    "Every ROOSTER_INTERVAL seconds it reads the ads of machines and runs ROOSTER_WAKEUP_CMD, with the ad on "
    "standard input, for those that meet ROOSTER_UNHIBERNATE: by default machines that are offline and whose "
    "Unhibernate is true, which is so when the negotiator has a job for them. ROOSTER_UNHIBERNATE_RANK says which come "
    "first, ROOSTER_MAX_UNHIBERNATE how many at a time. Its log is ROOSTER_LOG.",
    see_also=("condor_power", "condor_status", "condor_master"),
)
SPECS = (_DEFRAG, _JOB_ROUTER, _ROOSTER)


def _run(spec: ToolSpec, subsystem: str, argv: list[str]) -> int:
    """Run the daemon until it is asked to stop."""
    if handle_help_and_version(parse(spec, argv)):
        return 0
    from condor_py.daemons.main import main

    return main(subsystem)


def defrag(argv: list[str]) -> int:
    """Run condor_defrag until it is asked to stop."""
    return _run(_DEFRAG, "DEFRAG", argv)


def job_router(argv: list[str]) -> int:
    """Run condor_job_router until it is asked to stop."""
    return _run(_JOB_ROUTER, "JOB_ROUTER", argv)


def rooster(argv: list[str]) -> int:
    """Run condor_rooster until it is asked to stop."""
    return _run(_ROOSTER, "ROOSTER", argv)
