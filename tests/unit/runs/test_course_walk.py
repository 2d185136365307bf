"""Random histories of a starter: whatever comes in whatever order, each run has one report, and nothing is done to a
program that is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest

from condor_py.core.runs import events as on
from condor_py.core.runs.core import Course, broken
from condor_py.core.runs.effects import Do, Effect, Refuse, Report, Signal, Step, Stopped, Wait
from condor_py.core.runs.facts import Deferral, KillRules, RunFacts
from condor_py.core.runs.phases import Phase
from condor_py.model.states import VacateCode

SEEDS = int(os.environ.get("CONDOR_PY_WALKS", "150"))
STEPS = 120
CODES = (0, VacateCode.REMOVED, VacateCode.USER_HOLD, VacateCode.REMOVED_WITH_OUTPUT, VacateCode.PREEMPT)


class World:
    """Plays the machine, the startd and the users of one starter."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.course = Course()
        self.now = 1000.0
        self.story: list[object] = []
        self.has_job = self.staging = False
        self.alive = self.processes = self.still = False
        self.step: Step | None = None
        self.due: float | None = None
        self.was_stopped = self.was_told_to_stop = False
        self.reports = self.jobs = 0
        self.gone = False

    # -- what the core wants

    def tell(self, event: on.Event) -> None:
        self.story.append(event)
        effects = self.course.handle(event, self.now)
        self.story.append(effects)
        assert not self.gone or not effects
        for place, effect in enumerate(effects):
            assert not isinstance(effect, Step) or place == len(effects) - 1, "a step is asked for last"
            self.carry_out(effect)
        assert broken(self.course) == []
        assert self.course.phase is not Phase.IDLE or not self.has_job
        assert self.gone or self.due is None or self.has_job, "a clock runs for nobody"

    def carry_out(self, effect: Effect) -> None:
        match effect:
            case Wait(seconds):
                assert seconds > 0
                self.due = self.now + seconds
            case Do.CANCEL_WAIT:
                self.due = None
            case Step():
                self.ask(effect)
            case Signal():
                assert self.alive, "a signal to a program that is over"
                assert not self.still, "it cannot react"
            case Stopped():
                self.was_stopped = True
            case Report(stopped):
                self.report(stopped)
            case Refuse():
                assert self.step is None
            case Do():
                self.do(effect)

    def ask(self, step: Step) -> None:
        assert self.has_job
        self.step = step
        if step in (Step.EXECUTE, Step.RESUME):
            assert not self.alive, "two programs"
            assert not self.was_stopped, "a stopped run starts nothing"
        if step is Step.CONCLUDE:
            self.alive = self.processes = self.still = False

    def do(self, effect: Do) -> None:
        match effect:
            case Do.WATCH:
                self.alive = self.processes = True
            case Do.KILL:
                assert self.processes, "there is nothing to kill"  # the end of a program is told when it is collected
            case Do.SUSPEND:
                self.still = True
            case Do.CONTINUE:
                self.still = False
            case Do.DISMISS:
                assert self.alive
            case Do.KILL_CHILD:
                self.step = None
            case Do.GIVE_UP:
                assert not self.processes
            case Do.STAGE:
                self.staging = True
            case Do.LEAVE:
                self.gone, self.due = True, None

    def report(self, stopped: bool) -> None:
        assert self.has_job, "a second report"
        assert not self.processes, "processes outlive their run"
        assert not stopped or self.was_told_to_stop, "nobody stopped it"
        self.reports += 1
        self.has_job = self.staging = False
        self.step = None

    # -- what may happen

    def choices(self) -> list[Callable[[], None]]:
        if not self.has_job:
            return [self.begin, self.begin, self.stray]
        found: list[Callable[[], None]] = [self.suspend, self.go_on, self.stray]
        if self.random.random() < 0.3:
            found.append(self.stop)
        if self.step is not None:
            found += [self.done] * 6
        if self.alive:
            found += [self.program_ends] * 2
        if self.due is not None:
            found += [self.tick] * 2
        if self.course.phase is Phase.LINGERING:
            found += [lambda: self.tell(on.SessionsEnded())] * 2
        if self.staging:
            found.append(lambda: self.tell(on.StagingEnded()))
        return found

    def begin(self) -> None:
        self.has_job = True
        self.jobs += 1
        self.was_stopped = self.was_told_to_stop = self.still = False
        if self.random.random() < 0.1:
            self.tell(on.BeginStaging())
            return
        random = self.random
        due = random.choice([None, None, None, int(self.now) + 50, int(self.now) - 500, -3])
        patience = random.choice([None, 5.0])
        self.tell(on.Begin(RunFacts("7.3", Deferral(due), KillRules(patience=patience))))

    def done(self) -> None:
        step, self.step = self.step, None
        assert step is not None
        if step is Step.DRAIN:
            self.tell(on.Drained(self.random.random() < 0.3, self.random.random() < 0.3))
        else:
            self.tell(on.Done(step, self.random.random() < 0.9))

    def stop(self) -> None:
        self.was_told_to_stop = True
        hard = self.random.random() < 0.3
        self.tell(on.HardKill("c") if hard else on.SoftKill("c", int(self.random.choice(CODES))))

    def suspend(self) -> None:
        self.tell(on.SuspendJob("c"))

    def go_on(self) -> None:
        self.tell(on.ContinueJob("c"))

    def program_ends(self) -> None:
        self.alive = self.still = False
        self.tell(on.ProgramEnded())

    def tick(self) -> None:
        assert self.due is not None
        self.now, self.due = max(self.now, self.due), None
        self.tell(on.Tick())

    def stray(self) -> None:
        """What is late, or comes from somewhere else."""
        events: list[on.Event] = [
            on.SessionsEnded(), on.Dismiss(), on.OverLimit(), on.Tick() if self.due is None else on.Dismiss(),
            on.Done(self.random.choice([step for step in Step if step is not self.step])),
        ]  # fmt: skip
        if self.step is not Step.DRAIN:
            events.append(on.Drained(at_checkpoint=True, in_use=True))
        self.tell(self.random.choice(events))


def walk(seed: int) -> World:
    world = World(seed)
    try:
        for _ in range(STEPS):
            world.now += world.random.random()
            world.random.choice(world.choices())()
    except AssertionError as error:
        raise AssertionError(f"{error}; seed {seed}: {world.story[-12:]}") from error
    return world


@pytest.mark.parametrize("part", range(5))
def test_any_history_keeps_what_must_hold(part: int) -> None:
    for seed in range(part * SEEDS, (part + 1) * SEEDS):
        world = walk(seed)
        assert world.reports == world.jobs - world.has_job, "one report a run"


def test_a_job_that_is_stopped_ends_though_nobody_else_cares() -> None:
    """From wherever it stands: a hard order, the end of its program and of the steps that are under way."""
    for seed in range(SEEDS):
        world = walk(seed)
        if world.has_job:
            world.was_told_to_stop = True
            world.tell(on.HardKill("c"))
        for _ in range(6):
            if world.alive:
                world.program_ends()
            if world.step is Step.DRAIN:
                world.step = None
                world.tell(on.Drained())
            if world.step is not None:
                step, world.step = world.step, None
                world.tell(on.Done(step))
            if world.staging:
                world.tell(on.StagingEnded())
        assert not world.has_job, f"seed {seed}: {world.story[-12:]}"


def test_a_starter_can_leave_at_any_time() -> None:
    for seed in range(SEEDS):
        world = walk(seed)
        world.tell(on.StopStarter("c"))
        assert world.gone
        world.tell(on.ProgramEnded())
        world.tell(on.HardKill("c"))
