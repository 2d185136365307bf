"""Starters in virtual time: jobs that last as long as was drawn for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport, Usage
from condor_py.simulator.heap import EventHeap
from condor_py.startd import effects as do
from condor_py.startd import events as on


@dataclass(slots=True)
class VirtualRun:
    """A job on a claim: ``left`` seconds to run since ``since`` (None while it is suspended)."""

    job: str
    number: int
    begun: float
    left: float
    since: float | None
    ticket: int = 0


@dataclass(slots=True)
class _Starter:
    pid: int
    run: VirtualRun | None = None


class Starters:
    """One starter a claim. A job that is killed softly ends at once; ``deaf`` jobs wait for the hard kill.

    ``tell`` takes events to the startd; ``ended`` gets the report of each run.
    """

    def __init__(
        self,
        heap: EventHeap,
        duration_of: Callable[[JobId], float],
        tell: Callable[[on.Event], object],
        started: Callable[[str, JobId, int, int], object],
        ended: Callable[[str, ExitReport], object],
    ) -> None:
        self._heap = heap
        self._duration_of = duration_of
        self._tell = tell
        self._started = started
        self._ended = ended
        self._starters: dict[str, _Starter] = {}
        self._pids = 1000
        self._tickets = 0
        #: Jobs that ignore the soft kill.
        self.deaf: set[JobId] = set()

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for a starter; False for any other."""
        match effect:
            case do.StartStarter(claim_id, _):
                self._fork(claim_id)
            case do.StartJob(claim_id, job, number):
                self._start(claim_id, job, number)
            case do.SoftKill(claim_id):
                self._kill(claim_id, hard=False)
            case do.HardKill(claim_id):
                self._kill(claim_id, hard=True)
            case do.SuspendJob(claim_id):
                self._suspend(claim_id)
            case do.ContinueJob(claim_id):
                self._continue(claim_id)
            case do.StopStarter(claim_id):
                self._starters.pop(claim_id, None)
            case do.KillStarter(claim_id):
                if self._starters.pop(claim_id, None) is not None:
                    self._heap.at(self._heap.now, self._tell, on.StarterGone(self._heap.now, claim_id, 9))
            case _:
                return False
        return True

    def _fork(self, claim_id: str) -> None:
        self._pids += 1
        self._starters[claim_id] = _Starter(self._pids)
        self._heap.at(self._heap.now, self._ready, claim_id)

    def _ready(self, claim_id: str) -> None:
        starter = self._starters.get(claim_id)
        if starter is not None:
            self._tell(on.StarterReady(self._heap.now, claim_id, starter.pid))

    def _start(self, claim_id: str, job: str, number: int) -> None:
        now = self._heap.now
        run = VirtualRun(job, number, now, self._duration_of(JobId.parse(job)), now)
        self._starters[claim_id].run = run
        self._pids += 1
        self._tell(on.JobStarted(now, claim_id, self._pids))
        self._started(claim_id, JobId.parse(job), number, self._pids)
        self._plan_end(claim_id, run)

    def _plan_end(self, claim_id: str, run: VirtualRun) -> None:
        self._tickets += 1
        run.ticket = self._tickets
        self._heap.at(self._heap.now + run.left, self._finish, claim_id, run.ticket)

    def _finish(self, claim_id: str, ticket: int) -> None:
        """The job ends by itself, unless the plan of its end has been changed."""
        starter = self._starters.get(claim_id)
        if starter is not None and starter.run is not None and starter.run.ticket == ticket:
            self._end(claim_id, starter, vacated=False)

    def _end(self, claim_id: str, starter: _Starter, vacated: bool) -> None:
        run = starter.run
        if run is None:
            return
        starter.run = None
        now = self._heap.now
        report = ExitReport(
            claim_id,
            run.job,
            run.number,
            exit_code=None if vacated else 0,
            vacated=vacated,
            pid=starter.pid,
            start_time=run.begun,
            exec_time=run.begun,
            end_time=now,
            usage=Usage(user_cpu=now - run.begun),
        )
        self._ended(claim_id, report)

    def _kill(self, claim_id: str, hard: bool) -> None:
        starter = self._starters.get(claim_id)
        if starter is None or starter.run is None:
            return
        if not hard and JobId.parse(starter.run.job) in self.deaf:
            return
        starter.run.ticket = 0
        self._heap.at(self._heap.now, self._end, claim_id, starter, True)

    def _suspend(self, claim_id: str) -> None:
        starter = self._starters.get(claim_id)
        run = starter.run if starter is not None else None
        if run is not None and run.since is not None:
            run.left -= self._heap.now - run.since
            run.since = None
            run.ticket = 0

    def _continue(self, claim_id: str) -> None:
        starter = self._starters.get(claim_id)
        run = starter.run if starter is not None else None
        if run is not None and run.since is None:
            run.since = self._heap.now
            self._plan_end(claim_id, run)
