"""The executor of jobs of the vm universe. Its program is the keeper of the machine (``keeper``), a process of the job
like all others: found, limited, measured and killed with it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import Family, FamilyUsage
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import Ending, Streams, Within
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.machine.run.spawning import Started, become, limit_process
from condor_py.machine.run.verdict import held
from condor_py.machine.run.vm.drivers import home_maker, work_of
from condor_py.machine.run.vm.keeper import End, Order, start_keeper
from condor_py.machine.run.vm.spec import BAD_IMAGE, VmSpec, read_spec
from condor_py.model.report import ExitReport
from condor_py.model.settings.virtual import QEMU, VmSettings
from condor_py.model.signals import MACHINE_EVICT
from condor_py.model.states import HoldCode, VacateCode

# What is reported of a machine that did not end by itself.

#: What qemu and libvirt say when the fault is this machine's, not the job's.
_OURS = re.compile(
    r"kvm|cannot run |allocate memory|guest memory|does not answer|signal \d|ended with|bridge|libvirt|"
    r"Could not open '/dev|socket|Error: ",
    re.IGNORECASE,
)
_DISK = "a disk cannot be written"
_DISK_FULL = 104
_NOT_RESUMED = BAD_IMAGE + 1


def judged(report: ExitReport, end: End | None, said: str, *, ran: bool, slot: str) -> ExitReport:
    """``report`` of a machine that ended as ``end`` (None: unknown). ``ran``: it had been started."""
    if report.hold_code or report.error or report.vacated:
        return report
    if said == _DISK:
        reason = f"The virtual machine stopped because {_DISK}: is there room on its file system?"
        return held(report, HoldCode.JOB_OUT_OF_RESOURCES, _DISK_FULL, reason)
    if end is End.NOT_RESUMED:
        return _held(report, _NOT_RESUMED, f"VMGAHP_ERR_VM_INVALID_SUSPEND_FILE: {said}", slot)
    if end is End.FAILED and not ran and not _OURS.search(said):
        return _held(report, BAD_IMAGE, f"VMGAHP_ERR_BAD_IMAGE: {said}", slot)
    why = said or "its keeper was killed"
    error = f"An internal error ended the virtual machine, the job runs again ({why})."
    return replace(report, error=error, vacate_code=int(VacateCode.VM_ERROR))


def _held(report: ExitReport, subcode: int, text: str, slot: str) -> ExitReport:
    return held(report, HoldCode.FAILED_TO_CREATE_PROCESS, subcode, f"Error from {slot}: {text}")


# How busy a virtual machine keeps its processors.


class Busy:
    """The usage of its processes since the last report, as a share of ``cpus`` processors: at most every ``interval``
    seconds. ``since`` is when the machine was started; all times are seconds of one clock."""

    def __init__(self, interval: float, cpus: int, since: float) -> None:
        self._interval, self._cpus = interval, cpus
        self._told, self._used = since, 0.0

    def share(self, now: float, used: Callable[[], float]) -> float | None:
        """0.0 for one that stands still; None while it is too early. ``used`` looks how many seconds of CPU they have
        used; less than before where the machine was restarted, as after it was a file."""
        passed = now - self._told
        if passed <= 0 or passed < self._interval:
            return None
        seconds = used()
        grown = seconds - self._used if seconds >= self._used else seconds
        self._told, self._used = now, seconds
        return round(grown / passed / self._cpus, 4)


# A port of a bridge for one machine: a tap device that is there as long as a process holds its descriptor.

_TUN = "/dev/net/tun"
_TUNSETIFF, _SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x400454CA, 0x8913, 0x8914
_SIOCSIFHWADDR, _SIOCBRADDIF = 0x8924, 0x89A2
_IFF_UP, _IFF_TAP, _IFF_NO_PI, _IFF_VNET_HDR = 0x1, 0x2, 0x1000, 0x4000
_ETHER = 1
#: The kernel makes a number of %d. Characters of a name.
_NAME = b"condorvm%d"
_LONGEST = 15


def open_tap(bridge: str, mac: str) -> int:
    """The descriptor of a new port of ``bridge``, for a machine with the hardware address ``mac``; it needs root's
    rights. OSError says what is in the way."""
    if not bridge:
        raise OSError(19, "VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: VM_NETWORKING_BRIDGE_INTERFACE is not set")
    if len(bridge) > _LONGEST or not os.path.isdir(f"/sys/class/net/{bridge}/bridge"):
        raise OSError(19, f"VMGAHP_ERR_JOBCLASSAD_MISMATCHED_NETWORKING_TYPE: {bridge} is no bridge of this machine")
    tap = os.open(_TUN, os.O_RDWR | os.O_CLOEXEC)
    try:
        kind = _IFF_TAP | _IFF_NO_PI | _IFF_VNET_HDR
        made: bytes = fcntl.ioctl(tap, _TUNSETIFF, struct.pack("16sH22x", _NAME, kind))
        _join(made[:16].rstrip(b"\0"), bridge.encode(), bytes.fromhex(mac.replace(":", "")))
    except OSError:
        os.close(tap)
        raise
    return tap


def _join(name: bytes, bridge: bytes, mac: bytes) -> None:
    """The port's own address is a high one: a bridge takes the lowest of its ports, and is to keep its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFHWADDR, struct.pack("16sHB5s16x", name, _ETHER, 0xFE, mac[1:]))
        index = socket.if_nametoindex(name.decode())
        fcntl.ioctl(control, _SIOCBRADDIF, struct.pack("16si20x", bridge, index))
        flags = struct.unpack("16sH22x", fcntl.ioctl(control, _SIOCGIFFLAGS, struct.pack("16s24x", name)))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH22x", name, flags | _IFF_UP))


