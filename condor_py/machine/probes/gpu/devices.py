"""One GPU as it is found, by any method."""

from __future__ import annotations

from dataclasses import dataclass

#: Cores of a compute unit by compute capability (major, minor); what is not listed is newer and has 128.
_CORES = {
    (1, 0): 8, (1, 1): 8, (1, 2): 8, (1, 3): 8, (2, 0): 32, (2, 1): 48, (3, 0): 192, (3, 2): 192, (3, 5): 192,
    (3, 7): 192, (6, 0): 64, (7, 0): 64, (7, 2): 64, (7, 5): 64, (8, 0): 64,
}  # fmt: skip
_NEWER = 128


def cores_per_unit(capability: tuple[int, int]) -> int:
    """Cores of one compute unit (streaming multiprocessor) of a device of this compute capability."""
    return _CORES.get(capability, _NEWER)


@dataclass(frozen=True, slots=True)
class Dynamic:
    """Values that change while the device works: degrees Celsius, percent, milliwatts, counts. None: not reported."""

    board_temperature: int | None = None
    die_temperature: int | None = None
    fan_percent: int | None = None
    power_mw: int | None = None
    single_bit_errors: int | None = None
    double_bit_errors: int | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """A device, or a part of one that is used like a device (MIG).

    ``uuid`` is as the driver writes it, without the "GPU-" of whole devices; the name of a part begins with
    "MIG-". ``index`` is the number among whole devices, of a part that of its device. Memory in MB, clock in MHz;
    ``driver`` is the highest CUDA version of the driver as it numbers it (12040 for 12.4). None: it does not tell.
    """

    uuid: str
    index: int
    name: str = ""
    pci_id: str = ""
    capability: tuple[int, int] | None = None
    ecc: bool | None = None
    memory_mb: int | None = None
    driver: int | None = None
    clock_mhz: float | None = None
    units: int | None = None
    dynamic: Dynamic = Dynamic()
    #: What its number follows where it has no UUID: CUDA, GPU (AMD) or OCL (OpenCL).
    family: str = "CUDA"
    #: Threads that run in step (AMD); the version of OpenCL.
    warp_size: int | None = None
    opencl: str = ""

    @property
    def part(self) -> bool:
        """True for a part of a device (MIG)."""
        return self.uuid.startswith("MIG-")
