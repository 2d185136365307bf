"""The subject of a check, and its findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as Choice

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.nodes import Attr, Binary, Call, Literal, Node, Paren, Ternary, Unary, children
from condor_py.lang.classad.spans import Part
from condor_py.lang.classad.values import Value

Kind = Choice[
    "syntax", "precedence", "chained", "bitwise", "undefined-comparison", "identity", "types", "quoted-name",
    "constant", "duplicate", "contradiction", "undefined", "unknown-attribute", "unknown-function", "wrong-scope",
    "bad-pattern",
]  # fmt: skip
#: What undefined means where the expression is used: no match, or no decision (hold, remove, preempt, …).
Purpose = Choice["match", "policy"]
#: Whose expression it is; empty when that is not known.
Owner = Choice["job", "slot", ""]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is probably not meant: its kind, where (start and end offsets), what happens, what to write."""

    kind: Kind
    span: tuple[int, int]
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Subject:
    """An expression with its positions, and what is known of its place.

    ``ad`` is an example of the ad that owns the expression, ``target`` of the one it is matched with.
    """

    text: str
    root: Part
    purpose: Purpose = "match"
    owner: Owner = ""
    ad: ClassAd | None = None
    target: ClassAd | None = None

    def shown(self, part: Part) -> str:
        """The text of a part on one line, shortened."""
        text = " ".join(self.text[part.start : part.end].split())
        return text if len(text) <= 60 else text[:57] + "..."

    def finding(self, kind: Kind, part: Part, message: str, hint: str) -> Finding:
        """Return a finding about ``part``, with its place in the text."""
        return Finding(kind, (part.start, part.end), message, hint)


def bare(part: Part) -> Part:
    """The part inside any parentheses."""
    while isinstance(part.node, Paren):
        part = part.parts[0]
    return part


def chain(part: Part, op: str) -> list[Part]:
    """The operands of a chain of ``op`` (``&&`` or ``||``) in order, through parentheses; the part itself if none."""
    operands: list[Part] = []
    work = [part]
    while work:
        inner = bare(work.pop())
        if isinstance(inner.node, Binary) and inner.node.op == op:
            work += [inner.parts[1], inner.parts[0]]
        else:
            operands.append(inner)
    return operands


def chains(root: Part, op: str) -> Iterator[list[Part]]:
    """Every chain of ``op`` with at least two operands, each once and as long as it is."""
    inside: set[int] = set()
    for part in root.walk():
        if not (isinstance(part.node, Binary) and part.node.op == op) or id(part) in inside:
            continue
        work = [part]
        while work:
            inner = bare(work.pop())
            if isinstance(inner.node, Binary) and inner.node.op == op:
                inside.add(id(inner))
                work += inner.parts
        yield chain(part, op)


def conditions(root: Part) -> Iterator[tuple[Part, str]]:
    """The parts that are used as conditions, and the operator that uses them (empty for the whole)."""
    work = [(root, "")]
    while work:
        part, user = work.pop()
        inner = bare(part)
        node = inner.node
        if isinstance(node, Binary) and node.op in ("&&", "||"):
            work += [(inner.parts[1], node.op), (inner.parts[0], node.op)]
        elif isinstance(node, Unary) and node.op == "!":
            work.append((inner.parts[0], "!"))
        elif isinstance(node, Ternary):
            work += [(inner.parts[2], user), (inner.parts[1], user), (inner.parts[0], "?")]
        else:
            yield inner, user


#: Functions whose value is not the same every time.
_CHANGING = frozenset(
    ("random", "time", "currenttime", "daytime", "abstime", "timezoneoffset", "formattime", "splittime", "eval")
)


def is_constant(node: Node) -> bool:
    """Whether the value of ``node`` is the same in every ad and at every time."""
    work = [node]
    while work:
        current = work.pop()
        if isinstance(current, Attr) or (isinstance(current, Call) and current.name.lower() in _CHANGING):
            return False
        work.extend(children(current))
    return True


def is_plain(node: Node) -> bool:
    """Whether ``node`` is written as a constant that is neither undefined nor error."""
    return isinstance(node, Literal) and type(node.value) is not Value
