"""The slots of an analysis, and partitionable slots as they would be if they were drained."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.cli.output.terminal import text_width
from condor_py.cli.output.values import number
from condor_py.cli.suggest import hint
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, is_valid, parse
from condor_py.lang.classad.stepcounts import Target

if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.client.pool import Pool

_SLOT_NAME = re.compile(r"[A-Za-z0-9@._-]*\Z")
_ABOUT_KIND = frozenset(("partitionableslot", "dynamicslot", "slottype", "dslotid"))
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_]")


class Slot:
    """A slot: its ad, and what it would be if it were drained (for the last job that asked)."""

    __slots__ = ("ad", "drained", "machine", "name", "partitionable", "sub_id")

    def __init__(self, ad: ClassAd) -> None:
        self.ad = ad
        self.machine = ad.eval_str("Machine", "")
        self.name = ad.eval_str("Name", "")
        self.sub_id = ad.eval_int("DSlotID", 0)
        self.partitionable = ad.eval_bool("PartitionableSlot")
        self.drained: ClassAd | None = None

    @property
    def dynamic(self) -> bool:
        """Whether it is a part of another slot."""
        return self.partitionable is None and bool(self.ad.eval_bool("DynamicSlot"))

    @property
    def type(self) -> str:
        """Dyn, Part or Stat."""
        if self.ad.eval_bool("DynamicSlot"):
            return "Dyn"
        return "Part" if self.partitionable else "Stat"

    def key(self) -> str:
        """Return the sort key of a slot: machine, numbers, name."""
        number = self.ad.eval_int("SlotID", 0)
        part = f".{self.sub_id:03d}" if self.ad.eval_int("DSlotID") is not None else ""
        return f"{self.machine}/{number:03d}{part}" + (f"/{self.name}" if self.ad.has("Name") else "")


class Slots:
    """The slots of an analysis in order of their keys.

    ``label`` is the one machine or slot that the user named. Slots that were found to be full are remembered as they
    would be if drained: they count in every later table.
    """

    def __init__(self, ads: list[ClassAd], label: str | None = None) -> None:
        self.read = [Slot(ad) for ad in ads]
        self.sorted = sorted(self.read, key=Slot.key)
        self.label = label
        self._drained: list[ClassAd] = []

    def __len__(self) -> int:
        """The slots, and the drained ones that were analysed."""
        return len(self.read) + len(self._drained)

    def __iter__(self) -> Iterator[Slot]:
        return iter(self.sorted)

    @property
    def only_parts(self) -> bool:
        """Whether there are several dynamic slots and no slot that they are parts of."""
        parts = sum(slot.ad.eval_int("DSlotID") is not None for slot in self.read)
        return parts > 1 and not any(slot.partitionable for slot in self.read if slot.ad.eval_int("DSlotID") is None)

    @property
    def name_width(self) -> int:
        """The width of the column of slot names."""
        machines = [text_width(slot.machine) for slot in self.read]
        names = [text_width(slot.name) for slot in self.read]
        return max(16, max(machines, default=0) + 7, max(names, default=0))

    def drain(self, slot: Slot, drained: ClassAd) -> None:
        """Remembers what a slot would be if it were drained."""
        slot.drained = drained
        self._drained.append(drained)

    def targets(self, *, parts: bool) -> list[Target]:
        """The ads to count steps against; ``parts`` tells whether dynamic slots are among them."""
        found = [Target(slot.ad) for slot in self.read if parts or slot.drained is not None or slot.sub_id <= 0]
        return found + [Target(ad, True) for ad in self._drained]


def drained(slot: ClassAd) -> ClassAd | None:
    """A partitionable slot as it would be with nothing in use; None where it does not tell what it has."""
    resources = slot.eval_str("MachineResources")
    found = ClassAd()
    for name in re.split(r"[ ,\t\r\n]+", "Cpus Memory Disk" if resources is None else resources):
        if not name:
            continue
        try:
            found.set_text(name, f"TotalSlot{name}")
        except ClassAdParseError:
            continue
        if name.lower() == "gpus":
            properties = _gpus(slot)
            if properties is not None:
                found.set_text("AvailableGPUs", properties)
    if not len(found):
        return None
    found.chain(slot)
    return found


_GPUS_LEFT = parse("size(AvailableGpus)")


def _gpus(slot: ClassAd) -> str | None:
    """All GPUs of a slot that are not offline, where some of them are in use."""
    total, left = slot.eval_int("TotalSlotGPUs"), number(slot.raw(_GPUS_LEFT))
    assigned = slot.eval_str("AssignedGPUs")
    if total is None or left is None or left >= total or assigned is None:
        return None
    offline = set(_list(slot.eval_str("OfflineGPUs", "")))
    names = ["GPUs_" + _NOT_A_NAME.sub("_", gpu) for gpu in _list(assigned) if gpu not in offline]
    return "{" + ", ".join(name for name in names if slot.has(name)) + "}"


def _list(text: str) -> list[str]:
    return [word for word in re.split(r"[ ,\t\r\n]+", text) if word]


# ---- which slots --------------------------------------------------------------------------------------------


def find_slots(args: Args, pool: Pool | None) -> Slots:
    """The slots that the command line names: of ``-slotads``, else of the pool. Raises CondorError."""
    constraint = args.text("slotconstraint")
    name = args.text("machine")
    if constraint is not None and name is None and _is_slot_name(constraint):
        name, constraint = constraint, None
    wanted = [] if constraint is None else [constraint]
    if name is not None:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        wanted.append(f'(Name=="{quoted}" || Machine=="{quoted}")')
    tell = sys.stderr.write if args.has("verbose") else _silent
    tell("Fetching Slot ads...")
    if args.has("slotads"):
        from condor_py.cli.adfile import read_slots

        query = _query(wanted)
        tell(f"from file with constraint: {'' if query is None else query.text}\n")
        ads = read_slots(args.text("slotads", ""), args.colon("slotads") or "auto")
    else:
        ads = [] if pool is None else [ad for ad in pool.ads("STARTD") if ad.has("State")]
        query = _query(wanted)
        if not (name is not None and "@" in name) and not (query is not None and _about_kind(query)):
            query = _query([*wanted, "!(DynamicSlot?:false)"])
            tell("(excluding dynamic slots)...")
    if query is not None:
        ads = [ad for ad in ads if number(ad.raw(query))]
    tell(f" {len(ads)} ads.\n")
    if name is not None and not ads:
        hint(f"condor_q: there is no machine or slot {name}")
    return Slots(ads, name if constraint is None else None)


def _silent(text: str) -> None:
    """Says nothing."""


def _query(wanted: list[str]) -> ExprTree | None:
    """The constraints as one; None without any. One that does not parse makes all slots count, as it always did."""
    try:
        return parse(f"( {' && '.join(f'({text})' for text in wanted)} )") if wanted else None
    except ClassAdParseError:
        bad = next(text for text in wanted if not is_valid(text))
        sys.stderr.write(f"Warning: {bad} is not a valid constraint: all slots are analyzed\n")
        return None


def _is_slot_name(text: str) -> bool:
    """Whether a constraint looks like the name of a slot on a machine with a full name."""
    return _SLOT_NAME.match(text) is not None and text.count(".") > 1


def _about_kind(tree: ExprTree) -> bool:
    from condor_py.lang.classad.references import attribute_references

    names = attribute_references(tree)
    return any(name.lower() in _ABOUT_KIND for name in [*names.my, *names.target])
