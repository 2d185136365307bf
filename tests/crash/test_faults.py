"""kill -9 of every daemon, of starters and of tools at random moments under load; full and read-only disks."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys

import pytest
from audit import audit, finished, slots
from pool import MAIN, PATIENCE, PersonalPool, wait_for

from condor_py.client.wire import Client
from condor_py.model.messages.codec import Head

pytestmark = pytest.mark.xdist_group("faults")  # most of them have one pool
#: As few as make kills meet all that jobs go through: tests/campaigns/kills.py has hundreds of times as many.
JOBS = 120
LOAD = f"executable = /bin/sleep\narguments = 0.03\nlog = load.log\nqueue {JOBS}\n"


def load(pool: PersonalPool) -> set[str]:
    """Submits short jobs; their ids."""
    cluster = pool.submit(LOAD)
    return {f"{cluster}.{proc}" for proc in range(JOBS)}


def run_out(pool: PersonalPool) -> None:
    """Waits until all jobs are through and the slots are free again."""
    wait_for(lambda: finished(pool, "load.log") >= JOBS, "all jobs are through", 90)
    wait_for(lambda: pool.queue("ClusterId") == [], "the queue is empty", 30)
    wait_for(lambda: slots(pool) == (1, 4), "the partitionable slot is whole again", 30)


def at_random_moments(seed: int, times: int) -> list[int]:
    """Return the thresholds (finished jobs) at which a test strikes."""
    return sorted(random.Random(seed).sample(range(5, JOBS - 30), times))


@pytest.mark.parametrize("daemon", ["schedd", "startd", "negotiator"])
def test_a_daemon_is_killed(pool: PersonalPool, daemon: str) -> None:
    jobs = load(pool)
    for threshold in at_random_moments(1, 3):
        wait_for(lambda limit=threshold: finished(pool, "load.log") >= limit, f"{threshold} jobs are through", 60)
        killed = pool.kill(daemon)
        wait_for(lambda old=killed: pool.pid(daemon) != old, f"the master restarts the {daemon}")
    run_out(pool)
    audit(pool, jobs, "load.log")


def test_starters_are_killed(pool: PersonalPool) -> None:
    jobs = load(pool)
    choose = random.Random(1)
    for threshold in at_random_moments(1, 4):
        wait_for(lambda limit=threshold: finished(pool, "load.log") >= limit, f"{threshold} jobs are through", 60)
        victims = pool.starters()
        if victims:
            try:
                os.kill(choose.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                continue
    run_out(pool)
    audit(pool, jobs, "load.log")


def test_the_master_is_killed_and_started_again(pool: PersonalPool) -> None:
    jobs = load(pool)
    for threshold in at_random_moments(1, 2):
        wait_for(lambda limit=threshold: finished(pool, "load.log") >= limit, f"{threshold} jobs are through", 60)
        pool.kill("master")
        wait_for(lambda: pool.processes() == [], "nothing of the pool is left", 30)
        pool.start()
    run_out(pool)
    audit(pool, jobs, "load.log")


def test_everything_is_killed_at_once(pool: PersonalPool) -> None:
    jobs = load(pool)
    wait_for(lambda: finished(pool, "load.log") >= 40, "40 jobs are through", 60)
    for pid in pool.processes():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    pool.start()
    run_out(pool)
    audit(pool, jobs, "load.log")


def test_tools_are_killed_in_mid_transaction(pool: PersonalPool) -> None:
    """condor_submit and condor_hold die at random moments; what was acknowledged counts, and the queue stays sound."""
    choose = random.Random(7)
    jobs = load(pool)
    acknowledged: set[str] = set()
    path = pool.work / "more.sub"
    path.write_text("executable = /bin/true\nlog = more.log\nqueue 20\n")
    for _ in range(12):
        tool = subprocess.Popen(
            [sys.executable, "-I", str(MAIN), "condor_submit", "-terse", str(path)],
            env=pool.environment,
            cwd=pool.work,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            out, _ = tool.communicate(timeout=choose.uniform(0.05, 0.2))
        except subprocess.TimeoutExpired:
            tool.kill()
            out, _ = tool.communicate()
        if out.strip():
            cluster = out.split(".")[0]
            acknowledged |= {f"{cluster}.{proc}" for proc in range(20)}
    run_out(pool)
    audit(pool, jobs, "load.log")
    audit(pool, acknowledged, "more.log")


def test_the_schedd_is_killed_between_hold_and_release(pool: PersonalPool) -> None:
    """What tools did while no schedd ran is in the event log once it runs again."""
    cluster = pool.submit("executable = /bin/sleep\narguments = 0.2\nlog = load.log\nhold = true\nqueue 3\n")
    pool.tool("condor_off", "-schedd")
    wait_for(lambda: not (pool.spool / "ads" / "SCHEDD.ads").exists(), "the schedd is off")
    pool.tool("condor_release", f"{cluster}.0", f"{cluster}.1")
    pool.tool("condor_rm", f"{cluster}.1")
    pool.tool("condor_on", "-schedd")
    wait_for(lambda: finished(pool, "load.log") == 2, "one ran, one was removed")
    story = {
        job: [n for n, j in pool.events("load.log") if j == job and n != 6] for job in (f"{cluster}.0", f"{cluster}.1")
    }
    assert story[f"{cluster}.0"] in ([0, 1, 5], [0, 13, 1, 5])
    assert story[f"{cluster}.1"][0] == 0
    assert story[f"{cluster}.1"][-1] == 9
    pool.tool("condor_rm", "-all")
    wait_for(lambda: pool.queue("ClusterId") == [], "the queue is empty")


def test_a_job_of_a_killed_starter_leaves_no_process(pool: PersonalPool) -> None:
    program = pool.work / "deep.sh"
    program.write_text("#!/bin/sh\nsetsid sleep 200 &\n(sleep 201 &)\necho up\nsleep 202\n")
    program.chmod(0o755)
    cluster = pool.submit(f"executable = {program}\noutput = o\nlog = load.log\nqueue\n")
    wait_for(lambda: (pool.work / "o").exists() and (pool.work / "o").read_text(), "the job is up")
    wait_for(lambda: len(_sleepers(pool)) == 3, "three processes sleep")
    pool.started("load.log", f"{cluster}.0")
    before = _sleepers(pool)
    (starter,) = pool.starters()
    os.kill(starter, signal.SIGKILL)
    wait_for(lambda: not any(_runs_sleep(pid) for pid in before), "its processes are gone")
    wait_for(lambda: [n for n, _ in pool.events("load.log") if n in (1, 24)] == [1, 24, 1], "the job started again")


def _sleepers(pool: PersonalPool) -> set[int]:
    return {pid for pid in pool.processes() if _runs_sleep(pid)}


def _runs_sleep(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"sleep" in file.read()
    except OSError:
        return False


@pytest.mark.promise("S40")
def test_a_full_disk_refuses_and_loses_nothing(small_spool: PersonalPool) -> None:
    """condor_submit says what is wrong, exits 1, and nothing half done stays; with room again everything goes on."""
    pool = small_spool
    first = pool.submit("executable = /bin/true\nlog = load.log\nqueue 3\n")
    pool.wait("load.log")
    wait_for(lambda: pool.queue("ClusterId") == [], "the history has the first jobs, while there is room for it")
    filler = pool.spool / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    (pool.work / "big.sub").write_text("executable = /bin/true\nhold = true\nlog = load.log\nqueue 2000\n")
    done = pool.tool("condor_submit", "big.sub", check=False)
    assert done.returncode == 1
    assert "no space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert pool.queue("ClusterId") == []
    with Client(str(pool.log / "daemon_sock" / "schedd"), 60.0 * PATIENCE) as client:
        ad = [["Cmd", '"/bin/true"'], ["Filler", f'"{"x" * 100_000}"']]
        answers = _asked(client, {"op": "new-clusters", "count": 1})
        if "first" in answers:  # there was room for so little
            answers = _asked(client, {"op": "submit"}, [[answers["first"], ad, [[["ProcId", "0"]]], None]])
    assert "no space left" in answers["error"], "who submits through the schedd is told, too, and does not wait"
    assert pool.queue("ClusterId") == []
    filler.unlink()
    second = pool.submit("executable = /bin/true\nlog = load.log\nqueue 3\n")
    pool.wait("load.log")
    wait_for(lambda: pool.queue("ClusterId") == [], "the queue is empty")
    audit(pool, {f"{cluster}.{proc}" for cluster in (first, second) for proc in range(3)}, "load.log")


def _asked(client: Client, head: Head, body: object = None) -> Head:
    client.send(head, json.dumps(body).encode())
    return client.receive()[0]


def test_a_read_only_spool_refuses(read_only_spool: PersonalPool) -> None:
    pool = read_only_spool
    (pool.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
    done = pool.tool("condor_submit", "job.sub", check=False)
    assert done.returncode == 1
    assert "is read-only" in done.stderr or "permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert pool.tool("condor_q", "-totals").stdout.count("0 jobs") >= 1
