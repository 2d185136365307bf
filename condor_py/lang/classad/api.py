"""The module functions of classad2: parseOne, parseNext, parseAds, quote, unquote, lastError, version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdException, ClassAdParseError, last_message
from condor_py.lang.classad.nodes import AdNode, ListNode, Literal
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.unparse import quote_new
from condor_py.lang.classad.values import PLAIN


class ParserType(IntEnum):
    """The format to read.

    Auto distinguishes Old from New. FileAuto is one ad in JSON on every line: classad2 25.14 reads that under this
    name.
    """

    Auto = -1
    Old = 0
    XML = 1
    JSON = 2
    New = 3
    FileAuto = 4


Parser = ParserType

#: The number of a form that HTCondor has no name for: one ad in the new format on every line, read like New.
_NEW_LINES = 5
_VISIBLE = re.compile(r"[^ \t\n\v\f\r]")
_REFUSED = "Unable to parse input stream into a ClassAd."


def parseAds(input: Any, parser: ParserType = ParserType.Auto) -> Iterator[ClassAd]:
    """The ads of a string or of a file-like object, one after the other. ClassAdParseError (a ValueError) inside."""
    start = None if isinstance(input, str) else _position(input)
    text = "".join(input)
    offset = 0
    while True:
        ad, used = _next_ad(text, parser, offset)
        if start is not None:
            start += len(text[offset : offset + used].encode("utf-8", "surrogateescape"))
            input.seek(start, 0)
        offset += used
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
        node = binding.node
        if not isinstance(node, (Literal, ListNode, AdNode)) or type(getattr(node, "value", None)) in PLAIN:
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
    """Return the position in a file; None where the file has none."""
    try:
        return int(stream.tell())
    except OSError:
        return None


def _old_ad(stream: Any) -> str:
    """Return the lines of a stream up to the empty line behind the next ad, and no more of it."""
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


def _next_ad(text: str, parser: ParserType, start: int = 0) -> tuple[ClassAd | None, int]:
    """The ad at ``start`` of ``text`` and how far that was read with what surrounds it; (None, 0) at the end.

    Every ad is read alone, as HTCondor's bindings do: no list is known of behind its first ad, and whatever goes
    wrong at the very end of the text is the end.
    """
    from condor_py.lang.classad.formats.read import AdReader

    limit = text.find("\0", start)
    text = text if limit < 0 else text[:limit]
    if start >= len(text):
        return None, 0
    form = ParserType.New if int(parser) == _NEW_LINES else ParserType(int(parser))
    if form is ParserType.Auto:
        form = ParserType.Old if _looks_old(text, start) else ParserType.New
    reader = AdReader(text, "JSONLines" if form is ParserType.FileAuto else form.name, start)
    reader.skip_space()
    ad = reader.next()
    if ad is None:
        if reader.at_end:
            return None, 0
        raise ClassAdParseError(_REFUSED)
    return ad, reader.at - start


def _looks_old(text: str, start: int) -> bool:
    first = _VISIBLE.search(text, start)
    return first is not None and first.group() not in "/["


def quote(input: str | None) -> str:
    """``input`` as a string of the new format, with the quotes; None counts as "". TypeError for anything else."""
    if input is not None and not isinstance(input, str):
        raise TypeError(f"input must be a string or None, not {type(input).__name__}")
    return quote_new(input or "")


def unquote(input: str) -> str:
    """The value of a string literal of the new format. ClassAdParseError (a ValueError) for any other text."""
    if not isinstance(input, str):
        raise TypeError(f"input must be a string, not {type(input).__name__}")
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
    """Return the reason why the last comparison was error, if it is known. Exceptions carry their own message."""
    return last_message()


def version() -> str:
    """The HTCondor release whose ClassAd language this is."""
    from condor_py.model.version import HTCONDOR_VERSION

    return HTCONDOR_VERSION
