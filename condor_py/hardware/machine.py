"""All probes put together."""

from __future__ import annotations

import functools
import time

from condor_py.hardware import cores, disk, idle, load, memory, network, processor, system
from condor_py.hardware.reader import Read, read_file
from condor_py.model.facts import CpuFacts, MachineFacts, OsFacts


@functools.cache
def _constant(read: Read) -> tuple[OsFacts, CpuFacts, network.Interface, str]:
    """What does not change while the machine runs."""
    os_facts = system.probe(read)
    return os_facts, processor.probe(os_facts.uts_machine, read), network.interface(), network.host_name()


def _user_namespaces(read: Read) -> bool:
    return int((read("/proc/sys/user/max_user_namespaces") or "0").strip() or 0) > 0


def facts(execute: str, now: float, read: Read = read_file) -> MachineFacts:
    """One look at the machine: ``execute`` is the EXECUTE directory, ``now`` Unix seconds."""
    os_facts, cpu_facts, link, host = _constant(read)
    booted = load.boot_time(read)
    since_boot = max(0, int(now) - booted) if booted else 0
    console = idle.since(idle.CONSOLE_DEVICES, now, since_boot)
    return MachineFacts(
        host=host,
        cpus=cores.count(read),
        memory_mb=memory.total_mb(read),
        disk_kb=disk.free_kb(execute),
        swap_kb=memory.swap_kb(read),
        load_avg=load.average(read),
        keyboard_idle=min(console, idle.since(idle.terminals(), now, since_boot)),
        console_idle=console,
        boot_time=booted,
        utc_offset=time.localtime(now).tm_gmtoff,
        execute_volume=disk.volume(execute),
        ip_address=link.address,
        hardware_address=link.hardware,
        subnet_mask=link.netmask,
        rotational_scratch=disk.rotational(execute, read),
        user_namespaces=_user_namespaces(read),
        os=os_facts,
        cpu=cpu_facts,
    )
