"""What the `Dag` of a .dag file holds."""

from __future__ import annotations

import pytest

from condor_py.lang.dag.build import Builder, build
from condor_py.lang.dag.check.checker import CheckOptions, check
from condor_py.lang.dag.commands import ParseError
from condor_py.lang.dag.cycles import walk
from condor_py.lang.dag.graph import (
    DONE,
    JOIN,
    NOOP,
    PRE_DONE,
    Dag,
    NodeAbort,
    NodeRetry,
    NodeScript,
    NodeTolerance,
    Variable,
)
from condor_py.lang.dag.messages import DagError
from condor_py.lang.dag.reader import FileProblem, Reader, Statements
from condor_py.lang.dag.words import Words, integer
from condor_py.model.settings.dagman import LanguageSettings

DIAMOND = "JOB A x\nJOB B x\nJOB C x\nJOB D x\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


class Tree:
    def __init__(self, **files: str) -> None:
        self.files = {f"/home/{name}": text for name, text in files.items()}

    def read(self, path: str) -> str:
        if path not in self.files:
            raise FileProblem("Provided file path does not exist")
        return self.files[path]

    def enter(self, path: str) -> None:
        return


def dag_of(text: str, settings: LanguageSettings | None = None, **others: str) -> Dag:
    return build(["t"], Tree(t=text, **others), "/home", settings or LanguageSettings())[0]


def names(dag: Dag, nodes: object) -> list[str]:
    return [dag.names[node] for node in nodes]  # type: ignore[attr-defined]


def test_edges_lie_in_flat_arrays() -> None:
    dag = dag_of(DIAMOND)
    assert list(dag.child_start) == [0, 2, 3, 4, 4]
    assert names(dag, dag.children) == ["B", "C", "D", "D"]
    assert names(dag, dag.parents_of(3)) == ["B", "C"]
    assert dag.numbers == {"A": 0, "B": 1, "C": 2, "D": 3}


def test_a_strong_edge_wins_over_a_weak_one() -> None:
    dag = dag_of("JOB A x\nJOB B x\nJOB C x\nWEAK PARENT A CHILD B C\nPARENT A CHILD C\nWEAK PARENT A CHILD C\n")
    assert list(dag.weak_of(0)) == [1, 0]


def test_the_join_node_carries_the_weak_edges_in_front_of_it() -> None:
    dag = dag_of("JOB A x\nJOB B x\nJOB C x\nJOB D x\nWEAK PARENT A B CHILD C D\n")
    join = dag.numbers["_condor_join_node0"]
    assert dag.flags[join] == NOOP | JOIN
    assert list(dag.weak_of(0)) == [1]
    assert list(dag.weak_of(join)) == [0, 0]


def test_what_is_said_of_nodes() -> None:
    dag = dag_of(
        "JOB A x DIR d DONE\nJOB B {\nqueue\n}\nSCRIPT DEFER 4 60 DEBUG log ALL PRE A p.sh $JOB 'a b'\n"
        "RETRY A 3 UNLESS-EXIT 2\nABORT-DAG-ON A 5 RETURN 0\nPRE_SKIP A 7\nPRIORITY A -3\nTOLERANCE A 20% WAIT\n"
        'VARS A b="x \\"y\\"" a=1\nVARS A APPEND +c=2\nCATEGORY A big\nMAXJOBS big 2\nSAVE_POINT_FILE A\n'
    )
    assert dag.directories[0] == "d"
    assert dag.flags[0] == DONE | PRE_DONE
    assert dag.scripts["PRE"][0] == NodeScript("p.sh $JOB 'a b'", (4, 60), ("log", "ALL"))
    assert dag.retries[0] == NodeRetry(3, 2)
    assert dag.aborts[0] == NodeAbort(5, 0)
    assert dag.pre_skips[0] == 7
    assert dag.priorities[0] == -3
    assert dag.tolerances[0] == NodeTolerance(20, True, "WAIT")
    assert dag.variables[0] == [
        Variable("a", "1", True),
        Variable("b", 'x "y"', True),
        Variable("My.c", "2", False),
    ]
    assert dag.categories[0] == "big"
    assert dag.throttles == {"big": 2}
    assert dag.save_points[0] == "A-t.save"
    assert dag.descriptions[dag.submits[1]] == "queue\n"


def test_directories_of_splices_are_put_together() -> None:
    tree = Tree()
    tree.files = {
        "/home/t": "SPLICE S s DIR sub\n",
        "/home/sub/s": "JOB A x\nJOB B x DIR d\nJOB C x DIR /top\nSPLICE I i DIR in\n",
        "/home/sub/in/i": "JOB D x\n",
    }
    dag, _ = build(["t"], tree, "/home", LanguageSettings())
    found = dict(zip(dag.names, dag.directories, strict=True))
    assert found == {"S+A": "sub", "S+B": "sub/d", "S+C": "/top", "S+I+D": "sub/in"}


def test_use_dag_dir_gives_every_node_the_directory_of_its_file() -> None:
    tree = Tree()
    tree.files = {"/home/d/a.dag": "JOB A x\nINCLUDE e/i\n", "/home/d/e/i": "JOB B x\n"}
    dag, _ = build(["d/a.dag"], tree, "/home", LanguageSettings(), use_dag_dir=True)
    assert dag.directories == ["/home/d", "/home/d/e"]


