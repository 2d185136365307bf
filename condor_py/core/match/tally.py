"""Counters of a cycle, the durations of its parts, and its time limit."""

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
    ``idle`` has the idle jobs of every submitter that had a turn. Dictionaries of names keep their order.
    """

    def __init__(self, settings: NegotiatorSettings, clocks: Clocks) -> None:
        self._settings = settings
        self._clocks = clocks
        #: Seconds on the wall clock, which deadlines are compared with.
        self.wall = clocks.wall
        self._began = clocks.wall()
        self._spent: dict[tuple[str, str], float] = {}
        self._spent_by_schedd: dict[str, float] = {}
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

    def turn(self, name: str, schedd: str, idle: int) -> Turn:
        """One submitter's turn, as a context manager that counts its time."""
        start = self._clocks.wall()
        spent, of_schedd = self._spent.get((name, schedd), 0.0), self._spent_by_schedd.get(schedd, 0.0)
        return Turn(self, name, schedd, idle, start, spent, of_schedd)

    def time_left(self, turn: Turn) -> float:
        """Seconds that a turn may take; 0 or less where it may not be had."""
        settings = self._settings
        return min(
            settings.max_time_per_submitter - turn.spent,
            settings.max_time_per_schedd - turn.spent_by_schedd,
            settings.max_time_per_cycle - (turn.start - self._began),
        )

    def begun(self, turn: Turn) -> float:
        """A turn has begun; gives the moment on the wall clock when it has to end."""
        self.idle.setdefault(turn.name, turn.idle)
        self.schedds[turn.schedd] = None
        return turn.start + min(self._settings.max_time_per_spin, self.time_left(turn))

    def ended(self, turn: Turn) -> None:
        """A turn is over."""
        seconds = self._clocks.wall() - turn.start
        self._spent[turn.name, turn.schedd] = turn.spent + seconds
        self._spent_by_schedd[turn.schedd] = turn.spent_by_schedd + seconds

    def no_time(self, turn: Turn) -> tuple[str, ...]:
        """Log lines for a turn that may not be had because of MAX_TIME limits."""
        settings = self._settings
        head = f"  Negotiation with {turn.name} skipped because of time limits:"
        if turn.spent >= settings.max_time_per_submitter:
            self.out_of_time[turn.name] = None
            spent, limit = int(turn.spent), settings.max_time_per_submitter
            return head, f"  {spent} seconds spent on this user, MAX_TIME_PER_USER is {limit} secs"
        if turn.spent_by_schedd >= settings.max_time_per_schedd:
            self.schedds_out_of_time[turn.schedd] = None
            spent, limit = int(turn.spent_by_schedd), settings.max_time_per_schedd
            return head, f"  {spent} seconds spent on this schedd ({turn.schedd}), MAX_TIME_PER_SCHEDD is {limit} secs"
        limit = settings.max_time_per_cycle
        return (f"  Negotiation with {turn.name} skipped because MAX_TIME_PER_CYCLE of {limit} secs exceeded",)


class Turn:
    """One submitter's turn: when it starts, and the seconds that its turns and its schedd's took before."""

    __slots__ = ("_tally", "idle", "name", "schedd", "spent", "spent_by_schedd", "start")

    def __init__(
        self, tally: Tally, name: str, schedd: str, idle: int, start: float, spent: float, spent_by_schedd: float
    ) -> None:
        self._tally = tally
        self.name = name
        self.schedd = schedd
        self.idle = idle
        self.start = start
        self.spent = spent
        self.spent_by_schedd = spent_by_schedd

    def __enter__(self) -> float:
        return self._tally.begun(self)

    def __exit__(self, *_: object) -> None:
        self._tally.ended(self)
