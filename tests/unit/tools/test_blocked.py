"""What keeps a job from a slot: the resources it lacks, and who holds them."""

from __future__ import annotations

import pytest

from condor_py.classad.ad import ClassAd
from condor_py.tools.q.blocked import amount, blocked

_HAS = 'PartitionableSlot = true; Cpus = 2; Memory = 100; Disk = 24576; MachineResources = "Cpus Memory Disk"'
_ALL = "TotalSlotCpus = 4; TotalSlotMemory = 8192; TotalSlotDisk = 10485760.0"
_SLOT = ClassAd(f'[ Name = "slot1@m"; Machine = "m"; SlotID = 1; {_HAS}; {_ALL} ]')


def _part(number: int, user: str, disk: int) -> ClassAd:
    text = f'Machine = "m"; SlotID = 1; DSlotID = {number}; DynamicSlot = true; RemoteOwner = "{user}"; Disk = {disk}'
    return ClassAd(f"[ {text}; Cpus = 1; Memory = 10 ]")


def _job(**wants: object) -> ClassAd:
    return ClassAd("[ " + "".join(f"Request{name} = {value}; " for name, value in wants.items()) + "]")


@pytest.mark.parametrize(
    ("wants", "expected"),
    [
        ({"Cpus": 1, "Disk": 1048576}, "disk: wants 1 GB, 24 MB of 10 GB free on slot1@m; held by bob (9 GB)"),
        ({"Cpus": 3, "Memory": 50}, "cpus: wants 3, 2 of 4 free on slot1@m; held by alice (1), bob (1)"),
        ({"Cpus": 64, "Memory": 10000}, "cpus: wants 64, there is 4; memory: wants 9.8 GB, there is 8 GB on slot1@m"),
        ({"Memory": "Cpus * 100"}, "memory: wants 200 MB, 100 MB of 8 GB free on slot1@m; held by alice (10 MB), bob "
                                   "(10 MB)"),
    ],
)  # fmt: skip
def test_what_a_job_lacks(wants: dict[str, object], expected: str) -> None:
    found = blocked(_job(**wants), [_SLOT, _part(1, "alice", 0), _part(2, "bob", 9 << 20)])
    assert found is not None
    assert found.text() == expected


def test_nothing_is_lacking_where_one_slot_has_room() -> None:
    other = ClassAd(
        '[ Name = "slot1@n"; Machine = "n"; PartitionableSlot = true; Cpus = 8; Memory = 9999; Disk = 9999 ]'
    )
    assert blocked(_job(Cpus=3), [_SLOT, other]) is None
    assert blocked(_job(Cpus=3), []) is None


def test_the_slot_that_could_fit_is_told_of() -> None:
    small = ClassAd('[ Name = "slot1@n"; Machine = "n"; PartitionableSlot = true; Cpus = 1; TotalSlotCpus = 1 ]')
    found = blocked(_job(Cpus=3), [small, _SLOT])
    assert found is not None
    assert found.slot is _SLOT
    assert not found.for_ever


def test_amounts_are_for_people() -> None:
    assert [amount("cpus", 1.5), amount("disk", 500), amount("memory", 1536)] == ["1.5", "500 KB", "1.5 GB"]
