"""Attributes in memory: bindings of a name to text, shared between ads, and the record that holds them.

A queue of 10,000 jobs repeats most of its (name, text) pairs; each pair is one Binding, parsed and compiled at most
once. Text that is a plain number, string or keyword never meets the parser.
"""

from __future__ import annotations

import sys
from functools import cache

from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.kernel import native
from condor_py.lang.classad.nodes import AdNode, Literal, Node
from condor_py.lang.classad.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, RelTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


class _Computed:
    """Marks a binding whose value has to be evaluated."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "COMPUTED"


COMPUTED = _Computed()


@cache
def _integer() -> re.Pattern[str]:
    import re

    return re.compile(r"-?(?:0|[1-9][0-9]*)\Z")


#: Characters of the longest whole number of 64 bits; Python refuses to read thousands.
_LONGEST_INTEGER = 20


@cache
def _real() -> re.Pattern[str]:
    import re

    return re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+\Z")


_KEYWORDS: dict[str, Any] = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}


def constant(node: Literal) -> Any:
    """The value that a constant evaluates to: a relative time, when written as one, is a real number of seconds."""
    value = node.value
    return value.secs if type(value) is RelTime else value


class Binding:
    """One attribute: ``name`` as written, ``key`` in lower case, ``value`` of a literal or COMPUTED.

    Never changed after creation but for what is derived from it on demand, so ads may share it.
    """

    __slots__ = ("_node", "_text", "key", "name", "raw", "value")

    def __init__(self, name: str, raw: str | None, node: Node | None = None) -> None:
        self.name = name
        self.key = lower(name)
        self.raw = raw
        self._node = node
        self._text: str | None = None
        self.value: Any = COMPUTED
        if node is not None:
            if type(node) is Literal:
                self.value = constant(node)
        elif raw is not None:
            self._read_literal(raw)

    def _read_literal(self, raw: str) -> None:
        """Recognises canonical literals by their look."""
        first = raw[:1]
        if first == '"':
            inner = raw[1:-1]
            if len(raw) > 1 and raw[-1] == '"' and '"' not in inner and "\0" not in inner and inner[-1:] != "\\":
                self.value = inner
                self._text = raw
        elif first in "0123456789-" and first:
            if _integer().match(raw):
                number = int(raw) if len(raw) <= _LONGEST_INTEGER else INT_MAX + 1
                if INT_MIN <= number <= INT_MAX and raw != "-0":
                    self.value = number
                    self._text = raw
            elif _real().match(raw):
                self.value = float(raw)
        else:
            value = _KEYWORDS.get(raw, COMPUTED)
            if value is not COMPUTED:
                self.value = value
                self._text = raw

    @property
    def node(self) -> Node:
        """The tree. Text that does not parse is the value error."""
        node = self._node
        if node is None:
            if self.value is not COMPUTED:
                node = Literal(self.value)
            else:
                node = self._parse()
            self._node = node
        return node

    def _parse(self) -> Node:
        from condor_py.lang.classad.parser import parse_node

        try:
            node = parse_node(self.raw or "", full=False)
        except ClassAdParseError:
            self._text = self.raw
            node = Literal(ERROR)
        if type(node) is Literal:
            self.value = constant(node)
        return node

    def check(self) -> None:
        """Parses now. ClassAdParseError where the text does not begin with an expression."""
        if self.raw is not None and type(self.node) is Literal and self.value is ERROR:
            from condor_py.lang.classad.parser import parse_node

            parse_node(self.raw, full=False)

    @property
    def is_as_read(self) -> bool:
        """Whether it is known to print as it was read; then all of it is one expression."""
        return self._text is not None and self._text == self.raw and self.value is not ERROR

    @property
    def text(self) -> str:
        """The expression as HTCondor's tools print it (old format)."""
        text = self._text
        if text is None:
            from condor_py.lang.classad.unparse import unparse

            node = self.node
            text = self._text
            if text is None:
                try:
                    text = unparse(node)
                except ClassAdEvaluationError:  # too large: as it was read, then
                    if self.raw is None:
                        raise
                    text = self.raw
                self._text = text
        return text


_young: dict[tuple[str, str], Binding] = {}
_aged: dict[tuple[str, str], Binding] = {}
_generation = 32_768


def know(pairs: int) -> None:
    """So many pairs are a generation of those that ``bind`` shares: it knows two. A process that forks often has few,
    as each that is new is written into memory that its children share. ValueError for less than one."""
    global _generation
    if pairs < 1:
        raise ValueError("know(pairs) expects at least one")
    _generation = pairs


