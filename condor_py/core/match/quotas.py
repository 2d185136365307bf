"""The quotas of accounting groups: handed down the tree, met by demand, and the surplus to those that want it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from condor_py.core.accounts import ROOT, GroupTree
from condor_py.core.match.session import Member
from condor_py.model.settings.negotiator import GroupSettings, NegotiatorSettings


@dataclass(slots=True)
class Group:
    """A group in one cycle. All quotas and demands are slot weight.

    ``quota`` is its own, ``subtree_quota`` that of the whole subtree, ``wanted`` the demand not allocated
    yet.
    """

    name: str
    settings: GroupSettings
    parent: Group | None = None
    children: list[Group] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    quota: float = 0.0
    subtree_quota: float = 0.0
    requested: float = 0.0
    wanted: float = 0.0
    subtree_wanted: float = 0.0
    allocated: float = 0.0
    usage: float = 0.0
    sort_key: float = 0.0

    def subtree(self) -> Iterator[Group]:
        """The group and everything below it."""
        yield self
        for child in self.children:
            yield from child.subtree()


def build_tree(tree: GroupTree, settings: NegotiatorSettings) -> dict[str, Group]:
    """The groups by name, breadth-first, the root first."""
    given = {group.name.lower(): group for group in settings.groups}
    groups: dict[str, Group] = {}
    for name in tree.names:
        root = GroupSettings(ROOT, accept_surplus=True, autoregroup=any(g.autoregroup for g in settings.groups))
        group = Group(name, root if name == ROOT else given.get(name.lower(), GroupSettings(name)))
        if name != ROOT:
            group.parent = groups[tree.parent[name]]
            group.parent.children.append(group)
        groups[name] = group
    return groups


def assign_quotas(group: Group, quota: float, oversubscription: bool) -> None:
    """Hand ``quota`` to a subtree: static quotas first, dynamic ones from what they leave, the rest to
    itself."""
    if quota <= 0:
        return
    group.subtree_quota = quota
    static = sum(c.settings.quota for c in group.children if not c.settings.dynamic)
    dynamic = sum(c.settings.quota for c in group.children if c.settings.dynamic)
    for_static = static if oversubscription else min(static, quota)
    for_dynamic = max(0.0, quota - for_static)
    given = 0.0
    for child in group.children:
        if child.settings.dynamic:
            part = child.settings.quota * (for_dynamic / max(dynamic, 1.0))
        else:
            part = child.settings.quota * (for_static / static) if static > 0 else 0.0
        assign_quotas(child, part, oversubscription)
        given += part
    keeps_all = oversubscription and group.name != ROOT
    group.quota = max(0.0, quota if keeps_all else quota - given)


def fair_share(group: Group) -> float:
    """Allocate to every group what it wants of its own quota, then the surplus below it; what is left goes
    up."""
    group.allocated = min(group.wanted, group.quota)
    group.wanted -= group.allocated
    group.subtree_wanted = group.wanted
    surplus = group.quota - group.allocated
    if not group.children:
        return surplus
    for child in group.children:
        surplus += fair_share(child)
        if child.settings.accept_surplus:
            group.subtree_wanted += child.subtree_wanted
    return allocate_surplus(group, surplus)


@dataclass(slots=True)
class _Share:
    """One party to a surplus: a child that accepts it, or the node itself."""

    group: Group
    want: float
    weight: float
    got: float = 0.0


def allocate_surplus(group: Group, surplus: float) -> float:
    """Deal ``surplus`` among a node and its children that accept it; return the rest."""
    if surplus <= 0 or group.subtree_wanted <= 0:
        return max(0.0, surplus)
    shares = [
        _Share(child, child.subtree_wanted, child.subtree_quota)
        for child in group.children
        if child.settings.accept_surplus and child.subtree_wanted > 0
    ]
    if group.wanted > 0:
        shares.append(_Share(group, group.wanted, group.quota))
    total = group.subtree_wanted
    if surplus >= total:
        for share in shares:
            share.got = share.want
        surplus, group.subtree_wanted = surplus - total, 0.0
    else:
        left = _deal(shares, surplus, by_quota=True)
        left = _deal(shares, left, by_quota=False)
        surplus, group.subtree_wanted = left, total - (surplus - left)
    for share in shares:
        if share.group is group:
            group.allocated += share.got
            group.wanted -= share.got
        elif share.got > 0:
            allocate_surplus(share.group, share.got)
    return surplus


def _deal(shares: list[_Share], surplus: float, by_quota: bool) -> float:
    """Repeatedly in the ratio of quotas (or evenly), each up to what it wants; what is left."""
    while surplus > 0:
        open_shares = [share for share in shares if share.want - share.got > 0]
        total = sum(share.weight if by_quota else 1.0 for share in open_shares)
        if total <= 0:
            break
        capped = False
        spent = 0.0
        for share in open_shares:
            part = surplus * ((share.weight if by_quota else 1.0) / total)
            if part > share.want - share.got:
                part = share.want - share.got
                capped = True
            share.got += part
            spent += part
        surplus = max(0.0, surplus - spent)
        if not capped:
            surplus = 0.0
    return surplus
