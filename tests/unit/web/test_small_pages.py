"""Parts of pages that few look at: the wall without a login, batches of nodes, the picture of a job's memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool
from visits import Visited

from condor_py.cli.web.live import Watch
from condor_py.cli.web.page import Asked, BadRequest, NotHere, Viewer
from condor_py.cli.web.pages import job, wall
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

NOW = 1795888800
SLOT = {
    "Name": "slot1@lab", "SlotID": 1, "State": "Claimed", "Activity": "Busy", "Cpus": 2, "Memory": 100, "Disk": 10,
    "RemoteUser": "ann@example.net", "RemoteOwner": "ann@example.net", "JobId": "1.0", "Draining": True,
}  # fmt: skip


def test_the_wall_names_nobody_without_a_login(spool: Spool) -> None:
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd(SLOT)])
    spool.add(1, 2, "ann", JobBatchName='"secret"')
    shown = wall.view(Watch(), Asked(Viewer("", False), {}, (), NOW))
    assert (shown["names"], shown["jobs"]) == (False, {"running": 0, "idle": 2, "held": 0})
    assert [shown[name] for name in ("users", "running", "waiting", "dags")] == [[], [], [], []]
    (group,) = shown["groups"]
    (slot,) = group["slots"]
    assert [slot[name] for name in ("user", "owner", "job", "note")] == ["", "", "", ""]
    assert (group["note"], slot["cpus"], slot["state"]) == ("", 2.0, "Claimed")
    assert "ann" not in str(shown)
    assert "secret" not in str(shown)


def test_the_wall_has_the_largest_batches(spool: Spool) -> None:
    for cluster in range(1, 10):
        spool.add(cluster, cluster, "ann", JobStatus="2" if cluster < 9 else "5", HoldReason='"why"')
    spool.add(20, 3, "bea")
    spool.add(21, 3, "bea")
    shown = wall.view(Watch(), Asked(Viewer("ann", False), {}, (), NOW))
    assert [(row["cluster"], row["running"]) for row in shown["running"]] == [
        (8, 8),
        (7, 7),
        (6, 6),
        (5, 5),
        (4, 4),
        (3, 3),
    ]
    assert [(row["cluster"], row["idle"], row["held"]) for row in shown["waiting"]] == [
        (9, 0, 9),
        (20, 3, 0),
        (21, 3, 0),
    ]
    assert shown["waiting"][0]["why"] == "held: why"
    assert [row["name"] for row in shown["users"]] == ["bea", "ann"]


def names(spool: Spool) -> dict[int, int]:
    """The first cluster of the batch of each cluster."""
    batches = Watch().batches
    return {cluster: group.first for group in batches.groups.values() for cluster in group.clusters}


def test_nodes_are_in_the_batch_of_a_dagman_that_came_before_them(spool: Spool) -> None:
    spool.add(5, 1, "ann", JobUniverse="7")
    spool.add(6, 1, "ann", DAGManJobId="5")
    spool.add(4, 1, "ann", DAGManJobId="5")
    spool.add(7, 1, "ann", DAGManJobId="99")
    spool.add(8, 1, "ann", DAGManJobId="6")
    spool.add(9, 1, "ann", JobBatchName='"b"')
    spool.add(10, 1, "ann", JobBatchName='"b"')
    spool.add(11, 1, "bea", JobBatchName='"b"')
    spool.add(12, 1, "ann", JobBatchName='"b"', JobUniverse="7")
    spool.add(13, 1, "ann", DAGManJobId="123456789012345")
    assert names(spool) == {5: 5, 6: 5, 4: 4, 7: 7, 8: 5, 9: 9, 10: 9, 11: 11, 12: 12, 13: 13}


def memory(*told: tuple[int, int | None], asked: float | None = 100.0) -> dict[str, Any]:
    return {
        "events": [{"time": NOW + at, "memory": value} for at, value in told],
        "resources": [{"name": "cores", "asked": 4.0}, {"name": "memory", "asked": asked}], "life": {},
    }  # fmt: skip


def test_the_memory_of_a_job_as_its_events_tell() -> None:
    drawn = str(job.picture(memory((0, 50), (30, None), (60, 100), (120, 75))))
    assert "<title>Memory of the job over time</title>" in drawn
    assert '<polyline points="60,138 712,138" class="grid"></polyline>' in drawn
    assert '<polyline points="60,78.91 386,19.82 712,49.36" class="line"></polyline>' in drawn
    assert 'class="limit"' in drawn
    assert ">100 MB</text>" in drawn
    assert ">2 min 00 s</text>" in drawn
    without = str(job.picture(memory((0, 50), (60, 100), asked=None)))
    assert 'class="limit"' not in without
    for told in ([], [(0, 50)], [(0, None), (60, 7)], [(60, 5), (60, 7)]):
        with pytest.raises(NotHere):
            job.picture(memory(*told))


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 7), (" ", 7), ("5", 5), ("-5", 1), ("0", 1), ("99", 20), (" 12 ", 12), ("9" * 18, 20)],
)
def test_numbers_of_an_address(text: str, number: int) -> None:
    asked = Asked(Viewer("ann", False), {"page": text}, (), NOW)
    assert asked.number("page", 7, least=1, most=20) == number


@pytest.mark.parametrize("text", ["x", "1.5", "--1", "-", "²", "9" * 19, "1e3"])
def test_what_is_no_number_in_an_address(text: str) -> None:
    asked = Asked(Viewer("ann", False), {"page": text}, (), NOW)
    with pytest.raises(BadRequest, match="page is a whole number, not"):
        asked.number("page", 7)


def test_words_of_an_address() -> None:
    asked = Asked(Viewer("ann", False), {"a": "x" * 300, "sort": "up", "odd": "zork"}, (), NOW)
    assert (asked.text("a"), asked.text("b"), asked.text("b", "c"), asked.text("a", most=2)) == (
        "x" * 200,
        "",
        "c",
        "xx",
    )
    assert asked.choice("sort", ("up", "down")) == "up"
    assert (asked.choice("none", ("up",), "d"), asked.choice("none", ("up",))) == ("d", "")
    with pytest.raises(BadRequest, match="odd is one of up, down, not zork"):
        asked.choice("odd", ("up", "down"))


def test_who_may_see_what() -> None:
    assert [Viewer(*who).may_see("ann") for who in (("ann", False), ("bea", False), ("bea", True))] == [
        True,
        False,
        True,
    ]
    assert not Viewer("", False).may_see("")


def test_a_page_that_nothing_is_at(spool: Spool) -> None:
    browser = Visited().visitor()
    for address in ("/zork", "/pool/more", "/queue/1/2/3/4"):
        assert browser.get(address).status_code == 404
