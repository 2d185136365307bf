"""XML: ``<c>`` an ad, ``<a n="Name">`` an attribute, one tag a type of value, ``<e>`` any other expression."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.functions.types import strtod
from condor_py.lang.classad.lexer import unescape
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal, Node
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.record import Binding, constant
from condor_py.lang.classad.times import format_abs_time, parse_abs_time, parse_rel_time
from condor_py.lang.classad.unparse import escape_new, real_text, unparse
from condor_py.lang.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, AbsTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


def escape(text: str) -> str:
    """``text`` for XML; quotes stay."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ad_to_xml(bindings: Iterable[Binding]) -> str:
    """One ad in the given order, indented by four, ended by a newline."""
    out: list[str] = []
    _write_ad([(binding.name, binding.node) for binding in bindings], out, 0)
    return "".join(out)


def _write_ad(items: Sequence[tuple[str, Node]], out: list[str], indent: int) -> None:
    out.append("<c>\n")
    for name, node in items:
        out.append(" " * (indent + 4) + f'<a n="{escape(escape_new(name))}">')
        _write(node, out, indent + 4)
        out.append("</a>\n")
    out.append(" " * indent + "</c>")
    if indent == 0:
        out.append("\n")


def _write(node: Node, out: list[str], indent: int) -> None:
    if isinstance(node, Literal):
        out.append(_constant(constant(node)))
    elif isinstance(node, AdNode):
        _write_ad(node.items, out, indent)
    elif isinstance(node, ListNode):
        out.append("<l>")
        for item in node.items:
            _write(item, out, indent)
        out.append("</l>")
    else:
        out.append(f"<e>{escape(unparse(node, old=False))}</e>")


