"""From the slot types to the slots that a startd has from its start to its end. The text of SLOT_TYPE_<N> says how much
of each resource a slot of the type gets (manual: Dividing System Resources)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from condor_py.core.slots.resources import BUILT_IN, Resources, custom, fitting_units, units_short, without
from condor_py.lang.classad import is_valid
from condor_py.model.errors import ConfigError
from condor_py.model.facts import MachineFacts, SlotVolume
from condor_py.model.settings.startd import SlotType, StartdSettings
from condor_py.model.texts import as_amount, as_integer


class SlotPlan(NamedTuple):
    """One slot to be made. ``broken`` names what it lacks; ids are those of custom resources that have some."""

    slot_id: int
    slot_type: SlotType
    amount: Resources
    ids: tuple[tuple[str, tuple[str, ...]], ...] = ()
    broken: str = ""


class Layout(NamedTuple):
    """The slots, and a text of three lines for the StartLog about each that could not be made. ``fatal``: the startd
    must stop. ``failed`` are the types that lack slots."""

    slots: tuple[SlotPlan, ...]
    errors: tuple[str, ...] = ()
    fatal: bool = False
    failed: tuple[int, ...] = ()


def machine_resources(settings: StartdSettings, facts: MachineFacts) -> Resources:
    """Resources that the machine offers: those found, less the reserved, or those that the knobs set instead."""
    memory = facts.memory_mb if settings.memory_mb is None else settings.memory_mb
    disk = facts.disk_kb if settings.disk_kb is None else settings.disk_kb
    return Resources(
        cpus=float(facts.cpus if settings.num_cpus is None else settings.num_cpus),
        memory=max(0, memory - settings.reserved_memory_mb),
        disk=max(0, disk - settings.reserved_disk_kb),
        swap=max(0, facts.swap_kb + facts.memory_mb * 1024 - settings.reserved_swap_kb),
        custom=custom({resource.name: float(resource.quantity) for resource in settings.resources}),
    )


def plan(settings: StartdSettings, machine: Resources, volumes: Sequence[SlotVolume] = ()) -> Layout:
    """The slots of all types in their order, numbered from 1. ConfigError for a share that cannot be read.

    Of each type the first slot that does not fit is there and broken, with what is left; the others of it are left out.
    ``volumes`` are the file systems of slots that do not take their disk from that of EXECUTE.
    """
    builder = _Builder(settings, machine, volumes)
    for slot_type in settings.types:
        for nth in range(1, slot_type.count + 1):
            builder.add(slot_type, nth)
    return builder.layout()


class _Builder:
    """Makes slot after slot out of the stock."""

    def __init__(self, settings: StartdSettings, machine: Resources, volumes: Sequence[SlotVolume]) -> None:
        self._settings = settings
        self._machine = machine
        self._places = {volume.slot_id: volume.volume for volume in volumes}
        free = {volume.volume: volume.free_kb for volume in volumes}
        #: What is left for primary slots, and for backfill slots, which have everything a second time.
        self._stocks = {False: Stock(machine, dict(free)), True: Stock(machine, dict(free))}
        names = tuple(name for name, _ in machine.custom)
        self._shares = {t.type_id: parse_shares(t.share, names, f"SLOT_TYPE_{t.type_id}") for t in settings.types}
        self._made: list[tuple[SlotType, Portion]] = []
        self._errors: list[str] = []
        self._failed: list[int] = []

    def add(self, slot_type: SlotType, nth: int) -> None:
        """The next slot, as far as it fits."""
        place = self._places.get(len(self._made) + 1, "")
        stock = self._stocks[slot_type.backfill]
        portion = stock.asked(self._shares[slot_type.type_id], place)
        lacking = stock.lacking(portion)
        if lacking:
            self._complain(f"{_ordinal(nth)} slot of type {slot_type.type_id}", slot_type, portion)
            if nth > 1:
                self._failed.append(slot_type.type_id)
                return
            portion.broken = f"Not enough {'backfill ' if slot_type.backfill else ''}{lacking}"
            stock.trim(portion)
        stock.take(portion)
        self._made.append((slot_type, portion))

    def _complain(self, which: str, slot_type: SlotType, portion: Portion) -> None:
        requested = portion.describe(self._machine)
        left = self._stocks[slot_type.backfill].describe(portion.place)
        self._errors.append(f"ERROR: Can't allocate {which}\n\tRequesting: {requested}\n\tAvailable:  {left}")

    def layout(self) -> Layout:
        """Return the resulting layout."""
        portions = [portion for _, portion in self._made]
        self._share_out()
        sizes = [portion.amount(self._machine) for portion in portions]
        units = self._deal(sizes)
        plans = [self._plan(number, *made) for number, made in enumerate(zip(self._made, sizes, units, strict=True), 1)]
        if not self._errors or self._settings.failure_mode == "CONTINUE":
            return Layout(tuple(plans), tuple(self._errors), failed=tuple(dict.fromkeys(self._failed)))
        first = self._errors[:1]  # nothing more is tried in these modes
        blamed = [*self._failed, *(plan.slot_type.type_id for plan in plans if plan.broken)]
        return Layout((), tuple(first), fatal=self._settings.failure_mode == "ABORT", failed=(min(blamed),))

    def _deal(self, sizes: list[Resources]) -> list[dict[str, tuple[str, ...]]]:
        """The units of each slot. Backfill slots are dealt them from the end: so they are seldom in the way."""
        dealt: list[dict[str, tuple[str, ...]]] = [{} for _ in sizes]
        for backfill in (False, True):
            rows = [row for row, (slot_type, _) in enumerate(self._made) if slot_type.backfill is backfill]
            wanted = [self._shares[self._made[row][0].type_id] for row in rows]
            found = _deal(self._settings, wanted, [sizes[row] for row in rows], backwards=backfill)
            for row, own in zip(rows, found, strict=True):
                dealt[row] = own
        return dealt

    def _share_out(self) -> None:
        before = {id(portion) for _, portion in self._made if portion.broken}
        for backfill, stock in self._stocks.items():
            stock.share_out([portion for slot_type, portion in self._made if slot_type.backfill is backfill])
        for number, (slot_type, portion) in enumerate(self._made, 1):
            if portion.broken and id(portion) not in before:
                which = f"slot id {number} (slot type {slot_type.type_id}) during auto allocation of resources"
                self._complain(which, slot_type, portion)

    def _plan(
        self, number: int, made: tuple[SlotType, Portion], size: Resources, own: dict[str, tuple[str, ...]]
    ) -> SlotPlan:
        slot_type, portion = made
        lacking = "" if portion.broken else units_short(size, own)
        if lacking:
            self._complain(f"1st slot of type {slot_type.type_id}", slot_type, portion)
            return SlotPlan(number, slot_type, _nothing(self._machine), broken=f"Not enough {lacking}")
        return SlotPlan(number, slot_type, size, tuple(own.items()), portion.broken)


def _deal(
    settings: StartdSettings, wanted: list[dict[str, Share]], sizes: list[Resources], *, backwards: bool
) -> list[dict[str, tuple[str, ...]]]:
    """The units that each slot gets. Slots that are particular about them choose first."""
    dealt: list[dict[str, tuple[str, ...]]] = [{} for _ in wanted]
    for resource in settings.resources:
        left = list(reversed(resource.ids) if backwards else resource.ids)
        constraints = [shares.get(resource.name.lower(), shares[""]).constraint for shares in wanted]
        for row in sorted(range(len(wanted)), key=lambda row: not constraints[row]):
            if not resource.ids:
                continue
            own = fitting_units(resource, left, constraints[row])[: int(sizes[row].get(resource.name))]
            dealt[row][resource.name] = own
            left = list(without(left, own))
    return dealt


def _nothing(machine: Resources) -> Resources:
    return Resources(custom=tuple((name, 0.0) for name, _ in machine.custom))


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


_BUILT_IN = frozenset(name.lower() for name in BUILT_IN)
#: The least that a slot may have: 1 cpu, 1 MB of memory, 1024 KB of disk (where there is so much at all).
_LEAST = {"cpus": 1.0, "memory": 1.0, "disk": 1024.0}
_EPSILON = 1e-6
#: The order in which the log names the built-in resources.
_TOLD = ("Cpus", "Memory", "Swap", "Disk")


@dataclass(slots=True)
class Portion:
    """Amounts of one slot, by lower-case name of the resource; None means "its share" (auto). ``place`` is the file
    system that its disk is on. ``broken`` is the shortage."""

    place: str
    amounts: dict[str, float | None] = field(default_factory=dict)
    broken: str = ""

    def amount(self, machine: Resources) -> Resources:
        """As resources; what is still open is nothing."""
        found = {name: amount or 0.0 for name, amount in self.amounts.items()}
        return Resources(
            found["cpus"],
            int(found["memory"]),
            int(found["disk"]),
            int(found["swap"]),
            tuple((name, found[name.lower()]) for name, _ in machine.custom),
        )

    def describe(self, machine: Resources) -> str:
        """In the wording of the StartLog."""
        parts = []
        for name in (*_TOLD, *(name for name, _ in machine.custom)):
            amount = self.amounts[name.lower()]
            text = "auto" if amount is None else f"{amount:.2f}" if name == "Cpus" else f"{amount:g}"
            parts.append(f"{name}: {int(amount) if amount and name in ('Memory', 'Swap', 'Disk') else text}")
        return ", ".join(parts)


class Stock:
    """Resources left of the machine. ``volumes`` is the free disk of the file systems without EXECUTE, in KB."""

    def __init__(self, machine: Resources, volumes: dict[str, int]) -> None:
        self._machine = machine
        self._left = machine.amounts()
        self._least = {**_LEAST, "disk": min(_LEAST["disk"], float(machine.disk))}
        self._disks = {"": float(machine.disk), **{place: float(free) for place, free in volumes.items()}}

    def asked(self, shares: dict[str, Share], place: str) -> Portion:
        """Return the amounts that the shares of a slot type make; a fraction is one of the whole machine."""
        portion = Portion(place)
        for name in self._machine.names():
            key = name.lower()
            share = shares.get(key, shares[""])
            total = self._disks[place] if key == "disk" and place else self._machine.get(key)
            amount = share.value * total if share.kind is Kind.FRACTION else share.value
            explicit = share.kind is not Kind.AUTO
            portion.amounts[key] = max(self._least.get(key, 0.0), _cut(amount, key)) if explicit else None
        return portion

    def lacking(self, portion: Portion) -> str:
        """Shortage of a slot's resources, as "Cpus (4.00 short) Memory (200 short)". Swap is shared."""
        found = []
        for name in self._machine.names():
            wanted = portion.amounts[name.lower()]
            short = (wanted or 0.0) - self._of(name.lower(), portion.place)
            if name != "Swap" and short > _EPSILON:
                found.append(f"{name} ({short:.{0 if name in ('Memory', 'Disk') else 2}f} short)")
        return " ".join(found)

    def trim(self, portion: Portion) -> None:
        """Leaves a slot that cannot have what it wants with what there is."""
        for name, wanted in portion.amounts.items():
            if wanted is not None:
                portion.amounts[name] = min(wanted, max(0.0, self._of(name, portion.place)))

    def take(self, portion: Portion) -> None:
        """The slot gets it."""
        for name, wanted in portion.amounts.items():
            if name == "disk":
                self._disks[portion.place] -= wanted or 0.0
            else:
                self._left[name] = round(self._left[name] - (wanted or 0.0), 6)

    def share_out(self, portions: Sequence[Portion]) -> None:
        """Divide what is left among the slots that want their share of it; later ones may get nothing."""
        for name in self._machine.names():
            places = sorted({portion.place for portion in portions}) if name == "Disk" else [None]
            for place in places:
                self._divide(name.lower(), [p for p in portions if place is None or p.place == place])

    def _divide(self, name: str, portions: Sequence[Portion]) -> None:
        waiting = [portion for portion in portions if portion.amounts[name] is None]
        if not waiting:
            return
        rest = self._of(name, waiting[0].place)
        number = len(waiting)
        each = max(self._least.get(name, 0.0), _cut(rest / number, name))
        for portion in waiting:
            if name not in _BUILT_IN:  # units of a custom resource: none is left over, the first slots get one more
                each = float(math.ceil(max(0.0, rest) / number))
                rest, number = rest - each, number - 1
            portion.amounts[name] = each
            short = each - self._of(name, portion.place)
            if name != "swap" and short > _EPSILON:
                told = next(known for known in self._machine.names() if known.lower() == name)
                lacks = f"{told} ({short:.{0 if name in ('memory', 'disk') else 2}f} short)"
                portion.broken = f"{portion.broken or 'Not enough'} {lacks}"
                portion.amounts[name] = 0.0
                continue
            if name == "disk":
                self._disks[portion.place] -= each
            else:
                self._left[name] -= each

    def _of(self, name: str, place: str) -> float:
        return self._disks[place] if name == "disk" else self._left[name]

    def describe(self, place: str) -> str:
        """Resources that are left, in the wording of the StartLog."""
        names = (*_TOLD, *(name for name, _ in self._machine.custom))
        return ", ".join(f"{name}: {int(self._of(name.lower(), place))}" for name in names)


