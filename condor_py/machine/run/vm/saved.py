"""State of a saved machine in the directory of its job: its memory, and the facts that it needs to resume."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from condor_py.machine.run.userfiles import open_user_file, user_file
from condor_py.machine.run.vm.spec import VmSpec

#: The memory and the state of all devices, as qemu or libvirt write them.
STATE = "_condor_vm_state"
#: The machine that was saved.
FACTS = "_condor_vm_state.json"
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Saved:
    """A machine that can continue: the file with its state, and its board."""

    path: str
    board: str


def note(directory: str, spec: VmSpec, driver: str, board: str) -> None:
    """Writes down which machine was saved, and how its disks were then. OSError."""
    text = json.dumps({**_facts(spec), "driver": driver, "board": board, "disks": _disks(spec)})
    path = os.path.join(directory, FACTS)
    with suppress(FileNotFoundError):
        os.unlink(path)
    descriptor = open_user_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def find(directory: str, spec: VmSpec, driver: str) -> tuple[Saved | None, str]:
    """The machine that was saved here, or why it cannot continue; "" when none was."""
    path = os.path.join(directory, STATE)
    if not os.path.isfile(path) or os.path.islink(path):
        return None, ""
    known = _read(os.path.join(directory, FACTS))
    if known is None:
        return None, f"{STATE} has no {FACTS}"
    if {name: known.get(name) for name in _facts(spec)} != _facts(spec) or known.get("driver") != driver:
        return None, "the machine is another one now"
    if known.get("disks") != _disks(spec):
        return None, "a disk has changed since"
    return Saved(path, str(known.get("board") or "")), ""


def forget(directory: str) -> None:
    """The saved machine continues, or is not wanted: no run must begin there again."""
    for name in (STATE, FACTS):
        with suppress(OSError):
            os.unlink(os.path.join(directory, name))


def _facts(spec: VmSpec) -> dict[str, Any]:
    return {
        "memory": spec.memory,
        "cpus": spec.cpus,
        "devices": [[disk.device, disk.writable, disk.format] for disk in spec.disks],
        "network": spec.network,
        "vnc": spec.vnc,
    }


def _disks(spec: VmSpec) -> list[list[Any]]:
    """Size and time of change (ns) of disks that do not travel with the job: another run may have changed them."""
    found = ((disk.path, os.stat(disk.path)) for disk in spec.disks if disk.writable and not disk.ours)
    return [[path, seen.st_size, seen.st_mtime_ns] for path, seen in found]


def _read(path: str) -> dict[str, Any] | None:
    try:
        with user_file(path) as file:
            found = json.loads(file.read(_MOST))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
