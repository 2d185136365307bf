"""Another way to limit the scratch directory of a job (``volume.py``): a project of its own on a file system that has
quotas for projects (ext4 and xfs mounted with ``prjquota``). Nothing is made, mounted or set aside for it.

The directory and all that is made in it count as one project. A program that gives its files another one on purpose
(``chattr -p``) leaves it: what must hold against such programs is a volume.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from dataclasses import dataclass, field
from typing import Any

from condor_py.machine.run import trees

#: <linux/fs.h>: struct fsxattr and what reads and writes it.
_ATTRIBUTES = struct.Struct("=5I8x")
_GET_ATTRIBUTES, _SET_ATTRIBUTES = 0x801C581F, 0x401C5820
_PROJECT_INHERITED = 0x200
#: <linux/quota.h>: struct if_dqblk, its commands for projects, and the bits for limits of blocks.
_QUOTA = struct.Struct("=8QI4x")
_PROJECTS = 2
_GET, _SET = 0x800007 << 8 | _PROJECTS, 0x800008 << 8 | _PROJECTS
_LIMITS_OF_BLOCKS = 1
#: quotactl_fd, Linux 5.14: the same number for all architectures.
_SYSTEM_CALL = 443
#: Our projects have numbers from here on: that of the starter's process is added.
_FIRST = 0x40000000
#: With less left than this, in KB, a project is full.
_FULL_KB = 64


def has_quotas(path: str) -> bool:
    """Whether the file system of ``path`` keeps quotas of projects, and we may set them."""
    if os.geteuid() != 0:
        return False
    try:
        _quota(path, _GET, _FIRST, bytearray(_QUOTA.size))
    except OSError:
        return False
    return True


@dataclass(slots=True)
class ProjectQuota:
    """As volume.Volume: the scratch directory of the starter with process number ``number``."""

    number: int
    size_kb: int
    exceeded: bool = field(default=False, init=False)

    def make(self, place: str) -> None:
        """Makes the directory. OSError, with what failed, when that cannot be done."""
        self.exceeded = False
        try:
            os.mkdir(place, 0o700)
            limits = _QUOTA.pack(self.size_kb, 0, 0, 0, 0, 0, 0, 0, _LIMITS_OF_BLOCKS)
            _quota(place, _SET, self._project, bytearray(limits))
            _give(place, self._project)
        except OSError as error:
            text = f"Failed to limit the scratch directory by a quota: {error}"
            raise OSError(error.errno or errno.EIO, text) from None

    @property
    def _project(self) -> int:
        return _FIRST + self.number

    def look(self, place: str) -> bool:
        """Whether the job has written more than it may, now or before: the kernel lets it write up to that."""
        found = bytearray(_QUOTA.size)
        try:
            _quota(place, _GET, self._project, found)
        except OSError:
            return self.exceeded
        used = _QUOTA.unpack(found)[2] // 1024
        self.exceeded = self.exceeded or used > self.size_kb - _FULL_KB
        return self.exceeded

    def remove(self, place: str) -> None:
        """Removes the directory, whatever is in it."""
        trees.remove(place)


def _give(place: str, project: int) -> None:
    """All that is made in a directory from now on is of a project."""
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        data = fcntl.ioctl(descriptor, _GET_ATTRIBUTES, bytes(_ATTRIBUTES.size))
        flags, extent, extents, _, copied = _ATTRIBUTES.unpack(data)
        wanted = _ATTRIBUTES.pack(flags | _PROJECT_INHERITED, extent, extents, project, copied)
        fcntl.ioctl(descriptor, _SET_ATTRIBUTES, wanted)
    finally:
        os.close(descriptor)


def _quota(path: str, command: int, project: int, data: bytearray) -> None:
    import ctypes

    libc: Any = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        buffer = (ctypes.c_char * len(data)).from_buffer(data)
        if libc.syscall(_SYSTEM_CALL, descriptor, command, project, buffer) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(descriptor)
