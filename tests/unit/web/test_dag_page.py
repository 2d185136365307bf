"""The page of DAGs: who sees what, states and figures, the table of nodes, the lists for the script, the picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shown_dags import DAGMAN, World, ad_of

from condor_py.cli.web import render
from condor_py.cli.web.dag.follower import Followed, Followers
from condor_py.cli.web.page import Asked, BadRequest, Forbidden, NotHere, Viewer
from condor_py.cli.web.pages import dag

NASTY = "<script>alert(1)</script>\"'&"


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    followed = Followed(lambda: None)
    graph = {"names": [NASTY, "B", "C"], "files": ["a.sub"], "file": [0, 0, 0], "kinds": {}, "x": [0.5, 0, 1],
             "y": [0, 1, 1], "edges": [0, 1, 0, 2]}  # fmt: skip
    followed.take({"graph": graph})
    states = {"0": ["D", 8, 10.0, 30.0, 0, ""], "1": ["R", 9, 31.0, 0.0, 2, ""], "2": ["N", 0, 0.0, 0.0, 0, ""]}
    guess = {"left": 20.0, "chain": 20.0, "work": 40.0, "at_a_time": 2.0, "known": 1, "like": 2, "critical": [0, 1]}
    followed.take({"nodes": states, "estimate": guess})
    monkeypatch.setattr(Followers, "of", lambda self, order: followed)
    monkeypatch.setattr(Followers, "known", lambda self, cluster: followed)
    return World()


def view(world: World, *path: str, who: str = "alice", administrator: bool = False, **parameters: str) -> Any:
    made = dag.view(world, Asked(Viewer(who, administrator), parameters, path, 200))  # type: ignore[arg-type]
    json.dumps(made)
    return made


def test_everybody_sees_the_list(world: World) -> None:
    for who, may_open in (("alice", True), ("bob", False)):
        (row,) = view(world, who=who)["dags"]
        assert (row["id"], row["name"], row["nodes"]["done"], row["open"]) == (5, "a.dag+5", 1, may_open)


def test_dags_come_and_go(world: World) -> None:
    assert [row["id"] for row in view(world)["dags"]] == [5]
    world.view.ads[9] = ad_of(DAGMAN.replace("ClusterId = 5", "ClusterId = 9"))
    assert [row["id"] for row in view(world)["dags"]] == [9, 5]
    del world.view.ads[5]
    assert [row["id"] for row in view(world)["dags"]] == [9]


def test_the_graph_is_for_its_owner_and_administrators(world: World) -> None:
    assert view(world, "5")["dag"]["owner"] == view(world, "5.0")["dag"]["owner"] == "alice"
    assert view(world, "5", who="root", administrator=True)["size"] == 3
    with pytest.raises(Forbidden):
        view(world, "5", who="bob")
    with pytest.raises(Forbidden):
        view(world, "5", who="bob", graph="1")


def test_files_of_another_account_are_not_read_without_its_rights(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is not root would read them with its own rights, which its users do not have."""
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    world.owner = "condor"
    with pytest.raises(Forbidden, match="alice's"):
        view(world, "5")


@pytest.mark.parametrize("path", ["6", "7", "99", "x", "5x", "²", "-5", "9" * 40])
def test_what_is_no_dag_is_not_here(world: World, path: str) -> None:
    with pytest.raises(NotHere):
        view(world, path, who="root", administrator=True)


def test_states_time_left_and_path(world: World) -> None:
    found = view(world, "5")
    assert {one["state"]: one["count"] for one in found["states"]} == {"done": 1, "running": 1, "failed": 1}
    assert found["left"] == 20.0
    assert "the longest chain of nodes left takes 20 s" in found["how"]
    assert [one["name"] for one in found["critical"]] == [NASTY, "B"]


def test_a_dag_that_has_left_the_queue_stays_for_those_who_look_at_it(world: World) -> None:
    view(world, "5")
    del world.view.ads[5]
    assert view(world, "5")["dag"]["status"] == "has ended"
    with pytest.raises(Forbidden):
        view(world, "5", who="bob")


def test_the_table_is_filtered(world: World) -> None:
    rows = view(world, "5")["table"]["rows"]
    assert [(row["state"], row["cluster"], row["seconds"], row["tries"]) for row in rows] == [
        ("done", 8, 20.0, 0),
        ("running", 9, None, 2),
        ("failed", None, None, 0),
    ]
    assert rows[2]["why"] == "PRE script failed"
    assert [row["name"] for row in view(world, "5", state="R")["table"]["rows"]] == ["B"]
    assert [row["name"] for row in view(world, "5", find="SCRIPT")["table"]["rows"]] == [NASTY]
    alone = view(world, "5", node="2")["table"]
    assert [row["name"] for row in alone["rows"]] == ["C"]
    assert ([one["node"] for one in alone["parents"]], alone["children"]) == ([0], [])
    assert [one["name"] for one in view(world, "5", node="0")["table"]["children"]] == ["B", "C"]
    assert view(world, "5", page="99")["table"]["page"] == 1
    with pytest.raises(BadRequest):
        view(world, "5", state="X")
    with pytest.raises(BadRequest):
        view(world, "5", page="x")
    with pytest.raises(BadRequest):
        view(world, "5", node="1e3")
    assert len(view(world, "5", node="-1")["table"]["rows"]) == len(view(world, "5", node="-2")["table"]["rows"]) == 3


def test_lists_for_the_script(world: World) -> None:
    whole = view(world, "5", graph="1")
    assert (whole["states"], whole["edges"], whole["critical"]) == ("DRF", [0, 1, 0, 2], [0, 1])
    assert view(world, "5", graph="1", since="1")["changed"] == [[0, "D"], [1, "R"], [2, "F"]]
    assert view(world, "5", graph="1", since=str(whole["version"]))["changed"] == []


def test_names_are_text_in_the_picture(world: World) -> None:
    drawn = dag.picture(view(world, "5"))
    assert "<script" not in drawn
    assert "&lt;script" in drawn
    assert 'class="dag-node is-running critical"' in drawn


def test_names_are_text_on_the_page(world: World) -> None:
    environment = render.environment()
    environment.globals.update(url=lambda path, **parameters: path, pages=[dag.PAGE], host="lab")
    world.view.ads[5].set_str("JobBatchName", NASTY)
    for path in ((), ("5",)):
        data = view(world, *path)
        data["problem"] = NASTY
        shown = environment.get_template("dag.html").render(
            page=dag.PAGE, data=data, viewer=Viewer("alice", False), now=200, fragment=False, form_token="",
            draw=lambda name, data=data: dag.picture(data),
        )  # fmt: skip
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert" in shown
