"""How busy the machine is, and since when it is up."""

from __future__ import annotations

from condor_py.machine.probes.reader import Read, read_file


def average(read: Read = read_file) -> float:
    """The one-minute load average in cpus."""
    words = (read("/proc/loadavg") or "0").split()
    return float(words[0])


def boot_time(read: Read = read_file) -> int:
    """When the machine booted, in Unix seconds; 0 when unknown."""
    for line in (read("/proc/stat") or "").splitlines():
        if line.startswith("btime "):
            return int(line.split()[1])
    return 0
