"""Speed of one core: Mips and KFlops, measured by the C extension (there is no twin in Python, which would measure
Python)."""

from __future__ import annotations

import importlib
from typing import Any

#: Rounds of the integer benchmark a second that make one Mips. Set so that Mips is what the Dhrystone benchmark of
#: HTCondor gave on the same machine (52,800 on one of 2024).
_ROUNDS_A_MIPS = 1110.0
#: Seconds of CPU that a measurement takes, and how often it is repeated; the best counts, for disturbances only slow.
_SECONDS = 0.25
_TIMES = 4


class NotBuilt(Exception):
    """The C extension is not there."""


def mips() -> int:
    """Millions of instructions a second, in the units of the Dhrystone benchmark. Raises NotBuilt."""
    extension = _extension()
    return int(max(extension.rounds(_SECONDS) for _ in range(_TIMES)) / _ROUNDS_A_MIPS)


def kflops() -> int:
    """Thousands of floating point operations a second: a system of 200 linear equations. Raises NotBuilt."""
    extension = _extension()
    return int(max(extension.flops(_SECONDS)[0] for _ in range(_TIMES)) / 1000.0)


def is_compiled() -> bool:
    """Whether there is anything to measure with."""
    try:
        return _extension() is not None
    except NotBuilt:
        return False


def _extension() -> Any:
    try:
        return importlib.import_module("condor_py.machine.probes._benchmark")
    except ImportError:
        raise NotBuilt("the C extension condor_py.machine.probes._benchmark is not built (no compiler?)") from None
