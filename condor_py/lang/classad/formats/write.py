"""Attributes of an ad in order, and their text in the long and the new form."""

from __future__ import annotations

from condor_py.lang.classad.formats.old import format_old
from condor_py.lang.classad.record import Binding, Record, in_storage
from condor_py.lang.classad.unparse import name_text, unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def chosen_bindings(ad: Record, order: str = "sorted", attributes: Collection[str] | None = None) -> list[Binding]:
    """The ad's attributes, inherited ones too, in "sorted" (name without case) or "storage" order.

    ``attributes`` restricts them, compared without case; names that the ad lacks are left out.
    """
    every = ad.merged()
    if attributes is not None:
        wanted = {name.lower() for name in attributes}
        every = {key: binding for key, binding in every.items() if key in wanted}
    if order == "sorted":
        return [every[key] for key in sorted(every)]
    return list(map(every.__getitem__, in_storage(every)))


def ad_to_long(bindings: Iterable[Binding]) -> str:
    """``Name = value`` lines, without the empty line that ends an ad."""
    return format_old((binding.name, binding.text) for binding in bindings)


def ad_to_new(bindings: Iterable[Binding]) -> str:
    """``[ A = 1; B = "x" ]`` on one line, without newline."""
    inner = "; ".join([f"{name_text(b.name, old=False)} = {unparse(b.node, old=False)}" for b in bindings])
    return f"[ {inner} ]"
