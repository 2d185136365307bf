"""One row a machine: a partitionable slot speaks for its dynamic ones, equal static slots share a row."""

from __future__ import annotations

from condor_py.cli.output.mask import MISSING, Mask
from condor_py.cli.output.values import number
from condor_py.cli.status.select import place
from condor_py.cli.status.totals import children
from condor_py.lang.classad.ad import ClassAd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BUSY = ("Matched", "Claimed", "Preempting")
_STATE_LETTERS = {
    "Owner": "O", "Unclaimed": "U", "Matched": "M", "Claimed": "C", "Preempting": "P", "Backfill": "F", "Drained": "D",
}  # fmt: skip
_ACTIVITY_LETTERS = {
    "Idle": "i", "Busy": "b", "Retiring": "r", "Vacating": "v", "Suspended": "s", "Benchmarking": "e", "Killing": "k",
}  # fmt: skip
_INDENT = "   "
_DIGITS = "0123456789"


class Row:
    """A row in the making: the cells by heading, and what folding has to know of the slot."""

    def __init__(self, mask: Mask, ad: ClassAd) -> None:
        self._mask = mask
        self.ad = ad
        self.cells = mask.cells(ad)
        self._at = {column.heading: index for index, column in enumerate(mask.columns)}
        self.partitionable = bool(ad.eval_bool("PartitionableSlot"))
        self.busy = ad.eval_str("State") in _BUSY and not self.partitionable
        self.label = ad.eval_str("Name", "").split("@")[0]
        self.place = place(ad)
        if self.partitionable:
            self._roll_up(ad)

    def text(self) -> str:
        """The finished line."""
        return self._mask.row(self.cells)

    def get(self, heading: str) -> float:
        """A number of the row; 0 for what is missing."""
        index = self._at.get(heading)
        return 0.0 if index is None else float(number(self.cells[index]) or 0)

    def put(self, heading: str, value: Any) -> None:
        """Replaces a cell, if the table has that column."""
        index = self._at.get(heading)
        if index is not None:
            self.cells[index] = value

    def sum(self, heading: str, value: Any) -> None:
        """Replaces a cell that is there: what a row lacks no other slot brings in."""
        index = self._at.get(heading)
        if index is not None and self.cells[index] is not MISSING:
            self.cells[index] = value

    def code(self) -> str:
        """Return the two letters of state and activity, spaces where they are unknown."""
        index = self._at.get("ST")
        cell = MISSING if index is None else self.cells[index]
        return cell if isinstance(cell, str) and len(cell) == 2 else "  "

    def _roll_up(self, ad: ClassAd) -> None:
        """Makes the letters of a partitionable slot those of its children where they agree."""
        states = {_STATE_LETTERS.get(state, "?") for state in children(ad, "ChildState")}
        activities = {_ACTIVITY_LETTERS.get(activity, "?") for activity in children(ad, "ChildActivity")}
        if not states:
            return
        code = self.code()
        state, activity = code[0], code[1]
        theirs = "P" if "P" in states else next(iter(states)) if len(states) == 1 else "*"
        their_activity = "v" if "v" in activities else next(iter(activities)) if len(activities) == 1 else "*"
        exhausted = ad.eval_real("Cpus", 0.0) < 0.1
        if (state, activity) == ("U", "i") and exhausted:
            state, activity = theirs, their_activity
        elif state == "D" and theirs == "C":
            state = theirs
        state = "P" if theirs == "P" else state
        activity = "v" if their_activity == "v" else activity
        self.sum("ST", (state if state == theirs else "*") + (activity if activity == their_activity else "*"))

    def cook(self) -> None:
        """Makes a static slot a row of its own: one slot, and nothing free on it while it is busy."""
        if self.partitionable:
            return
        self.put("MaxSlotGb", self.get(" FreeGb "))
        if self.busy:
            self.put("FreCpu", 0)
            self.put(" FreeGb ", 0.0)
        self.put("Slot", 1)

    def fold(self, other: Row) -> None:
        """Adds another slot of the same machine and type to this row."""
        memory = other.get("MaxSlotGb" if other.partitionable else " FreeGb ")
        self.sum("MaxSlotGb", max(self.get("MaxSlotGb"), memory))
        if other.partitionable or not other.busy:
            self.sum(" FreeGb ", self.get(" FreeGb ") + memory)
            self.sum("FreCpu", int(self.get("FreCpu") + other.get("FreCpu")))
        slots = int(other.get("Slot")) if other.partitionable else 1
        self.put("Slot", int(self.get("Slot")) + slots)
        self.sum("Jobs/Min", self.get("Jobs/Min") + other.get("Jobs/Min"))
        mine, theirs = self.code(), other.code()
        if mine != theirs:
            self.sum("ST", "".join(a if a == b else "*" for a, b in zip(mine, theirs, strict=True)))


def _differ_in_type(one: str, other: str) -> bool:
    """Whether two places are of one machine. HTCondor sees that by single digits after a colon alone."""
    if len(one) != len(other):
        return False
    pairs = [(at, a, b) for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return all(one[:at].endswith(":") and a in _DIGITS and b in _DIGITS for at, a, b in pairs)


def fold_rows(rows: list[Row]) -> list[Row]:
    """The rows of a compact table, of rows sorted by machine and slot type."""
    result: list[Row] = []
    for row in rows:
        if result and result[-1].place == row.place:
            result[-1].fold(row)
            continue
        row.cook()
        if result and _differ_in_type(result[-1].place, row.place):
            row.put("Machine", _INDENT + row.label)
        result.append(row)
    return result
