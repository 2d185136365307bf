"""Physical memory and swap."""

from __future__ import annotations

from condor_py.machine.probes.reader import Read, read_file
from condor_py.model.limits import meminfo_kb, memory_mb


def total_mb(read: Read = read_file) -> int:
    """Physical memory in MB, or the smaller limit of this process's control group."""
    return memory_mb(read)


def swap_kb(read: Read = read_file) -> int:
    """Free swap space in KB."""
    return meminfo_kb(read, "SwapFree")
