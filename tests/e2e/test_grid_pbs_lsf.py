"""Jobs of the grid universe in a real PBS and a real LSF (or its relative OpenLava), where tests/engines/batch runs the
tests: neither is a package of Debian."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from pool import wait_for
from shared_pool import STRANGER, SharedPool

#: One worker runs all tests: the pools are made once.
pytestmark = pytest.mark.xdist_group("grid_pbs_lsf")

#: A command of each that answers, and the one that cancels.
_ANSWERS = {"pbs": ("qstat", "-B"), "lsf": ("bqueues",)}
_CANCELS = {"pbs": "qdel", "lsf": "bkill"}
#: Why a job was stopped; OpenLava does not tell it.
_CANCELLED = {"pbs": "Job removed from batch queue manually", "lsf": "Job "}
_TOO_LONG = {"pbs": "Job exceeded its time limit in the batch system", "lsf": "Job "}


def running_engine() -> str:
    """The batch system that the tests are run with; they are skipped without one."""
    kind = os.environ.get("CONDOR_PY_BATCH_SYSTEM", "")
    if kind not in _ANSWERS:
        pytest.skip("no PBS or LSF runs here (tests/engines/batch builds and starts one)")
    assert subprocess.run(_ANSWERS[kind], capture_output=True, check=False).returncode == 0, f"{kind} does not answer"
    return kind


class BatchPool(SharedPool):
    """Root's pool in front of one batch system. LSF takes no jobs of root: there, they are an ordinary account's."""

    kind = ""

    @property
    def place(self) -> Path:
        """Where the jobs are submitted and leave what they make."""
        return self.theirs if self.kind == "lsf" else self.work

    def grid(self, name: str, text: str) -> str:
        """Submits a job whose event log has its name; its id."""
        head = f"universe = grid\ngrid_resource = batch {self.kind}\nlog = {name}.log\n"
        if self.kind == "pbs":
            return f"{self.submit(head + text + 'queue' + chr(10))}.0"
        self.submit_as_stranger(head + text + "queue\n")
        return f"{max(int(cluster) for (cluster,) in self.queue('ClusterId'))}.0"

    def program(self, name: str, text: str) -> None:
        """A script beside the jobs' files."""
        path = self.place / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def ad(self, job: str, attribute: str) -> str:
        """An attribute of a job in the queue or in the history."""
        for tool in ("condor_q", "condor_history"):
            told = self.tool(tool, job, "-af", attribute).stdout.strip()
            if told:
                return told
        return ""

    def wait_status(self, job: str, status: int) -> None:
        def shown() -> str:
            return f"{job} has status {status}: {self.ad(job, 'JobStatus')} {self.ad(job, 'HoldReason')}"

        wait_for(lambda: self.ad(job, "JobStatus") == str(status), shown, 60)

    def numbers(self, name: str) -> list[int]:
        """The events of the log of that name."""
        return [number for number, _ in self.events(str(self.place / f"{name}.log"))]

    def cancel_there(self, job: str) -> None:
        """As its owner does who knows the batch system only."""
        number = self.ad(job, "GridJobId").rpartition("/")[2]
        words = [_CANCELS[self.kind], number]
        subprocess.run(words, user=STRANGER if self.kind == "lsf" else None, capture_output=True, check=True)


@pytest.fixture(scope="module")
def grid() -> Iterator[BatchPool]:
    kind = running_engine()
    top = Path(f"/tmp/condor_py-{kind}-{os.getpid()}")
    top.mkdir(mode=0o755)
    made = BatchPool(top / "pool", cpus=1, GRIDMANAGER_JOB_PROBE_INTERVAL="1")
    made.kind = kind
    for name, value in os.environ.items():
        if name.startswith(("PBS_", "LSF_")):
            made.environment[name] = value
    try:
        made.start()
        yield made
        check_event_logs(made.place)
    finally:
        made.stop()
        shutil.rmtree(top)


