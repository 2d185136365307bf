"""The tables of every tool that exists, for what is generated from them."""

from __future__ import annotations

import importlib

from condor_py.tools.entry import PROGRAMS
from condor_py.tools.options import ToolSpec


def specs() -> list[ToolSpec]:
    """One table a program, by name. A tool module keeps its tables in ``SPECS``."""
    modules = sorted({target.partition(":")[0] for target in PROGRAMS.values()})
    found: list[ToolSpec] = []
    for module in modules:
        found.extend(importlib.import_module(f"condor_py.tools.{module}").SPECS)
    return sorted(found, key=lambda spec: spec.name)
