"""A backtracking matcher that counts its steps, for patterns on which ``re`` might not come back.

``re`` has no limit: ``(a+)+$`` on thirty letters takes minutes. PCRE gives up after a number of steps, and so does
this matcher; ``risk`` tells which patterns need it. It walks the tree that ``re`` itself parses, so both agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

#: Steps before a search is given up, a fraction of a second.
MAX_STEPS = 500_000

#: Runs the rest of the pattern at a position.
Next = Callable[[int], bool]
#: Runs a part of the pattern at a position, then the rest.
Part = Callable[[int, Next], bool]

_ENDLESS = 99
#: Repetitions up to which a repeat counts as a constant number of ways, and the most of these that ``re`` may try.
_FEW = 8
_MOST_CHOICES = 16.0
_SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_GROUPS: dict[Any, int] = {op.SUBPATTERN: 3, op.ATOMIC_GROUP: -1, op.ASSERT: 1, op.ASSERT_NOT: 1}


class StepLimit(Exception):
    """The search takes too many steps."""


def tree(pattern: bytes, flags: int) -> Any:
    """Return the tree of a pattern. re.error when it is not valid."""
    return _parser.parse(pattern, flags)


def risk(items: Any) -> int:
    """The power of the length of the text that bounds the steps of a match; _ENDLESS where no power does."""
    total = _ENDLESS if has_many_choices(items) else 0
    for kind, value in items:
        if kind in _REPEATS:
            low, high, body = value
            if high == low and risk(body) == 0:
                continue
            if _varies(body):
                return _ENDLESS
            total += 1 if high > _FEW else 0
        elif kind is op.BRANCH:
            total += max(risk(branch) for branch in value[1])
        elif kind in _GROUPS:
            total += risk(_inside(kind, value))
        elif kind is op.GROUPREF_EXISTS:
            total += max(risk(value[1]), risk(value[2] or ()))
    return total


def has_many_choices(items: Any) -> bool:
    """Whether a match may take long even in a short text."""
    return choices(items) > _MOST_CHOICES


def choices(items: Any) -> float:
    """The logarithm to the base of 2 of the ways to match that do not depend on the length of the text.

    One ``a?`` is only two ways; fifty of them in a row are too many.
    """
    total = 0.0
    for kind, value in items:
        if kind in _REPEATS:
            low, high, body = value
            times = high if high == low or high <= _FEW else 1
            total += choices(body) * times + (log2(high - low + 1) if high <= _FEW else 0.0)
        elif kind is op.BRANCH:
            total += log2(len(value[1])) + max(choices(branch) for branch in value[1])
        elif kind in _GROUPS:
            total += choices(_inside(kind, value))
        elif kind is op.GROUPREF_EXISTS:
            total += max(choices(value[1]), choices(value[2] or ()))
    return total


def needed(items: Any, flags: int) -> frozenset[int]:
    """Bytes without which a text cannot match."""
    found: set[int] = set()
    if flags & re.IGNORECASE:
        return frozenset()
    for kind, value in items:
        if kind is op.LITERAL:
            found.add(value)
        elif kind is op.SUBPATTERN and not value[1]:
            found |= needed(value[3], flags)
    return frozenset(found)


def _inside(kind: Any, value: Any) -> Any:
    """The tree inside a group."""
    place = _GROUPS[kind]
    return value if place < 0 else value[place]


def _varies(items: Any) -> bool:
    """Whether a pattern may match one text in several ways."""
    for kind, value in items:
        if kind in _SINGLE or kind is op.AT:
            continue
        if kind in _GROUPS and not _varies(_inside(kind, value)):
            continue
        return True
    return False


class Found:
    """A match, with the part of the interface of ``re.Match`` that the functions use."""

    __slots__ = ("_marks", "_text", "lastindex", "re")

    def __init__(self, text: bytes, marks: list[int], matcher: Matcher) -> None:
        self._text = text
        self._marks = marks
        self.re = matcher
        self.lastindex = max((i for i in range(1, len(marks) // 2) if marks[2 * i] >= 0), default=None)

    def start(self, group: int = 0) -> int:
        """Offset where the group, or the whole match, begins; -1 when it took no part."""
        return self._marks[2 * group]

    def end(self, group: int = 0) -> int:
        """Offset behind the group, or the whole match; -1 when it took no part."""
        return self._marks[2 * group + 1]

    def group(self, group: int = 0) -> bytes | None:
        """Return the text of the group, or of the whole match; None when it took no part. IndexError for a group that
        the pattern does not have."""
        if group > self.re.groups:
            raise IndexError("no such group")
        start, end = self._marks[2 * group : 2 * group + 2]
        return self._text[start:end] if start >= 0 else None


class Matcher:
    """A pattern; ``search`` and ``match`` raise StepLimit where they would take too long."""

    def __init__(self, parsed: Any) -> None:
        self.groups: int = parsed.state.groups - 1
        self._flags = int(parsed.state.flags)
        self._text = b""
        self._marks: list[int] = []
        self._steps = 0
        self._run = self._sequence(list(parsed), self._flags)

    def search(self, text: bytes, start: int = 0) -> Found | None:
        """The first match from ``start`` on."""
        self._begin(text)
        for at in range(start, len(text) + 1):
            found = self._at(at)
            if found is not None:
                return found
        return None

    def match(self, text: bytes, start: int = 0) -> Found | None:
        """A match that begins at ``start``."""
        self._begin(text)
        return self._at(start)

    def _begin(self, text: bytes) -> None:
        self._text = text
        self._steps = MAX_STEPS

    def _at(self, at: int) -> Found | None:
        self._marks = [-1] * (2 * self.groups + 2)
        ends: list[int] = []

        def accept(end: int) -> bool:
            ends.append(end)
            return True

        try:
            if not self._run(at, accept):
                return None
        except RecursionError:
            raise StepLimit from None
        self._marks[0:2] = [at, ends[0]]
        return Found(self._text, self._marks, self)

    def _step(self, count: int = 1) -> None:
        self._steps -= count
        if self._steps < 0:
            raise StepLimit

    def _sequence(self, items: list[Any], flags: int) -> Part:
        parts = [self._part(kind, value, flags) for kind, value in items]
        if not parts:
            return lambda at, rest: rest(at)
        run = parts.pop()
        while parts:
            run = _both(parts.pop(), run)
        return run

    def _part(self, kind: Any, value: Any, flags: int) -> Part:
        if kind in _SINGLE:
            return self._single(_table(kind, value, flags))
        if kind in _REPEATS:
            return self._repeat(kind, value, flags)
        if kind is op.AT:
            return self._anchor(value, flags)
        if kind is op.BRANCH:
            branches = [self._sequence(list(branch), flags) for branch in value[1]]
            return _either(branches)
        if kind is op.SUBPATTERN:
            group, more, fewer, body = value
            return self._group(group, self._sequence(list(body), (flags | more) & ~fewer))
        if kind is op.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(value), flags))
        if kind in (op.ASSERT, op.ASSERT_NOT):
            return self._look(value[0], value[1], self._sequence(list(value[1]), flags), kind is op.ASSERT)
        if kind is op.GROUPREF:
            return self._reference(value, bool(flags & re.IGNORECASE))
        if kind is op.GROUPREF_EXISTS:
            group, yes, no = value
            one, two = self._sequence(list(yes), flags), self._sequence(list(no or ()), flags)
            return lambda at, rest: (one if self._marks[2 * group + 1] >= 0 else two)(at, rest)
        raise re.error(f"unsupported element {kind}")

    def _single(self, table: bytes) -> Part:
        def run(at: int, rest: Next) -> bool:
            self._step()
            return at < len(self._text) and table[self._text[at]] == 1 and rest(at + 1)

        return run

    def _repeat(self, kind: Any, value: Any, flags: int) -> Part:
        low, high, body = value
        limit = None if high is op.MAXREPEAT else int(high)
        items = list(body)
        if kind is op.POSSESSIVE_REPEAT:
            return self._atomic(self._repeat(op.MAX_REPEAT, value, flags))
        if len(items) == 1 and items[0][0] in _SINGLE:
            return self._repeat_single(_table(items[0][0], items[0][1], flags), low, limit, kind)
        inner = self._sequence(items, flags)
        return self._repeat_greedy(inner, low, limit) if kind is op.MAX_REPEAT else self._repeat_lazy(inner, low, limit)

    def _repeat_single(self, table: bytes, low: int, high: int | None, kind: Any) -> Part:
        def run(at: int, rest: Next) -> bool:
            text = self._text
            end = len(text) if high is None else min(len(text), at + high)
            far = at
            while far < end and table[text[far]]:
                far += 1
            self._step(1 + far - at)
            places = range(at + low, far + 1) if kind is op.MIN_REPEAT else range(far, at + low - 1, -1)
            for place in places:  # noqa: SIM110 - any() would nest C calls
                if rest(place):
                    return True
            return False

        return run

    def _repeat_greedy(self, inner: Part, low: int, high: int | None) -> Part:
        def more(count: int, at: int, rest: Next) -> bool:
            self._step()
            if high is None or count < high:
                # An empty round ends the repetition.
                def again(end: int) -> bool:
                    return rest(end) if end == at and count + 1 >= low else more(count + 1, end, rest)

                if inner(at, again):
                    return True
            return count >= low and rest(at)

        return lambda at, rest: more(0, at, rest)

    def _repeat_lazy(self, inner: Part, low: int, high: int | None) -> Part:
        def more(count: int, at: int, rest: Next) -> bool:
            self._step()
            if count >= low and rest(at):
                return True
            if high is not None and count >= high:
                return False
            return inner(at, lambda end: (end != at or count < low) and more(count + 1, end, rest))

        return lambda at, rest: more(0, at, rest)

    def _group(self, group: int | None, inner: Part) -> Part:
        if group is None:
            return inner
        first = 2 * group

        def run(at: int, rest: Next) -> bool:
            def close(end: int) -> bool:
                before = self._marks[first : first + 2]
                self._marks[first : first + 2] = [at, end]
                if rest(end):
                    return True
                self._marks[first : first + 2] = before
                return False

            return inner(at, close)

        return run

    def _atomic(self, inner: Part) -> Part:
        def run(at: int, rest: Next) -> bool:
            ends: list[int] = []
            before = self._marks[:]

            def stop(end: int) -> bool:
                ends.append(end)
                return True

            if inner(at, stop) and rest(ends[0]):
                return True
            self._marks[:] = before
            return False

        return run

    def _look(self, direction: int, body: Any, inner: Part, wanted: bool) -> Part:
        width = body.getwidth()[0] if direction < 0 else 0

        def run(at: int, rest: Next) -> bool:
            self._step()
            before = self._marks[:]
            seen = at >= width and inner(at - width, lambda end: True)
            if seen is not wanted:
                self._marks[:] = before
                return False
            if rest(at):
                return True
            self._marks[:] = before
            return False

        return run

    def _reference(self, group: int, ignore_case: bool) -> Part:
        def run(at: int, rest: Next) -> bool:
            self._step()
            start, end = self._marks[2 * group : 2 * group + 2]
            if start < 0:
                return False
            wanted, here = self._text[start:end], self._text[at : at + end - start]
            same = wanted.lower() == here.lower() if ignore_case else wanted == here
            return same and rest(at + end - start)

        return run

    def _anchor(self, place: Any, flags: int) -> Part:
        if place is op.AT_BEGINNING and flags & re.MULTILINE:
            place = op.AT_BEGINNING_LINE
        if place is op.AT_END and flags & re.MULTILINE:
            place = op.AT_END_LINE
        test = _ANCHORS[place]
        return lambda at, rest: test(self._text, at) and rest(at)


def _both(first: Part, second: Part) -> Part:
    return lambda at, rest: first(at, lambda end: second(end, rest))


def _either(branches: list[Part]) -> Part:
    def run(at: int, rest: Next) -> bool:
        for branch in branches:  # noqa: SIM110 - any() would nest C calls
            if branch(at, rest):
                return True
        return False

    return run


def _word_at(text: bytes, at: int) -> bool:
    return 0 <= at < len(text) and text[at] in _WORD


_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_ANCHORS: dict[Any, Callable[[bytes, int], bool]] = {
    op.AT_BEGINNING: lambda text, at: at == 0,
    op.AT_BEGINNING_STRING: lambda text, at: at == 0,
    op.AT_BEGINNING_LINE: lambda text, at: at == 0 or text[at - 1] == 10,
    op.AT_END: lambda text, at: at == len(text) or (at == len(text) - 1 and text[at] == 10),
    op.AT_END_STRING: lambda text, at: at == len(text),
    op.AT_END_LINE: lambda text, at: at == len(text) or text[at] == 10,
    op.AT_BOUNDARY: lambda text, at: _word_at(text, at - 1) != _word_at(text, at),
    op.AT_NON_BOUNDARY: lambda text, at: _word_at(text, at - 1) == _word_at(text, at),
}

_CATEGORIES: dict[Any, frozenset[int]] = {
    op.CATEGORY_DIGIT: frozenset(b"0123456789"),
    op.CATEGORY_SPACE: frozenset(b" \t\n\r\f\v"),
    op.CATEGORY_WORD: _WORD,
    op.CATEGORY_NOT_DIGIT: frozenset(range(256)) - frozenset(b"0123456789"),
    op.CATEGORY_NOT_SPACE: frozenset(range(256)) - frozenset(b" \t\n\r\f\v"),
    op.CATEGORY_NOT_WORD: frozenset(range(256)) - _WORD,
}


def _table(kind: Any, value: Any, flags: int) -> bytes:
    """For each byte 1 where it matches one element."""
    if kind is op.ANY:
        return bytes(flags & re.DOTALL != 0 or byte != 10 for byte in range(256))
    wanted: set[int] = set()
    negated = kind is op.NOT_LITERAL
    for item, argument in value if kind is op.IN else [(op.LITERAL, value)]:
        if item is op.NEGATE:
            negated = True
        elif item is op.LITERAL:
            wanted.add(argument)
        elif item is op.RANGE:
            wanted.update(range(argument[0], argument[1] + 1))
        else:
            wanted |= _CATEGORIES[argument]
    if flags & re.IGNORECASE:
        wanted |= set(bytes(wanted).lower()) | set(bytes(wanted).upper())
    return bytes((byte in wanted) is not negated for byte in range(256))
