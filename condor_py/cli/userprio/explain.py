"""condor_userprio -explain (ours): why a submitter got their share, in words, from the records of negotiation cycles.

Each sentence follows from a figure of the records, and is left out where the figure does not say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from condor_py.cli.output.terminal import aligned
from condor_py.cli.plots import scale
from condor_py.cli.userprio.past import Past, Times, Versus
from condor_py.core.match import explain
from condor_py.model.cyclerecords import Reason

#: What is less than this part is not worth a sentence; so many others are named.
_LITTLE, _OTHERS = 0.02, 5


def compared(times: Times, name: str, others: Sequence[str]) -> list[str]:
    """Whom a submitter is compared with: ``others``, or those with more use where none are named."""
    return [other for other in (others or more_use(times, name)) if other != name and other in times.submitters]


def lines(times: Times, name: str, against: Mapping[str, Versus]) -> Iterator[str]:
    """The answer about a submitter, compared with others."""
    me = times.submitters[name]
    yield f"{name}, {scale.moment(times.begin)} to {scale.moment(times.end)}"
    yield ""
    yield from _table(times, [name, *against])
    yield ""
    yield _use(times, name, me, list(against))
    for text in _why(times, name, me, against):
        yield f"- {text}"


def more_use(times: Times, name: str) -> list[str]:
    """Return the users that used more than a submitter, the one with most use first."""
    mine = times.submitters[name].used
    found = [other for other, past in times.submitters.items() if other != name and past.used > mine]
    return sorted(found, key=lambda other: -times.submitters[other].used)[:_OTHERS]


def _hours(weight_seconds: float) -> str:
    return scale.number(weight_seconds / 3600)


def _table(times: Times, names: Sequence[str]) -> Iterator[str]:
    head = ("Submitter", "Used", "Due", "Entitled", "Asked For", "Jobs Waited", "Matches", "Lost", "Share", "Priority")
    rows = [head]
    for name in names:
        past = times.submitters[name]
        rows.append((
            name, _hours(past.used), _hours(past.due), _hours(past.entitled), _hours(past.asked),
            scale.span(past.waiting), str(past.matched), str(sum(past.lost.values())), f"{past.mean(past.share):.1%}",
            f"{past.mean(past.real) * past.mean(past.factor):.2f}",
        ))  # fmt: skip
    yield from aligned(rows, "  ")
    yield "Used, due (of that which the share gave, what was asked for), entitled and asked for: slot weight hours."


def _use(times: Times, name: str, me: Past, others: Sequence[str]) -> str:
    text = f"{name} used {_hours(me.used)} of the {_hours(times.weight)} slot weight hours of the pool"
    if others:
        text += ", " + _together([f"{other} {_hours(times.submitters[other].used)}" for other in others])
    else:
        text += "; no other user used more"
    return f"{text}. Why:"


def _together(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _why(times: Times, name: str, me: Past, against: Mapping[str, Versus]) -> Iterator[str]:
    if me.used >= me.due * (1 - _LITTLE) and me.due > 0:
        yield f"Nothing is missing: {_hours(me.used)} was used of {_hours(me.due)} that was due."
    yield from _demand(times, name, me)
    for other, versus in against.items():
        yield from _priority(times, name, other, versus)
    for text, reason in sorted(me.reasons.items(), key=lambda item: -item[1].seconds):
        yield _reason(times, name, me, text, reason)
    if me.meanwhile:
        yield _held(me)
    for taker, count in sorted(me.lost.items(), key=lambda item: -item[1]):
        yield f"Preemption: {count} slot{'s' if count > 1 else ''} of {name} went to {taker}."
    if me.ceiling >= 0:
        yield f"Ceiling: {name} may use {scale.number(me.ceiling)} slot weight at most (condor_userprio -setceiling)."
    if times.drained > _LITTLE * times.weight > 0:
        yield f"Drains: {_hours(times.drained)} slot weight hours of the pool were drained, for all users."
    blind = times.end - times.begin - times.known
    if blind > _LITTLE * (times.end - times.begin) and blind > 60:
        yield f"Of {scale.span(blind)} of this time nothing is known: no schedd sent its demand to the negotiator."


def _demand(times: Times, name: str, me: Past) -> Iterator[str]:
    without = times.known - me.waiting
    if me.present == 0:
        yield f"Demand: {name} had no jobs in the queue in this time."
    elif me.waiting == 0:
        yield (
            f"Demand: no job of {name} was left waiting by any cycle: each that could run had its slot, and "
            f"{_hours(me.asked)} slot weight hours is all that was asked for."
        )
    elif without > _LITTLE * times.known:
        yield (
            f"Demand: for {scale.span(without)} of {scale.span(times.known)} no job of {name} waited. Who has no "
            "waiting jobs gets no more slots."
        )


def _priority(times: Times, name: str, other: str, versus: Versus) -> Iterator[str]:
    me, him = times.submitters[name], times.submitters[other]
    if not versus.seconds:
        yield f"Priority: {name} and {other} never had jobs at the same time, so neither stood before the other."
        return
    if me.group != him.group:
        yield f"Groups: {_where(name, me)}, {_where(other, him)}; each group has its own quota, and shares are of that."
        return
    (mine, real, factor), (his, his_real, his_factor) = versus.means(versus.mine), versus.means(versus.his)
    shares = f"while both had jobs, the share of {name} was {mine:.1%} on average, that of {other} {his:.1%}"
    if mine >= his * (1 - _LITTLE):
        yield f"Priority is not why {other} got more: {shares}."
        return
    yield (
        f"Priority: {shares}. Shares are in inverse proportion to priorities: {_priority_of(real, factor)} against "
        f"{_priority_of(his_real, his_factor)}."
    )
    if factor > his_factor * (1 + _LITTLE):
        yield (
            f"Factor: that of {name} is {scale.number(factor / his_factor)} times that of {other}, so with equal past "
            "use the share is so many times smaller (condor_userprio -setfactor; -whatif shows what would be)."
        )
    if real > his_real * (1 + _LITTLE):
        yield (
            f"Past use: the real priority of {name} was {real:.2f}, that of {other} {his_real:.2f}: {name} had used "
            "more before (half of that is forgotten in each PRIORITY_HALFLIFE)."
        )


def _where(name: str, past: Past) -> str:
    return f"{name} is in {past.group}" if past.group not in ("", "<none>") else f"{name} is in no group"


def _priority_of(real: float, factor: float) -> str:
    return f"{real * factor:.2f} (real {real:.2f} x factor {scale.number(factor)})"


def _reason(times: Times, name: str, me: Past, text: str, reason: Reason) -> str:
    """Return what a reason of the negotiator means, with its figures."""
    how = f"for {scale.span(reason.seconds)} up to {reason.jobs:,} job{'s' if reason.jobs != 1 else ''} waited"
    if text == explain.LIMIT_EXCEEDED:
        return f"Share: {how} because {name} had the share that was due ({text})."
    if text.startswith(explain.QUOTA_REACHED):
        group = times.groups.get(me.group)
        quota = f" is {scale.number(group.most)} slot weight" if group is not None else " was reached"
        return f"Group quota: {how} because the quota of {me.group or 'the group'}{quota} ({text})."
    if text == explain.CEILING_REACHED:
        return f"Ceiling: {how} because {name} used as much as a ceiling allows ({text})."
    if text == explain.PREEMPTION_REQUIREMENTS_FALSE:
        return (
            f"Taken: {how} because others held the slots that fit, and PREEMPTION_REQUIREMENTS lets no one take them."
        )
    if text == explain.ALL_TAKEN:
        return f"Taken: {how} because every slot was taken."
    if text == explain.NO_MATCH:
        return (
            f"Matches: {how} that fitted none of the slots with something left; condor_q -better-analyze says what a "
            "job asks for that is not there."
        )
    if text.startswith("concurrency limit "):
        return f"Concurrency limit: {how}: {text}."
    if text == explain.LOST_A_SLOT:
        return f"Preemption: {how} because {name} {text}."
    if text in (explain.OUT_OF_TIME, explain.OUT_OF_STEPS):
        return f"Time: {how} because {text}."
    return f"{text}: {how}."


def _held(me: Past) -> str:
    """Return a line on the users of the machine during the stretches in which jobs waited."""
    largest = sorted(me.meanwhile.items(), key=lambda item: -item[1])[:_OTHERS]
    used = _together([f"{other} {scale.number(weight / me.stretches)}" for other, weight in largest])
    return f"While jobs waited, others held on average (slot weight): {used}."
