"""Jobs of the grid universe in a real Grid Engine (Debian: gridengine-master, gridengine-exec)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engine_pool import EnginePool, beside
from pool import wait_for
from sge_engine import GridEngine

GridPool = EnginePool[GridEngine]


@pytest.fixture(scope="module")
def grid() -> Iterator[GridPool]:
    with beside("sge", GridEngine) as made:
        yield made


def test_a_job_there_and_back_and_one_that_is_removed(grid: GridPool) -> None:
    script = grid.work / "say"
    script.write_text('#!/bin/sh\ncat in; echo "$A" "$1"; echo made > made; exit 100\n')
    script.chmod(0o755)
    (grid.work / "in").write_text("input\n")
    head = "universe = grid\ngrid_resource = batch sge\n"
    says = grid.submit(head + "executable = say\narguments = \"'a  b'\"\nenvironment = \"A='x  y'\"\noutput = out\n"
                       "transfer_input_files = in\nrequest_cpus = 2\nlog = log\nqueue\n")  # fmt: skip
    long = "executable = /bin/sleep\narguments = 600\ntransfer_executable = false\nlog = long\nqueue\n"
    sleeps = grid.submit(head + long)
    bad = grid.submit(head + "executable = /bin/true\nbatch_queue = nowhere\nlog = bad\nqueue\n")
    odd = grid.submit(head + "executable = /bin/true\nhold = true\nqueue\n")
    grid.tool("condor_qedit", str(odd), "GridResource", '"ec2 x"')
    grid.tool("condor_release", str(odd))
    grid.wait("log")
    assert (grid.work / "out").read_text() == "input\nx  y a  b\n"
    assert (grid.work / "made").read_text() == "made\n"
    wait_for(lambda: grid.history("ClusterId"), "it is recorded")
    ((job, code, number),) = grid.history("ClusterId", "ExitCode", "split(GridJobId)[3]")
    assert (job, code) == (str(says), "100")
    assert number.startswith("sge/")
    wait_for(lambda: grid.status_of(str(sleeps)) == 2, "it runs there")
    wait_for(lambda: grid.status_of(str(bad)) == 5, "a queue that is not there holds the job")
    assert "nowhere" in grid.tool("condor_q", str(bad), "-af", "HoldReason").stdout
    told = "no jobs of grid type 'ec2' are run here"
    wait_for(lambda: told in grid.tool("condor_q", str(odd), "-af", "HoldReason").stdout, "nobody serves that")
    grid.tool("condor_rm", str(sleeps), str(bad), str(odd))
    wait_for(lambda: not grid.queue("ClusterId"), "they have left")
    assert [number for number, _ in grid.events("long")] == [0, 27, 1, 9]
    wait_for(lambda: not grid.engine.tool("qstat").strip(), lambda: "none is left there: " + grid.engine.tool("qstat"))
