"""Suggestions for misspelled knobs."""

from __future__ import annotations

import sys

from condor_py.cli.suggest import hint
from condor_py.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.config import Config


def suggest_subsystem(name: str, config: Config) -> None:
    """On a terminal, name a subsystem that is neither HTCondor's nor in DAEMON_LIST."""
    from condor_py.lang.config.lint.names import SUBSYSTEMS

    known = [*SUBSYSTEMS, *map(str.upper, config.list("DAEMON_LIST"))]
    if name.upper() not in known:
        like = nearest(name, known)
        hint(f"There is no subsystem {name}" + (f": did you mean {like}?" if like else ""))


def suggest_knob(name: str, config: Config) -> None:
    """On a terminal, suggest the knob that a misspelled name probably means; scripts compare what tools print."""
    if not sys.stderr.isatty():
        return
    like = nearest(name, config.names())
    if like and like.lower() != name.lower():
        sys.stderr.write(f"Did you mean {like}?\n")
