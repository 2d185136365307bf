"""A failed node is told of: in condor_dagman's log, in its job's ad, below the table of condor_q -dag. DOT as SVG."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.client.dag.files import DagFiles
from condor_py.client.pool import open_pool
from condor_py.core.dag.progress import NodeJobs, Progress
from condor_py.daemons.dagman import reports
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.reports import Failures, tail_of
from condor_py.daemons.dagman.start import Start
from condor_py.lang.dag.build import build
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings


class Desk:
    """A DAG whose jobs are in a queue that nobody serves."""

    def __init__(self, spool: Spool, directory: Path, text: str) -> None:
        (directory / "t.dag").write_text(text)
        self.log = OutLog(str(directory / "out"), 3)
        pool, settings = open_pool("DAGMAN"), DagmanSettings()
        options = DagmanOptions()
        options.dag_files.append("t.dag")
        patience = Patience(self.log, None)  # type: ignore[arg-type]
        start = Start(pool, settings, ThrottleSettings(), options, self.log, patience, lambda words: 1)
        dag, _ = build(["t.dag"], DagFiles(), str(directory), settings.language)
        self.progress = Progress(dag, settings, 5, 0, always_post=False)
        self.failures = Failures(start, ManagerJob(pool, self.log, ""), self.progress)
        self.log.flush()
        (directory / "out").write_text("")

    def fail(self, name: str, error: str, jobs: NodeJobs | None = None) -> list[str]:
        """A node fails; what the log says, without times."""
        node = self.progress.dag.numbers[name]
        self.progress.results.set_error(node, error)
        if jobs is not None:
            self.progress.jobs.begin(node)
            self.progress.jobs.submitted(node, jobs.cluster, jobs.count, jobs.proc, jobs.subproc)
            for proc, code in jobs.codes.items():
                self.progress.jobs[node].failed_with(proc, code)
        self.failures.ended(node)
        self.log.flush()
        return [line[18:] for line in Path(self.log.path).read_text().splitlines()]


def test_the_story_of_a_failed_node_has_its_submit_file_its_place_and_the_end_of_its_errors(
    spool: Spool, tmp_path: Path
) -> None:
    (tmp_path / "b.sub").write_text("# first\nexecutable = /bin/false\nQueue 2\n")
    (tmp_path / "b.1.err").write_text("one\n\ntwo\nthree\x07\nfour\nfive\nsix\n")
    spool.add(7, procs=2, Iwd=f'"{tmp_path}"', Err='"b.0.err"', DAGManJobId="5", DAGNodeName='"B"')
    spool.set("7.1", "Err", '"b.1.err"')
    desk = Desk(spool, tmp_path, "# a comment\nJOB A b.sub\n\nJOB B b.sub\n")
    said = desk.fail("B", "Job proc (7.1.0) failed with status 3", NodeJobs(7, count=2, codes={0: 0, 1: 3}))
    assert said == [
        "Node B has failed: Job proc (7.1.0) failed with status 3",
        "  submitted from b.sub:3, node of t.dag:4",
        "  the end of its error file b.1.err:",
        "    | two", "    | three", "    | four", "    | five", "    | six",
    ]  # fmt: skip
    text = desk.failures.attributes()["DAG_FailedNodes"]
    spool.add(5, JobUniverse="7", JobStatus="2", DAG_FailedNodes=text)
    spool.add(8, JobStatus="5", DAGManJobId="5", DAGNodeName='"C"', JobSubmitFile='"c.sub"', HoldReason='"no room"')
    for form in ([], ["-nobatch"]):
        plain = run("condor_q", "-dag", *form).out
        told = run("condor_q", "-dag", "-verbose", *form).out
        assert told.splitlines()[: len(plain.splitlines())][5:] == plain.splitlines()[5:]
        assert told.splitlines()[len(plain.splitlines()) :] == [
            "",
            "Failed nodes:",
            "  5 B: Job proc (7.1.0) failed with status 3",
            "      submitted from b.sub:3, node of t.dag:4",
            "      | two", "      | three", "      | four", "      | five", "      | six",
            "",
            "Held nodes:",
            "  5 C 8.0 (c.sub): no room",
        ]  # fmt: skip


def test_nodes_without_jobs_or_files_are_told_of_as_well(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "in.dag").write_text("JOB X {\n  executable = x\n}\n")
    desk = Desk(spool, tmp_path, "JOB A nowhere.sub\nSPLICE S in.dag\n")
    assert desk.fail("A", "Job submit failed") == [
        "Node A has failed: Job submit failed",
        "  submitted from nowhere.sub, node of t.dag:1",
    ]
    said = desk.fail("S+X", "PRE Script failed with status 1", NodeJobs(99))
    assert said[2:] == [
        "Node S+X has failed: PRE Script failed with status 1",
        "  submitted from its description in the .dag file, node of in.dag:1",
    ]


def test_the_ad_has_the_last_ten_and_the_log_stops_after_a_hundred(spool: Spool, tmp_path: Path) -> None:
    desk = Desk(spool, tmp_path, "".join(f"JOB N{i} x.sub\n" for i in range(120)))
    for number in range(120):
        said = desk.fail(f"N{number}", "e")
    assert len(said) == 200
    assert desk.failures.attributes()["DAG_FailedNodes"].count("Reason") == 10
    assert "N99" in desk.failures.attributes()["DAG_FailedNodes"]


def test_the_tail_of_a_file_is_short_and_printable(tmp_path: Path) -> None:
    path = tmp_path / "err"
    path.write_bytes(b"x" * 10_000 + b"\n\xff\x1b[31mred\n")
    assert tail_of(str(path)) == ("x" * 200, "\ufffd [31mred")
    assert tail_of(str(tmp_path / "nowhere")) == ()
    assert tail_of(str(tmp_path)) == ()
    os.mkfifo(tmp_path / "pipe")
    assert tail_of(str(tmp_path / "pipe")) == ()


_GRAPHVIZ = """#!/bin/sh
# what Graphviz does with -Tsvg -o FILE DOT
[ "$1 $2" = "-Tsvg -o" ] || exit 9
while [ -e wait ]; do sleep 0.02; done
grep -q broken "$4" && exit 1
{ echo "<svg>"; cat "$4"; } > "$3"
"""


@pytest.fixture
def graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Graphviz, which is not on every machine."""
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text(_GRAPHVIZ)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_dot_files_are_drawn_one_at_a_time_and_the_last_one_is_there_at_the_end(
    graphviz: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "_PATIENCE", 300.0)
    drawer = reports.Drawer(3)
    (graphviz / "wait").touch()
    for name in ("a.dot", "b.dot", "c.dot"):
        (graphviz / name).write_text(f"digraph {name}\n")
        begun = time.monotonic()
        drawer.draw(name)
        assert time.monotonic() - begun < 60  # it does not wait for Graphviz
    (graphviz / "wait").unlink()
    drawer.finish()
    assert (graphviz / "c.dot.svg").read_text() == "<svg>\ndigraph c.dot\n"
    assert (graphviz / "a.dot.svg").exists()
    assert not (graphviz / "b.dot.svg").exists()
    assert not list(graphviz.glob("*.tmp"))


def test_a_picture_that_fails_and_graphs_that_are_too_large_leave_nothing(graphviz: Path) -> None:
    (graphviz / "a.dot").write_text("broken\n")
    for drawer in (reports.Drawer(3), reports.Drawer(reports.MOST_NODES + 1)):
        drawer.draw("a.dot")
        drawer.finish()
    assert sorted(path.name for path in graphviz.glob("a.dot*")) == ["a.dot"]
