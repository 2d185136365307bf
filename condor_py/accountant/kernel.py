"""The priority kernel in use: compiled where it could be built, else its pure twin.

``CONDOR_PY_NO_EXT=1`` in the environment forces the twin (read once, when this module is imported).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from condor_py.accountant import kernel_py
from condor_py.accountant.kernel_py import (
    CHANGED_PRIORITY,
    CHANGED_USAGE,
    CHANGED_WEIGHTED,
    HAD_UNCHARGED,
    IN_USE,
    MIN_PRIORITY,
    six_decimals,
)

__all__ = [
    "CHANGED_PRIORITY",
    "CHANGED_USAGE",
    "CHANGED_WEIGHTED",
    "COMPILED",
    "HAD_UNCHARGED",
    "IN_USE",
    "MIN_PRIORITY",
    "decay",
    "effective",
    "limits",
    "order",
    "shares",
    "six_decimals",
]


def _load() -> tuple[Any, bool]:
    if os.environ.get("CONDOR_PY_NO_EXT") == "1":
        return kernel_py, False
    try:
        return import_module("condor_py.accountant._kernel"), True
    except ImportError:
        return kernel_py, False


_module, COMPILED = _load()
decay: Callable[..., int] = _module.decay
effective: Callable[..., None] = _module.effective
shares: Callable[..., tuple[float, float]] = _module.shares
limits: Callable[..., float] = _module.limits
order: Callable[..., None] = _module.order
