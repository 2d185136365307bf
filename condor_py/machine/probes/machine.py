"""Probes of the machine: cores, memory, disks, load, network and kernel, put together in one set of facts.

Network interfaces and logged-in users are psutil's. The kernel's files are read through ``read``, which gives tests
those of other machines; psutil knows neither that nor the limits of control groups.
"""

from __future__ import annotations

import array
import fcntl
import functools
import os
import re
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from condor_py.machine.probes import idle
from condor_py.machine.probes.disks import disk_space, rotational
from condor_py.machine.probes.reader import Read, read_file
from condor_py.model import packages
from condor_py.model.facts import CpuFacts, MachineFacts, OsFacts, SlotVolume
from condor_py.model.limits import meminfo_kb, memory_mb, usable_cpus
from condor_py.model.power import WakeFacts
from condor_py.model.settings.power import ProbeSettings
from condor_py.model.system import arch, distribution, long_name, version


def average(read: Read = read_file) -> float:
    """The one-minute load average in cpus."""
    words = (read("/proc/loadavg") or "0").split()
    return float(words[0])


def boot_time(read: Read = read_file) -> int:
    """Return the time when the machine booted, in Unix seconds; 0 when unknown."""
    for line in (read("/proc/stat") or "").splitlines():
        if line.startswith("btime "):
            return int(line.split()[1])
    return 0


@functools.cache
def _constant(read: Read) -> tuple[OsFacts, CpuFacts]:
    """Return the facts that do not change while the machine runs."""
    os_facts = probe(read)
    return os_facts, processor_facts(os_facts.uts_machine, read)


def _user_namespaces(read: Read) -> bool:
    return int((read("/proc/sys/user/max_user_namespaces") or "0").strip() or 0) > 0


#: Seconds for which what hardly ever changes is known: looking takes most of the time of a look.
_SELDOM = 60.0


class _Seldom(NamedTuple):
    """The facts that hardly ever change."""

    cpus: int
    memory_mb: int
    boot_time: int
    rotational_scratch: bool
    user_namespaces: bool


class Machine:
    """Collects the facts of this machine, again with each look."""

    def __init__(self, settings: ProbeSettings, read: Read = read_file) -> None:
        self.settings = settings
        self._read = read
        self._input = idle.InputWatch(read)
        self._link = interface(settings.network_interface)
        self._wake = wake_facts(self._link.name)
        self._seldom: tuple[ProbeSettings, float, _Seldom] | None = None

    def configure(self, settings: ProbeSettings) -> None:
        """New settings hold from the next look on."""
        self.settings = settings

    def facts(self, now: float) -> MachineFacts:
        """One look; ``now`` in Unix seconds."""
        read, settings = self._read, self.settings
        os_facts, cpu_facts = _constant(read)
        seldom, space = self._what_seldom_changes(now), disk_space(settings.execute)
        booted = seldom.boot_time
        keyboard, console = self._idle(now, max(0, int(now) - booted) if booted else 0)
        return MachineFacts(
            host=settings.host,
            **seldom._asdict(),
            disk_kb=space.free_kb,
            disk_total_kb=space.total_kb,
            swap_kb=swap_kb(read),
            load_avg=average(read),
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
                cpus=count(read, hyperthreads=settings.count_hyperthreads),
                memory_mb=total_mb(read),
                boot_time=boot_time(read),
                rotational_scratch=rotational(settings.execute, read),
                user_namespaces=_user_namespaces(read),
            )
            self._seldom = settings, now, found
        return self._seldom[2]

    def _slot_volumes(self, shared: str) -> Iterator[SlotVolume]:
        for slot_id, directory in self.settings.slot_executes:
            space = disk_space(directory)
            if space.volume != shared:
                yield SlotVolume(slot_id, space.volume, space.free_kb)

    def _idle(self, now: float, since_boot: int) -> tuple[int, int]:
        """Seconds since a user last typed, anywhere and at the console."""
        self._input.look(now)
        console = idle.since((*self.settings.console_devices, *idle.input_devices()), now, since_boot)
        if self._input.last:
            console = min(console, max(0, int(now - self._input.last)))
        return min(console, idle.since(idle.terminals(), now, since_boot)), console


def facts(execute: str, now: float, read: Read = read_file) -> MachineFacts:
    """One look at the machine: ``execute`` is the EXECUTE directory, ``now`` Unix seconds."""
    return Machine(ProbeSettings(host=os.uname().nodename, execute=execute), read).facts(now)


def probe(read: Read = read_file, uname: os.uname_result | None = None) -> OsFacts:
    """The facts of the running system."""
    uts = uname or os.uname()
    full = long_name(read)
    name = distribution(full)
    major, number = version(full)
    return OsFacts(
        opsys="LINUX",
        name=name,
        short_name=name,
        long_name=full,
        major_ver=major,
        opsys_ver=number,
        uts_machine=uts.machine,
        uts_nodename=uts.nodename,
        uts_release=uts.release,
        uts_sysname=uts.sysname,
        uts_version=uts.version,
    )


