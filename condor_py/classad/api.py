"""The module functions of classad2: parseOne, parseNext, parseAds, quote, unquote, lastError, version."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from condor_py.classad.ad import ClassAd
from condor_py.classad.errors import ClassAdException, ClassAdParseError
from condor_py.classad.nodes import Literal
from condor_py.classad.parser import parse_node
from condor_py.classad.unparse import quote_new


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
    start = None if isinstance(input, str) else input.tell()
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
        result.update(ad)
    return result


def parseNext(input: Any, parser: ParserType = ParserType.Auto) -> ClassAd | None:
    """The first ad of a string, or the next one of a file that can seek; None at the end."""
    if isinstance(input, str):
        return _next_ad(input, parser)[0]
    try:
        start = input.tell()
    except OSError as error:
        raise ClassAdException(
            "Can not look ahead in stream; you must explicitly specify a parser."
        ) from error
    ad, used = _next_ad(input.read(), parser)
    input.seek(start + used)
    return ad


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
    """Always empty: errors carry their own message."""
    return ""


def version() -> str:
    """The HTCondor release whose ClassAd language this is."""
    from condor_py.model.version import HTCONDOR_VERSION

    return HTCONDOR_VERSION
