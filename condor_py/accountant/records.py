"""The records of submitters and groups as columns of contiguous arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from condor_py.accountant.facts import number
from condor_py.accountant.journal import CUSTOMER_PREFIX, Journal, real_text
from condor_py.accountant.kernel import six_decimals

if TYPE_CHECKING:
    from condor_py.classad import ClassAd

#: Columns of real numbers, stored with six decimals: (attribute in the log, value of a new record).
REALS: dict[str, float] = {
    "Priority": 0.5,
    "PriorityFactor": 0.0,
    "WeightedResourcesUsed": 0.0,
    "WeightedUnchargedTime": 0.0,
    "WeightedAccumulatedUsage": 0.0,
    "AccumulatedUsage": 0.0,
    "HierWeightedResourcesUsed": 0.0,
    "PriorityFactorPreLeaseValue": 0.0,
}
#: Columns of integers.
INTEGERS: dict[str, int] = {
    "ResourcesUsed": 0,
    "UnchargedTime": 0,
    "BeginUsageTime": 0,
    "LastUsageTime": 0,
    "Ceiling": -1,
    "Floor": 0,
    "CeilingLeaseExpiration": 0,
    "CeilingPreLeaseValue": -1,
    "FloorLeaseExpiration": 0,
    "FloorPreLeaseValue": 0,
    "PriorityFactorLeaseExpiration": 0,
}


class RecordTable:
    """Records by name; row ``i`` of every column belongs to ``names[i]``.

    Rows stay dense: deleting one moves the last row into its place, so a row is good until the next deletion.
    Every change that differs from what stands is queued in the journal.
    """

    __slots__ = ("index", "integers", "journal", "names", "reals")

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.names: list[str] = []
        self.index: dict[str, int] = {}
        self.reals: dict[str, array[float]] = {name: array("d") for name in REALS}
        self.integers: dict[str, array[int]] = {name: array("q") for name in INTEGERS}

    def __len__(self) -> int:
        return len(self.names)

    def _append(self, name: str) -> int:
        row = self.index[name] = len(self.names)
        self.names.append(name)
        for column, value in zip(self.reals.values(), REALS.values(), strict=True):
            column.append(value)
        for integers, whole in zip(self.integers.values(), INTEGERS.values(), strict=True):
            integers.append(whole)
        return row

    def load(self, name: str, ad: ClassAd | Mapping[str, Any]) -> int:
        """The record of an ad as it stands in the log; nothing is queued."""
        row = self._append(name)
        for attribute, column in self.reals.items():
            column[row] = six_decimals(number(ad, attribute, REALS[attribute]))
        for attribute, integers in self.integers.items():
            integers[row] = int(number(ad, attribute, INTEGERS[attribute]))
        used = self.reals["AccumulatedUsage"][row]
        weighted = six_decimals(number(ad, "WeightedAccumulatedUsage", used))
        self.reals["WeightedAccumulatedUsage"][row] = weighted
        return row

    def row(self, name: str) -> int:
        """The row of ``name``, made (and queued) where there was none."""
        row = self.index.get(name)
        if row is None:
            row = self._append(name)
            self.journal.create(CUSTOMER_PREFIX + name)
        return row

    def delete(self, name: str) -> bool:
        """Forget ``name``; False where there is no such record."""
        row = self.index.pop(name, None)
        if row is None:
            return False
        last = len(self.names) - 1
        if row != last:
            self.index[self.names[last]] = row
        self.names[row] = self.names[last]
        self.names.pop()
        for column in self.reals.values():
            column[row] = column[last]
            column.pop()
        for integers in self.integers.values():
            integers[row] = integers[last]
            integers.pop()
        self.journal.destroy(CUSTOMER_PREFIX + name)
        return True

    def queue(self, row: int, attribute: str) -> None:
        """Queue the present value of one attribute."""
        column = self.reals.get(attribute)
        text = real_text(column[row]) if column is not None else str(self.integers[attribute][row])
        self.journal.set(CUSTOMER_PREFIX + self.names[row], attribute, text)

    def set(self, row: int, attribute: str, value: float) -> None:
        """Give one attribute a value and queue it, if that changes anything."""
        column = self.reals.get(attribute)
        if column is None:
            integers = self.integers[attribute]
            changed = integers[row] != int(value)
            integers[row] = int(value)
        else:
            value = six_decimals(value)
            changed = column[row] != value
            column[row] = value
        if changed:
            self.queue(row, attribute)

    def add(self, row: int, attribute: str, amount: float) -> None:
        """Add to one attribute, never below 0 except for uncharged time."""
        column = self.reals.get(attribute)
        value = (self.integers[attribute] if column is None else column)[row] + amount
        if value < 0 and "Uncharged" not in attribute:
            value = 0
        if amount:
            self.set(row, attribute, value)

    def values(self, row: int) -> dict[str, float]:
        """Every attribute of one record."""
        reals: dict[str, float] = {name: column[row] for name, column in self.reals.items()}
        return reals | {name: column[row] for name, column in self.integers.items()}

    def rows(self) -> Iterator[tuple[str, int]]:
        """(name, row) of every record."""
        return iter(self.index.items())
