"""Installed packages, in an interpreter that was started without them."""

from __future__ import annotations

import sys


def make_known() -> None:
    """Make installed packages importable. Commands and daemons start Python with -S, as looking for packages takes
    twice as long as the interpreter itself, so this is called before the import of one."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()
