"""ClassAd text of job attributes: quoting, the canonical form of expressions, the references they hold."""

from __future__ import annotations

from functools import cache, lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from condor_py.lang.classad.nodes import Node

#: Digits of an integer that is surely written as it is.
_LONGEST = 18
_BOOLEANS = {"true": "true", "false": "false"}


@cache
def _quote() -> re.Pattern[str]:
    import re

    return re.compile(r'(?<!\\)"')


def quote(value: str) -> str:
    """A string literal of the old syntax, in which a backslash is literal."""
    return f'"{value}"' if '"' not in value else '"' + value.replace('"', '\\"') + '"'


def unquote(text: str) -> str | None:
    """The value when ``text`` is one string literal, else None."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return None
    inner = text[1:-1]
    if '"' not in inner:
        return inner
    return None if _quote().search(inner) else inner.replace('\\"', '"')


def _is_plain(text: str) -> bool:
    """True for an integer that HTCondor writes back as it is."""
    return text.isdecimal() and text.isascii() and (text[0] != "0" or text == "0") and len(text) <= _LONGEST


def canonical(text: str) -> str | None:
    """The expression as HTCondor writes it back, None when it does not parse."""
    if _is_plain(text):
        return text
    return _BOOLEANS.get(text.lower()) or _canonical(text)


@lru_cache(maxsize=4096)
def _canonical(text: str) -> str | None:
    node = _parse(text)
    if node is None:
        return None
    from condor_py.lang.classad.unparse import unparse

    return unparse(node)


@lru_cache(maxsize=512)
def _parse(text: str) -> Node | None:
    from condor_py.lang.classad.errors import ClassAdParseError
    from condor_py.lang.classad.parser import parse_node

    try:
        return parse_node(text)
    except ClassAdParseError:
        return None


def literal(text: str) -> object | None:
    """The Python value of a text that is one number, boolean or string literal; None for anything else."""
    if _is_plain(text):
        return int(text)
    if not text:
        return None
    from condor_py.lang.classad.nodes import Literal

    node = _parse(text)
    value: object = node.value if isinstance(node, Literal) else None
    return value if type(value) in (bool, int, float, str) else None  # undefined and error are an int as well


@lru_cache(maxsize=1024)
def evaluate(text: str) -> object | None:
    """Return the value of an expression in an empty ad: a Python number, boolean or string, else None."""
    from condor_py.lang.classad.ad import ClassAd
    from condor_py.lang.classad.errors import ClassAdError

    try:
        value = ClassAd().eval_text(text)
    except ClassAdError:
        return None
    return value if type(value) in (bool, int, float, str) else None


@lru_cache(maxsize=512)
def _all_references(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Lower-case names (without scope or after TARGET., after MY.) or None when the text does not parse."""
    node = _parse(text)
    if node is None:
        return None
    outer: set[str] = set()
    own: set[str] = set()
    _collect(node, outer, own)
    return frozenset(outer), frozenset(own)


def _collect(node: Node, outer: set[str], own: set[str]) -> None:
    from condor_py.lang.classad.nodes import Attr, children

    if isinstance(node, Attr):
        scope = node.scope
        if scope is None or (isinstance(scope, Attr) and scope.scope is None and scope.key in ("target", "other")):
            outer.add(node.key)
        elif isinstance(scope, Attr) and scope.scope is None and scope.key == "my":
            own.add(node.key)
        else:
            _collect(scope, outer, own)
        return
    for child in children(node):
        _collect(child, outer, own)


def references(text: str) -> frozenset[str]:
    """All attributes that an expression names, in lower case; none when it does not parse."""
    found = _all_references(text)
    return frozenset() if found is None else found[0] | found[1]


def split_references(text: str, job_attributes: frozenset[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    """(attributes of the job, attributes of the machine) in lower case; None when the text does not parse.

    A name without scope belongs to the job when it is one of ``job_attributes``.
    """
    found = _all_references(text)
    if found is None:
        return None
    outer, own = found
    return own | (outer & job_attributes), outer - job_attributes


def wrap_for_or(text: str) -> str | None:
    """``text`` in parentheses if it cannot be next to ``||`` bare; None when it does not parse."""
    return _wrap(text, ("?:",))


def wrap_for_and(text: str) -> str | None:
    """``text`` in parentheses if it cannot be next to ``&&`` bare; None when it does not parse."""
    return _wrap(text, ("?:", "||"))


def _wrap(text: str, weaker: tuple[str, ...]) -> str | None:
    from condor_py.lang.classad.nodes import Binary, Ternary

    node = _parse(text)
    if node is None:
        return None
    bare = not isinstance(node, Ternary) and not (isinstance(node, Binary) and node.op in weaker)
    return text if bare else f"({text})"
