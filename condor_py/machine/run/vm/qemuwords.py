"""The command line of qemu."""

from __future__ import annotations

import json

from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.settings.virtual import VmSettings

#: What qemu may not ask the kernel for. A bridge of which we could not make it a port needs a program with more rights
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
