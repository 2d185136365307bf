"""``-long`` of many jobs: what jobs with the same names have in common is sorted once, and what the jobs of a cluster
have in common is written out once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.formats import write
from condor_py.lang.classad.record import Record
from condor_py.lang.classad.unparse import name_text


class _Item(NamedTuple):
    """An attribute in the text: how its line begins, its key and name, whether it is in the ad itself, and whether its
    cluster has one."""

    lead: str
    key: str
    name: str
    own: bool
    inherited: bool


class _Own(NamedTuple):
    """An own attribute in the text of the jobs of a cluster, and what comes before it."""

    before: str
    item: _Item


class _Text(NamedTuple):
    """The text of jobs of one cluster that have the same names: own attributes between lines of the cluster."""

    own: tuple[_Own, ...]
    after: str


def texts(ads: Iterable[ClassAd], order: str, attributes: Collection[str] | None) -> Iterator[str]:
    """The text of each ad, as ``output.ads.renderer`` makes it for ``long``."""
    plans: dict[object, list[_Item]] = {}
    parent: Record | None = None
    above: tuple[str, ...] = ()
    known: dict[tuple[str, ...], _Text | None] = {}
    for ad in ads:
        if ad.parent is None:
            yield _text(ad, order, attributes)
            continue
        if ad.parent is not parent:
            parent, above, known = ad.parent, tuple(ad.parent.attrs), {}
        names = tuple(ad.attrs)
        if names not in known:
            items = plans.get((names, above))
            if items is None:
                items = plans[names, above] = _items(ad, order, attributes)
            known[names] = _of_cluster(items, ad.parent)
        text = known[names]
        shown = None if text is None else _filled(text, ad)
        yield _text(ad, order, attributes) if shown is None else shown  # another spelling of a name


def _filled(text: _Text, ad: ClassAd) -> str | None:
    """The text of an ad; None where it spells a name in another way."""
    attrs = ad.attrs
    parts: list[str] = []
    for before, (_, key, name, _, inherited) in text.own:
        binding = attrs[key]
        if binding.name != name and not inherited:
            return None
        parts += (before, binding.text, "\n")
    parts.append(text.after)
    return "".join(parts)


def _text(ad: ClassAd, order: str, attributes: Collection[str] | None) -> str:
    bindings = write.chosen_bindings(ad, order, attributes)
    return write.ad_to_long(bindings) + "\n" if bindings else ""


def _items(ad: ClassAd, order: str, attributes: Collection[str] | None) -> list[_Item]:
    """The attributes of ads that have the names of this one, and clusters with the names of its cluster."""
    above = ad.parent.merged() if ad.parent is not None else {}
    return [
        _Item(f"{name_text(one.name)} = ", one.key, one.name, one.key in ad.attrs, one.key in above)
        for one in write.chosen_bindings(ad, order, attributes)
    ]


def _of_cluster(items: list[_Item], parent: Record) -> _Text | None:
    """The text of jobs of a cluster; None where the cluster spells a name in another way."""
    own: list[_Own] = []
    parts: list[str] = []
    above = parent.merged()
    for item in items:
        if item.inherited and above[item.key].name != item.name:
            return None
        parts.append(item.lead)
        if item.own:
            own.append(_Own("".join(parts), item))
            parts = []
        else:
            parts += (above[item.key].text, "\n")
    return _Text(tuple(own), "".join(parts) + "\n" if items else "")
