"""The executor of jobs of the vm universe. Its program is the keeper of the machine (``keeper``), a process of the job
like all others: found, limited, measured and killed with it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import Family, FamilyUsage
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import Ending, Streams, Within
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.machine.run.spawning import Started, limit_process
from condor_py.machine.run.vm.busy import Busy
from condor_py.machine.run.vm.drivers import home_maker, work_of
from condor_py.machine.run.vm.entering import enter_as
from condor_py.machine.run.vm.keeper import End, Order, start_keeper
from condor_py.machine.run.vm.spec import VmSpec, read_spec
from condor_py.machine.run.vm.tap import open_tap
from condor_py.machine.run.vm.verdict import judged
from condor_py.model.report import ExitReport
from condor_py.model.settings.virtual import QEMU, VmSettings
from condor_py.model.signals import MACHINE_EVICT

_MESSAGE = 1 << 16


@dataclass(frozen=True, slots=True)
class VmUsage:
    """What the processes of a machine use; its image is the memory that the machine has."""

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
        """Takes what the keeper has told."""
        while self._line is not None:
            try:
                text = self._line.recv(_MESSAGE)
            except OSError:
                return
            if not text:
                return
            self._take(json.loads(text))

    def _take(self, told: dict[str, Any]) -> None:
        if line := told.get("log"):
            self._log(str(line))
        if told.get("running"):
            self._ran = True
            self._news |= self._facts(int(told.get("port") or 0))
        if end := told.get("end"):
            self._end, self._said = End(end), str(told.get("said") or "")

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
        """The machine stands still, with its memory (VM_SOFT_SUSPEND) or as a file."""
        self._order(Order.PAUSE if self._settings.soft_suspend else Order.SUSPEND)
        return 1

    def resume(self) -> int:
        """It goes on."""
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
        """Nobody can come in: a machine has no door that we know of."""
        return True

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """OSError: what runs inside a machine is its own affair."""
        raise OSError(95, "there are no sessions in virtual machines: use its network or its screen (vm_vnc)")

    # -- the end

    def collect(self) -> Ending:
        """How the keeper ended says what became of the machine."""
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
