"""Starters in virtual time: the core of real ones (``runs``), and jobs that last as long as was drawn for them."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from condor_py.core.runs import events as tell
from condor_py.core.runs.core import Course, broken
from condor_py.core.runs.effects import Do, Effect, Refuse, Report, Signal, Step, Stopped, Wait
from condor_py.core.runs.facts import RunFacts
from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.model.ids import JobId
from condor_py.model.messages import runs
from condor_py.model.report import ExitReport, Usage
from condor_py.simulate.heap import EventHeap
from condor_py.simulate.memory import OVER_MEMORY

#: Signals that end a program for sure, and such that mean nothing.
_SURE, _NOTHING = int(signal.SIGKILL), 0
#: Nothing that virtual starters do fails.
_DONE: dict[Step, tell.Event] = {step: tell.Drained() if step is Step.DRAIN else tell.Done(step) for step in Step}


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a job.

    How long its program runs in seconds, how long it continues at most after its kill signal (infinity: it ignores the
    signal), what its starter reads in its ad, its megabytes, and whether its slot has fewer: it ends for want of them.
    """

    seconds: float
    stop_seconds: float
    facts: RunFacts
    memory: int = 0
    starves: bool = False


@dataclass(slots=True)
class VirtualRun:
    """A job on a claim, activated at ``start_time``: its program, once there is one, has ``left`` seconds to run since
    ``since`` (None while it is suspended). ``ticket`` is that of its planned end. The rest is for its report."""

    job: str
    number: int
    start_time: float
    plan: Plan
    left: float
    pid: int = 0
    exec_time: float = 0.0
    vacated: bool = False
    hold_code: int = 0
    hold_subcode: int = 0
    hold_reason: str = ""
    since: float | None = None
    ticket: int = 0
    used: float = 0.0


@dataclass(slots=True)
class _Starter:
    claim_id: str
    pid: int
    course: Course = field(default_factory=Course)
    run: VirtualRun | None = None
    to_do: deque[Effect] = field(default_factory=deque)
    busy: bool = False
    #: That of the Wait that counts.
    ticket: int = 0


