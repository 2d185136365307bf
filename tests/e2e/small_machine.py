"""A virtual machine that is one sector: it counts ticks of the clock (18 a second), writes a dot to its serial line for
each, its count to its second sector now and then, and switches itself off when it has counted far enough or somebody
presses its power button. No kernel and no boot loader is needed, and it has begun a moment after qemu."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

#: 16 bit code at 0x7c00: cli; segments = 0; save the drive; clear the buffer at 0x8000, "CNTR" into it;
#: 0x100 to port 0x602, so that the power button is felt.
#: loop: hlt until the tick count at 0x46c changes; count at 0x8004 += 1, "RUN " at 0x8008; '.' to port 0x3f8;
#: bit 8 of port 0x600 (the power button): "BYE ", else at the limit (0x7df4): "DONE": write and switch off by 0x2000 to
#: port 0x604; at every fourth count write. write: int 0x13, ax = 0x4300, one sector from 0x8000 to sector 1.
_CODE = bytes.fromhex(
    "fa31c08ed88ec08ed0bc007cfb8816a47cfcbf0080b90001f3ab66c7060080434e5452ba0206b80001ef8b1e6c04f43b1e6c0474f966ff0604"
    "8066c706088052554e20baf803b02eeeba0006eda90001751466a10480663b06f47d7314a80375c9e82300ebc466c706088042594520eb0966"
    "c7060880444f4e45e80a00ba0406b80020eff4ebfdbe947c8a16a47cb80043cd13c3100001000080000001"
)
_SIZE = 1 << 20


def why_not(*, kvm: bool = False) -> str:
    """Why there can be no machine here; "" when there can."""
    if shutil.which("qemu-system-x86_64") is None:
        return "no qemu (Debian: qemu-system-x86)"
    if kvm and not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "no /dev/kvm that we may use"
    if kvm and os.environ.get("CONDOR_PY_KVM") != "1" and not _has_support():
        return "the processor has no support for virtual machines (CONDOR_PY_KVM=1 takes /dev/kvm all the same)"
    return ""


def _has_support() -> bool:
    """A /dev/kvm without it imitates much, and is slow."""
    words = Path("/proc/cpuinfo").read_text().split()
    return "vmx" in words or "svm" in words


def make_disk(path: Path, limit: int) -> None:
    """A disk from which the machine starts that counts to ``limit``."""
    sector = _CODE.ljust(500, b"\0") + struct.pack("<I", limit) + bytes(6) + b"\x55\xaa"
    path.write_bytes(sector + bytes(_SIZE - len(sector)))


def make_cdrom(path: Path, limit: int) -> None:
    """A CD-ROM from which the same machine starts (El Torito, without emulation of a disk); it counts to ``limit``, and
    has nowhere to write to."""
    sector = _CODE.ljust(500, b"\0") + struct.pack("<I", limit) + bytes(6) + b"\x55\xaa"
    blocks = [bytes(2048)] * 16
    blocks.append(b"\x01CD001\x01".ljust(2048, b"\0"))
    blocks.append(
        (b"\0CD001\x01" + b"EL TORITO SPECIFICATION".ljust(64, b"\0") + struct.pack("<I", 19)).ljust(2048, b"\0")
    )
    blocks.append(b"\xffCD001\x01".ljust(2048, b"\0"))
    check = struct.pack("<BBH24sHBB", 1, 0, 0, b"", 0x55AA, 0x55, 0xAA)
    entry = struct.pack("<BBHBBHI20s", 0x88, 0, 0, 0, 0, 1, 20, b"")
    blocks.append((check + entry).ljust(2048, b"\0"))
    blocks.append(sector.ljust(2048, b"\0"))
    path.write_bytes(b"".join(blocks).ljust(_SIZE, b"\0"))


def read_disk(path: Path) -> tuple[int, str]:
    """How far the machine has counted, and what it said at last: RUN, BYE or DONE."""
    with path.open("rb") as disk:
        disk.seek(512)
        mark, count, word = struct.unpack("<4sI4s", disk.read(12))
    return (count, word.decode().strip()) if mark == b"CNTR" else (0, "")
