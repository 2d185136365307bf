"""Functions on regular expressions. Patterns are PCRE, matched on bytes; options are i, m, s and x."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.evaluate import spend
from condor_py.lang.classad.functions import backtrack, charge, elements, limit_length, on_values
from condor_py.lang.classad.functions.backtrack import StepLimit
from condor_py.lang.classad.functions.pcre import translate
from condor_py.lang.classad.functions.stringlists import tokens
from condor_py.lang.classad.values import ERROR, UNDEFINED, ListValue

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

    Match = re.Match[bytes] | backtrack.Found

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_compiled: dict[tuple[str, str], Pattern | None] = {}

#: Characters of a pattern: what PCRE makes of them, two bytes of each at least, has 64 kB of room.
_LONGEST = 32_764
#: Steps that ``re`` may take in the worst case, and the longest text for patterns whose steps no power bounds.
_AFFORDABLE = 300_000_000
_SHORT = 12


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


#: Seconds of CPU spent with risky patterns that no evaluation has been charged for yet.
_unpaid = 0.0
#: Steps that a second of them counts: an evaluation may spend two.
_STEPS_A_SECOND = 2_000_000
_MOST_SECONDS = 2.0
#: How much more they cost an allowance (`allowance`), whose steps are meant as time: what other steps would have taken.
_DEARER = 4


@contextmanager
def _timed() -> Iterator[None]:
    global _unpaid
    if _unpaid > _MOST_SECONDS:  # in the middle of a function that makes many searches
        _unpaid = 0.0
        raise ClassAdEvaluationError("searches take too long")
    start = thread_time()
    try:
        yield
    finally:
        _unpaid += thread_time() - start


def _paid(function: Function) -> Function:
    """``function``, charged for the time that its searches took, so that many slow ones end too."""

    def call(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
        global _unpaid
        result = function(st, fns, args)
        if _unpaid > 0.01:
            steps, _unpaid = int(_unpaid * _STEPS_A_SECOND), 0.0
            spend(steps * _DEARER)
            charge(st, steps)
        return result

    return call


class Pattern:
    """A compiled pattern that searches in strings. StepLimit where that would take too long, as PCRE limits it."""

    __slots__ = ("_matcher", "_needed", "_risk", "_short", "_tree", "compiled")

    def __init__(self, pattern: bytes, flags: int) -> None:
        self.compiled = re.compile(pattern, flags)
        self._tree = backtrack.tree(pattern, flags)
        self._risk = backtrack.risk(self._tree)
        self._short = 0 if backtrack.has_many_choices(self._tree) else _SHORT
        self._needed = backtrack.needed(self._tree, self.compiled.flags) if self._risk > 1 else frozenset()
        self._matcher: backtrack.Matcher | None = None

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in ``text``."""
        return self.find(_bytes(text)) is not None

    def find(self, text: bytes, start: int = 0) -> Match | None:
        """The first match from ``start`` on."""
        if self._risk < 2:
            return self._engine(len(text)).search(text, start)
        if not self._needed <= set(text):
            return None
        with _timed():
            return self._engine(len(text)).search(text, start)

    def match(self, text: bytes, start: int) -> Match | None:
        """A match that begins at ``start``."""
        if self._risk < 2:
            return self._engine(len(text)).match(text, start)
        with _timed():
            return self._engine(len(text)).match(text, start)

    def _engine(self, length: int) -> re.Pattern[bytes] | backtrack.Matcher:
        if self._risk < 2 and length < 10_000:
            return self.compiled
        if length <= self._short or (length + 1) ** (self._risk + 1) <= _AFFORDABLE:
            return self.compiled
        if self._matcher is None:
            self._matcher = backtrack.Matcher(self._tree)
        return self._matcher


def compile_pattern(pattern: str, options: str = "") -> Pattern | None:
    """``pattern`` with the options (unknown ones are ignored); None where it is no pattern, or a longer one than PCRE
    takes."""
    if len(pattern) > _LONGEST:
        return None
    key = (pattern, options)
    if key not in _compiled:
        flags = re.RegexFlag(0)
        for letter, flag in _FLAGS.items():
            if letter in options:
                flags |= flag
        if len(_compiled) > 500:
            _compiled.clear()
        try:
            _compiled[key] = Pattern(translate(_bytes(pattern), re.VERBOSE in flags), flags)
        except (re.error, RecursionError, OverflowError):
            _compiled[key] = None
    return _compiled[key]


def found_groups(pattern: Pattern, text: str) -> list[str]:
    """Return the first match in ``text`` and its groups, up to the ninth. The list is empty without a match, for an
    empty match, and where the search is given up."""
    try:
        match = pattern.find(_bytes(text))
    except StepLimit:
        return []
    if match is None or match.start() == match.end():
        return []
    groups: list[str] = []
    for number in range(10):
        try:
            groups.append(_text(match.group(number) or b""))
        except IndexError:
            break
    return groups


