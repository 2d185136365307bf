"""AMD GPUs, as the kernel's driver for computing (amdkfd) lists them in its topology."""

from __future__ import annotations

import os

from condor_py.machine.probes.gpu.devices import Gpu

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_MB = 1024 * 1024
#: Kinds of memory banks that are on the card: visible to the processor, and not.
_ON_CARD = (1, 2)
#: The bit of "capability" for memory that corrects its errors.
_CORRECTS = 0x00100000


def devices(nodes: str = _NODES) -> list[Gpu]:
    """The devices in the order of the topology, without the nodes of processors; none without such a driver."""
    try:
        numbers = sorted(int(name) for name in os.listdir(nodes) if name.isdecimal())
    except OSError:
        return []
    found: list[Gpu] = []
    for number in numbers:
        facts = _numbers(f"{nodes}/{number}/properties")
        if facts.get("simd_count"):
            found.append(_device(f"{nodes}/{number}", facts, len(found)))
    return found


def _device(node: str, facts: dict[str, int], index: int) -> Gpu:
    version, place = facts.get("gfx_target_version", 0), facts.get("location_id", 0)
    clock, units = facts.get("max_engine_clk_fcompute", 0), facts["simd_count"] // max(1, facts.get("simd_per_cu", 1))
    unique, memory = facts.get("unique_id", 0), _memory(f"{node}/mem_banks")
    return Gpu(
        uuid=f"{unique:016x}" if unique else "",
        index=index,
        name=_text(f"{node}/name").strip(),
        pci_id=f"{facts.get('domain', 0):04X}:{place >> 8 & 255:02X}:{place >> 3 & 31:02X}.0" if place else "",
        capability=(version // 10000, version // 100 % 100) if version else None,
        ecc=bool(facts.get("capability", 0) & _CORRECTS),
        memory_mb=memory // _MB if memory else None,
        clock_mhz=float(clock) if clock else None,
        units=units,
        family="GPU",
        warp_size=facts.get("wave_front_size") or None,
    )


def _memory(banks: str) -> int:
    """Bytes of the banks on the card."""
    try:
        names = os.listdir(banks)
    except OSError:
        return 0
    read = [_numbers(f"{banks}/{name}/properties") for name in names]
    return sum(bank.get("size_in_bytes", 0) for bank in read if bank.get("heap_type") in _ON_CARD)


def _numbers(path: str) -> dict[str, int]:
    """The ``name number`` lines of a file."""
    pairs = (line.split() for line in _text(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
