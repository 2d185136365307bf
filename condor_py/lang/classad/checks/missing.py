"""The results of an expression when an attribute is missing.

Expressions are evaluated on sets of possible results: an attribute that is missing is undefined, any other one is some
value of a type that fits. The sets hold every result that is possible then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Literal as Choice
from typing import NamedTuple

from condor_py.lang.classad.checks.subject import Finding, Subject, conditions
from condor_py.lang.classad.named import named
from condor_py.lang.classad.nodes import AdNode, Attr, Binary, Call, ListNode, Literal, Node, Paren, Ternary, Unary
from condor_py.lang.classad.spans import Part
from condor_py.lang.classad.values import ERROR, UNDEFINED

#: ``value`` is any value that is no boolean, or not known to be one.
Result = Choice["true", "false", "undefined", "error", "value"]
Results = frozenset[Result]


class Missing(NamedTuple):
    """The attribute that is missing: scope as written (``MY``, ``TARGET`` or empty) and name in lower case.

    ``taken`` gives some nodes (by id) the result that is assumed for them.
    """

    scope: str
    key: str
    taken: Mapping[int, Results] = MappingProxyType({})


#: Nothing is missing.
_NONE = Missing("", "")
_UNDEFINED: Results = frozenset(("undefined",))
_TRUE: Results = frozenset(("true",))
_FALSE: Results = frozenset(("false",))
_BOOLEAN: Results = frozenset(("true", "false"))
_VALUE: Results = frozenset(("value",))
_NOTHING: Results = frozenset(("undefined", "error"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Functions that are undefined (or error) when any argument is undefined, and those that are error then.
_PASS_UNDEFINED = _words(
    "bool int real string size sum avg min max strcat substr strcmp stricmp toupper tolower regexp regexps replace"
    " replaceall member versioncmp versioneq versionge versiongt versionle versionlt"
    " stringlistsintersect envv1tov2 usermap splittime"
)
_FAIL_UNDEFINED = _words(
    "floor ceil ceiling round pow quantize split splitusername splitslotname stringlistsize stringlistsum"
    " stringlistavg stringlistmin stringlistmax getyear getmonth getdayofmonth getdayofweek getdayofyear getdays"
    " gethours getminutes getseconds interval argstolist listtoargs"
)
_TYPE_TESTS = _words("iserror isstring isinteger isreal islist isclassad isboolean isabstime isreltime")


def check_missing(subject: Subject) -> Iterator[Finding]:
    """Conditions that are undefined, and mostly unnoticed so, where an attribute is missing."""
    for scope, name in dict.fromkeys(named(subject.root.node)):
        missing = Missing(scope, name.lower())
        if _always_there(subject, scope, name) or not results(subject.root.node, missing) & _NOTHING:
            continue
        shown = f"{scope}.{name}" if scope else name
        undefined = [
            (part, user) for part, user in conditions(subject.root)
            if results(part.node, missing) <= _NOTHING and not results(part.node, _NONE) <= _NOTHING
        ]  # fmt: skip
        if subject.purpose == "match":
            yield from _unmatched(subject, missing, shown, undefined)
        else:
            yield from _undecided(subject, missing, shown, undefined)


def _unmatched(subject: Subject, missing: Missing, name: str, undefined: list[tuple[Part, str]]) -> Iterator[Finding]:
    """Negations (``Foo != 3``) that look true where Foo is missing, and whose being undefined prevents a match."""
    negative = [(part, user) for part, user in undefined if user == "!" or _is_unequal(part.node)]
    taken = {id(part.node): _FALSE if user == "!" else _TRUE for part, user in negative}
    if "true" not in _as_condition(results(subject.root.node, missing._replace(taken=taken))):
        return
    for part, user in negative:
        shown = f"!{subject.shown(part)}" if user == "!" else subject.shown(part)
        message = f"{shown} is undefined, not true, where {name} is missing"
        yield subject.finding("undefined", part, message, _guard(subject, part, user, name))


def _undecided(subject: Subject, missing: Missing, name: str, undefined: list[tuple[Part, str]]) -> Iterator[Finding]:
    """Conditions by which a whole policy is, or can be, undefined."""
    so = "so is" if results(subject.root.node, missing) <= _NOTHING else "and so may be"
    for part, user in undefined:
        message = f"{subject.shown(part)} is undefined where {name} is missing, {so} the whole expression"
        yield subject.finding("undefined", part, message, _guard(subject, part, user, name))


def _is_unequal(node: Node) -> bool:
    return isinstance(node, Binary) and node.op == "!="


def _guard(subject: Subject, part: Part, user: str, name: str) -> str:
    node = part.node
    if _is_unequal(node):
        left, right = (subject.shown(inner) for inner in part.parts)
        return f"write {left} =!= {right} if that should be true then"
    if isinstance(node, Attr):
        return f"write {subject.shown(part)} =!= true" if user == "!" else f"write {subject.shown(part)} =?= true"
    return f"write {name} =!= undefined && {subject.shown(part)}, or ({name} ?: default) for {name}"


def _always_there(subject: Subject, scope: str, name: str) -> bool:
    """Whether the example ads have the name, or every ad of the kind has."""
    from condor_py.model import attributes

    key = name.lower()
    if key in ("my", "target", "currenttime"):
        return True
    examples = {"MY": (subject.ad,), "TARGET": (subject.target,)}.get(scope, (subject.ad, subject.target))
    if any(ad is not None and ad.has(name) for ad in examples):
        return True
    mine, other = {"slot": ("slot", "job"), "job": ("job", "slot")}.get(subject.owner, ("", ""))
    kinds = {"MY": (mine,), "TARGET": (other,)}.get(scope, (mine, other))
    sure: set[str] = set()
    for kind in kinds:
        sure |= attributes.EVERY_SLOT if kind == "slot" else attributes.EVERY_JOB if kind == "job" else set()
        if not kind:
            sure |= attributes.EVERY_SLOT | attributes.EVERY_JOB
    return key in {known.lower() for known in sure}


# ---- evaluation on sets -------------------------------------------------------------------------------------


def results(node: Node, missing: Missing) -> Results:
    """Return the possible results of ``node`` when the attribute ``missing`` is, and all others have values of types
    that fit."""
    return missing.taken.get(id(node)) or _RULES[type(node)](node, missing)


def _literal(node: Literal, missing: Missing) -> Results:
    value = node.value
    if value is UNDEFINED:
        return _UNDEFINED
    if value is ERROR:
        return frozenset(("error",))
    if type(value) is bool:
        return frozenset(("true" if value else "false",))
    return _VALUE


def _attr(node: Attr, missing: Missing) -> Results:
    for scope, name in named(node):
        if (scope, name.lower()) == missing[:2]:
            return _UNDEFINED
    scoped = _VALUE if node.scope is None else results(node.scope, missing)
    return _UNDEFINED if scoped == _UNDEFINED else _VALUE | (scoped & _NOTHING)


def _paren(node: Paren, missing: Missing) -> Results:
    return results(node.inner, missing)


def _unary(node: Unary, missing: Missing) -> Results:
    inner = results(node.inner, missing)
    if node.op != "!":
        return _each(lambda one: one if one in _NOTHING else "value", inner)
    turned: dict[Result, Result] = {"true": "false", "false": "true"}
    return _each(lambda one: turned.get(one, one), _as_condition(inner))


def _binary(node: Binary, missing: Missing) -> Results:
    left = results(node.left, missing)
    if node.op == "?:":
        return left if "undefined" not in left else (left - _UNDEFINED) | results(node.right, missing)
    if node.op in ("&&", "||"):
        pairs = product(_as_condition(left), _as_condition(results(node.right, missing)))
        return frozenset(_logical(a, b, "false" if node.op == "&&" else "true") for a, b in pairs)
    right = results(node.right, missing)
    if node.op in ("=?=", "=!="):
        return _identical(left, right, node.op == "=?=")
    plain = _BOOLEAN if node.op in ("==", "!=", "<", "<=", ">", ">=") else _VALUE
    found: set[Result] = set()
    for a, b in product(left, right):
        found |= {"error"} if "error" in (a, b) else {"undefined"} if "undefined" in (a, b) else plain
    return frozenset(found)


def _logical(a: Result, b: Result, decisive: Result) -> Result:
    if a in (decisive, "error"):
        return a
    if a == "undefined":
        return b if b in (decisive, "error") else "undefined"
    return b


def _identical(left: Results, right: Results, same: bool) -> Results:
    possible: set[bool] = set()
    for a, b in product(left, right):
        if a in _NOTHING or b in _NOTHING:
            possible.add(a == b)
        elif {a, b} == {"true", "false"}:
            possible.add(False)
        elif a == b and a != "value":
            possible.add(True)
        else:
            possible |= {True, False}
    return frozenset("true" if one is same else "false" for one in possible)


def _ternary(node: Ternary, missing: Missing) -> Results:
    return _choice(node.test, node.yes, node.no, missing)


def _choice(test: Node, yes: Node, no: Node, missing: Missing) -> Results:
    found: set[Result] = set()
    for one in _as_condition(results(test, missing)):
        if one == "true":
            found |= results(yes, missing)
        elif one == "false":
            found |= results(no, missing)
        else:
            found.add(one)
    return frozenset(found)


def _call(node: Call, missing: Missing) -> Results:
    name = node.name.lower()
    if name == "ifthenelse" and len(node.args) == 3:
        return _choice(*node.args, missing)
    arguments = [results(arg, missing) for arg in node.args]
    if name == "isundefined" and len(arguments) == 1:
        return _each(lambda one: "true" if one == "undefined" else "false", arguments[0])
    if name in _TYPE_TESTS:
        return _BOOLEAN if any(one - _UNDEFINED for one in arguments) else frozenset(("false",))
    surely = any(one == _UNDEFINED for one in arguments)
    if surely and name in _PASS_UNDEFINED:
        return _NOTHING if len(arguments) > 1 else _UNDEFINED
    if surely and name in _FAIL_UNDEFINED:
        return frozenset(("error",))
    return _VALUE | _NOTHING if any(one & _NOTHING for one in arguments) else _VALUE


def _container(node: Node, missing: Missing) -> Results:
    return _VALUE


def _as_condition(found: Results) -> Results:
    return (found - _VALUE) | _BOOLEAN if "value" in found else found


def _each(change: Callable[[Result], Result], found: Results) -> Results:
    return frozenset(change(one) for one in found)


_RULES: dict[type[Node], Callable[..., Results]] = {
    Literal: _literal, Attr: _attr, Paren: _paren, Unary: _unary, Binary: _binary, Ternary: _ternary, Call: _call,
    ListNode: _container, AdNode: _container,
}  # fmt: skip
