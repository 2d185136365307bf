"""htcondor dag: what is told of a DAG's job ad, and the picture of its event log."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import run

from condor_py.cli.nouns import histogram
from condor_py.cli.nouns.dagstatus import status_lines
from condor_py.lang.classad import ClassAd
from condor_py.store.event_log import EventReader

_RUNNING = {
    "JobStatus": 2, "JobStartDate": 1_000, "JobBatchName": "trip+late.dag+7", "DAG_Status": 0, "DAG_InRecovery": False,
    "DAG_AdUpdateTime": 91_000, "DAG_JobsSubmitted": 9, "DAG_JobsIdle": 1, "DAG_JobsHeld": 2, "DAG_JobsRunning": 3,
    "DAG_JobsCompleted": 3, "DAG_NodesTotal": 20, "DAG_NodesDone": 5, "DAG_NodesPrerun": 1, "DAG_NodesQueued": 4,
    "DAG_NodesPostrun": 0, "DAG_NodesReady": 2, "DAG_NodesUnready": 6, "DAG_NodesFailed": 1, "DAG_NodesFutile": 1,
}  # fmt: skip


def told(now: float = 91_000, **changes: object) -> list[str]:
    ad = ClassAd({**_RUNNING, **changes})
    return status_lines("7", ad, {"queued": 1, "input": 0}, now, 84, colors=False)


def test_a_running_dag_tells_of_its_jobs_and_nodes_and_how_far_it_is() -> None:
    assert told() == [
        "DAG 7 [trip+late.dag] has been running for 1 day and 01:00:00",
        "DAG has submitted 9 job(s), of which:",
        "\t      1 is submitted and waiting for resources.",
        "\t      2 are held.",
        "\t      3 are running.",
        "\t      3 have completed.",
        "\t      1 is in the file transfer queue.",
        "DAG contains 20 node(s) total, of which:",
        "\t[#]   5 have completed.",
        "\t[=]   5 are running: 1 pre-script, 4 jobs.",
        "\t[»]   2 are ready to start.",
        "\t[-]   6 are waiting on other nodes to finish.",
        "\t[!]   1 will never run.",
        "\t[!]   1 has failed.",
        "DAG is running normally. Only 90.00% of the DAG can complete.",
        "[##########==========»»»»------------!!!!] DAG is 25.00% complete.",
    ]


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"DAG_Status": 6}, "DAG 7 [trip+late.dag] has been halted for 1 day and 01:00:00"),
        ({"JobStatus": 5, "EnteredCurrentStatus": 90_940, "HoldReason": "lunch"},
         "DAG 7 [trip+late.dag] has been held for 00:01:00"),
        ({"JobStatus": 1, "JobCoolDownExpiration": 91_030},
         "DAG 7 [trip+late.dag] is in cool down. Remaining time: 30 seconds"),
        ({"DAG_AdUpdateTime": 90_000},
         "Warning: DAG information for ID 7 has not been updated for 00:16:40."),
        ({"DAG_InRecovery": True},
         "DAG 7 [trip+late.dag] is in recovery mode and attempting to restore previous progress."),
    ],
)  # fmt: skip
def test_the_first_line_says_what_the_dag_does(changes: dict[str, object], first: str) -> None:
    assert told(**changes)[0] == first


def test_an_empty_dag_is_complete() -> None:
    nothing = {name: 0 for name in _RUNNING if name.startswith(("DAG_Nodes", "DAG_Jobs"))}
    assert told(**nothing)[-1].endswith("] DAG is 100.00% complete.")


_LOG = "".join(
    f"{number:03d} ({cluster:03d}.000.000) 2026-11-20 10:{minute:02d}:00 {text}\n...\n"
    for number, cluster, minute, text in (
        (0, 1, 0, "Job submitted from host: <127.0.0.1:9618?x>"),
        (0, 2, 0, "Job submitted from host: <127.0.0.1:9618?x>"),
        (1, 1, 2, "Job executing on host: <127.0.0.1:9618?x>"),
        (40, 2, 3, "Started transferring input files"),
        (12, 2, 5, "Job was held.\n\tno\n\tCode 1 Subcode 0"),
        (5, 1, 10, "Job terminated.\n\t(1) Normal termination (return value 0)"),
    )
)


def test_the_picture_shows_the_states_of_jobs_over_time(tmp_path: Path) -> None:
    (tmp_path / "x.nodes.log").write_text(_LOG)
    steps = histogram.steps_of(EventReader(str(tmp_path / "x.nodes.log")).read())
    drawn = histogram.lines("x.nodes.log", steps, 38, 13, instant=False, colors=False)
    assert drawn[0] == "DAG Event Log Histogram (Cumulative): x.nodes.log"
    chart = [line[8:] for line in drawn[2:8]]
    assert chart[0] == "-" * 8 + ">" * 6 + "!" * 16  # the second job: idle, its input, held
    assert chart[-1] == "-" * 5 + "=" * 24 + "#"
    assert drawn[-1].startswith("  # Done   = Running")
    assert drawn[-3].split()[0] == "10:00:00"
    assert drawn[-3].split()[-1] == "10:10:00"
    assert max(map(len, drawn[2:8])) <= 38


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "No state-change events"), (_LOG.partition("...\n")[0] + "...\n", "All events have the same timestamp")],
    ids=("empty", "one event"),
)
def test_a_log_that_tells_nothing_is_no_picture(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "x.log").write_text(text)
    done = run("htcondor", "eventlog", "histogram", str(tmp_path / "x.log"))
    assert done.code == 0
    assert words in done.out


def test_one_mode_of_the_picture_excludes_the_other() -> None:
    done = run("htcondor", "dag", "histogram", "-i", "-c", "3")
    assert done.code == 2
    assert "not allowed with argument" in done.err


def test_what_is_no_dag_is_said(tmp_path: Path) -> None:
    done = run("htcondor", "dag", "submit", str(tmp_path / "nowhere.dag"))
    assert (done.code, done.err.splitlines()[-1]) == (1, f"Could not find file: {tmp_path}/nowhere.dag")
    assert run("htcondor", "dag", "status", "x.y").err.splitlines()[-1] == "x.y is not the number of a DAG"


def test_each_node_that_runs_nothing_is_counted(tmp_path: Path) -> None:
    """The jobs of NOOP nodes have one cluster and proc, and numbers of their own behind."""
    head = "(000.2147483647.{:03d}) 2026-11-22 10:00:0{}"
    text = "".join(f"000 {head.format(n, n)} x\n...\n005 {head.format(n, n)} x\n...\n" for n in (1, 2))
    (tmp_path / "x.nodes.log").write_text(text)
    steps = histogram.steps_of(EventReader(str(tmp_path / "x.nodes.log")).read())
    assert len({step.job for step in steps}) == 2
