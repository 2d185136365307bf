"""The same changes of many ads at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from condor_py.classad.ad import ClassAd
from condor_py.classad.record import bind
from condor_py.model.record import SET, Change


def change_alike(ads: Iterable[ClassAd], changes: Sequence[Change]) -> None:
    """Does to each ad what ``changes`` (103 and 104, whatever their keys) say, as ``set_text`` and ``delete`` would."""
    if len({change.name.lower() for change in changes}) < len(changes):
        _one_by_one(ads, changes)
        return
    bindings = [bind(change.name, change.value) for change in changes if change.op == SET]
    texts = [(binding.key, binding.name, binding) for binding in bindings]
    gone = [(change.name.lower(), change.name) for change in changes if change.op != SET]
    for ad in ads:
        attrs = ad.attrs
        for key, name, binding in texts:
            before = attrs.get(key)
            if before is not None and before.name != name:
                ad.set_text(name, binding.raw or "")
            else:
                attrs[key] = binding
        parent = ad.parent
        for key, name in gone:
            if attrs.pop(key, None) is not None or parent is not None:
                ad.delete(name)


def _one_by_one(ads: Iterable[ClassAd], changes: Sequence[Change]) -> None:
    """An attribute is changed twice: the order counts."""
    for ad in ads:
        for op, _, name, value in changes:
            if op == SET:
                ad.set_text(name, value)
            else:
                ad.delete(name)
