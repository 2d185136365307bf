"""Accounting groups in a cycle: quotas are handed down the tree and met by demand, and what is left goes to groups
that want it; then each group gets a pie of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from condor_py.core.accounts import ROOT, GroupReport, GroupTree
from condor_py.core.match.allowance import EPSILON
from condor_py.core.match.ephemeral import GroupContext
from condor_py.core.match.session import Member, Session
from condor_py.core.match.slices import Pie
from condor_py.core.match.values import as_real
from condor_py.lang.classad import ClassAd, parse
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
        regroup = settings.autoregroup or any(g.autoregroup for g in settings.groups)
        root = GroupSettings(ROOT, accept_surplus=True, autoregroup=regroup)
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


_LAST = 3.4028234663852886e38  # FLT_MAX, the sort key of an expression that gives no number


class GroupRound:
    """Negotiation with all groups, in as many allocation rounds as it takes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.shares: dict[str, tuple[float, float]] = {}
        self.groups = build_tree(session.accountant.tree, session.settings)
        self._root = self.groups[ROOT]
        for member in session.members:
            group = self.groups[session.accountant.tree.group_of(member.name)]
            group.members.append(member)
            group.requested += self._demand(member)
        for group in self.groups.values():
            group.usage = session.group_use[group.name]
            group.wanted = group.requested
        self._remainders = Remainders(session.accountant.group_turns)
        self._regroup = self._root.settings.autoregroup
        if self._regroup:
            regrouped = [
                m for g in self.groups.values() if g.settings.autoregroup and g is not self._root for m in g.members
            ]
            self._root.members.extend(regrouped)
        self._size = session.pool_size
        assign_quotas(self._root, self._size, session.settings.allow_quota_oversubscription)

    def _demand(self, member: Member) -> float:
        demand = member.demand
        if self.session.settings.use_weighted_demand:
            return demand.running_weight + demand.idle_weight
        return float(demand.running + demand.idle)

    def run(self) -> None:
        """Allocate, negotiate, and allocate again what could not be used."""
        for _ in range(max(1, self.session.settings.max_allocation_rounds)):
            self.session.tally.rounds += 1
            fair_share(self._root)
            if not self.session.settings.use_slot_weights:
                self._remainders.recover(self._root)
            if self._regroup:
                self._root.quota = self._root.allocated = self._size
            self._sort()
            self._negotiate_in_steps(sorted(self.groups.values(), key=self._order))
            if not self._another_round():
                break
        self._lend()

    def turns(self) -> set[str]:
        """The groups that cannot claim to be owed a slot made of fractions: they got one, or want nothing."""
        return self._remainders.served | {group.name for group in self.groups.values() if group.wanted <= 0}

    def _order(self, group: Group) -> tuple[bool, float]:
        return (self._regroup and group is self._root, group.sort_key)

    def _sort(self) -> None:
        expression = parse(self.session.settings.group_sort_expr)
        for group in self.groups.values():
            ad = ClassAd()
            ad.set_str("AccountingGroup", group.name)
            ad.set_real("GroupQuota", group.quota)
            ad.set_real("GroupResourcesInUse", self.session.group_use[group.name])
            ad.set_real("GroupResourcesAllocated", group.allocated)
            group.sort_key = as_real(ad.raw(expression), _LAST)

    def _negotiate_in_steps(self, groups: list[Group]) -> None:
        """The groups' limits rise together, by GROUP_QUOTA_ROUND_ROBIN_RATE for the one that has farthest to go, so
        that groups after the same slots do not starve one another. By default that is one step.
        """
        settings = self.session.settings
        shares_surplus = settings.accept_surplus or any(group.accept_surplus for group in settings.groups)
        farthest = max(max(0.0, (group.allocated if shares_surplus else group.quota) - group.usage) for group in groups)
        reached = 0.0
        while True:
            reached = min(reached + settings.round_robin_rate, farthest)
            for group in groups:
                self._negotiate(group, reached / farthest if farthest > 0 else 1.0)
            if reached >= farthest:
                break

    def _negotiate(self, group: Group, part: float) -> None:
        """Negotiates for the ``part`` (0 to 1) of what the group has still to get in this round."""
        session = self.session
        session.quotas[group.name] = max(group.allocated, group.quota)
        if group.allocated <= 0:
            session.log.append(f"Group {group.name} - skipping, zero slots allocated")
            return
        if group.usage >= group.allocated and not session.settings.consider_preemption:
            session.log.append(
                f"Group {group.name} - skipping, at or over quota (quota={group.quota:g}) "
                f"(usage={group.usage:g}) (allocation={group.allocated:g})"
            )
            return
        if not group.members:
            session.log.append(f"Group {group.name} - skipping, no submitters (usage={group.usage:g})")
            return
        target = max(group.allocated, group.quota)
        limit = self._strict(group, target - (1.0 - part) * max(0.0, target - group.usage))
        session.log.append(f"Group {group.name} - BEGIN NEGOTIATION with a quota limit of {limit:g}")
        size = min(self._size, float(int(limit + EPSILON)))
        self._deal(group, size)

    def _deal(self, group: Group, size: float, idle_only: bool = False) -> None:
        """A pie of that size for a group; for the root where groups are regrouped, of the whole pool."""
        session = self.session
        regrouping = self._regroup and group is self._root
        quotas = {other.name: other.quota for other in self.groups.values()}
        session.group = GroupContext(group.name, regrouping, quotas)
        size = self._size if regrouping else size
        pie = Pie(session, list(group.members), size, None if regrouping else size, idle_only)
        pie.run()
        for name, share in pie.shares.items():
            self.shares.setdefault(name, share)

    def _lend(self) -> None:
        """Lend what fractions of quotas leave idle: a group below its quota may have the whole slot of which it is due
        a part (HTCondor leaves such slots idle). No job is preempted for that."""
        for group in sorted(self.groups.values(), key=self._order):
            if not self.session.free_capacity():
                return
            if self._regroup and group is self._root:
                continue
            use = self.session.group_use[group.name]
            limit = self._strict(group, math.ceil(max(group.allocated, group.quota) - EPSILON), whole=True)
            if use < limit - EPSILON and any(member.idle for member in group.members):
                self.session.log.append(f"Group {group.name} - may have idle slots up to {limit:g}")
                self._deal(group, min(self._size, float(int(limit + EPSILON))), idle_only=True)

    def _strict(self, group: Group, limit: float, whole: bool = False) -> float:
        """``limit`` reduced so that no ancestor that refuses surplus gets beyond its quota; ``whole``: beyond the next
        whole number."""
        if not self.session.settings.strict_enforce_quota:
            return limit
        use = self.session.group_use[group.name]
        room = limit - use
        above: Group | None = group
        while above is not None:
            if not above.settings.accept_surplus:
                cap = above.subtree_quota if above.settings.dynamic else above.settings.quota
                cap = math.ceil(cap - EPSILON) if whole else cap
                taken = sum(self.session.group_use[g.name] for g in above.subtree())
                room = min(room, max(0.0, cap - taken))
            above = above.parent
        return room + use

    def _another_round(self) -> bool:
        """Whether some group could not use what it was allocated; it then asks for no more than it uses."""
        allocated = used = 0.0
        for group in self.groups.values():
            group.usage = self.session.group_use[group.name]
            allocated += group.allocated
            used += min(group.usage, group.allocated)
            if group.usage < group.allocated:
                group.wanted = group.usage
            else:
                group.wanted += group.allocated
        return used < allocated - EPSILON

    def reports(self) -> dict[str, GroupReport]:
        """Reports on the groups for the Accounting ads."""
        result = {}
        for group in self.groups.values():
            settings = group.settings
            surplus = "regroup" if settings.autoregroup else "byquota" if settings.accept_surplus else "no"
            result[group.name] = GroupReport(
                group.quota, settings.quota, group.subtree_quota, group.sort_key, surplus, group.requested
            )
        return result


