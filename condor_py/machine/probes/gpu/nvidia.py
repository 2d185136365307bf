"""NVIDIA GPUs through NVML, the driver's own library, by way of the package nvidia-ml-py (imported as pynvml).

Nothing here is imported before GPUs are asked for. The driver need not be there: then there are no devices.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from condor_py.machine.probes.gpu.devices import Dynamic, Gpu, cores_per_unit

_MB = 1024 * 1024


class NoLibrary(Exception):
    """NVML cannot be asked: the message says why. ``present``: the machine does have an NVIDIA device."""

    def __init__(self, text: str, present: bool) -> None:
        super().__init__(text)
        self.present = present


def devices() -> list[Gpu]:
    """The devices of this machine in the order of their bus addresses; those that are partitioned as their parts.

    Raises NoLibrary when there is no driver, or no pynvml.
    """
    present = os.path.exists("/dev/nvidiactl")
    try:
        pynvml: Any = importlib.import_module("pynvml")
    except ImportError:
        raise NoLibrary("the Python package nvidia-ml-py is not installed", present) from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NoLibrary(f"NVML: {error}", present) from None
    try:
        return _all(pynvml)
    finally:
        pynvml.nvmlShutdown()


def _all(nvml: Any) -> list[Gpu]:
    """``nvml`` is the module pynvml, or one that behaves like it."""
    driver = _ask(nvml, nvml.nvmlSystemGetCudaDriverVersion_v2)
    whole: list[Gpu] = []
    parts: list[Gpu] = []
    for index in range(nvml.nvmlDeviceGetCount()):
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        device = _device(nvml, handle, index, driver)
        found = _parts(nvml, handle, device)
        if found:
            parts += found
        else:
            whole.append(device)
    return whole + sorted(parts, key=lambda part: part.uuid)


def _ask(nvml: Any, question: Callable[..., Any], *about: Any) -> Any:
    """The answer, or None when this device, driver or library has none."""
    try:
        return question(*about)
    except nvml.NVMLError:
        return None


def _text(value: Any) -> str:
    """Older libraries answer in bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def _device(nvml: Any, handle: Any, index: int, driver: int | None) -> Gpu:
    capability = _ask(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle)
    capability = (int(capability[0]), int(capability[1])) if capability else None
    cores = _ask(nvml, nvml.nvmlDeviceGetNumGpuCores, handle)
    memory = _ask(nvml, nvml.nvmlDeviceGetMemoryInfo, handle)
    ecc = _ask(nvml, nvml.nvmlDeviceGetEccMode, handle)
    clock = _ask(nvml, nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_SM)
    return Gpu(
        uuid=_text(_ask(nvml, nvml.nvmlDeviceGetUUID, handle)).removeprefix("GPU-"),
        index=index,
        name=_text(_ask(nvml, nvml.nvmlDeviceGetName, handle)),
        pci_id=_pci_id(nvml, handle),
        capability=capability,
        ecc=None if ecc is None else bool(ecc[0]),
        memory_mb=None if memory is None else int(memory.total) // _MB,
        driver=driver,
        clock_mhz=None if clock is None else float(clock),
        units=int(cores) // cores_per_unit(capability) if cores and capability else None,
        dynamic=_dynamic(nvml, handle),
    )


def _pci_id(nvml: Any, handle: Any) -> str:
    """Domain, bus, device and function as CUDA writes them: ``0000:40:00.0``."""
    info = _ask(nvml, nvml.nvmlDeviceGetPciInfo, handle)
    if info is None:
        return ""
    return f"{info.domain:04X}:{info.bus:02X}:{info.device:02X}.0"


def _dynamic(nvml: Any, handle: Any) -> Dynamic:
    def errors(kind: int) -> int | None:
        count = _ask(nvml, nvml.nvmlDeviceGetTotalEccErrors, handle, kind, nvml.NVML_VOLATILE_ECC)
        return None if count is None else int(count)

    return Dynamic(
        die_temperature=_ask(nvml, nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU),
        fan_percent=_ask(nvml, nvml.nvmlDeviceGetFanSpeed, handle),
        power_mw=_ask(nvml, nvml.nvmlDeviceGetPowerUsage, handle),
        single_bit_errors=errors(nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
        double_bit_errors=errors(nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
    )


def _parts(nvml: Any, handle: Any, whole: Gpu) -> list[Gpu]:
    """The MIG instances of a device; none when it is not partitioned."""
    mode = _ask(nvml, nvml.nvmlDeviceGetMigMode, handle)
    if not mode or not mode[0]:
        return []
    found = []
    for number in range(_ask(nvml, nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        part = _ask(nvml, nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
        if part is None:
            continue
        sizes = _ask(nvml, nvml.nvmlDeviceGetAttributes, part)
        found.append(
            Gpu(
                uuid=_text(_ask(nvml, nvml.nvmlDeviceGetUUID, part)),
                index=whole.index,
                name=_text(_ask(nvml, nvml.nvmlDeviceGetName, part)),
                pci_id=whole.pci_id,
                capability=whole.capability,
                ecc=whole.ecc,
                memory_mb=None if sizes is None else int(sizes.memorySizeMB),
                driver=whole.driver,
                clock_mhz=whole.clock_mhz,
                units=None if sizes is None else int(sizes.multiprocessorCount),
            )
        )
    return found
