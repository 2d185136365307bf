"""condor_dag_checker -finished: what must hold of a DAG that has run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from dag_world import World, dag_of

from condor_py.core.dag.actions import JobEvent
from condor_py.core.dag.finished import Ending, audit

_DAG = "JOB A x\nJOB B x\nPARENT A CHILD B\nRETRY A 1 UNLESS-EXIT 7\n"


def submit(cluster: int, name: str, proc: int = 0) -> JobEvent:
    return JobEvent(0, cluster, proc, name=name)


def end(cluster: int, code: int = 0, proc: int = 0) -> JobEvent:
    return JobEvent(5, cluster, proc, code=code)


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([submit(1, "A"), end(1), submit(2, "B"), end(2)], ""),
        ([submit(1, "A"), end(1, 1), submit(2, "A"), end(2), submit(3, "B"), end(3)], ""),
        ([submit(1, "A"), submit(2, "B"), end(1), end(2)],
         "node B was submitted although its parent A had not succeeded"),
        ([submit(1, "A"), end(1)], "node B has not succeeded, and condor_dagman ended with 0"),
        ([submit(1, "A"), submit(1, "A"), end(1), submit(2, "B"), end(2)], "node A has two submit events of job 1.0"),
        ([submit(1, "A"), end(1), end(1), submit(2, "B"), end(2)], "node A has two ends of job 1.0"),
        ([submit(1, "A"), end(1), submit(2, "A"), end(2), submit(3, "B"), end(3)],
         "node A was submitted again after its job 1 had succeeded"),
        ([submit(1, "A"), submit(2, "A"), end(1, 1), end(2), submit(3, "B"), end(3)],
         "node A was submitted again while its job 1 was in the queue"),
        ([submit(1, "A"), end(1, 7), submit(2, "A"), end(2), submit(3, "B"), end(3)],
         "node A was tried again after it had returned 7"),
        ([submit(1, "A"), end(1, 1), submit(2, "A"), end(2, 1), submit(3, "A"), end(3), submit(4, "B"), end(4)],
         "node A was submitted 3 times, and may be tried 2 times"),
        ([submit(1, "A"), end(1), submit(2, "Z")], "job 2 is of a node 'Z' that does not exist"),
    ],
)  # fmt: skip
def test_what_cannot_be(events: list[JobEvent], problem: str) -> None:
    found = audit(dag_of(_DAG), Ending(0), events)
    assert problem in found if problem else found == []


def test_the_rescue_file_says_what_the_nodes_log_says() -> None:
    events = [submit(1, "A"), end(1), submit(2, "B"), end(2, 1)]
    assert audit(dag_of(_DAG), Ending(1, frozenset({"A"})), events) == []
    assert audit(dag_of(_DAG), Ending(1, frozenset()), events) == [
        "node A has succeeded, and the rescue file does not say so"
    ]
    assert audit(dag_of(_DAG), Ending(1, frozenset({"A", "B"})), events) == [
        "node B has not succeeded, and the rescue file calls it done"
    ]
    assert audit(dag_of(_DAG), Ending(0, done_before=frozenset({"A"})), [*events[2:3], end(2)]) == []
    assert audit(dag_of(_DAG), Ending(None), events) == ["condor_dagman has not come to its end"]


def test_a_world_with_scripts_retries_and_empty_nodes_passes() -> None:
    text = ("JOB A x\nJOB B x NOOP\nJOB C x\nJOB D x\nPARENT A CHILD B C\nPARENT B C CHILD D\nRETRY C 2\n"
            "SCRIPT POST A p\nSCRIPT PRE C p\nSCRIPT POST C p\n")  # fmt: skip
    world = World(
        text,
        jobs=lambda name, run: int(name == "A"),
        scripts=lambda name, kind, run: int(name == "C" and run < 1),
        jobs_of=lambda name: 2,
        always_post=True,
    )
    assert world.go() == 0
    assert audit(dag_of(text), Ending(0), world.log) == []
