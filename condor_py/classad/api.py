"""The module functions of classad2: parseOne, parseNext, parseAds, quote, unquote, lastError, version."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from condor_py.classad.ad import ClassAd
from condor_py.classad.errors import ClassAdException, ClassAdParseError, last_message
from condor_py.classad.nodes import AdNode, ListNode, Literal
from condor_py.classad.parser import parse_node
from condor_py.classad.unparse import quote_new
from condor_py.classad.values import PLAIN


class ParserType(IntEnum):
    """Which format to read."""

    Auto = -1
    Old = 0
    XML = 1
    JSON = 2
    New = 3
    FileAuto = 4


Parser = ParserType

_REFUSED = "Unable to parse input stream into a ClassAd."


def parseAds(input: Any, parser: ParserType = ParserType.Auto) -> Iterator[ClassAd]:
    """The ads of a string or of a file-like object, one after the other. ClassAdParseError (a ValueError) inside."""
    start = None if isinstance(input, str) else _position(input)
    text = "".join(input)
    offset = 0
    while True:
        ad, used = _next_ad(text[offset:] if offset else text, parser)
        offset += used
        if start is not None:
            input.seek(start + offset, 0)
        if ad is None or used == 0:
            return
        yield ad


def parseOne(input: Any, parser: ParserType = ParserType.Auto) -> ClassAd:
    """All ads of the input merged into one, later ones over earlier ones."""
    result = ClassAd()
    for ad in parseAds(input, parser):
        _merge(result, ad)
    return result


def _merge(result: ClassAd, ad: ClassAd) -> None:
    """``result.update(ad)``; attributes whose value is the same as a Python object are shared, not copied."""
    for binding in ad.attrs.values():
        node = None if type(binding.value) in PLAIN else binding.node
        if node is None or not isinstance(node, (Literal, ListNode, AdNode)):
            result.put(binding)
        else:
            result[binding.name] = ad[binding.name]


def parseNext(input: Any, parser: ParserType = ParserType.Auto) -> ClassAd | None:
    """The first ad of a string, or the next one of a file; None at the end.

    ClassAdException for a file that cannot seek, unless ``parser`` is Old or New.
    """
    if isinstance(input, str):
        return _next_ad(input, parser)[0]
    start = _position(input)
    if start is None:
        if parser == ParserType.Old:
            return _next_ad(_old_ad(input), parser)[0]
        if parser == ParserType.New:
            return _next_ad(_new_ad(input), parser)[0]
        raise ClassAdException("Can not look ahead in stream; you must explicitly specify a parser.")
    ad, used = _next_ad(input.read(), parser)
    input.seek(start + used)
    return ad


def _position(stream: Any) -> int | None:
    """Where a file stands; None where it cannot tell."""
    try:
        return int(stream.tell())
    except OSError:
        return None


def _old_ad(stream: Any) -> str:
    """The lines of a stream up to the blank one behind the next ad, and no more of it."""
    lines: list[str] = []
    while line := stream.readline():
        if line.strip():
            lines.append(line)
        elif lines:
            break
    return "".join(lines)


def _new_ad(stream: Any) -> str:
    """The text of a stream up to the bracket that closes the next ad, and no more of it."""
    text = ""
    while char := stream.read(1):
        text += char
        if char == "]":
            try:
                _next_ad(text, ParserType.New)
            except ClassAdParseError:
                continue
            break
    return text


def _next_ad(text: str, parser: ParserType) -> tuple[ClassAd | None, int]:
    """The first ad of ``text`` and how many characters it took with what surrounds it."""
    from condor_py.classad.formats.read import next_ad

    if not text:
        return None, 0
    form = ParserType(parser)
    if form is ParserType.Auto:
        form = ParserType.Old if _looks_old(text) else ParserType.New
    skipped = len(text) - len(text.lstrip(" \t\n\v\f\r"))
    ad, used = next_ad(text, skipped, form.name)
    if ad is None or not ad.attrs:
        if used >= len(text):
            return None, 0
        raise ClassAdParseError(_REFUSED)
    return ad, used


def _looks_old(text: str) -> bool:
    bare = text.lstrip(" \t\n\v\f\r")
    return bool(bare) and bare[0] not in "/["


def quote(input: str) -> str:
    """``input`` as a string of the new format, with the quotes."""
    return quote_new(input)


def unquote(input: str) -> str:
    """The value of a string literal of the new format. ClassAdParseError (a ValueError) for anything else."""
    try:
        node = parse_node(input, old=False)
    except ClassAdParseError as error:
        raise ClassAdParseError("Invalid string to unquote") from error
    if not isinstance(node, Literal):
        raise ClassAdParseError("String does not parse to a ClassAd literal")
    if type(node.value) is not str:
        raise ClassAdParseError("ClassAd literal is not a string value")
    return node.value


def lastError() -> str:
    """Why the last comparison was error, as far as it is known. (Exceptions carry their own message.)"""
    return last_message()


def version() -> str:
    """The HTCondor release whose ClassAd language this is."""
    from condor_py.model.version import HTCONDOR_VERSION

    return HTCONDOR_VERSION