def _cut(amount: float, name: str) -> float:
    """Whole units; cpus below one stay what they are so that the lower bound is seen to act."""
    return float(math.floor(amount + 1e-9)) if name != "cpus" or amount >= 1 else max(0.0, amount)


class Kind(Enum):
    """Kind of a share."""

    AUTO = auto()
    FRACTION = auto()
    AMOUNT = auto()


class Share(NamedTuple):
    """One share: a fraction of the machine's amount, or an amount in the resource's own unit; 0 for auto.
    ``constraint`` is an expression about the units of a custom resource, "" for any."""

    kind: Kind
    value: float = 0.0
    constraint: str = ""


AUTO = Share(Kind.AUTO)
#: The meaning of "min".
_MINIMAL = Share(Kind.FRACTION, 1 / 128)
_NAMES = {
    "cpus": "cpus",
    "ram": "memory",
    "memory": "memory",
    "swap": "swap",
    "virtualmemory": "swap",
    "disk": "disk",
}
#: What is looked at to find the commas outside parentheses, braces and strings: those inside belong to a constraint.
_PIECE = re.compile(r""""(?:\\.|[^"\\])*"|[({]|[)}]|,|.""", re.DOTALL)
_SUFFIX = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
#: The unit of a plain number: memory MB, disk and swap KB, as powers of 1024 bytes.
_BASE = {"memory": 2, "disk": 1, "swap": 1}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgtb]?)b?\Z", re.IGNORECASE)


