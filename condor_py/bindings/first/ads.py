"""``ClassAd`` of the first version, and the functions that read ads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from condor_py.bindings.first.errors import ClassAdOSError, ClassAdParseError, ClassAdValueError, translate, translated
from condor_py.bindings.first.expressions import ExprTree, inward, outward
from condor_py.bindings.first.numbered import numbered
from condor_py.lang import classad as second
from condor_py.lang.classad.record import Record

Parser: Any = numbered("classad.classad", "Parser", {"Auto": 0, "Old": 1, "New": 2})
_MISSING = object()
_PARSERS = {0: second.ParserType.Auto, 1: second.ParserType.Old, 2: second.ParserType.New}


class ClassAd(second.ClassAd):
    """An ad: a mapping from names, in any case, to values and expressions."""

    __slots__ = ()

    def __init__(self, input: Any = None) -> None:
        super().__init__()
        if isinstance(input, str):
            self.attrs = translate(second.ClassAd, input).attrs
        elif isinstance(input, Record):
            self.attrs = dict(input.merged())
        elif isinstance(input, dict):
            for name, value in input.items():
                self[name] = value
        elif input is not None:
            raise TypeError("input must be a string or a dictionary")

    def __getitem__(self, key: str) -> Any:
        return outward(super().__getitem__(key), self)

    def __setitem__(self, key: str, value: Any) -> None:
        try:
            super().__setitem__(key, inward(value))
        except second.ClassAdException as error:
            raise ClassAdValueError(str(error)) from None

    def __delitem__(self, key: str) -> None:
        self.remove(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, second.ClassAd) and second.ClassAd.__eq__(_plain(self), _plain(other))

    def __hash__(self) -> int:  # type: ignore[override]
        return object.__hash__(self)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an attribute, or ``default``."""
        return self[key] if key in self else default  # noqa: SIM401

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of an attribute, which is set to ``default`` first when missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Take the attributes of an ad, a mapping or pairs over."""
        pairs = other.items() if hasattr(other, "items") else other
        for name, value in [*pairs, *more.items()]:
            self[name] = value

    def keys(self) -> Any:
        """The names, one by one."""
        return iter(list(self))

    def values(self) -> Any:
        """The values, one by one."""
        return iter([self[name] for name in self])

    def items(self) -> Any:
        """(name, value), one by one."""
        return iter([(name, self[name]) for name in self])

    def lookup(self, attr: str) -> ExprTree:
        """The expression of an attribute. KeyError when missing."""
        return ExprTree.made(super().lookup(attr).node, self)

    def eval(self, attr: str) -> Any:
        """The value of an attribute. KeyError when missing."""
        return self.lookup(attr).eval(self)

    def flatten(self, expr: Any) -> Any:
        """``expr`` with everything computed that this ad determines."""
        if not isinstance(expr, second.ExprTree):
            return expr
        return outward(super().flatten(expr), None)

    def externalRefs(self, expr: Any) -> list[str]:
        """The names in ``expr`` that this ad does not define."""
        return [name for name in super().externalRefs(ExprTree(expr)) if name]

    def internalRefs(self, expr: Any) -> list[str]:
        """The names in ``expr`` that this ad defines."""
        return [name for name in super().internalRefs(ExprTree(expr)) if name]

    def __reduce__(self) -> tuple[Any, ...]:
        return (ClassAd, (repr(self),))


def of(ad: second.ClassAd) -> ClassAd:
    """An ad of the second version as one of the first."""
    return ClassAd(ad)


def _plain(ad: second.ClassAd) -> second.ClassAd:
    copy = second.ClassAd()
    copy.attrs = dict(ad.attrs)
    return copy


class _Ads(Iterator[ClassAd]):
    def __init__(self, ads: Iterable[second.ClassAd]) -> None:
        self._ads = iter(ads)

    def __next__(self) -> ClassAd:
        with translated():
            return of(next(self._ads))


class ClassAdStringIterator(_Ads):
    """The ads of a text."""


class ClassAdFileIterator(_Ads):
    """The ads of a file."""


class OldClassAdIterator(_Ads):
    """The ads of a text or file in old format."""


def parseAds(input: Any, parser: Any = 0) -> _Ads:
    """The ads of a text or file, one after the other."""
    kind = ClassAdStringIterator if isinstance(input, str) else ClassAdFileIterator
    return kind(second.parseAds(input, _PARSERS[int(parser)]))


def parseOldAds(input: Any) -> OldClassAdIterator:
    """The ads of a text or file in old format."""
    return OldClassAdIterator(second.parseAds(input, second.ParserType.Old))


def parseOne(input: Any, parser: Any = 0) -> ClassAd:
    """All ads of a text or file in one."""
    return of(translate(second.parseOne, input, _PARSERS[int(parser)]))


def parseNext(input: Any, parser: Any = 0) -> ClassAd:
    """The next ad of a text or file. StopIteration behind the last."""
    found = translate(second.parseNext, input, _PARSERS[int(parser)])
    if found is None:
        raise StopIteration("All ads processed")
    return of(found)


def parse(input: Any) -> ClassAd:
    """The ad of a text, or of a file, in new format. ClassAdParseError."""
    return ClassAd(input if isinstance(input, str) else input.read())


def parseOld(input: Any) -> ClassAd:
    """The ad of a text, or of a file, in old format. ClassAdParseError."""
    text = input if isinstance(input, str) else "".join(input.readlines())
    ad = ClassAd()
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals:
            raise ClassAdParseError(f"Unable to parse input stream into a ClassAd: {line}")
        ad[name.strip()] = ExprTree(value.strip())
    return ad


def quote(input: str) -> str:
    """``input`` as a string of the language, with the quotes."""
    return second.quote(input)


def unquote(input: str) -> str:
    """The text of a string of the language. ClassAdParseError for anything else."""
    return translate(second.unquote, input)


def lastError() -> str:
    """Return why the last comparison was error, as far as it is known."""
    return second.lastError()


def version() -> str:
    """The release of HTCondor whose language this is."""
    return second.version()


def register(function: Callable[..., Any], name: str | None = None) -> None:
    """Make a Python function one of the language. It gets values, and the ad at hand if it takes ``state``. In a module
    of CLASSAD_USER_PYTHON_MODULES it is called like those of ``python_invoke``."""
    import inspect

    from condor_py.lang.classad import functions
    from condor_py.lang.classad.functions import python

    wants_state = "state" in inspect.signature(function).parameters
    key = (name or function.__name__).lower()

    def call(st: Any, fns: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
        from condor_py.lang.classad.convert import from_python, to_python
        from condor_py.lang.classad.evaluate import node_value

        values = [outward(to_python(fn(st)), None) for fn in fns]
        more = {"state": of(st.ad) if isinstance(st.ad, second.ClassAd) else ClassAd()} if wants_state else {}
        if python.limit:
            return python.called(st, key, lambda: from_python(inward(function(*values, **more))))
        return node_value(st, from_python(inward(function(*values, **more))), st.ad)

    functions.add_function(key, call)


def registerLibrary(path: str) -> None:
    """Load functions from a library of HTCondor's. ClassAdOSError: such libraries are of another program."""
    raise ClassAdOSError("Failed to load shared library.")