_MESSAGE = 1 << 16


@dataclass(frozen=True, slots=True)
class VmUsage:
    """The usage of a machine's processes; its image is the memory that the machine has."""

    user_cpu: float
    sys_cpu: float
    rss_kb: int
    image_kb: int
    processes: int


class VmExecutor(ProcessExecutor):
    """See Executor."""

    def __init__(
        self,
        settings: VmSettings,
        family: Family,
        job_ad: ClassAd,
        log: Callable[[str], None],
        look_interval: float = 5.0,
    ) -> None:
        super().__init__(family, job_ad, look_interval=look_interval)
        self._settings, self._log = settings, log
        self._spec: VmSpec | None = None
        self._line: socket.socket | None = None
        self._end: End | None = None
        self._said = ""
        self._collected = self._ran = self._killed = False
        self._slot = self._home = ""
        self._owner: Account | None = None
        self._news: dict[str, str] = {}
        self._busy: Busy | None = None

    # -- the start

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Starts the keeper, which starts the machine. StartError for a description that is no good."""
        directory, owner = execution.directory, execution.owner
        self._slot = execution.place.slot
        make_home = home_maker(self._settings)
        with as_user(owner):
            spec = self._spec = read_spec(self._job_ad, directory, self._settings)
            self.close()
            self._home, self._owner = make_home(directory), owner
        port = _port(self._settings, spec)
        work = work_of(self._settings, spec, environment, directory, lambda: str(self._job_ad), port, self._home)
        try:
            self.pid, self._line = start_keeper(work, lambda: _enter(self._family, self._within, owner, directory))
        finally:
            if port >= 0:
                os.close(port)
        self._program = Started(self.pid)
        self._running, self._collected, self._end, self._said = True, False, None, ""
        self._busy = Busy(self._settings.status_interval, spec.cpus, time.monotonic())

    # -- while it runs

    def _order(self, order: Order) -> None:
        if self._line is not None:
            with suppress(OSError):
                self._line.send(order.value.encode())

    def _hear(self) -> None:
        """Take the keeper's report."""
        while self._line is not None:
            try:
                text = self._line.recv(_MESSAGE)
            except OSError:
                return
            if not text:
                return
            self._take(json.loads(text))

    def _take(self, message: dict[str, Any]) -> None:
        if line := message.get("log"):
            self._log(str(line))
        if message.get("running"):
            self._ran = True
            self._news |= self._facts(int(message.get("port") or 0))
        if end := message.get("end"):
            self._end, self._said = End(end), str(message.get("said") or "")

    def _facts(self, port: int) -> dict[str, str]:
        found: dict[str, str] = {}
        spec = self._spec
        if spec is not None and spec.mac:
            found["VM_MACAddr"] = f'"{spec.mac}"'
            if spec.checkpoints:
                found["VM_CkptMac"] = f'"{spec.mac}"'
        if port:
            found["JobVMVNCPort"] = str(port)
        return found

    def signal(self, number: int) -> None:
        """MACHINE_EVICT saves the machine if its job wants that; SIGKILL pulls its plug; any other signal presses its
        power button."""
        if number == signal.SIGKILL:
            self.kill()
        elif self._running and number:
            self._order(Order.EVICT if number == MACHINE_EVICT else Order.POWER)

    def kill(self) -> None:
        """Pulls its plug."""
        self._killed = True
        super().kill()

    def suspend(self) -> int:
        """Suspend the machine, with its memory (VM_SOFT_SUSPEND) or as a file."""
        self._order(Order.PAUSE if self._settings.soft_suspend else Order.SUSPEND)
        return 1

    def resume(self) -> int:
        """Let the machine continue."""
        self._order(Order.CONTINUE)
        return 1

    def dismiss(self) -> None:
        """There are no sessions that it could be in the way of."""

    def usage(self) -> FamilyUsage:
        """Of the machine's processes."""
        used = super().usage()
        image = self._spec.memory * 1024 if self._spec is not None else used.image_kb
        return VmUsage(used.user_cpu, used.sys_cpu, used.rss_kb, image, used.processes)

    def news(self) -> dict[str, str]:
        """The hardware address and the VNC port, and how busy the machine keeps its processors."""
        self._hear()
        found, self._news = self._news, {}
        if not self._running:
            return found
        share = self._busy.share(time.monotonic(), self._cpu_seconds) if self._busy is not None else None
        if share is not None:
            found["JobVMCpuUtilization"] = repr(share)
        return found

    def _cpu_seconds(self) -> float:
        usage = super().usage()
        return usage.user_cpu + usage.sys_cpu

    @property
    def ready(self) -> bool:
        """Always true: sessions cannot enter a machine in a way that we know of."""
        return True

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """OSError: what runs inside a machine is its own affair."""
        raise OSError(95, "there are no sessions in virtual machines: use its network or its screen (vm_vnc)")

    # -- the end

    def collect(self) -> Ending:
        """Return the ending of the keeper, which says how the machine ended, and log it."""
        ending = super().collect()
        self._hear()
        self._collected = True
        if self._spec is not None and self._spec.vnc:
            self._news["JobVMVNCPort"] = "undefined"
        why = f" ({self._said})" if self._said else ""
        self._log(f"The virtual machine ended: {self._end or ('off' if self._killed else 'its keeper died')}{why}")
        return ending

    @property
    def refused(self) -> bool:
        """Whether the machine was neither shut down from within nor saved: its disks may be anything."""
        return self._collected and self._end not in (End.DONE, End.SAVED)

    def judge(self, report: ExitReport) -> ExitReport:
        """Why a machine that did not run did not."""
        report = super().judge(report)
        if not self.refused:
            return report
        return judged(report, self._end, self._said, ran=self._ran, slot=self._slot)

    def close(self) -> None:
        """Lets go of the keeper, which then ends."""
        super().close()
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._home:
            with as_user(self._owner):
                shutil.rmtree(self._home, ignore_errors=True)
            self._home = ""


