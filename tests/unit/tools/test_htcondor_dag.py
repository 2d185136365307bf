"""htcondor dag: what is told of a DAG's job ad, and the picture of its event log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.nouns import dag, eventlog, histogram
from condor_py.cli.nouns.dagstatus import status_lines
from condor_py.cli.nouns.words import Say
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


def test_a_histogram_in_colours_has_halves_of_characters() -> None:
    """Of three jobs in four rows the second row is half of the one that is done and half of those that run."""
    steps = [histogram.Step(0.0, (job, 0, 0), 4) for job in (1, 2, 3)]
    steps += [
        histogram.Step(90.0, (1, 0, 0), 0),
        histogram.Step(90.0, (2, 0, 0), 1),
        histogram.Step(90.0, (3, 0, 0), 1),
    ]
    steps.append(histogram.Step(100.0, (3, 0, 0), 1))
    drawn = histogram.lines("x.log", steps, 18, 10, instant=False, colors=True)
    chart = [line.partition("│")[2] for line in drawn if "│" in line]
    assert len(chart) == 3
    done, running, idle = "\033[38;5;2m█\033[0m", "\033[38;5;6m█\033[0m", "\033[38;5;3m█\033[0m"
    assert chart == [idle * 8 + running * 2, idle * 8 + running * 2, idle * 8 + done * 2]
    drawn = histogram.lines("x.log", steps, 18, 11, instant=False, colors=True)
    chart = [line.partition("│")[2] for line in drawn if "│" in line]
    half = "\033[38;5;2m\033[48;5;6m▄\033[0m"
    assert chart[2] == idle * 8 + half * 2
    assert drawn[-1].startswith("  \033[38;5;2m██\033[0m Done   \033[38;5;6m██\033[0m Running   ")


def test_an_event_log_is_followed_until_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is printed again when the log has grown, and only then."""
    log = tmp_path / "log"
    log.write_text("000 (007.000.000) 2026-11-20 10:00:00 Job submitted from host: <127.0.0.1:9618>\n...\n")
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            with log.open("a") as file:
                file.write("001 (007.000.000) 2026-11-20 10:01:00 Job executing on host: <127.0.0.1:9618>\n...\n")
        if len(waits) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    eventlog.follow(Say(0), str(log), json=False, csv=True, groupby=None)
    told = capsys.readouterr().out.splitlines()
    assert [line.split(",")[:3] for line in told] == [
        ["Job ID", "Host", "Start Time"], ["7.0", "127.0.0.1", ""],
        ["Job ID", "Host", "Start Time"], ["7.0", "127.0.0.1", "11/20/26 10:01"],
        [" Exiting..."],
    ]  # fmt: skip
    assert waits == [0.5] * 4


def test_a_dag_of_which_nothing_is_lost_can_complete() -> None:
    assert told(DAG_NodesFailed=0, DAG_NodesFutile=0)[-2] == "DAG is running normally."
    assert told(DAG_NodesFailed=0)[-2] == "DAG is running normally. Only 95.00% of the DAG can complete."


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "is running normally."),
        (1, "had an error occur."),
        (2, "had at least one node fail."),
        (3, "is aborting because it recieved a DAG abort value."),
        (4, "has recieved a signal to be remove."),
        (5, "has detected a cycle."),
        (6, "has been halted."),
        (7, "has status 7."),
        (-1, "has status -1."),
    ],
)
def test_the_state_of_condor_dagman_in_words(status: int, words: str) -> None:
    """In the words of HTCondor's command, with its mistakes."""
    assert told(DAG_Status=status, DAG_NodesFailed=0, DAG_NodesFutile=0)[-2] == f"DAG {words}"


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"JobStatus": 5, "HoldReason": "lunch"},
         ["DAG 7 [trip+late.dag] has been held for 00:01:00", "Hold Reason: lunch"]),
        ({"JobStatus": 5}, ["DAG 7 [trip+late.dag] has been held for 00:01:00", "Hold Reason: "]),
        ({"JobStatus": 3, "HoldReason": "lunch"},
         ["DAG 7 [trip+late.dag] has been removed from the queue for 00:01:00"]),
        ({"JobStatus": 1}, ["DAG 7 [trip+late.dag] has been idle for 00:01:00"]),
        ({"JobStatus": 1, "JobCoolDownExpiration": 90_999}, ["DAG 7 [trip+late.dag] has been idle for 00:01:00"]),
        ({"JobStatus": 1, "JobCoolDownExpiration": 91_000},
         ["DAG 7 [trip+late.dag] is in cool down. Remaining time: 0 seconds"]),
        ({"JobStatus": 7, "JobCoolDownExpiration": 91_030}, ["DAG 7 [trip+late.dag] has been suspended for 00:01:00"]),
        ({"JobStatus": 8}, ["DAG 7 [trip+late.dag] has been in an unknown state for 00:01:00"]),
        ({"JobStatus": 4}, ["DAG 7 [trip+late.dag] completed 1970-01-02 01:15:40"]),
        ({"JobStatus": 7, "EnteredCurrentStatus": 91_000 - 2 * 86400 - 3661},
         ["DAG 7 [trip+late.dag] has been suspended for 2 days and 01:01:01"]),
        ({"DAG_AdUpdateTime": 90_400}, ["DAG 7 [trip+late.dag] has been running for 1 day and 01:00:00"]),
        ({"DAG_AdUpdateTime": 90_399, "DAG_InRecovery": True},
         ["Warning: DAG information for ID 7 has not been updated for 00:10:01.",
          "         Information may be outdated. This indicates a possible issue with the DAG job.",
          "DAG 7 [trip+late.dag] is in recovery mode and attempting to restore previous progress."]),
        ({"JobBatchName": None}, ["DAG 7 [UNKNOWN] has been running for 1 day and 01:00:00"]),
    ],
)  # fmt: skip
def test_what_is_said_before_the_jobs(spool: Spool, changes: dict[str, object], lines: list[str]) -> None:
    """In UTC; an age of ten minutes is not old yet."""
    found = told(**{"EnteredCurrentStatus": 90_940, **changes})
    assert found[: found.index("DAG has submitted 9 job(s), of which:")] == lines


