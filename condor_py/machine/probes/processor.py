"""The processor: /proc/cpuinfo and the machine name of uname."""

from __future__ import annotations

import re

from condor_py.machine.probes.reader import Read, read_file
from condor_py.model.facts import CpuFacts
from condor_py.model.system import arch

#: Flags that slot ads show as has_<flag>.
ADVERTISED_FLAGS = ("avx", "avx2", "avx512_vnni", "avx512dq", "avx512f", "sse4_1", "sse4_2", "ssse3")
_LEVELS = (
    ("x86_64-v4", {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}),
    ("x86_64-v3", {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}),
    ("x86_64-v2", {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
)


def microarch(flags: frozenset[str]) -> str:
    """The highest x86-64 level whose flags are all there."""
    return next((level for level, needed in _LEVELS if needed <= flags), "x86_64-v1")


def _number(text: str) -> int:
    match = re.match(r"\d+", text)
    return int(match[0]) if match else 0


def probe(machine: str, read: Read = read_file) -> CpuFacts:
    """The facts of the first processor (all are taken to be alike)."""
    fields: dict[str, str] = {}
    for line in (read("/proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if not colon and fields:
            break
        fields.setdefault(key.strip(), value.strip())
    flags = frozenset(fields.get("flags", "").split())
    name = arch(machine)
    return CpuFacts(
        arch=name,
        family=_number(fields.get("cpu family", "")),
        model=_number(fields.get("model", "")),
        cache_kb=_number(fields.get("cache size", "")),
        microarch=microarch(flags) if name == "X86_64" else "",
        flags=flags.intersection(ADVERTISED_FLAGS),
    )
