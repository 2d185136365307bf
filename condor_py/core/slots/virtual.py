"""Virtual machines among the jobs: how many there are, how much memory is left for more, and what ads tell of it."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.settings.virtual import UNLIMITED
from condor_py.model.states import Universe


def is_machine(job: ClassAd) -> bool:
    """Whether a job is of the vm universe."""
    return job.eval_int("JobUniverse", 0) == Universe.VM


def memory_of(job: ClassAd) -> int:
    """MB that its machine has."""
    return job.eval_int("JobVMMemory", None) or job.eval_int("RequestMemory", None) or 0


def _others(pool: Pool, mine: Slot | None = None) -> list[ClassAd]:
    """The jobs of all claims that are virtual machines, or will be in a moment, but for that of ``mine``."""
    slots = (slot for slot in pool.claims.values() if slot is not mine)
    jobs = (slot.run.ad if slot.run is not None else slot.the_claim.ad for slot in slots)
    return [job for job in jobs if is_machine(job)]


def refusal(pool: Pool, slot: Slot, job: ClassAd) -> str:
    """Why the virtual machine of ``job`` cannot run now; "" when it can, or for a job of another universe."""
    if not is_machine(job):
        return ""
    able = pool.settings.virtual
    if not able.kind:
        return "no virtual machines can run here"
    others = _others(pool, slot)
    if able.most and len(others) >= able.most:
        return f"there are {len(others)} virtual machines, VM_MAX_NUMBER is {able.most}"
    left = able.memory - sum(map(memory_of, others))
    if memory_of(job) > left:
        return f"{left} MB are left for virtual machines (VM_MEMORY), it wants {memory_of(job)}"
    address = (job.eval_str("VM_CkptMac", None) or "").lower()
    if address and address in addresses(pool, slot):
        return f"another virtual machine has the hardware address {address}"
    return ""


def addresses(pool: Pool, mine: Slot | None = None) -> list[str]:
    """The hardware addresses of the machines that run."""
    runs = (slot.run for slot in pool.claims.values() if slot is not mine and slot.run is not None)
    found = (run.usage.get("VM_MACAddr", "").strip('"').lower() for run in runs if is_machine(run.ad))
    return [address for address in found if address]


def machine_pairs(pool: Pool) -> Iterator[tuple[str, str]]:
    """Attributes of virtual machines that all slots show, where the machine supports them."""
    able = pool.settings.virtual
    if not able.kind:
        return
    others = _others(pool)
    yield "VM_Type", quote_string(able.kind)
    yield "VM_Memory", str(able.memory - sum(map(memory_of, others)))
    yield "VM_AvailNum", str(able.most - len(others) if able.most else UNLIMITED)
    yield "VM_Networking", "true" if able.networks else "false"
    if able.networks:
        yield "VM_Networking_Types", quote_string(",".join(able.networks))
    if able.hardware_vt:
        yield "VM_HardwareVT", "true"
    if found := addresses(pool):
        yield "VM_All_Guest_Macs", quote_string(",".join(found))


def run_pairs(job: ClassAd, usage: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Attributes of a slot whose job is a virtual machine."""
    if not is_machine(job):
        return
    yield "VM_Guest_Mem", str(memory_of(job))
    yield "JobVM_VCPUS", str(job.eval_int("JobVM_VCPUS", None) or job.eval_int("RequestCpus", None) or 1)
    if address := usage.get("VM_MACAddr"):
        yield "VM_Guest_Mac", address
