"""When nothing happens for long: saying what is waited for, and asking the queue whether that is still there."""

from __future__ import annotations

import time

from condor_py.access import wire
from condor_py.dagman.core.run import Run
from condor_py.model.errors import CondorError
from condor_py.model.messages.queue import Sync
from condor_py.tools.dagman.start import Start
from condor_py.tools.dagman.submits import Submits

#: Names of nodes in one report.
_MOST_NAMES = 10


class Quiet:
    """Counts the seconds since the last event of the nodes log."""

    def __init__(self, start: Start, run: Run, submits: Submits) -> None:
        self._start, self._run, self._submits = start, run, submits
        self.news()

    def news(self) -> None:
        """Something happened."""
        now = time.monotonic()
        self._since = self._reported = self._asked = now

    def turn(self) -> None:
        """Report or ask, if it is time."""
        settings, now = self._start.settings, time.monotonic()
        waiting = [node for node, jobs in self._run.progress.jobs.items() if jobs.cluster > 0 and not jobs.are_over]
        if not waiting:
            return
        if 0 < settings.pending_report_interval <= now - self._reported:
            self._reported = now
            names = self._run.progress.dag.names
            shown = ", ".join(names[node] for node in waiting[:_MOST_NAMES])
            more = f" and {len(waiting) - _MOST_NAMES} more" if len(waiting) > _MOST_NAMES else ""
            self._start.log.say(f"{int(now - self._since)} seconds since last log event; pending nodes: {shown}{more}")
        if 0 < settings.check_queue_interval <= now - self._asked:
            self._asked = now
            self._ask(waiting)

    def _ask(self, waiting: list[int]) -> None:
        """Have the schedd write what is missing in the log, and name the nodes that are in no queue."""
        p = self._run.progress
        try:
            self._start.pool.ask("schedd", Sync(), timeout=20.0)
            lost = [node for node in waiting if p.jobs[node].cluster not in self._submits.queued()]
        except (CondorError, wire.WireError, OSError) as error:
            self._start.log.say(f"Cannot ask the queue: {error}")
            return
        for node in lost:
            name, cluster = p.dag.names[node], p.jobs[node].cluster
            self._start.log.loud(f"Warning: node {name}: its jobs ({cluster}) are not in the queue, without an event")
