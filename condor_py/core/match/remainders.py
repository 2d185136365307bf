"""Whole slots from the fractions of the groups' allocations, where every slot counts as one.

Quotas such as 0.3 of seven slots leave fractions that no group can use. They are collected up the tree, and what
they add up to is dealt out in whole slots: to whoever has waited longest for such a slot first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from condor_py.core.match.quotas import Group


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
    """``turns`` are the times (Unix seconds) of each group's last turn; ``served`` who has had one in this deal."""

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
        """Deals whole slots among a node and its children that accept them; what nobody wants."""
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
        """Who takes part, in the order of the deal: longest without a turn, larger quota, larger demand."""
        parties = [
            _Party(child, self._subtree_turns[child.name], child.subtree_quota, child.subtree_wanted)
            for child in node.children
            if child.settings.accept_surplus
        ]
        parties.append(_Party(node, self.turns.get(node.name, 0.0), node.quota, node.wanted))
        return sorted(parties, key=lambda party: (party.turn, -party.weight, -party.want))
