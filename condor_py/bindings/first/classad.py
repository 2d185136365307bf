"""``classad``, first version: ``import classad``."""

from __future__ import annotations

from condor_py.bindings.first.ads import (
    ClassAd,
    ClassAdFileIterator,
    ClassAdStringIterator,
    OldClassAdIterator,
    Parser,
    lastError,
    parse,
    parseAds,
    parseNext,
    parseOld,
    parseOldAds,
    parseOne,
    quote,
    register,
    registerLibrary,
    unquote,
    version,
)
from condor_py.bindings.first.errors import (
    ClassAdEnumError,
    ClassAdEvaluationError,
    ClassAdInternalError,
    ClassAdOSError,
    ClassAdParseError,
    ClassAdTypeError,
    ClassAdValueError,
)
from condor_py.bindings.first.expressions import Attribute, ExprTree, Function, Value
from condor_py.bindings.first.expressions import Literal_ as Literal
from condor_py.lang.classad import ClassAdException

__all__ = [
    "Attribute", "ClassAd", "ClassAdEnumError", "ClassAdEvaluationError", "ClassAdException", "ClassAdFileIterator",
    "ClassAdInternalError", "ClassAdOSError", "ClassAdParseError", "ClassAdStringIterator", "ClassAdTypeError",
    "ClassAdValueError", "ExprTree", "Function", "Literal", "OldClassAdIterator", "Parser", "Value", "lastError",
    "parse", "parseAds", "parseNext", "parseOld", "parseOldAds", "parseOne", "quote", "register", "registerLibrary",
    "unquote", "version",
]  # fmt: skip
