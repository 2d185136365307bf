"""``-long`` of many jobs: what the jobs of a cluster have in common is sorted and written out once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.formats import write
from condor_py.lang.classad.unparse import name_text


class _Own(NamedTuple):
    """An own attribute in the text: what comes before it, its key, its name, and whether its cluster has one too."""

    before: str
    key: str
    name: str
    inherited: bool


class _Plan(NamedTuple):
    """The text of ads that have the same parent and names: own attributes between lines of the parent."""

    own: tuple[_Own, ...]
    after: str


def texts(ads: Iterable[ClassAd], order: str, attributes: Collection[str] | None) -> Iterator[str]:
    """The text of each ad, as ``output.ads.renderer`` makes it for ``long``."""
    plans: dict[tuple[int, tuple[str, ...]], _Plan] = {}
    for ad in ads:
        attrs = ad.attrs
        if ad.parent is None:
            yield _text(ad, order, attributes)
            continue
        shape = (id(ad.parent), tuple(attrs))
        plan = plans.get(shape)
        if plan is None:
            plan = plans[shape] = _plan(ad, order, attributes)
        parts: list[str] = []
        for before, key, name, inherited in plan.own:
            binding = attrs[key]
            if binding.name != name and not inherited:
                parts = []
                break
            parts += (before, binding.text, "\n")
        else:
            yield "".join(parts) + plan.after
            continue
        yield _text(ad, order, attributes)  # another spelling of a name


def _text(ad: ClassAd, order: str, attributes: Collection[str] | None) -> str:
    bindings = write.chosen_bindings(ad, order, attributes)
    return write.ad_to_long(bindings) + "\n" if bindings else ""


def _plan(ad: ClassAd, order: str, attributes: Collection[str] | None) -> _Plan:
    own: list[_Own] = []
    before = ""
    bindings = write.chosen_bindings(ad, order, attributes)
    above = ad.parent.merged() if ad.parent is not None else {}
    for binding in bindings:
        if binding.key in ad.attrs:
            lead = f"{before}{name_text(binding.name)} = "
            own.append(_Own(lead, binding.key, binding.name, binding.key in above))
            before = ""
        else:
            before += write.ad_to_long([binding])
    return _Plan(tuple(own), before + "\n" if bindings else "")
