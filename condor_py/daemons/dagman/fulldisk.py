"""Retries of writes that a DAG cannot continue without, while the disk is full."""

from __future__ import annotations

import signal
from collections.abc import Callable

from condor_py.core.dag.states import EXIT_ABORT, EXIT_RESTART
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.quitting import Quit
from condor_py.daemons.dagman.waiting import Waiter
from condor_py.model.errors import NoSpace
from condor_py.store.fs import is_full

_PAUSE = 1.0


def may_pass(error: Exception) -> bool:
    """Whether it says that the disk is full: what failed may work later."""
    return isinstance(error, NoSpace) or (isinstance(error, OSError) and is_full(error))


class Patience:
    """Waits for room on the disk when something is to be written."""

    def __init__(self, log: OutLog, waiter: Waiter) -> None:
        self._log, self._waiter = log, waiter

    def write(self, write: Callable[[], None]) -> None:
        """Call ``write`` until the disk has room for it; its other errors come out. Raises Quit when condor_dagman is
        to end meanwhile: the next one continues from what is written."""
        complained = False
        while True:
            try:
                write()
                return
            except (NoSpace, OSError) as error:
                if not may_pass(error):
                    raise
                if not complained:
                    self._log.loud(f"WARNING: {error}: waiting for room")
                    self._log.flush()
                    complained = True
            if self._waiter.received:
                raise Quit(EXIT_ABORT if signal.SIGUSR1 in self._waiter.received else EXIT_RESTART)
            self._waiter.wait(_PAUSE)
