"""A file system for the scratch directory of a job on a logical volume of LVM's, where there is a volume group for them
(LVM_VOLUME_GROUP_NAME, or that of ``backingfile.py``); elsewhere it is a file (``volume.py``).

What a starter has made is written down next to its scratch directory before it is made, so that the process that
removes a left-over finds it: a line a volume. Each job has a new one; one that a process keeps busy stays in the list,
keeps nobody from the next, and is removed when it can be.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.machine.run import encryption
from condor_py.machine.run.filesystem import OWN_PART, FileSystem, take_off
from condor_py.machine.run.machinetools import MAPPER, PATH, run

_MAKER = "lvcreate"
#: Next to the scratch directory: group and name of its volumes.
_MARK = ".logical_volumes"
_NAME = re.compile(r"[A-Za-z0-9+_.-]+/condor_[0-9a-f]{16}")
#: LVM's words for a volume or group that does not exist.
_NONE = re.compile("not found|Failed to find")
#: How HTCondor marks the volumes of its jobs, and those that are encrypted.
_TAG, _ENCRYPTED_TAG = "htcondor_lv", "lv_is_encrypted"
_MB = 1024
#: What a volume takes besides: of the file system on it (``filesystem``), and to fill its last extent. KB.
_ROUNDING_KB = 8192
_LEAST_PART = 0.9


class Room(NamedTuple):
    """Bytes of a group or pool: all, free, those of volumes that are not of jobs; an extent, by which sizes grow."""

    detected: int
    free: int
    foreign: int
    extent: int


def cannot_make() -> str:
    """Why no logical volumes can be made on this machine; "" when they can."""
    if not os.path.exists(MAPPER):
        return "this kernel has no device mapper"
    return f"there is no {_MAKER} (lvm2)" if shutil.which(_MAKER, path=PATH) is None else ""


@dataclass(frozen=True, slots=True)
class VolumeGroup:
    """LVM_VOLUME_GROUP_NAME; ``pool`` is LVM_THINPOOL_NAME, "" for volumes whose blocks are set aside. A thin volume is
    ``extra_mb`` larger than the job asked for (LVM_THIN_LV_EXTRA_SIZE_MB)."""

    name: str
    pool: str = ""
    extra_mb: int = 0

    def why_not(self) -> str:
        """Why no volumes can be made in it; "" when they can."""
        if reason := cannot_make():
            return reason
        try:
            run("lvs" if self.pool else "vgs", self.store)
        except OSError as error:
            return " ".join(str(error).split())
        return ""

    @property
    def store(self) -> str:
        """Name of the group or thin pool that volumes are made in."""
        return f"{self.name}/{self.pool}" if self.pool else self.name

    def room(self) -> Room:
        """Return size, free space and extent size of the store. OSError."""
        if self.pool:
            size, used, extent = run("lvs", *_FIGURES, "-o", "lv_size,data_percent,vg_extent_size", self.store).split()
            free = int(int(size) * (1 - float(used) / 100))
        else:
            size, left, extent = run("vgs", *_FIGURES, "-o", "vg_size,vg_free,vg_extent_size", self.store).split()
            free = int(left)
        return Room(int(size), free, self._foreign(), int(extent))

    def _foreign(self) -> int:
        found = 0
        fields = "--separator", "|", "-o", "lv_name,pool_lv,lv_tags,lv_size"
        for line in run("lvs", *_FIGURES, *fields, self.name).split():
            name, pool, tags, size = line.split("|")
            if pool == self.pool and name != self.pool and _TAG not in tags.split(","):
                found += int(size)
        return found

    def offered_kb(self, free: int, jobs: int) -> int:
        """KB that ``jobs`` jobs can share of ``free`` bytes. A volume is larger than what its job may write: what a
        thin one has on top is not set aside."""
        kb = free // 1024
        return kb if self.pool else int(max(kb - jobs * _ROUNDING_KB, kb * _LEAST_PART) / (1 + OWN_PART))


#: How LVM is asked for numbers: bytes, without units and titles.
_FIGURES = ("--noheadings", "--units", "b", "--nosuffix")


@dataclass(slots=True)
class LogicalVolume(FileSystem):
    """As volume.Volume, in ``group``."""

    group: VolumeGroup = VolumeGroup("")

    def _set_aside(self) -> str:
        name = f"condor_{os.urandom(8).hex()}"
        _note(self.root, [*_noted(self.root), f"{self.group.name}/{name}"])
        if self.group.pool:
            size = self.bytes // 1024 + _MB * self.group.extra_mb
            how = "--virtualsize", f"{size}k", "--thinpool", self.group.pool
        else:
            how = "--size", f"{self.bytes // 1024}k", "--wipesignatures", "y"
        tags = "--addtag", _TAG, *(("--addtag", _ENCRYPTED_TAG) if self.encrypted else ())
        run(_MAKER, "--quiet", "--yes", "--autobackup", "n", "--name", name, *tags, *how, self.group.name)
        return f"/dev/{self.group.name}/{name}"

    def remove(self, place: str) -> None:
        """Takes it away."""
        remove(self.root, place)


def remove(root: str, place: str) -> bool:
    """Takes the logical volumes of a starter's directory ``root`` away, which are or were at ``place``; False when
    there are none. OSError when one cannot be removed: it stays noted."""
    names = _noted(root)
    if not names:
        return False
    take_off(place)
    encryption.remove(root)
    kept, why = [], None
    for name in filter(_exists, names):
        try:
            run("lvremove", "--quiet", "--force", "--autobackup", "n", name)
        except OSError as error:
            kept.append(name)
            why = error
    _note(root, kept)
    if why is not None:
        raise why
    return True


def _noted(root: str) -> list[str]:
    """Return the names; what else is in the file, as after a power failure, is none."""
    path = f"{root}/{_MARK}"
    with suppress(FileNotFoundError), open(path, encoding="utf-8", errors="replace") as file:
        return list(filter(_NAME.fullmatch, file.read().split()))
    return []


def _note(root: str, names: list[str]) -> None:
    """Writes names down, so that the removal of left-overs finds the volumes."""
    if not names:
        os.unlink(f"{root}/{_MARK}")
        return
    with open(f"{root}/{_MARK}.new", "w", encoding="utf-8") as file:
        file.write("\n".join(names))
    os.rename(f"{root}/{_MARK}.new", f"{root}/{_MARK}")


def _exists(name: str) -> bool:
    """Whether there may be such a volume: LVM does not say that there is none."""
    try:
        run("lvs", name)
    except OSError as error:
        return _NONE.search(str(error)) is None
    return True
