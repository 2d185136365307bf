"""A virtual machine run by qemu as a child of ours, controlled through its monitor."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from condor_py.machine.run.userfiles import open_user_file
from condor_py.machine.run.vm.machine import Failure, Outcome
from condor_py.machine.run.vm.qmp import Hangup, Monitor, Refusal
from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

_PDEATHSIG = 1
_NO_LIMIT = 1 << 40
#: Seconds between two looks at how far a saved machine is.
_PACE = 0.02
_BROKEN = {"io-error": "a disk cannot be written", "internal-error": "the processor cannot continue"}
#: Seconds in which it ends when it has closed its monitor, or got an order to end.
_ENDING = 10
#: Bytes of what qemu says on its error stream.
_MOST = 20_000
_BOARD = re.compile(r"[A-Za-z0-9_.-]+\Z")
#: The program that complains, and the words of our own command line.
_PREFIX = re.compile(r"^\S*qemu\S*: (-\S+ (\{.*?\}|\S+): )?")
_libc = ctypes.CDLL(None, use_errno=True)


class Qemu:
    """See Machine. ``check`` is called while we wait, and raises when the machine is not wanted any more."""

    def __init__(
        self,
        settings: VmSettings,
        spec: VmSpec,
        environment: Mapping[str, str],
        directory: str,
        check: Callable[[], None],
        board: str = "",
        port: int = -1,
    ) -> None:
        self.outcome: Outcome | None = None
        self.board = board if _BOARD.match(board) else ""
        self.port = 0
        self._bridged = port
        self._settings, self._spec = settings, spec
        self._environment, self._directory = environment, directory
        self._check = check
        self._process: subprocess.Popen[bytes] | None = None
        self._monitor: Monitor | None = None
        self._said = os.memfd_create("qemu", os.MFD_CLOEXEC)
        self._shut_down = self._saving = False
        self._broken = ""

    def start(self, saved: str = "") -> None:
        """See Machine."""
        ours, theirs = socket.socketpair()
        handed = [self._bridged] if self._bridged >= 0 else []
        incoming = open_user_file(saved) if saved else -1
        try:
            self._process = subprocess.Popen(
                qemu_words(self._settings, self._spec, self.board or "pc", incoming, self._bridged),
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=self._said, cwd=self._directory,
                env=dict(self._environment), pass_fds=[*handed, incoming] if saved else handed, preexec_fn=_die_with_us,
            )  # fmt: skip
        except OSError as error:
            raise Failure(f"cannot run {self._settings.qemu or 'qemu'}: {error.strerror}") from None
        finally:
            theirs.close()
            if saved:
                os.close(incoming)
        self._monitor = Monitor(ours, self._happened, self._check)
        version = self._ask(lambda monitor: monitor.greet(self._settings.patience))
        self.board = self.board or f"pc-i440fx-{version}"
        if saved:
            self._wait("inmigrate")
            if self.outcome is None and self._status() in ("paused", "prelaunch", "postmigrate"):
                self.go_on()
        if self._spec.vnc:
            self.port = self._vnc_port()

    def _wait(self, status: str) -> None:
        """Until it has another one."""
        deadline = time.monotonic() + self._settings.patience
        while self._status() == status:
            if time.monotonic() > deadline:
                self.off()
                raise Failure(f"it is {status} for more than {self._settings.patience} seconds")
            time.sleep(_PACE)

    def _status(self) -> str:
        return str(self._run("query-status")["status"])

    def _vnc_port(self) -> int:
        found = self._run("query-vnc").get("service", "0")
        return int(found) if str(found).isdigit() else 0

    def fileno(self) -> int:
        """See Machine."""
        return self._monitor.fileno() if self._monitor is not None else -1

    def look(self) -> None:
        """See Machine."""
        if self._monitor is None:
            return
        try:
            self._monitor.look()
            if self._broken == "?":
                self._broken = _BROKEN.get(self._status(), "")
        except Hangup:
            self._collect()
        except Failure:
            return
        if self._broken and self._broken != "?":
            said = self._broken
            self.off()
            self.outcome = Outcome(by_itself=False, said=said)

    def _happened(self, event: str, data: dict[str, Any]) -> None:
        if event == "SHUTDOWN":
            self._shut_down = data.get("guest") is True
        elif event == "STOP" and not self._saving:
            self._broken = "?"  # by us, or because it cannot continue: its status will tell
        elif event == "RESUME":
            self._broken = ""

    def _collect(self) -> None:
        """qemu is gone, or will be in a moment."""
        if self._monitor is not None:
            self._monitor.close()
            self._monitor = None
        if self._process is None:
            return
        try:
            code = self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._process = None
        by_itself = code == 0 and self._shut_down
        self.outcome = Outcome(by_itself, "" if by_itself else self._complaint(code))

    def _complaint(self, code: int) -> str:
        """The last thing that qemu said."""
        text = os.pread(self._said, _MOST, 0).decode(errors="replace")
        lines = [_PREFIX.sub("", line).strip() for line in text.splitlines()]
        complaints = [line for line in lines if line and not line.startswith("warning:")]
        return (
            complaints[-1]
            if complaints
            else f"qemu was ended by signal {-code}"
            if code < 0
            else f"qemu ended with {code}"
        )

    def _run(self, command: str, fds: tuple[int, ...] = (), **arguments: Any) -> Any:
        return self._ask(lambda monitor: monitor.run(command, self._settings.patience, fds, **arguments))

    def _ask(self, what: Callable[[Monitor], Any]) -> Any:
        if self._monitor is None:
            raise Failure(self.outcome.said if self.outcome is not None else "there is no machine")
        try:
            return what(self._monitor)
        except Refusal as error:
            raise Failure(str(error)) from None
        except TimeoutError as error:
            self.off()
            raise Failure(str(error)) from None
        except Hangup:
            self._collect()
            raise Failure(self.outcome.said if self.outcome is not None else "qemu is gone") from None

    def pause(self) -> None:
        """See Machine."""
        self._run("stop")
        self._broken = ""

    def go_on(self) -> None:
        """See Machine."""
        self._run("cont")

    def press(self) -> None:
        """See Machine."""
        self._run("system_powerdown")

    def save(self, path: str) -> None:
        """See Machine. When it fails the machine continues."""
        self._saving = True
        try:
            self._run("stop")
            self._migrate(path)
        except (Failure, OSError) as error:
            with suppress(OSError):
                os.unlink(path)
            if self.outcome is None:
                with suppress(Failure):
                    self.go_on()
            raise Failure(str(error)) from None
        finally:
            self._saving = False
        self.off()

    def _migrate(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            self._run("migrate-set-parameters", max_bandwidth=_NO_LIMIT)
            self._run("getfd", (descriptor,), fdname="saved")
            self._run("migrate", uri="fd:saved")
            deadline = time.monotonic() + self._settings.patience
            while (found := self._run("query-migrate"))["status"] not in ("completed", "failed", "cancelled"):
                if time.monotonic() > deadline:
                    raise Failure(f"it was not saved within {self._settings.patience} seconds")
                self._check()
                time.sleep(_PACE)
            if found["status"] != "completed":
                raise Failure(f"it was not saved: {found.get('error-desc', found['status'])}")
        finally:
            os.close(descriptor)

    def off(self) -> None:
        """See Machine: qemu writes what the machine has written to its disks, and ends; it is killed if it cannot."""
        process = self._process
        if process is None:
            return
        with suppress(OSError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
        self._collect()


def _die_with_us() -> None:
    """In the new process: the kernel kills it when its parent dies, whatever it dies of."""
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


#: System calls that qemu may not use. A bridge that we could not make it a port of needs a program with more rights
#: than ours.
_SANDBOX = "on,obsolete=deny,resourcecontrol=deny"
_CLOSED = f"{_SANDBOX},elevateprivileges=deny,spawn=deny"
#: Loopback only, at the first free port from 5900 on.
_VNC = "127.0.0.1:0,to=99"


def qemu_words(settings: VmSettings, spec: VmSpec, machine: str, incoming: int = -1, port: int = -1) -> list[str]:
    """``machine`` is qemu's name of the board ("pc"); ``incoming`` a descriptor that a saved machine is read from,
    ``port`` that of its port of a bridge, -1 for none. Its monitor is descriptor 0."""
    words = [
        settings.qemu, "-nodefaults", "-no-user-config", "-name", spec.name,
        "-machine", f"{machine},accel={settings.accelerator}",
        *_processor(settings),
        "-m", str(spec.memory), "-smp", str(spec.cpus),
        "-sandbox", _SANDBOX if spec.network == "bridge" and port < 0 else _CLOSED,
        "-chardev", "socket,id=monitor,fd=0", "-mon", "chardev=monitor,mode=control",
        "-display", "none",
    ]  # fmt: skip
    words += _serial(spec) + _disks(spec.disks) + _network(spec, port) + _boot(spec)
    if spec.vnc:
        words += ["-device", "VGA", "-vnc", _VNC]
    if incoming >= 0:
        words += ["-incoming", f"fd:{incoming}"]
    return words


def _processor(settings: VmSettings) -> tuple[str, ...]:
    """Nothing for qemu's default processor."""
    if settings.emulates:
        return ("-cpu", "max")
    return ("-cpu", "host") if settings.host_processor else ()


