"""GPUs: those of NVIDIA with a simulated NVML, those of AMD from a topology, those of OpenCL."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from condor_py.cli import gpu_discovery
from condor_py.cli.gpu_discovery import main
from condor_py.cli.gpu_utilization import watch
from condor_py.machine.probes.gpu import Gpu, amd, cores_per_unit, nvidia, opencl
from condor_py.machine.probes.gpu.utilization import Monitor


class NVMLError(Exception):
    """What pynvml raises."""


class Library(ModuleType):
    """A pynvml with two devices: an H100, and an A100 in two parts. What is not defined here is not supported."""

    NVMLError = NVMLError
    NVML_CLOCK_SM = 1
    NVML_TEMPERATURE_GPU = 0
    NVML_VOLATILE_ECC = 0
    NVML_MEMORY_ERROR_TYPE_CORRECTED = 0
    NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1
    is_open = False

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nvml"):
            raise AttributeError(name)

        def unsupported(*_: Any) -> Any:
            raise NVMLError("Not Supported")

        return unsupported

    def nvmlInit(self) -> None:
        self.is_open = True

    def nvmlShutdown(self) -> None:
        self.is_open = False

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return 12040

    def nvmlDeviceGetCount(self) -> int:
        return 2

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:
        assert self.is_open
        return index

    def nvmlDeviceGetUUID(self, handle: Any) -> Any:
        return (
            [b"GPU-11111111-2222-3333-4444-555555555555", "GPU-a1111111-2222-3333-4444-555555555555"][handle]
            if (isinstance(handle, int))
            else f"MIG-{handle}-2222-3333-4444-555555555555"
        )

    def nvmlDeviceGetName(self, handle: Any) -> str:
        return "NVIDIA H100 80GB HBM3" if handle == 0 else "NVIDIA A100 MIG 3g.20gb"

    def nvmlDeviceGetCudaComputeCapability(self, handle: Any) -> tuple[int, int]:
        return (9, 0) if handle == 0 else (8, 0)

    def nvmlDeviceGetNumGpuCores(self, handle: Any) -> int:
        return 16896

    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any:
        return SimpleNamespace(total=81559 * 1024 * 1024)

    def nvmlDeviceGetEccMode(self, handle: Any) -> list[int]:
        return [1, 1]

    def nvmlDeviceGetMaxClockInfo(self, handle: Any, kind: int) -> int:
        return 1980

    def nvmlDeviceGetPciInfo(self, handle: Any) -> Any:
        return SimpleNamespace(domain=0, bus=0x1B + handle, device=0)

    def nvmlDeviceGetTemperature(self, handle: Any, sensor: int) -> int:
        return 31

    def nvmlDeviceGetMigMode(self, handle: Any) -> list[int]:
        return [handle, handle]

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Any) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Any, number: int) -> str:
        if number > 1:
            raise NVMLError("Not Found")
        return f"part{number}"

    def nvmlDeviceGetAttributes(self, part: Any) -> Any:
        return SimpleNamespace(memorySizeMB=20096, multiprocessorCount=42)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    found = Library("pynvml")
    monkeypatch.setitem(sys.modules, "pynvml", found)
    for name in ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"):
        monkeypatch.delenv(name, raising=False)
    return found


def test_whole_devices_and_parts(library: Library) -> None:
    whole, first, second = nvidia.devices()
    assert not library.is_open
    assert (whole.uuid, whole.index, whole.part) == ("11111111-2222-3333-4444-555555555555", 0, False)
    assert (whole.name, whole.pci_id, whole.capability) == ("NVIDIA H100 80GB HBM3", "0000:1B:00.0", (9, 0))
    assert (whole.memory_mb, whole.ecc, whole.units, whole.clock_mhz) == (81559, True, 132, 1980.0)
    assert (whole.dynamic.die_temperature, whole.dynamic.fan_percent) == (31, None)
    assert [part.uuid[:9] for part in (first, second)] == ["MIG-part0", "MIG-part1"]
    assert (first.part, first.index, first.memory_mb, first.units, first.pci_id) == (
        True,
        1,
        20096,
        42,
        "0000:1C:00.0",
    )


def test_what_the_tool_makes_of_it(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-extra", "-device", "0"]) == 0
    assert capsys.readouterr().out == (
        'DetectedGPUs="GPU-11111111"\n'
        "Common=[ Capability=9.0; ClockMhz=1980.00; ComputeUnits=132; CoresPerCU=128; "
        'DeviceName="NVIDIA H100 80GB HBM3"; DevicePciBusId="0000:1B:00.0"; '
        'DeviceUuid="11111111-2222-3333-4444-555555555555"; DriverVersion=12.40; ECCEnabled=true; '
        "GlobalMemoryMb=81559; MaxSupportedVersion=12040; ]\n"
        'GPU_11111111=[ id="GPU-11111111"; ]\n'
    )


def test_no_package(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(nvidia.os.path, "exists", lambda path: path == "/dev/nvidiactl")
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert out == "DetectedGPUs=0\n"
    assert err.startswith("condor_gpu_discovery: this machine has an NVIDIA device, but the Python package nvidia-ml")


def test_use_is_summed_and_told_for_each_device(
    library: Library, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = iter([50, 100] * 10)
    monkeypatch.setattr(
        library, "nvmlDeviceGetUtilizationRates", lambda handle: SimpleNamespace(gpu=next(rates)), raising=False
    )
    monkeypatch.setattr(library, "nvmlDeviceGetMemoryInfo", lambda handle: SimpleNamespace(used=3 * 1024 * 1024 + 1))
    waited: list[float] = []
    watch(Monitor(library), waited.append, reports=1)
    assert waited == [1.0] * 10

    def condition(number: int, start: str) -> str:
        names = (f"CUDA{number}", f"GPU-{start}", f"GPU-{start}-2222-3333-4444-555555555555")
        return " || ".join(f'StringListMember("{name}", AssignedGPUs)' for name in names)

    assert capsys.readouterr().out.splitlines()[:5] == [
        f"SlotMergeConstraint = {condition(0, '11111111')}",
        "UptimeGPUsSeconds = 5.000000",
        "UptimeGPUsMemoryPeakUsage = 4",
        "- GPUsSlot0",
        f"SlotMergeConstraint = {condition(1, 'a1111111')}",
    ]


def test_cores_of_new_devices() -> None:
    assert (cores_per_unit((7, 5)), cores_per_unit((8, 9)), cores_per_unit((99, 0))) == (64, 128, 128)


def _node(top: Path, number: int, name: str, properties: dict[str, int], banks: dict[int, int]) -> None:
    """A node of the topology that the kernel's driver for AMD's devices shows."""
    node = top / str(number)
    for at, (kind, size) in enumerate(banks.items()):
        (node / "mem_banks" / str(at)).mkdir(parents=True)
        (node / "mem_banks" / str(at) / "properties").write_text(f"heap_type {kind}\nsize_in_bytes {size}\n")
    node.mkdir(exist_ok=True)
    (node / "name").write_text(f"{name}\n")
    (node / "properties").write_text("".join(f"{key} {value}\n" for key, value in properties.items()))


@pytest.fixture
def topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A processor and two AMD devices, one without a number of its own."""
    top = tmp_path / "nodes"
    _node(top, 0, "", {"cpu_cores_count": 64, "simd_count": 0}, {0: 1 << 36})
    card = {
        "cpu_cores_count": 0, "simd_count": 440, "simd_per_cu": 4, "gfx_target_version": 90010, "wave_front_size": 64,
        "location_id": 0x2500, "domain": 0, "max_engine_clk_fcompute": 1700, "capability": 0x100000,
    }  # fmt: skip
    _node(top, 1, "aldebaran", card | {"unique_id": 0x7FA1B2C3D4E5F607}, {1: 65536 << 20})
    _node(top, 2, "navi21", card | {"unique_id": 0, "gfx_target_version": 100300, "capability": 0}, {2: 16384 << 20})
    monkeypatch.setattr(gpu_discovery, "_KFD", str(top))
    monkeypatch.delenv("GPU_DEVICE_ORDINAL", raising=False)
    return top