def _bad(*values: Any) -> Any:
    """Error or undefined where one of the arguments is, or error where one is no string; else None."""
    if any(value is ERROR for value in values):
        return ERROR
    if any(value is UNDEFINED for value in values):
        return UNDEFINED
    return None if all(type(value) is str for value in values) else ERROR


def regexp(pattern: Any, target: Any, options: Any = "") -> Any:
    """regexp(pattern, text[, options]): whether the pattern is found in the text."""
    bad = _bad(pattern, target, options)
    if bad is not None:
        return bad
    compiled = compile_pattern(pattern, options)
    if compiled is None:
        return ERROR
    try:
        return compiled.search(target)
    except StepLimit:
        return ERROR


def _matches(pattern: Pattern, text: str) -> bool:
    """Whether a text of a list matches; one on which the search is given up does not, as in HTCondor."""
    try:
        return pattern.search(text)
    except StepLimit:
        return False


def regexp_member(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """regexpMember(pattern, list[, options]): whether one of the strings of the list matches."""
    if len(fns) not in (2, 3):
        return ERROR
    values = [fn(st) for fn in fns]
    where = values.pop(1)
    if where is ERROR or where is UNDEFINED:
        values.append(where)
    bad = _bad(*values)
    if bad is not None:
        return bad
    if type(where) is not ListValue:
        return ERROR
    compiled = compile_pattern(values[0], values[1] if len(values) > 1 else "")
    result: Any = False
    for value in elements(st, where):
        if value is UNDEFINED:
            result = UNDEFINED
        elif type(value) is not str:
            return ERROR
        elif compiled is not None and _matches(compiled, value):
            return True
    return result


def _substitution(letters: str) -> Function:
    """regexps, replace and replaceAll: ``f`` keeps the text around, ``g`` replaces every match."""

    def call(pattern: Any, target: Any, replacement: Any, options: Any = "") -> Any:
        bad = _bad(pattern, target, replacement, options)
        if bad is not None:
            return bad
        compiled = compile_pattern(pattern, options)
        if compiled is None:
            return ERROR
        wanted = options + letters
        try:
            return _substitute(compiled, _bytes(target), _bytes(replacement), "f" in wanted, "g" in wanted)
        except StepLimit:
            return ERROR

    return on_values(call, 3, 4)


def _substitute(pattern: Pattern, target: bytes, replacement: bytes, full: bool, every: bool) -> Any:
    """After an empty match the search continues behind it, copying a byte; at the end of the text that is error."""
    out: list[bytes] = []
    length = at = 0
    empty = False
    while True:
        match = _anchored_not_empty(pattern, target, at) if empty else pattern.find(target, at)
        if match is None and empty:
            if at >= len(target):
                return ERROR
            out.append(target[at : at + 1])
            at += 1
            empty = False
            continue
        if match is None:
            break
        if full:
            out.append(target[at : match.start()])
        expanded = _expand(match, replacement)
        if expanded is None:
            return ERROR
        out.append(expanded)
        length += len(expanded)
        limit_length(length)
        at = match.end()
        empty = match.start() == match.end()
        if not every:
            break
    if full:
        out.append(target[at:])
    return _text(b"".join(out))


def _anchored_not_empty(pattern: Pattern, target: bytes, at: int) -> Match | None:
    match = pattern.match(target, at)
    return match if match is not None and match.end() > at else None


def _expand(match: Match, replacement: bytes) -> bytes | None:
    """``\\0`` … ``\\9`` represent groups; None for a group that is not there."""
    groups = 1 + (match.lastindex or 0) if match.re.groups else 1
    highest = max((i for i in range(1, match.re.groups + 1) if match.start(i) >= 0), default=0)
    groups = max(groups, highest + 1) if match.re.groups else 1
    out = bytearray()
    at = 0
    while at < len(replacement):
        byte = replacement[at]
        at += 1
        if byte != 0x5C:
            out.append(byte)
        elif at < len(replacement) and 48 <= replacement[at] <= 57:
            number = replacement[at] - 48
            at += 1
            if number >= groups:
                return None
            out += match.group(number) or b""
        else:
            out.append(byte)
    return bytes(out)


def stringlist_regexp_member(pattern: Any, text: Any, delimiters: Any = ", ", options: Any = "") -> Any:
    """stringList_regexpMember(pattern, list[, delimiters[, options]]); undefined for an empty list."""
    if any(type(value) is not str for value in (pattern, text, delimiters, options)):
        return ERROR
    compiled = compile_pattern(pattern, options.lower())
    if compiled is None:
        return ERROR
    entries = tokens(text, delimiters)
    return any(_matches(compiled, entry) for entry in entries) if entries else UNDEFINED


FUNCTIONS: dict[str, Function] = {
    name: _paid(function)
    for name, function in {
        "regexp": on_values(regexp, 2, 3),
        "regexpmember": regexp_member,
        "regexps": _substitution(""),
        "replace": _substitution("f"),
        "replaceall": _substitution("fg"),
        "stringlist_regexpmember": on_values(stringlist_regexp_member, 2, 4),
    }.items()
}
