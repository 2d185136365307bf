"""Virtual machines among the jobs of a startd: what its ads tell, and how many there may be."""

from __future__ import annotations

from typing import cast

import pytest
from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots import virtual
from condor_py.core.slots.state import Slot
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.virtual import VmAbilities

ABLE = VmAbilities("kvm", 1000, 2, ("nat", "user"))
SHOWN = ("HasVM", "VM_Type", "VM_Memory", "VM_AvailNum", "VM_Networking", "VM_Networking_Types", "VM_All_Guest_Macs")


def machine(memory: int = 300, **attributes: str) -> ClassAd:
    return job_ad(JobUniverse="13", JobVMMemory=str(memory), RequestMemory=str(memory), **attributes)


def able(found: VmAbilities = ABLE) -> Bench:
    bench = Bench()
    bench.do(ev.MachinesFound(found))
    return bench


def shown(bench: Bench, slot: str = "slot1@vm") -> list[str | None]:
    ad = bench.ads()[slot]
    return [ad.text(name) for name in SHOWN]


@pytest.mark.parametrize(
    ("attributes", "is_one", "memory"),
    [
        ({"JobUniverse": 13, "JobVMMemory": 5, "RequestMemory": 7}, True, 5), ({"RequestMemory": 7}, False, 7),
        ({"JobUniverse": 5}, False, 0), ({"JobUniverse": 13, "JobVMMemory": 0}, True, 0),
    ],
)  # fmt: skip
def test_machines_and_their_memory(attributes: dict[str, object], is_one: bool, memory: int) -> None:
    job = ClassAd(attributes)
    assert (virtual.is_machine(job), virtual.memory_of(job)) == (is_one, memory)


def test_what_a_slot_tells_of_its_machine() -> None:
    job = ClassAd({"JobUniverse": 13, "JobVMMemory": 5, "RequestCpus": 3})
    address = {"VM_MACAddr": '"52:54"'}
    assert dict(virtual.run_pairs(job, address)) == {
        "VM_Guest_Mem": "5", "JobVM_VCPUS": "3", "VM_Guest_Mac": '"52:54"',
    }  # fmt: skip
    assert dict(virtual.run_pairs(ClassAd({**job, "JobVM_VCPUS": 2}), {}))["JobVM_VCPUS"] == "2"
    assert dict(virtual.run_pairs(ClassAd({"JobUniverse": 13}), {})) == {"VM_Guest_Mem": "0", "JobVM_VCPUS": "1"}
    assert dict(virtual.run_pairs(ClassAd({"JobUniverse": 5}), address)) == {}


def test_a_job_keeps_the_address_of_its_own_machine() -> None:
    """It is another one only where another slot has it."""
    bench = able(VmAbilities("kvm", 1000))
    claim = bench.running(ad=machine(VM_CkptMac='"52:54:00:00:00:01"'))
    bench.do(ev.RunUpdate(claim, JobId(1, 0), 1, {"VM_MACAddr": '"52:54:00:00:00:01"'}))
    pool = bench.startd._pool
    (mine,) = pool.claims.values()
    job = machine(VM_CkptMac='"52:54:00:00:00:01"')
    assert virtual.addresses(pool) == ["52:54:00:00:00:01"]
    assert virtual.addresses(pool, mine) == []
    assert virtual.refusal(pool, mine, job) == ""
    other = cast(Slot, object())
    assert "52:54:00:00:00:01" in virtual.refusal(pool, other, job)


def test_what_the_machine_tells() -> None:
    bench = Bench()
    assert shown(bench) == ["false", None, None, None, None, None, None]
    bench.do(ev.MachinesFound(ABLE))
    assert shown(bench) == ["true", '"kvm"', "1000", "2", "true", '"nat,user"', None]
    bench.do(ev.MachinesFound(VmAbilities("kvm", 1000)))
    assert shown(bench) == ["true", '"kvm"', "1000", "10000", "false", None, None]


def test_machines_that_run_are_counted() -> None:
    """From the moment of the claim: two jobs of one cycle do not get the last place."""
    bench = able()
    first = bench.running(ad=machine(JobVM_VCPUS="1"))
    assert shown(bench)[2:4] == ["700", "1"]
    bench.do(ev.RunUpdate(first, JobId(1, 0), 1, {"VM_MACAddr": '"52:54:00:00:00:01"'}))
    ad = bench.ads()["slot1_1@vm"]
    assert [ad.text(name) for name in ("VM_Guest_Mem", "JobVM_VCPUS", "VM_Guest_Mac", "VM_All_Guest_Macs")] == [
        "300", "1", '"52:54:00:00:00:01"', '"52:54:00:00:00:01"',
    ]  # fmt: skip
    second = bench.claim(ad=machine())
    assert shown(bench)[2:4] == ["400", "0"]
    bench.ask(ad=machine())
    assert bench.only(fx.ClaimRefused).reason == "there are 2 virtual machines, VM_MAX_NUMBER is 2"
    bench.ask(ad=job_ad())
    assert bench.has(fx.ClaimGranted), "other jobs are no machines"
    bench.run(second, "2.0", ad=machine())
    bench.end(second, "2.0")
    bench.do(ev.ReleaseClaim(second))
    assert shown(bench)[2:4] == ["700", "1"]


@pytest.mark.parametrize(
    ("found", "job", "reason"),
    [
        (VmAbilities(), machine(), "no virtual machines can run here"),
        (ABLE, machine(1001), "1000 MB are left for virtual machines (VM_MEMORY), it wants 1001"),
    ],
)
def test_machines_that_are_refused(found: VmAbilities, job: ClassAd, reason: str) -> None:
    bench = able(found)
    bench.ask(ad=job)
    assert bench.only(fx.ClaimRefused).reason == reason


def test_no_two_machines_have_one_address() -> None:
    bench = able()
    first = bench.running(ad=machine())
    bench.do(ev.RunUpdate(first, JobId(1, 0), 1, {"VM_MACAddr": '"52:54:00:00:00:01"'}))
    bench.ask(ad=machine(VM_CkptMac='"52:54:00:00:00:01"'))
    assert "another virtual machine has the hardware address" in bench.only(fx.ClaimRefused).reason


def test_what_was_found_outlives_a_reconfig() -> None:
    bench = able()
    bench.do(ev.Reconfig(settings()))
    assert shown(bench)[0] == "true"