def _constant(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return f"<s>{escape(escape_new(value)).replace(chr(92) + chr(34), chr(34))}</s>"
    if kind is bool:
        return f'<b v="{"t" if value else "f"}"/>'
    if kind is int:
        return f"<i>{value}</i>"
    if kind is float:
        return f"<r>{_real(value)}</r>"
    if value is UNDEFINED:
        return "<un/>"
    if value is ERROR:
        return "<er/>"
    if kind is AbsTime:
        return f"<at>{format_abs_time(value)}</at>"
    raise AssertionError(f"not a constant: {value!r}")


def _real(value: float) -> str:
    if value == 0.0:
        return "0.0"
    text = real_text(value, old=False)
    return {'real("NaN")': "NaN", 'real("INF")': "INF", 'real("-INF")': "-INF"}.get(text, text)


_MAX_NESTING = 200
#: Tags around ads. HTCondor's reader never gets past one inside an ad; here it is passed over.
_AROUND = frozenset(("classads", "?xml", "?xml-stylesheet", "DOCTYPE"))


class XmlParser:
    """Reads one ad. ``at`` is how far the text was read, after errors too."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self._nesting = 0
        self._next: XmlToken | None = None
        self._behind_string = False

    def _peek(self) -> XmlToken | None:
        if self._next is None:
            token = next_xml_token(self.text, self.at, keep_space=self._behind_string)
            self.at = token.at if token is not None else len(self.text) + 1
            self._behind_string = token is not None and token.kind == "start" and token.name == "s"
            self._next = token
        return self._next

    def _take(self) -> XmlToken | None:
        token = self._peek()
        self._next = None
        return token

    def _error(self, message: str) -> ClassAdParseError:
        token = self._next
        return ClassAdParseError(message, self.text, token.start if token is not None else min(self.at, len(self.text)))

    def _enter(self) -> None:
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            raise self._error("XML is nested too deeply")

    def ad(self) -> AdNode | None:
        """The next ``<c>``, up to its end or that of the text; None where no ad begins in the rest of the text."""
        while (tag := self._take()) is not None:
            if tag.name == "c":
                break
        if tag is None:
            return None
        if tag.kind != "start":
            raise self._error("expected an ad with attributes")
        self._enter()
        items = self._attributes()
        self._nesting -= 1
        return AdNode(items)

    def _attributes(self) -> list[tuple[str, Node]]:
        """Return the attributes of an ad, up to its end tag, or to any tag that does not belong there."""
        items: list[tuple[str, Node]] = []
        while (tag := self._peek()) is not None:
            if tag.name == "a" and tag.kind == "invalid":
                raise self._error("an attribute's name holds a zero byte")
            if tag.name == "a" and tag.kind == "start":
                items.append(self._attribute())
                continue
            self._take()
            if tag.kind == "text" or tag.name in _AROUND or tag.name == "a":
                continue
            if tag.name != "c" or tag.kind == "end":
                break
        return items

    def _attribute(self) -> tuple[str, Node]:
        tag = self._take()
        assert tag is not None
        name = tag.attributes.get("n", "")
        value = self._thing() if name else None
        self._swallow("a")
        if value is None:
            raise self._error(f"attribute {name!r} has no value" if name else "an attribute needs a name")
        return name, value

    def _swallow(self, name: str) -> None:
        """Steps over the end tag where it is next; without one reading continues."""
        tag = self._peek()
        if tag is not None and tag.kind == "end" and tag.name == name:
            self._take()

    def _thing(self) -> Node | None:
        """Return one value; None without one and for a bad one."""
        tag = self._peek()
        if tag is None or tag.kind == "text":
            return None
        if tag.name == "c":
            return self.ad()
        if tag.name == "l":
            return self._list()
        if tag.name in _NAMED or tag.name == "b":
            self._take()
            if tag.kind == "start":
                self._swallow(tag.name)
            return Literal(_NAMED[tag.name] if tag.name != "b" else tag.attributes.get("v") in ("t", "T"))
        make = _MAKERS.get(tag.name)
        return self._text_value(tag.name, make) if make is not None else None

    def _text_value(self, name: str, make: Callable[[str], Node | None]) -> Node | None:
        self._take()
        token = self._peek()
        value: Node | None = Literal("") if name == "s" else None
        if token is not None and token.kind == "text":
            self._take()
            value = make(token.text)
            if value is None and name == "s":
                return None
        self._swallow(name)
        return value

    def _list(self) -> ListNode:
        """The items of a list, up to its end tag or that of the text."""
        begin = self._take()
        assert begin is not None
        items: list[Node] = []
        if begin.kind == "empty":
            return ListNode(items)
        self._enter()
        while (tag := self._peek()) is not None:
            if tag.kind == "end" and tag.name == "l":
                self._take()
                break
            item = self._thing() if tag.kind not in ("end", "text") else None
            if item is None:
                raise self._error("expected a value in a list")
            items.append(item)
        self._nesting -= 1
        return ListNode(items)


_NAMED = {"un": UNDEFINED, "er": ERROR}


def _integer(text: str) -> Node:
    digits = text[1:] if text[:1] == "-" else text
    count = len(digits) - len(digits.lstrip("0123456789"))
    number = int(text[: len(text) - len(digits) + count]) if 0 < count < 100 else INT_MAX + 1
    return Literal(number if INT_MIN <= number <= INT_MAX else ERROR)


def _read_real(text: str) -> Node:
    number = strtod(text)
    return Literal(ERROR if number is None else number)


def _string(text: str) -> Node | None:
    value = unescape(text)
    return None if value is None else Literal(value)


def _expression(text: str) -> Node | None:
    try:
        return parse_node(text, old=False, full=False)
    except ClassAdParseError:
        return None


def _moment(text: str) -> Node | None:
    value = parse_abs_time(text)
    return None if value is None else Literal(value)


def _duration(text: str) -> Node | None:
    value = parse_rel_time(text)
    return None if value is None else Literal(value)


_MAKERS: dict[str, Callable[[str], Node | None]] = {
    "i": _integer,
    "r": _read_real,
    "s": _string,
    "e": _expression,
    "at": _moment,
    "rt": _duration,
}


_SPACE = re.compile(r"[ \t\n\v\f\r]*")
#: A tag's first character may be anything, ``>`` too.
_TAG = re.compile(r"<[ \t\n\v\f\r]*((?s:[^ \t\n\v\f\r])[^>]*)>")
_NAME = re.compile(r"/?([^ \t\n\v\f\r]*)")
#: Name, equals signs and spaces, any one character for the quote, and the value up to a quote behind none of its
#: backslashes.
_ATTRIBUTE = re.compile(
    r"[ \t\n\v\f\r]*(?P<name>[^ \t\n\v\f\r=]*)[ \t\n\v\f\r=]*(?s:.)?(?P<value>(?:[^\"](?:[^\"]|(?<=\\)\")*)?)"
)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_PLAIN = re.compile(r"[^<&]+")
_ENTITY = re.compile(r"&(?:lt|gt|amp);")
#: An ampersand and what is read to see whether it begins an entity: up to a space, the next one, or a semicolon.
_MAYBE_ENTITY = re.compile(r"&[^ &;]*(?P<end>[ &;]|\Z)")


class XmlToken(NamedTuple):
    """``kind`` is start, end, empty or invalid for a tag (``name``), "text" for text, with entities resolved."""

    kind: str
    name: str
    attributes: dict[str, str]
    text: str
    start: int
    #: Where the next token begins.
    at: int


def next_xml_token(text: str, at: int, *, keep_space: bool = False) -> XmlToken | None:
    """The token at ``at``; None at the end. White space before it counts only behind ``<s>`` (``keep_space``)."""
    blank = _SPACE.match(text, at)
    if not keep_space and blank is not None:
        at = blank.end()
    if at >= len(text):
        return None
    if text[at] != "<":
        return _text(text, at)
    match = _TAG.match(text, at)
    if match is None:
        return XmlToken("invalid", "", {}, "", at, len(text))
    return _tag(match)


def _tag(match: re.Match[str]) -> XmlToken:
    inside = match[1]
    kind = "end" if inside[0] == "/" else "empty" if inside[-1] == "/" else "start"
    if kind == "empty":
        inside = inside[:-1]
    name = _NAME.match(inside)
    assert name is not None
    attributes: dict[str, str] = {}
    valid = True
    at = name.end()
    while at < len(inside):
        attribute = _ATTRIBUTE.match(inside, at)
        assert attribute is not None
        at = max(attribute.end(), at + 1)
        value = unescape(_ENTITY.sub(lambda found: _ENTITIES[found.group()], attribute["value"]))
        if value is None:
            valid = False
        elif attribute["name"] and value:
            attributes[attribute["name"]] = value
    return XmlToken(kind if valid else "invalid", name[1], attributes, "", match.start(), match.end())


def _text(text: str, start: int) -> XmlToken | None:
    """Text up to the next tag. An ampersand without its end swallows what follows, tags too."""
    parts: list[str] = []
    at = start
    while at < len(text) and text[at] != "<":
        if text[at] != "&":
            plain = _PLAIN.match(text, at)
            assert plain is not None
            parts.append(plain.group())
            at = plain.end()
            continue
        maybe = _MAYBE_ENTITY.match(text, at)
        assert maybe is not None
        if maybe["end"] == "&":
            parts.append(maybe.group()[:-1])
        elif maybe["end"]:
            parts.append(_ENTITIES.get(maybe.group(), maybe.group()))
        at = maybe.start("end") + (maybe["end"] != "&") * len(maybe["end"])
    return XmlToken("text", "", {}, "".join(parts), start, at)
