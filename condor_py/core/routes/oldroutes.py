"""Routing tables of ClassAds (JOB_ROUTER_ENTRIES and its relatives), as they were written before there were transforms.

::

    [ Name = "n"; GridResource = "..."; Requirements = ...; copy_A = "B"; delete_C = true; set_D = 1; eval_set_E = 2 ]
    [ ... ]

The ads follow one another, in braces with commas between them or without. JOB_ROUTER_DEFAULTS says what an ad does not.
A second ad with the name of an earlier one replaces it when its OverrideRoutingEntry is true, is passed over when that
is false, and adds to it else.
"""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.lang.classad import ClassAd, ClassAdParseError
from condor_py.model.errors import CondorError


class BadRoute(CondorError):
    """A route that cannot be understood; the text says which and why."""


def old_routes(tables: Iterable[tuple[str, str]], defaults: str, notes: list[str]) -> list[tuple[str, str]]:
    """(name, text of an ad) of every route of tables, which are (knob, text). BadRoute; ``notes`` of what is odd."""
    common = _default_ad(defaults)
    found: dict[str, tuple[str, ClassAd]] = {}
    for knob, text in tables:
        for number, ad in enumerate(_ads(text, knob), 1):
            name = ad.eval_str("Name", None) or ad.eval_str("GridResource", None)
            if not name:
                raise BadRoute(f"{knob}: entry {number} has neither a Name nor a GridResource")
            _take(found, name, ad, knob, notes)
    return [(_word(name), str(_merged(common, ad))) for name, ad in found.values()]


def _take(found: dict[str, tuple[str, ClassAd]], name: str, ad: ClassAd, knob: str, notes: list[str]) -> None:
    known = found.get(name.lower())
    override = ad.eval_bool("OverrideRoutingEntry", None)
    if known is None or override is True:
        found[name.lower()] = name, ad
    elif override is None:
        found[name.lower()] = name, _merged(known[1], ad)
    else:
        notes.append(f"{knob}: a second entry {name} is passed over, as its OverrideRoutingEntry is false.")


def _default_ad(text: str) -> ClassAd:
    """JOB_ROUTER_DEFAULTS, whose brackets may be missing."""
    text = text.strip()
    try:
        return ClassAd(text if text.startswith("[") else f"[ {text} ]")
    except ClassAdParseError as error:
        raise BadRoute(f"JOB_ROUTER_DEFAULTS: {error}") from None


def _ads(text: str, knob: str) -> list[ClassAd]:
    ads: list[ClassAd] = []
    rest = _behind_comments(text.strip().lstrip("{").rstrip("}"))
    while rest:
        end = _end_of_ad(rest)
        try:
            ads.append(ClassAd(rest[:end]))
        except ClassAdParseError as error:
            raise BadRoute(f"{knob}: entry {len(ads) + 1}: {error}") from None
        rest = _behind_comments(rest[end:])
    return ads


def _behind_comments(text: str) -> str:
    """Rest of a text after leading commas, spaces and comments."""
    while (text := text.lstrip(", \t\r\n")).startswith(("//", "/*")):
        text = text[2:].partition("\n" if text[1] == "/" else "*/")[2]
    return text


def _end_of_ad(text: str) -> int:
    """Position of the bracket that closes the one at the start of a text, ignoring strings and comments."""
    depth, at, quote = 0, 0, ""
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif text.startswith("//", at):
            at = (text.find("\n", at) + 1 or len(text)) - 1
        elif text.startswith("/*", at):
            at = (text.find("*/", at) + 2 if text.find("*/", at) >= 0 else len(text)) - 1
        elif char in "[]":
            depth += 1 if char == "[" else -1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)


def _merged(first: ClassAd, second: ClassAd) -> ClassAd:
    """Both ads in one; the second prevails."""
    merged = first.flat_copy()
    merged.set_texts(second.pairs())
    return merged


def _word(name: str) -> str:
    """The name of a route: without spaces."""
    return "_".join(name.split())
