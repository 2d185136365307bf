"""GPUs: what the drivers of NVIDIA and AMD and OpenCL tell of them, and simulated ones for tests."""

from condor_py.machine.probes.gpu.devices import Dynamic, Gpu, cores_per_unit

__all__ = ["Dynamic", "Gpu", "cores_per_unit"]
