"""The ClassAd language: ads, expressions, three-valued evaluation, matching and the formats of ads.

Light to import; formats, references and function families load on first use. Values and texts are those of
classad2 25.14 as HTCondor's tools load it (all functions registered, integers do not start with 0).
On purpose different:

- Partial evaluation (flatten) never loses a part of the expression, and it keeps computed lists and ads.
- formatTime() and splitTime() of impossible dates are error. A list or ad in evalInEachContext() is looked up in the
  right scope even when the attribute to project is unknown or in another ad. relTime() keeps all days of a long time.
- An expression deeper than 400 levels fails even where a lazy operator might have skipped its deep part.
- The tools refuse a text that ends inside a broken ad, and one that is no ad behind an empty one (parseAds and its like
  take the first for the end of the text and read the second as lines of the old format, as HTCondor's do).
- Detecting a file's format the tools also know JSON on one line, an ad over several lines and XML without a header.
- In the old format quotes around a name are no part of it, nor is a tab before its equals sign; spaces behind a value
  change nothing; the end of a line in a name is printed escaped. Names behind a point and of functions are printed in
  quotes where they need them.
- A time in a year that Python does not have is error. In a match ``parent`` of the outermost ad is undefined.
- ``internalRefs()`` continues behind an attribute that an ad written out in the expression does not have. A comment
  without an end is the end of the text (HTCondor reads the token before it once more).
- ``\\u0080`` and up in JSON are those characters. XML in which HTCondor's reader hangs or crashes is read
  or refused.
- Patterns that Python's ``re`` cannot express are error: verbs (``(*UTF)``, ``(*ANY)``), recursion, branch reset,
  ``(?U)``, ``(?^)`` and names that two groups share. Reading ads of the new format, one with an empty name is refused
  (HTCondor takes it for the end of the text).
- Strings may hold half characters (as surrogate escapes); ``lastError()`` knows only why a comparison was error.
"""

from __future__ import annotations

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.connect import connect
from condor_py.lang.classad.errors import ClassAdError, ClassAdEvaluationError, ClassAdException, ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, is_valid, parse
from condor_py.lang.classad.match import rank, requirements_match, symmetric_match
from condor_py.lang.classad.numbers import finite, whole
from condor_py.lang.classad.unparse import quote_string, value_text
from condor_py.lang.classad.values import AbsTime, ListValue, RelTime, Value, is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from condor_py.lang.classad.api import (
        Parser,
        ParserType,
        lastError,
        parseAds,
        parseNext,
        parseOne,
        quote,
        unquote,
        version,
    )
    from condor_py.lang.classad.batch import match_many
    from condor_py.lang.classad.references import References, attribute_references, external_references

connect()

_LAZY = {
    **dict.fromkeys(("Parser", "ParserType", "lastError", "parseAds", "parseNext", "parseOne"), "api"),
    **dict.fromkeys(("quote", "unquote", "version"), "api"),
    "match_many": "batch",
    **dict.fromkeys(("References", "attribute_references", "external_references"), "references"),
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from condor_py.model.later import loaded

    value = getattr(loaded(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


__all__ = [
    "AbsTime", "ClassAd", "ClassAdError", "ClassAdEvaluationError", "ClassAdException", "ClassAdParseError",
    "ExprTree", "ListValue", "Parser", "ParserType", "References", "RelTime", "Value", "attribute_references",
    "external_references", "finite", "is_true", "is_valid", "lastError", "match_many", "parse", "parseAds", "parseNext",
    "parseOne", "quote", "quote_string", "rank", "requirements_match", "symmetric_match", "unquote", "value_text",
    "version", "whole",
]  # fmt: skip
