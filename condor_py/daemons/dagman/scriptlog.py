"""Results of PRE scripts, kept for the next condor_dagman of this job: no event of the nodes log has them.

The file is next to the DAG while it runs (``.scripts`` after the name of the first .dag file). It has an event 016 for
each end, as the nodes log has for POST scripts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from condor_py.core.dag.progress import ScriptResult
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.nodeslog import NodesLog, post_event
from condor_py.daemons.dagman.scriptjobs import ScriptEnd

_NO_JOB = (-1, 0, 0)


class ScriptLog:
    """Ends of PRE scripts, on the medium before anything follows from them."""

    def __init__(self, primary: str, patience: Patience) -> None:
        self.path = f"{primary}.scripts"
        self._log = NodesLog(self.path, patience)

    def read(self) -> list[tuple[str, ScriptResult]]:
        """Name of the node and result of all that are known. Raises StoreError for a damaged file."""
        if not os.path.exists(self.path):
            return []
        return [(event.name, ScriptResult(event.code, event.signal)) for event, _ in self._log.read() if event.name]

    def add(self, ends: Iterable[tuple[str, ScriptEnd]]) -> None:
        """Keep these ends. Raises StoreError."""
        now = time.time()
        self._log.append([post_event(name, _NO_JOB, now, end.code, end.signal) for name, end in ends])

    def remove(self) -> None:
        """Remove the file, which is not needed any more."""
        try:
            os.unlink(self.path)
        except OSError:
            return