def forget() -> None:
    """Forget the pairs that ``bind`` shares: ads that are made from now on share others."""
    _young.clear()
    _aged.clear()


def bind(name: str, text: str) -> Binding:
    """The shared binding of ``name`` to old-format ``text``. Pairs not asked for in a long time are forgotten."""
    global _young, _aged
    pair = (name, text)
    binding = _young.get(pair)
    if binding is None:
        binding = _aged.get(pair)
        if binding is None:
            binding = Binding(name, text)
        if len(_young) >= _generation:
            _aged, _young = _young, {}
        _young[pair] = binding
    return binding


if native is not None and not TYPE_CHECKING:
    bind = native.bind
    know = native.know
    forget = native.forget


#: Names and their lower-case form.
known_keys: dict[str, str] = {}


def lower(name: str) -> str:
    """``name`` in lower case; one string object per name."""
    key = known_keys.get(name)
    if key is None:
        if len(known_keys) > 20_000:
            known_keys.clear()
        key = name.lower()
        key = known_keys.setdefault(key, key)
        known_keys[name] = key
    return key


def parse_attributes(text: str, start: int = 0) -> tuple[dict[str, Binding], int]:
    """The bindings, by key, of the ad in new format at ``start``, and the offset behind it."""
    if native is not None:
        found: tuple[dict[str, Binding], int] | None = native.parse_attrs(text, start)
        if found is not None:
            return found
    from condor_py.lang.classad.parser import parse_ad

    node, end = parse_ad(text, start=start)
    bindings = [Binding(name, None, item) for name, item in node.items]
    return {binding.key: binding for binding in bindings}, end


class Face:
    """The classes that expressions and ads are to programs. They build on what makes values, and put themselves in."""

    tree: Any
    ad: Any


class Record:
    """Attributes, looked up without case: own ones first, then those of the chained ``parent``.

    ``scope`` is the ad in whose text this one is nested; names not found here are looked up there.
    """

    __slots__ = ("attrs", "parent", "scope")

    def __init__(self) -> None:
        self.attrs: dict[str, Binding] = {}
        self.parent: Record | None = None
        self.scope: Record | None = None

    def find(self, key: str) -> Binding | None:
        """The binding of the lower-case ``key``, own or inherited through the chain."""
        binding = self.attrs.get(key)
        if binding is None and self.parent is not None:
            return self.parent.find(key)
        return binding

    def finder(self) -> Callable[[str], Binding | None]:
        """``find`` for many keys at once."""
        return self.attrs.get if self.parent is None else self.find

    def put(self, binding: Binding) -> None:
        """Adds or replaces an attribute; the spelling of its first name stays."""
        key = binding.key
        before = self.attrs.get(key)
        if before is not None and before.name != binding.name:
            binding = renamed(binding, before.name)
        self.attrs[key] = binding

    def bindings(self) -> Iterator[Binding]:
        """The own attributes in storage order."""
        attrs = self.attrs
        for key in in_storage(attrs):
            yield attrs[key]

    def merged(self) -> dict[str, Binding]:
        """Own and inherited attributes."""
        if self.parent is None:
            return dict(self.attrs)
        every = self.parent.merged()
        for key, binding in self.attrs.items():
            inherited = every.get(key)
            if inherited is not None and inherited.name != binding.name:
                binding = renamed(binding, inherited.name)
            every[key] = binding
        return every


def renamed(binding: Binding, name: str) -> Binding:
    """The same value under another spelling of its name."""
    if binding.raw is not None:
        return bind(name, binding.raw)
    return Binding(name, None, binding.node)


class _Places(dict[str, str]):
    """Lower-case names, and before each of them one character that says how many bytes it has: the same names come
    again and again, and texts are compared faster than pairs."""

    def __missing__(self, key: str) -> str:
        if len(self) > 20_000:
            self.clear()
        size = len(key) if key.isascii() else len(key.encode("utf-8", "surrogateescape"))
        place = self[key] = chr(min(size, sys.maxunicode)) + key
        return place


_places = _Places()


def in_storage(keys: Iterable[str]) -> list[str]:
    """Lower-case names in HTCondor's storage order: by length in bytes, then by name."""
    return sorted(keys, key=_places.__getitem__)


def record_of(node: AdNode, scope: Record | None) -> Record:
    """The nested ad that ``node`` describes, inside ``scope``."""
    record = Record()
    record.attrs = {lower(name): Binding(name, None, item) for name, item in node.items}
    record.scope = scope
    return record
