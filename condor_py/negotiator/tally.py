"""What a cycle counts, how long its parts take, and when its time is up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from condor_py.model.settings.negotiator import NegotiatorSettings


def _stopped() -> float:
    return 0.0


class Clocks(NamedTuple):
    """Seconds that pass, on the wall and of processor time; from any origin. The default ones stand still."""

    wall: Callable[[], float] = _stopped
    cpu: Callable[[], float] = _stopped


class Tally:
    """Figures of one cycle, as the LastNegotiationCycle attributes of the negotiator ad want them.

    ``phase_time`` and ``phase_cpu`` are seconds of the phases 1 to 4, phase 1 (fetching ads) being the caller's.
    ``idle`` has the idle jobs of every submitter who had a turn. Dictionaries of names keep their order.
    """

    def __init__(self, settings: NegotiatorSettings, clocks: Clocks) -> None:
        self._settings = settings
        self._clocks = clocks
        self._began = clocks.wall()
        self._spent: dict[str, float] = {}
        self.phase_time = [0.0] * 4
        self.phase_cpu = [0.0] * 4
        self.slots = self.trimmed = self.candidates = 0
        self.rounds = self.pies = self.spins = self.considered = self.rejections = 0
        self.idle: dict[str, int] = {}
        self.schedds: dict[str, None] = {}
        self.share_limit: dict[str, None] = {}
        self.out_of_time: dict[str, None] = {}
        self.schedds_out_of_time: dict[str, None] = {}

    @contextmanager
    def phase(self, number: int) -> Iterator[None]:
        """Counts the time of the block to a phase, those of a phase inside it too."""
        wall, cpu = self._clocks.wall(), self._clocks.cpu()
        try:
            yield
        finally:
            self.phase_time[number - 1] += self._clocks.wall() - wall
            self.phase_cpu[number - 1] += self._clocks.cpu() - cpu

    @contextmanager
    def turn(self, name: str, schedd: str, idle: int) -> Iterator[float]:
        """One submitter's turn: gives the moment on the wall clock when it has to end."""
        start = self._clocks.wall()
        self.idle.setdefault(name, idle)
        self.schedds[schedd] = None
        left = self._left(name, schedd, start)
        try:
            yield start + min(self._settings.max_time_per_spin, *left)
        finally:
            seconds = self._clocks.wall() - start
            for key in (_submitter(name, schedd), schedd):
                self._spent[key] = self._spent.get(key, 0.0) + seconds

    def is_late(self, deadline: float) -> bool:
        """Whether ``deadline`` has come."""
        return self._clocks.wall() >= deadline

    def no_time(self, name: str, schedd: str) -> tuple[str, ...]:
        """Log lines if a submitter may not have a turn because of MAX_TIME limits; else nothing."""
        of_submitter, of_schedd, of_cycle = self._left(name, schedd, self._clocks.wall())
        settings = self._settings
        head = f"  Negotiation with {name} skipped because of time limits:"
        if of_submitter <= 0:
            self.out_of_time[name] = None
            spent = int(self._spent.get(_submitter(name, schedd), 0.0))
            limit = settings.max_time_per_submitter
            return head, f"  {spent} seconds spent on this user, MAX_TIME_PER_USER is {limit} secs"
        if of_schedd <= 0:
            self.schedds_out_of_time[schedd] = None
            spent = int(self._spent.get(schedd, 0.0))
            limit = settings.max_time_per_schedd
            return head, f"  {spent} seconds spent on this schedd ({schedd}), MAX_TIME_PER_SCHEDD is {limit} secs"
        if of_cycle <= 0:
            limit = settings.max_time_per_cycle
            return (f"  Negotiation with {name} skipped because MAX_TIME_PER_CYCLE of {limit} secs exceeded",)
        return ()

    def _left(self, name: str, schedd: str, now: float) -> tuple[float, float, float]:
        """Seconds left to the submitter, to the schedd and to the cycle."""
        return (
            self._settings.max_time_per_submitter - self._spent.get(_submitter(name, schedd), 0.0),
            self._settings.max_time_per_schedd - self._spent.get(schedd, 0.0),
            self._settings.max_time_per_cycle - (now - self._began),
        )

    def seconds_of(self, name: str, schedd: str) -> tuple[int, int]:
        """Whole seconds that the turns of a submitter, and of a schedd, have taken so far."""
        return int(self._spent.get(_submitter(name, schedd), 0.0)), int(self._spent.get(schedd, 0.0))


def _submitter(name: str, schedd: str) -> str:
    return f"{name}\n{schedd}"
