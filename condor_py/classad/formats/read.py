"""Reading one ad after the other from a text in any format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.classad.formats.old import put_line
from condor_py.classad.kernel import native
from condor_py.classad.parser import parse_attributes

if TYPE_CHECKING:
    from condor_py.classad.ad import ClassAd

FORMS = ("Old", "New", "JSON", "XML", "FileAuto")
_BLANKS = " \t\n\v\f\r"


def read_ads(text: str, form: str = "FileAuto") -> Iterator[ClassAd]:
    """All ads of ``text``. ``form`` is one of FORMS; "FileAuto" looks at the beginning.

    ClassAdParseError where a format other than "Old" is violated.
    """
    offset = 0
    if form == "FileAuto":
        form = detect(text)
    while True:
        ad, offset = next_ad(text, _skip(text, offset), form)
        if ad is None:
            return
        yield ad


def detect(text: str) -> str:
    """The format that ``text`` seems to have, by its first characters."""
    bare = text.lstrip(_BLANKS)
    if bare.startswith("<"):
        return "XML"
    first, rest = bare[:1], bare[1:].lstrip(_BLANKS)
    if first == "[":
        return "JSON" if rest[:1] in ("{", "]") and rest else "New"
    if first == "{":
        return "New" if rest[:1] == "[" else "JSON"
    return "Old"


def next_ad(text: str, start: int, form: str) -> tuple[ClassAd | None, int]:
    """The ad at ``start`` and the offset behind it; (None, length) at the end of ``text``."""
    if form == "FileAuto":
        form = detect(text[start:])
    if form == "Old":
        return _next_old(text, start)
    if form == "JSON":
        from condor_py.classad.formats.json_read import next_json

        return next_json(text, start)
    if form == "XML":
        from condor_py.classad.formats.xml_read import next_xml

        return next_xml(text, start)
    return _next_new(text, start)


def _skip(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in _BLANKS:
        offset += 1
    return offset


def _next_old(text: str, start: int) -> tuple[ClassAd | None, int]:
    """Lines up to the next blank one; a bad line ends the ad, what follows it is skipped."""
    from condor_py.classad.ad import ClassAd

    ad = ClassAd()
    if native is not None:
        found = native.next_old(text, start)
        if found is not None:
            if found[0] is None:
                return None, found[1]
            ad.attrs = found[0]
            return ad, found[1]
    offset = start
    skipping = False
    while offset < len(text):
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end + 1
        line = text[offset:end].rstrip("\r\n")
        offset = end
        bare = line.strip(_BLANKS)
        if not bare:
            if ad.attrs or skipping:
                break
            continue
        if not skipping and bare[0] != "#":
            skipping = put_line(ad, line) is not None
    return (ad if ad.attrs or offset < len(text) or skipping else None), offset


def _next_new(text: str, start: int) -> tuple[ClassAd | None, int]:
    """An ad in brackets, possibly inside a list ``{ [..], [..] }``."""
    from condor_py.classad.ad import ClassAd
    from condor_py.classad.lexer import skip_space

    offset = skip_space(text, start)
    while offset < len(text) and text[offset] in "{},":
        offset = skip_space(text, offset + 1)
    if offset >= len(text):
        return None, len(text)
    ad = ClassAd()
    ad.attrs, end = parse_attributes(text, offset)
    return ad, end
