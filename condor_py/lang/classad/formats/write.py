"""The output forms of the tools: long, xml, json, jsonl and new, for a list of ads.

Every form is three pieces: what comes before the first ad, between and around ads, and after the last.
"""

from __future__ import annotations

from condor_py.lang.classad.formats.json import ad_to_json
from condor_py.lang.classad.formats.old import format_old
from condor_py.lang.classad.formats.xml import FOOTER, HEADER, ad_to_xml
from condor_py.lang.classad.record import Binding, Record, in_storage
from condor_py.lang.classad.unparse import name_text, unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

FORMS = ("long", "xml", "json", "jsonl", "new")


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


def write_ads(
    ads: Iterable[Record],
    form: str = "long",
    *,
    order: str = "sorted",
    attributes: Collection[str] | None = None,
) -> Iterator[str]:
    """The pieces of text that show ``ads``; joined they are what ``condor_q -long:FORM`` prints.

    ``form`` is one of FORMS, else ValueError. No ads: nothing, but for xml, which has header and footer.
    """
    make = _MAKERS.get(form)
    if make is None:
        raise ValueError(f"unknown output form {form!r}: expected one of {', '.join(FORMS)}")
    opening, between, closing, always = _FRAMES[form]
    first = True
    for ad in ads:
        yield (opening if first else between) + make(chosen_bindings(ad, order, attributes))
        first = False
    if not first:
        yield closing
    elif always:
        yield opening + closing


_MAKERS: dict[str, Callable[[list[Binding]], str]] = {
    "long": lambda bindings: ad_to_long(bindings) + "\n",
    "xml": ad_to_xml,
    "json": lambda bindings: ad_to_json(bindings) + "\n",
    "jsonl": lambda bindings: ad_to_json(bindings, oneline=True) + "\n",
    "new": lambda bindings: ad_to_new(bindings) + "\n",
}

_FRAMES: dict[str, tuple[str, str, str, bool]] = {
    "long": ("", "", "", False),
    "xml": (HEADER, "", FOOTER, True),
    "json": ("[\n", ",\n", "]\n", False),
    "jsonl": ("", "", "", False),
    "new": ("{\n", ",\n", "}\n", False),
}