def _port(settings: VmSettings, spec: VmSpec) -> int:
    """The descriptor of the machine's port of a bridge, where we may make one; -1 where qemu or libvirt sees to that.
    OSError."""
    makes = spec.network == "bridge" and settings.driver == QEMU and os.geteuid() == 0
    return open_tap(spec.bridge, spec.mac) if makes else -1


def _enter(family: Family, within: Within, owner: Account | None, directory: str) -> None:
    """In the keeper: it comes into the group of the job, and becomes its owner."""
    family.join()
    enter_as(owner, directory)
    limit_process(within.niceness, within.address_space)


KVM = "/dev/kvm"


def enter_as(owner: Account | None, directory: str) -> None:
    """The calling process gets the rights of the owner (None: it keeps ours), who may use the processor's support for
    virtual machines, and goes to the directory."""
    os.umask(0o022)
    if owner is not None and os.geteuid() == 0 and owner.uid != 0:
        become(owner._replace(groups=(*owner.groups, *kvm_groups())))
    os.chdir(directory)


def kvm_groups() -> tuple[int, ...]:
    """The group that may use /dev/kvm, unless that is root's."""
    try:
        found = os.stat(KVM)
    except OSError:
        return ()
    return (found.st_gid,) if found.st_gid and found.st_mode & 0o060 == 0o060 else ()
