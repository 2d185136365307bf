"""Figures of DAGs: their picture, places of nodes, the time left, and what is read of their jobs and readers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shown_dags import DAGMAN, World, ad_of, dag_of
from visits import misfits

from condor_py.cli.web.dag import follower, jobs, layout
from condor_py.cli.web.dag.drawing import draw
from condor_py.cli.web.dag.estimate import Estimate, concurrency, estimate
from condor_py.cli.web.dag.follower import Followed, Followers
from condor_py.cli.web.page import Asked, NotHere, Viewer
from condor_py.cli.web.pages import dag
from condor_py.lang.classad import ClassAd
from condor_py.lang.dag.graph import NOOP
from condor_py.model.arguments import ArgumentError
from condor_py.model.ids import JobId

# ---- the picture -----------------------------------------------------------------------------------------------------


def node(name: str, x: float, y: int, state: str = "done", kind: str = "") -> dict[str, Any]:
    return {"name": name, "x": x, "y": y, "state": state, "word": f"is {state}", "kind": kind}


def test_a_small_graph_as_a_picture() -> None:
    """Nodes are 108 by 30 at distances of 124 and 66, a join is a point of 16, and the margin is 12."""
    drawn = str(draw([node("A", 0, 0), node("J", 1, 1, "waits", "join")], [[0, 1]], [0], "/dag/5"))
    assert drawn.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 120" role="img" ')
    assert 'class="picture dag" width="256" height="120"><title>Graph of 2 nodes in 2 rows</title>' in drawn
    assert '<path d="M66 42C66 60 190 60 190 78" class="dag-edge"></path>' in drawn
    assert (
        '<a href="/dag/5?node=0" tabindex="-1"><rect x="12" y="12" width="108" height="30" rx="6" '
        'class="dag-node is-done critical"><title>A: is done</title></rect>'
        '<text x="66" y="31" class="dag-name" text-anchor="middle">A</text></a>'
    ) in drawn
    assert (
        '<a href="/dag/5?node=1" tabindex="-1"><rect x="182" y="85" width="16" height="16" rx="8" '
        'class="dag-node is-waits join"><title>J: is waits</title></rect></a>'
    ) in drawn


def test_nodes_of_a_wide_graph_are_points() -> None:
    wide = str(draw([node("A", 0, 0), node("B", 13, 1)], [[0, 1]], [], "/dag/5"))
    assert 'viewBox="0 0 482 98"' in wide
    assert 'class="picture dag dag-points"' in wide
    assert '<path d="M20 35C20 49 462 49 462 63" class="dag-edge"></path>' in wide
    assert '<rect x="454" y="63" width="16" height="16" rx="8" class="dag-node is-done">' in wide
    assert "<text" not in wide
    assert 'viewBox="0 0 1620 54"' in str(draw([node("A", 12, 0)], [], [], "/dag/5")), "not one of 13 in a row"
    assert 'viewBox="0 0 66 27"' in str(draw([], [], [], "/dag/5"))
    assert "Graph of 0 nodes in 1 rows" in str(draw([], [], [], "/dag/5"))


def test_the_critical_path_is_drawn_along_its_edges() -> None:
    nodes = [node(name, 0, y) for y, name in enumerate("ABC")]
    drawn = str(draw(nodes, [[0, 1], [1, 2], [0, 2]], [0, 1, 2], "/dag/5"))
    assert re.findall('class="(dag-edge[^"]*)"', drawn) == ["dag-edge critical", "dag-edge critical", "dag-edge"]
    assert drawn.count("is-done critical") == 3


def test_long_names_are_cut() -> None:
    drawn = str(draw([node("a" * 15, 0, 0), node("b" * 16, 1, 0)], [], [], "/dag/5"))
    assert re.findall('middle">([^<]*)<', drawn) == ["a" * 15, "b" * 14 + "…"]


# ---- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "edges", "x", "y"),
    [
        (0, [], [], []),
        (1, [], [0.0], [0]),
        (3, [(0, 1), (1, 2)], [0.0, 0.0, 0.0], [0, 1, 2]),
        (4, [(0, 1), (0, 2), (0, 3)], [1.0, 0.0, 1.0, 2.0], [0, 1, 1, 1]),
        (3, [(0, 2), (1, 2)], [0.0, 1.0, 0.5], [0, 0, 1]),
        (5, [(0, 1), (0, 2), (1, 3), (2, 3)], [0.5, 0.0, 1.0, 0.5, 1.5], [0, 1, 1, 2, 0]),
    ],
)
def test_places_of_nodes(count: int, edges: list[tuple[int, int]], x: list[float], y: list[int]) -> None:
    found = layout.place(dag_of(count, edges))
    assert (found.x, found.y) == (x, y)
    assert (found.width, found.height) == (max(x, default=0.0), max(y, default=0))


def test_a_layer_that_is_too_wide_has_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "_WIDE", 2)
    found = layout.place(dag_of(5, []))
    assert (found.x, found.y) == ([0.0, 0.0, 1.0, 1.0, 2.0], [0, 1, 0, 1, 0])
    assert layout.place(dag_of(4, [])).y == [0] * 4, "twice the root of all nodes fit into a row"
    below = layout.place(dag_of(6, [(node, 5) for node in range(5)]))
    assert below.y == [0, 1, 0, 1, 0, 2]
    assert below.x[5] == 0.8, "the mean of its parents"


# ---- the time left ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "running", "mean"),
    [(0, 10, 1, 3.0), (0, 60, 0, 0.5), (0, 10, 4, 4.0), (10, 10, 2, 2.0), (20, 10, 0, 0.0), (0, 1, 5, 30.0)],
)
def test_how_many_nodes_run_at_a_time(first: float, last: float, running: int, mean: float) -> None:
    assert concurrency({0: 10.0, 1: 20.0}, first, last, running) == mean


CHAIN, FAN = [(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(
    ("edges", "ran", "since", "at_a_time", "left"),
    [
        (CHAIN, {0: 10.0}, {1: 4.0}, 2.0, Estimate(16.2, 16.2, 16.0, 2.0, 1, 2, [0, 1, 2])),
        (CHAIN, {0: 10.0}, {1: 15.0}, 2.0, Estimate(10.1, 10.1, 10.0, 2.0, 1, 2, [0, 1, 2])),
        (CHAIN, {0: 10.0, 1: 30.0}, {}, 1.0, Estimate(20.1, 20.1, 20.0, 1.0, 2, 1, [0, 1, 2])),
        (FAN, {0: 10.0}, {}, 2.0, Estimate(15.0, 10.1, 30.0, 2.0, 1, 3, [0, 1])),
        (FAN, {0: 10.0}, {}, 0.5, Estimate(30.0, 10.1, 30.0, 0.5, 1, 3, [0, 1])),
        (FAN, {0: 10.0}, {}, 9.0, Estimate(10.1, 10.1, 30.0, 9.0, 1, 3, [0, 1])),
        (FAN, {0: 10.0}, {2: 50.0}, 9.0, Estimate(10.1, 10.1, 20.0, 9.0, 1, 3, [0, 2])),
        (CHAIN, {}, {}, 2.0, Estimate(None, 3.3, 3.0, 2.0, 0, 0, [0, 1, 2])),
    ],
)
def test_the_time_that_is_left(
    edges: list[tuple[int, int]], ran: dict[int, float], since: dict[int, float], at_a_time: float, left: Estimate
) -> None:
    """Each node of a chain that has still to run begins a tenth of a second after the one before."""
    graph = dag_of(len(edges) + 1, edges)
    found = estimate(graph, ran, since, [node in ran for node in range(len(graph))], at_a_time)
    assert found._replace(left=None, chain=0.0) == left._replace(left=None, chain=0.0)
    assert (found.left, found.chain) == (pytest.approx(left.left), pytest.approx(left.chain))


def test_nodes_run_as_long_as_those_of_the_same_description() -> None:
    graph = dag_of(6, [])
    graph.submits[2:] = ["long.sub", "job.sub", "other.sub", "job.sub"]
    graph.flags[5] |= NOOP
    found = estimate(graph, {0: 10.0, 1: 20.0, 2: 60.0}, {}, [True] * 3 + [False] * 3, 1.0)
    assert (found.work, found.chain, found.like, found.known) == (15.0 + 30.0, pytest.approx(30.1), 1, 3)


# ---- jobs of condor_dagman -------------------------------------------------------------------------------------------


def changed(**more: object) -> ClassAd:
    ad = ad_of(DAGMAN)
    for name, value in more.items():
        if value is None:
            del ad[name]
        else:
            ad[name] = value
    return ad


@pytest.mark.parametrize(
    ("more", "status"),
    [
        *(({"DAG_Status": number}, word) for number, word in enumerate(
            ("running", "error", "a node failed", "aborted", "removed", "cycle", "halted", "running"))),
        ({"DAG_Status": -1}, "running"), ({}, "running"),
        ({"JobStatus": 5}, "held"), ({"JobStatus": 5, "DAG_Status": 2}, "held"), ({"JobStatus": 1}, "waits to start"),
        ({"JobStatus": 4}, "ended"), ({"JobStatus": 3}, "ended"),
    ],
)  # fmt: skip
def test_the_status_of_a_dag(more: dict[str, object], status: str) -> None:
    assert jobs.row(JobId(5, 0), changed(**more))["status"] == status


def test_the_row_of_a_dag() -> None:
    whole = changed(QDate=90, DAGManJobId=3, DAG_NodesFailed=-1, DAG_JobsIdle=2, DAG_JobsHeld=-7, DAG_JobsRunning=1)
    nodes = dict.fromkeys(("prerun", "queued", "postrun", "ready", "unready", "failed", "futile"), 0)
    assert jobs.row(JobId(5, 0), whole) == {
        "id": 5, "owner": "alice", "name": "a.dag+5", "status": "running", "since": 100, "submitted": 90, "parent": 3,
        "nodes": {"total": 3, "done": 1, **nodes}, "jobs": {"idle": 2, "held": 0, "running": 1},
    }  # fmt: skip
    bare = jobs.row(JobId(5, 0), ClassAd({"JobUniverse": 7}))
    assert [bare[name] for name in ("owner", "name", "since", "submitted", "parent")] == ["", "DAG 5", None, None, None]


@pytest.mark.parametrize(
    ("more", "is_dag"),
    [
        ({}, True), ({"JobUniverse": 5}, False), ({"Cmd": "condor_dagman", "DAG_NodesTotal": None}, True),
        ({"Cmd": "/bin/sleep"}, True), ({"Cmd": "/bin/sleep", "DAG_NodesTotal": None}, False),
        ({"Cmd": "/opt/condor_dagman/sleep", "DAG_NodesTotal": None}, False), ({"Cmd": None}, True),
    ],
)  # fmt: skip
def test_which_jobs_are_dags(more: dict[str, object], is_dag: bool) -> None:
    assert jobs.is_dag(changed(**more)) is is_dag


def test_what_is_read_of_a_dag() -> None:
    environment = "A=1 _CONDOR_DAGMAN_CONFIG_FILE=/etc/dag.conf _CONDOR_DAGMAN_CONFIG_FILE=/second"
    order = jobs.order_of(JobId(5, 0), changed(Arguments="-f '-l x'", Environment=environment, DAGNodeName="sub"))
    assert order == (["-f", "-l x"], "/home/alice", 5, "alice", "sub", "/etc/dag.conf")
    old = changed(Arguments=None, Args="-f  -l", Iwd=None, Owner=None, Environment="'")
    assert jobs.order_of(JobId(5, 0), old) == (["-f", "-l"], "/", 5, "", "", "")
    with pytest.raises(ArgumentError):
        jobs.order_of(JobId(5, 0), changed(Arguments="'"))
    assert jobs.failed_nodes(changed()) == {"C": "PRE script failed"}
    assert jobs.failed_nodes(changed(DAG_FailedNodes=None)) == {}
    assert jobs.failed_nodes(changed(DAG_FailedNodes="x")) == {}
    assert jobs.failed_nodes(ad_of('DAG_FailedNodes = {5, [Node = "A"]}')) == {"A": ""}


# ---- what a reader may tell ------------------------------------------------------------------------------------------

GRAPH = {
    "names": ["A", "B"], "files": ["a.sub"], "file": [0, 0], "kinds": {"1": "final", "0": "odd"}, "x": [0.0, 29.9],
    "y": [0, 2], "edges": [0, 1],
}  # fmt: skip


def test_a_graph_is_taken_as_it_was_told() -> None:
    found = follower.checked_graph(GRAPH)
    assert {name: list(value) for name, value in found.items()} == {
        **{name: list(value) for name, value in GRAPH.items()}, "kinds": ["1"],
    }  # fmt: skip
    assert found["kinds"] == {"1": "final"}
    assert follower.checked_graph({**GRAPH, "names": ["A\nB", "x" * 5000]})["names"][0] != "A\nB"
    assert len(follower.checked_graph({**GRAPH, "names": ["A", "x" * 5000]})["names"][1]) == follower.MOST_LETTERS


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": ["A"]}, {"names": ["A", 5]}, {"files": [None]}, {"files": []}, {"file": [0]}, {"file": [0, 1]},
        {"file": [0, -1]}, {"x": [0.0]}, {"x": [0.0, 30.0]}, {"x": [-0.1, 0.0]}, {"x": [float("nan"), 0.0]},
        {"y": [0]}, {"y": [0, 3]}, {"y": [0, -1]}, {"edges": [0]}, {"edges": [0, 1, 1]}, {"edges": [0, 2]},
        {"edges": [-1, 0]}, {"kinds": {"x": "final"}}, {"kinds": []}, {"edges": ["a", "b"]}, {"x": 5},
    ],
)  # fmt: skip
def test_what_is_no_graph(wrong: dict[str, Any]) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        follower.checked_graph({**GRAPH, **wrong})


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        (["D", 8, 10, 30.5, 1, "why"], ["D", 8, 10.0, 30.5, 1, "why"]),
        (["Q", "8", 0, 0, 0, ""], ["Q", 8, 0.0, 0.0, 0, ""]),
        (["X", 8, 0, 0, 0, ""], None),
        (["", 8, 0, 0, 0, ""], None),
        (["DR", 8, 0, 0, 0, ""], None),
        ([["D"], 8, 0, 0, 0, ""], None),
        ([5, 8, 0, 0, 0, ""], None),
        (["D", 8, 0, 0, 0, 5], None),
        (["D", 8, float("nan"), 0, 0, ""], None),
        (["D", 8, 0, float("inf"), 0, ""], None),
        (["D", "x", 0, 0, 0, ""], None),
        (["D", 8, 0, 0, 0], None),
    ],
)
def test_what_is_told_of_a_node(row: list[Any], taken: list[Any] | None) -> None:
    if taken is None:
        with pytest.raises((ValueError, TypeError)):
            follower.checked_row(row)
    else:
        assert follower.checked_row(row) == taken


ESTIMATE = {"left": 20, "chain": 20, "work": 40, "at_a_time": 2, "known": 1, "like": 2, "critical": [0, 1]}


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ({}, True), ({"left": None}, True), ({"critical": []}, True), ({"critical": [2]}, False),
        ({"critical": [-1]}, False), ({"left": "x"}, False), ({"chain": None}, False), ({"known": float("inf")}, False),
        ({"work": float("nan")}, False), ({"like": None}, False),
    ],
)  # fmt: skip
def test_what_is_told_of_the_time_left(more: dict[str, Any], taken: bool) -> None:
    told = {**ESTIMATE, **more}
    if taken:
        assert follower.checked_estimate(told, 2) == told
    else:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            follower.checked_estimate(told, 2)


# ---- the page --------------------------------------------------------------------------------------------------------


class Followers_:
    """A DAG of many nodes that is followed."""

    def __init__(self, patch: pytest.MonkeyPatch, count: int, states: str = "") -> None:
        self.followed = Followed(lambda: None)
        if count:
            names = [f"N{number}" for number in range(count)]
            self.followed.take({"graph": {
                "names": names, "files": ["a.sub"], "file": [0] * count, "kinds": {}, "x": [0.0] * count,
                "y": list(range(count)), "edges": [0, 1, 1, 2],
            }})  # fmt: skip
            self.followed.take({"nodes": {
                str(at): [letter, 0, 0.0, 0.0, 0, ""] for at, letter in enumerate(states)
            }})  # fmt: skip
        patch.setattr(Followers, "of", lambda _, order: self.followed)
        patch.setattr(Followers, "known", lambda _, cluster: self.followed)
        self.world = World()

    def view(self, *path: str, **parameters: str) -> Any:
        return dag.view(self.world, Asked(Viewer("alice", False), parameters, path, 200))  # type: ignore[arg-type]


def test_a_dag_that_is_not_read_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Followers_(monkeypatch, 0)
    found = shown.view("5")
    assert (found["reading"], found["problem"], found["size"], found["states"]) == (True, "", 0, [])
    assert (found["picture"], found["drawn_by_script"], found["how"], found["left"]) == (None, False, "", None)
    assert found["table"] == {
        "state": "", "find": "", "page": 1, "pages": 1, "total": 0, "rows": [], "parents": [], "children": [],
    }  # fmt: skip
    assert shown.view("5", graph="1")["states"] == ""
    with pytest.raises(NotHere, match="There is no picture of this"):
        dag.picture(found)
    shown.followed.fail("it cannot be read")
    found = shown.view("5")
    assert (found["reading"], found["problem"]) == (False, "it cannot be read")
    assert shown.view("5", graph="1")["problem"] == "it cannot be read"


@pytest.mark.parametrize(("count", "by_script"), [(300, False), (301, True)])
def test_a_graph_of_more_than_three_hundred_nodes_is_drawn_by_the_browser(
    monkeypatch: pytest.MonkeyPatch, count: int, by_script: bool
) -> None:
    found = Followers_(monkeypatch, count).view("5")
    assert (found["drawn_by_script"], found["picture"] is None, found["size"]) == (by_script, by_script, count)


def test_the_table_has_pages_of_fifty_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Followers_(monkeypatch, 101, "D" * 51 + "F")
    for page, first, count in ((1, 0, 50), (2, 50, 50), (3, 100, 1), (9, 100, 1), (0, 0, 50)):
        table = shown.view("5", page=str(page))["table"]
        rows = [row["node"] for row in table["rows"]]
        assert (rows, table["pages"], table["total"]) == (list(range(first, first + count)), 3, 101)
        assert table["page"] == min(3, max(1, page))
    done = shown.view("5", state="D", page="2")["table"]
    assert ([row["node"] for row in done["rows"]], done["pages"], done["state"]) == ([50], 2, "D")
    found = shown.view("5", find="n10")["table"]
    assert ([row["name"] for row in found["rows"]], found["find"]) == (["N10", "N100"], "n10")
    assert [row["name"] for row in shown.view("5", find="n1", state="F")["table"]["rows"]] == []
    alone = shown.view("5", node="1", page="2", state="F")["table"]
    assert ([row["node"] for row in alone["rows"]], alone["page"], alone["pages"], alone["total"]) == ([1], 1, 1, 1)
    assert [[one["node"] for one in alone[name]] for name in ("parents", "children")] == [[0], [2]]
    assert len(shown.view("5", node="101")["table"]["rows"]) == 50
    assert shown.view("5")["table"]["parents"] == []


def test_only_a_node_that_has_not_begun_may_have_failed_without_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Followers_(monkeypatch, 4, "NWDR")
    stories = ", ".join(f'[Node = "N{number}"; Reason = "no"]' for number in range(4))
    shown.world.view.ads[5] = ad_of(f"{DAGMAN.rpartition('DAG_FailedNodes')[0]}DAG_FailedNodes = {{{stories}}}")
    found = shown.view("5")
    assert {one["letter"]: (one["state"], one["word"], one["count"]) for one in found["states"]} == {
        "D": ("done", "done", 1), "R": ("running", "running", 1), "F": ("failed", "failed", 2),
    }  # fmt: skip
    assert [row["why"] for row in found["table"]["rows"]] == ["no"] * 4


def test_how_the_time_left_was_estimated() -> None:
    told = {"left": 90.0, "chain": 90.0, "work": 3700.0, "at_a_time": 2.25, "known": 1, "like": 2}
    words = (
        "From the run times of 1 node that are done (the mean of the same submit file, which 2 of the nodes left have; "
        "else of all): the longest chain of nodes left takes 1 min 30 s, all of them one after the other 1 h 01 min, "
        "and 2.2 run at a time."
    )
    assert dag.how(told) == words
    assert dag.how({**told, "known": 5}) == words.replace("1 node", "5 nodes", 1)
    assert dag.how({}) == ""
    assert dag.how({**told, "left": None}) == "No node has told its run time yet."


@pytest.mark.parametrize(
    ("begun", "ended", "seconds"), [(10.0, 30.0, 20.0), (10.0, 10.0, 0.0), (10.0, 9.0, None), (0.0, 30.0, None)]
)
def test_how_long_a_node_ran(begun: float, ended: float, seconds: float | None) -> None:
    told = SimpleNamespace(cluster=0, begun=begun, ended=ended, tries=2, error="")
    followed: Any = SimpleNamespace(graph={"names": ["A"], "files": ["a", "b"], "file": [1]}, nodes=[told])
    assert dag._node(followed, 0, "B", {"A": "no"}) == {
        "node": 0, "name": "A", "state": "script", "word": "PRE script", "submit": "b", "cluster": None,
        "begun": begun or None, "seconds": seconds, "tries": 2, "why": "no",
    }  # fmt: skip


def test_the_list_has_two_hundred_dags(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Followers_(monkeypatch, 0)
    for cluster in range(100, 305):
        shown.world.view.ads[cluster] = ad_of(DAGMAN)
    found = shown.view()
    assert ([row["id"] for row in found["dags"]], found["total"]) == (list(range(304, 104, -1)), 206)
    for cluster in range(100, 305):
        shown.view(str(cluster))
        del shown.world.view.ads[cluster]
    assert shown.view("304")["dag"]["status"] == shown.view("105")["dag"]["status"] == "has ended"
    with pytest.raises(NotHere, match=r"^DAG 104 is not in the queue\.$"):
        shown.view("104")
    for address in ("9" * 12, "x", "٣"):
        with pytest.raises(NotHere, match=r"^There is no such DAG\.$"):
            shown.view(address)
    monkeypatch.setattr(Followers, "known", lambda _, cluster: None)
    with pytest.raises(NotHere, match=r"^DAG 304 is not in the queue any more\.$"):
        shown.view("304")


def test_the_answer_is_as_it_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its fields are those of the schema, and the parameters that count those that are listed."""

    names: set[str] = set()

    class Read(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            names.add(name)
            return super().get(name, default)

    shown = Followers_(monkeypatch, 3, "DRN")
    assert misfits(shown.view("5"), dag.PAGE.places[0].schema) == []
    assert misfits(shown.view(), dag.PAGE.schema) == []
    for given in ({}, {"graph": "1"}):
        dag.view(shown.world, Asked(Viewer("alice", False), Read(given), ("5",), 200))  # type: ignore[arg-type]
    assert names == {parameter.name for parameter in dag.PAGE.parameters}
