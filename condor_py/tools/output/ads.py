"""Whole ads: ``-long``, ``-xml``, ``-json``, ``-long:new``, ``-long:jsonl`` and ``-toml`` with their frames (cli.md 0.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from condor_py.classad.ad import ClassAd

LONG, XML, JSON, JSONL, NEW, TOML = "long xml json jsonl new toml".split()
FORMS = (LONG, XML, JSON, JSONL, NEW, TOML)

_XML_HEADER = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
_XML_FOOTER = "</classads>\n"


class Frame(NamedTuple):
    """What stands around ads: ``header`` and ``footer`` of the list, ``between`` two ads, ``before`` and ``after``
    each one; ``empty`` is the whole output when there is no ad."""

    header: str = ""
    between: str = ""
    footer: str = ""
    empty: str = ""
    before: str = ""
    after: str = ""


FRAMES: dict[str, Frame] = {
    LONG: Frame(),
    XML: Frame(_XML_HEADER, "", _XML_FOOTER, _XML_HEADER + _XML_FOOTER),
    JSON: Frame("[\n", ",\n", "]\n"),
    JSONL: Frame(),
    NEW: Frame("{\n", ",\n", "}\n"),
    TOML: Frame(),
}

#: condor_history and condor_status put empty lines around ads in XML; condor_history frames an empty JSON list.
HISTORY_FRAMES = FRAMES | {
    XML: Frame(_XML_HEADER + "\n", "\n", "\n" + _XML_FOOTER + "\n", _XML_HEADER + "\n" + _XML_FOOTER + "\n"),
    JSON: Frame("[\n", ",\n", "]\n", "[\n]\n"),
}
STATUS_FRAMES = FRAMES | {XML: Frame(_XML_HEADER, "\n", "\n" + _XML_FOOTER, _XML_HEADER + _XML_FOOTER)}


def form_of(colon: str | None, default: str = LONG) -> tuple[str, bool]:
    """The form and whether attributes are sorted, from the text after ``-long:`` (``xml``, ``nosort``...).

    Unknown words are ignored, as HTCondor ignores them.
    """
    form, ordered = default, True
    for word in (colon or "").lower().split(","):
        if word == "nosort":
            ordered = False
        elif word in FORMS:
            form = word
    return form, ordered


def write_ads(
    ads: Iterable[ClassAd],
    form: str,
    attributes: Iterable[str] | None = None,
    ordered: bool = True,
    frames: dict[str, Frame] | None = None,
) -> Iterator[str]:
    """The pieces of the output: frame and ads. ``attributes`` restricts the ads (any case, missing ones left out)."""
    frame = (frames or FRAMES)[form]
    render = renderer(form, attributes, ordered)
    first = True
    for ad in ads:
        yield (frame.header if first else frame.between) + frame.before + render(ad) + frame.after
        first = False
    yield frame.empty if first else frame.footer


def renderer(form: str, attributes: Iterable[str] | None, ordered: bool) -> Callable[[ClassAd], str]:
    """A function that gives the text of one ad in ``form``, ending with a newline (``long``: and an empty line)."""
    only = None if attributes is None else {name.lower() for name in attributes}
    order = "sorted" if ordered else "storage"

    def names(ad: ClassAd) -> list[str]:
        return [name for name, _ in ad.text_items(order) if only is None or name.lower() in only]

    if form == LONG:
        return lambda ad: _long(ad, order, only)
    if form == TOML:
        return lambda ad: _toml(ad, names(ad))
    return _structured(form, names)


def _structured(form: str, names: Callable[[ClassAd], list[str]]) -> Callable[[ClassAd], str]:
    if form == XML:
        from condor_py.classad.formats.xml import ad_to_xml

        return lambda ad: ad_to_xml(ad, names(ad))
    if form == NEW:
        from condor_py.classad.formats.new import ad_to_new

        return lambda ad: ad_to_new(ad, names(ad)) + "\n"
    from condor_py.classad.formats.json import ad_to_json

    return lambda ad: ad_to_json(ad, names(ad), one_line=form == JSONL) + "\n"


def _long(ad: ClassAd, order: str, only: set[str] | None) -> str:
    lines = [f"{name} = {text}\n" for name, text in ad.text_items(order) if only is None or name.lower() in only]
    return "".join(lines) + "\n" if lines else ""


def _toml(ad: ClassAd, names: list[str]) -> str:
    """A TOML table ``[[ad]]``: literals as TOML values, every other expression as its text."""
    import tomli_w

    values: dict[str, object] = {}
    for name in names:
        text = ad.text(name) or ""
        value = ad.evaluate(name)
        plain = isinstance(value, (bool, int, float, str)) and not hasattr(value, "name")
        values[name] = value if plain and _is_literal(text) else text
    return "[[ad]]\n" + tomli_w.dumps(values) + "\n"


def _is_literal(text: str) -> bool:
    from condor_py.classad.nodes import Literal
    from condor_py.tools.output.values import check_expression

    return isinstance(check_expression(text), Literal)
