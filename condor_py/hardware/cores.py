"""How many cpus this process may use."""

from __future__ import annotations

import os

from condor_py.hardware.cgroup import cpu_limit
from condor_py.hardware.reader import Read, read_file


def count(read: Read = read_file, affinity: int | None = None) -> int:
    """Usable cpus: those of the affinity mask, cut down to whole cpus of a cgroup quota; at least 1."""
    usable = len(os.sched_getaffinity(0)) if affinity is None else affinity
    limit = cpu_limit(read)
    return max(1, usable if limit is None else min(usable, int(limit)))
