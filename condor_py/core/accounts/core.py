"""Usage and priority of submitters and groups: what the negotiator asks and what it charges."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from condor_py.core.accounts import kernel
from condor_py.core.accounts.facts import number, string
from condor_py.core.accounts.journal import (
    ACCOUNTANT_KEY,
    RESOURCE_PREFIX,
    Journal,
    NoJournal,
    real_text,
    string_text,
)
from condor_py.core.accounts.records import RecordTable
from condor_py.core.accounts.tree import ROOT, GroupTree
from condor_py.core.accounts.use import ClaimedUse, is_elsewhere
from condor_py.model.record import SET, Change
from condor_py.model.settings.negotiator import AccountantSettings

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd


_Ad: TypeAlias = "ClassAd | Mapping[str, Any]"


class Holding(NamedTuple):
    """A slot charged to a submitter: slot weight, and the time (Unix seconds) of the charge."""

    submitter: str
    weight: float
    start: int


#: So begin the names of nice users, whatever condor_submit calls their group.
_NICE = "nice-user"

#: Makes one of very many without its Python constructor.
_holding = partial(tuple.__new__, Holding)


class _Users(dict[str, str]):
    """Names of submitters as the log has them: few names for many slots."""

    def __missing__(self, name: str) -> str:
        text = self[name] = string_text(name)
        return text


class _Weights(dict[float, tuple[float, str]]):
    """Slot weights with six decimals, and as the log has them."""

    def __missing__(self, exact: float) -> tuple[float, str]:
        weight = kernel.six_decimals(exact)
        pair = self[exact] = weight, real_text(weight)
        return pair


class Accountant:
    """The records of every user that ever used the pool, and the slots charged to them now.

    ``load`` takes the image of the accountant log, mutators queue changes of it, and the owner persists
    ``take_log()`` as one transaction. Times are Unix seconds; ``use`` is in slot weight.
    """

    def __init__(self, settings: AccountantSettings, *, quiet: bool = False) -> None:
        """``quiet``: no log of it is written."""
        self.settings = settings
        self.tree = GroupTree(settings.group_names)
        self.last_update = 0
        self.holdings: dict[str, Holding] = {}
        #: When each group last had its turn at a slot made of fractions of quotas (Unix seconds); not kept on disk.
        self.group_turns: dict[str, int] = {}
        self._group_factors = {name.lower(): factor for name, factor in settings.group_factors}
        self._journal = NoJournal() if quiet else Journal()
        self.table = RecordTable(self._journal)
        for name in self.tree.names:
            self._group_row(name)

    def reconfigure(self, settings: AccountantSettings) -> None:
        """Follow a changed configuration; factors already stored stay, as the manual says."""
        self.settings = settings
        self.tree = GroupTree(settings.group_names)
        self._group_factors = {name.lower(): factor for name, factor in settings.group_factors}
        for name in self.tree.names:
            self._group_row(name)
        self._restore_counts()

    def load(self, customers: Mapping[str, _Ad], resources: Mapping[str, _Ad], last_update: int) -> None:
        """Start from the image of the log: ads by submitter or group name, ads by slot key, LastUpdateTime.

        Counts of held slots are taken from the resources, because HTCondor 25.14 lets ResourcesUsed grow.
        """
        self._journal.clear()
        self.table = RecordTable(self._journal)
        self.holdings.clear()
        self.last_update = last_update
        for name, ad in customers.items():
            self.table.load(name, ad)
        for key, ad in resources.items():
            user = string(ad, "RemoteUser")
            if user:
                start = int(number(ad, "StartTime", 0))
                self.holdings[key] = Holding(user, float(number(ad, "SlotWeight", 1.0)), start)
        for name in self.tree.names:
            self._group_row(name)
        self._restore_counts()

    def _restore_counts(self) -> None:
        held, subtree = self.table.integers["ResourcesUsed"], self.table.reals["HierWeightedResourcesUsed"]
        for row in range(len(self.table)):
            held[row] = 0
            subtree[row] = 0.0
        for holding in self.holdings.values():
            group = self.tree.group_of(holding.submitter)
            held[self.table.row(holding.submitter)] += 1
            held[self.table.row(group)] += 1
            for name in self.tree.lineage(group):
                subtree[self.table.row(name)] += holding.weight

    def take_log(self) -> tuple[Change, ...]:
        """Return what changed since the last call, to be persisted as one transaction; empty when nothing did.

        The time of the last update is only written together with other changes. While no submitter uses or recovers
        anything, an update changes nothing that a restart could not compute again.
        """
        changes = self._journal.take(self.table.text)
        if not changes:
            return ()
        return Change(SET, ACCOUNTANT_KEY, "LastUpdateTime", str(self.last_update)), *changes

    # -- priorities ------------------------------------------------------------------------------------------

    def _group_row(self, name: str) -> int:
        row = self.table.row(name)
        if self.table.reals["PriorityFactor"][row] < 1.0:
            factor = self._group_factors.get(name.lower(), 0.0) or self.settings.default_factor
            self.table.set(row, "PriorityFactor", max(1.0, factor))
        return row

    def row(self, name: str) -> int:
        """The row of a submitter or group; a new one gets its factor and both are queued."""
        self.welcome((name,))
        return self.table.index[name]

    def initial_factor(self, submitter: str) -> float:
        """The factor of a submitter at first sight: nice user, group, remote, default; at least 1."""
        s = self.settings
        by_group = self._group_factors.get(self.tree.group_of(submitter).lower(), 0.0)
        if submitter.startswith((_NICE, s.nice_user_group + ".")):
            factor = s.nice_user_factor
        elif by_group != 0.0:
            factor = by_group
        elif s.local_domain and s.local_domain != submitter.rpartition("@")[2]:
            factor = s.remote_factor
        else:
            factor = s.default_factor
        return max(1.0, factor)

    def real_priority(self, name: str) -> float:
        """RUP (real user priority), 0.5 for an unknown submitter."""
        row = self.table.index.get(name)
        return 0.5 if row is None else max(0.5, self.table.reals["Priority"][row])

    def welcome(self, names: Collection[str]) -> None:
        """Records for all of ``names``, with a factor: ``row`` for many at once."""
        table = self.table
        table.begin([name for name in dict.fromkeys(names) if name not in table.index])
        factors = table.reals["PriorityFactor"]
        for name in names:
            row = table.index[name]
            if factors[row] < 1.0:
                table.set(row, "PriorityFactor", self.initial_factor(name))

    def factor(self, name: str) -> float:
        """The priority factor, for an unknown submitter the one that it would get."""
        row = self.table.index.get(name)
        stored = 0.0 if row is None else self.table.reals["PriorityFactor"][row]
        return stored if stored >= 1.0 else self.initial_factor(name)

    def effective_priority(self, name: str) -> float:
        """EUP = RUP x factor; smaller is better."""
        return self.real_priority(name) * self.factor(name)

    def use(self, name: str) -> float:
        """Slot weight in use by a submitter, or by the direct members of a group."""
        row = self.table.index.get(name)
        return 0.0 if row is None else self.table.reals["WeightedResourcesUsed"][row]

    def elsewhere(self) -> dict[str, float]:
        """Usage of submitters outside of the pool, in slot weight."""
        return {holding.submitter: holding.weight for key, holding in self.holdings.items() if is_elsewhere(key)}

    def held(self, name: str) -> int:
        """Number of slots in use."""
        row = self.table.index.get(name)
        return 0 if row is None else self.table.integers["ResourcesUsed"][row]

    def last_use(self, name: str) -> int:
        """Time at which a submitter last held a slot (Unix seconds); 0 for one that never did."""
        row = self.table.index.get(name)
        return 0 if row is None else self.table.integers["LastUsageTime"][row]

    def ceiling(self, name: str) -> int:
        """Largest slot weight that a submitter may use; -1 for no ceiling."""
        row = self.table.index.get(name)
        return -1 if row is None else max(-1, self.table.integers["Ceiling"][row])

    def floor(self, name: str) -> int:
        """Slot weight that a submitter gets before anybody else gets any; 0 for none."""
        row = self.table.index.get(name)
        return 0 if row is None else max(0, self.table.integers["Floor"][row])

    def setting(self, name: str, attribute: str) -> float:
        """The present value of one attribute of a record, made where there was none."""
        return self.table.values(self.row(name))[attribute]

    def lease_expiration(self, name: str, attribute: str) -> int:
        """End of the lease on ``attribute`` (Ceiling, Floor, PriorityFactor) in Unix seconds; 0 without one."""
        row = self.table.index.get(name)
        return 0 if row is None else max(0, self.table.integers[attribute + "LeaseExpiration"][row])

    # -- time ------------------------------------------------------------------------------------------------

    def pass_over(self, seconds: int) -> None:
        """The clock went on while the machine slept: no submitter is charged for that time, and no priority decays.
        Or (less than 0) it was set back: the time since the last update is as long as before."""
        if self.last_update:
            self.last_update += seconds

    def update(self, now: int) -> None:
        """Bring every record up to ``now`` (manual, "Priority Calculation").

        Nothing happens in the same second; a clock set back only moves the time of the last update.
        """
        dt = now - self.last_update
        first, self.last_update = self.last_update == 0, now
        if dt > 0 and not first:
            self._decay(now, dt)

    def _decay(self, now: int, dt: int) -> None:
        table = self.table
        beta = 0.5 ** (dt / self.settings.halflife)
        groups = self._group_priorities(beta)
        changed = array("B", bytes(len(table)))
        kernel.decay(
            beta,
            float(dt),
            table.reals["Priority"],
            table.reals["WeightedResourcesUsed"],
            table.reals["WeightedUnchargedTime"],
            table.reals["WeightedAccumulatedUsage"],
            table.integers["ResourcesUsed"],
            table.integers["UnchargedTime"],
            table.reals["AccumulatedUsage"],
            changed,
        )
        for row, (old, new) in groups.items():
            table.reals["Priority"][row] = new
            flags = changed[row] & ~kernel.CHANGED_PRIORITY
            changed[row] = flags | (kernel.CHANGED_PRIORITY if new != old else 0)
        for row, flags in enumerate(changed):
            if flags:
                self._queue_decayed(row, flags, now)

    def _group_priorities(self, beta: float) -> dict[int, tuple[float, float]]:
        """Old and new RUP of the groups, which follow the use of their whole subtree."""
        priority, subtree = self.table.reals["Priority"], self.table.reals["HierWeightedResourcesUsed"]
        result = {}
        for name in self.tree.names:
            row = self.table.index[name]
            if self.tree.children[name] and subtree[row] > 0.0 and name != ROOT:
                new = max(kernel.MIN_PRIORITY, priority[row] * beta + subtree[row] * (1.0 - beta))
                result[row] = priority[row], kernel.six_decimals(new)
        return result

    def _queue_decayed(self, row: int, flags: int, now: int) -> None:
        table = self.table
        if flags & kernel.CHANGED_PRIORITY:
            table.queue(row, "Priority")
        if flags & kernel.CHANGED_USAGE:
            table.queue(row, "AccumulatedUsage")
        if flags & kernel.CHANGED_WEIGHTED:
            table.queue(row, "WeightedAccumulatedUsage")
            if table.integers["BeginUsageTime"][row] == 0:
                table.set(row, "BeginUsageTime", now)
        if flags & kernel.IN_USE:
            table.set(row, "LastUsageTime", now)
        if flags & kernel.HAD_UNCHARGED:
            table.queue(row, "UnchargedTime")
            table.queue(row, "WeightedUnchargedTime")

    # -- use -------------------------------------------------------------------------------------------------

    def charge(self, submitter: str, slot_key: str, weight: float, now: int) -> None:
        """From ``now`` on the slot counts for the submitter and its group, and for no other."""
        self.charge_all([ClaimedUse(slot_key, submitter, weight)], now)

    def charge_all(self, uses: Sequence[tuple[str, str, float]], now: int) -> None:
        """``charge`` for many slots (the fields of a ClaimedUse), each named once; what a submitter gets is counted
        together."""
        if not uses:
            return
        keys, submitters, exact = zip(*uses, strict=True)
        for key in keys:
            if key in self.holdings:
                self.release(key, now)
        weights, texts = zip(*map(_Weights().__getitem__, exact), strict=True)
        self.holdings.update(zip(keys, map(_holding, zip(submitters, weights, repeat(now))), strict=True))
        sums: dict[str, tuple[int, float]] = {}
        for submitter, weight in zip(submitters, weights, strict=True):
            slots, total = sums.get(submitter, (0, 0.0))
            sums[submitter] = slots + 1, total + weight
        self.welcome(sums)
        for submitter, (slots, weight) in sums.items():
            self._count(submitter, weight, slots, self.last_update - now if self.last_update else 0)
        users = map(_Users().__getitem__, submitters)
        attributes = {"RemoteUser": users, "SlotWeight": texts, "StartTime": repeat(str(now), len(keys))}
        self._journal.create_all([RESOURCE_PREFIX + key for key in keys], attributes)

    def release(self, slot_key: str, now: int) -> bool:
        """The slot counts for no submitter from ``now`` on; False where none was charged for it."""
        holding = self.holdings.pop(slot_key, None)
        if holding is None:
            return False
        self._count(holding.submitter, -holding.weight, -1, self.last_update - now if self.last_update else 0)
        self._journal.destroy(RESOURCE_PREFIX + slot_key)
        return True

    def _count(self, submitter: str, weight: float, slots: int, offset: int) -> None:
        """Add to the use, and correct the running interval by ``offset`` seconds of what is added."""
        table, group = self.table, self.tree.group_of(submitter)
        table.count(table.row(submitter), slots, weight, offset)
        table.count(table.row(group), slots, weight, offset)
        for name in self.tree.lineage(group):
            table.count_subtree(table.row(name), weight)

    def adopt(self, claimed: Iterable[ClaimedUse], now: int) -> None:
        """Make the charges agree with what slots Claimed or Preempting, with a user, say.

        Slots without a holder are released, and those not charged yet are charged, as of ``now``.
        """
        wanted = {use.key: use for use in claimed}
        for key, holding in list(self.holdings.items()):
            use = wanted.get(key)
            if use is None or (use.submitter, kernel.six_decimals(use.weight)) != (holding.submitter, holding.weight):
                self.release(key, now)
        self.charge_all([use for key, use in wanted.items() if key not in self.holdings], now)
        self._settle()

    def _settle(self) -> None:
        """Use is exactly what is held: no residue of added and subtracted fractions, and nothing forgotten with a
        record that was deleted."""
        held: dict[str, tuple[int, float]] = {}
        for holding in self.holdings.values():
            for name in (holding.submitter, self.tree.group_of(holding.submitter)):
                slots, weight = held.get(name, (0, 0.0))
                held[name] = slots + 1, weight + holding.weight
        self.welcome([name for name in held if name not in self.table.index])
        used, counted = self.table.reals["WeightedResourcesUsed"], self.table.integers["ResourcesUsed"]
        for row, name in enumerate(self.table.names):
            slots, weight = held.get(name, (0, 0.0))
            if used[row] != weight:
                self.table.set(row, "WeightedResourcesUsed", weight)
            if counted[row] != slots:
                self.table.set(row, "ResourcesUsed", slots)
