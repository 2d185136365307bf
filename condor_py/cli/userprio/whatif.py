"""condor_userprio -whatif (ours): the shares that follow from other factors, without changing anything."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.output.terminal import aligned
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

_NUMBER = r"\d+(?:\.\d+)?"
_CHANGE = re.compile(rf"(?P<name>[^=*]+)=(?:(?P<ratio>{_NUMBER})\*(?P<other>.+)|(?P<factor>{_NUMBER}(?:e\d+)?))\Z")


class User(NamedTuple):
    """A submitter: real priority and factor, ceiling in slot weight (infinity without one), and group."""

    real: float
    factor: float
    ceiling: float = math.inf
    group: str = "<none>"


def _user(ad: ClassAd) -> User:
    factor = max(1.0, ad.eval_real("PriorityFactor", 1.0))
    ceiling = ad.eval_real("Ceiling", -1.0)
    real = max(0.5, ad.eval_real("Priority", 0.5) / factor)
    return User(real, factor, math.inf if ceiling < 0 else ceiling, ad.eval_str("AccountingGroup", "<none>"))


def with_jobs(ads: Sequence[ClassAd]) -> frozenset[str] | None:
    """Return the submitters with jobs in the queue, as the schedd's ads of submitters say; None without such ads."""
    if not ads:
        return None
    return frozenset(
        ad.eval_str("Name", "") for ad in ads if ad.eval_int("IdleJobs", 0) > 0 or ad.eval_int("RunningJobs", 0) > 0
    )


def users_of(ads: Sequence[ClassAd], since: int, queued: Collection[str] | None = None) -> dict[str, User]:
    """The submitters with jobs in the queue (``queued``); where that is not known, those that used the machine since
    ``since`` (Unix seconds) or use it now."""
    users = {}
    for ad in ads:
        if ad.eval_bool("IsAccountingGroup", False):
            continue
        name = ad.eval_str("Name", "")
        recent = ad.eval_int("LastUsageTime", 0) >= since or ad.eval_int("ResourcesUsed", 0) > 0
        if recent if queued is None else name in queued:
            users[name] = _user(ad)
    return users


def known(ads: Sequence[ClassAd], name: str) -> tuple[str, User]:
    """The submitter whom a word means: a full name, or what is before the ``@``. CondorError for none."""
    for ad in ads:
        full = ad.eval_str("Name", "")
        if not ad.eval_bool("IsAccountingGroup", False) and name in (full, full.partition("@")[0]):
            return full, _user(ad)
    raise CondorError(f"condor_userprio: -whatif: {name} has never submitted a job here (condor_userprio -allusers)")


def changed(ads: Sequence[ClassAd], users: dict[str, User], changes: Sequence[str]) -> dict[str, User]:
    """``users`` (who gets those whom the changes name) with the changes made. CondorError for one that is no change.

    A change is ``USER=FACTOR``, or ``USER=RATIO*OTHER`` for the factor that gives USER a share RATIO times OTHER's.
    Where that would be below 1, OTHER's factor is raised instead.
    """
    from condor_py.core.accounts.whatif import factor_for

    after = dict(users)
    for text in changes:
        match = _CHANGE.match(text)
        if match is None:
            raise CondorError(f"condor_userprio: -whatif {text}: write USER=FACTOR or USER=RATIO*OTHER")
        name, user = known(ads, match["name"])
        users.setdefault(name, user)
        after.setdefault(name, user)
        if match["factor"] is not None:
            factor = float(match["factor"])
            if factor < 1:
                raise CondorError("Priority factors must be greater than or equal to 1.")
            after[name] = after[name]._replace(factor=factor)
            continue
        other, other_user = known(ads, match["other"])
        users.setdefault(other, other_user)
        after.setdefault(other, other_user)
        ratio = float(match["ratio"])
        if other == name or ratio <= 0:
            raise CondorError(f"condor_userprio: -whatif {text}: two different users and a ratio above 0 are needed")
        factor = factor_for(ratio, after[name].real, after[other].real, after[other].factor)
        if factor >= 1:
            after[name] = after[name]._replace(factor=factor)
        else:
            raised = factor_for(1 / ratio, after[other].real, after[name].real, 1.0)
            after[name], after[other] = after[name]._replace(factor=1.0), after[other]._replace(factor=raised)
    return after