def test_jobs_that_failed_and_jobs_that_move() -> None:
    ad = ClassAd({**_RUNNING, "DAG_JobsSubmitted": 12})
    lines = status_lines("7", ad, {"queued": 2, "input": 1, "output": 1}, 91_000, 84, colors=False)
    assert lines[lines.index("DAG has submitted 12 job(s), of which:") + 5 :][:4] == [
        "\t      3 have failed.",
        "\t      2 are in the file transfer queue.",
        "\t      1 is transferring input files to the EP.",
        "\t      1 is transferring output files back.",
    ]
    del ad["DAG_JobsSubmitted"]
    assert status_lines("7", ad, {"queued": 2}, 91_000, 84, colors=False)[1].startswith("DAG contains 20 node(s)")


def test_the_longest_part_of_the_bar_fills_it() -> None:
    """Five nodes of 20 are known to wait and two to be done: 4 and 10 of 40 characters, and 26 more of the most."""
    unknown = dict.fromkeys(
        ("DAG_NodesPrerun", "DAG_NodesQueued", "DAG_NodesReady", "DAG_NodesFailed", "DAG_NodesFutile"), 0
    )
    assert told(**unknown, DAG_NodesDone=2, DAG_NodesUnready=5)[-1] == f"[####{'-' * 36}] DAG is 10.00% complete."


def test_a_dag_in_colours() -> None:
    """Each part of the bar and its mark have the same colour, and a warning is red."""
    ad = ClassAd({**_RUNNING, "DAG_AdUpdateTime": 90_000})
    lines = status_lines("7", ad, {}, 91_000, 84, colors=True)
    assert [line.startswith("\033[31m") and line.endswith("\033[0m") for line in lines[:3]] == [True, True, False]
    colors = {"#": 32, "=": 36, "»": 96, "-": 97}
    for mark, count in (("#", 10), ("=", 10), ("»", 4), ("-", 12)):
        assert f"\033[{colors[mark]}m{mark * count}\033[0m" in lines[-1]
        assert any(line.startswith(f"\t[\033[{colors[mark]}m{mark}\033[0m] ") for line in lines)
    assert "\033[33m!!\033[0m\033[31m!!\033[0m]" in lines[-1]


def test_nodes_at_work_are_told_apart() -> None:
    lines = told(DAG_NodesPrerun=2, DAG_NodesQueued=1, DAG_NodesPostrun=3)
    assert "\t[=]   6 are running: 2 pre-scripts, 1 job, 3 post-scripts." in lines
    lines = told(DAG_NodesPrerun=0, DAG_NodesQueued=1, DAG_NodesReady=0, DAG_NodesDone=1)
    assert "\t[=]   1 is running: 1 job." in lines
    assert "\t[#]   1 has completed." in lines
    assert not any("ready to start" in line for line in lines)


def steps_of_jobs(count: int, seconds: float) -> list[histogram.Step]:
    """Jobs that all become idle at once and are done at the end, as in 2026 in UTC."""
    begin = 1795168800.0
    return [
        *(histogram.Step(begin, (job, 0, 0), 4) for job in range(count)),
        *(histogram.Step(begin + seconds, (job, 0, 0), 0) for job in range(count)),
    ]


@pytest.mark.parametrize(
    ("columns", "rows", "is_drawn"), [(18, 10, True), (17, 10, False), (18, 9, False), (17, 9, False)]
)
def test_the_smallest_terminal_for_a_picture(spool: Spool, columns: int, rows: int, is_drawn: bool) -> None:
    drawn = histogram.lines("x", steps_of_jobs(3, 100), columns, rows, instant=False, colors=False)
    assert (drawn != ["Terminal too small for histogram."]) == is_drawn


