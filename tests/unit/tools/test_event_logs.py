"""What tools make of event logs, good and damaged."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tool_runner import run

_HOST = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>"
_USAGE = "".join(
    f"\t\tUsr 1 00:00:0{n}, Sys 0 00:00:01  -  {kind} Usage\n"
    for n, kind in enumerate(("Run Remote", "Run Local", "Total Remote", "Total Local"), 1)
)
_BYTES = "".join(f"\t7  -  {kind} By Job\n" for kind in (
    "Run Bytes Sent", "Run Bytes Received", "Total Bytes Sent", "Total Bytes Received"))  # fmt: skip


def event(number: int, second: int, body: str, cluster: int = 1) -> str:
    """One event with its closing line."""
    return f"{number:03d} ({cluster:03d}.000.000) 2026-11-20 22:00:{second:02d} {body}\n...\n"


def submitted(cluster: int = 1) -> str:
    """The submit event."""
    return event(0, 0, f"Job submitted from host: {_HOST}", cluster)


_ENDED = event(5, 20, f"Job terminated.\n\t(1) Normal termination (return value 3)\n{_USAGE}{_BYTES}".rstrip("\n"))
_LIFE = (
    event(1, 1, f"Job executing on host: {_HOST}")
    + event(12, 4, "Job was held.\n\tfor a reason\n\tCode 26 Subcode 2")
    + event(13, 5, "Job was released.\n\tnow")
    + event(1, 10, f"Job executing on host: {_HOST}")
    + _ENDED
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of two jobs, the second submitted first."""
    path = tmp_path / "log"
    path.write_text(submitted(2) + submitted() + _LIFE)
    return path


def test_a_job_rebuilt_from_its_log(log: Path) -> None:
    done = run("condor_history", "-userlog", str(log), "-af:j", "JobStatus", "CompletionDate - QDate", "ExitCode",
               "NumJobStarts", "NumSystemHolds", "LastVacateReason", "ReleaseReason", "RemoteUserCpu",
               "LastLocalUserCpu", "RemoteSysCpu", "RemoteWallClockTime", "RemoteHost", "LastJobStatus")  # fmt: skip
    begun = int(time.mktime(time.strptime("2026-11-20 22:00:00", "%Y-%m-%d %H:%M:%S")))
    assert done.out.splitlines() == [
        "1.0 4 20 3 2 1 for a reason now 86403.0 86402.0 1.0 10.0 undefined 2",
        f"2.0 1 {-begun} undefined 0 0 undefined undefined 0.0 undefined 0.0 0.0 undefined 0",
    ]


def test_attributes_of_a_job_in_its_log(log: Path) -> None:
    told = 'Proc = 0\nMyFigure = 5\nCluster = 2\nA = "x"\nTriggerEventTypeNumber = 0'
    with log.open("a") as file:
        file.write(event(28, 21, f"Job ad information event triggered.\n{told}", 2))
    assert run("condor_q", "-userlog", str(log), "2", "-af", "MyFigure", "A", "TriggerEventTypeNumber").out == (
        "5 x undefined\n"
    )
    echoed = run("condor_wait", "-wait", "0", "-echo", str(log), "2").out.split("...\n")[1].splitlines()
    assert echoed[1:] == ['A = "x"', "Cluster = 2", "MyFigure = 5", "Proc = 0", "TriggerEventTypeNumber = 0"]


@pytest.mark.parametrize("damage", ["junk\n...\n", "000 (1.\n...\n"])
def test_what_stands_before_damage_counts(log: Path, damage: str) -> None:
    with log.open("a") as file:
        file.write(damage + submitted(3))
    assert run("condor_q", "-userlog", str(log), "-af", "ClusterId").out.split() == ["1", "2"]
    done = run("condor_wait", "-wait", "0", "-status", str(log))
    assert done.out.splitlines()[0] == "2.0.0 submitted"
    assert (done.out.splitlines()[-1], done.code) == ("1.0.0 completed", 1)
    assert "not a job event" in done.err
