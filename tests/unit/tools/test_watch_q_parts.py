"""The parts of condor_watch_q: states of jobs by their events, rows, bars, summaries, names of logs."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.options import parse
from condor_py.cli.watch_q.main import (
    SPEC,
    Dags,
    Row,
    _find,
    _row,
    abbreviate,
    log_of,
    mistaken_words,
    nice_path,
    progress_bar,
    summary,
    table,
    total_bar,
)
from condor_py.cli.watch_q.states import ACTIVE, CONDITIONS, Cluster, Grouper, State, Tracker
from condor_py.lang.classad import ClassAd

TEXTS = {
    0: "Job submitted from host: <x>", 1: "Job executing on host: <x>", 4: "Job was evicted.", 5: "Job terminated.",
    6: "Image size of job updated: 5", 7: "Shadow exception!", 9: "Job was aborted.", 10: "Job was suspended.",
    11: "Job was unsuspended.", 12: "Job was held.", 13: "Job was released.", 24: "Job reconnection failed",
}  # fmt: skip


def event(number: int, proc: int = 0, cluster: int = 7, second: int = 0, text: str = "", subproc: int = 0) -> str:
    head = f"{number:03d} ({cluster:03d}.{proc:03d}.{subproc:03d}) 2026-11-20 22:00:{second:02d} "
    return f"{head}{text or TEXTS[number]}\n...\n"


def tracker(*paths: Path, **more: object) -> Tracker:
    known = {"batches": {}, "procs": {}, "wanted": None, "least": None, "ends_when_read": False} | more
    return Tracker(list(map(str, paths)), **known)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "run.log"


# ---- states -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "state"),
    [
        ((0,), "IDLE"), ((0, 1), "RUN"), ((0, 1, 4), "IDLE"), ((0, 1, 5), "DONE"), ((0, 1, 7), "IDLE"),
        ((0, 9), "REMOVED"), ((0, 1, 10), "SUSPENDED"), ((0, 1, 10, 11), "IDLE"), ((0, 12), "HELD"),
        ((0, 12, 13), "IDLE"), ((0, 1, 24), "IDLE"), ((0, 1, 6), "RUN"),
    ],
)  # fmt: skip
def test_the_state_after_an_event(log: Path, numbers: tuple[int, ...], state: str) -> None:
    """As in HTCondor's condor_watch_q, where a job that continues is idle until it executes."""
    log.write_text("".join(map(event, numbers)))
    found = tracker(log)
    assert found.read() == []
    assert +found.clusters[7].counts == {State(state): 1}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Started transferring input files", "INPUT"), ("Started transferring output files", "OUTPUT"),
        ("Finished transferring input files", "RUN"), ("Entered queue to transfer input files", "RUN"),
    ],
)  # fmt: skip
def test_transfers_that_have_started_are_states(log: Path, text: str, state: str) -> None:
    log.write_text(event(0) + event(1) + event(40, text=text))
    found = tracker(log)
    found.read()
    assert +found.clusters[7].counts == {State(state): 1}


def test_which_clusters_are_tracked(log: Path, tmp_path: Path) -> None:
    text = "".join(event(0, 0, cluster) for cluster in (5, 6, 7))
    log.write_text(text)

    def clusters(**more: object) -> list[int]:
        found = tracker(log, **more)
        found.read()
        return list(found.clusters)

    assert clusters() == [5, 6, 7]
    assert clusters(wanted=frozenset({6})) == [6]
    assert clusters(wanted=frozenset({6}), whole=[str(log)]) == [5, 6, 7]
    assert clusters(least=6) == [6, 7]
    assert clusters(wanted=frozenset({5}), least=6) == []


def test_a_cluster_has_as_many_jobs_as_the_queue_says(log: Path) -> None:
    log.write_text(event(0, 0) + event(0, 1) + event(0, 0, 8))
    found = tracker(log, batches={7: "sweep", 8: None}, procs={7: 5})
    found.read()
    assert [(one.number, one.batch, one.size, one.log) for one in found.clusters.values()] == [
        (7, "sweep", 5, str(log)), (8, "ID: 8", 1, str(log)),
    ]  # fmt: skip
    assert found.matching(ACTIVE) == (3, 3)
    with log.open("a") as file:
        file.write(event(5, 1) + event(12, 0))
    found.read()
    assert found.matching(CONDITIONS["done"]) == (1, 3)
    assert found.matching(CONDITIONS["held"]) == (1, 3)
    assert found.matching(CONDITIONS["idle"]) == (1, 3)
    assert found.matching(CONDITIONS["active"]) == (2, 3)


