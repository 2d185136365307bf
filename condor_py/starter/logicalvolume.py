"""A file system for the scratch directory of a job on a logical volume of LVM's, where the configuration names a volume
group (LVM_VOLUME_GROUP_NAME) and the kernel has a device mapper; elsewhere it is a file (``volume.py``).

What a starter has made is written down beside its scratch directory before it is made, so that whoever removes a
left-over finds it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from hashlib import blake2b

from condor_py.starter import encryption
from condor_py.starter.filesystem import FileSystem, take_off
from condor_py.starter.machinetools import MAPPER, PATH, run, write_down

_MAKER = "lvcreate"
#: Beside the scratch directory: the group and the name of its volume.
_MARK = ".logical_volume"
_MB = 1024


@dataclass(frozen=True, slots=True)
class VolumeGroup:
    """LVM_VOLUME_GROUP_NAME; ``pool`` is LVM_THINPOOL_NAME, "" for volumes whose blocks are set aside. A thin volume is
    ``extra_mb`` larger than the job asked for (LVM_THIN_LV_EXTRA_SIZE_MB)."""

    name: str
    pool: str = ""
    extra_mb: int = 0

    def why_not(self) -> str:
        """Why no volumes can be made in it; "" when they can."""
        if not os.path.exists(MAPPER):
            return "this kernel has no device mapper"
        if shutil.which(_MAKER, path=PATH) is None:
            return f"there is no {_MAKER} (lvm2)"
        try:
            run("lvs" if self.pool else "vgs", f"{self.name}/{self.pool}" if self.pool else self.name)
        except OSError as error:
            return " ".join(str(error).split())
        return ""

    def free_kb(self) -> int:
        """KB for new volumes. OSError."""
        if not self.pool:
            return int(float(run("vgs", *_FIGURES, "-o", "vg_free", self.name)))
        size, used = run("lvs", *_FIGURES, "-o", "lv_size,data_percent", f"{self.name}/{self.pool}").split()
        return int(float(size) * (1 - float(used) / 100))


#: How LVM is asked for numbers: KB, without units and titles.
_FIGURES = ("--noheadings", "--units", "k", "--nosuffix")


@dataclass(slots=True)
class LogicalVolume(FileSystem):
    """As volume.Volume, in ``group``."""

    group: VolumeGroup = VolumeGroup("")

    def _set_aside(self) -> str:
        name = f"condor_{blake2b(self.root.encode(), digest_size=8).hexdigest()}"
        write_down(f"{self.root}/{_MARK}", f"{self.group.name}/{name}")
        if self.group.pool:
            size = self.bytes // 1024 + _MB * self.group.extra_mb
            how = "--virtualsize", f"{size}k", "--thinpool", self.group.pool
        else:
            how = "--size", f"{self.bytes // 1024}k", "--wipesignatures", "y"
        run(_MAKER, "--quiet", "--yes", "--name", name, *how, self.group.name)
        return f"/dev/{self.group.name}/{name}"

    def remove(self, place: str) -> None:
        """Takes it away."""
        remove(self.root, place)


def remove(root: str, place: str) -> bool:
    """Takes the logical volume of a starter's directory ``root`` away from ``place``; False when there is none."""
    try:
        with open(f"{root}/{_MARK}", encoding="utf-8") as file:
            name = file.read()
    except FileNotFoundError:
        return False
    take_off(place)
    encryption.remove(root)
    if name and _exists(name):
        run("lvremove", "--quiet", "--force", name)
    os.unlink(f"{root}/{_MARK}")
    return True


def _exists(name: str) -> bool:
    try:
        run("lvs", name)
    except OSError:
        return False
    return True
