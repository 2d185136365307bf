"""Space of the file system that holds an EXECUTE directory."""

from __future__ import annotations

import os

from condor_py.hardware.reader import Read, read_file


def _nearest(path: str) -> str:
    """``path`` or its nearest ancestor that exists, so that a directory made later can be asked about."""
    path = os.path.abspath(path)
    while not os.path.exists(path) and path != "/":
        path = os.path.dirname(path)
    return path


def free_kb(directory: str) -> int:
    """Free KB that an unprivileged user may use on the file system of ``directory``."""
    status = os.statvfs(_nearest(directory))
    return status.f_bavail * status.f_frsize // 1024


def total_kb(directory: str) -> int:
    """Size in KB of the file system of ``directory``, whatever is on it."""
    status = os.statvfs(_nearest(directory))
    return status.f_blocks * status.f_frsize // 1024


def volume(directory: str) -> str:
    """The device number of the file system, as ExecuteVolume shows it."""
    return str(os.stat(_nearest(directory)).st_dev)


def rotational(directory: str, read: Read = read_file) -> bool:
    """True when the file system is on a device that turns; False for what cannot be told (overlay, network)."""
    device = os.stat(_nearest(directory)).st_dev
    node = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"
    for queue in (f"{node}/queue/rotational", f"{node}/../queue/rotational"):
        text = read(queue)
        if text is not None:
            return text.strip() == "1"
    return False
