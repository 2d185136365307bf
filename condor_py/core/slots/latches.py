"""STARTD_LATCH_EXPRS: since when an expression has had its value. A slot shows <name>Time, in Unix seconds, and for
what is no constant also <name>Value, a whole number (true is 1)."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.core.slots import expressions
from condor_py.core.slots.policy import is_constant
from condor_py.core.slots.state import Latch, Slot
from condor_py.lang.classad import ClassAd, whole

#: A partitionable slot knows itself since when it has its dynamic slots.
_BUILT_IN = "numdynamicslots"


def counts(name: str) -> bool:
    """Whether an expression of this name has to be looked at."""
    return name.lower() != _BUILT_IN


def look(slot: Slot, names: tuple[str, ...], ad: ClassAd, now: float) -> None:
    """Compares with the look before; ``ad`` is the slot's as it is now."""
    for name in names:
        if not counts(name):
            continue
        found = expressions.number(ad, name, None)
        value = None if found is None else whole(found)
        before = slot.latches.get(name, Latch())
        if value != before.value:
            slot.latches[name] = Latch(value, int(now))


def latch_pairs(slot: Slot, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Attributes that show the slot's latches."""
    texts = {name.lower(): text for name, text in slot.policy.settings.attrs}
    for name in names:
        latch = slot.latches.get(name)
        if latch is None:
            continue
        text = texts.get(name.lower(), slot.policy.settings.cpu_busy if name.lower() == "cpubusy" else "")
        if latch.value is not None and not is_constant(text):
            yield f"{name}Value", str(latch.value)
        yield f"{name}Time", str(latch.since)
