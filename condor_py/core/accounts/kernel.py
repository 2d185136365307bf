"""The priority kernel in use: compiled where it could be built, else its pure twin.

``CONDOR_PY_NO_EXT=1`` in the environment forces the twin (read once, when this module is imported).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.accounts import kernel_py
from condor_py.core.accounts.kernel_py import (
    CHANGED_PRIORITY,
    CHANGED_USAGE,
    CHANGED_WEIGHTED,
    HAD_UNCHARGED,
    IN_USE,
    MIN_PRIORITY,
    six_decimals,
)
from condor_py.model.later import built

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


_module: Any = built("condor_py.core.accounts._kernel") or kernel_py
COMPILED = _module is not kernel_py
decay: Callable[..., int] = _module.decay
effective: Callable[..., None] = _module.effective
shares: Callable[..., tuple[float, float]] = _module.shares
limits: Callable[..., float] = _module.limits
order: Callable[..., None] = _module.order