def _serial(spec: VmSpec) -> list[str]:
    if not spec.console:
        return ["-serial", "null"]
    path = spec.console.replace(",", ",,")
    return ["-chardev", f"file,id=console,path={path},append=on", "-serial", "chardev:console"]


def _disks(disks: tuple[Disk, ...]) -> list[str]:
    words: list[str] = []
    if any(disk.device.startswith("sd") for disk in disks):
        words += ["-device", "virtio-scsi-pci,id=scsi"]
    for number, disk in enumerate(disks):
        file = {
            "node-name": f"file{number}", "driver": "file", "filename": disk.path,
            "read-only": not disk.writable, "auto-read-only": not disk.writable,
        }  # fmt: skip
        block = {
            "node-name": f"disk{number}", "driver": disk.format, "file": f"file{number}",
            "read-only": not disk.writable,
        }  # fmt: skip
        words += ["-blockdev", json.dumps(file), "-blockdev", json.dumps(block)]
        words += ["-device", f"{_kind(disk)},drive=disk{number},bootindex={number + 1}"]
    return words


def _kind(disk: Disk) -> str:
    """The controller follows from the device's name."""
    if disk.device.startswith("sd"):
        return "scsi-cd,bus=scsi.0" if disk.is_cdrom else "scsi-hd,bus=scsi.0"
    if disk.is_cdrom or disk.device.startswith("hd"):
        return "ide-cd" if disk.is_cdrom else "ide-hd"
    return "virtio-blk-pci"


def _network(spec: VmSpec, port: int) -> list[str]:
    """Both nat and user are qemu's own network, in which others do not reach the machine."""
    if not spec.network:
        return ["-nic", "none"]
    kind = "user,id=net"
    if spec.network == "bridge":
        kind = f"tap,id=net,fd={port}" if port >= 0 else f"bridge,id=net,br={spec.bridge.replace(',', ',,')}"
    return ["-netdev", kind, "-device", f"virtio-net-pci,netdev=net,mac={spec.mac},romfile="]


def _boot(spec: VmSpec) -> list[str]:
    boot = spec.boot
    words = ["-kernel", boot.kernel] if boot.kernel else []
    words += ["-initrd", boot.initrd] if boot.initrd else []
    return words + (["-append", boot.parameters] if boot.parameters else [])
