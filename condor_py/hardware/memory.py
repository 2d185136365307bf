"""Physical memory and swap."""

from __future__ import annotations

from condor_py.hardware.cgroup import memory_limit
from condor_py.hardware.reader import Read, read_file


def _meminfo(read: Read, name: str) -> int:
    """A value of /proc/meminfo in KB; 0 when the line is missing."""
    for line in (read("/proc/meminfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0])
    return 0


def total_mb(read: Read = read_file) -> int:
    """Physical memory in MB, or the smaller limit of this process's control group."""
    total = _meminfo(read, "MemTotal") // 1024
    limit = memory_limit(read)
    return total if limit is None else min(total, limit // (1024 * 1024))


def swap_kb(read: Read = read_file) -> int:
    """Free swap space in KB."""
    return _meminfo(read, "SwapFree")