def test_devices_of_amd_are_read_from_the_topology(topology: Path) -> None:
    first, second = amd.devices(str(topology))
    assert (first.uuid, first.index, first.name, first.pci_id) == ("7fa1b2c3d4e5f607", 0, "aldebaran", "0000:25:00.0")
    assert (first.capability, first.memory_mb, first.units, first.ecc) == ((9, 0), 65536, 110, True)
    assert (second.uuid, second.capability, second.warp_size, second.ecc) == ("", (10, 3), 64, False)
    assert amd.devices(str(topology / "missing")) == []


def test_what_condor_gpu_discovery_says_of_amd(
    topology: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert gpu_discovery.main(["condor_gpu_discovery", "-hip", "-properties", "-extra"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'DetectedGPUs="GPU-7fa1b2c3, GPU1"'
    assert lines[1].startswith("Common=[ ClockMhz=1700.00; ComputeUnits=110; DevicePciBusId=")
    assert "WarpSize=64; ]" in lines[1]
    assert lines[3].startswith('GPU1=[ id="GPU1"; Capability=10.3; DeviceName="navi21"; ECCEnabled=false; ')
    assert "CoresPerCU" not in "".join(lines)
    monkeypatch.setenv("ROCR_VISIBLE_DEVICES", "1")
    gpu_discovery.main(["condor_gpu_discovery", "-hip", "-not-nested", "-properties"])
    assert capsys.readouterr().out.startswith('DetectedGPUs="GPU1"\nGPUCapability=10.3\n')
    gpu_discovery.main(["condor_gpu_discovery", "-cuda"])
    assert capsys.readouterr().out == "DetectedGPUs=0\n"


def test_opencl_devices_through_the_loader() -> None:
    try:
        found = opencl.devices(opencl.ANY)
    except opencl.NoLibrary:
        pytest.skip("there is no OpenCL loader here")
    if not found:
        pytest.skip("no OpenCL platform has a device here")
    assert all(device.name and device.opencl[0].isdigit() and device.units for device in found)
    assert [device.index for device in found] == list(range(len(found)))
    assert len(opencl.devices()) <= len(found)


def test_without_the_loader_nothing_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(opencl.NoLibrary, match="libMissing"):
        opencl.devices(library="libMissing.so.1")
    card = Gpu("", 0, "Card", ecc=False, memory_mb=4096, clock_mhz=1500.0, units=8, family="OCL", opencl="3.0")
    monkeypatch.setattr(opencl, "devices", lambda: [card])
    gpu_discovery.main(["condor_gpu_discovery", "-opencl", "-properties", "-extra"])
    assert capsys.readouterr().out.splitlines() == [
        'DetectedGPUs="OCL0"',
        'Common=[ ClockMhz=1500; ComputeUnits=8; DeviceName="Card"; ECCEnabled=false; GlobalMemoryMb=4096; '
        "OpenCLVersion=3.0; ]",
        'OCL0=[ id="OCL0"; ]',
    ]
