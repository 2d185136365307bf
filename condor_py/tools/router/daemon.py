"""condor_job_router: the daemon that routes jobs, run by hand."""

from __future__ import annotations

from condor_py.tools.common import handle_help_and_version
from condor_py.tools.options import EXACT, Opt, ToolSpec, parse

_SPEC = ToolSpec(
    name="condor_job_router",
    usage="[-f] [-v]",
    summary="The daemon that lets waiting jobs run elsewhere, as copies of another kind.",
    description=(
        "Usually nobody runs it: the master does, when DAEMON_LIST contains JOB_ROUTER. Every "
        "JOB_ROUTER_POLLING_PERIOD seconds it looks for idle jobs that meet JOB_ROUTER_SOURCE_JOB_CONSTRAINT and the "
        "REQUIREMENTS of a route (JOB_ROUTER_ROUTE_NAMES, JOB_ROUTER_ROUTE_<name>), and queues a copy of each that the "
        "route has changed. The job shows what becomes of its copy, and ends with it; where the copy is removed the "
        "job waits here as before. MaxJobs and MaxIdleJobs say how many jobs a route takes, JobFailureTest and "
        "FailureRateThreshold when it takes fewer for a while. `condor_job_router_info -config` shows the routes, "
        "`condor_router_q -S` the jobs on them; its log is JOB_ROUTER_LOG."
    ),
    options=(
        Opt("f", EXACT, help="stay in the foreground (always)"),
        Opt("version", EXACT, help="print the version and exit"),
        Opt("v", EXACT, same_as="version", help="print the version and exit"),
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
    ),
    examples=(("condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) JOB_ROUTER'", "let the master start it"),),
    exit_status="0 when it was told to stop, 1 when it could not start.",
    see_also=("condor_job_router_info", "condor_router_q", "condor_router_rm", "condor_router_history"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_job_router until it is told to stop."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.daemon.main import main as run_daemon

    return run_daemon("JOB_ROUTER")
