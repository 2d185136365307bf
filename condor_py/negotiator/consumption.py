"""What a match takes out of a partitionable slot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from condor_py.classad import ClassAd, ExprTree, parse
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.negotiator.slot import Slot
from condor_py.negotiator.values import as_real, number_text, real, string

_DEFAULTS = {"cpus": 1.0}
_NOT_CONSUMED = frozenset(("swap",))


@dataclass(frozen=True, slots=True)
class Consumption:
    """Amounts by resource name (Cpus cores, Memory MB, Disk KB, custom units), and the slot weight they
    make."""

    amounts: dict[str, float]
    weight: float


class Consumer:
    """Rounds requests as MODIFY_REQUEST_EXPR_* say, and weighs them."""

    def __init__(self, settings: NegotiatorSettings) -> None:
        self._settings = settings
        self._modify: dict[str, ExprTree] = {
            name.lower(): parse(text) for name, text in settings.modify_request if text.strip()
        }
        self._weights: dict[tuple[str, tuple[float, ...]], float] = {}

    def of(self, slot: Slot, request: ClassAd) -> Consumption | None:
        """What ``request`` takes from a partitionable slot; None when there is not enough of something."""
        amounts: dict[str, float] = {}
        for resource in (string(slot.ad, "MachineResources") or "Cpus Memory Disk").split():
            if resource.lower() in _NOT_CONSUMED:
                continue
            amount = self._amount(slot.ad, request, resource)
            if amount is None:
                return None
            amounts[resource] = amount
        return Consumption(amounts, self._weight(slot, amounts))

    def _amount(self, slot: ClassAd, request: ClassAd, resource: str) -> float | None:
        """The rounded amount; the plain one where only that fits; None where neither does."""
        name = "Request" + resource
        plain = as_real(request.raw(name, slot), _DEFAULTS.get(resource.lower(), 0.0))
        available = real(slot, resource, 0.0)
        expression = self._modify.get(name.lower())
        rounded = plain if expression is None else as_real(request.raw(expression, slot), plain)
        rounded = float(math.ceil(rounded))
        if rounded <= available:
            return rounded
        if plain <= available and not self._settings.must_modify_requests:
            return plain
        return None

    def _weight(self, slot: Slot, amounts: dict[str, float]) -> float:
        """The slot weight of a dynamic slot with these amounts."""
        if not self._settings.use_slot_weights:
            return 1.0
        text = weight_text(slot.ad, self._settings)
        key = text, tuple(amounts.values())
        weight = self._weights.get(key)
        if weight is None:
            piece = slot.ad.flat_copy()
            for resource, amount in amounts.items():
                piece.set_text(resource, number_text(amount))
            weight = self._weights[key] = max(0.0, as_real(piece.raw(parse(text)), 1.0))
        return weight


def weight_text(ad: ClassAd, settings: NegotiatorSettings) -> str:
    """The expression of a slot's weight: its SlotWeight, or the negotiator's SLOT_WEIGHT."""
    own = None if settings.force_slot_weight else ad.text("SlotWeight")
    return own if own is not None else (settings.slot_weight or "1")


def slot_weight(ad: ClassAd, settings: NegotiatorSettings) -> float:
    """The weight of a slot as it stands. Unweighted, a partitionable slot counts its Cpus: it may become as
    many."""
    if not settings.use_slot_weights:
        return real(ad, "Cpus", 1.0) if ad.eval_bool("PartitionableSlot", False) else 1.0
    return max(0.0, as_real(ad.raw(parse(weight_text(ad, settings))), 1.0))
