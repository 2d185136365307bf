"""condor_job_router: the daemon that routes jobs, run by hand."""

from __future__ import annotations

from condor_py.cli.daemon_program import daemon_spec, run

_SPEC = daemon_spec(
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
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_job_router until it is asked to stop."""
    return run(_SPEC, "JOB_ROUTER", argv)
