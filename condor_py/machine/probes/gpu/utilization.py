"""Utilization of NVIDIA GPUs: sampled through NVML, summed until it is reported."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from condor_py.machine.probes.gpu.nvidia import NoLibrary

_MB = 1024 * 1024


class Busy(NamedTuple):
    """A device (its number, its whole UUID without "GPU-"), seconds at work and most memory in MB since the report
    before."""

    number: int
    uuid: str
    seconds: float
    peak_mb: int


class Monitor:
    """Samples all devices. Raises NoLibrary when NVML cannot be asked. ``nvml`` is the module pynvml, or one like
    it."""

    def __init__(self, nvml: Any = None) -> None:
        try:
            self._nvml: Any = nvml if nvml is not None else importlib.import_module("pynvml")
        except ImportError:
            raise NoLibrary("the Python package nvidia-ml-py is not installed", False) from None
        try:
            self._nvml.nvmlInit()
            handles = [self._nvml.nvmlDeviceGetHandleByIndex(i) for i in range(self._nvml.nvmlDeviceGetCount())]
        except self._nvml.NVMLError as error:
            raise NoLibrary(f"NVML: {error}", False) from None
        self._handles = handles
        self._seconds = [0.0] * len(handles)
        self._peaks = [0] * len(handles)

    def sample(self, elapsed: float) -> None:
        """One look, ``elapsed`` seconds after the one before: what a device does now it did all the time."""
        for index, handle in enumerate(self._handles):
            try:
                share = self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100.0
                used = int(self._nvml.nvmlDeviceGetMemoryInfo(handle).used)
            except self._nvml.NVMLError:  # a partitioned device does not tell
                continue
            self._seconds[index] += share * elapsed
            self._peaks[index] = max(self._peaks[index], used)

    def report(self) -> Iterator[Busy]:
        """Yield the sums of each GPU and start new ones."""
        for index, handle in enumerate(self._handles):
            name = self._nvml.nvmlDeviceGetUUID(handle)
            uuid = (name.decode() if isinstance(name, bytes) else str(name)).removeprefix("GPU-")
            yield Busy(index, uuid, self._seconds[index], -(-self._peaks[index] // _MB))
            self._seconds[index], self._peaks[index] = 0.0, 0
