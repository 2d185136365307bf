"""Accounting groups and preemption: quotas of groups that do not exist, that add up to too much, and the like."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Macro
from condor_py.model.spelling import Speller

#: Knobs of one group, longer beginnings first; two that begin so are knobs of all groups.
_OF_GROUP = (
    "GROUP_QUOTA_DYNAMIC_", "GROUP_QUOTA_", "GROUP_ACCEPT_SURPLUS_", "GROUP_AUTOREGROUP_", "GROUP_PRIO_FACTOR_",
)  # fmt: skip
_OF_ALL = frozenset(("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "GROUP_QUOTA_ROUND_ROBIN_RATE"))
_DYNAMIC = "GROUP_QUOTA_DYNAMIC_"
#: What the ads have by which GROUP_SORT_EXPR puts groups in order.
_SORTED_BY = ("AccountingGroup", "GroupQuota", "GroupResourcesInUse", "GroupResourcesAllocated")
#: Dynamic quotas such as .66667 and .33334 are meant to be 1.
_ROUNDING = 0.001


def check_groups(subject: Subject) -> Iterator[Finding]:
    """Everything about the groups of GROUP_NAMES, and PREEMPTION_REQUIREMENTS that lets anybody preempt anybody."""
    groups = {name.lower(): name for name in to_list(subject.string("GROUP_NAMES"))}
    sums: dict[str, float] = {}
    for macro in subject.settings:
        upper = macro.name.upper()
        if upper == "GROUP_NAMES":
            yield from _orphans(macro, groups)
        elif upper == "GROUP_SORT_EXPR":
            yield from _sort_expression(subject, macro)
        elif upper == "PREEMPTION_REQUIREMENTS":
            yield from _everybody_preempts(subject, macro)
        elif (group := _group_of(upper, macro.name)) and upper not in _OF_ALL:
            yield from _of_group(subject, macro, group, groups, sums)


def _group_of(upper: str, name: str) -> str:
    """The group that a knob is about; "" for other knobs."""
    return next((name[len(start) :] for start in _OF_GROUP if upper.startswith(start)), "")


def _orphans(macro: Macro, groups: dict[str, str]) -> Iterator[Finding]:
    for name in groups.values():
        parent = name.rpartition(".")[0]
        if parent and parent.lower() not in groups:
            yield finding("warning", macro, f"{name} is ignored, because {parent} is not in the list")


def _of_group(
    subject: Subject, macro: Macro, group: str, groups: dict[str, str], sums: dict[str, float]
) -> Iterator[Finding]:
    if group.lower() not in groups:
        like = Speller(groups.values()).nearest(group)
        hint = f": did you mean {like}?" if like else ""
        yield finding("warning", macro, f"this does nothing, because {group} is not in GROUP_NAMES{hint}")
        return
    if not macro.name.upper().startswith(_DYNAMIC):
        return
    quota = _number(subject.expand(macro.value) or "")
    if quota is None:
        return
    if quota > 1:
        yield finding("error", macro, f"{quota:g} is not a part of the parent's quota: write a number from 0 to 1")
        return
    parent = group.rpartition(".")[0].lower()
    sums[parent] = sums.get(parent, 0.0) + quota
    if sums[parent] - quota <= 1 + _ROUNDING < sums[parent]:
        whose = f"the groups of {groups[parent]}" if parent else "all groups"
        yield finding("warning", macro, f"the dynamic quotas of {whose} add up to {sums[parent]:g}: each gets less")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _sort_expression(subject: Subject, macro: Macro) -> Iterator[Finding]:
    from condor_py.lang.classad import is_valid
    from condor_py.lang.classad.analyze import names

    text = (subject.expand(macro.value) or "").strip()
    if not is_valid(text):
        return
    known = {name.lower() for name in _SORTED_BY}
    named = names(text)
    for name in (*named.my, *named.target, *named.unscoped):
        if name.lower() not in known:
            there = ", ".join(_SORTED_BY)
            yield finding("warning", macro, f"{name} is always UNDEFINED here, groups are sorted by {there}")


def _everybody_preempts(subject: Subject, macro: Macro) -> Iterator[Finding]:
    from condor_py.lang.classad import ClassAd, is_valid

    text = (subject.expand(macro.value) or "").strip()
    if not is_valid(text) or ClassAd().eval_text(text) is not True:
        return
    message = "any user may preempt any other, who then preempts them: compare RemoteUserPrio and SubmitterUserPrio"
    yield finding("warning", macro, message)
