"""condor_submit_dag -wait: follow a DAG to its end, with a line on the terminal."""

from __future__ import annotations

import shutil
import signal
import sys
import time

from condor_py.client.pool import Pool
from condor_py.client.progress import Line
from condor_py.core.dag.states import DagStatus
from condor_py.lang import events
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus
from condor_py.store.event_log import EventReader, LogEvent, typed

_ENDS = (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED)
_REMOVED = 2
_SIGNALLED = 128
#: Seconds between two checks of the queue for the line on the terminal; without one only the log is followed.
_LOOK = 1.0
_BAR = 20


class Waiting:
    """Begin before the submit: what stands in the log of condor_dagman's job then is of earlier runs."""

    def __init__(self, pool: Pool, name: str, log: str) -> None:
        self._pool, self._name = pool, name
        self._reader = EventReader(log)
        for _ in self._reader.events():
            pass
        self._cluster = -1
        self._begun = time.monotonic()
        self._shows = sys.stderr.isatty()
        self._line = Line()
        self._last: ClassAd | None = None

    def wait(self) -> int:
        """The exit code of the DAG, when it is over. Raises CondorError, and KeyboardInterrupt when the caller does
        not want to wait any longer; the DAG continues then."""
        from condor_py.client.watch import FileWatch

        watch = FileWatch(self._reader.path)
        try:
            while (code := self._ended()) is None:
                self._show()
                watch.wait(_LOOK if self._shows else None)
        except KeyboardInterrupt:
            self._line.clear()
            sys.stderr.write(f"{self._name} continues as job {self._cluster}.\n")
            return _SIGNALLED + signal.SIGINT
        finally:
            watch.close()
        self._farewell(code)
        return code

    def _ended(self) -> int | None:
        for event in self._reader.sound_events():
            if event.number == JobEventType.SUBMIT:
                self._cluster = event.cluster
            elif event.cluster == self._cluster and event.number in _ENDS:
                return _code(event)
        if self._cluster < 0:
            raise CondorError(f"ERROR: {self._reader.path} does not mention the job of {self._name}")
        return None

    # ---- the line ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        if not self._shows:
            return
        try:
            ad = self._pool.read_queue().job(JobId(self._cluster, 0))
        except CondorError:
            return  # nothing to show for now
        if ad is not None:
            self._last = ad
            text = progress_line(self._name, ad, time.monotonic() - self._begun)
            self._line.show(text[: max(10, shutil.get_terminal_size().columns - 1)])

    def _farewell(self, code: int) -> None:
        self._line.clear()
        if code:
            sys.stderr.write(f"ERROR: {self._name} ended with {code}: {self._name}.dagman.out says why\n")
        elif self._shows:
            sys.stderr.write(f"{self._name} is done after {_clock(time.monotonic() - self._begun)}.\n")


def _code(event: LogEvent) -> int:
    """Return the exit code of condor_dagman; for a signal the one that a shell would report."""
    if event.number == JobEventType.JOB_ABORTED:
        return _REMOVED
    read = typed(event)
    assert isinstance(read, events.JobTerminated)
    return read.return_value if read.return_value is not None else _SIGNALLED + (read.signal or 0)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def progress_line(name: str, ad: ClassAd, seconds: float) -> str:
    """``t.dag [#####-----] 20 of 40 nodes done, 3 running, 1 idle 0:00:12`` from the ad of condor_dagman's job."""

    def number(attribute: str) -> int:
        return ad.eval_int(f"DAG_{attribute}", 0)

    status = ad.eval_int("JobStatus", 0)
    if status == JobStatus.HELD:
        return f"{name} is held: {ad.eval_str('HoldReason') or ''}"
    total, done = number("NodesTotal"), number("NodesDone")
    if not total:
        return f"{name} {'starts' if status == JobStatus.RUNNING else 'waits for its start'} {_clock(seconds)}"
    marks = _BAR * done // total
    counts = (
        ("running", number("JobsRunning")),
        ("idle", number("JobsIdle")),
        ("held", number("JobsHeld")),
        ("in scripts", number("NodesPrerun") + number("NodesPostrun")),
        ("failed", number("NodesFailed")),
        ("never to run", number("NodesFutile")),
    )
    parts = "".join(f", {count} {what}" for what, count in counts if count)
    bar = f"[{'#' * marks}{'-' * (_BAR - marks)}]"
    halted = " (halted)" if number("Status") == DagStatus.HALTED else ""
    return f"{name} {bar} {done} of {total} nodes done{parts} {_clock(seconds)}{halted}"