@dataclass(slots=True)
class _Party:
    """A child with its subtree, or the node itself."""

    node: Group
    turn: float
    weight: float
    want: float
    got: float = 0.0


@dataclass(slots=True)
class Remainders:
    """``turns`` are the times (Unix seconds) of each group's last turn; ``served`` the groups that had one in this
    deal."""

    turns: Mapping[str, float]
    served: set[str] = field(default_factory=set)
    _subtree_turns: dict[str, float] = field(default_factory=dict)

    def recover(self, node: Group) -> float:
        """Cuts the allocations of a subtree to whole slots and deals what that frees; what is left goes up."""
        surplus = node.allocated - math.floor(node.allocated)
        node.allocated = float(round(node.allocated - surplus))
        node.wanted = float(round(node.wanted + surplus))
        node.subtree_wanted = node.wanted
        turn = self.turns.get(node.name, 0.0) if node.wanted > 0 else math.inf
        for child in node.children:
            surplus += self.recover(child)
            if child.settings.accept_surplus:
                node.subtree_wanted += child.subtree_wanted
                turn = min(turn, self._subtree_turns[child.name])
        self._subtree_turns[node.name] = turn
        return self._deal(node, surplus) if node.children else surplus

    def _deal(self, node: Group, surplus: float) -> float:
        """Deals whole slots among a node and its children that accept them; return the rest."""
        wanted = math.floor(node.subtree_wanted)
        parties = self._parties(node)
        while surplus >= 1 and wanted > 0:
            open_parties = [party for party in parties if party.want > 0]
            if not open_parties:
                break
            most = max(1.0, math.floor(surplus / len(open_parties)))
            for party in open_parties:
                part = min(party.want, most)
                party.got += part
                party.want -= part
                surplus -= part
                wanted -= math.floor(part)
                self.served.add(party.node.name)
                if surplus < most:
                    break
        for party in parties:
            if party.node is node:
                node.allocated += party.got
                node.wanted -= party.got
            elif party.got > 0:
                self._deal(party.node, party.got)
        node.subtree_wanted = float(wanted)
        return surplus

    def _parties(self, node: Group) -> list[_Party]:
        """Groups that take part, in the order of the deal: longest without a turn, larger quota, larger demand."""
        parties = [
            _Party(child, self._subtree_turns[child.name], child.subtree_quota, child.subtree_wanted)
            for child in node.children
            if child.settings.accept_surplus
        ]
        parties.append(_Party(node, self.turns.get(node.name, 0.0), node.quota, node.wanted))
        return sorted(parties, key=lambda party: (party.turn, -party.weight, -party.want))