def test_there_and_back(grid: BatchPool) -> None:
    grid.program("say", 'cat in; echo "$A" "$1"; echo oops >&2; echo made > made; exit 3\n')
    (grid.place / "in").write_text("input\n")
    says = grid.grid("say", "executable = say\narguments = \"'a  ''b'''\"\nenvironment = \"A='x  \"\"y\"\"'\"\n"
                     "output = out\nerror = err\ntransfer_input_files = in\nrequest_memory = 64\n")  # fmt: skip
    grid.program("die", "kill -2 $$\n")
    dies = grid.grid("die", "executable = die\n")
    loses = grid.grid("loses", "executable = /bin/true\ntransfer_output_files = nothing\n")
    never = grid.grid("never", "executable = /nowhere/prog\ntransfer_executable = false\n")
    grid.wait_status(says, 4)
    assert (grid.place / "out").read_text() == "input\nx  \"y\" a  'b'\n"
    assert (grid.place / "err").read_text() == "oops\n"
    assert (grid.place / "made").read_text() == "made\n"
    assert grid.ad(says, "ExitCode") == "3"
    assert f"batch {grid.kind} " in grid.ad(says, "GridJobId")
    wait_for(lambda: grid.numbers("say")[3:], "its end is told")
    assert grid.numbers("say") == [0, 27, 1, 5]
    grid.wait_status(dies, 4)
    assert (grid.ad(dies, "ExitBySignal"), grid.ad(dies, "ExitSignal")) == ("true", "2")
    grid.wait_status(loses, 5)
    grid.wait_status(never, 5)
    assert (grid.ad(never, "HoldReasonCode"), grid.ad(never, "HoldReasonSubCode")) == ("6", "2")
    grid.tool("condor_rm", loses, never)


def test_hold_release_remove_and_a_cancel_there(grid: BatchPool) -> None:
    grid.program("long", "sleep 600\n")
    held, removed, cancelled = (grid.grid(name, "executable = long\n") for name in ("held", "removed", "cancelled"))
    bad = grid.grid("bad", "executable = /bin/true\nbatch_queue = nowhere\n")
    for job in (held, removed, cancelled):
        grid.wait_status(job, 2)
    grid.tool("condor_hold", held)
    grid.tool("condor_rm", removed)
    grid.cancel_there(cancelled)
    wait_for(lambda: grid.ad(held, "GridJobId") == "undefined", "it is gone there", 60)
    wait_for(lambda: [removed.partition(".")[0]] not in grid.queue("ClusterId"), "it has left", 60)
    grid.wait_status(cancelled, 5)
    assert grid.ad(cancelled, "HoldReason").startswith(_CANCELLED[grid.kind])
    grid.wait_status(bad, 5)
    assert "queue" in grid.ad(bad, "HoldReason").lower()
    grid.program("long", "exit 0\n")
    grid.tool("condor_release", held, cancelled)
    for job in (held, cancelled):
        grid.wait_status(job, 4)
    grid.tool("condor_rm", bad)
    assert grid.numbers("removed") == [0, 27, 1, 9]


def test_a_time_limit_there(grid: BatchPool) -> None:
    grid.program("slow", "sleep 600\n")
    job = grid.grid("slow", "executable = slow\nbatch_runtime = 5\n")
    wait_for(lambda: grid.ad(job, "JobStatus") == "5", "its time is over", 150)
    assert grid.ad(job, "HoldReason").startswith(_TOO_LONG[grid.kind])
    grid.tool("condor_rm", job)


def test_whoever_dies_a_job_runs_once(grid: BatchPool) -> None:
    grid.program("once", f"echo run >> {grid.place}/runs.$1; while [ ! -e {grid.place}/all ]; do sleep 0.1; done\n")
    jobs = [grid.grid(f"once.{number}", f"executable = once\narguments = {number}\n") for number in range(2)]
    grid.wait_status(jobs[0], 2)
    started = re.findall(r"Started condor_gridmanager for \S+, pid = (\d+)", (grid.log / "SchedLog").read_text())
    os.kill(int(started[-1]), signal.SIGKILL)
    jobs.append(grid.grid("once.2", "executable = once\narguments = 2\n"))
    grid.wait_status(jobs[2], 2)
    grid.kill("schedd")
    (grid.place / "all").touch()
    for number, job in enumerate(jobs):
        grid.wait_status(job, 4)
        assert (grid.place / f"runs.{number}").read_text() == "run\n"
        wait_for(lambda number=number: grid.numbers(f"once.{number}")[3:], "its end is told")  # type: ignore[misc]
        assert grid.numbers(f"once.{number}") == [0, 27, 1, 5]
