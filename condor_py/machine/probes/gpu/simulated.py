"""Simulated GPUs, for tests of what handles them (table of condor_gpu_discovery's manual page)."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.machine.probes.gpu.devices import Dynamic, Gpu
from condor_py.model.texts import as_integer


class _Model(NamedTuple):
    name: str
    capability: tuple[int, int]
    clock_mhz: float
    units: int
    ecc: bool
    memory_mb: int
    parts: tuple[int, ...] = ()
    old_names: bool = False


_HALVES = (20086, 20082)
_MODELS = (
    _Model("GeForce GT 330", (1, 2), 1340.0, 12, False, 1024),
    _Model("GeForce GTX 480", (2, 0), 1400.0, 15, False, 1536),
    _Model("Tesla V100-PCIE-16GB", (7, 0), 1380.0, 80, True, 24220),
    _Model("TITAN RTX", (7, 5), 1770.0, 72, False, 24220),
    _Model("A100-SXM4-40GB", (8, 0), 1410.0, 42, True, 47661),
    _Model("NVIDIA A100-SXM4-40GB MIG 3g.20gb", (8, 0), 1410.0, 42, True, 0, _HALVES, True),
    _Model("NVIDIA A100-SXM4-40GB MIG 1g.5gb", (8, 0), 1410.0, 42, True, 0, (4861,) * 7),
    _Model("NVIDIA A100-SXM4-40GB MIG 3g.20gb", (8, 0), 1410.0, 42, True, 0, _HALVES),
)
#: This number means one of each model.
ALL = len(_MODELS)


class UnknownModel(Exception):
    """A model number that is not in the table."""


def choose(text: str | None) -> list[int]:
    """The models of ``D,N,D2,N2``: a number and how many of it. Raises UnknownModel."""
    if not text:
        return [0]
    words = text.split(",")
    found: list[int] = []
    for at in range(0, len(words), 2):
        if not words[at].isdecimal() or as_integer(words[at]) > ALL:
            raise UnknownModel
        model = as_integer(words[at])
        if model == ALL:
            return list(range(ALL))
        times = words[at + 1] if at + 1 < len(words) else "1"
        found += [model] * (as_integer(times) if times.isdecimal() else 0)
    return found


def devices(models: list[int]) -> list[Gpu]:
    """The simulated devices: whole ones in order, then parts in the order of their names."""
    whole: list[Gpu] = []
    parts: list[Gpu] = []
    for index, number in enumerate(models):
        model = _MODELS[number]
        start = f"{(0xA0 + 0x11 * index) % 256:02x}"
        pci = f"0000:{64 + index:02x}:00.0"
        if model.parts:
            parts += [_part(model, index, at, start, pci) for at in range(len(model.parts))]
        else:
            whole.append(_device(model, index, start, pci))
    return whole + sorted(parts, key=lambda part: part.uuid)


def _device(model: _Model, index: int, start: str, pci: str) -> Gpu:
    return Gpu(
        f"{start}223334-4445-5667-899a-abbccddeeff0", index, model.name, pci, model.capability, model.ecc,
        model.memory_mb, clock_mhz=model.clock_mhz, units=model.units,
        dynamic=Dynamic(None, 345 + index, 265 + index, 285 + index, 0, 0),
    )  # fmt: skip


def _part(model: _Model, index: int, number: int, start: str, pci: str) -> Gpu:
    end = "4445-5667-899a-abbccddeeff0"
    uuid = f"MIG-GPU-{start}223334-{end}/{number}/0" if model.old_names else f"MIG-{start}2233{number:02x}-{end}"
    return Gpu(uuid, index, "", pci, model.capability, model.ecc, model.parts[number], clock_mhz=model.clock_mhz)
