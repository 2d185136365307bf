"""condor_watch_q and condor_wait with DAGs: one row for all nodes, counted from the event log of the nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.watch_q.main import Dags
from condor_py.lang.classad import ClassAd

_EVENTS = {0: "Job submitted from host: <x>\n    DAG Node: {node}", 1: "Job executing on host: <x>",
           5: "Job terminated.\n\t(1) Normal termination (return value 0)",
           16: "POST Script terminated.\n\t(1) Normal termination (return value 0)\n    DAG Node: {node}"}  # fmt: skip
_NOOP = 2147483647


def log(*events: tuple[int, int, str], noops: int = 0) -> str:
    """An event log: (number, cluster, node) each, empty nodes in front."""
    lines = [(number, (0, _NOOP, one), f"E{one}") for one in range(1, noops + 1) for number in (0, 5)]
    lines += [(number, (cluster, 0, 0), node) for number, cluster, node in events]
    return "".join(
        f"{number:03d} ({job[0]:03d}.{job[1]:03d}.{job[2]:03d}) 2026-11-22 10:00:00 "
        f"{_EVENTS[number].format(node=node)}\n...\n"
        for number, job, node in lines
    )


@pytest.fixture(autouse=True)
def _size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "40")


def queue(spool: Spool, where: Path) -> None:
    """A DAG of nine nodes, one of which is a DAG of three, beside a job of its own; logs as far as they are."""
    manager = {"JobUniverse": "7", "JobStatus": "2", "OtherJobRemoveRequirements": '"DAGManJobId =?= 5"',
               "Iwd": f'"{where}"', "JobBatchName": '"t.dag+5"'}  # fmt: skip
    node = {"DAGManJobId": "5", "JobBatchName": '"t.dag+5"', "Iwd": f'"{where}"',
            "DAGManNodesLog": f'"{where}/./t.dag.nodes.log"'}  # fmt: skip
    spool.add(5, **manager, UserLog='"t.dag.dagman.log"', DAG_NodesTotal="9")
    spool.add(7, **(manager | node), UserLog='"in.dag.dagman.log"', DAG_NodesTotal="3", DAGNodeName='"S"')
    spool.add(8, **node, DAGNodeName='"C"')
    spool.add(9, **(node | {"DAGManJobId": "7", "DAGManNodesLog": f'"{where}/./in.dag.nodes.log"'}))
    spool.add(12, UserLog=f'"{where}/own.log"')
    (where / "t.dag.dagman.log").write_text(log((0, 5, ""), (1, 5, "")))
    (where / "in.dag.dagman.log").write_text(log((0, 7, ""), (1, 7, "")))
    done = ((0, 6, "A"), (1, 6, "A"), (5, 6, "A"))
    (where / "t.dag.nodes.log").write_text(log(*done, (0, 7, "S"), (1, 7, "S"), (0, 8, "C"), noops=2))
    (where / "in.dag.nodes.log").write_text(log((0, 9, "X"), (1, 9, "X")))
    (where / "own.log").write_text(log((0, 12, "")))


def watched(*words: str) -> list[str]:
    """The rows of the first picture, without bars."""
    done = run("condor_watch_q", "-no-refresh", "-no-updated-at", "-no-summary", "-no-progress", "-exit", "any,active",
               "-no-row-progress", *words)  # fmt: skip
    assert done.err == ""
    return [" ".join(line.split()) for line in done.out.splitlines() if line.split()][:-2]


def test_all_nodes_are_one_row_with_as_many_jobs_as_the_dags_have_nodes(spool: Spool, tmp_path: Path) -> None:
    queue(spool, tmp_path)
    heading, *rows = watched()
    assert heading == "BATCH IDLE RUN DONE TOTAL JOB_IDS"
    assert rows == ["t.dag+5 1 2 3 12 7.0 ... 9.0", "ID: 12 1 - - 1 12.0"]


@pytest.mark.parametrize("words", [("-batches", "t.dag+5"), ("-clusters", "5", "7")])
def test_a_dag_that_is_asked_for_shows_nodes_that_come_later_too(
    spool: Spool, tmp_path: Path, words: tuple[str, ...]
) -> None:
    queue(spool, tmp_path)
    with (tmp_path / "t.dag.nodes.log").open("a") as file:
        file.write(log((0, 20, "Z")))
    assert watched(*words)[1] == "t.dag+5 2 2 3 12 7.0 ... 20.0"


def test_the_number_of_nodes_is_asked_for_until_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("condor_py.cli.watch_q.main.time.monotonic", lambda: clock[0])
    ads = {5: ClassAd({"UserLog": "t.dag.dagman.log", "Iwd": "/w", "OtherJobRemoveRequirements": "x"})}
    asked = []

    def told() -> list[tuple[int, ClassAd]]:
        asked.append(clock[0])
        return list(ads.items())

    dags = Dags(told)
    assert dags.found(5, ads[5]) == "/w/t.dag.nodes.log"
    assert dags.found(6, ClassAd({"UserLog": "a.dagman.log"})) == ""
    dags.look_again()
    ads[5]["JobBatchName"], ads[5]["DAG_NodesTotal"] = "t.dag+5", 40
    for clock[0] in (1.0, 2.0, 5.0, 9.0):
        dags.look_again()
    assert asked == [0.0, 2.0]
    assert (dags.batch_of("/w/t.dag.nodes.log"), dags.total("t.dag+5")) == ("t.dag+5", 40)


def test_condor_wait_follows_the_nodes_and_the_manager_of_a_dag(tmp_path: Path) -> None:
    nodes, manager = tmp_path / "t.dag.nodes.log", tmp_path / "t.dag.dagman.log"
    manager.write_text(log((0, 5, ""), (1, 5, "")))
    text = log((0, 6, "A"), (1, 6, "A"), (5, 6, "A"), (16, 6, "A"), (0, 8, "C"), noops=1)
    nodes.write_text(text)
    for path, job in ((nodes, "8"), (manager, "5"), (nodes, "")):
        waited = run("condor_wait", "-wait", "0", str(path), *([job] if job else []))
        assert (waited.out, waited.err, waited.code) == ("", "", 0)
    assert run("condor_wait", "-status", str(nodes), "6").out.splitlines()[-1] == "All jobs done."
    nodes.write_text(text + log((5, 8, "C"), (16, 8, "C")))
    assert run("condor_wait", str(nodes)).out == "All jobs done.\n"
    manager.write_text(log((0, 5, ""), (1, 5, ""), (5, 5, "")))
    assert run("condor_wait", str(manager), "5.0").out == "All jobs done.\n"