_SIOCETHTOOL = 0x8946
_ETHTOOL_GWOL = 0x5


class Interface(NamedTuple):
    """IPv4 address and mask, the hardware address (the last two may be empty), and the name."""

    address: str
    netmask: str
    hardware: str
    name: str = "lo"


LOOPBACK = Interface("127.0.0.1", "255.0.0.0", "")


def interface(wanted: str = "*") -> Interface:
    """The interface that NETWORK_INTERFACE names by its address, its name, or a pattern of either; of several the first
    that is not the loopback. The loopback if none fits."""
    packages.make_known()
    import psutil

    fallback = LOOPBACK
    for name, addresses in psutil.net_if_addrs().items():
        found = {int(address.family): address for address in addresses}
        ipv4 = found.get(socket.AF_INET)
        if ipv4 is None or not (fnmatchcase(name, wanted) or fnmatchcase(ipv4.address, wanted)):
            continue
        link = found.get(psutil.AF_LINK)
        chosen = Interface(ipv4.address, ipv4.netmask or "", link.address if link else "", name)
        if not ipv4.address.startswith("127."):
            return chosen
        fallback = chosen
    return fallback


def wake_facts(name: str) -> WakeFacts:
    """Return the packets that wake the machine by this interface, as ethtool asks the kernel (only root gets an
    answer); empty where the driver does not say."""
    answer = array.array("B", struct.pack("=III6s2x", _ETHTOOL_GWOL, 0, 0, b""))
    request = struct.pack("16sP8x", name.encode()[:15], answer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            fcntl.ioctl(asking, _SIOCETHTOOL, request)
    except OSError:
        return WakeFacts()
    return wake_answer(answer.tobytes())


def wake_answer(data: bytes) -> WakeFacts:
    """Read the kernel's ``struct ethtool_wolinfo``."""
    _, supported, enabled = struct.unpack_from("=III", data)
    return WakeFacts(supported, enabled)


def count(read: Read = read_file, affinity: Iterable[int] | None = None, *, hyperthreads: bool = True) -> int:
    """Usable cpus: those of the affinity mask, cut down to whole cpus of a cgroup quota; at least 1.

    Without ``hyperthreads`` the threads of one core count once (COUNT_HYPERTHREAD_CPUS).
    """
    mask = os.sched_getaffinity(0) if affinity is None else set(affinity)
    return usable_cpus(read, len(mask) if hyperthreads else len({core_of(cpu, read) for cpu in mask}))


def core_of(cpu: int, read: Read = read_file) -> tuple[str, str]:
    """The (socket, core) of a cpu; a cpu without such files is a core of its own."""
    topology = f"/sys/devices/system/cpu/cpu{cpu}/topology"
    core = read(f"{topology}/core_id")
    if core is None:
        return "", f"cpu{cpu}"
    return (read(f"{topology}/physical_package_id") or "0").strip(), core.strip()


def total_mb(read: Read = read_file) -> int:
    """Physical memory in MB, or the smaller limit of this process's control group."""
    return memory_mb(read)


def swap_kb(read: Read = read_file) -> int:
    """Free swap space in KB."""
    return meminfo_kb(read, "SwapFree")


#: Flags that slot ads show as has_<flag>.
ADVERTISED_FLAGS = ("avx", "avx2", "avx512_vnni", "avx512dq", "avx512f", "sse4_1", "sse4_2", "ssse3")
_LEVELS = (
    ("x86_64-v4", {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}),
    ("x86_64-v3", {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}),
    ("x86_64-v2", {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
)


def microarch(flags: frozenset[str]) -> str:
    """The highest x86-64 level whose flags are all there."""
    return next((level for level, needed in _LEVELS if needed <= flags), "x86_64-v1")


def _number(text: str) -> int:
    match = re.match(r"\d+", text)
    return int(match[0]) if match else 0


def processor_facts(machine: str, read: Read = read_file) -> CpuFacts:
    """The facts of the first processor (all are taken to be alike)."""
    fields: dict[str, str] = {}
    for line in (read("/proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if not colon and fields:
            break
        fields.setdefault(key.strip(), value.strip())
    flags = frozenset(fields.get("flags", "").split())
    name = arch(machine)
    return CpuFacts(
        arch=name,
        family=_number(fields.get("cpu family", "")),
        model=_number(fields.get("model", "")),
        cache_kb=_number(fields.get("cache size", "")),
        microarch=microarch(flags) if name == "X86_64" else "",
        flags=flags.intersection(ADVERTISED_FLAGS),
    )
