"""Packages of Python that condor_py needs and the interpreter lacks."""

from __future__ import annotations

import os
import sys


def lacking(error: ModuleNotFoundError) -> str:
    """Return one line with the missing package and a remedy; "" for a module of our own, which is a bug."""
    name = (error.name or "").partition(".")[0]
    if name in ("", "condor_py"):
        return ""
    start = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bin/quickstart")
    set_up = f"run {start}" if os.path.exists(start) else "install condor_py's requirements for it"
    return (
        f"{sys.executable or 'python3'} has no package '{name}': {set_up}, or name another Python in CONDOR_PY_PYTHON"
    )
