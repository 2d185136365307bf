"""Tags and text of XML ads, as HTCondor's scanner sees them: it knows no namespaces, comments or character sets."""

from __future__ import annotations

import re
from typing import NamedTuple

from condor_py.lang.classad.lexer import unescape

_SPACE = re.compile(r"[ \t\n\v\f\r]*")
#: A tag's first character may be anything, ``>`` too.
_TAG = re.compile(r"<[ \t\n\v\f\r]*((?s:[^ \t\n\v\f\r])[^>]*)>")
_NAME = re.compile(r"/?([^ \t\n\v\f\r]*)")
#: Name, equals signs and blanks, one character for the quote, and the value up to a quote behind no backslash.
_ATTRIBUTE = re.compile(
    r"[ \t\n\v\f\r]*(?P<name>[^ \t\n\v\f\r=]*)[ \t\n\v\f\r=]*(?s:.)?(?P<value>(?:[^\"]|(?<=\\)\")*)"
)
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_PLAIN = re.compile(r"[^<&]+")
_ENTITY = re.compile(r"&(?:lt|gt|amp);")
#: An ampersand and what is read to see whether it begins an entity: up to a blank, the next one, or a semicolon.
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
