"""Records of negotiation cycles: one for a stretch of time, with a part for every submitter and group.

All amounts are slot weight times seconds unless said: 3600 are one core for an hour where a slot weighs its cores.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Reason:
    """For how many seconds jobs of a submitter waited for one reason, and the most jobs that did at once."""

    seconds: int = 0
    jobs: int = 0


@dataclass(slots=True)
class SubmitterRecord:
    """One submitter in a stretch.

    ``real``, ``factor`` and ``share`` (a part of its pie) are those of its end, ``ceiling`` too (-1: none), and the
    ``idle`` jobs. ``present`` are seconds with jobs that ran or waited, ``waiting`` those with jobs that waited.
    ``used`` is what the accountant charged, ``asked`` use and waiting jobs, ``entitled`` the limit of the first spin,
    ``due`` what of it was asked for and below the ceiling. ``matched`` counts matches, ``lost`` the slots that went to
    others by preemption, by name.
    """

    real: float = 0.5
    factor: float = 1.0
    share: float = 0.0
    group: str = ""
    ceiling: float = -1.0
    use: float = 0.0
    idle: int = 0
    waiting: int = 0
    present: int = 0
    used: float = 0.0
    asked: float = 0.0
    entitled: float = 0.0
    due: float = 0.0
    matched: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)

    @property
    def priority(self) -> float:
        """The effective priority; smaller is better."""
        return self.real * self.factor


@dataclass(slots=True)
class GroupRecord:
    """One accounting group: its quota (slot weight, at the end), and over the stretch what its quota allowed, what its
    submitters asked for and what they used."""

    quota: float = 0.0
    allowed: float = 0.0
    asked: float = 0.0
    used: float = 0.0


@dataclass(slots=True)
class CycleRecord:
    """A stretch from ``begin`` to ``end`` (Unix seconds) with that many cycles.

    ``known`` are the seconds in it of which the negotiator knew the demand: with no schedd it knows nothing. ``weight``
    is the whole pool, ``free`` what was left to match after each cycle, ``drained`` what was drained.
    """

    begin: int
    end: int
    cycles: int = 0
    known: int = 0
    weight: float = 0.0
    free: float = 0.0
    drained: float = 0.0
    submitters: dict[str, SubmitterRecord] = field(default_factory=dict)
    groups: dict[str, GroupRecord] = field(default_factory=dict)
