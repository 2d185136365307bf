"""One DAG with nodes in all states: what its page answers, and the picture."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from shown_dags import DAGMAN, World, ad_of, dag_of

from condor_py.cli.web.dag.follower import Followed, Followers
from condor_py.cli.web.dag.layout import place
from condor_py.cli.web.page import Asked, Viewer
from condor_py.cli.web.pages import dag

NAMES = ["split", "a", "b", "c", "d", "e", "join", "check", "mail", "last"]
EDGES = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 6, 2, 6, 3, 6, 6, 7, 7, 8, 4, 9]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A DAG of ten nodes, one in each state."""
    followed = Followed(lambda: None)
    x = [2.0, 0, 1, 2, 3, 4, 1, 1, 1, 3]
    y = [0, 1, 1, 1, 1, 1, 2, 3, 4, 2]
    followed.take({"graph": {
        "names": NAMES, "files": ["split.sub", "work.sub", "odd/dir.sub"], "file": [0, 1, 1, 1, 1, 1, 2, 2, 2, 2],
        "kinds": {"8": "final", "5": "service"}, "x": x, "y": y, "edges": EDGES,
    }})  # fmt: skip
    letters = "DRQHBPNWFU"
    states = {
        str(at): [letter, 8 + at if letter in "DRQHP" else 0, 10.0 * at, 10.0 * at + 7 if letter == "D" else 0.0,
                  at % 3, "because" if letter in "FH" else ""]
        for at, letter in enumerate(letters)
    }  # fmt: skip
    guess = {"left": 4000.0, "chain": 3600.0, "work": 9000.0, "at_a_time": 2.5, "known": 3, "like": 4,
             "critical": [1, 6, 7, 8]}  # fmt: skip
    followed.take({"nodes": states, "estimate": guess})
    monkeypatch.setattr(Followers, "of", lambda self, order: followed)
    monkeypatch.setattr(Followers, "known", lambda self, cluster: followed)
    made = World()
    more = "\nDAG_NodesFailed = 1\nDAG_NodesFutile = 1\nDAG_JobsRunning = 2\nDAG_JobsHeld = 1\nDAG_Status = 2"
    made.view.ads[5] = ad_of(DAGMAN.replace('Node = "C"', 'Node = "mail"') + more)
    return made


def view(world: World, *path: str, **parameters: str) -> Any:
    return dag.view(world, Asked(Viewer("alice", False), parameters, path, 200))  # type: ignore[arg-type]


def rows(found: Any, names: str) -> list[str]:
    """Return some fields of each row of a table."""
    return ["|".join(str(row[name]) for name in names.split()) for row in found]


def test_the_dag_in_the_list(world: World) -> None:
    found = view(world)
    assert rows(found["dags"], "id name owner status since open parent") == [
        "5|a.dag+5|alice|a node failed|100|True|None"
    ]
    (dag_row,) = found["dags"]
    assert (found["total"], dag_row["jobs"]) == (1, {"held": 1, "idle": 0, "running": 2})
    assert {name: count for name, count in dag_row["nodes"].items() if count} == {
        "total": 3, "done": 1, "failed": 1, "futile": 1,
    }  # fmt: skip


TABLE = [
    "0|split|done|done|8|split.sub|None|None|0|",
    "1|a|running|running|9|work.sub|10.0|None|1|",
    "2|b|idle|in the queue, idle|10|work.sub|20.0|None|2|",
    "3|c|held|held|11|work.sub|30.0|None|0|because",
    "4|d|script|PRE script|None|work.sub|40.0|None|1|",
    "5|e|script|POST script|13|work.sub|50.0|None|2|",
    "6|join|ready|ready|None|odd/dir.sub|60.0|None|0|",
    "7|check|waits|waits for parents|None|odd/dir.sub|70.0|None|1|",
    "8|mail|failed|failed|None|odd/dir.sub|80.0|None|2|because",
    "9|last|futile|can never run|None|odd/dir.sub|90.0|None|0|",
]
NODE = "node name state word cluster submit begun seconds tries why"


