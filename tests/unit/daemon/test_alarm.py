"""When the startd's core is asked to look at its timers: soon after anything happened, when one is due, else never."""

from __future__ import annotations

import pytest

from condor_py.daemons.common.loop import Callback, Timer
from condor_py.daemons.startd import sleeping as alarm
from condor_py.daemons.startd.sleeping import Alarm


class Clock:
    """A loop and its clock; what is due is called when somebody lets time pass."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.timers: list[tuple[float, Timer]] = []

    def after(self, seconds: float, callback: Callback) -> Timer:
        timer = Timer(callback)
        self.timers.append((self.time + seconds, timer))
        return timer

    @property
    def waiting(self) -> list[float]:
        return sorted(when - self.time for when, timer in self.timers if not timer.cancelled)

    def wait(self, seconds: float) -> int:
        """Lets time pass; how often the process woke up."""
        wakes, end = 0, self.time + seconds
        while due := [pair for pair in self.timers if not pair[1].cancelled and pair[0] <= end]:
            when, timer = min(due, key=lambda pair: pair[0])
            self.timers.remove((when, timer))
            self.time = max(self.time, when)
            timer.callback()
            wakes += 1
        self.time = end
        return wakes


class Core:
    """Has one timer, which a poll takes away when it is due."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.due, self.polls = clock, None, []  # type: ignore[var-annotated]
        self.alarm = Alarm(clock, lambda: self.due, self.poll)  # type: ignore[arg-type]

    def happens(self, due: float | None = None) -> None:
        self.due = due
        self.alarm.stir()

    def poll(self) -> None:
        self.polls.append(self.clock.time)
        self.alarm.stir()  # polls are events
        if self.due is not None and self.due <= self.clock.time:
            self.due = None


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    clock = Clock()
    monkeypatch.setattr(alarm, "now", lambda: clock.time)
    return Core(clock)


def test_a_startd_to_which_nothing_happens_sleeps(core: Core) -> None:
    core.happens()
    assert core.clock.wait(3600.0) == 1
    assert core.polls == []
    assert core.clock.waiting == []


def test_a_timer_is_looked_at_when_it_is_due_and_not_before(core: Core) -> None:
    core.happens(due=1600.0)
    core.clock.wait(599.0)
    assert core.polls == []
    core.clock.wait(1.5)
    assert core.polls == [1600.0]
    assert core.clock.wait(3600.0) <= 1


def test_a_timer_that_another_event_sets_is_not_overslept(core: Core) -> None:
    core.happens(due=9000.0)
    core.clock.wait(100.0)
    core.happens(due=1101.0)
    core.clock.wait(2.0)
    assert core.polls == [1101.0]


def test_events_in_a_row_are_looked_at_together(core: Core) -> None:
    for _ in range(100):
        core.happens(due=1e9)
        core.clock.wait(0.01)
    assert len(core.clock.waiting) == 1
    assert core.polls == []


def test_what_stays_due_is_polled_again_and_again(core: Core) -> None:
    always = Alarm(core.clock, lambda: core.clock.time, lambda: core.polls.append(core.clock.time))  # type: ignore[arg-type]
    always.stir()
    core.clock.wait(1.05)
    assert len(core.polls) == 5


def test_a_look_at_once_ends_the_wait_for_one(core: Core) -> None:
    core.happens()
    core.alarm.look()
    assert core.clock.waiting == []


def test_a_question_that_failed_once_is_asked_again_after_the_next_event(core: Core) -> None:
    answers = [ZeroDivisionError(), core.clock.time]

    def wakeup() -> float:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    asked = Alarm(core.clock, wakeup, lambda: core.polls.append(core.clock.time))  # type: ignore[arg-type]
    asked.stir()
    with pytest.raises(ZeroDivisionError):
        core.clock.wait(1.0)
    asked.stir()
    core.clock.wait(0.3)
    assert len(core.polls) == 1
