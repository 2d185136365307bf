"""Whole ads, as ``-long``, ``-xml``, ``-json`` and ``-toml`` print them, and the text around them."""

from __future__ import annotations

from condor_py.cli.output.forms import FORMS, JSON, JSONL, LONG, NEW, NEWL, TOML, XML, form_of
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.formats import write
from condor_py.lang.classad.nodes import Literal
from condor_py.lang.classad.record import Binding
from condor_py.model import packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


__all__ = ["FORMS", "FRAMES", "JSON", "JSONL", "LONG", "NEW", "NEWL", "TOML", "XML", "form_of", "write_ads"]

_XML_HEADER = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
_XML_FOOTER = "</classads>\n"


class Frame:
    """The text around ads: ``header`` and ``footer`` of the list, ``between`` two ads and ``after`` each one; ``empty``
    is the whole output when there is no ad."""

    __slots__ = ("after", "between", "empty", "footer", "header")

    def __init__(self, header: str = "", between: str = "", footer: str = "", empty: str = "", after: str = "") -> None:
        self.header = header
        self.between = between
        self.footer = footer
        self.empty = empty
        self.after = after


FRAMES: dict[str, Frame] = {
    LONG: Frame(),
    XML: Frame(_XML_HEADER, "", _XML_FOOTER, _XML_HEADER + _XML_FOOTER),
    JSON: Frame("[\n", ",\n", "]\n"),
    JSONL: Frame(),
    NEW: Frame("{\n", ",\n", "}\n"),
    NEWL: Frame(),
    TOML: Frame(),
}

#: condor_history and condor_status put empty lines around ads in XML; condor_history frames an empty JSON list.
HISTORY_FRAMES = FRAMES | {
    XML: Frame(_XML_HEADER + "\n", "", _XML_FOOTER + "\n", _XML_HEADER + "\n" + _XML_FOOTER + "\n", after="\n"),
    JSON: Frame("[\n", ",\n", "]\n", "[\n]\n"),
}
STATUS_FRAMES = FRAMES | {XML: Frame(_XML_HEADER, "\n", "\n" + _XML_FOOTER, _XML_HEADER + _XML_FOOTER)}


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
        yield (frame.header if first else frame.between) + render(ad) + frame.after
        first = False
    yield frame.empty if first else frame.footer


def renderer(form: str, attributes: Iterable[str] | None, ordered: bool) -> Callable[[ClassAd], str]:
    """A function that gives the text of one ad in ``form``, ending with a newline (``long``: and an empty line)."""
    order = "sorted" if ordered else "storage"
    only = None if attributes is None else list(attributes)
    make = _maker(form)
    return lambda ad: make(write.chosen_bindings(ad, order, only))


def _maker(form: str) -> Callable[[list[Binding]], str]:
    if form == LONG:
        return _long
    if form == TOML:
        return _toml
    if form == XML:
        from condor_py.lang.classad.formats.xml import ad_to_xml

        return ad_to_xml
    if form in (NEW, NEWL):
        return lambda bindings: write.ad_to_new(bindings) + "\n"
    from condor_py.lang.classad.formats.json import ad_to_json

    return lambda bindings: ad_to_json(bindings, oneline=form == JSONL) + "\n"


def _long(bindings: list[Binding]) -> str:
    return write.ad_to_long(bindings) + "\n" if bindings else ""


def _toml(bindings: list[Binding]) -> str:
    """A TOML table ``[[ad]]``: literals as TOML values, every other expression as its text."""
    packages.make_known()
    import tomli_w

    values: dict[str, object] = {}
    for binding in bindings:
        value = binding.node.value if isinstance(binding.node, Literal) else None
        values[binding.name] = value if type(value) in (bool, int, float, str) else binding.text
    return "[[ad]]\n" + tomli_w.dumps(values) + "\n"
