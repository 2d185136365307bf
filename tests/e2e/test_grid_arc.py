"""Jobs of the grid universe in a real A-REX (Debian: nordugrid-arc-arex), which takes some 20 seconds to notice that a
job has ended: run by ``tests/engines/arc``."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest
from arex_engine import ARex
from engine_pool import EnginePool, beside
from pool import wait_for

if os.environ.get("CONDOR_PY_AREX") != "yes":
    pytest.skip("takes a minute with nordugrid-arc-arex of Debian: tests/engines/arc runs it", allow_module_level=True)


GridPool = EnginePool[ARex]


@pytest.fixture(scope="module")
def grid() -> Iterator[GridPool]:
    with beside("arc", ARex) as made:
        yield made


def test_jobs_there_and_back_removed_held_and_refused_and_the_death_of_the_gridmanager(grid: GridPool) -> None:
    script = grid.work / "say"
    script.write_text('#!/bin/sh\ncat; cat more/in; echo "$A" "$1"; echo err >&2; echo made > made; exit 100\n')
    script.chmod(0o755)
    (grid.work / "in").write_text("input\n")
    (grid.work / "more").mkdir()
    (grid.work / "more" / "in").write_text("more\n")
    head = f"universe = grid\ngrid_resource = {grid.engine.resource}\nx509userproxy = {grid.engine.proxy}\n"
    long = "executable = /bin/sleep\narguments = 600\ntransfer_executable = false\n"
    says = grid.submit(head + "executable = say\narguments = \"'a  b'\"\nenvironment = \"A='x  y'\"\ninput = in\n"
                       "output = out\nerror = err\ntransfer_input_files = more\nlog = log\nqueue\n")  # fmt: skip
    killed = grid.submit(
        head + "executable = /bin/sh\ntransfer_executable = false\narguments = \"-c 'kill -9 $$'\"\nqueue\n"
    )
    sleeps = grid.submit(head + long + "log = long\nqueue\n")
    holds = grid.submit(head + long + "queue\n")
    bad = grid.submit(head + "executable = say\nbatch_queue = nowhere\nqueue\n")
    nobody = grid.submit(f"universe = grid\ngrid_resource = {grid.engine.resource}\nexecutable = say\nqueue\n")
    wait_for(lambda: grid.status_of(str(bad)) == 5, "a queue that is not there holds the job")
    assert "queue nowhere is not allowed" in grid.tool("condor_q", str(bad), "-af", "HoldReason").stdout
    wait_for(lambda: grid.status_of(str(nobody)) == 5, "who shows nothing is held")
    assert grid.tool("condor_q", str(nobody), "-af", "HoldReason").stdout.strip() == "ARC job has no credentials"
    wait_for(lambda: grid.status_of(str(sleeps)) == 2, "it runs there", 60)
    words = grid.tool("condor_q", str(sleeps), "-af", "GridJobId", "GridJobStatus").stdout.split()
    assert (words[:2], words[3]) == (grid.engine.resource.split(), "RUNNING")
    wait_for(lambda: grid.status_of(str(holds)) == 2, "this one too", 60)
    grid.tool("condor_hold", str(holds))
    found = re.findall(r"Started condor_gridmanager for \w+, pid = (\d+)", (grid.log / "SchedLog").read_text())
    os.kill(int(found[-1]), signal.SIGKILL)
    wait_for(lambda: len(grid.history("ClusterId")) == 2, "both have ended", 120)
    ended = {row[0]: row[1:] for row in grid.history("ClusterId", "ExitCode", "ExitSignal")}
    assert ended[str(says)][0] == "100"
    assert ended[str(killed)][1] == "9"
    assert (grid.work / "out").read_text() == "input\nmore\nx  y a  b\n"
    assert (grid.work / "err").read_text() == "err\n"
    assert (grid.work / "made").read_text() == "made\n"
    assert not (grid.work / "_condor_run").exists()
    grid.tool("condor_rm", "-all")
    wait_for(lambda: not grid.queue("ClusterId"), "they have left", 60)
    assert [number for number, _ in grid.events("long")] == [0, 27, 1, 9]
    wait_for(lambda: not grid.engine.jobs(), "none is left there", 60)
