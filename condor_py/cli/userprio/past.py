"""Statistics of submitters over a time, from records of negotiation cycles: sums, means, and other holders of slots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from condor_py.model.cyclerecords import CycleRecord, Reason, SubmitterRecord


@dataclass(slots=True)
class Past:
    """One submitter over the time. Amounts are slot weight seconds, as in SubmitterRecord, of which these are sums.

    ``share``, ``real`` and ``factor`` are sums over the seconds in which there were jobs (``present``): divided by that
    they are means. ``meanwhile`` is what others used in the stretches in which jobs of this one waited, which were
    ``stretches`` seconds together.
    """

    group: str = ""
    used: float = 0.0
    asked: float = 0.0
    entitled: float = 0.0
    due: float = 0.0
    present: int = 0
    waiting: int = 0
    matched: int = 0
    ceiling: float = -1.0
    share: float = 0.0
    real: float = 0.0
    factor: float = 0.0
    lost: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)
    meanwhile: dict[str, float] = field(default_factory=dict)
    stretches: int = 0

    def mean(self, sum_over_present: float) -> float:
        """The mean over the seconds with jobs."""
        return sum_over_present / self.present if self.present else 0.0


@dataclass(slots=True)
class Versus:
    """Two submitters in the ``seconds`` in which both had jobs: sums over these seconds of the shares, real priorities
    and factors of the one (``mine``) and the other (``his``)."""

    seconds: int = 0
    mine: list[float] = field(default_factory=lambda: [0.0] * 3)
    his: list[float] = field(default_factory=lambda: [0.0] * 3)

    def means(self, sums: list[float]) -> tuple[float, float, float]:
        """Share, real priority and factor on average."""
        share, real, factor = (one / max(1, self.seconds) for one in sums)
        return share, real, factor


@dataclass(slots=True)
class GroupPast:
    """One group: the least and the largest quota in slot weight, and what its submitters used (weight seconds)."""

    least: float
    most: float
    used: float = 0.0


@dataclass(slots=True)
class Times:
    """All of it: from ``begin`` to ``end`` as far as there are records, of which the demand was known for ``known``
    seconds; the pool's slot weight seconds, and those of it that were drained or left over."""

    begin: int = 0
    end: int = 0
    known: int = 0
    cycles: int = 0
    weight: float = 0.0
    free: float = 0.0
    drained: float = 0.0
    submitters: dict[str, Past] = field(default_factory=dict)
    groups: dict[str, GroupPast] = field(default_factory=dict)


def look_back(records: Iterable[CycleRecord], since: int, until: int) -> Times:
    """The records whose middle lies from ``since`` to ``until`` (Unix seconds), summed up."""
    found = Times()
    for record in records:
        if not since <= (record.begin + record.end) / 2 < until:
            continue
        found.begin = found.begin or record.begin
        found.end = record.end
        found.known += record.known
        found.cycles += record.cycles
        found.weight += record.weight
        found.free += record.free
        found.drained += record.drained
        for name, part in record.submitters.items():
            past = found.submitters.setdefault(name, Past())
            _add(past, part)
            if part.waiting:
                _meanwhile(past, name, record)
        for name, group in record.groups.items():
            kept = found.groups.setdefault(name, GroupPast(group.quota, group.quota))
            kept.least, kept.most = min(kept.least, group.quota), max(kept.most, group.quota)
            kept.used += group.used
    return found


def face_to_face(
    records: Iterable[CycleRecord], name: str, others: Iterable[str], since: int, until: int
) -> dict[str, Versus]:
    """A submitter and each of the others, in the stretches in which both had jobs."""
    found = {other: Versus() for other in others}
    for record in records:
        me = record.submitters.get(name)
        if me is None or not since <= (record.begin + record.end) / 2 < until:
            continue
        for other, versus in found.items():
            him = record.submitters.get(other)
            seconds = min(me.present, him.present) if him is not None else 0
            if him is None or not seconds:
                continue
            versus.seconds += seconds
            for sums, part in (versus.mine, me), (versus.his, him):
                for index, value in enumerate((part.share, part.real, part.factor)):
                    sums[index] += value * seconds
    return found


def _add(past: Past, part: SubmitterRecord) -> None:
    past.group, past.ceiling = part.group, part.ceiling
    for name in ("used", "asked", "entitled", "due", "present", "waiting", "matched"):
        setattr(past, name, getattr(past, name) + getattr(part, name))
    past.share += part.share * part.present
    past.real += part.real * part.present
    past.factor += part.factor * part.present
    for who, count in part.lost.items():
        past.lost[who] = past.lost.get(who, 0) + count
    for text, reason in part.reasons.items():
        kept = past.reasons.setdefault(text, Reason())
        kept.seconds += reason.seconds
        kept.jobs = max(kept.jobs, reason.jobs)


def _meanwhile(past: Past, name: str, record: CycleRecord) -> None:
    past.stretches += record.end - record.begin
    for other, part in record.submitters.items():
        if other != name and part.used:
            past.meanwhile[other] = past.meanwhile.get(other, 0.0) + part.used


def named(times: Times, word: str) -> list[str]:
    """The submitters whom a word means: a full name, or what is before the ``@``, with or without its group."""
    if word in times.submitters:
        return [word]
    return [
        name
        for name, past in times.submitters.items()
        if word in (user := name.rpartition("@")[0], user.removeprefix(past.group + "."))
    ]
