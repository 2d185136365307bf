"""How many cpus this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterable

from condor_py.machine.probes.reader import Read, read_file
from condor_py.model.limits import usable_cpus


def count(read: Read = read_file, affinity: Iterable[int] | None = None, *, hyperthreads: bool = True) -> int:
    """Usable cpus: those of the affinity mask, cut down to whole cpus of a cgroup quota; at least 1.

    Without ``hyperthreads`` the threads of one core count once (COUNT_HYPERTHREAD_CPUS).
    """
    mask = os.sched_getaffinity(0) if affinity is None else set(affinity)
    return usable_cpus(read, len(mask) if hyperthreads else len({core_of(cpu, read) for cpu in mask}))


def core_of(cpu: int, read: Read = read_file) -> tuple[str, str]:
    """The (socket, core) of a cpu; a cpu about which the kernel tells nothing is a core of its own."""
    topology = f"/sys/devices/system/cpu/cpu{cpu}/topology"
    core = read(f"{topology}/core_id")
    if core is None:
        return "", f"cpu{cpu}"
    return (read(f"{topology}/physical_package_id") or "0").strip(), core.strip()
