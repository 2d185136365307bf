"""The page of reasons: each waiting batch with what it waits for, found in bounded time and remembered."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.waiting import Around
from condor_py.cli.web import judged as judged_jobs
from condor_py.cli.web.judged import Judged
from condor_py.cli.web.live import Watch
from condor_py.cli.web.page import Asked, Viewer
from condor_py.cli.web.pages import why
from condor_py.cli.web.works import State
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

NOW = 1_795_300_000
HOSTILE = '"</title><script>alert(1)</script>&\\"\'"'


class Clock:
    """A clock that a test sets; each look at it may take time."""

    def __init__(self) -> None:
        self.now, self.step = 100.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def forecast(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a child foresaw; nothing yet."""
    told: dict[str, Any] = {"result": None, "made": 0.0}

    class Works:
        def ask(self, *_: object, patience: float = 0.0) -> State:
            return State(told["result"], told["made"], None if told["result"] else float(NOW), 0, "", 1.0)

    monkeypatch.setattr(why, "works_of", lambda watch: Works())
    return told


@pytest.fixture
def watch(spool: Spool, forecast: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Watch:
    """A queue on a machine of four cores, of which bob has three; a busy machine has time enough to judge it."""
    monkeypatch.setattr(judged_jobs, "BUDGET", 60.0)
    common = {"RequestCpus": "2", "RequestMemory": "100", "RequestDisk": "10", "Requirements": "true",
              "EnteredCurrentStatus": str(NOW - 600)}  # fmt: skip
    spool.add(1, 3, "alice", JobBatchName='"sweep"', **common)
    spool.add(2, 2, "alice", JobBatchName='"sweep"', **common)
    spool.add(3, 2, "carol", **{**common, "RequestMemory": "900000"})
    held = {"HoldReason": '"disk is full"', "HoldReasonCode": "12", "JobStatus": "5"}
    spool.add(4, 2, "alice", JobBatchName='"broken"', **common, **held)
    spool.add(5, 1, "carol", JobBatchName='"broken, too"', **common, **held)
    spool.add(6, 1, "carol", JobBatchName='"hostile"', **common, **{**held, "HoldReason": HOSTILE})
    spool.add(7, 1, "bob", JobStatus="2", **common)
    made = Watch()
    total = {"TotalSlotCpus": 4, "TotalSlotMemory": 8000, "TotalSlotDisk": 10**6}
    whole = {"Name": "slot1@here", "Machine": "here", "SlotID": 1, "PartitionableSlot": True, "State": "Unclaimed",
             "Cpus": 1, "Memory": 7000, "Disk": 900_000, "Requirements": True, "Start": True, **total}  # fmt: skip
    part = {"Name": "slot1_1@here", "Machine": "here", "SlotID": 1, "DynamicSlot": True, "State": "Claimed",
            "Cpus": 3, "Memory": 1000, "Disk": 100_000, "RemoteOwner": "bob@example.net", "JobId": "7.0"}  # fmt: skip
    AdStore(made.pool.paths.ads).publish("STARTD", [ClassAd(whole), ClassAd(part)])
    return made


def ask(watch: Watch, **parameters: str) -> dict[str, Any]:
    shown = why.view(watch, Asked(Viewer("alice", False), parameters, (), NOW))
    assert json.dumps(shown, allow_nan=False)
    return shown


def test_each_batch_with_its_reasons(watch: Watch) -> None:
    shown = ask(watch)
    assert (shown["idle"], shown["held_jobs"], shown["users"]) == (7, 4, ["alice", "carol"])
    sweep, too_big = shown["waiting"]
    assert (sweep["owner"], sweep["batch"], sweep["jobs"], sweep["first_cluster"]) == ("alice", "sweep", 5, 1)
    assert (sweep["since"], sweep["never"], sweep["example"]) == (NOW - 600, False, "1.0")
    (reason,) = sweep["reasons"]
    assert reason["what"] == "cpus: wants 2, 1 of 4 free on slot1@here"
    assert [(holder["user"], holder["share"]) for holder in reason["holders"]] == [("bob@example.net", "3")]
    assert reason["text"].endswith("held by bob@example.net (3)")
    assert (too_big["batch"], too_big["jobs"], too_big["never"]) == ("ID: 3", 2, True)
    assert "no slot is large enough" in too_big["reasons"][0]["what"]


def test_held_jobs_by_reason(watch: Watch) -> None:
    full, hostile = ask(watch)["held"]
    assert (full["what"], full["jobs"], full["owners"]) == ("it is held: disk is full", 3, ["alice", "carol"])
    assert [(one["batch"], one["jobs"]) for one in full["batches"]] == [("broken", 2), ("broken, too", 1)]
    assert full["help"].endswith("condor_release 4.0")
    assert "<script>" in hostile["what"], "texts are escaped where they are shown"


def test_nothing_is_shown_that_condor_q_does_not_show_of_others(watch: Watch, spool: Spool) -> None:
    spool.add(9, 1, "carol", Arguments='"--password secret-1"', Environment='"TOKEN=secret-2"', Requirements="true")
    shown = json.dumps(ask(watch))
    assert "ID: 9" in shown
    assert "secret" not in shown


def test_one_user_only(watch: Watch) -> None:
    shown = ask(watch, user="me")
    assert {row["owner"] for row in shown["waiting"]} == {"alice"}
    assert len(shown["held"]) == 1
    assert ask(watch, user="x" * 1000 + "\n")["waiting"] == []


def test_what_a_child_foresaw(watch: Watch, forecast: dict[str, Any]) -> None:
    assert ask(watch)["forecast"] == {"made": None, "reading": True, "failed": "", "jobs_left_out": 0}
    starts = {"1": [[0, NOW + 60, NOW + 30, NOW + 90], [1, NOW + 60, NOW + 30, NOW + 90], [2, NOW + 99, 0, 0]],
              "2": [[0, NOW + 200, 0, 0], [1, NOW + 300, 0, 0]], "3": [[0, NOW, 0, 0]]}  # fmt: skip
    forecast.update(result={"starts": starts, "ends": {"slot1_1@here": NOW + 60}, "left_out": 9}, made=float(NOW))
    why._MEMORIES.pop(watch)
    shown = ask(watch)
    sweep, too_big = shown["waiting"]
    assert sweep["starts"] == {"at": NOW + 60, "early": NOW + 30, "late": NOW + 90, "last": NOW + 300}
    assert too_big["starts"] is None, "what never runs has no start"
    assert sweep["reasons"][0]["holders"][0]["until"] == NOW + 60
    assert shown["forecast"]["jobs_left_out"] == 9
    del starts["2"]
    why._MEMORIES.pop(watch)
    assert ask(watch)["waiting"][0]["starts"]["last"] is None, "not all of them are foreseen"


def test_a_job_that_waits_for_its_time_starts_then(watch: Watch, spool: Spool) -> None:
    then = int(time.time()) + 5000
    spool.add(9, 2, "dave", DeferralTime=str(then), Requirements="true")
    row = next(row for row in ask(watch)["waiting"] if row["owner"] == "dave")
    assert row["starts"] == {"at": then, "early": 0, "late": 0, "last": None}
    assert row["reasons"][0]["what"].startswith("it waits for its time")


def test_reasons_are_remembered(watch: Watch, spool: Spool) -> None:
    clock = Clock()
    judged = Judged(clock)
    around: list[Around] = []

    def looked() -> Around:
        around.append(Around(watch.slots(), NOW))
        return around[-1]

    def jobs() -> dict[int, int]:
        found: dict[int, int] = {}
        for one in judged.look(watch.jobs, looked, NOW):
            found[one.cluster] = found.get(one.cluster, 0) + len(one.procs)
        return found

    assert jobs() == {1: 3, 2: 2, 3: 2, 4: 2, 5: 1, 6: 1}
    spool.add(8, 1, "dave")
    spool.set("4.0", "JobStatus", "2")
    spool.set("4.1", "JobStatus", "2")
    clock.now += 0.5
    assert jobs() == {1: 3, 2: 2, 3: 2, 5: 1, 6: 1}, "what has left is left out, what is new is judged next"
    assert (len(around), judged.left) == (1, 1)
    clock.now += 0.6
    assert jobs() == {1: 3, 2: 2, 3: 2, 5: 1, 6: 1, 8: 1}
    assert (len(around), judged.left, judged.looks) == (2, 0, 2)


def test_a_look_takes_bounded_time_and_the_next_one_continues(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    judged = Judged(clock)

    def look() -> int:
        return len({one.cluster for one in judged.look(watch.jobs, lambda: Around(watch.slots(), NOW), NOW)})

    monkeypatch.setattr(judged_jobs, "BUDGET", 0.4)
    clock.step = 0.25
    first = look()
    assert 0 < first < 6
    assert judged.left == 6 - first
    for _ in range(6):
        clock.now += 1000
        look()
    assert (look(), judged.left) == (6, 0)


def test_the_forecast_of_the_first_jobs_of_each_user(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "_MOST_FORESEEN", 4)
    ads, left_out = why._foreseen(open_pool())
    ids = [(ad.eval_int("ClusterId"), ad.eval_int("ProcId")) for ad in ads]
    assert (ids, left_out) == ([(1, 0), (1, 1), (3, 0), (3, 1), (7, 0)], 3)


def test_an_empty_queue(spool: Spool, forecast: dict[str, Any]) -> None:
    shown = ask(Watch())
    assert (shown["waiting"], shown["held"], shown["idle"]) == ([], [], 0)
