"""GPUs: what the NVIDIA driver tells of them, and pretended ones for tests."""

from condor_py.hardware.gpu.devices import Dynamic, Gpu, cores_per_unit

__all__ = ["Dynamic", "Gpu", "cores_per_unit"]
