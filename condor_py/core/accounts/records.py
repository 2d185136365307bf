"""The records of submitters and groups as columns of contiguous arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from condor_py.core.accounts.facts import number
from condor_py.core.accounts.journal import CUSTOMER_PREFIX, Journal, real_text
from condor_py.core.accounts.kernel import six_decimals
from condor_py.lang.classad.numbers import finite, whole

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

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
#: The largest time or count that is kept.
_LARGEST = 1 << 53
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

    def _append(self, names: Sequence[str]) -> None:
        """Empty rows for ``names``, who have none."""
        self.index.update(zip(names, count(len(self.names))))
        self.names.extend(names)
        for attribute, column in self.reals.items():
            column.extend([REALS[attribute]] * len(names))
        for attribute, integers in self.integers.items():
            integers.extend([INTEGERS[attribute]] * len(names))

    def load(self, name: str, ad: ClassAd | Mapping[str, Any]) -> int:
        """The record of an ad as it stands in the log; nothing is queued."""
        self._append([name])
        row = self.index[name]
        for attribute, column in self.reals.items():
            column[row] = six_decimals(_finite(ad, attribute, REALS[attribute]))
        for attribute, integers in self.integers.items():
            integers[row] = _integer(_finite(ad, attribute, INTEGERS[attribute]))
        used = self.reals["AccumulatedUsage"][row]
        weighted = six_decimals(_finite(ad, "WeightedAccumulatedUsage", used))
        self.reals["WeightedAccumulatedUsage"][row] = weighted
        return row

    def row(self, name: str) -> int:
        """The row of ``name``, made (and queued) where there was none."""
        row = self.index.get(name)
        if row is None:
            self.begin([name])
            row = self.index[name]
        return row

    def begin(self, names: Sequence[str]) -> None:
        """New records for ``names``, who have none; queued."""
        self._append(names)
        for name in names:
            self.journal.create(CUSTOMER_PREFIX + name)

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
        """Queue one attribute: what it is when the transaction is taken is written."""
        self.journal.mark(CUSTOMER_PREFIX + self.names[row], attribute)

    def text(self, key: str, attribute: str) -> str:
        """Current value of an attribute, as the log has it; ``key`` is that of the record in the log."""
        row = self.index[key.removeprefix(CUSTOMER_PREFIX)]
        column = self.reals.get(attribute)
        return real_text(column[row]) if column is not None else str(self.integers[attribute][row])

    def set(self, row: int, attribute: str, value: float) -> None:
        """Give one attribute a value and queue it, if that changes anything."""
        column = self.reals.get(attribute)
        if column is not None:
            self._write(column, row, attribute, six_decimals(finite(value) or 0.0))
        else:
            self._write(self.integers[attribute], row, attribute, _integer(value))

    def _write(self, column: array[Any], row: int, attribute: str, value: float) -> None:
        if column[row] != value:
            column[row] = value
            self.journal.mark(CUSTOMER_PREFIX + self.names[row], attribute)

    def count(self, row: int, slots: int, weight: float, offset: int) -> None:
        """More slots are held, of ``weight`` slot weight together (fewer where both are negative), and the running
        interval is corrected by ``offset`` seconds of that. Never below 0, except for uncharged time."""
        held, used = self.integers["ResourcesUsed"], self.reals["WeightedResourcesUsed"]
        self._write(held, row, "ResourcesUsed", max(0, held[row] + slots))
        self._write(used, row, "WeightedResourcesUsed", six_decimals(max(0.0, used[row] + weight)))
        if offset:
            time, weighted = self.integers["UnchargedTime"], self.reals["WeightedUnchargedTime"]
            self._write(time, row, "UnchargedTime", time[row] + slots * offset)
            self._write(weighted, row, "WeightedUnchargedTime", six_decimals(weighted[row] + weight * offset))

    def count_subtree(self, row: int, weight: float) -> None:
        """More slot weight is held by a group and those below it (less where it is negative); never below 0."""
        used = self.reals["HierWeightedResourcesUsed"]
        self._write(used, row, "HierWeightedResourcesUsed", six_decimals(max(0.0, used[row] + weight)))

    def values(self, row: int) -> dict[str, float]:
        """Every attribute of one record."""
        reals: dict[str, float] = {name: column[row] for name, column in self.reals.items()}
        return reals | {name: column[row] for name, column in self.integers.items()}

    def rows(self) -> Iterator[tuple[str, int]]:
        """(name, row) of every record."""
        return iter(self.index.items())


def _finite(ad: ClassAd | Mapping[str, Any], attribute: str, default: float) -> float:
    """A number of a record of the log; the default where there is none, or no finite one."""
    value = finite(number(ad, attribute, default))
    return default if value is None else value


def _integer(value: float) -> int:
    """A time or a count, small enough to be added to others."""
    return whole(value, -_LARGEST, _LARGEST)