def parse_shares(text: str, custom: tuple[str, ...], where: str) -> dict[str, Share]:
    """The shares of a type, by lower-case resource name; the key "" holds the default for what is not named.

    ``custom`` are the names of the custom resources. ConfigError names ``where`` (the knob) and the word.
    """
    shares = {"": AUTO}
    for word in _words(text):
        name, equals, value = word.partition("=")
        if not equals:
            shares[""] = _value(word.strip(), "", where)
            continue
        value, _, constraint = (part.strip() for part in value.partition(":"))
        resource = _resource(name.strip(), custom)
        if constraint and not is_valid(constraint):
            raise ConfigError(f"{where}: the constraint of {name.strip()} is no expression: {constraint}", where)
        if resource is not None:
            shares[resource] = _value(value, resource, where)._replace(constraint=constraint)
        elif _value(value, "", where).kind is Kind.AMOUNT and _value(value, "", where).value > 0:
            raise ConfigError(
                f"{where}: there is no resource {name.strip()!r} on this machine; remove {word.strip()!r}", where
            )
    return shares


def _words(text: str) -> list[str]:
    if "\n" in text:
        return [word for word in text.split("\n") if word.strip()]
    if "," in text:
        return [word for word in _by_commas(text) if word.strip()]
    return re.sub(r"(?<!\s)\s*([=:])\s*", r"\1", text).split()