def test_the_dag_as_a_whole(world: World) -> None:
    found = view(world, "5")
    assert rows(found["table"]["rows"], NODE) == TABLE
    assert rows([found["table"]], "total page pages find state parents children") == ["10|1|1|||[]|[]"]
    assert rows(found["states"], "letter state word count") == [
        "D|done|done|1", "R|running|running|1", "Q|idle|in the queue, idle|1", "H|held|held|1", "B|script|PRE script|1",
        "P|script|POST script|1", "N|ready|ready|1", "W|waits|waits for parents|1", "F|failed|failed|1",
        "U|futile|can never run|1",
    ]  # fmt: skip
    assert (found["left"], found["how"]) == (
        4000.0,
        "From the run times of 3 nodes that are done (the mean of the same submit file, which 4 of the nodes left "
        "have; else of all): the longest chain of nodes left takes 1 h 00 min, all of them one after the other 2 h "
        "30 min, and 2.5 run at a time.",
    )
    assert rows(found["critical"], "node name state") == [
        "1|a|running",
        "6|join|ready",
        "7|check|waits",
        "8|mail|failed",
    ]
    assert rows([found], "critical_length size reading problem drawn_by_script") == ["4|10|False||False"]
    assert [tuple(edge) for edge in found["picture"]["edges"]] == list(zip(EDGES[::2], EDGES[1::2], strict=True))
    assert [node["kind"] for node in found["picture"]["nodes"]] == [*[""] * 5, "service", "", "", "final", ""]


def test_the_table_of_some_nodes(world: World) -> None:
    def table(**parameters: str) -> Any:
        return view(world, "5", **parameters)["table"]

    assert rows(table(state="F")["rows"], NODE) == [TABLE[8]]
    assert rows(table(find="A")["rows"], NODE) == [TABLE[1], TABLE[8], TABLE[9]]
    one = table(node="6")
    assert rows(one["rows"], NODE) == [TABLE[6]]
    assert rows(one["parents"], "node name state") == ["1|a|running", "2|b|idle", "3|c|held"]
    assert rows(one["children"], "node name state") == ["7|check|waits"]


def test_the_graph_for_the_script(world: World) -> None:
    found = view(world, "5", graph="1")
    assert found.pop("version") == view(world, "5")["version"] > 0
    same = {"critical": [1, 6, 7, 8], "edition": 1, "letters": "WNBRPDFU"}
    assert found == {
        **same, "edges": EDGES, "kinds": {"5": "service", "8": "final"}, "names": NAMES, "states": "DRQHBPNWFU",
        "x": [2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 1.0, 3.0], "y": [0, 1, 1, 1, 1, 1, 2, 3, 4, 2],
    }  # fmt: skip
    changed = view(world, "5", graph="1", since="1")
    del changed["version"]
    assert changed == {**same, "changed": [[at, letter] for at, letter in enumerate("DRQHBPNWFU")]}


