"""The parallel universe: all nodes of a job start together and end together."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

import pytest
from pool import ROOT, PersonalPool, wait_for

SHELL = "executable = /bin/sh\nrequest_memory = 10\nrequest_disk = 1\nlog = job.log\n"
SLEEP = "executable = /bin/sleep\nrequest_memory = 10\nrequest_disk = 1\n"


def numbers(pool: PersonalPool, log: str = "job.log") -> list[int]:
    """The numbers of the events of a log, without those that tell of sizes and files."""
    return [number for number, _ in pool.events(log) if number not in (6, 40)]


def test_node_groups_run_together(pool: PersonalPool) -> None:
    """Several queue statements are one job: its nodes are numbered through, and node 0 gives its code."""
    pool.submit(
        f"universe = parallel\n{SHELL}output = out.$(Node)\n"
        "arguments = \"-c 'echo $_CONDOR_PROCNO of $_CONDOR_NPROCS $1; exit $_CONDOR_PROCNO' sh one$(Node)\"\n"
        '+ParallelShutdownPolicy = "WAIT_FOR_ALL"\nmachine_count = 2\nqueue\n'
        "arguments = \"-c 'echo $_CONDOR_PROCNO of $_CONDOR_NPROCS $1' sh two$(Node)\"\nmachine_count = 1\nqueue\n"
    )
    pool.wait("job.log")
    assert [(pool.work / f"out.{node}").read_text() for node in range(3)] == [
        "0 of 3 one0\n", "1 of 3 one1\n", "2 of 3 two2\n",
    ]  # fmt: skip
    found = numbers(pool)
    assert sorted(found) == [0, 1, 5, 14, 14, 14, 15, 15, 15]
    assert (found[0], found[-1]) == (0, 5)
    assert found.index(1) > [at for at, number in enumerate(found) if number == 14][2]
    assert "return value 0" in (pool.work / "job.log").read_text().split("Job terminated.")[1]
    wait_for(lambda: not pool.tool("condor_q", "-af", "ClusterId").stdout, "the job has left the queue")
    go = pool.work / "go"
    waits = pool.script("waits.sh", f"until [ -e {go} ]; do sleep 0.05; done\nsleep 1\n")
    ordinary = SLEEP.replace("/bin/sleep", str(waits)) + "log = four.log\n"
    pool.submit(ordinary + "queue 16\n")
    wait_for(lambda: numbers(pool, "four.log").count(1) == 4, "all slots are taken")
    job = pool.submit(ordinary + "universe = parallel\npriority = 1\nmachine_count = 4\nqueue\n")
    go.touch()
    pool.started("four.log", f"{job}.0")
    events = pool.events("four.log")
    before = [number for number, _ in events[: events.index((1, f"{job}.0"))]]
    assert before.count(5) <= 11, "it did not wait for the ordinary jobs behind it"


def test_hold_release_and_removal_are_of_all_nodes(pool: PersonalPool) -> None:
    """A job that can never fit blocks no other; one that is held or preempted gives all its slots back."""
    pool.configure(
        "STARTD_JOB_ATTRS = JobPrio\nSCHEDD_PREEMPTION_REQUIREMENTS = MY.JobPrio < TARGET.JobPrio\n"
        "SCHEDD_PREEMPTION_RANK = -MY.JobPrio\n"
    )
    sleep = SLEEP + "arguments = 600\n"
    large = pool.submit(f"universe = parallel\n{sleep}machine_count = 9\nqueue\n")
    job = pool.submit(f"universe = parallel\n{sleep}log = job.log\nmachine_count = 2\nqueue 2\n")
    pool.started("job.log", f"{job}.0")
    assert pool.queue("ProcId", "JobStatus", "CurrentHosts") == [["0", "1", "0"], ["0", "2", "4"], ["1", "2", "4"]]
    used = ("condor_userprio", "-af", "WeightedResourcesUsed")
    wait_for(
        lambda: set(pool.tool(*used).stdout.split()) - {"0.0"} == {"4.0"},
        lambda: f"four slots: {pool.tool(*used).stdout}",
    )
    pool.tool("condor_hold", f"{job}.1")
    wait_for(lambda: numbers(pool)[-2:] == [12, 12], lambda: str(numbers(pool)))
    wait_for(lambda: not pool.starters(), "all nodes are gone")
    assert [pool.status_of(f"{job}.{proc}") for proc in (0, 1)] == [5, 5]
    pool.tool("condor_release", str(job))
    pool.started("job.log", f"{job}.0", 2)
    assert len(pool.starters()) == 4
    better = pool.submit(f"universe = parallel\n{sleep}log = better.log\npriority = 5\nmachine_count = 3\nqueue\n")
    pool.started("better.log", f"{better}.0")
    wait_for(lambda: numbers(pool)[-1] == 4, lambda: str(numbers(pool)))
    assert [pool.status_of(f"{job}.{proc}") for proc in (0, 1)] == [1, 1]
    pool.tool("condor_rm", str(better), str(job))
    wait_for(lambda: numbers(pool)[-2:] == [9, 9], lambda: str(numbers(pool)))
    wait_for(lambda: not pool.starters(), "all nodes are gone")
    assert pool.status_of(f"{large}.0") == 1
    assert "cannot hold all 9 nodes of the parallel job" in pool.tool("condor_q", "-forecast").stdout


def test_nodes_are_entered_suspended_and_vacated(pool: PersonalPool) -> None:
    """condor_ssh_to_job CLUSTER.PROC.NODE; the nodes share a directory that condor_chirp reaches."""
    script = pool.script(
        "share.sh",
        "if [ $_CONDOR_PROCNO = 1 ]; then echo shared > mine\n"
        "condor_chirp put mine $_CONDOR_REMOTE_SPOOL_DIR/mine; else\n"
        "until condor_chirp fetch $_CONDOR_REMOTE_SPOOL_DIR/mine theirs && [ -s theirs ]; do sleep 0.2\n"
        "done 2>/dev/null\ncp theirs out; fi\nsleep 600\n",
    )
    job = pool.submit(
        f"universe = parallel\nexecutable = {script}\nlog = job.log\nrequest_memory = 10\nrequest_disk = 1\n"
        "machine_count = 1\nqueue 2\n"
    )
    pool.started("job.log", f"{job}.0")

    def inside(name: str, *words: str) -> str:
        return pool.tool("condor_ssh_to_job", f"{job}.{name}", *words, check=False).stdout

    where = ("echo", "$_CONDOR_PROCNO", "$_CONDOR_SLOT")
    assert [inside(name, *where).split()[0] for name in ("0", "1", "0.0", "0.1")] == ["0", "1", "0", "1"]
    assert "no node 2" in pool.tool("condor_ssh_to_job", f"{job}.0.2", "true", check=False).stderr
    wait_for(lambda: inside("0", "cat", "out") == "shared\n", "node 0 has the file of node 1")
    pool.tool("condor_suspend", f"{job}.1")
    wait_for(lambda: 10 in numbers(pool), "it is suspended")
    wait_for(
        lambda: pool.tool("condor_status", "-claimed", "-af", "Activity").stdout.split() == ["Suspended"] * 2, "all are"
    )
    pool.tool("condor_continue", str(job))
    wait_for(lambda: 11 in numbers(pool), "it goes on")
    assert [pool.status_of(f"{job}.{proc}") for proc in (0, 1)] == [2, 2]
    pool.tool("condor_vacate_job", str(job))
    pool.started("job.log", f"{job}.0", 2)
    assert numbers(pool).count(4) == 1
    pool.tool("condor_rm", f"{job}.1")
    wait_for(lambda: not pool.queue("ProcId"), "both procs have left")
    folder = pool.spool / str(job) / "0"
    wait_for(lambda: not folder.exists(), "the directory of the nodes is gone")


@pytest.mark.skipif(shutil.which("mpicc") is None, reason="Open MPI is not installed")
def test_the_examples_with_open_mpi(pool: PersonalPool) -> None:
    shutil.copytree(ROOT / "etc" / "examples" / "mpi", pool.work, dirs_exist_ok=True)
    subprocess.run(["mpicc", "-o", "sum", "sum.c"], cwd=pool.work, check=True)
    more = ("-a", 'environment = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"')
    pool.tool("condor_submit", "nodes.sub")
    pool.wait("nodes.log")
    assert (pool.work / "nodes.0.out").read_text() == "3 processes, the sum of their numbers is 3\n"
    found = [number for number in numbers(pool, "nodes.log") if number != 15]  # the others may be killed
    assert sorted(found) == [0, 1, 5, 14, 14, 14]
    pool.tool("condor_submit", *more, "one_slot.sub")
    pool.wait("one_slot.log")
    assert (pool.work / "one_slot.out").read_text() == "2 processes, the sum of their numbers is 1\n"


@pytest.mark.skipif(
    shutil.which("mpicc.mpich") is None or shutil.which("mpiexec.hydra") is None, reason="MPICH is not installed"
)
def test_the_examples_with_mpich(pool: PersonalPool) -> None:
    """Each process has the directory and the environment of its own node."""
    shutil.copytree(ROOT / "etc" / "examples" / "mpi", pool.work, dirs_exist_ok=True)
    subprocess.run(["mpicc.mpich", "-o", "sum", "sum.c"], cwd=pool.work, check=True)
    pool.tool("condor_submit", "mpich_nodes.sub")
    pool.wait("mpich.log")
    assert (pool.work / "mpich.0.out").read_text() == "3 processes, the sum of their numbers is 3\n"
    pool.tool("condor_submit", "mpich_one_slot.sub")
    pool.wait("mpich_one_slot.log")
    assert (pool.work / "mpich_one_slot.out").read_text() == "2 processes, the sum of their numbers is 1\n"
    script = 'test "$(pwd -P)" = "$(cd $_CONDOR_SCRATCH_DIR; pwd -P)" && echo $_CONDOR_PROCNO $(ls -d start_node)\n'
    pool.script("where.sh", script)
    pool.tool(
        "condor_submit",
        "-a",
        "arguments = ./where.sh",
        "-a",
        "transfer_input_files = where.sh",
        "-a",
        "log = where.log",
        "mpich_nodes.sub",
    )
    pool.wait("where.log")
    assert sorted((pool.work / "mpich.0.out").read_text().splitlines()) == ["0 start_node", "1", "2"]


def test_whatever_dies_loses_no_slot_and_leaves_no_node(own_pool: PersonalPool) -> None:
    """A schedd finds all nodes again; a node other than 0 is lost alone; a startd takes all of them with it."""
    pool = own_pool
    go = pool.work / "go"
    parent = f"{pool.work}/starter.$_CONDOR_PROCNO"
    script = pool.script("node.sh", f"echo $PPID > {parent}\nwhile ! [ -e {go} ]; do sleep 0.1; done\necho $1\n")
    job = pool.submit(
        f"WantParallelScheduling = true\nexecutable = {script}\narguments = ended\noutput = out\nlog = job.log\n"
        "request_memory = 10\nrequest_disk = 1\nmachine_count = 3\nqueue\n"
    )
    pool.started("job.log", f"{job}.0")
    pool.kill("schedd")
    wait_for(lambda: 23 in numbers(pool), "the new schedd has found the job")
    assert len(pool.starters()) == 3
    starter = pool.work / "starter.2"
    wait_for(lambda: starter.read_text().endswith("\n"), "node 2 tells its starter")
    os.kill(int(starter.read_text()), signal.SIGKILL)
    schedd_log = pool.directory / "local" / "log" / "SchedLog"
    wait_for(lambda: f"node 2 of the parallel job {job}.0 is lost" in schedd_log.read_text(), "a node is lost")
    assert (pool.status_of(f"{job}.0"), len(pool.starters())) == (2, 2)
    pool.kill("startd")
    pool.started("job.log", f"{job}.0", 2)
    assert len(pool.starters()) == 3
    go.touch()
    pool.wait("job.log")
    found = [number for number in numbers(pool) if number != 15]  # nodes that were killed have none
    assert sorted(found) == [0, 1, 1, 5, *[14] * 6, 22, 22, 23, 24]
    assert (pool.work / "out").read_text() == "ended\n"
    wait_for(lambda: not pool.tool("condor_status", "-claimed", "-af", "Name").stdout, "the slots are free")
