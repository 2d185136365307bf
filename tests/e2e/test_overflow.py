"""What waits too long goes to a real Slurm (Debian: slurm-wlm, munge), and is back when that is down: the example."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from pool import ROOT, PersonalPool, wait_for
from slurm_engine import Slurm

pytestmark = pytest.mark.xdist_group("slurm")
EXAMPLE = ROOT / "etc" / "examples" / "overflow-to-slurm"
#: The example, in seconds instead of minutes.
CONFIG = f"""
DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD
include : {EXAMPLE}
OVERFLOW_AFTER = 1
OVERFLOW_BACK_AFTER = 1
JOB_ROUTER_SOURCE_JOB_CONSTRAINT = $(JOB_ROUTER_SOURCE_JOB_CONSTRAINT) && StaysHere =!= true
JOB_ROUTER_POLLING_PERIOD = 1
PERIODIC_EXPR_INTERVAL = 1
GRIDMANAGER_JOB_PROBE_INTERVAL = 1
GRIDMANAGER_RESOURCE_PROBE_INTERVAL = 1
BATCH_GAHP_CHECK_STATUS_ATTEMPTS = 2
"""
JOB = """executable = /bin/sh
arguments = "-c 'echo run >> {runs}; echo $$$$; cat in; until test -e {go}; do sleep 0.1; done; exit 3'"
transfer_input_files = in
output = out.$(Process)
log = {log}
should_transfer_files = yes
queue {count}
"""


@pytest.fixture(scope="module")
def overflow(slurm: Slurm) -> Iterator[tuple[PersonalPool, Slurm]]:
    top = Path(f"/tmp/condor_py-overflow-{os.getpid()}")
    top.mkdir(mode=0o755)
    pool = PersonalPool(top / "pool", cpus=1)
    config = top / "config"
    config.write_text(CONFIG)
    pool.environment |= {"CONDOR_CONFIG": str(config), **slurm.environment}
    try:
        pool.start()
        yield pool, slurm
        check_event_logs(pool.work)
    finally:
        pool.stop()
        shutil.rmtree(top)


def copies(pool: PersonalPool, *attributes: str) -> list[list[str]]:
    """Attributes of the copies in the queue."""
    done = pool.tool("condor_q", "-allusers", "-constraint", "RouteName =!= undefined", "-af", *attributes)
    return [line.split() for line in done.stdout.splitlines()]


def test_what_has_waited_goes_to_slurm_and_is_back_when_it_is_down(overflow: tuple[PersonalPool, Slurm]) -> None:
    pool, slurm = overflow
    (pool.work / "in").write_text("input\n")
    blocker = pool.submit("executable = /bin/sleep\narguments = 600\n+StaysHere = true\nqueue\n")
    wait_for(lambda: pool.status_of(f"{blocker}.0") == 2, "the only slot is taken")
    go = pool.work / "go"
    cluster = pool.submit(JOB.format(log="a.log", count=2, runs=pool.work / "a.runs", go=go))
    wait_for(lambda: ["RUNNING"] in copies(pool, "GridJobStatus"), "it runs there")
    pool.kill("schedd")
    go.touch()
    pool.wait("a.log", 60.0)
    assert (pool.work / "a.runs").read_text() == "run\n" * 2
    for proc in range(2):
        numbers = [number for number, job in pool.events("a.log") if job == f"{cluster}.{proc}"]
        assert [number for number in numbers if number != 6] == [0, 1, 5]
        assert (pool.work / f"out.{proc}").read_text().endswith("input\n")

    def ended(*words: str) -> int:
        return pool.history("ExitCode", "GridResource", "RouteName", "Managed").count(list(words))

    wait_for(lambda: ended("3", "undefined", "undefined", "ScheddDone") == 2, "both are recorded")
    wait_for(lambda: ended("3", "batch", "slurm", "Slurm", "undefined") == 2, "and their copies")

    slurm.pause()
    cluster = pool.submit(JOB.format(log="b.log", count=1, runs=pool.work / "b.runs", go=go))
    wait_for(
        lambda: copies(pool, "GridResourceUnavailableTime")[:1] not in ([], [["undefined"]]),
        "Slurm does not answer",
        60,
    )
    wait_for(
        lambda: pool.tool("condor_q", f"{cluster}.0", "-af", "Managed").stdout == "Schedd\n", "the job is back", 60
    )
    pool.tool("condor_rm", str(blocker))
    pool.wait("b.log", 60.0)
    assert pool.events("b.log")[-1] == (5, f"{cluster}.0")
    assert "Job executing on host: <" in (pool.work / "b.log").read_text(), "it has run here"
