"""Which node an event of the nodes log is of, however the name is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.daemons.dagman.nodeslog import NodesLog


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("DAG Node: A.b", "A.b"),
        ('[ DAGNodeName = "A"; JobBatchName = "t" ]', "A"),
        (r'[ DAGNodeName = "\303\204x\303\244"; JobBatchName = "t" ]', "Äxä"),
        (r'[ DAGNodeName = "a\"b\\c"; JobBatchName = "t" ]', 'a"b\\c'),
        ('[ DAGNodeName = "Ä" ]', "Ä"),
        (r'[ DAGNodeName = "a\8\t" ]', "a8\t"),
        (r'[ DAGNodeName = "torn', ""),
    ],
)
def test_the_name_of_a_node(line: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "nodes.log"
    path.write_text(f"000 (001.000.000) 2026-11-22 07:15:18 Job submitted from host: <a>\n    {line}\n...\n")
    assert [read.event.name for read in NodesLog(str(path)).read()] == [name]


def test_what_ended_how(tmp_path: Path) -> None:
    """The short look at events 005 and the long one see the same."""
    path = tmp_path / "nodes.log"
    ends = ("(1) Normal termination (return value 3)", "(0) Abnormal termination (signal 9)\n\t(0) No core file")
    path.write_text("".join(f"005 (001.{n:03d}.000) 2026-11-22 07:15:18 Job terminated.\n\t{end}\n...\n"
                            for n, end in enumerate(ends)))  # fmt: skip
    assert [(read.event.code, read.event.signal) for read in NodesLog(str(path)).read()] == [(3, None), (None, 9)]
