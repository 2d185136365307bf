"""Namespaces of jobs in a pool of root: their own processes, and no network."""

from __future__ import annotations

import os
import re

import pytest
from pool import PersonalPool, wait_for

from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.spawning import quick

pytestmark = pytest.mark.skipif(not (may_mount() and quick()), reason="only root, with the C module, makes namespaces")

_SHELL = "executable = /bin/sh\narguments = \"-c '{}'\"\noutput = o\nerror = e\nlog = log\n"


def test_a_job_sees_its_own_processes(pool: PersonalPool) -> None:
    pool.configure("USE_PID_NAMESPACES = true\n")
    waits = "while [ ! -e go ]; do sleep 0.1; done"
    script = f"echo $$; ls /proc | grep -c ^[0-9]; sleep 300 & touch started; {waits}; kill -9 $$"
    job = pool.submit(_SHELL.format(script) + "queue\n")
    wait_for(lambda: (pool.work / "started").exists(), "the job runs")
    seen = pool.tool("condor_ssh_to_job", f"{job}.0", "cat", "/proc/2/comm", "/proc/self/comm").stdout
    assert seen.split() == ["sh", "cat"]
    (pool.work / "go").touch()
    pool.wait("log")
    assert (pool.work / "o").read_text().split()[0] == "2"
    assert int((pool.work / "o").read_text().split()[1]) <= 5
    assert "(0) Abnormal termination (signal 9)" in (pool.work / "log").read_text()
    assert not list(pool.execute.glob("dir_*/scratch"))


def test_signals_and_suspension_reach_a_job_alone(pool: PersonalPool) -> None:
    pool.configure("USE_PID_NAMESPACES = true\n")
    script = 'trap \\"touch told; exit 3\\" TERM; touch started; while :; do sleep 0.1; done'
    job = pool.submit(_SHELL.format(script).replace('\\"', '""') + "queue\n")
    wait_for(lambda: (pool.work / "started").exists(), "the job runs")
    pool.tool("condor_suspend", f"{job}.0")
    wait_for(lambda: "010 (" in (pool.work / "log").read_text(), "the job stands still")
    stopped = re.search(r"Number of processes actually suspended: (\d+)", (pool.work / "log").read_text())
    assert stopped, "the shell, and its sleep if it has one just now, but not our process in the namespace"
    assert int(stopped[1]) in (1, 2)
    pool.tool("condor_continue", f"{job}.0")
    wait_for(lambda: "011 (" in (pool.work / "log").read_text(), "the job goes on")
    pool.tool("condor_hold", f"{job}.0")
    wait_for(lambda: "012 (" in (pool.work / "log").read_text(), "the job is held")
    assert (pool.work / "told").exists(), "the program itself had the signal"


def test_a_program_that_cannot_be_executed_is_held(pool: PersonalPool) -> None:
    pool.configure("USE_PID_NAMESPACES = true\n")
    (pool.work / "odd").write_text("#!/no/such/interpreter\n")
    (pool.work / "odd").chmod(0o755)
    job = pool.submit("executable = odd\nlog = log\nqueue\n")
    wait_for(lambda: "012 (" in (pool.work / "log").read_text(), "the job is held")
    assert "invalid interpreter (/no/such/interpreter)" in (pool.work / "log").read_text()
    assert pool.tool("condor_q", str(job), "-af", "HoldReasonCode").stdout.strip() == "6"


def test_there_is_no_network(pool: PersonalPool) -> None:
    pool.configure("NO_JOB_NETWORKING = true\n")
    wait_for(lambda: pool.tool("condor_status", "-af", "HasJobNetworking").stdout == "false\n", "the slot shows it")
    own = os.readlink("/proc/self/ns/net")
    script = "readlink /proc/self/ns/net; grep -c : /proc/net/dev"
    waits = pool.submit(_SHELL.format("true") + "queue\n")
    pool.submit(_SHELL.format(script).replace("log = log", "log = log2") + "want_job_networking = false\nqueue\n")
    pool.wait("log2")
    network, interfaces = (pool.work / "o").read_text().split()
    assert network != own
    assert interfaces == "1"  # the loopback
    assert pool.tool("condor_q", str(waits), "-af", "JobStatus").stdout.strip() == "1"


def test_nodes_of_parallel_jobs_are_isolated_from_all_but_each_other(pool: PersonalPool) -> None:
    """They share the memory of the machine (/dev/shm), through which MPI talks."""
    (pool.work / "covered").mkdir()
    (pool.work / "covered" / "file").touch()
    pool.configure(f"USE_PID_NAMESPACES = true\nMOUNT_UNDER_SCRATCH = {pool.work}/covered\nNO_JOB_NETWORKING = true\n")
    what = "readlink /proc/self/ns/net; stat -c %D /dev/shm; echo $$; ls covered"
    nodes = "universe = parallel\nmachine_count = 2\nwant_job_networking = false\nrequest_memory = 10\n"
    pool.submit(_SHELL.format(what).replace("output = o\n", "output = o$(Node)\n") + nodes + "queue\n")
    pool.wait("log")
    seen = [(pool.work / f"o{node}").read_text().split() for node in range(2)]
    assert os.readlink("/proc/self/ns/net") not in (seen[0][0], seen[1][0])
    memory = f"{os.stat('/dev/shm').st_dev:x}"
    assert [each[1:] for each in seen] == [[memory, "2"]] * 2
