"""The common part of file systems of scratch directories, whatever they are on (``volume``, ``logicalvolume``)."""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from condor_py.machine.run import encryption
from condor_py.machine.run.machinetools import run
from condor_py.machine.run.namespaces import unmount

MAKER = "mkfs.ext4"
#: No journal, as nothing of it outlives the machine's next start; nothing set aside for root.
_FORMAT = ("-q", "-F", "-m", "0", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard")
#: What the file system itself needs on top of what the job may use: KB, and a part of that.
_OWN_KB, OWN_PART = 4096, 0.03
#: With less left than this, in KB, a file system is full.
_FULL_KB = 64
#: How it is mounted besides.
_OPTIONS = "nosuid,nodev,noatime"


@dataclass(slots=True)
class FileSystem(ABC):
    """The file system of a starter's scratch directory, made again for every job of at most ``size_kb``.

    ``exceeded`` returns whether the job has written more.
    """

    root: str
    size_kb: int
    exceeded: bool = field(default=False, init=False)
    #: Whether what is written is encrypted (``encryption``).
    encrypted: bool = field(default=False, kw_only=True)
    #: Why it is not made at all: no data must stay unprotected that asks for the opposite.
    refused: str = field(default="", kw_only=True)

    @property
    def bytes(self) -> int:
        """The size of its file or volume."""
        return 1024 * (self.size_kb + _OWN_KB + int(self.size_kb * OWN_PART))

    def make(self, place: str) -> None:
        """Makes and mounts it at ``place``, a new directory. OSError, with what failed, when that cannot be done."""
        self.exceeded = False
        try:
            if self.refused:
                raise OSError(errno.EPERM, self.refused)
            device = self._set_aside()
            if self.encrypted:
                device = encryption.encrypt(self.root, device)
            run(MAKER, *_FORMAT, device)
            os.mkdir(place, 0o700)
            run("mount", "-t", "ext4", "-o", f"loop,{_OPTIONS}" if os.path.isfile(device) else _OPTIONS, device, place)
            os.rmdir(f"{place}/lost+found")
            os.chmod(place, 0o700)
        except OSError as error:
            self.remove(place)
            text = f"Failed to create a volume for the scratch directory: {error}"
            raise OSError(error.errno or errno.EIO, text) from None

    @abstractmethod
    def _set_aside(self) -> str:
        """Make its file or volume and return the path. OSError."""

    @abstractmethod
    def remove(self, place: str) -> None:
        """Takes it away."""

    def look(self, place: str) -> bool:
        """Whether the job has written more than it may, now or before."""
        try:
            status = os.statvfs(place)
        except OSError:
            return self.exceeded
        used = (status.f_blocks - status.f_bfree) * status.f_frsize // 1024
        left = status.f_bavail * status.f_frsize // 1024
        self.exceeded = self.exceeded or used > self.size_kb or left < _FULL_KB
        return self.exceeded


def take_off(place: str) -> None:
    """Unmounts what is at ``place`` and removes the directory. OSError."""
    while os.path.ismount(place):
        unmount(place)
    if os.path.isdir(place):
        os.rmdir(place)
