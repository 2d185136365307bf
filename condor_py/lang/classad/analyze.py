"""Looks at an expression without evaluating it: what it refers to, and what in it is probably not meant.

`analyze` finds traps: operators that bind otherwise than they are read, comparisons that are always undefined or
error, conditions that are constant or exclude each other, conditions that are undefined where an attribute is missing,
names that are misspelled. Each finding points to its place in the text and says what to write instead.
"""

from __future__ import annotations

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
    """What is probably wrong with the expression ``text`` (old format), in order of the text.

    ``purpose`` says what undefined does: for "match" (Requirements, START) it only means no match, for "policy"
    (PREEMPT, periodic_hold) it is a decision that nobody took. ``owner`` is whose expression it is. ``ad`` and
    ``target`` are example ads; what they define is known and there. Text that does not parse is one finding.
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
        from condor_py.lang.classad.checks.syntax import syntax_finding

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
    """What the expression ``text`` can be in ads without ``name`` (``Foo``, ``MY.Foo`` or ``TARGET.Foo``).

    A set of "true", "false", "undefined", "error" and "value" (anything else); all other attributes are taken to be
    there, with values of types that fit. ClassAdParseError for bad text.
    """
    from condor_py.lang.classad.checks.missing import Missing, results

    scope, dot, rest = name.rpartition(".")
    return frozenset(results(parse(text).node, Missing(scope.upper() if dot else "", rest.lower())))
