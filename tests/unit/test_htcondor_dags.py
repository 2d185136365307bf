"""DAGs described in Python: the files that condor_dagman reads, walks, edges, rescue files."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.bindings import Submit, dags
from condor_py.client.dag.files import DagFiles
from condor_py.lang.dag.build import build
from condor_py.model.settings.dagman import LanguageSettings


def test_a_dag_is_written_as_condor_dagman_reads_it(tmp_path: Path) -> None:
    dag = dags.DAG(dagman_config={"DAGMAN_MAX_JOBS": 5}, jobstate_log=tmp_path / "state")
    first = dag.layer(
        name="first", submit_description=Submit({"executable": "/bin/true"}), vars=[{"x": 'a "b"'}, {"x": 2}], retries=3
    )
    second = first.child_layer(
        name="second", vars=[{}, {}], pre=dags.Script("/bin/date", [1]), done={1: True}, edge=dags.OneToOne()
    )
    second.child_layer(name="third", vars=[{}, {}], abort=dags.DAGAbortCondition(3, 0))
    dags.Nodes(first, second).child_subdag(name="sub", dag_file="sub.dag", dir="d")
    dag.final(name="end")
    path = dags.write_dag(dag, tmp_path / "out")
    assert path.read_text().splitlines() == [
        "# BEGIN META",
        "CONFIG dagman.config",
        f"JOBSTATE_LOG {tmp_path}/state",
        "# END META",
        "# BEGIN NODES AND EDGES",
        "JOB first:0 first.sub",
        'VARS first:0 x="a \\"b\\""',
        "RETRY first:0 3",
        "JOB first:1 first.sub",
        'VARS first:1 x="2"',
        "RETRY first:1 3",
        "PARENT first:0 CHILD second:0",
        "PARENT first:1 CHILD second:1",
        "PARENT first:0 first:1 CHILD sub:0",
        "JOB second:0 second.sub",
        "SCRIPT PRE second:0 /bin/date 1",
        "JOB second:1 second.sub DONE",
        "SCRIPT PRE second:1 /bin/date 1",
        "PARENT second:0 second:1 CHILD __JOIN__:0",
        "PARENT __JOIN__:0 CHILD third:0 third:1",
        "PARENT second:0 second:1 CHILD sub:0",
        "SUBDAG EXTERNAL sub:0 sub.dag DIR d",
        "JOB third:0 third.sub",
        "ABORT-DAG-ON third:0 3 RETURN 0",
        "JOB third:1 third.sub",
        "ABORT-DAG-ON third:1 3 RETURN 0",
        "JOB __JOIN__:0 __JOIN__.sub NOOP",
        "# END NODES AND EDGES",
        "# FINAL NODE",
        "FINAL end end.sub",
        "# END FINAL NODE",
    ]
    assert (path.parent / "first.sub").read_text() == "executable = /bin/true\nqueue\n"
    assert (path.parent / "end.sub").exists()
    assert (path.parent / "dagman.config").read_text() == "DAGMAN_MAX_JOBS = 5"


def test_limits_of_categories_are_lines_that_condor_dagman_takes(tmp_path: Path) -> None:
    dag = dags.DAG(max_jobs_by_category={"few": 3})
    dag.layer(name="work", vars=[{}], category="few")
    lines = dags.write_dag(dag, tmp_path).read_text().splitlines()
    assert [line for line in lines if "few" in line] == ["MAXJOBS few 3", "CATEGORY work:0 few"]


def test_walks_visit_every_node_once() -> None:
    dag = dags.DAG()
    top = dag.layer(name="top")
    left, right = top.child_layer(name="left"), top.child_layer(name="right")
    bottom = dags.Nodes(left, right).child_layer(name="bottom")
    assert [node.name for node in dag.walk(dags.WalkOrder.BREADTH_FIRST)] == ["top", "left", "right", "bottom"]
    assert {node.name for node in bottom.walk_ancestors()} == {"left", "right", "top"}
    assert (list(dag.roots), list(dag.leaves)) == ([top], [bottom])
    assert len(dag.glob("*t")) == 2
    left.remove_children(bottom)
    assert list(bottom.parents) == [right]
    with pytest.raises(dags.exceptions.DuplicateNodeName):
        dag.layer(name="top")
    assert "top" in dag.describe()


def test_edges_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    dag = dags.DAG()
    dag.layer(name="a", vars=[{}] * 4).child_layer(name="b", vars=[{}] * 3, edge=dags.Grouper(2, 1))
    with pytest.raises(dags.exceptions.IncompatibleGrouper):
        dags.write_dag(dag, tmp_path)


def test_a_rescue_file_tells_what_is_done(tmp_path: Path) -> None:
    dag = dags.DAG()
    layer = dag.layer(name="work", vars=[{}] * 3, done=True)
    (tmp_path / "dagfile.dag.rescue001").write_text("# Rescue DAG file\nDONE work:1\n")
    (tmp_path / "dagfile.dag.rescue002").write_text("# Rescue DAG file\nDONE work:2\n\n")
    dags.rescue(dag, dags.find_rescue_file(tmp_path))
    assert layer.done == {2: True}
    with pytest.raises(dags.exceptions.NoRescueFileFound):
        dags.find_rescue_file(tmp_path / "nowhere")


def test_a_path_with_spaces_or_quotes_is_one_word_of_the_dag(tmp_path: Path) -> None:
    home = tmp_path / "a \"b' \\c"
    dag = dags.DAG(
        jobstate_log=home / "state",
        node_status_file=dags.NodeStatusFile(home / "status"),
        dot_config=dags.DotConfig(home / "dot"),
    )
    dag.layer(name="A", submit_description=home / "a.sub", dir=home)
    dag.subdag(name="S", dag_file=str(home / "s.dag"), dir=home)
    dag.final(name="F", submit_description=home / "f.sub")
    path = dags.write_dag(dag, home)
    made, _ = build([path.name], DagFiles(), str(home), LanguageSettings())
    names = {made.names[node]: node for node in range(len(made))}
    assert [made.submits[names[name]] for name in ("A:0", "F")] == [f"{home}/a.sub", f"{home}/f.sub"]
    assert made.sub_dags[names["S:0"]] == f"{home}/s.dag"
    assert [made.directories[names[name]] for name in ("A:0", "S:0")] == [str(home)] * 2
    assert made.jobstate_log == f"{home}/state"
    assert made.status_file is not None
    assert made.status_file.file == f"{home}/status"
    assert made.dot is not None
    assert made.dot.file == f"{home}/dot"
