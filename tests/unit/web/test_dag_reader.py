"""The reader of a DAG: its graph, the states of its nodes from the nodes log, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.cli.web.dag import follower, reader
from condor_py.cli.web.dag.estimate import estimate
from condor_py.cli.web.dag.reader import Order, Problem, Story, graph_of, options_of
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.model.settings.dagman import DagmanSettings

GRAPH = {
    "names": ["A", "B"],
    "files": ["a.sub"],
    "file": [0, 0],
    "x": [0, 1],
    "y": [0, 1],
    "edges": [0, 1],
    "kinds": {},
}
GUESS = {"left": 3.0, "chain": 1.0, "work": 1.0, "at_a_time": 1.0, "known": 1, "like": 1, "critical": [0, 1]}
DIAMOND = "JOB A a.sub\nJOB B b.sub\nJOB C b.sub\nJOB D d.sub\nRETRY B 1\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


def event(number: int, cluster: int, second: int, text: str = "", proc: int = 0) -> str:
    return f"{number:03d} ({cluster:03d}.{proc:03d}.000) 2026-11-22 07:00:{second:02d} {text or 'Job.'}\n...\n"


def submit(cluster: int, node: str, second: int, proc: int = 0) -> str:
    return event(0, cluster, second, f"Job submitted from host: <a>\n    DAG Node: {node}", proc)


def end(cluster: int, second: int, code: int = 0, proc: int = 0) -> str:
    return event(5, cluster, second, f"Job terminated.\n\t(1) Normal termination (return value {code})", proc)


def story_of(tmp_path: Path, text: str, log: str) -> Story:
    """The story of a DAG file with this nodes log."""
    (tmp_path / "t.dag").write_text(text)
    path = tmp_path / "t.dag.nodes.log"
    path.write_text(log)
    dag = graph_of(options_of(["-Dag", "t.dag", "-AutoRescue", "1"]), DagmanSettings(), str(tmp_path))
    story = Story(dag, DagmanSettings(), 1, False, 0)
    for read in NodesLog(str(path)).read():
        story.take(read)
    return story


def letters(story: Story) -> str:
    return "".join(story.letter(node) for node in range(len(story.dag)))


@pytest.mark.parametrize(
    ("log", "states"),
    [
        ("", "NWWW"),
        (submit(2, "A", 1), "QWWW"),
        (submit(2, "A", 1) + event(1, 2, 2), "RWWW"),
        (submit(2, "A", 1) + event(1, 2, 2) + event(12, 2, 3, "Job was held.\n\tno\n\tCode 1 Subcode 0"), "HWWW"),
        (submit(2, "A", 1) + event(1, 2, 2) + end(2, 3), "DNNW"),
        (submit(2, "A", 1) + end(2, 3) + submit(3, "B", 4) + end(3, 5, 1), "DNNW"),  # B is tried again
        (submit(2, "A", 1) + end(2, 3) + submit(3, "B", 4) + end(3, 5, 1) + submit(4, "B", 6) + end(4, 7, 1), "DFNU"),
        (submit(2, "A", 1) + end(2, 3, 9), "FUUU"),
        (submit(2, "A", 1) + submit(2, "A", 1, 1) + event(1, 2, 2) + end(2, 3), "QWWW"),  # the second job is idle
    ],
)
def test_states_are_those_of_condor_dagman(log: str, states: str, tmp_path: Path) -> None:
    assert letters(story_of(tmp_path, DIAMOND, log)) == states


def test_only_what_changed_is_told(tmp_path: Path) -> None:
    story = story_of(tmp_path, DIAMOND, submit(2, "A", 1) + event(1, 2, 2))
    assert set(story.changes()) == {0, 1, 2, 3}
    (tmp_path / "more").write_text(end(2, 9))
    for read in NodesLog(str(tmp_path / "more")).read():
        story.take(read)
    changes = story.changes()
    assert {node: row[0] for node, row in changes.items()} == {0: "D", 1: "N", 2: "N"}
    assert changes[0][3] - changes[0][2] == 7.0
    assert story.changes() == {}


def test_a_rescue_file_counts(tmp_path: Path) -> None:
    (tmp_path / "t.dag.rescue001").write_text("DONE A\n")
    assert letters(story_of(tmp_path, DIAMOND, "")) == "DNNW"


def test_post_scripts_and_empty_nodes(tmp_path: Path) -> None:
    text = "JOB A a.sub\nJOB B b.sub NOOP\nSCRIPT POST A true\nPARENT A CHILD B\n"
    log = submit(2, "A", 1) + end(2, 3, 4)
    assert letters(story_of(tmp_path, text, log)) == "PW"
    log += event(16, 2, 4, "POST Script terminated.\n\t(1) Normal termination (return value 0)\n    DAG Node: A")
    assert letters(story_of(tmp_path, text, log)) == "DN"


def test_time_left_from_nodes_that_are_done(tmp_path: Path) -> None:
    """A took 10 s; B and C have another submit file, of which B took 20; D is expected as the mean of all, 15."""
    log = submit(2, "A", 0) + event(1, 2, 0) + end(2, 10) + submit(3, "B", 11) + event(1, 3, 11) + end(3, 31)
    log += submit(4, "C", 11) + event(1, 4, 31)
    story = story_of(tmp_path, DIAMOND, log)
    found = story.estimate(story._begun[2] + 5)
    assert found.left is not None
    assert 30 <= found.left < 31
    assert found.known == 2
    assert found.like == 1
    assert [story.dag.names[node] for node in found.critical] in (["A", "B", "D"], ["A", "C", "D"])


def test_no_time_left_is_told_before_a_node_has_ended(tmp_path: Path) -> None:
    story = story_of(tmp_path, DIAMOND, submit(2, "A", 1))
    found = story.estimate(0)
    assert found.left is None
    assert found.critical


def test_work_counts_where_few_nodes_run_at_a_time(tmp_path: Path) -> None:
    story = story_of(tmp_path, "".join(f"JOB N{n} a.sub\n" for n in range(11)), "")
    found = estimate(story.dag, {0: 10.0}, {}, [n == 0 for n in range(11)], 2.0)
    assert found.left == 50.0
    assert found.work == 100.0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("JOB A a.sub\nPARENT A CHILD X\n", "cannot be read"),
        ("JOB A a.sub\nJOB B b.sub\nPARENT A CHILD B\nPARENT B CHILD A\n", "has a cycle: A -> B -> A"),
        ("JOB \x1b[2J a.sub\nPARENT q\n", "cannot be read"),
        ("SPLICE A t.dag\n", "cannot be read"),
        ("INCLUDE /dev/zero\n", "cannot be read"),
        ("".join(f"JOB N{n} a.sub\n" for n in range(reader.MOST_NODES + 1)), "more than 50000 nodes"),
    ],
)
def test_what_cannot_be_shown_has_one_line(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(Problem) as found:
        story_of(tmp_path, text, "")
    assert why in str(found.value)
    assert str(found.value).isprintable()


def test_large_files_are_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_BYTES", 10)
    with pytest.raises(Problem, match="more than"):
        story_of(tmp_path, DIAMOND, "")


@pytest.mark.parametrize("arguments", [[], ["-Dag"], ["-Priority", "x", "-Dag", "t.dag"], ["-\udcff"]])
def test_arguments_that_name_no_dag(arguments: list[str]) -> None:
    with pytest.raises(Problem):
        options_of(arguments)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.dag")
    with pytest.raises(Problem, match="cannot be read"):
        graph_of(options_of(["-Dag", "t.dag"]), DagmanSettings(), str(tmp_path))


def test_messages_become_what_pages_show() -> None:
    changes = []
    followed = follower.Followed(lambda: changes.append(1))
    followed.take({"graph": GRAPH})
    followed.take({"nodes": {"1": ["R", 7, 1.0, 0.0, 0, ""]}, "estimate": GUESS})
    assert [node.state for node in followed.nodes] == ["W", "R"]
    assert followed.since == [1, 2]
    followed.fail("gone")
    followed.fail("another reason")
    assert followed.problem == "gone"
    assert len(changes) == 3


def test_a_reader_follows_a_dag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program itself, in this process: its order on standard input, its answer on standard output."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    (tmp_path / "t.dag").write_text(DIAMOND)
    (tmp_path / "t.dag.nodes.log").write_text(submit(2, "A", 1))
    monkeypatch.setattr(reader, "_is_closed", lambda seconds: True)
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert not reader.read_and_follow(Order(["-Dag", "t.dag"], str(tmp_path), 1, "alice", "", ""))
    graph, news = (json.loads(line) for line in out.getvalue().splitlines())
    assert graph["graph"]["names"] == ["A", "B", "C", "D"]
    assert len(graph["graph"]["edges"]) == 8
    assert news["nodes"]["0"][0] == "Q"
    assert news["estimate"]["left"] is None


@pytest.mark.parametrize(
    "message",
    [
        {"graph": None},
        {"graph": {**GRAPH, "names": [1, 2]}},
        {"graph": {**GRAPH, "names": ["A"]}},
        {"graph": {**GRAPH, "x": [0, float("nan")]}},
        {"graph": {**GRAPH, "x": [0, 1e300]}},
        {"graph": {**GRAPH, "edges": [0, 2]}},
        {"graph": {**GRAPH, "edges": [0]}},
        {"graph": {**GRAPH, "file": [0, 9]}},
        {"graph": {**GRAPH, "kinds": []}},
        {"nodes": {"2": ["R", 7, 1.0, 0.0, 0, ""]}},
        {"nodes": {"-1": ["R", 7, 1.0, 0.0, 0, ""]}},
        {"nodes": {"0": ["RR", 7, 1.0, 0.0, 0, ""]}},
        {"nodes": {"0": ["<", 7, 1.0, 0.0, 0, ""]}},
        {"nodes": {"0": ["R", "x", 1.0, 0.0, 0, ""]}},
        {"nodes": {"0": ["R", 7, float("inf"), 0.0, 0, ""]}},
        {"nodes": {"0": ["R", 7, 1.0, 0.0, 0, {"a": 1}]}},
        {"nodes": {"0": []}},
        {"nodes": []},
        {"estimate": {**GUESS, "critical": [2]}},
        {"estimate": {**GUESS, "left": float("nan")}},
        {"estimate": 1},
    ],
)
def test_nothing_but_a_graph_gets_past_the_check(message: dict[str, object]) -> None:
    """The reader is a process of a user: it may say anything."""
    followed = follower.Followed(lambda: None)
    followed.take({"graph": GRAPH})
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        followed.take(message)


def test_texts_of_a_reader_are_one_line() -> None:
    followed = follower.Followed(lambda: None)
    followed.take({"graph": {**GRAPH, "names": ["a\nb\x1b", "B" * 1000]}})
    followed.take({"problem": "no\n\x1b[2J" * 1000})
    assert followed.graph is not None
    assert followed.graph["names"][0].isprintable()
    assert len(followed.graph["names"][1]) == 200
    assert followed.problem.isprintable()
    assert len(followed.problem) <= 500


def test_nothing_is_loaded_after_the_rehearsal(tmp_path: Path) -> None:
    """The owner of a DAG need not be able to read our program, nor the library of Python."""
    (tmp_path / "t.dag").write_text(DIAMOND + "SCRIPT POST D true\n")
    log = submit(2, "A", 1) + event(1, 2, 2) + end(2, 3) + submit(3, "B", 4) + end(3, 5, 1)
    (tmp_path / "t.dag.nodes.log").write_text(log + submit(4, "C", 6) + event(9, 4, 7, "Job was aborted.\n\tby root"))
    program = (
        "import sys; sys.path.append(sys.argv[1]);"
        "from condor_py.cli.web.dag import reader;"
        "from condor_py.machine.run import identity, spawning;"
        "reader.rehearse(); before = set(sys.modules); reader._is_closed = lambda seconds: True;"
        "reader.read_and_follow(reader.Order(['-Dag', 't.dag'], sys.argv[2], 1, 'alice', '', ''));"
        "print(sorted(set(sys.modules) - before))"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, root, str(tmp_path)],
        env={"CONDOR_CONFIG": "ONLY_ENV", "PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "files", "given"),
    [
        (["-p", "0", "-f", "-l", ".", "-Dag", "t.dag", "-Dag", "u.dag"], ["t.dag", "u.dag"], {}),
        (["-f", "-Dag", "t.dag", "-DoRescueFrom", "3"], ["t.dag"], {"DoRescueFrom": 3}),
        (["-f", "t.dag"], ["t.dag"], {}),
    ],
)
def test_the_command_line_of_condor_dagman(arguments: list[str], files: list[str], given: dict[str, int]) -> None:
    found = options_of(arguments)
    assert found.dag_files == files
    assert {name: found.numbers[name] for name in given} == given


@pytest.mark.parametrize(
    ("more", "states"),
    [
        ([], "DDNW"),
        (["-AutoRescue", "0"], "NWWW"),
        (["-DoRescueFrom", "1"], "DNNW"),
        (["-load_save", "here"], "DDDN"),
    ],
)
def test_the_progress_that_condor_dagman_has_begun_with(more: list[str], states: str, tmp_path: Path) -> None:
    """The last rescue file, the one that is asked for, or a save point."""
    (tmp_path / "t.dag").write_text(DIAMOND)
    (tmp_path / "t.dag.rescue001").write_text("DONE A\n")
    (tmp_path / "t.dag.rescue002").write_text("DONE A\nDONE B\n")
    (tmp_path / "save_files").mkdir()
    (tmp_path / "save_files" / "here").write_text("DONE A\nDONE B\nDONE C\n")
    dag = graph_of(options_of(["-Dag", "t.dag", *more]), DagmanSettings(), str(tmp_path))
    story = Story(dag, DagmanSettings(), 1, False, 0)
    assert letters(story) == states


def test_more_edges_than_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_EDGES", 3)
    with pytest.raises(Problem, match=r"^This DAG has more than 3 edges, which is the most that is shown$"):
        story_of(tmp_path, DIAMOND, "")
    monkeypatch.setattr(reader, "MOST_EDGES", 4)
    assert letters(story_of(tmp_path, DIAMOND, "")) == "NWWW"


def program(monkeypatch: pytest.MonkeyPatch, order: Order) -> list[dict[str, object]]:
    """Return what the program says to an order, in this process."""
    out = io.StringIO()
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(order._asdict()).encode() + b"\n")))
    monkeypatch.setattr(sys, "stdout", out)
    assert reader.main() == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_program_says_why_it_cannot_read_a_dag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    order = Order(["-Dag", "t.dag"], f"{tmp_path}/nowhere", 1, "alice", "", "")
    (told,) = program(monkeypatch, order)
    assert str(told["problem"]).startswith("The DAG cannot be read: ")
    (told,) = program(monkeypatch, order._replace(directory=str(tmp_path)))
    assert str(told["problem"]).startswith("The DAG files cannot be read: ")
    (tmp_path / "t.dag").write_text("JOB A a.sub\n")
    (tmp_path / "t.dag.nodes.log").write_bytes(b"000 (\n...\n")
    *_, told = program(monkeypatch, order._replace(directory=str(tmp_path)))
    assert "problem" in told


def test_the_program_reads_again_when_a_new_run_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nodes log that is another file, or shorter than before, is that of a new run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.dag").write_text("JOB A a.sub\n")
    log = tmp_path / "t.dag.nodes.log"
    log.write_text(submit(2, "A", 1) + end(2, 9))
    waits: list[str] = []

    def wait(watch: object) -> bool:
        waits.append("")
        if len(waits) == 1:
            with log.open("a") as file:
                file.write(submit(3, "A", 10))
        elif len(waits) == 2:
            log.write_text("")
        return len(waits) == 4

    monkeypatch.setattr(reader, "_is_closed", lambda seconds: False)
    monkeypatch.setattr(reader, "_wait", wait)
    found = program(monkeypatch, Order(["-Dag", "t.dag"], str(tmp_path), 1, "alice", "", ""))
    assert [next(iter(message)) for message in found] == ["graph", "nodes", "nodes", "graph", "nodes"]
    states = [message["nodes"]["0"][0] for message in found if "nodes" in message]  # type: ignore[index]
    assert states[0] == "D"
    assert states[-1] == "N"
