"""Consumption of a partitionable slot by a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from condor_py.core.match.slot import Slot
from condor_py.core.match.steps import check_steps
from condor_py.core.match.values import as_real, number_text, real, string
from condor_py.lang.classad import ClassAd, ExprTree, parse
from condor_py.lang.classad.columns import columns
from condor_py.lang.classad.dependencies import OPAQUE, Names, names_in
from condor_py.lang.classad.numbers import summable
from condor_py.model.settings.negotiator import NegotiatorSettings

_DEFAULTS = {"cpus": 1.0}
_PREFIX = "Consumption"
_NOT_CONSUMED = frozenset(("swap",))


class Consumption(NamedTuple):
    """Amounts by resource name (Cpus cores, Memory MB, Disk KB, custom units), and the slot weight they make."""

    amounts: dict[str, float]
    weight: float


class Consumer:
    """Says what requests take: by the slot's consumption policy, else rounded as MODIFY_REQUEST_EXPR_* say."""

    def __init__(self, settings: NegotiatorSettings) -> None:
        self._settings = settings
        self._modify: dict[str, ExprTree] = {
            name.lower(): parse(text) for name, text in settings.modify_request if text.strip()
        }
        #: The resources of which MODIFY_REQUEST_EXPR_* ask for an amount that only the request decides over,
        self._by_request: dict[str, bool] = {}
        #: and how much that is as it is asked for and rounded, by resource and plain number.
        self._rounded: dict[tuple[str, str], tuple[float, float]] = {}
        self._weights: dict[tuple[str, tuple[float, ...]], float] = {}

    def of(self, slot: Slot, request: ClassAd) -> Consumption | None:
        """Resources that ``request`` takes from a partitionable slot; None when one is insufficient. OutOfSteps."""
        resources = _consumed(slot.ad)
        if has_policy(slot.ad):
            consumption = self._by_policy(slot, request, resources)
            check_steps()
            return consumption
        amounts: dict[str, float] = {}
        for resource in resources:
            amount = self._amount(slot.ad, request, resource)
            check_steps()
            if amount is None:
                return None
            amounts[resource] = amount
        return Consumption(amounts, self._weight(slot, amounts))

    def _by_policy(self, slot: Slot, request: ClassAd, resources: Sequence[str]) -> Consumption | None:
        """Evaluate the Consumption attributes of the slot; at least one amount is above 0, none below. The cost is what
        the slot loses in weight."""
        asked = request
        if missing := ["Request" + name for name in resources if request.text("Request" + name) is None]:
            asked = request.flat_copy()
            for name in missing:
                asked.set_int(name, 0)
        amounts = {name: as_real(slot.ad.raw(_PREFIX + name, asked), -1.0) for name in resources}
        if not any(amounts.values()):
            return None
        if any(not 0 <= amount <= real(slot.ad, name, 0.0) for name, amount in amounts.items()):
            return None
        rest = slot.ad.flat_copy()
        for name, amount in amounts.items():
            rest.set_text(name, number_text(real(slot.ad, name, 0.0) - amount))
        return Consumption(amounts, summable(_weight(slot.ad, self._settings) - _weight(rest, self._settings)))

    def _amount(self, slot: ClassAd, request: ClassAd, resource: str) -> float | None:
        """The rounded amount; the plain one where only that fits; None where neither does."""
        available = real(slot, resource, 0.0)
        plain, rounded = self._asked(slot, request, resource)
        if rounded <= available:
            return rounded
        if plain <= available and not self._settings.must_modify_requests:
            return plain
        return None

    def _asked(self, slot: ClassAd, request: ClassAd, resource: str) -> tuple[float, float]:
        """Amount that a request asks for, and that rounded. Most are plain numbers, which are rounded once."""
        name = "Request" + resource
        text = request.text(name)
        plainly = text is not None and text.isdigit() and self._looks_at_request_only(name)
        if plainly and (known := self._rounded.get((name, text or ""))) is not None:
            return known
        plain = as_real(request.raw(name, slot), _DEFAULTS.get(resource.lower(), 0.0))
        expression = self._modify.get(name.lower())
        rounded = plain if expression is None else as_real(request.raw(expression, slot), plain)
        found = plain, float(math.ceil(rounded))
        if plainly:
            check_steps()
            self._rounded[name, text or ""] = found
        return found

    def _looks_at_request_only(self, name: str) -> bool:
        """Whether nothing but the amount asked for decides over what it is rounded to."""
        known = self._by_request.get(name)
        if known is None:
            expression = self._modify.get(name.lower())
            known = expression is None or names_in(expression.node) <= {name.lower()}
            self._by_request[name] = known
        return known

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
            weight = _charged(as_real(piece.raw(parse(text)), 1.0))
            check_steps()
            self._weights[key] = weight
        return weight


