"""The job router in a real pool: copies in the vanilla and local universes, and what becomes of the jobs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

#: One worker runs all: the pool is made once.
pytestmark = pytest.mark.xdist_group("router")
_ROUTES = """
JOB_ROUTER_POLLING_PERIOD = 1
JOB_ROUTER_SOURCE_JOB_CONSTRAINT = WantRoute =!= undefined
JOB_ROUTER_ROUTE_NAMES = Here Local Edit Broken Hooked
JOB_ROUTER_ROUTE_Hooked @=rt
  UNIVERSE vanilla
  REQUIREMENTS WantRoute == "hooked"
  SET Requirements true
@rt
HK_HOOK_TRANSLATE_JOB = {hooks}/TRANSLATE_JOB
HK_HOOK_UPDATE_JOB_INFO = {hooks}/UPDATE_JOB_INFO
HK_HOOK_JOB_FINALIZE = {hooks}/JOB_FINALIZE
HK_HOOK_JOB_CLEANUP = {hooks}/JOB_CLEANUP
HK_ATTRS_TO_COPY = Seen
SLOW_HOOK_TRANSLATE_JOB = {hooks}/SLOW
JOB_ROUTER_HOOK_TIMEOUT = 1
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


#: What the hooks do behind noting what they read and whose rights they have.
_HOOKS = {
    "TRANSLATE_JOB": 'test -e $0.fail && exit 7; sed "1,/^------$/d" $note; echo "Translated = true"',
    "UPDATE_JOB_INFO": 'echo "Seen = 7"',
    "JOB_FINALIZE": 'echo "Final = true"',
    "JOB_CLEANUP": "",
    "SLOW": "sleep 1000 & sleep 1000",
}


def make_hooks(directory: Path) -> None:
    """Programs that write what they read beside themselves: NAME.in and NAME.who."""
    directory.mkdir()
    for name, rest in _HOOKS.items():
        program = directory / name
        program.write_text(f"#!/bin/sh\nnote=$0.$$\ncat > $note\nid -un > $0.who\ncp $note $0.in\n{rest}\nrm $note\n")
        program.chmod(0o755)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    directory = tmp_path_factory.mktemp("router")
    pool = PersonalPool(directory, DAEMON_LIST="MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER", NEGOTIATOR_INTERVAL="2")
    config = directory / "routes"
    make_hooks(directory / "hooks")
    config.write_text(_ROUTES.format(hooks=directory / "hooks"))
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
    waits = pool.script("waits.sh", f"echo out; until test -e {pool.work}/go; do sleep 0.05; done; exit 3\n")
    cluster = pool.submit(
        f'executable = {waits}\noutput = a.out\nlog = a.log\n+WantRoute = "here"\nrequirements = false\nqueue\n'
    )
    job = f"{cluster}.0"
    wait_for(lambda: pool.status_of(job) == 2, "the job shows that its copy runs")
    (pool.work / "go").touch()
    pool.wait("a.log")
    assert [number for number, _ in pool.events("a.log") if number != 6] == [0, 1, 5]
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


HOOKED = (
    "executable = /bin/sh\narguments = \"-c 'until test -e {go}; do sleep 0.1; done; exit 3'\"\n"
    'log = {key}.log\nrequirements = false\n+WantRoute = "hooked"\n+HookKeyword = "{key}"\n'
    '+Odd = "\'; touch x $(id) \\" |"\nqueue\n'
)


def test_hooks_translate_tell_and_end_and_stop_nobody(pool: PersonalPool) -> None:
    hooks, log = pool.work.parent / "hooks", pool.log / "JobRouterLog"
    (hooks / "TRANSLATE_JOB.fail").touch()
    go = pool.work / "hooked.go"
    slow = pool.submit(HOOKED.format(key="SLOW", go=go))
    cluster = pool.submit(HOOKED.format(key="HK", go=go))
    wait_for(lambda: "exited with status 7" in log.read_text(), "the hook has failed")
    (hooks / "TRANSLATE_JOB.fail").unlink()
    wait_for(lambda: ["7"] in pool.queue("Seen"), "the job shows what the hook has told of its copy")
    go.touch()
    pool.wait("HK.log")
    wait_for(lambda: len(pool.queue("ClusterId")) == 1, "both have left")
    rows = pool.history("ClusterId", "ExitCode", "Translated", "Seen", "Final", "RouterHookKeyword")
    assert sorted(rows[:2]) == [
        [str(cluster), "3", "undefined", "7", "true", "undefined"],
        [str(cluster + 1), "3", "true", "7", "undefined", "HK"],
    ]
    route, job_ad = (hooks / "TRANSLATE_JOB.in").read_text().split("\n------\n")
    assert route == '[ Name = "Hooked"; TargetUniverse = 5 ]'
    assert 'Cmd = "/bin/sh"\n' in job_ad
    assert 'RouteName = "Hooked"\n' in (hooks / "JOB_CLEANUP.in").read_text()
    assert "JobStatus = 4\n" in (hooks / "JOB_FINALIZE.in").read_text()
    assert log.read_text().count("exited with status 7") == 1
    who = {(hooks / f"{name}.who").read_text() for name in _HOOKS}
    assert who == {subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout}
    wait_for(lambda: "took longer than 1 s" in log.read_text(), "the hook that does not end was ended")
    pool.tool("condor_rm", str(slow))
    wait_for(lambda: not pool.queue("ClusterId"), "all have left")
