"""condor_status -compact: the two letters of a machine's state and activity."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore


def letters(spool: Spool, **attributes: object) -> str:
    """Return what the column ST has of a machine."""
    slot = {"MyType": "Machine", "Name": "slot1@vm", "Machine": "vm", "Cpus": 1, "Memory": 1000, "SlotID": 1}
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd({**slot, **attributes})])
    head, _, row = spool.run("condor_status", "-compact").out.splitlines()[:3]
    at = head.index(" ST ") + 1
    return row[at : at + 2]


@pytest.mark.parametrize(
    ("state", "activity", "shown"),
    [
        ("Owner", "Idle", "Oi"), ("Unclaimed", "Idle", "Ui"), ("Unclaimed", "Benchmarking", "Ue"),
        ("Matched", "Idle", "Mi"), ("Claimed", "Busy", "Cb"), ("Claimed", "Retiring", "Cr"),
        ("Claimed", "Suspended", "Cs"), ("Preempting", "Vacating", "Pv"), ("Preempting", "Killing", "Pk"),
        ("Backfill", "Busy", "Fb"), ("Drained", "Idle", "Di"),
    ],
)  # fmt: skip
def test_state_and_activity(spool: Spool, state: str, activity: str, shown: str) -> None:
    assert letters(spool, State=state, Activity=activity) == shown
    partitionable = {"State": "Unclaimed", "Activity": "Idle", "PartitionableSlot": True, "Cpus": 0}
    assert letters(spool, **partitionable, ChildState=[state] * 2, ChildActivity=[activity] * 2) == shown


@pytest.mark.parametrize(
    ("states", "activities", "cpus", "shown"),
    [
        (["Claimed", "Preempting"], ["Busy", "Vacating"], 0, "Pv"),
        (["Claimed", "Matched"], ["Busy", "Idle"], 0, "**"),
        (["Claimed", "Claimed"], ["Busy", "Idle"], 0, "C*"),
    ],
)
def test_slots_in_several_states(spool: Spool, states: list[str], activities: list[str], cpus: int, shown: str) -> None:
    """A partitionable slot that has nothing left shows what its parts are; those that are on their way out first."""
    told = letters(
        spool, State="Unclaimed", Activity="Idle", PartitionableSlot=True, Cpus=cpus, ChildState=states,
        ChildActivity=activities,
    )  # fmt: skip
    assert told == shown