def test_the_picture_of_a_dag(world: World) -> None:
    """Each node is a link at its place, and each edge leads from the bottom of one to the top of another."""
    drawn = str(dag.picture(view(world, "5")))
    assert 'viewBox="0 0 628 318"' in drawn
    assert "<title>Graph of 10 nodes in 5 rows</title>" in drawn
    nodes = re.findall(
        r'<a href="/dag/5\?node=(\d)"[^>]*><rect x="(\d+)" y="(\d+)" width="108" height="30" rx="6" '
        r'class="dag-node ([^"]*)">'
        r"<title>([^<]*)</title></rect><text [^>]*>([^<]*)</text></a>",
        drawn,
    )
    assert ["|".join(node) for node in nodes] == [
        "0|260|12|is-done|split: done|split", "1|12|78|is-running critical|a: running|a",
        "2|136|78|is-idle|b: in the queue, idle|b", "3|260|78|is-held|c: held|c", "4|384|78|is-script|d: PRE script|d",
        "5|508|78|is-script service|e: POST script|e", "6|136|144|is-ready critical|join: ready|join",
        "7|136|210|is-waits critical|check: waits for parents|check",
        "8|136|276|is-failed final critical|mail: failed|mail", "9|384|144|is-futile|last: can never run|last",
    ]  # fmt: skip
    edges = re.findall(r'<path d="M(\d+) (\d+)C[\d ]+ (\d+) (\d+)" class="dag-edge( critical)?">', drawn)
    places = {at: (int(x), int(y)) for at, (_, x, y, *_) in enumerate(nodes)}
    critical = {(1, 6), (6, 7), (7, 8)}
    expected = {
        (places[a][0] + 54, places[a][1] + 30, places[b][0] + 54, places[b][1], (a, b) in critical)
        for a, b in zip(EDGES[::2], EDGES[1::2], strict=True)
    }
    assert {(*map(int, edge[:4]), bool(edge[4])) for edge in edges} == expected


def test_places_of_nodes() -> None:
    """Parents stand above the middle of their children, a chain is a line, and a wide row is folded."""
    found = place(dag_of(10, list(zip(EDGES[::2], EDGES[1::2], strict=True))))
    assert [list(found.x), list(found.y)] == [[2, 0, 1, 2, 3, 4, 1, 1, 1, 3], [0, 1, 1, 1, 1, 1, 2, 3, 4, 2]]
    assert (found.width, found.height, found.layers) == (4, 4, [[0], [1, 2, 3, 4, 5], [6, 9], [7], [8]])
    chain = place(dag_of(9, [(node, node + 1) for node in range(8)] + [(0, 5), (2, 8)]))
    assert [list(chain.x), list(chain.y)] == [[0] * 9, list(range(9))]
    middle = [(node, 60 + node % 9) for node in range(1, 60)]
    wide = place(dag_of(70, [(0, node) for node in range(1, 60)] + middle + [(61, 69)]))
    assert (wide.width, wide.height, [len(layer) for layer in wide.layers]) == (19, 5, [1, 59, 9, 1])
    rows = {y: [x for x, other in zip(wide.x, wide.y, strict=True) if other == y] for y in wide.y}
    assert {y: (len(each), min(each), max(each)) for y, each in rows.items()} == {
        0: (1, 9.5, 9.5), 1: (20, 0, 19), 2: (20, 0, 19), 3: (19, 0, 18), 4: (9, 0.5, 18), 5: (1, 7, 7),
    }  # fmt: skip


def test_a_large_dag_is_drawn_as_points(world: World) -> None:
    """A node that has no room for its name is a round point at its place, and still a link with its name."""
    nodes = [{"name": f"N{n}", "state": "waits", "word": "waits for parents", "kind": "", "x": n % 50, "y": n // 50}
             for n in range(1000)]  # fmt: skip
    data = {"picture": {"nodes": nodes, "edges": [[0, 50]]}, "critical": [{"node": 0}, {"node": 50}], "dag": {"id": 5}}
    drawn = str(dag.picture(data))
    points = re.findall(
        r'<a href="/dag/5\?node=(\d+)"[^>]*><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" '
        r'rx="([\d.]+)" class="dag-node is-waits( critical)?"><title>(N\d+): waits',
        drawn,
    )
    assert [int(number) for number, *_ in points] == list(range(1000))
    assert len({width for *_, width, _, _, _, _ in points}) == 1
    side, radius = float(points[0][3]), float(points[0][5])
    assert (float(points[0][4]), radius) == (side, side / 2)
    steps = {round(float(b[1]) - float(a[1]), 3) for a, b in itertools.pairwise(points[:50])}
    assert len(steps) == 1
    assert steps.pop() >= side
    assert [number for number, *_, critical, _ in points if critical] == ["0", "50"]
    assert "dag-name" not in drawn
