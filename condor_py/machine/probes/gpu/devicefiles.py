"""Device files of each NVIDIA GPU, as its driver lists them in /proc."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable

from condor_py.machine.probes.devicefilter import Device

_GPUS = "/proc/driver/nvidia/gpus"
_CONTROL = "/dev/nvidiactl"


def others(uuids: Iterable[str], gpus: str = _GPUS, control: str = _CONTROL) -> tuple[Device, ...]:
    """The devices of all GPUs of this machine but those with one of ``uuids`` (GPU-...). None with a part of a GPU
    (MIG-...) among these: the driver does not tell what it is a part of."""
    wanted = {uuid.lower() for uuid in uuids}
    if any(uuid.startswith("mig-") for uuid in wanted):
        return ()
    try:
        major = os.major(os.stat(control).st_rdev)
    except OSError:
        return ()
    found = (_facts(path) for path in sorted(glob.glob(f"{glob.escape(gpus)}/*/information")))
    return tuple((major, minor) for uuid, minor in found if minor >= 0 and uuid not in wanted)


def _facts(path: str) -> tuple[str, int]:
    """UUID in small letters and minor number; -1 where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in file)}
    except OSError:
        return "", -1
    minor = fields.get("Device Minor", "")
    return fields.get("GPU UUID", "").lower(), int(minor) if minor.isdigit() else -1
