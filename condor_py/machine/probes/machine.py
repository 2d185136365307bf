"""All probes put together."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.machine.probes import cores, disk, idle, load, memory, network, processor, system
from condor_py.machine.probes.reader import Read, read_file
from condor_py.model.facts import CpuFacts, MachineFacts, OsFacts, SlotVolume
from condor_py.model.settings.hardware import ProbeSettings


@functools.cache
def _constant(read: Read) -> tuple[OsFacts, CpuFacts]:
    """What does not change while the machine runs."""
    os_facts = system.probe(read)
    return os_facts, processor.probe(os_facts.uts_machine, read)


def _user_namespaces(read: Read) -> bool:
    return int((read("/proc/sys/user/max_user_namespaces") or "0").strip() or 0) > 0


#: Seconds for which what hardly ever changes is known: looking takes most of the time of a look.
_SELDOM = 60.0


class _Seldom(NamedTuple):
    """What hardly ever changes."""

    cpus: int
    memory_mb: int
    boot_time: int
    rotational_scratch: bool
    user_namespaces: bool


class Machine:
    """Looks at this machine again and again."""

    def __init__(self, settings: ProbeSettings, read: Read = read_file) -> None:
        self.settings = settings
        self._read = read
        self._input = idle.InputWatch(read)
        self._link = network.interface(settings.network_interface)
        self._wake = network.wake_facts(self._link.name)
        self._seldom: tuple[ProbeSettings, float, _Seldom] | None = None

    def facts(self, now: float) -> MachineFacts:
        """One look; ``now`` in Unix seconds."""
        read, settings = self._read, self.settings
        os_facts, cpu_facts = _constant(read)
        seldom, space = self._what_seldom_changes(now), disk.space(settings.execute)
        booted = seldom.boot_time
        keyboard, console = self._idle(now, max(0, int(now) - booted) if booted else 0)
        return MachineFacts(
            host=settings.host,
            **seldom._asdict(),
            disk_kb=space.free_kb,
            disk_total_kb=space.total_kb,
            swap_kb=memory.swap_kb(read),
            load_avg=load.average(read),
            keyboard_idle=keyboard,
            console_idle=console,
            utc_offset=time.localtime(now).tm_gmtoff,
            execute_volume=space.volume,
            ip_address=self._link.address,
            hardware_address=self._link.hardware,
            subnet_mask=self._link.netmask,
            wake=self._wake,
            interface=self._link.name,
            slot_volumes=tuple(self._slot_volumes(space.volume)),
            os=os_facts,
            cpu=cpu_facts,
        )

    def _what_seldom_changes(self, now: float) -> _Seldom:
        read, settings = self._read, self.settings
        if self._seldom is None or self._seldom[0] is not settings or not 0 <= now - self._seldom[1] < _SELDOM:
            found = _Seldom(
                cpus=cores.count(read, hyperthreads=settings.count_hyperthreads),
                memory_mb=memory.total_mb(read),
                boot_time=load.boot_time(read),
                rotational_scratch=disk.rotational(settings.execute, read),
                user_namespaces=_user_namespaces(read),
            )
            self._seldom = settings, now, found
        return self._seldom[2]

    def _slot_volumes(self, shared: str) -> Iterator[SlotVolume]:
        for slot_id, directory in self.settings.slot_executes:
            space = disk.space(directory)
            if space.volume != shared:
                yield SlotVolume(slot_id, space.volume, space.free_kb)

    def _idle(self, now: float, since_boot: int) -> tuple[int, int]:
        """Seconds since anybody typed, anywhere and at the console."""
        self._input.look(now)
        console = idle.since((*self.settings.console_devices, *idle.input_devices()), now, since_boot)
        if self._input.last:
            console = min(console, max(0, int(now - self._input.last)))
        return min(console, idle.since(idle.terminals(), now, since_boot)), console


def facts(execute: str, now: float, read: Read = read_file) -> MachineFacts:
    """One look at the machine: ``execute`` is the EXECUTE directory, ``now`` Unix seconds."""
    return Machine(ProbeSettings(host=os.uname().nodename, execute=execute), read).facts(now)
