"""Program of the daemons but the master: ``main.py SUBSYSTEM [LOCAL-NAME]``. Started by the master."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def main(subsystem: str, *words: str, up: Callable[[Any], None] = lambda service: None) -> int:
    """Run one daemon until it is asked to stop; ``up`` gets it when it serves. ``words`` is its local name, if it has
    one."""
    from condor_py.daemons.common.service import run_service
    from condor_py.model import garbage

    with garbage.kept():
        if subsystem == "SCHEDD":
            from condor_py.daemons.schedd.daemon import ScheddDaemon as daemon
        elif subsystem == "NEGOTIATOR":
            from condor_py.daemons.negotiator.daemon import NegotiatorDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "STARTD":
            from condor_py.daemons.startd.daemon import StartdDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "DEFRAG":
            from condor_py.daemons.defrag import DefragDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "JOB_ROUTER":
            from condor_py.daemons.jobrouter import JobRouterDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "CREDD":
            from condor_py.daemons.credd import CreddDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "ROOSTER":
            from condor_py.daemons.rooster import RoosterDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "GANGLIAD":
            from condor_py.daemons.gangliad.daemon import GangliadDaemon as daemon  # type: ignore[assignment]
        elif subsystem == "GRIDMANAGER":
            from condor_py.daemons.gridmanager.daemon import serve
        else:
            sys.stderr.write(f"no such daemon: {subsystem}\n")
            return 4
    return serve(list(words)) if subsystem == "GRIDMANAGER" else run_service(daemon, words[0] if words else "", up)


def start(subsystem: str, *words: str) -> int:
    """Run one daemon; one line is all there is to say of a machine that has no memory or descriptor for it."""
    from condor_py.model.errors import shortage

    try:
        return main(subsystem, *words)
    except (MemoryError, OSError, ImportError) as error:
        lacking = shortage(error)
        if not lacking:
            raise
        sys.stderr.write(f"condor_{subsystem.lower()}: {lacking}\n")
        return 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    from condor_py.model.exiting import leave

    leave(start(*sys.argv[1:]))
