"""Installed packages, in an interpreter that was started without them."""

from __future__ import annotations

import os
import sys


def make_known() -> None:
    """Make installed packages importable. Commands and daemons start Python with -S, as looking for packages takes
    twice as long as the interpreter itself, so this is called before the import of one."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()


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
