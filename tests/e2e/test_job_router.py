"""The job router in a real pool: copies in the vanilla and local universes, and what becomes of the jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pool import PersonalPool, wait_for

_ROUTES = """
JOB_ROUTER_POLLING_PERIOD = 1
JOB_ROUTER_SOURCE_JOB_CONSTRAINT = WantRoute =!= undefined
JOB_ROUTER_ROUTE_NAMES = Here Local Edit Broken
JOB_ROUTER_ROUTE_Here @=rt
  UNIVERSE vanilla
  REQUIREMENTS WantRoute == "here"
  SET Requirements true
  SET Routed true
@rt
JOB_ROUTER_ROUTE_Local @=rt
  TargetUniverse = 12
  REQUIREMENTS WantRoute == "local"
  DELETE Requirements
@rt
JOB_ROUTER_ROUTE_Edit @=rt
  REQUIREMENTS WantRoute == "edit"
  EditJobInPlace = true
  SET Requirements true
  DELETE WantRoute
@rt
JOB_ROUTER_ROUTE_Broken @=rt
  REQUIREMENTS WantRoute == "nowhere"
@rt
"""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    directory = tmp_path_factory.mktemp("router")
    pool = PersonalPool(directory, DAEMON_LIST="MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER", NEGOTIATOR_INTERVAL="2")
    config = directory / "routes"
    config.write_text(_ROUTES)
    pool.environment["CONDOR_CONFIG"] = str(config)
    pool.start()
    yield pool
    pool.stop()


def copy_of(pool: PersonalPool, job: str) -> str:
    """The id of a job's copy in the queue; "" while there is none."""
    return pool.tool("condor_q", "-allusers", "-constraint", f'RoutedFromJobId == "{job}"', "-af:j").stdout.strip()


def test_a_copy_runs_and_the_job_ends_with_it(pool: PersonalPool) -> None:
    cluster = pool.submit(
        "executable = /bin/sh\narguments = \"-c 'echo out; sleep 2; exit 3'\"\noutput = a.out\nlog = a.log\n"
        '+WantRoute = "here"\nrequirements = false\nqueue\n'
    )
    job = f"{cluster}.0"
    wait_for(lambda: pool.status_of(job) == 2, "the job shows that its copy runs")
    pool.wait("a.log")
    assert [number for number, _ in pool.events("a.log")] == [0, 1, 5]
    assert (pool.work / "a.out").read_text() == "out\n"
    wait_for(lambda: not pool.queue("ClusterId"), "both have left")
    rows = pool.history("RoutedFromJobId", "RoutedToJobId", "ExitCode", "JobStatus", "Managed", "Routed", "RouteName")
    assert sorted(rows[:2]) == sorted(
        [
            ["undefined", f"{cluster + 1}.0", "3", "4", "ScheddDone", "undefined", "undefined"],
            [job, "undefined", "3", "4", "undefined", "true", "Here"],
        ]
    )
