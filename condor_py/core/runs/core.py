"""The core of a starter: events in, effects out. It decides what comes next for the job of a claim, what an order to
stop means now, which signal the program gets and when SIGKILL follows. The caller carries the effects out (a starter
with real processes, the simulator with virtual ones) and reports each step when it is done.

At any moment the core waits for one thing: a job, the end of a step, the end of the program, of its sessions, or of a
data slot. Answers that are not awaited any more are ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.runs import events as on
from condor_py.core.runs.effects import Do, Effect, Refuse, Report, Signal, Step, Stopped, Wait
from condor_py.core.runs.facts import Refusal, RunFacts
from condor_py.core.runs.phases import WITH_PROGRAM, Order, Phase, Phases, Stop
from condor_py.model.messages.runs import ContinueJob, HardKill, SoftKill, StopStarter, SuspendJob
from condor_py.model.states import VacateCode

#: What follows a step that is done: the phase (None: the same), and the next step.
_NEXT: dict[Step, tuple[Phase | None, Step]] = {
    Step.MAKE_SCRATCH: (None, Step.ASK_HOOK),
    Step.ASK_HOOK: (Phase.FETCHING, Step.FETCH),
    Step.FETCH: (Phase.PREPARING, Step.ASK_HOOK_AGAIN),
    Step.ASK_HOOK_AGAIN: (None, Step.EXECUTE),
    Step.CONCLUDE: (Phase.LEAVING, Step.CLEAR),
}
#: Where an order to stop is obeyed before it has an end.
_STOPS_AT_ONCE = frozenset((Phase.IDLE, Phase.STAGING, Phase.DEFERRED, Phase.PREPARING, Phase.FETCHING))
#: A program that has its checkpoint was not ended from outside: it would have continued.
_BETWEEN_PROGRAMS = frozenset((Phase.SAVING, Phase.PAUSED))
#: Why a user stops a job.
_BY_USER = (int(VacateCode.USER_HOLD), int(VacateCode.REMOVED))
#: Actions of an order that need no more thought.
_AT_ONCE = {
    Stop.KILL_HOOK: Do.KILL_HOOK,
    Stop.KILL_CHILD: Do.KILL_CHILD,
    Stop.GIVE_UP: Do.GIVE_UP,
    Stop.CLEAN: Do.CLEAN,
    Stop.END_STAGING: Do.END_STAGING,
}


class Course:
    """Course of one starter, run after run. ``stopped``: the run was ended from outside before it was over;
    ``suspended``: its processes are stopped, or will be when there are any."""

    def __init__(self) -> None:
        self.phases = Phases()
        self._forget()
        self._gone = False
        self._out: list[Effect] = []

    def _forget(self) -> None:
        self._facts = RunFacts()
        #: The step that is under way.
        self.awaits: Step | None = None
        self.stopped = self.suspended = False
        self._dismissed = False
        #: The job has had its signal, and a Tick will end it.
        self._patience = False

    @property
    def in_patience(self) -> bool:
        """Whether the job has had its signal, and will be killed when it does not mind it."""
        return self._patience

    @property
    def phase(self) -> Phase:
        """Current phase of the starter."""
        return self.phases.now

    def handle(self, event: on.Event, now: float) -> list[Effect]:
        """Return the effects of one event, to be carried out in this order. ``now``: Unix seconds. IllegalMove for an
        event that cannot occur."""
        if not self._gone:
            _HANDLERS[type(event)](self, event, now)
        out, self._out = self._out, []
        return out

    # -- the start ---------------------------------------------------------------------------------

    def _begin(self, event: on.Begin, now: float) -> None:
        self._enter(Phase.DEFERRED)
        self._facts = event.facts
        self._when_due(now)

    def _underway(self, event: on.Underway, now: float) -> None:
        """The steps up to the start of the program were taken without us."""
        for phase in (Phase.DEFERRED, Phase.PREPARING, Phase.RUNNING):
            self._enter(phase)
        self._facts = event.facts

    def _when_due(self, now: float) -> None:
        """The time is that of the clock, which may have been set, or gone on while the machine slept."""
        try:
            wait = self._facts.deferral.wait(self._facts.job, now)
        except Refusal as refusal:
            self._emit(Refuse(int(refusal.code), str(refusal)))
            self._report()
            return
        if wait > 0.0:
            self._emit(Wait(wait))
        else:
            self._prepare()

    def _prepare(self) -> None:
        self._ask(Step.MAKE_SCRATCH, Phase.PREPARING)

    def _stage(self, event: on.BeginStaging, now: float) -> None:
        self._enter(Phase.STAGING)
        self._emit(Do.STAGE)

    def _staging_ended(self, event: on.StagingEnded, now: float) -> None:
        if self.phase is Phase.STAGING:
            self._report()

    def _tick(self, event: on.Tick, now: float) -> None:
        if self.phase is Phase.DEFERRED:
            self._when_due(now)
        elif self._patience:
            self._patience = False
            self._obey(Order.HARD)

    # -- steps -------------------------------------------------------------------------------------

    def _done(self, event: on.Done, now: float) -> None:
        if event.step is not self.awaits:
            return
        self.awaits = None
        if not event.ok and self.phase in (Phase.PREPARING, Phase.FETCHING):
            self._emit(Do.TELL_NOT_STARTED)
            self._report()
            return
        following = _NEXT.get(event.step)
        if following is not None:
            self._ask(following[1], following[0])
            return
        match event.step:
            case Step.EXECUTE:
                self._running()
            case Step.SAVE:
                self._saved(event.ok)
            case Step.ASK_TO_GO_ON:
                self._may_go_on(event.ok)
            case Step.RESUME if event.ok:
                self._running()
            case Step.RESUME:
                self._finish()
            case Step.CLEAR:
                self._report()

    def _running(self) -> None:
        self._enter(Phase.RUNNING)
        self._emit(Do.WATCH)
        if self.suspended:
            self._emit(Do.SUSPEND)

    # -- the program has ended ---------------------------------------------------------------------

    def _program_ended(self, event: on.ProgramEnded, now: float) -> None:
        if self.phase is Phase.RUNNING:
            self._ask(Step.DRAIN, Phase.DRAINING)

    def _drained(self, event: on.Drained, now: float) -> None:
        if self.awaits is not Step.DRAIN:
            return
        self.awaits = None
        if event.at_checkpoint and not self.stopped:
            self._ask(Step.SAVE, Phase.SAVING)
        elif event.in_use and not self.stopped:
            self._enter(Phase.LINGERING)
        else:
            self._finish()

    def _sessions_ended(self, event: on.SessionsEnded, now: float) -> None:
        """A program that was dismissed and is still there has nothing to wait for any more."""
        if self.phase is Phase.LINGERING:
            self._finish()
        elif self.phase is Phase.RUNNING and self._dismissed:
            self._emit(Do.KILL)

    def _saved(self, ok: bool) -> None:
        if ok and not self.stopped:
            self._ask(Step.ASK_TO_GO_ON, Phase.PAUSED)
        else:
            self._finish()

    def _may_go_on(self, ok: bool) -> None:
        if ok:
            self._ask(Step.RESUME)
        else:
            self._emit(Do.GIVE_WAY)
            self._finish()

    def _finish(self) -> None:
        self._enter(Phase.EXITING)
        self._emit(Do.END_SERVICES)
        self._ask(Step.CONCLUDE)

    def _report(self, *, stopped: bool = False) -> None:
        """The run is over: the starter has no job any more."""
        waits = self._patience or self.phase is Phase.DEFERRED
        self._enter(Phase.IDLE)
        self._forget()
        if waits:
            self._emit(Do.CANCEL_WAIT)
        self._emit(Report(stopped))

    # -- orders ------------------------------------------------------------------------------------

    def _stop_softly(self, event: SoftKill, now: float) -> None:
        patience = self._facts.kill.wait(event.code)
        if patience is not None and self.phase not in _STOPS_AT_ONCE and not self._patience:
            self._patience = True
            self._emit(Wait(patience))
        self._obey(Order.USER if event.code in _BY_USER else Order.SOFT, event.code)

    def _stop_hard(self, event: HardKill, now: float) -> None:
        self._obey(Order.HARD)

    def _obey(self, order: Order, code: int = 0) -> None:
        for action in self.phases.stop(order):
            match action:
                case Stop.SIGNAL:
                    self._soft_kill(code)
                case Stop.KILL:
                    self._emit(Do.END_SESSIONS)
                    self._hard_kill()
                case Stop.FINISH:
                    self._finish()
                case Stop.ABANDON:
                    self._report(stopped=True)
                case _:
                    self._emit(_AT_ONCE[action])

    def _soft_kill(self, code: int) -> None:
        """Send the kill signal to the program alone; a suspended one could not react. ``final``: the job is removed and
        its output is wanted."""
        self._mark_stopped(final=code == VacateCode.REMOVED_WITH_OUTPUT)
        if self.phase is Phase.RUNNING:
            if self.suspended:
                self.suspended = False
                self._emit(Do.CONTINUE)
            self._emit(Signal(self._facts.kill.signal(code)))

    def _hard_kill(self) -> None:
        self._mark_stopped()
        self._emit(Do.KILL)

    def _mark_stopped(self, *, final: bool = False) -> None:
        """A program that ended by itself did so before it was stopped, even if sessions keep its slot."""
        in_time = self.phase is Phase.RUNNING or self.phase in _BETWEEN_PROGRAMS or self._dismissed
        if in_time or self.stopped:
            self.stopped = True
            self._emit(Stopped(final))

    def _over_limit(self, event: on.OverLimit, now: float) -> None:
        if self.phase in WITH_PROGRAM:
            self._hard_kill()
        if self.phase is Phase.PAUSED:
            self._finish()

    def _dismiss(self, event: on.Dismiss, now: float) -> None:
        if self.phase is Phase.RUNNING and not self._dismissed:
            self._dismissed = True
            self._emit(Do.DISMISS)

    def _suspend(self, event: SuspendJob, now: float) -> None:
        """A job that has no program yet starts with it standing still."""
        if self.phase is not Phase.IDLE:
            self.suspended = True
        if self.phase in WITH_PROGRAM:
            self._emit(Do.SUSPEND)

    def _continue(self, event: ContinueJob, now: float) -> None:
        self.suspended = False
        if self.phase in WITH_PROGRAM:
            self._emit(Do.CONTINUE)

    def _quit(self, event: StopStarter, now: float) -> None:
        self._emit(Do.CANCEL_WAIT)
        self._emit(Do.KILL_HOOK)
        self._emit(Do.KILL_CHILD)
        if self.phase in WITH_PROGRAM:
            self._emit(Do.END_SESSIONS)
            self._emit(Do.KILL)
        self._gone = True
        self._emit(Do.LEAVE)

    # -- one way to change phase and to ask --------------------------------------------------------

    def _enter(self, phase: Phase) -> None:
        self.phases.move(phase)
        self.awaits = None

    def _ask(self, step: Step, phase: Phase | None = None) -> None:
        if phase is not None:
            self.phases.move(phase)
        self.awaits = step
        self._out.append(step)

    def _emit(self, effect: Effect) -> None:
        self._out.append(effect)


_HANDLERS: dict[type, Callable[[Course, Any, float], None]] = {
    on.Begin: Course._begin,
    on.Underway: Course._underway,
    on.BeginStaging: Course._stage,
    on.StagingEnded: Course._staging_ended,
    on.Tick: Course._tick,
    on.Done: Course._done,
    SoftKill: Course._stop_softly,
    HardKill: Course._stop_hard,
    SuspendJob: Course._suspend,
    ContinueJob: Course._continue,
    on.OverLimit: Course._over_limit,
    on.Dismiss: Course._dismiss,
    on.ProgramEnded: Course._program_ended,
    on.Drained: Course._drained,
    on.SessionsEnded: Course._sessions_ended,
    StopStarter: Course._quit,
}


#: The steps that a phase waits for; a phase that is not here waits for none.
_STEPS = {
    Phase.PREPARING: {Step.MAKE_SCRATCH, Step.ASK_HOOK, Step.ASK_HOOK_AGAIN, Step.EXECUTE},
    Phase.FETCHING: {Step.FETCH},
    Phase.DRAINING: {Step.DRAIN},
    Phase.SAVING: {Step.SAVE},
    Phase.PAUSED: {Step.ASK_TO_GO_ON, Step.RESUME},
    Phase.EXITING: {Step.CONCLUDE},
    Phase.LEAVING: {Step.CLEAR},
}
#: Phases in which the run has not been stopped yet: it would be over.
_NOT_STOPPED = (Phase.IDLE, Phase.STAGING, Phase.DEFERRED, Phase.PREPARING, Phase.FETCHING, Phase.PAUSED)


def broken(course: Course) -> list[str]:
    """Return the violated invariants; none when all is well."""
    phase, found = course.phase, list[str]()
    steps = _STEPS.get(phase, {None})
    if course.awaits not in steps:
        found.append(f"{phase.name} waits for {course.awaits}")
    if course.stopped and phase in _NOT_STOPPED:
        found.append(f"a stopped run is {phase.name}")
    if phase is Phase.IDLE and (course.suspended or course.in_patience):
        found.append("a starter without a job keeps something of the last one")
    return found
