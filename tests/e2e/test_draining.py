"""condor_drain with a running startd: what it does to jobs, how it ends, and that it outlives the startd."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from pool import Done, PersonalPool, wait_for

ROOT = Path(__file__).resolve().parents[2]
JOB = "executable = /bin/sleep\narguments = 1000\nlog = log\n{more}\nqueue\n"


def place(pool: PersonalPool) -> list[str]:
    return pool.tool("condor_status", "-af", "State", "Activity").stdout.splitlines()


def becomes(pool: PersonalPool, *places: str) -> None:
    wait_for(lambda: place(pool) == list(places), f"slots become {places}, they are {place(pool)}")


def running(pool: PersonalPool, more: str = "") -> int:
    job = pool.submit(JOB.format(more=more))
    pool.started("log", f"{job}.0")
    return job


def drain(pool: PersonalPool, *options: str, check: bool = True) -> Done:
    host = pool.tool("condor_status", "-af", "Machine").stdout.split()[0]
    return pool.tool("condor_drain", *options, host, check=check)


def request_of(done: Done) -> int:
    """The number of a drain, as ``condor_drain -verbose`` has said it."""
    return int(done.stdout.partition("Request id: ")[2].split()[0])


def startd_restarts(pool: PersonalPool) -> None:
    """Kills the startd, and waits for the next one."""
    old = pool.kill("startd", signal.SIGKILL)
    wait_for(lambda: pool.pid("startd") != old and pool.serves("startd"), "another startd serves")


def test_a_drain_outlives_its_startd(restarted: PersonalPool) -> None:
    pool = restarted
    request = request_of(drain(pool, "-verbose", "-reason", "new disk"))
    becomes(pool, "Drained Idle")
    startd_restarts(pool)
    becomes(pool, "Drained Idle")
    shown = pool.tool("condor_status", "-af", "DrainReason", "DrainingRequestId").stdout
    assert shown == f"new disk {request}\n"
    assert drain(pool, "-cancel", "-request-id", str(request + 6), check=False).returncode == 1
    drain(pool, "-cancel", "-request-id", str(request))
    becomes(pool, "Unclaimed Idle")
    startd_restarts(pool)
    becomes(pool, "Unclaimed Idle")


@pytest.mark.parametrize("how", ["-fast", "-quick"])
def test_jobs_go_and_the_machine_takes_others_again(pool: PersonalPool, how: str) -> None:
    job = running(pool)
    drain(pool, how, "-resume-on-completion")
    wait_for(lambda: 4 in [number for number, _ in pool.events("log")], "the job is evicted")
    assert "Code 1014 " in (pool.work / "log").read_text()
    wait_for(lambda: pool.queue("JobStatus") == [["2"]], f"job {job} runs again")
    shown = pool.tool("condor_status", "-af", "LastDrainStopTime >= LastDrainStartTime").stdout.split()
    assert set(shown) == {"true"}


def test_a_check_that_fails_and_a_drain_that_is_on(pool: PersonalPool) -> None:
    refused = drain(pool, "-check", "Memory > 10000000", check=False)
    assert refused.returncode == 1
    assert "Draining check expression is false on slot1@" in refused.stderr
    drain(pool)
    again = drain(pool, check=False)
    assert "error code 10001: Draining already in progress." in again.stderr
    drain(pool, "-cancel")
    becomes(pool, "Unclaimed Idle")


def test_small_jobs_are_let_in_until_the_old_ones_are_gone(pool: PersonalPool) -> None:
    pool.configure("MAXJOBRETIREMENTTIME = 3600\n")
    old = running(pool)
    drain(pool, "-start", "TARGET.Interruptible =?= True")
    becomes(pool, "Drained Retiring", "Claimed Retiring")
    small = running(pool, "+Interruptible = True\nmax_job_retirement_time = 0")
    assert "true" in pool.tool("condor_status", "-af", "AcceptedWhileDraining").stdout
    refused = pool.submit(JOB.format(more=""))
    pool.tool("condor_rm", str(old))
    wait_for(lambda: pool.status_of(str(small)) == 1, "the small job has to go with the last of the old ones")
    becomes(pool, "Drained Idle")
    assert pool.status_of(str(refused)) == 1
    drain(pool, "-cancel")
    wait_for(lambda: sorted(pool.queue("JobStatus")) == [["2"], ["2"]], "both run")


def test_a_cancelled_drain_lets_jobs_go_on(pool: PersonalPool) -> None:
    pool.configure("MAXJOBRETIREMENTTIME = 3600\n")
    job = running(pool)
    drain(pool)
    becomes(pool, "Drained Retiring", "Claimed Retiring")
    drain(pool, "-cancel")
    becomes(pool, "Unclaimed Idle", "Claimed Busy")
    assert pool.status_of(str(job)) == 2
    assert 4 not in [number for number, _ in pool.events("log")]


def test_restart_on_completion_gives_a_new_startd(restarted: PersonalPool) -> None:
    pool = restarted
    old = pool.pid("startd")
    drain(pool, "-restart-on-completion")
    wait_for(lambda: pool.pid("startd") != old, "another startd")
    wait_for(lambda: (pool.spool / "ads" / "STARTD.ads").exists(), "it serves")
    becomes(pool, "Unclaimed Idle")


#: Runs the startd, and ends after it when there is no file "late" beside the program any more.
LATE = f"""#!/bin/sh
{ROOT}/bin/condor_startd "$@" &
trap "kill -QUIT $!" QUIT
trap "kill -TERM $!" TERM
code=129
while [ $code -gt 128 ]; do wait $!; code=$?; done
while [ -e "${{0%/*}}/late" ]; do sleep 0.05; done
exit $code
"""


def test_a_startd_that_is_wanted_again_while_it_leaves_comes_back(stopped_pool: PersonalPool) -> None:
    """The master waits for its end; here that takes long."""
    pool = stopped_pool
    program, late = pool.work / "startd", pool.work / "late"
    program.write_text(LATE)
    program.chmod(0o755)
    pool.knob("STARTD", str(program))
    pool.knob("DAEMON_LIST", "MASTER STARTD")
    pool.tool("condor_master")
    old, ads = pool.pid("startd"), pool.spool / "ads" / "STARTD.ads"
    late.touch()
    drain(pool, "-exit-on-completion")
    wait_for(lambda: not ads.exists(), "the startd has left")
    pool.tool("condor_on", "-startd")
    late.unlink()
    wait_for(lambda: pool.pid("startd") != old and ads.exists(), "another startd serves")


def test_exit_on_completion_stays_away(restarted: PersonalPool) -> None:
    pool, log = restarted, restarted.written("MasterLog")
    old = pool.pid("startd")
    drain(pool, "-exit-on-completion")
    wait_for(lambda: not (pool.spool / "ads" / "STARTD.ads").exists(), "the startd is gone")
    wait_for(lambda: "does not want to be started again" in log(), "the master knows that it stays away")
    assert f"(pid {old}) exited with status 99" in log()
    assert pool.tool("condor_status", check=False).stdout == ""
    pool.tool("condor_on", "-startd")
    becomes(pool, "Unclaimed Idle")
