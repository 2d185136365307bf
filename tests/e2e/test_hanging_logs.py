"""An account whose file system does not answer: its own jobs and their events wait, and nobody else notices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hanging import HangingDirectory, hanging_directory
from pool import wait_for
from shared_pool import SharedPool

#: One worker runs all tests: the pool is made once.
pytestmark = pytest.mark.xdist_group("restarted_shared")

JOB = "executable = /bin/true\nlog = {log}\nqueue\n"


@pytest.fixture
def hung(restarted_shared: SharedPool) -> Iterator[HangingDirectory]:
    """Where the other account has its log."""
    made = hanging_directory(restarted_shared.work / "hanging")
    yield made
    made.close()


@pytest.mark.promise("S60")
def test_others_do_not_notice_and_nothing_is_lost(restarted_shared: SharedPool, hung: HangingDirectory) -> None:
    shared, log = restarted_shared, hung.path / "job.log"
    told = shared.written("SchedLog")
    shared.submit_as_stranger(f"hold = true\n{JOB.format(log=log)}")
    wait_for(lambda: "\n..." in hung.read("job.log"), "it waits on hold")
    hung.hang()
    done = shared.as_stranger("condor_release", str(shared.first_cluster))
    assert done.returncode == 0, done.stderr
    cluster = shared.submit(JOB.format(log="mine.log"))  # this, and all that follows, while nothing is answered there
    shared.wait("mine.log")
    assert (5, f"{cluster}.0") in shared.events("mine.log")
    wait_for(lambda: shared.queue("ProcId") == [], "the other job runs, too, and leaves the queue")
    assert hung.read("job.log").count("\n...") == 1
    wait_for(lambda: "its file system does not answer" in told(), "the schedd says so")
    killed = shared.kill("schedd")
    wait_for(lambda: shared.serves("schedd") and shared.pid("schedd") != killed, "another schedd is there")
    cluster = shared.submit(JOB.format(log="more.log"))
    shared.wait("more.log")
    hung.answer()
    wait_for(lambda: "\n005 (" in hung.read("job.log"), "nothing is lost")
    numbers = [line[:3] for line in hung.read("job.log").splitlines() if f" ({shared.first_cluster:03}." in line]
    assert [number for number in numbers if number != "006"] == ["000", "013", "001", "005"]


def test_a_job_in_such_a_directory_keeps_nobody_waiting(restarted_shared: SharedPool, hung: HangingDirectory) -> None:
    shared = restarted_shared
    (hung.path / "dir").mkdir()
    (hung.path / "dir").chmod(0o777)
    text = f"executable = /bin/pwd\noutput = out\ninitialdir = {hung.path}/dir\nshould_transfer_files = no\n"
    shared.submit_as_stranger(f"{text}hold = true\nqueue\n")
    hung.hang()
    done = shared.as_stranger("condor_release", str(shared.first_cluster))
    assert done.returncode == 0, done.stderr
    shared.submit(JOB.format(log="mine.log"))
    shared.wait("mine.log")
    assert shared.tool("condor_status").returncode == 0
    hung.answer()
    wait_for(lambda: hung.read("dir/out") == f"{hung.path}/dir\n", "it has run")


def test_a_slow_file_system_costs_its_user_alone(restarted_shared: SharedPool, hung: HangingDirectory) -> None:
    shared = restarted_shared
    hung.slow(100)
    jobs = f"executable = /bin/true\nlog = {hung.path}/$(Process).log\nqueue 10\n"
    shared.submit_as_stranger(jobs)
    shared.submit(JOB.format(log="mine.log"))
    shared.wait("mine.log")
    wait_for(lambda: shared.queue("ProcId") == [], "all have run")
    wait_for(lambda: all("\n005 (" in hung.read(f"{proc}.log") for proc in range(10)), "all logs are whole")
    for proc in range(10):
        numbers = [
            line[:3]
            for line in hung.read(f"{proc}.log").splitlines()
            if f" ({shared.first_cluster:03}.{proc:03}" in line
        ]
        assert [number for number in numbers if number != "006"] == ["000", "001", "005"]