@pytest.mark.parametrize(
    ("jobs", "labels"),
    [
        (6, {4: "2", 8: "4", 12: "6"}),
        (7, {3: "2", 7: "4", 10: "6", 12: "7"}),
        (5, {2: "1", 5: "2", 7: "3", 10: "4", 12: "5"}),
        (30, {4: "10", 8: "20", 12: "30"}),
        (1000, {2: "200", 5: "400", 7: "600", 10: "800", 12: "1000"}),
    ],
)
def test_rows_with_round_numbers(spool: Spool, jobs: int, labels: dict[int, str]) -> None:
    """Five at most, of 1, 2 or 5 times a power of ten; the greatest number is at the top of twelve rows."""
    drawn = histogram.lines("x", steps_of_jobs(jobs, 100), 48, 19, instant=False, colors=False)
    chart = [line.partition("│")[0].strip() for line in drawn if "│" in line]
    assert {12 - at: text for at, text in enumerate(chart) if text} == labels


@pytest.mark.parametrize(
    ("columns", "seconds", "times"),
    [
        (36, 3600, "10:00:00  10:30:00  11:00:00"),
        (35, 3600, "10:00:00           11:00:00"),
        (34, 3600, "10:00:00          11:00:00"),
        (18, 3600, "10:00:00 11:00:00"),
        (62, 86398, "10:00:00               21:59:59               09:59:58"),
        (62, 86400, "11/20 10:00           11/20 22:00          11/21 10:00"),
    ],
)
def test_the_times_below_the_picture(spool: Spool, columns: int, seconds: int, times: str) -> None:
    """The middle is left out where it would touch the others; from a day on there are dates."""
    drawn = histogram.lines("x", steps_of_jobs(2, seconds), columns, 13, instant=False, colors=False)
    shown = drawn[-3].removeprefix(" " * 8)
    assert shown == times


def test_an_instant_picture_counts_what_begins() -> None:
    """Two jobs become idle in the first column and are done in the last; between them nothing happens."""
    drawn = histogram.lines("x", steps_of_jobs(2, 100), 18, 10, instant=True, colors=False)
    assert drawn[0] == "DAG Event Log Histogram (Instant): x"
    assert [line.partition("│")[2] for line in drawn if "│" in line] == ["-        #"] * 3


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Transfer queued", None),
        ("Started transferring input files", 2),
        ("Finished transferring input files", 1),
        ("Started transferring output files", 3),
        ("Finished transferring output files", 1),
    ],
)
def test_transfers_are_states_of_jobs(tmp_path: Path, text: str, state: int | None) -> None:
    (tmp_path / "x.log").write_text(f"040 (007.000.000) 2026-11-20 10:00:00 {text}\n...\n")
    steps = histogram.steps_of(EventReader(str(tmp_path / "x.log")).read())
    assert [step.state for step in steps] == ([] if state is None else [state])


def test_colours_are_for_terminals_that_want_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.log").write_text(_LOG)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    words = ("htcondor", "eventlog", "histogram", str(tmp_path / "x.log"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\033[" not in run(*words).out
    monkeypatch.setattr("tool_runner.io.StringIO", Terminal)
    assert "\033[38;5;" in run(*words).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[38;5;" not in run(*words).out


def test_the_use_of_memory_of_jobs_that_asked_for_none() -> None:
    jobs = [
        ClassAd({"JobStatus": 2, "MemoryUsage": 50, "RequestMemory": 100}),
        ClassAd({"JobStatus": 6, "MemoryUsage": 50, "RequestMemory": 0}),
        ClassAd({"JobStatus": 1, "RequestMemory": 100}),
        ClassAd({"JobStatus": 5, "MemoryUsage": 0, "RequestMemory": 100}),
    ]
    assert dag._summary(jobs) == "Total 4 jobs; 2 running, 1 idle; avg memory utilization: 25.0%"
    assert dag._summary(jobs[1:3]) == "Total 2 jobs; 1 running, 1 idle"


def test_a_row_for_each_job_of_a_dag() -> None:
    """Its state in a word, and a dash for what it does not have."""
    words = ["Idle", "Running", "Removed", "Completed", "Held", "Transferring", "Suspended", "Unknown"]
    rows = [
        dag._resources_of(ClassAd({"ClusterId": 7, "ProcId": status, "JobStatus": status})).split()
        for status in range(1, 9)
    ]
    assert rows == [
        ["?", f"7.{status}", word, "-", "-", "0", "-"] for status, word in enumerate(words, 1)
    ]  # fmt: skip
    whole = {"DAGNodeName": "B", "JobStatus": 2, "MemoryUsage": 3, "RequestMemory": 4, "NumJobStarts": 5,
             "RemoteHost": "slot1@vm", "ClusterId": 8}  # fmt: skip
    assert dag._resources_of(ClassAd(whole)).split() == ["B", "8.0", "Running", "3", "4", "5", "slot1@vm"]
