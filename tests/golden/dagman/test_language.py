"""Every case of language_cases.py says what condor_dagman 25.14 said, and makes the nodes and edges that it made."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.dag.build import build
from condor_py.lang.dag.graph import Dag
from condor_py.lang.dag.messages import VERBOSE, DagError
from condor_py.lang.dag.reader import FileProblem
from condor_py.model.settings.dagman import LanguageSettings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from language_cases import CASES, DAGS, FLAGS, KNOBS

RECORDED: dict[str, dict[str, Any]] = json.loads((HERE / "language.json").read_text())
HOME = "HOME"


class Tree:
    """The files of a case."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = {os.path.normpath(f"/{path}"): text for path, text in files.items()}

    def read(self, path: str) -> str:
        text = self.files.get(os.path.normpath(path.removeprefix(HOME)))
        if text is None:
            raise FileProblem("Provided file path does not exist")
        return text

    def enter(self, path: str) -> None:
        place = os.path.normpath(path.removeprefix(HOME)) + "/"
        if not any(name.startswith(place) for name in self.files):
            raise FileProblem("No such file or directory")


def settings(name: str) -> LanguageSettings:
    knobs = KNOBS.get(name, {})
    return LanguageSettings(
        strict=int(knobs.get("DAGMAN_USE_STRICT", 1)),
        munge_names=knobs.get("DAGMAN_MUNGE_NODE_NAMES") != "False",
        any_characters=knobs.get("DAGMAN_ALLOW_ANY_NODE_NAME_CHARACTERS") == "True",
        use_join_nodes=knobs.get("DAGMAN_USE_JOIN_NODES") != "False",
    )


def read(name: str) -> tuple[Dag | None, list[str]]:
    flags = FLAGS.get(name, [])
    try:
        dag, notes = build(
            DAGS.get(name, ["t.dag"]), Tree(CASES[name]), HOME, settings(name), use_dag_dir="-UseDagDir" in flags
        )
    except DagError as error:
        return None, lines(error.notes)
    return dag, lines(notes)


def lines(notes: list[Any]) -> list[str]:
    text = "\n".join(note.text for note in notes if note.level <= VERBOSE)
    return [line for line in text.split("\n") if line]


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    recorded = RECORDED[name]
    dag, said = read(name)
    assert said == recorded["log"]
    assert (dag is None) == (recorded["code"] != 0)
    if dag is None or recorded["nodes"] is None:
        return
    names = dag.names
    assert [names[node] for node in dag.order] == recorded["nodes"]
    edges = [[names[node], names[child]] for node in dag.order for child in dag.children_of(node)]
    assert edges == recorded["edges"]


@pytest.mark.parametrize(
    "line",
    [
        "SCRIPT PRE Z p", "RETRY Z 1", "VARS Z a=1", "PRIORITY Z 1", "CATEGORY Z c", "PRE_SKIP Z 1", "ABORT-DAG-ON Z 1",
        "TOLERANCE Z 1",
    ],
)  # fmt: skip
def test_undefined_nodes_are_errors_where_the_original_crashes(line: str) -> None:
    with pytest.raises(DagError) as raised:
        build(["t.dag"], Tree({"t.dag": f"JOB A x\n{line}\n"}), HOME, LanguageSettings())
    said = [note.text.rstrip(".") for note in raised.value.notes[1:]]
    assert said == ["ERROR: Node Z not found!", "ERROR: Unknown node Z referenced", "Processing error at t.dag:2",
                    "Failed to parse t.dag"]  # fmt: skip