def test_empty_nodes_of_a_dag_are_jobs_of_their_own(log: Path) -> None:
    noop = 2147483647
    log.write_text("".join(event(0, noop, 0, subproc=one) for one in (1, 2, 3)) + event(5, noop, 0, subproc=2))
    found = tracker(log)
    found.read()
    assert found.clusters[0].size == 3
    assert [job.proc for job in found.clusters[0].active_jobs()] == [1, 3]


def test_when_the_last_job_of_a_cluster_left(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 5.0)
    log.write_text(event(0) + event(0, 1) + event(5, second=3))
    found = tracker(log)
    found.read()
    begun = found.clusters[7]
    assert (begun.is_done, begun.ended) == (False, None)
    with log.open("a") as file:
        file.write(event(9, 1, second=9))
    found.read()
    assert begun.is_done
    assert begun.ended is not None
    assert begun.ended % 60 == 9
    read = tracker(log, ends_when_read=True)
    read.read()
    assert read.clusters[7].ended == 5.0


def test_events_before_damage_count(log: Path) -> None:
    log.write_text(event(0) + "junk\n...\n" + event(0, 1))
    found = tracker(log)
    found.read()
    assert found.clusters[7].size == 1


@pytest.mark.parametrize(
    ("procs", "shown"),
    [([], []), ([3], [3]), ([3, 1], [1, 3]), ([3, 1, 2], [1, 2, 3]), ([5, 4, 3, 2, 1], [1, 2, 5])],
)
def test_the_jobs_that_stand_for_a_cluster(procs: list[int], shown: list[int]) -> None:
    cluster = Cluster(7, "log", "", None)
    for proc in procs:
        cluster.set(proc, State.IDLE)
    cluster.set(9, State.RUNNING)
    cluster.set(9, State.DONE)
    assert [job.proc for job in cluster.active_jobs()] == shown
    assert cluster.batch == "ID: 7"
    assert cluster.is_done is not bool(procs)
    if procs:
        cluster.set(procs[0], State.REMOVED)
        assert procs[0] not in [job.proc for job in cluster.active_jobs()]


@pytest.mark.parametrize(
    ("matching", "total", "holds"),
    [(0, 0, "all none"), (0, 2, "none"), (1, 2, "any"), (2, 2, "all any")],
)
def test_how_many_jobs_a_condition_must_hold_for(matching: int, total: int, holds: str) -> None:
    assert [one.value for one in Grouper if one.holds(matching, total)] == holds.split()


# ---- the picture --------------------------------------------------------------------------------------------------


def counts(**numbers: int) -> Counter[State]:
    return Counter({State[name]: number for name, number in numbers.items()})


@pytest.mark.parametrize(
    ("jobs", "total", "columns", "bar"),
    [
        (counts(IDLE=1), 1, 12, "[----------]"), (counts(), 0, 12, "[----------]"),
        (counts(IDLE=1, RUNNING=1, DONE=2), 4, 10, "[--==####]"), (counts(DONE=1, HELD=1), 2, 13, "[######!!!!!]"),
        (counts(IDLE=1, DONE=2), 3, 13, "[---########]"), (counts(INPUT=1, OUTPUT=1), 2, 6, "[>>>>]"),
        (counts(REMOVED=1, SUSPENDED=1), 4, 10, "[!!!!!!!!]"), (counts(DONE=1), 1, 200, f"[{'#' * 77}]"),
    ],
)  # fmt: skip
def test_bars_show_the_parts_of_all_jobs(jobs: Counter[State], total: int, columns: int, bar: str) -> None:
    """What rounding leaves goes to the longest part; a bar has 79 columns at most."""
    assert progress_bar(jobs, total, columns, False) == bar