def _consumed(slot: ClassAd) -> tuple[str, ...]:
    """The names of the resources that jobs take from a slot."""
    return _consumed_of(string(slot, "MachineResources") or "Cpus Memory Disk")


@lru_cache(maxsize=64)
def _consumed_of(names: str) -> tuple[str, ...]:
    return tuple([name for name in names.split() if name.lower() not in _NOT_CONSUMED])


def has_policy(slot: ClassAd) -> bool:
    """Whether a partitionable slot has a consumption policy: an attribute Consumption<resource> for each resource."""
    return slot.text(_PREFIX + "Cpus") is not None and all(
        slot.text(_PREFIX + name) is not None for name in _consumed(slot)
    )


def as_consumed(request: ClassAd, consumption: Consumption) -> ClassAd:
    """The request as a slot with a consumption policy sees it: what it names, it asks as much of as it will take."""
    asked = request.flat_copy()
    for name, amount in consumption.amounts.items():
        original = asked.text("Request" + name)
        if original is not None:
            # What the slot's WithinResourceLimits goes by: it would apply the policy once more without it.
            asked.set_text("_cp_orig_Request" + name, original)
            asked.set_text("Request" + name, number_text(amount))
    return asked


def weight_text(ad: ClassAd, settings: NegotiatorSettings) -> str:
    """The expression of a slot's weight: its SlotWeight, or the negotiator's SLOT_WEIGHT."""
    own = None if settings.force_slot_weight else ad.text("SlotWeight")
    return own if own is not None else (settings.slot_weight or "1")


def slot_weights(ads: Sequence[ClassAd], settings: NegotiatorSettings) -> list[float]:
    """``slot_weight`` of many slots; those that say the same of all that it names are asked once."""
    names = Names(ads).closure(
        {"slotweight", "partitionableslot", "cpus", *names_in(parse(settings.slot_weight or "1").node)}
    )
    if OPAQUE in names:
        return [slot_weight(ad, settings) for ad in ads]
    rows = zip(*columns(ads, tuple(names)), strict=True)
    known: dict[tuple[object, ...], float] = {}
    weights = []
    for ad, row in zip(ads, rows, strict=True):
        weight = known.get(row)
        if weight is None:
            weight = known[row] = slot_weight(ad, settings)
        weights.append(weight)
    return weights


def slot_weight(ad: ClassAd, settings: NegotiatorSettings) -> float:
    """The weight of a slot as it stands. Unweighted, a partitionable slot counts its Cpus: it may become as
    many."""
    return _charged(_weight(ad, settings))


def _weight(ad: ClassAd, settings: NegotiatorSettings) -> float:
    """The weight of a slot as its expression has it, which may be negative; 1 where that is no number."""
    if not settings.use_slot_weights:
        return real(ad, "Cpus", 1.0) if ad.eval_bool("PartitionableSlot", False) else 1.0
    if not settings.force_slot_weight and ad.has("SlotWeight"):
        return as_real(ad.raw("SlotWeight"), 1.0)
    return as_real(ad.raw(parse(settings.slot_weight or "1")), 1.0)


def _charged(weight: float) -> float:
    """The charge for a slot of that weight: 1 for a negative one, as in HTCondor."""
    return summable(weight) if weight >= 0 else 1.0