def weight_of(slots: Sequence[ClassAd], cores: float) -> float:
    """The slot weight of the whole machine; its ``cores`` where no slot is published."""
    total = 0.0
    for ad in slots:
        if ad.has("SlotID") and not ad.eval_bool("DynamicSlot", False):
            total += ad.eval_real("TotalSlotCpus", 1.0)
    return total or cores


def pies_of(ads: Sequence[ClassAd], users: Mapping[str, User], weight: float) -> dict[str, float]:
    """The slot weight for the users of each group that has any: its quota, and what is left over, in the ratio of the
    quotas, for groups that accept surplus. Users without a group have what is no group's quota, and accept surplus."""
    groups = {user.group for user in users.values()}
    quotas = dict.fromkeys(groups, 0.0)
    open_groups = {"<none>"} & groups
    for ad in ads:
        name = ad.eval_str("Name", "")
        if ad.eval_bool("IsAccountingGroup", False) and name in groups:
            quotas[name] = ad.eval_real("EffectiveQuota", 0.0)
            if ad.eval_str("SurplusPolicy", "no") != "no":
                open_groups.add(name)
    scale = min(1.0, weight / (sum(quotas.values()) or weight))
    pies = {name: quota * scale for name, quota in quotas.items()}
    rest = max(0.0, weight - sum(pies.values()))
    parts = {name: quotas[name] for name in open_groups}
    even = sum(parts.values()) <= 0
    for name, part in parts.items():
        pies[name] += rest / len(parts) if even else rest * part / sum(parts.values())
    return pies


def _parts(
    users: Mapping[str, User], pies: Mapping[str, float], weight: float, steady: bool = False
) -> dict[str, float]:
    """The part (0 to 1) of the machine that each submitter gets, now or in the long run."""
    from condor_py.core.accounts.whatif import steady_shares, within_ceilings

    parts: dict[str, float] = {}
    for group, pie in pies.items():
        members = {name: user for name, user in users.items() if user.group == group}
        ceilings = {name: user.ceiling for name, user in members.items()}
        if steady:
            found = steady_shares({name: user.factor for name, user in members.items()}, pie, ceilings)
            found = {name: found.get(name, 0.0) * pie for name in members}
        else:
            inverse = {name: 1.0 / (user.real * user.factor) for name, user in members.items()}
            found = within_ceilings(inverse, pie, ceilings)
        parts |= {name: amount / weight for name, amount in found.items()}
    return parts


class Outcome(NamedTuple):
    """The effect of a change on a submitter: factors before and after, and parts (0 to 1) of the machine: now, then,
    and in the long run, when real priorities have followed the use."""

    name: str
    factor: float
    new_factor: float
    now: float
    then: float
    steady: float


def outcomes(
    ads: Sequence[ClassAd],
    before: Mapping[str, User],
    after: Mapping[str, User],
    weight: float,
    changed_ads: Sequence[ClassAd] | None = None,
) -> list[Outcome]:
    """Return the outcome for each submitter, the largest share first. ``changed_ads`` have other quotas of groups."""
    pies = pies_of(ads, after, weight)
    pies_then = pies if changed_ads is None else pies_of(changed_ads, after, weight)
    now, then = _parts(before, pies, weight), _parts(after, pies_then, weight)
    steady = _parts(after, pies_then, weight, steady=True)
    return [
        Outcome(name, before[name].factor, after[name].factor, now[name], then[name], steady[name])
        for name in sorted(after, key=lambda name: (-then[name], name))
    ]


def lines(ads: Sequence[ClassAd], before: dict[str, User], after: dict[str, User], weight: float) -> Iterator[str]:
    """The table, and the commands that would make it true."""
    head = ("User Name", "Factor", "New Factor", "Share Now", "Share Then", "In Long Run")
    rows = [
        (
            one.name,
            f"{one.factor:.2f}",
            f"{one.new_factor:.2f}" if one.new_factor != one.factor else "",
            f"{one.now:.2%}",
            f"{one.then:.2%}",
            f"{one.steady:.2%}",
        )
        for one in outcomes(ads, before, after, weight)
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    yield from aligned([head, tuple("-" * width for width in widths), *rows], " ")
    yield "Shares of a machine on which all of these have jobs waiting; nothing has been changed."
    if any(user.ceiling < math.inf or user.group != "<none>" for user in after.values()):
        yield "Ceilings and quotas of groups are kept."
    for name, user in after.items():
        if user.factor != before[name].factor:
            yield f"To make it so: condor_userprio -setfactor {name} {user.factor:.6g}"
