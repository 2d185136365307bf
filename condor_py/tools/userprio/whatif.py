"""condor_userprio -whatif (ours): the shares that follow from other factors, without changing anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.classad import ClassAd
    from condor_py.tools.access import Pool

_NUMBER = r"\d+(?:\.\d+)?"
_CHANGE = re.compile(rf"(?P<name>[^=*]+)=(?:(?P<ratio>{_NUMBER})\*(?P<other>.+)|(?P<factor>{_NUMBER}(?:e\d+)?))\Z")


class User(NamedTuple):
    """A submitter: real priority and factor."""

    real: float
    factor: float


def users_of(ads: Sequence[ClassAd], since: int) -> dict[str, User]:
    """The submitters that used the machine since ``since`` (Unix seconds) or use it now."""
    users = {}
    for ad in ads:
        if ad.eval_bool("IsAccountingGroup", False):
            continue
        recent = (ad.eval_int("LastUsageTime", 0) or 0) >= since or (ad.eval_int("ResourcesUsed", 0) or 0) > 0
        factor = max(1.0, ad.eval_real("PriorityFactor", 1.0))
        if recent:
            users[ad.eval_str("Name", "")] = User(max(0.5, ad.eval_real("Priority", 0.5) / factor), factor)
    return users


def known(ads: Sequence[ClassAd], name: str, default: float) -> tuple[str, User]:
    """The submitter whom a word means: a full name, or what is before the ``@``. One without a record is new."""
    for ad in ads:
        full = ad.eval_str("Name", "")
        if not ad.eval_bool("IsAccountingGroup", False) and name in (full, full.partition("@")[0]):
            factor = max(1.0, ad.eval_real("PriorityFactor", default))
            return full, User(max(0.5, ad.eval_real("Priority", 0.5) / factor), factor)
    return name, User(0.5, default)


def changed(ads: Sequence[ClassAd], users: dict[str, User], changes: Sequence[str], default: float) -> dict[str, User]:
    """``users`` (who gets those whom the changes name) with the changes made. CondorError for one that is no change.

    A change is ``USER=FACTOR``, or ``USER=RATIO*OTHER`` for the factor that gives USER a share RATIO times OTHER's.
    Where that would be below 1, OTHER's factor is raised instead.
    """
    from condor_py.accountant.whatif import factor_for

    after = dict(users)
    for text in changes:
        match = _CHANGE.match(text)
        if match is None:
            raise CondorError(f"condor_userprio: -whatif {text}: write USER=FACTOR or USER=RATIO*OTHER")
        name, user = known(ads, match["name"], default)
        users.setdefault(name, user)
        after.setdefault(name, user)
        if match["factor"] is not None:
            factor = float(match["factor"])
            if factor < 1:
                raise CondorError("Priority factors must be greater than or equal to 1.")
            after[name] = after[name]._replace(factor=factor)
            continue
        other, other_user = known(ads, match["other"], default)
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


def weight_of(pool: Pool) -> float:
    """The slot weight of the whole machine; its cores where no slot is published."""
    total = 0.0
    for ad in pool.ads("STARTD"):
        if ad.has("SlotID") and not ad.eval_bool("DynamicSlot", False):
            total += ad.eval_real("TotalSlotCpus", 1.0)
    return total or float(pool.config.integer("DETECTED_CPUS", 1))


def lines(before: dict[str, User], after: dict[str, User], weight: float) -> Iterator[str]:
    """The table, and the commands that would make it true."""
    from condor_py.accountant.whatif import shares, steady_shares

    now = shares({name: user.real * user.factor for name, user in before.items()})
    then = shares({name: user.real * user.factor for name, user in after.items()})
    steady = steady_shares({name: user.factor for name, user in after.items()}, weight)
    head = ("User Name", "Factor", "New Factor", "Share Now", "Share Then", "In Long Run")
    rows = [
        (
            name,
            f"{before[name].factor:.2f}",
            f"{after[name].factor:.2f}" if after[name].factor != before[name].factor else "",
            f"{now[name]:.2%}",
            f"{then[name]:.2%}",
            f"{steady[name]:.2%}",
        )
        for name in sorted(after, key=lambda name: (-then[name], name))
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, tuple("-" * width for width in widths), *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield " ".join(cells).rstrip()
    yield "Shares of a machine on which all of these have jobs waiting; nothing has been changed."
    for name, user in after.items():
        if user.factor != before[name].factor:
            yield f"To make it so: condor_userprio -setfactor {name} {user.factor:.6g}"
