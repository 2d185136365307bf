"""The rows of slots and users of condor_top: from the ads of the startd, those of the negotiator, and the queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli.top.look import Looker, slot_row, user_rows
from condor_py.cli.top.rows import Part, SlotRow, UserRow
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

NOW = 1795213560
SLOT = {
    "Name": "slot1_1@vm", "State": "Claimed", "Activity": "Busy", "Cpus": 2.5, "Memory": 128, "GPUs": 1,
    "LoadAvg": 0.75, "RemoteUser": "alice@example.net", "JobId": "1.0", "EnteredCurrentActivity": NOW - 90,
    "SlotWeight": 2.0,
}  # fmt: skip


def test_the_row_of_a_slot() -> None:
    assert slot_row(ClassAd(SLOT), NOW) == SlotRow(
        "slot1_1", "Claimed", "Busy", 2.5, 128, 1, 0.75, "alice", "1.0", 90
    )  # fmt: skip
    grouped = ClassAd(SLOT | {"AccountingGroup": "group_a.bob@example.net"})
    assert slot_row(grouped, NOW).user == "group_a.bob"
    assert slot_row(ClassAd(), NOW) == SlotRow("", "", "", 0.0, 0, 0, 0.0, "", "", 0)


def user(name: str, **more: object) -> ClassAd:
    return ClassAd({"Name": f"{name}@example.net", "Priority": 500.0, "WeightedResourcesUsed": 1.0} | more)


def test_rows_of_users_without_a_queue() -> None:
    slots = [ClassAd(SLOT), ClassAd({"SlotWeight": 6.0}), ClassAd()]
    found = user_rows(
        [
            user("alice", SubmitterShare=0.5),
            user("bob", WeightedResourcesUsed=4.0, SubmitterShare=0.0),
            user("gone", WeightedResourcesUsed=0.0),
            user("group_a", IsAccountingGroup=True),
        ],
        slots,
        None,
    )
    assert found == [
        UserRow("alice", 500.0, 1.0, 0.125, 0.5, 0, 0, 0),
        UserRow("bob", 500.0, 4.0, 0.5, None, 0, 0, 0),
    ]
    assert user_rows([user("alice")], [], None) == [UserRow("alice", 500.0, 1.0, None, None, 0, 0, 0)]


def test_a_pool_at_one_moment(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "now", lambda self: NOW)
    store = AdStore(f"{spool.path.parent}/ads")
    free = SLOT | {"Name": "slot2@vm", "State": "Unclaimed", "RemoteUser": "", "Cpus": 4, "Memory": 1000, "GPUs": 0}
    store.publish("STARTD", [ClassAd(SLOT), ClassAd(free), ClassAd({"MyType": "StartD", "Name": "vm"})])
    store.publish("ACCOUNTING", [user("alice"), user("carol", WeightedResourcesUsed=0.0)])
    for cluster, owner, status in ((1, "alice", 2), (2, "alice", 6), (3, "alice", 7), (4, "alice", 1), (5, "carol", 5),
                                   (6, "dave", 1), (7, "dave", 1)):  # fmt: skip
        spool.add(cluster, 1, owner, JobStatus=str(status))
    seen = Looker(Pool()).snapshot()
    assert (seen.cpus, seen.memory, seen.gpus) == (Part(2.5, 6.5), Part(128, 1128), Part(1, 1))
    assert seen.users == [
        UserRow("alice", 500.0, 1.0, 0.25, None, 3, 1, 0),
        UserRow("carol", 500.0, 0.0, 0.0, None, 0, 0, 1),
        UserRow("dave", None, 0.0, 0.0, None, 0, 2, 0),
    ]
    assert [row.name for row in seen.slots] == ["slot1_1", "slot2"]
    assert (seen.problem.startswith("No condor_master is running"), seen.failed) == (True, False)


def test_a_queue_that_cannot_be_read(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(spool.path).write_text("damaged\n")
    seen = Looker(Pool()).snapshot()
    assert (seen.failed, seen.cpus, seen.slots, seen.users, seen.jobs.counts()) == (True, Part(0, 0), [], [], {})
    assert "job_queue.log" in seen.problem
    assert "\n" not in seen.problem