class Starters:
    """One starter a claim. ``plan_of`` tells what a job will do, ``tell_startd`` takes events to the startd,
    ``started`` gets what the schedd hears of each start.
    """

    def __init__(
        self,
        heap: EventHeap,
        plan_of: Callable[[JobId], Plan],
        tell_startd: Callable[[on.Event], object],
        started: Callable[[runs.RunStarted], object],
    ) -> None:
        self._heap = heap
        self._plan_of = plan_of
        self._tell_startd = tell_startd
        self._started = started
        self._starters: dict[str, _Starter] = {}
        self._pids = 1000
        self._tickets = 0

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for a starter; False for any other."""
        match effect:
            case do.StartStarter(claim_id, _):
                self._fork(claim_id)
            case runs.StartJob(claim_id, job, number):
                self._start(claim_id, job, number)
            case runs.SoftKill(claim_id) | runs.HardKill(claim_id):
                self._soon(claim_id, effect)
            case runs.SuspendJob(claim_id) | runs.ContinueJob(claim_id):
                self._happened(claim_id, effect)
            case runs.StopStarter(claim_id):
                self._starters.pop(claim_id, None)
            case do.KillStarter(claim_id):
                if self._starters.pop(claim_id, None) is not None:
                    self._heap.at(self._heap.now, self._tell_startd, on.StarterGone(claim_id, 9))
            case _:
                return False
        return True

    def broken(self) -> list[str]:
        """Return the violations of invariants in all starters."""
        return [f"{starter.claim_id}: {text}" for starter in self._starters.values() for text in broken(starter.course)]

    def _fork(self, claim_id: str) -> None:
        self._pids += 1
        self._starters[claim_id] = _Starter(claim_id, self._pids)
        self._heap.at(self._heap.now, self._ready, claim_id)

    def _ready(self, claim_id: str) -> None:
        starter = self._starters.get(claim_id)
        if starter is not None:
            self._tell_startd(runs.Ready(claim_id, starter.pid))

    def _start(self, claim_id: str, job: str, number: int) -> None:
        plan = self._plan_of(JobId.parse(job))
        self._starters[claim_id].run = VirtualRun(job, number, self._heap.now, plan, plan.seconds)
        self._happened(claim_id, tell.Begin(plan.facts))

    # -- events and effects ------------------------------------------------------------------------

    def _soon(self, claim_id: str, event: tell.Event) -> None:
        """Tells a starter when the step of the simulation is over: what it does comes back to the startd."""
        self._heap.at(self._heap.now, self._happened, claim_id, event)

    def _happened(self, claim_id: str, event: tell.Event) -> None:
        """Handle an event of a starter. Events that come up while effects are carried out are handled after them."""
        starter = self._starters.get(claim_id)
        if starter is None:
            return
        to_do = starter.to_do
        to_do.extend(starter.course.handle(event, self._heap.now))
        if starter.busy:
            return
        starter.busy = True
        while to_do and starter.run is not None:
            effect = to_do.popleft()
            if type(effect) is Step:  # most are, and all that such a step leads to is the next
                if effect is Step.EXECUTE:
                    self._execute(starter, starter.run)
                if claim_id in self._starters:
                    to_do.extend(starter.course.handle(_DONE[effect], self._heap.now))
            elif type(effect) is Do:
                self._do(starter, starter.run, effect)
            else:
                self._carry_out_order(starter, starter.run, effect)
        starter.busy = False

    def _do(self, starter: _Starter, run: VirtualRun, deed: Do) -> None:
        match deed:
            case Do.WATCH | Do.CONTINUE:
                self._runs_from_now(starter, run)
            case Do.CANCEL_WAIT:
                starter.ticket = 0
            case Do.SUSPEND:
                self._stands_still(run)
            case Do.KILL:
                self._ends_within(starter, run, 0.0)

    def _carry_out_order(self, starter: _Starter, run: VirtualRun, effect: Effect) -> None:
        match effect:
            case Report(stopped):
                self._report(starter, run, stopped)
            case Wait(seconds):
                starter.ticket = self._ticket()
                self._heap.at(self._heap.now + seconds, self._tick, starter, starter.ticket)
            case Signal(number):
                self._signal(starter, run, number)
            case Stopped():
                run.vacated = True
            case Refuse(code, reason):
                run.hold_code, run.hold_reason = code, reason

    def _tick(self, starter: _Starter, ticket: int) -> None:
        if starter.ticket == ticket:
            self._happened(starter.claim_id, tell.Tick())

    def _execute(self, starter: _Starter, run: VirtualRun) -> None:
        self._pids += 1
        run.pid, run.exec_time = self._pids, self._heap.now
        job, now = JobId.parse(run.job), self._heap.now
        started = runs.RunStarted(starter.claim_id, job, run.number, run.pid, now, "/scratch")
        self._tell_startd(started)
        self._started(started)

    # -- the program -------------------------------------------------------------------------------

    def _runs_from_now(self, starter: _Starter, run: VirtualRun) -> None:
        if run.since is None:
            run.since = self._heap.now
            self._plan_end(starter, run)

    def _stands_still(self, run: VirtualRun) -> None:
        if run.since is not None:
            self._count(run)
            run.since = None
            run.ticket = 0

    def _signal(self, starter: _Starter, run: VirtualRun, number: int) -> None:
        if number != _NOTHING:
            self._ends_within(starter, run, 0.0 if number == _SURE else run.plan.stop_seconds)

    def _ends_within(self, starter: _Starter, run: VirtualRun, seconds: float) -> None:
        """The program ends soon, though it may have had longer. Death does not wait for one that stands still."""
        if run.since is None:
            run.since = self._heap.now
        self._count(run)
        run.left = min(run.left, seconds)
        self._plan_end(starter, run)

    def _count(self, run: VirtualRun) -> None:
        if run.since is not None:
            passed = self._heap.now - run.since
            run.left, run.used, run.since = run.left - passed, run.used + passed, self._heap.now

    def _plan_end(self, starter: _Starter, run: VirtualRun) -> None:
        run.ticket = self._ticket()
        self._heap.at(self._heap.now + run.left, self._program_ends, starter, run, run.ticket)

    def _program_ends(self, starter: _Starter, run: VirtualRun, ticket: int) -> None:
        """Unless the plan of its end has been changed."""
        if starter.run is run and run.ticket == ticket:
            self._count(run)
            run.ticket = 0
            if run.plan.starves and run.left <= 0 and not run.vacated:
                run.hold_code, run.hold_subcode = OVER_MEMORY
                run.hold_reason = "memory usage exceeded request_memory"
            self._happened(starter.claim_id, tell.ProgramEnded())

    def _report(self, starter: _Starter, run: VirtualRun, stopped: bool) -> None:
        starter.run = None
        vacated = stopped or run.vacated
        report = ExitReport(
            starter.claim_id,
            run.job,
            run.number,
            pid=run.pid,
            start_time=run.start_time,
            exec_time=run.exec_time,
            end_time=self._heap.now,
            vacated=vacated,
            hold_code=run.hold_code,
            hold_subcode=run.hold_subcode,
            hold_reason=run.hold_reason,
            exit_code=0 if run.pid and not vacated and not run.hold_subcode else None,
            usage=Usage(run.used, max_rss_kb=run.plan.memory * 1024) if run.pid else Usage(),
        )
        self._tell_startd(runs.RunEnded(report))

    def _ticket(self) -> int:
        self._tickets += 1
        return self._tickets
