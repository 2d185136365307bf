"""Programs of this package that configuration names at a place where they need not be installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

#: What $(LIBEXEC) has in HTCondor, and here is a tool of the package.
_OURS = frozenset({"condor_gpu_discovery", "condor_gpu_utilization", "condor_kflops", "condor_mips"})


def command_line(argv: Sequence[str]) -> list[str]:
    """``argv``, but with our own program in place of one of that name that is not there."""
    program, name = argv[0], os.path.basename(argv[0])
    if name not in _OURS or os.path.exists(program):
        return list(argv)
    main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
    return [sys.executable, "-I", main, name, *argv[1:]]
