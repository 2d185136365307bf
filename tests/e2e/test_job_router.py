"""The job router in a real pool: copies in the vanilla and local universes, and what becomes of the jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pool import PersonalPool, wait_for

#: One worker runs all: the pool is made once.
pytestmark = pytest.mark.xdist_group("router")
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
    wanted = f'RoutedFromJobId == "{job}" && JobStatus != 3'
    return ".".join(
        pool.tool("condor_q", "-allusers", "-constraint", wanted, "-af", "ClusterId", "ProcId").stdout.split()
    )


def test_a_copy_runs_and_the_job_ends_with_it(pool: PersonalPool) -> None:
    cluster = pool.submit(
        "executable = /bin/sh\narguments = \"-c 'echo out; sleep 1; exit 3'\"\noutput = a.out\nlog = a.log\n"
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


SLEEP = 'executable = /bin/sleep\narguments = 600\nlog = {log}\n+WantRoute = "{route}"\nrequirements = false\nqueue\n'


def running_pair(pool: PersonalPool, log: str) -> tuple[str, str]:
    """A job whose copy runs, and the copy."""
    job = f"{pool.submit(SLEEP.format(log=log, route='here'))}.0"
    wait_for(lambda: pool.status_of(job) == 2, "the job shows that its copy runs")
    return job, copy_of(pool, job)


def test_holds_and_removals_go_both_ways(pool: PersonalPool) -> None:
    job, copy = running_pair(pool, "b.log")
    pool.tool("condor_hold", copy)
    wait_for(lambda: pool.status_of(job) == 5, "the job is held with its copy")
    assert "via condor_hold" in pool.tool("condor_q", job, "-af", "HoldReason").stdout
    pool.tool("condor_release", job)
    wait_for(lambda: pool.status_of(copy) == 2 and pool.status_of(job) == 2, "the copy runs again")
    shown = pool.tool("condor_router_q", "-S").stdout.split()
    assert shown == ["JOBS", "ST", "Route", "GridResource", "1", "R", "Here"]
    assert pool.tool("condor_router_q", "-route", "Here", "-af", "RoutedFromJobId").stdout.strip() == job
    assert pool.tool("condor_router_q", "-held", "-af", "Owner").stdout == ""
    assert pool.tool("condor_status", "-any", "-af", "MyType").stdout.count("Job_Router") == 1
    pool.tool("condor_router_rm", "-route", "Here")
    wait_for(lambda: copy_of(pool, job) not in ("", copy), "the job got another copy")
    pool.tool("condor_rm", job)
    wait_for(lambda: not pool.queue("ClusterId"), "both have left")
    numbers = [number for number, _ in pool.events("b.log")]
    assert numbers[:6] == [0, 1, 12, 13, 1, 4]
    assert numbers[-1] == 9
    summary = pool.tool("condor_router_history").stdout.splitlines()
    assert summary[-1].split()[0] == "TOTAL"
    # Of the copies that completed there may be some of other tests.
    rows = [line.split() for line in summary if line.startswith("Here")]
    assert [(words[0], words[-1]) for words in rows] == [("Here", "2")]


def test_a_router_that_was_killed_goes_on(pool: PersonalPool) -> None:
    job, copy = running_pair(pool, "c.log")
    before = pool.kill("job_router")
    pool.tool("condor_hold", job)
    wait_for(lambda: pool.status_of(copy) is None, "the copy is gone")
    assert pool.pid("job_router") != before
    assert pool.status_of(job) == 5
    pool.tool("condor_release", job)
    wait_for(lambda: pool.status_of(job) == 2, "it runs again")
    before = pool.kill("schedd")
    wait_for(lambda: pool.pid("schedd") != before and pool.tool("condor_reschedule", check=False).returncode == 0, "up")
    assert pool.status_of(job) == 2
    pool.tool("condor_rm", job)
    wait_for(lambda: not pool.queue("ClusterId"), "both have left")
    numbers = [number for number, _ in pool.events("c.log")]
    assert [numbers.count(number) for number in (0, 12, 13, 9)] == [1, 1, 1, 1], numbers


def test_other_universes_and_edits(pool: PersonalPool) -> None:
    local = pool.submit('executable = /bin/true\nlog = d.log\n+WantRoute = "local"\nrequirements = false\nqueue 3\n')
    edited = pool.submit('executable = /bin/true\nlog = d.log\n+WantRoute = "edit"\nrequirements = false\nqueue\n')
    lost = pool.submit('executable = /bin/true\n+WantRoute = "nowhere"\nrequirements = false\nqueue\n')
    pool.wait("d.log")
    ended = [job for number, job in pool.events("d.log") if number == 5]
    assert sorted(ended) == sorted([*(f"{local}.{proc}" for proc in range(3)), f"{edited}.0"])
    says, log = f"(src={lost}.0,route=Broken): the route sets no GridResource", pool.log / "JobRouterLog"
    wait_for(lambda: says in log.read_text(), "the router tells why")
    assert pool.status_of(f"{lost}.0") == 1
    pool.tool("condor_rm", str(lost))
    wait_for(lambda: not pool.queue("ClusterId"), "all have left")
