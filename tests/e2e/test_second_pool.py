"""Idle jobs of one pool that run on the slots of a second pool of the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

_ROUTES = """
JOB_ROUTER_SOURCE_JOB_CONSTRAINT = JobUniverse == 5
JOB_ROUTER_POLLING_PERIOD = 1
GRIDMANAGER_JOB_PROBE_INTERVAL = 1
JOB_ROUTER_ROUTE_NAMES = Theirs
JOB_ROUTER_ROUTE_Theirs @=end
  GridResource = "condor theirs@lab {config}"
@end
"""


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[tuple[PersonalPool, PersonalPool]]:
    """Our pool, which has no free slot, and the other one, whose START decides."""
    theirs = PersonalPool(tmp_path / "theirs", SCHEDD_NAME="theirs@lab", START="TARGET.Wanted =?= true")
    config = tmp_path / "their.config"
    knobs = [name for name in theirs.environment if name.startswith("_CONDOR_")]
    config.write_text("".join(f"{name[8:]} = {theirs.environment.pop(name)}\n" for name in knobs))
    theirs.environment["CONDOR_CONFIG"] = str(config)
    ours = PersonalPool(tmp_path / "ours", START="false", DAEMON_LIST="MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER")
    routes = tmp_path / "routes"
    routes.write_text(_ROUTES.format(config=config))
    ours.environment["CONDOR_CONFIG"] = str(routes)
    try:
        theirs.start()
        ours.start()
        yield ours, theirs
    finally:
        ours.stop()
        theirs.stop()


def test_an_idle_job_runs_in_the_other_pool_under_its_policy(pools: tuple[PersonalPool, PersonalPool]) -> None:
    ours, theirs = pools
    (ours.work / "in").write_text("input\n")
    script = ours.script("work.sh", 'cat in; echo "$1" > made; exit 3\n')
    ours.submit(
        f"executable = {script}\narguments = word\ntransfer_input_files = in\nshould_transfer_files = yes\n"
        "output = a.out\nlog = a.log\nMY.Wanted = true\nqueue\nlog = b.log\nMY.Wanted = false\nqueue\n"
    )
    ours.wait("a.log")
    assert [number for number, _ in ours.events("a.log")] == [0, 1, 5]
    assert [(ours.work / name).read_text() for name in ("a.out", "made")] == ["input\n", "word\n"]
    wait_for(lambda: [row[1:] for row in ours.history("ClusterId", "ExitCode", "JobStatus")] == [["3", "4"]] * 2, "end")
    wait_for(lambda: theirs.queue("Wanted", "JobStatus") == [["false", "1"]], "what START refuses waits there")
    shown = ours.tool("condor_q", "-name", "theirs@lab", "-pool", theirs.environment["CONDOR_CONFIG"], "-af", "Wanted")
    assert shown.stdout == "false\n"
    theirs.recorded([["true", "3"]], "Wanted", "ExitCode")
    ours.tool("condor_rm", "-all")
    wait_for(lambda: not ours.queue("ClusterId") and not theirs.queue("ClusterId"), "it has left both")
