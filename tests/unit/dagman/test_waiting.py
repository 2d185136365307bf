"""Signals that condor_dagman receives."""

from __future__ import annotations

import signal

from condor_py.daemons.dagman.waiting import Waiter


class Interrupted(list[int]):
    """A list of signals that one more signal comes to while the others are taken out."""

    def __delitem__(self, place: object) -> None:
        self.append(int(signal.SIGUSR1))
        super().__delitem__(place)  # type: ignore[arg-type]


def test_a_signal_that_comes_while_others_are_taken_out_is_not_lost() -> None:
    waiter = Waiter.__new__(Waiter)  # without handlers of signals in the process of the tests
    waiter.received = Interrupted([int(signal.SIGTERM)])
    assert waiter.take_signals() == [signal.SIGTERM]
    assert waiter.take_signals() == [signal.SIGUSR1]
