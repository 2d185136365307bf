"""Text that does not parse, with the likely reason."""

from __future__ import annotations

import re

from condor_py.lang.classad.checks.subject import Finding
from condor_py.lang.classad.errors import ClassAdParseError

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
    return "two operands need an operator between them" if word or here.isalnum() else "look at what stands before"
