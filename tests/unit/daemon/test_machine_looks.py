"""When the startd looks at its machine: at rest with its updates, and before whatever happens next."""

from __future__ import annotations

import pytest

from condor_py.daemons.common.loop import Callback, Timer
from condor_py.daemons.startd import publishing as machinelooks
from condor_py.daemons.startd.publishing import MachineLooks


class Startd:
    """A loop, its clock, and a core that wants looks every 5 s, or a rest."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = 1000.0
        self.timers: list[tuple[float, Timer]] = []
        self.pause = 5.0
        self.seen: list[float] = []
        self.fails = False
        monkeypatch.setattr(machinelooks, "monotonic", lambda: self.time)
        self.looks = MachineLooks(self, 5.0, self.look, lambda: self.pause)  # type: ignore[arg-type]

    def after(self, seconds: float, callback: Callback) -> Timer:
        timer = Timer(callback)
        self.timers.append((self.time + seconds, timer))
        return timer

    def look(self) -> None:
        self.seen.append(self.time - 1000.0)
        self.looks.stir()  # what is seen is an event, too
        if self.fails:
            raise ZeroDivisionError

    def wait(self, seconds: float) -> list[float]:
        """The looks of this time, by seconds since the start."""
        end, before = self.time + seconds, len(self.seen)
        while due := [pair for pair in self.timers if not pair[1].cancelled and pair[0] <= end]:
            when, timer = min(due, key=lambda pair: pair[0])
            self.timers.remove((when, timer))
            self.time = max(self.time, when)
            timer.callback()
        self.time = end
        return self.seen[before:]


@pytest.fixture
def startd(monkeypatch: pytest.MonkeyPatch) -> Startd:
    return Startd(monkeypatch)


def test_what_time_may_change_is_looked_at_every_polling_interval(startd: Startd) -> None:
    assert startd.wait(20.0) == [5.0, 10.0, 15.0, 20.0]
    startd.looks.stir()
    startd.looks.refresh()
    assert startd.wait(5.0) == [25.0], "what has just been seen is not looked at again"


def test_a_machine_at_rest_is_looked_at_with_its_updates(startd: Startd) -> None:
    startd.pause = 300.0
    assert startd.wait(700.0) == [5.0, 305.0, 605.0]


def test_what_happens_is_decided_by_what_is_true_then(startd: Startd) -> None:
    startd.pause = 300.0
    startd.wait(100.0)
    startd.looks.stir()
    assert startd.seen == [5.0, 100.0]
    startd.looks.stir()
    assert startd.seen == [5.0, 100.0]
    startd.pause = 5.0
    assert startd.wait(12.0) == [105.0, 110.0]


def test_what_is_shown_of_a_machine_at_rest_is_what_is_true_then(startd: Startd) -> None:
    startd.pause = 300.0
    startd.wait(8.0)
    startd.looks.refresh()
    assert startd.seen == [5.0], "it is not older than it would be otherwise"
    startd.wait(92.0)
    startd.looks.refresh()
    assert startd.seen == [5.0, 100.0]
    assert startd.wait(210.0) == [305.0], "to be shown is no reason to look more often"


def test_another_interval_counts_at_once(startd: Startd) -> None:
    startd.pause = 300.0
    startd.wait(100.0)
    startd.pause = 2.0
    startd.looks.change(2.0)
    assert startd.wait(4.0) == [102.0, 104.0]
    startd.looks.change(2.0)
    assert startd.wait(2.0) == [106.0]


def test_a_look_that_fails_is_not_the_last(startd: Startd) -> None:
    startd.pause, startd.fails = 300.0, True
    with pytest.raises(ZeroDivisionError):
        startd.wait(6.0)
    startd.fails = False
    assert startd.wait(5.0) == [10.0]