def _by_commas(text: str) -> list[str]:
    words, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += (piece in "({") - (piece in ")}")
        if piece == "," and depth <= 0:
            words.append("")
        else:
            words[-1] += piece
    return words


def _resource(name: str, custom: tuple[str, ...]) -> str | None:
    """The resource that ``name`` is a prefix of, case not minded."""
    wanted = name.lower()
    exact = [n.lower() for n in custom if n.lower() == wanted]
    built_in = [resource for full, resource in _NAMES.items() if full.startswith(wanted)]
    started = [n.lower() for n in custom if n.lower().startswith(wanted)]
    return next(iter(exact + built_in + started), None)


def _value(text: str, resource: str, where: str) -> Share:
    lower = text.lower()
    if lower and ("auto".startswith(lower) or "automatic".startswith(lower)):
        return AUTO
    if lower and (lower == "min" or lower == "minimal"):
        return _MINIMAL
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*%", text)
    if match:
        return Share(Kind.FRACTION, as_amount(match[1]) / 100)
    match = re.fullmatch(r"(\d+)\s*/\s*(\d+)", text)
    if match and (parts := as_integer(match[2])) > 0:
        return Share(Kind.FRACTION, as_integer(match[1]) / parts)
    match = _NUMBER.match(text)
    if match is None:
        raise ConfigError(f"{where}: {text!r} is not auto, min, a percentage, a fraction or a number", where)
    number, base = as_amount(match[1]), _BASE.get(resource)
    if base is not None and match[2]:
        number *= 1024.0 ** (_SUFFIX[match[2].lower()] - base)
    return Share(Kind.AMOUNT, number)
