"""Probes of file systems: the space in a directory, and whether its device rotates."""

from __future__ import annotations

import os
from typing import NamedTuple

from condor_py.machine.probes.reader import Read, read_file


def _nearest(path: str) -> str:
    """``path`` or its nearest ancestor that exists, so that a directory made later can be asked about."""
    path = os.path.abspath(path)
    while not os.path.exists(path) and path != "/":
        path = os.path.dirname(path)
    return path


class Space(NamedTuple):
    """Of a file system: free KB that an unprivileged user may use, its size in KB whatever is on it, and its device
    number, as ExecuteVolume shows it."""

    free_kb: int
    total_kb: int
    volume: str


def disk_space(directory: str) -> Space:
    """The file system of ``directory``."""
    place = _nearest(directory)
    status = os.statvfs(place)
    free, size = (blocks * status.f_frsize // 1024 for blocks in (status.f_bavail, status.f_blocks))
    return Space(free, size, str(os.stat(place).st_dev))


def rotational(directory: str, read: Read = read_file) -> bool:
    """True when the file system is on a rotating device; False if that is unknown (overlay, network)."""
    device = os.stat(_nearest(directory)).st_dev
    node = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"
    for queue in (f"{node}/queue/rotational", f"{node}/../queue/rotational"):
        text = read(queue)
        if text is not None:
            return text.strip() == "1"
    return False
