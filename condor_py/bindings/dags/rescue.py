"""Rescue files: what a DAG had finished when it was stopped."""

from __future__ import annotations

from pathlib import Path

from condor_py.bindings.dags.dag import DAG
from condor_py.bindings.dags.exceptions import NoRescueFileFound
from condor_py.bindings.dags.formatter import NodeNameFormatter, SimpleFormatter
from condor_py.bindings.dags.writer import DEFAULT_DAG_FILE_NAME


def rescue(dag: DAG, rescue_file: str | Path, formatter: NodeNameFormatter | None = None) -> None:
    """Mark as done what a rescue file says, and nothing else. ``formatter`` is that with which the DAG was written."""
    _rescue(dag, Path(rescue_file).read_text(encoding="utf-8"), formatter or SimpleFormatter())


def _rescue(dag: DAG, rescue_file_text: str, formatter: NodeNameFormatter) -> None:
    done: dict[str, dict[int, bool]] = {}
    for line in rescue_file_text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "DONE":
            layer, number = formatter.parse(words[1])
            done.setdefault(layer, {})[number] = True
    for node in dag.nodes:
        node.done = done.get(node.name, {})


def find_rescue_file(dag_dir: str | Path, dag_file_name: str = DEFAULT_DAG_FILE_NAME) -> Path:
    """The latest rescue file of a DAG in a directory. NoRescueFileFound."""
    found = sorted(Path(dag_dir).glob(f"{dag_file_name}.rescue*"))
    if not found:
        raise NoRescueFileFound(f"{dag_dir} has no rescue file of {dag_file_name}")
    return found[-1]
