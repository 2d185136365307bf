"""XML to ads: the tags that HTCondor writes, found one by one; what is unknown is passed over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.classad.errors import ClassAdParseError
from condor_py.classad.functions.types import strtod
from condor_py.classad.lexer import unescape
from condor_py.classad.nodes import AdNode, ListNode, Literal, Node
from condor_py.classad.parser import parse_node
from condor_py.classad.record import Binding
from condor_py.classad.times import parse_abs_time, parse_rel_time
from condor_py.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED

if TYPE_CHECKING:
    from condor_py.classad.ad import ClassAd

_TAG = re.compile(r"<\s*(/?)\s*([^\s>/]+)([^>]*?)(/?)>")
_ATTRIBUTE = re.compile(r"""([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_INTEGER = re.compile(r"-?[0-9]+")


def next_xml(text: str, start: int) -> tuple[ClassAd | None, int]:
    """The next ``<c>`` from ``start``; (None, length) when there is none."""
    from condor_py.classad.ad import ClassAd

    reader = _Reader(text, start)
    while (tag := reader.next_tag()) is not None:
        if tag[2] == "c" and not tag[1]:
            break
    else:
        return None, len(text)
    node = reader.ad() if not tag[4] else AdNode([])
    ad = ClassAd()
    for name, item in node.items:
        ad.put(Binding(name, None, item))
    return ad, reader.at


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.depth = 0

    def error(self, message: str) -> ClassAdParseError:
        return ClassAdParseError(message, self.text, self.at)

    def next_tag(self) -> re.Match[str] | None:
        """The next tag, skipping text."""
        match = _TAG.search(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def text_until_end(self, tag: str) -> str:
        """The text up to the end tag, with entities resolved."""
        end = self.text.find("<", self.at)
        if end < 0:
            raise self.error(f"expected </{tag}>")
        raw = self.text[self.at : end]
        self.at = end
        closing = _TAG.match(self.text, end)
        if closing is None or not closing[1] or closing[2] != tag:
            raise self.error(f"expected </{tag}>")
        self.at = closing.end()
        return _ENTITY.sub(lambda match: _ENTITIES[match.group()], raw)

    def ad(self) -> AdNode:
        """The attributes up to ``</c>``."""
        self.depth += 1
        if self.depth > 200:
            raise self.error("XML is nested too deeply")
        items: list[tuple[str, Node]] = []
        while True:
            tag = self.next_tag()
            if tag is None:
                raise self.error("expected </c>")
            if tag[2] == "c" and tag[1]:
                self.depth -= 1
                return AdNode(items)
            if tag[2] != "a" or tag[1]:
                continue
            name = unescape(_attributes(tag[3]).get("n", ""))
            if not name:
                raise self.error("an attribute needs a name")
            items.append((name, self.thing()))

    def thing(self) -> Node:
        """One value."""
        tag = self.next_tag()
        if tag is None or tag[1]:
            raise self.error("expected a value")
        kind, empty = tag[2], bool(tag[4])
        if kind == "c":
            return AdNode([]) if empty else self.ad()
        if kind == "l":
            return ListNode([]) if empty else self.list()
        if kind in ("b", "un", "er"):
            if not empty:
                self.text_until_end(kind)
            return Literal(_attributes(tag[3]).get("v", "") in ("t", "T") if kind == "b" else _NAMED[kind])
        make = _MAKERS.get(kind)
        if make is None:
            raise self.error(f"unknown tag <{kind}>")
        node = make("" if empty else self.text_until_end(kind))
        if node is None:
            raise self.error(f"bad text in <{kind}>")
        return node

    def list(self) -> ListNode:
        self.depth += 1
        if self.depth > 200:
            raise self.error("XML is nested too deeply")
        items: list[Node] = []
        while True:
            closing = re.compile(r"\s*<\s*/\s*l\s*>").match(self.text, self.at)
            if closing is not None:
                self.at = closing.end()
                self.depth -= 1
                return ListNode(items)
            items.append(self.thing())


_NAMED = {"un": UNDEFINED, "er": ERROR}


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1]: _ENTITY.sub(lambda found: _ENTITIES[found.group()], match[2] or match[3] or "")
        for match in _ATTRIBUTE.finditer(text)
    }


def _integer(text: str) -> Node:
    match = _INTEGER.match(text.strip())
    number = int(match.group()) if match is not None else INT_MAX + 1
    return Literal(number if INT_MIN <= number <= INT_MAX else ERROR)


def _real(text: str) -> Node:
    number = strtod(text)
    return Literal(ERROR if number is None else number)


def _string(text: str) -> Node | None:
    value = unescape(text)
    return None if value is None else Literal(value)


def _expression(text: str) -> Node:
    return parse_node(text, old=False, full=False)


def _moment(text: str) -> Node | None:
    value = parse_abs_time(text)
    return None if value is None else Literal(value)


def _duration(text: str) -> Node | None:
    value = parse_rel_time(text)
    return None if value is None else Literal(value)


_MAKERS: dict[str, Callable[[str], Node | None]] = {
    "i": _integer,
    "r": _real,
    "s": _string,
    "e": _expression,
    "at": _moment,
    "rt": _duration,
}