def test_colors_of_bars_and_rows() -> None:
    jobs = counts(IDLE=1, INPUT=1, RUNNING=1, OUTPUT=1, DONE=1, HELD=1, SUSPENDED=1, REMOVED=1)
    colors = [part[:2] for part in progress_bar(jobs, 8, 10, True).split("\033[")[1::2]]
    assert colors == ["93", "36", "36", "36", "32", "31", "31", "31"]
    shown = [
        table("BATCH", [Row("a", jobs, 1, "")], 80, False, True)[1][2:4]
        for jobs in (counts(HELD=1, RUNNING=1), counts(DONE=1), counts(RUNNING=1, IDLE=1), counts(IDLE=1), counts())
    ]
    assert shown == ["31", "32", "36", "33", "97"]
    assert total_bar(counts(DONE=1), 1, 30, False) == "Total Progress: [############]"


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (80, "Total: 3 jobs; 1 completed, 2 running"), (37, "Total: 3 jobs; 1 completed, 2 running"),
        (36, "Total: 3 jobs; 1 complete, 2 running"), (30, "Total: 3 jobs; 1 compl, 2 runni"[:31]),
        (1, "Total: 3 jobs; 1 co, 2 ru"),
    ],
)  # fmt: skip
def test_words_of_the_summary_are_cut_where_the_line_is_short(columns: int, text: str) -> None:
    shown = summary(counts(DONE=1, RUNNING=1, INPUT=1), 3, columns, False)
    assert shown == text if columns != 30 else len(shown) <= 30
    assert columns == 1 or len(shown) <= columns


def test_the_summary_in_percent_and_of_all_states() -> None:
    jobs = counts(DONE=1, REMOVED=2, IDLE=3, INPUT=1, RUNNING=2, OUTPUT=1, HELD=5, SUSPENDED=6)
    assert summary(jobs, 21, 200, False) == (
        "Total: 21 jobs; 1 completed, 2 removed, 3 idle, 4 running, 5 held, 6 suspended"
    )
    assert summary(counts(DONE=1), 3, 5, True) == (
        "Total: 3 jobs; 33% completed, 0% removed, 0% idle, 0% running, 0% held, 0% suspended"
    )
    assert summary(counts(), 0, 80, True).startswith("Total: 0 jobs; 0% completed, ")


def test_columns_are_those_of_states_that_occur() -> None:
    rows = [Row("sweep", counts(IDLE=10, HELD=1), 1234567, "7.0"), Row("a", counts(), 0, "")]
    assert table("BATCH", rows, 80, False, False) == [
        "BATCH   HELD  IDLE  RUN  DONE     TOTAL  JOB_IDS",
        "sweep     1    10    -     -   1234567   7.0    ",
        "a         -     -    -     -         -          ",
    ]  # fmt: skip
    assert table("LOG", [], 80, True, False) == ["LOG  IDLE  RUN  DONE  TOTAL"]
    assert table("BATCH", rows, 20, True, False)[1] == "sweep     1    10   "


def test_a_row_has_its_bar_where_more_than_ten_columns_are_left() -> None:
    row = [Row("sweep", counts(IDLE=1), 1, "7.0")]
    plain = table("BATCH", row, 200, False, False)[1]
    assert table("BATCH", row, len(plain) + 11, True, False)[1] == f"{plain}[---------]"
    assert table("BATCH", row, len(plain) + 10, True, False)[1] == plain


def test_a_row_is_of_all_its_clusters() -> None:
    first, second = Cluster(7, "l", None, 4), Cluster(9, "l", None, None)
    for proc in (0, 1):
        first.set(proc, State.IDLE)
        second.set(proc, State.RUNNING)
    found = _row("x", [second, first], 0)
    assert (found.total, found.jobs) == (6, "7.0 ... 9.1")
    assert found.counts == counts(IDLE=2, RUNNING=2)
    assert _row("x", [first], 3).total == 4
    assert _row("x", [first], 9).total == 9
    assert _row("x", [first], 0).jobs == "7.0, 7.1"


# ---- names --------------------------------------------------------------------------------------------------------


def test_logs_have_the_shortest_of_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here = tmp_path / "home", tmp_path / "home" / "work" / "now"
    here.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    assert nice_path(str(here / "a.log")) == "./a.log"
    assert nice_path(str(home / "b.log")) == "~/b.log"
    assert nice_path("/x.log") == "/x.log"
    assert abbreviate("/x.log") == "/x.log"


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ('UserLog = "a.log"; Iwd = "/w"', "/w/a.log"), ('UserLog = "/l/a.log"; Iwd = "/w"', "/l/a.log"),
        ('UserLog = "a.log"', "/a.log"), ('Iwd = "/w"', ""), ('UserLog = "../a.log"; Iwd = "/w/x"', "/w/a.log"),
        ('UserLog = "a.log"; DAGManNodesLog = "/n.log"; Iwd = "/w"', "/n.log"),
    ],
)  # fmt: skip
def test_the_log_of_a_job(text: str, log: str) -> None:
    assert log_of(ClassAd(f"[ {text} ]")) == log


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("", None), ("7 x 8", "argument 7: to track specific cluster IDs, try -clusters 7 8"),
        ("x 7 y", "argument x: to track jobs from specific users, try -users x y"),
    ],
)  # fmt: skip
def test_words_without_an_option(words: str, hint: str | None) -> None:
    assert mistaken_words(parse(SPEC, words.split())) == hint


