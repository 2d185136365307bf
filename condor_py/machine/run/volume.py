"""A file system for the scratch directory of a job: a file of the size of the slot's disk, on a loop device.

What the job writes cannot take more than that from others. HTCondor makes logical volumes for it, for which the kernel
needs a device mapper (``logicalvolume.py``); a file does the same without. It is next to the scratch directory that is
mounted from it, so that the removal of a left-over finds both. Only root can mount.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

from condor_py.machine.run import encryption, logicalvolume
from condor_py.machine.run.filesystem import MAKER, FileSystem, take_off
from condor_py.machine.run.machinetools import PATH

_CONTROL = "/dev/loop-control"
#: Next to the scratch directory.
_IMAGE = ".volume"


def may_make_volumes() -> bool:
    """Whether this machine can: root, with loop devices and mkfs.ext4."""
    return os.geteuid() == 0 and os.path.exists(_CONTROL) and shutil.which(MAKER, path=PATH) is not None


@dataclass(slots=True)
class Volume(FileSystem):
    """``thin``: its blocks are taken from the machine's file system when they are written, not at once."""

    thin: bool = False

    def _set_aside(self) -> str:
        image = f"{self.root}/{_IMAGE}"
        descriptor = os.open(image, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            if self.thin:
                os.ftruncate(descriptor, self.bytes)
            else:
                os.posix_fallocate(descriptor, 0, self.bytes)
        finally:
            os.close(descriptor)
        return image

    def remove(self, place: str) -> None:
        """Takes it away."""
        remove(self.root, place)


def remove(root: str, place: str) -> bool:
    """Takes the volume of a starter's directory ``root``, of either kind, away from ``place``; False when there is
    none. OSError."""
    image = f"{root}/{_IMAGE}"
    if not os.path.lexists(image):
        return logicalvolume.remove(root, place) or _take_off_rest(place)
    take_off(place)
    encryption.remove(root)
    os.unlink(image)
    return True


def _take_off_rest(place: str) -> bool:
    """Unmount a volume whose file does not exist any more, as another process has begun to remove both. False when
    nothing is mounted. OSError."""
    if not os.path.ismount(place):
        return False
    take_off(place)
    return True
