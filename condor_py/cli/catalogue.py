"""The tables of every tool that exists, for what is generated from them."""

from __future__ import annotations

import importlib

from condor_py.cli.entry import PROGRAMS
from condor_py.cli.options import ToolSpec


def specs() -> list[ToolSpec]:
    """One table a program, by name. A tool module keeps its tables in ``SPECS``."""
    modules = sorted({target.partition(":")[0] for target in PROGRAMS.values()})
    found: list[ToolSpec] = []
    for module in modules:
        found.extend(importlib.import_module(f"condor_py.cli.{module}").SPECS)
    return sorted(found, key=lambda spec: spec.name)
