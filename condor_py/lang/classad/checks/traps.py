"""Expressions that mean something else than they look like: precedence, comparisons, constants, repetitions."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.classad.checks.subject import (
    Finding,
    Kind,
    Subject,
    bare,
    chains,
    conditions,
    is_constant,
    is_plain,
)
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Ternary, Unary, same
from condor_py.lang.classad.spans import Part
from condor_py.lang.classad.unparse import value_text
from condor_py.lang.classad.values import ERROR, UNDEFINED, Value, as_bool
from condor_py.model.states import UNIVERSE_NAMES, Universe

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_IDENTITY = frozenset(("=?=", "=!="))
_BITWISE = frozenset("&|^")
_SUMS = frozenset("+-*/%")


def check_precedence(subject: Subject) -> Iterator[Finding]:
    """Operators that bind otherwise than most people read them."""
    for part in subject.root.walk():
        node = part.node
        if isinstance(node, Ternary):
            yield from _choice(subject, part)
        if not isinstance(node, Binary) or node.op == "[]":
            continue
        left, right = part.parts
        if node.op == "||":
            yield from _and_in_or(subject, part)
        elif node.op in COMPARISONS | _IDENTITY:
            yield from _comparison(subject, node, part)
        elif node.op in _BITWISE:
            yield from _bitwise(subject, node, part)
        elif node.op in _SUMS and isinstance(left.node, Binary) and left.node.op == "?:":
            first, second = (subject.shown(inner) for inner in left.parts)
            better = f"{first} ?: ({second} {node.op} {subject.shown(right)})"
            yield subject.finding(
                "precedence", part, f"?: binds before {node.op}: this is ({subject.shown(left)}) {node.op} …",
                f"write the parentheses, or {better} if that is meant",
            )  # fmt: skip


def _choice(subject: Subject, part: Part) -> Iterator[Finding]:
    """``a ? b : c && d``, where all that follows the colon is one branch."""
    test, yes, no = part.parts
    node = no.node
    if not isinstance(node, Binary) or node.op == "?:":
        return
    sums = node.op in _SUMS and isinstance(yes.node, Literal) and isinstance(node.left, Literal)
    if node.op in ("&&", "||") or sums:
        chosen = f"{subject.shown(test)} ? {subject.shown(yes)}"
        left = subject.shown(no.parts[0])
        yield subject.finding(
            "precedence", part, f"{node.op} binds before ? :, this is {chosen} : ({subject.shown(no)})",
            f"write ({chosen} : {left}) {node.op} … or the parentheses that are meant",
        )  # fmt: skip


def _and_in_or(subject: Subject, part: Part) -> Iterator[Finding]:
    for side in part.parts:
        if isinstance(side.node, Binary) and side.node.op == "&&":
            shown = subject.shown(side)
            yield subject.finding("precedence", side, f"&& binds before ||: this is ({shown}) || …", f"write ({shown})")


def _comparison(subject: Subject, node: Binary, part: Part) -> Iterator[Finding]:
    left, right = part.parts
    shown = f"{subject.shown(left)} {node.op} {subject.shown(right)}"
    if isinstance(left.node, Unary) and left.node.op == "!":
        inner = subject.shown(left.parts[0])
        yield subject.finding(
            "precedence", part, f"! binds before {node.op}: this is ({subject.shown(left)}) {node.op} …",
            f"write !({inner} {node.op} {subject.shown(right)})",
        )  # fmt: skip
    if isinstance(left.node, Binary) and left.node.op in COMPARISONS and node.op in COMPARISONS:
        middle = subject.shown(left.parts[1])
        yield subject.finding(
            "chained", part, f"{shown} compares the result of {subject.shown(left)}, true or false, with the rest",
            f"write {subject.shown(left)} && {middle} {node.op} {subject.shown(right)}",
        )  # fmt: skip


def _bitwise(subject: Subject, node: Binary, part: Part) -> Iterator[Finding]:
    for side in part.parts:
        if isinstance(side.node, Binary) and side.node.op in COMPARISONS | _IDENTITY:
            double = {"&": "&&", "|": "||"}.get(node.op)
            yield subject.finding(
                "bitwise", part, f"{node.op} works on integers; {subject.shown(side)} is true or false: error",
                f"write {double} to join conditions" if double else f"write parentheses around what {node.op} joins",
            )  # fmt: skip
            return


def check_comparisons(subject: Subject) -> Iterator[Finding]:
    """Comparisons that cannot come out as they look: with undefined, of lists, of different types; sums of strings."""
    for part in subject.root.walk():
        node = part.node
        if isinstance(node, Binary) and node.op in _SUMS:
            yield from _string_in_sum(subject, node, part)
        elif isinstance(node, Binary) and node.op in COMPARISONS | _IDENTITY:
            for one, other in (part.parts, part.parts[::-1]):
                finding = _one_sided(subject, part, node, bare(one), bare(other))
                if finding is not None:
                    yield finding
                    break


def _string_in_sum(subject: Subject, node: Binary, part: Part) -> Iterator[Finding]:
    """A string in arithmetic, as in ``Owner == "bob" * 10``."""
    for side in map(bare, part.parts):
        if isinstance(side.node, Literal) and isinstance(side.node.value, str):
            yield subject.finding(
                "types", part, f"{subject.shown(part)}: {node.op} does not work on strings: error",
                f"{node.op} binds before == and <: write parentheses around the comparison, or a number",
            )  # fmt: skip
            return


def _one_sided(subject: Subject, part: Part, node: Binary, one: Part, other: Part) -> Finding | None:
    """Return the mistake in comparing anything (``other``) to ``one``; None without one."""
    value = one.node.value if isinstance(one.node, Literal) else None
    strict = node.op in COMPARISONS
    kind: Kind
    if strict and type(value) is Value:
        word = "undefined" if value is UNDEFINED else "error"
        identity = "=!=" if node.op == "!=" else "=?="
        kind, message = "undefined-comparison", f"comparing with {word} by {node.op} is always {word}"
        hint = f"write {subject.shown(other)} {identity} {word}"
    elif isinstance(one.node, (ListNode, AdNode)):
        kind, message = ("types" if strict else "identity"), f"lists and ads do not compare by {node.op}: error"
        hint = "write member() or identicalMember(), or compare elements"
    elif not strict and type(value) is float and value == int(value) and isinstance(other.node, Attr):
        kind, message = "identity", f"{node.op} tells {value_text(value)} from the integer {int(value)}"
        hint = f"write {'==' if node.op == '=?=' else '!='}, or {int(value)}"
    else:
        return _types(subject, part, node, one, other)
    return subject.finding(kind, part, message, hint)


def _types(subject: Subject, part: Part, node: Binary, one: Part, other: Part) -> Finding | None:
    first, second = _type(subject, one.node), _type(subject, other.node)
    if not first or not second or first == second or "string" not in (first, second):
        return None
    if not isinstance(other.node, Attr):
        return None
    always = "error" if node.op in COMPARISONS else ("false" if node.op == "=?=" else "true")
    message = f"{subject.shown(other)} is a {second}, {subject.shown(one)} a {first}: always {always}"
    hint = _number_of(other.node.key, one.node) or f"compare with a {second}"
    return subject.finding("types", part, message, hint)


def _type(subject: Subject, node: Node) -> str:
    """``number``, ``string``, ``boolean``, or empty where that is not known."""
    from condor_py.model import attributes

    names = {bool: "boolean", int: "number", float: "number", str: "string"}
    if isinstance(node, Literal):
        return names.get(type(node.value), "")
    if not isinstance(node, Attr):
        return ""
    for ad in (subject.ad, subject.target):
        binding = ad.find(node.key) if ad is not None else None
        if binding is not None:
            return names.get(type(binding.value), "")
    for kind, known in (
        ("number", attributes.NUMBERS), ("string", attributes.STRINGS), ("boolean", attributes.BOOLEANS),
    ):  # fmt: skip
        if node.key in {name.lower() for name in known}:
            return kind
    return ""


_STATUS = {"idle": 1, "running": 2, "removed": 3, "completed": 4, "held": 5}
_UNIVERSE = {UNIVERSE_NAMES[number].lower(): int(number) for number in Universe}


def _number_of(key: str, node: Node) -> str:
    """A hint for statuses and universes written as words."""
    table = {"jobstatus": _STATUS, "jobuniverse": _UNIVERSE}.get(key, {})
    word = node.value if isinstance(node, Literal) else None
    number = table.get(word.lower()) if isinstance(word, str) else None
    return "" if number is None else f"{word} is {number}"


def check_constants(subject: Subject) -> Iterator[Finding]:
    """Conditions that are the same in every ad, and conditions said twice."""
    for part, user in conditions(subject.root):
        if not is_constant(part.node) or (is_plain(part.node) and not user):
            continue
        try:
            value = ExprTree.of(part.node).raw()
        except ClassAdEvaluationError:
            value = ERROR
        truth = as_bool(value)
        if is_plain(part.node) and truth is not None and (user not in ("&&", "||") or truth is (user == "&&")):
            continue
        always = value_text(value) if truth is None else "true" if truth else "false"
        shown = f"everything joined by this {user}" if is_plain(part.node) else subject.shown(part)
        yield subject.finding(
            "constant", part, f"{shown} is always {always}",
            "leave it out, or name the attribute that it should depend on",
        )  # fmt: skip
    for op in ("&&", "||"):
        for operands in chains(subject.root, op):
            for index, part in enumerate(operands):
                if any(same(part.node, before.node) for before in operands[:index]):
                    yield subject.finding("duplicate", part, f"{subject.shown(part)} is said twice", "leave one out")


def check_quotes_and_patterns(subject: Subject) -> Iterator[Finding]:
    """Single quotes, which name attributes, and regular expressions that do not compile."""
    for part in subject.root.walk():
        node = part.node
        if isinstance(node, Attr) and node.scope is None and subject.text[part.start] == "'":
            yield subject.finding(
                "quoted-name", part, f"{subject.shown(part)} in single quotes is the name of an attribute, no string",
                f'write "{node.name}"',
            )  # fmt: skip
        elif isinstance(node, Call) and node.name.lower() in _PATTERN_FIRST and node.args:
            pattern = node.args[0]
            if isinstance(pattern, Literal) and isinstance(pattern.value, str) and _is_bad_pattern(pattern):
                yield subject.finding(
                    "bad-pattern", part.parts[0], f"{subject.shown(part.parts[0])} is no regular expression: error",
                    "check brackets and backslashes; for a * as in file names write .*",
                )  # fmt: skip


_PATTERN_FIRST = frozenset(("regexp", "regexps", "regexpmember", "replace", "replaceall", "stringlist_regexpmember"))


def _is_bad_pattern(pattern: Literal) -> bool:
    return ExprTree.of(Call("regexp", [pattern, Literal("")])).raw() is ERROR
