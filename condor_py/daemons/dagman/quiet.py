"""When nothing happens for long: saying what is waited for, and asking the queue whether that is still there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from condor_py.client import wire
from condor_py.core.dag.progress import NodeJobs
from condor_py.core.dag.run import Run
from condor_py.core.dag.states import NodeState
from condor_py.daemons.dagman.start import Start
from condor_py.daemons.dagman.submits import Submits
from condor_py.lang.dag.messages import VERBOSE
from condor_py.model.errors import CondorError
from condor_py.model.messages.bells import Sync

_AT_WORK = (NodeState.PRERUN, NodeState.SUBMITTED, NodeState.POSTRUN)


class Quiet:
    """Counts the seconds since the last event of the nodes log; ``read_log`` takes those that have come since; False
    when it could not."""

    def __init__(self, start: Start, run: Run, submits: Submits, read_log: Callable[[], bool]) -> None:
        self._start, self._run, self._submits, self._read_log = start, run, submits, read_log
        self.news()

    def news(self) -> None:
        """Something happened."""
        now = time.monotonic()
        self._since = self._reported = self._asked = now

    def turn(self) -> None:
        """Report or ask, if it is time."""
        settings, now = self._start.settings, time.monotonic()
        reports = 0 < settings.pending_report_interval <= now - self._reported
        asks = 0 < settings.check_queue_interval <= now - self._asked
        waiting = self.waiting() if reports or asks else []
        if not waiting:
            return
        if reports:
            self._reported = now
            self._start.log.say(f"{int(now - self._since)} seconds since last log event")
            self._tell_pending()
        if asks:
            self._asked = now
            self.verify(waiting)

    def _tell_pending(self) -> None:
        """The nodes that are at work, in HTCondor's words."""
        p, log = self._run.progress, self._start.log
        log.say("Pending DAG nodes:")
        for node in p.dag.order:
            state = p.state(node)
            if state in _AT_WORK:
                jobs = p.jobs.get(node)
                cluster = jobs.cluster if jobs is not None else -1
                log.say(f"  Node {p.dag.names[node]}, HTCondor ID {cluster}, status {f'STATUS_{state.name}':16}")

    def waiting(self) -> list[int]:
        """The nodes with jobs that have not ended."""
        return [node for node, jobs in self._run.progress.jobs.items() if _waits(jobs)]

    def verify(self, waiting: Iterable[int]) -> None:
        """See whether the jobs of these nodes are in the queue, or have ended as the nodes log tells by now. A DAG that
        waits for others would wait for ever: it is broken off."""
        log, p = self._start.log, self._run.progress
        log.say("Querying local schedd for associated jobs in queue", VERBOSE)
        try:
            queued = self._submits.in_queue()
            self._start.pool.ask("schedd", Sync(), timeout=20.0)  # all events of what has left are written
        except (CondorError, wire.WireError, OSError) as error:
            log.say(f"ERROR: Failed to fetch job ads from local Schedd: {error}")
            return
        if not self._read_log():
            return  # it tries again, and says so
        lost = [node for node in waiting if _waits(p.jobs.get(node)) and p.jobs[node].cluster not in queued]
        if lost and not self._run.is_over:
            self._run.lost(lost)
        else:
            log.say("All pending job states validated", VERBOSE)


def _waits(jobs: NodeJobs | None) -> bool:
    return jobs is not None and jobs.cluster > 0 and not jobs.are_over
