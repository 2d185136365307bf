"""A report of one week, of all users and of one, and the sizes of its jobs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from report_world import HOSTILE, World
from tool_runner import Spool

from condor_py.client.pool import Pool

SIZES = Path(__file__).resolve().parents[2] / "golden" / "report" / "sizes.txt"
NOW = 1795888800  # 2026-11-28 18:00 UTC
WEEK = 604_800


@pytest.fixture
def world(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Eighty jobs in the week before a fixed moment, and what was recorded of them."""
    monkeypatch.setattr(Pool, "now", lambda self: NOW)
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    World(spool, NOW, jobs=80).cycles()
    return spool


def told(world: Spool, *words: str) -> Any:
    done = world.run("condor_report", "-json", *words)
    assert (done.err, done.code) == ("", 0)
    return json.loads(done.out)


def row(found: dict[str, Any]) -> str:
    """Return the counts of jobs, then core hours, CPU hours, GB hours asked for and used."""
    counts = [str(found[name]) for name in ("jobs", "completed", "failed", "removed")]
    return " ".join(counts + [f"{found[name]:.2f}" for name in ("wall", "cores", "cpu", "memory_asked", "memory_used")])


USERS = {
    "dave": ("16 16 2 0 14.68 14.68 5.87 1.83 0.11", "16 461 1619 2455 0"),
    "bob": ("19 17 2 2 18.50 18.50 7.41 18.50 12.37", "17 492 1978 3034 2"),
    "carol": ("15 15 0 0 8.66 17.32 6.93 4.33 4.12", "15 792 2045 2914 0"),
    "alice": ("16 16 2 0 6.66 26.65 10.66 53.29 5.89", "16 488 2507 4478 0"),
}
ADVICE = [
    ("alice", "16 jobs asked for 8 GB each, and the largest used 1.14 GB", "request_memory = 1472"),
    ("alice", "16 jobs asked for 4 cores each and kept 1.6 busy", "request_cpus = 2"),
    ("carol", "13 jobs asked for 2 cores each and kept 0.8 busy", "request_cpus = 1"),
    ("carol", "2 jobs asked for 2 cores each and kept 0.802 busy", "request_cpus = 1"),
    ("carol", "13 jobs asked for 512 MB each, and the largest had 658 MB: it may be put on hold where memory is "
     "enforced", "request_memory = 832"),
]  # fmt: skip


def test_a_week(world: Spool) -> None:
    found = told(world)
    assert (found["since"], found["until"], found["user"]) == (NOW + 1 - WEEK, NOW + 1, None)
    assert row(found["jobs"]) == "66 64 6 2 48.50 77.15 30.88 77.96 22.49"
    waited = {user: " ".join(map(str, one["waiting"].values())) for user, one in found["users"].items()}
    assert {user: (row(one), waited[user]) for user, one in found["users"].items()} == USERS
    assert list(found["waiting"].values()) == [64, 522, 2045, 4478]
    assert {group: row(one) for group, one in found["groups"].items()} == {"physics": USERS["carol"][0]}
    assert [(one["owner"], one["says"], one["instead"]) for one in found["advice"]] == ADVICE
    assert [(one["user"], one["how"], one["jobs"]) for one in found["failures"]] == [
        (user, "exit code 1", 2) for user in ("dave", "alice", "bob")
    ]
    (hold,), (cut,) = found["holds"], found["cut_short"]
    assert (hold["code"], hold["reason"], hold["count"]) == (12, f"<b>disk</b> {HOSTILE}", 3)
    assert (cut["code"], cut["reason"], cut["count"], cut["hours"]) == (1022, "<i>vacated</i>", 6, 2.5)
    assert (found["runs"], round(found["run_core_hours"], 2), found["cut_short_core_hours"]) == (70, 79.65, 2.5)


def test_what_users_were_entitled_to(world: Spool) -> None:
    names = ("used", "asked", "entitled", "due", "waiting", "priority", "factor", "lost")
    found = told(world)
    shown = {user: [round(one[name], 1) for name in names] for user, one in found["entitlement"].items()}
    assert shown == {
        "alice@example.net": [840, 1344, 756, 756, 0, 5000, 1000, 0],
        "physics.carol@example.net": [252, 336, 336, 336, 0, 1500, 1000, 0],
        "bob@example.net": [83.8, 503, 100.6, 100.6, 301800, 4000, 4000, 503],
    }
    assert [round(found["quotas"]["physics"][name], 1) for name in names[:4]] == [252, 336, 336, 336]


def test_cores_and_jobs_over_time(world: Spool) -> None:
    """An hour is a bin, and the bins of a user together are the user's sum."""
    found = told(world)
    over = found["over_time"]
    assert (over["begin"], over["seconds"]) == (NOW - WEEK, 3600)
    assert {user: (len(bins), sum(bins)) for user, bins in over["jobs"].items()} == {
        user: (169, found["users"][user]["jobs"]) for user in USERS
    }
    assert sum(map(sum, over["cores"].values())) == pytest.approx(found["run_core_hours"])
    assert [round(cores, 3) for cores in over["cores"]["alice"] if cores][:3] == [0.773, 0.794, 0.377]


def test_the_week_of_one_user(world: Spool) -> None:
    everyone, found = told(world), told(world, "-user", "alice")
    assert found["user"] == "alice"
    for name in ("users", "entitlement"):
        assert found[name] == {user: one for user, one in everyone[name].items() if user.startswith("alice")}
    assert found["advice"] == everyone["advice"][:2]
    assert found["over_time"]["cores"] == {"alice": everyone["over_time"]["cores"]["alice"]}
    assert (row(found["jobs"]), found["groups"], found["quotas"]) == (USERS["alice"][0], {}, {})
    assert (found["runs"], found["cut_short_core_hours"]) == (18, 4 / 3)


def test_the_sizes_of_jobs(world: Spool) -> None:
    done = world.run("condor_report", "-sizes")
    assert (done.out, done.err, done.code) == (SIZES.read_text(), "", 0)
    found = told(world, "-sizes")
    assert [(one["owner"], one["jobs"]) for one in found["groups"]] == [
        ("alice", 16), ("bob", 17), ("dave", 16), ("carol", 13), ("carol", 2),
    ]  # fmt: skip
    programs = [one["program"].rpartition("/home/")[2] for one in found["groups"]]
    assert programs == [*(f"{user}/simulate" for user in ("alice", "bob", "dave", "carol")), f"carol/{HOSTILE}"]
    carol = found["groups"][3]
    assert carol["requests"] == [
        {"command": "request_memory", "value": "896M", "jobs": 13, "fit": 13, "times": 512 / 896, "over": 4},
        {"command": "request_cpus", "value": "1", "jobs": 13, "fit": 13, "times": 2.0, "over": 0},
    ]
    assert {name: round(size) for name, size in carol["memory"]["used"].items()} == {
        "50": 495,
        "90": 628,
        "99": 658,
        "max": 658,
    }
    assert set(carol["memory"]["asked"].values()) == {512.0}
    assert carol["time"]["used"] == {"50": 2046.0, "90": 4945.0, "99": 5989.0, "max": 5989.0}
    assert (found["quantile"], found["headroom"]) == (0.99, 1.2)
