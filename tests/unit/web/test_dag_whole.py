"""One DAG with nodes in all states as a whole: what its page answers, and the picture (kept in tests/golden/web).

After a wanted change CONDOR_PY_RECORD=1 writes them again, and the difference is to be read.
"""

from __future__ import annotations

import json
import os
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

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "web"
NAMES = ["split", "a", "b", "c", "d", "e", "join", "check", "mail", "last"]
EDGES = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 6, 2, 6, 3, 6, 6, 7, 7, 8, 4, 9]


def check(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


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


@pytest.mark.parametrize(
    ("name", "path", "parameters"),
    [
        ("list", (), {}),
        ("whole", ("5",), {}),
        ("failed", ("5",), {"state": "F"}),
        ("node", ("5",), {"node": "6"}),
        ("found", ("5",), {"find": "A"}),
        ("graph", ("5",), {"graph": "1"}),
        ("changed", ("5",), {"graph": "1", "since": "1"}),
    ],
)
def test_answers_about_a_dag(world: World, name: str, path: tuple[str, ...], parameters: dict[str, str]) -> None:
    text = json.dumps(view(world, *path, **parameters), indent=1, sort_keys=True)
    check(f"dag-{name}.json", re.sub(r'("version": )\d+', r"\1VERSION", text) + "\n")


def test_the_picture_of_a_dag(world: World) -> None:
    check("dag.svg", str(dag.picture(view(world, "5"))).replace("><", ">\n<") + "\n")


@pytest.mark.parametrize(("name", "count", "more"), [("diamonds", 10, EDGES), ("wide", 70, None), ("chain", 9, None)])
def test_places_of_nodes(name: str, count: int, more: list[int] | None) -> None:
    if more is not None:
        edges = list(zip(more[::2], more[1::2], strict=True))
    elif name == "wide":
        edges = [(0, node) for node in range(1, 60)] + [(node, 60 + node % 9) for node in range(1, 60)] + [(61, 69)]
    else:
        edges = [(node, node + 1) for node in range(8)] + [(0, 5), (2, 8)]
    found = place(dag_of(count, edges))
    rows = [f"{node} {found.x[node]:.3f} {found.y[node]}" for node in range(count)]
    check(f"layout-{name}.txt", "\n".join([*rows, f"{found.width:.3f} {found.height} {found.layers}"]) + "\n")
