"""The results of the hardware probes: the machine as the startd sees it, before any knob is applied."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.power import WakeFacts
from condor_py.model.system import platform_tag


class OsFacts(NamedTuple):
    """The operating system, in the spellings of the OpSys* and Utsname* attributes (``opsys_ver`` is 1200 for
    "12")."""

    opsys: str = "LINUX"
    name: str = "Linux"
    short_name: str = "Linux"
    long_name: str = "Linux"
    major_ver: int = 0
    opsys_ver: int = 0
    uts_machine: str = ""
    uts_nodename: str = ""
    uts_release: str = ""
    uts_sysname: str = "Linux"
    uts_version: str = ""

    @property
    def and_ver(self) -> str:
        """OpSysAndVer: the short name followed by the major version ("Debian12")."""
        return f"{self.short_name}{self.major_ver or ''}"

    @property
    def platform_tag(self) -> str:
        """The distribution part of the $CondorPlatform line ("Debian_12")."""
        return platform_tag(self.short_name, self.major_ver)


class CpuFacts(NamedTuple):
    """The processor: family and model numbers, cache in KB, x86-64 level, and feature flags as /proc/cpuinfo
    names them."""

    arch: str = "X86_64"
    family: int = 0
    model: int = 0
    cache_kb: int = 0
    microarch: str = ""
    flags: frozenset[str] = frozenset()


class SlotVolume(NamedTuple):
    """The file system of a slot whose scratch directories (SLOT<N>_EXECUTE) are not on that of EXECUTE."""

    slot_id: int
    volume: str
    free_kb: int


class MachineFacts(NamedTuple):
    """One look at the machine.

    ``cpus`` are the usable ones (affinity and cgroup limits applied), ``memory_mb`` the physical memory (or the
    smaller cgroup limit), ``disk_kb`` the free space of EXECUTE and ``disk_total_kb`` the size of its file system,
    ``swap_kb`` the free swap. ``load_avg`` is the one-minute load. ``keyboard_idle`` and ``console_idle`` are
    seconds; ``boot_time`` is Unix seconds, ``utc_offset`` the local time zone in seconds east of Greenwich.
    ``execute_volume`` is the device number of EXECUTE; ``hardware_address`` and ``subnet_mask`` may be empty.
    """

    host: str
    cpus: int
    memory_mb: int
    disk_kb: int
    swap_kb: int = 0
    load_avg: float = 0.0
    keyboard_idle: int = 0
    console_idle: int = 0
    boot_time: int = 0
    utc_offset: int = 0
    execute_volume: str = ""
    ip_address: str = "127.0.0.1"
    hardware_address: str = ""
    subnet_mask: str = ""
    rotational_scratch: bool = False
    user_namespaces: bool = False
    disk_total_kb: int = 0
    slot_volumes: tuple[SlotVolume, ...] = ()
    wake: WakeFacts = WakeFacts()
    interface: str = ""
    os: OsFacts = OsFacts()
    cpu: CpuFacts = CpuFacts()
