"""Programs of this package: the paths from which daemons start them, and those that configuration names at a place
where they need not be installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from condor_py.lang.config.installed import tools_directory

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
#: Takes the name of a command as its first argument.
COMMANDS = os.path.join(_PACKAGE, "__main__.py")
#: Takes the name of a daemon as its first argument.
DAEMONS = os.path.join(_PACKAGE, "daemons", "main.py")
#: What $(LIBEXEC) has in HTCondor, and here is a tool of the package.
_OURS = frozenset({"condor_adstash", "condor_gpu_discovery", "condor_gpu_utilization", "condor_kflops", "condor_mips",
                    "condor_power", "condor_power_state", "condor_web"})  # fmt: skip
#: Programs that take the options of daemons.
_DAEMONS = frozenset({"condor_defrag", "condor_gangliad", "condor_job_router", "condor_negotiator", "condor_rooster",
                      "condor_schedd", "condor_startd"})  # fmt: skip


def command_line(argv: Sequence[str]) -> list[str]:
    """``argv``, but with our own program as the daemons' interpreter runs it."""
    name = os.path.basename(argv[0])
    if not is_ours(argv[0]):
        return list(argv)
    return [sys.executable, "-I", "-X", "utf8", COMMANDS, name, *argv[1:]]


def is_daemon(program: str) -> bool:
    """Whether a program is one of our daemons (``is_ours`` is for what they run)."""
    return os.path.basename(program) in _DAEMONS and _is_installed(program)


def is_ours(program: str) -> bool:
    """Whether a program is ours: where the other commands are, or in place of one that is not there.

    It is as trusted as the daemons and runs as they do: another account need not be able to execute our interpreter.
    """
    return os.path.basename(program) in _OURS and _is_installed(program)


def _is_installed(program: str) -> bool:
    return not os.path.exists(program) or os.path.dirname(program) == tools_directory()