def test_dags_are_found_by_their_manager() -> None:
    dags = Dags(list)
    manager = {"UserLog": "x.dag.dagman.log", "Iwd": "/w", "OtherJobRemoveRequirements": "x", "DAG_NodesTotal": 4}
    assert dags.found(5, ClassAd(manager)) == "/w/x.dag.nodes.log"
    assert dags.found(6, ClassAd(manager | {"JobBatchName": "b", "UserLog": "y.dagman.log"})) == "/w/y.nodes.log"
    assert dags.found(7, ClassAd(manager | {"UserLog": "x.log"})) == ""
    assert dags.logs == {"/w/x.dag.nodes.log": "DAG: 5", "/w/y.nodes.log": "b"}
    assert (dags.total("DAG: 5"), dags.total("b"), dags.total("c")) == (4, 4, 0)
    assert dags.batch_of("/none") is None


# ---- what is tracked ----------------------------------------------------------------------------------------------


def test_jobs_that_are_asked_for(spool: Spool, tmp_path: Path) -> None:
    for cluster, owner, more in ((1, "ann", {"JobBatchName": '"b"'}), (2, "ann", {}), (3, "bob", {})):
        spool.add(cluster, 2, owner, UserLog=f'"{cluster}.log"', Iwd=f'"{tmp_path}"', **more)
    (tmp_path / "own.log").touch()

    def found(words: str) -> tuple[list[str], object]:
        kept = _find(parse(SPEC, words.split()))
        return [os.path.basename(path) for path in kept.logs], kept.wanted

    assert found("-users ann") == (["1.log", "2.log"], None)
    assert found("-users ann bob") == (["1.log", "2.log", "3.log"], None)
    assert found("-clusters 3") == (["3.log"], frozenset({3}))
    assert found("-batches b") == (["1.log"], frozenset({1}))
    assert found("-batches b -clusters 3") == (["1.log", "3.log"], frozenset({1, 3}))
    assert found(f"-files {tmp_path}/own.log") == (["own.log"], None)
    assert found(f"-files {tmp_path}/own.log -clusters 3") == (["own.log", "3.log"], frozenset({3}))
    kept = _find(parse(SPEC, ["-users", "ann"]))
    assert (kept.batches, kept.procs) == ({1: "b", 2: None}, {1: 2, 2: 2})
    spool.add(4, 2, "eve", UserLog='"4.log"', Iwd='"/w"', TotalSubmitProcs="undefined")
    assert _find(parse(SPEC, ["-users", "eve"])).procs == {4: 1}


def test_rows_that_have_left_stay_for_a_while(log: Path, monkeypatch: pytest.MonkeyPatch, spool: Spool) -> None:
    log.write_text(event(0) + event(5, second=30) + event(0, 0, 8))
    found = tracker(log)
    found.read()
    ended = found.clusters[7].ended
    assert ended is not None
    for passed, rows in ((59, ["ID: 8", "ID: 7"]), (60, ["ID: 8"]), (61, ["ID: 8"])):
        monkeypatch.setattr("time.time", lambda passed=passed: ended + passed)
        done = run("condor_watch_q", "-files", str(log), "-no-display-exited", "-exited-row-decay", "1m", "-exit",
                   "any,active", "-no-progress", "-no-summary", "-no-updated-at")  # fmt: skip
        assert [line[:5] for line in done.out.splitlines() if line.startswith("ID")] == rows


def test_rows_are_in_order_of_their_clusters_and_those_that_are_done_last(log: Path, spool: Spool) -> None:
    log.write_text(event(0, 0, 9) + event(0, 0, 7) + event(0, 0, 10) + event(0, 0, 8) + event(5, 0, 7))
    done = run("condor_watch_q", "-files", str(log), "-exit", "any,active", "-no-progress", "-no-summary",
               "-no-updated-at", "-groupby", "cluster")  # fmt: skip
    assert [line.split()[0] for line in done.out.splitlines()[1:5]] == ["8", "9", "10", "7"]
