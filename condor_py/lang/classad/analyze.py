"""Looks at an expression without evaluating it: what it refers to, and what in it is probably not meant.

`analyze` finds traps: operators that bind otherwise than they are read, comparisons that are always undefined or
error, conditions that are constant or exclude each other, conditions that are undefined where an attribute is missing,
names that are misspelled. Each finding points to its place in the text and says what to write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.checks.subject import Finding, Kind, Owner, Purpose, Subject
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.spans import locate

__all__ = ["Finding", "Kind", "Names", "Owner", "Purpose", "analyze", "names", "when_missing"]


@dataclass(frozen=True, slots=True)
class Names:
    """The attributes in an expression by how they are written, each once, in order of the text."""

    my: tuple[str, ...]
    target: tuple[str, ...]
    unscoped: tuple[str, ...]


def analyze(
    text: str,
    *,
    purpose: Purpose = "match",
    owner: Owner = "",
    ad: ClassAd | None = None,
    target: ClassAd | None = None,
) -> tuple[Finding, ...]:
    """Return the probable mistakes in the expression ``text`` (old format), in order of the text.

    ``purpose`` says what undefined does: for "match" (Requirements, START) it only means no match, for "policy"
    (PREEMPT, periodic_hold) it is a decision that was not intended. ``owner`` is whose expression it is. ``ad`` and
    ``target`` are example ads; the attributes that they define are known and present. Text that does not parse is one
    finding.
    """
    from condor_py.lang.classad.checks.intervals import check_contradictions
    from condor_py.lang.classad.checks.missing import check_missing
    from condor_py.lang.classad.checks.names import check_names
    from condor_py.lang.classad.checks.traps import (
        check_comparisons,
        check_constants,
        check_precedence,
        check_quotes_and_patterns,
    )

    try:
        root = locate(text)
    except ClassAdParseError as error:
        return (syntax_finding(text, error),)
    subject = Subject(text, root, purpose, owner, ad, target)
    checks = (
        check_precedence, check_comparisons, check_constants, check_quotes_and_patterns, check_contradictions,
        check_missing, check_names,
    )  # fmt: skip
    found = {finding for check in checks for finding in check(subject)}
    return tuple(sorted(found, key=lambda finding: (finding.span, finding.kind, finding.message)))


def names(text: str) -> Names:
    """The attributes that the expression ``text`` names. ClassAdParseError for bad text."""
    from condor_py.lang.classad.named import named

    found: dict[str, dict[str, str]] = {"MY": {}, "TARGET": {}, "": {}}
    for scope, name in named(parse(text).node):
        found[scope].setdefault(name.lower(), name)
    return Names(*(tuple(found[scope].values()) for scope in ("MY", "TARGET", "")))


def when_missing(text: str, name: str) -> frozenset[str]:
    """Return the possible results of the expression ``text`` in ads without ``name`` (``Foo``, ``MY.Foo`` or
    ``TARGET.Foo``).

    A set of "true", "false", "undefined", "error" and "value" (anything else); all other attributes are assumed to be
    present, with values of types that fit. ClassAdParseError for bad text.
    """
    from condor_py.lang.classad.checks.missing import Missing, results

    scope, dot, rest = name.rpartition(".")
    return frozenset(results(parse(text).node, Missing(scope.upper() if dot else "", rest.lower())))


_WORD = re.compile(r"[A-Za-z_]\w*")
_NOT_BEFORE = re.compile(r"\bnot\s+\Z", re.IGNORECASE)
_WORDS = {"and": "&&", "or": "||", "not": "!", "mod": "%", "in": "member(item, list)"}


def syntax_finding(text: str, error: ClassAdParseError) -> Finding:
    """The finding for a text that the parser refused."""
    at = min(error.offset, len(text))
    word = _WORD.match(text, at)
    end = word.end() if word else min(at + 1, len(text))
    message = str(error).split(" at offset ")[0]
    return Finding("syntax", (at, end), message, _hint(text, at, word.group() if word else ""))


def _hint(text: str, at: int, word: str) -> str:
    near = text[max(0, at - 2) : at + 2]
    here = text[at : at + 1]
    if here == "=" or here in "<>":
        for wrong, right in (("===", "=?= or =="), ("=>", ">="), ("=<", "<="), ("<>", "!="), ("!==", "=!= or !=")):
            if here and wrong in near:
                return f"write {right}"
        if here == "=":
            return "= gives an attribute its value; comparing is =="
    if word.lower() in _WORDS:
        return f"write {_WORDS[word.lower()]} for {word}"
    if _NOT_BEFORE.search(text[:at]):
        return "write ! for not"
    if here == "$":
        return "macros such as $(NAME) are expanded in configuration and submit files only"
    if at >= len(text):
        return "the expression ends too early"
    if here in "\"'" and here:
        return "the string has no end, or two operands follow one another"
    return "two operands need an operator between them" if word or here.isalnum() else "check what comes before it"
