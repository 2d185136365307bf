"""Mounted file systems, as in /proc/self/mountinfo: no file system is asked, and none can keep us waiting."""

from __future__ import annotations

import os
import re
import select
from typing import NamedTuple

#: Kinds of file systems that this machine's kernel serves by itself, from its memory or its disks.
_LOCAL = frozenset(
    (
        "bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "reiserfs", "rootfs",
        "tmpfs", "vfat", "xfs", "zfs",
    )
)  # fmt: skip
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mount point, and whether its file system is one of this machine's own."""

    point: str
    is_local: bool


class Mounts:
    """The mounted file systems. They are read again when the kernel says that something has changed."""

    def __init__(self, path: str = "/proc/self/mountinfo") -> None:
        self._path = path
        self._file = -1
        self._poll = select.poll()
        self._points: dict[str, bool] = {}

    def of(self, path: str) -> Mount:
        """The file system that a path leads to by its names. A link in it may lead elsewhere: the caller that opens
        the path has to see to it that this one is not left (``store.fs.BoundFs``)."""
        self._look()
        point = path if path[:1] == "/" else "/"
        while point not in self._points and point != "/":
            point = point.rpartition("/")[0] or "/"
        return Mount(point, self._points.get(point, False))

    def any_below(self, path: str) -> bool:
        """Whether something is mounted on a directory or below it."""
        self._look()
        return any(point == path or point.startswith(f"{path}/") for point in self._points)

    def any_inside(self, path: str) -> bool:
        """Whether something is mounted below a directory."""
        self._look()
        return any(point.startswith(f"{path}/") for point in self._points)

    def _look(self) -> None:
        try:
            if self._file < 0:
                self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
                self._poll.register(self._file, select.POLLERR | select.POLLPRI)
            elif not self._poll.poll(0):
                return
            self._points = dict(_points(self._read()))
        except OSError:
            self._points = {}

    def _read(self) -> str:
        os.lseek(self._file, 0, os.SEEK_SET)
        parts = []
        while data := os.read(self._file, 1 << 16):
            parts.append(data)
        return os.fsdecode(b"".join(parts))


def _points(text: str) -> list[tuple[str, bool]]:
    """List the mount points, and whether each is local; of several at one place the last counts."""
    found = []
    for line in text.splitlines():
        head, _, tail = line.partition(" - ")
        words = head.split(" ")
        if len(words) > 4 and tail:
            point = _OCTAL.sub(lambda match: chr(int(match[1], 8)), words[4])
            found.append((point, tail.split(" ", 1)[0] in _LOCAL))
    return found