def test_a_sub_dag_has_the_submit_file_of_its_condor_dagman() -> None:
    dag = dag_of("SUBDAG EXTERNAL A inner.dag DIR d\n")
    assert dag.submits == ["inner.dag.condor.sub"]
    assert dag.sub_dags == {0: "inner.dag"}


def test_a_rescue_file_marks_nodes_of_the_whole_dag() -> None:
    tree = Tree(t="JOB A x\nSPLICE S s\n", s="JOB B x\n", r="# Rescue\nDONE S+B\nRETRY A 2\n")
    builder = Builder(tree, "/home", LanguageSettings())
    builder.add("t", 0)
    builder.add_partial("r")
    dag = builder.finish()
    assert dag.flags[dag.numbers["S+B"]] == DONE
    assert dag.retries[dag.numbers["A"]] == NodeRetry(2)


def test_an_include_may_stand_in_front_of_what_speaks_of_splices() -> None:
    dag = dag_of("JOB A x\nSPLICE S s\nINCLUDE i\nPARENT A CHILD S\n", s="JOB B x\n", i="JOB C x\n")
    assert names(dag, dag.children_of(dag.numbers["A"])) == ["S+B"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DIAMOND, (False, 2, 5)),
        ("JOB A x\nJOB B x\nPARENT A CHILD B\nPARENT B CHILD A\n", (True, 0, 0)),
        ("JOB A x\nJOB B x\nPARENT A CHILD B\nPARENT B CHILD B\n", (True, 1, 3)),
        ("", (False, 0, 0)),
    ],
)
def test_cycles_and_figures(text: str, expected: tuple[bool, int, int]) -> None:
    assert tuple(walk(dag_of(text))) == expected


def test_a_chain_of_many_nodes_needs_no_recursion() -> None:
    lines = [f"JOB n{i} x" for i in range(20000)] + [f"PARENT n{i} CHILD n{i + 1}" for i in range(19999)]
    assert walk(dag_of("\n".join(lines))).height == 19999


@pytest.mark.parametrize(
    ("line", "trim", "words"),
    [
        ("a  b\tc", False, ["a", "b", "c"]),
        ('"a b" c', False, ['"a b"', "c"]),
        ('"a b" c', True, ["a b", "c"]),
        ('x"a b"y', True, ["xa by"]),
        ('"" c', True, ["c"]),
        ("'a \\' b'", True, ["a ' b"]),
        ("a\\ b", False, ["a\\", "b"]),
    ],
)
def test_words(line: str, trim: bool, words: list[str]) -> None:
    lexer = Words(line)
    found = []
    while word := lexer.next(trim):
        found.append(word)
    assert found == words


def test_a_command_goes_on_behind_a_backslash() -> None:
    text = "JOB \\\n# not this\n\n  A \\\nx\\\\\n DIR d\nJOB B x\nJOB C \\\n"
    assert list(Statements(text)) == [(6, "JOB  A  x\\ DIR d"), (7, "JOB B x")]


def test_numbers_end_where_they_stop_being_numbers() -> None:
    assert [integer(text) for text in ("3x", " +4", "-5.5")] == [3, 4, -5]
    for text in ("x", "", "99999999999"):
        with pytest.raises(ValueError, match=r".*"):
            integer(text)


@pytest.mark.parametrize(
    "line",
    ["CONFIG 'file \"x", 'SAVE_POINT_FILE A f "x', 'PARENT A CHILD B "x', 'JOB A x "x', 'DOT f "x', 'VARS A a=1 b="x'],
)
def test_open_quotes_count_more_than_anything_else(line: str) -> None:
    [found] = Reader(line, "t", "/").commands()
    assert isinstance(found, ParseError)
    assert found.reason == "Invalid quoting: no ending quote found"


def test_files_within_each_other_without_end_are_an_error() -> None:
    class Deep(Tree):
        def read(self, path: str) -> str:
            return "SPLICE S t DIR deeper\n"

    with pytest.raises(DagError, match="more than 64 files are within each other"):
        build(["t"], Deep(), "/home", LanguageSettings())


def test_the_checker_names_the_file_within_too_many_others() -> None:
    class Deep(Tree):
        def read(self, path: str) -> str:
            return "SPLICE S t DIR deeper\nSUBDAG EXTERNAL U v DIR down\n"

        def exists(self, path: str) -> bool:
            return "down/down" not in path

        def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
            return "", ""

    errors = check("t", Deep(), "/home", CheckOptions(sub_dags=False)).errors
    assert [error.reason for error in errors if "within each other" in error.reason]


def test_a_script_of_white_space_is_a_script_that_is_not_there() -> None:
    class Empty(Tree):
        def exists(self, path: str) -> bool:
            return False

        def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
            return "", ""

    errors = check("t", Empty(t="JOB A x\nSCRIPT HOLD A \x1c"), "/home", CheckOptions(scripts=True)).errors
    assert [error.reason for error in errors] == ["Script file does not exist"]
