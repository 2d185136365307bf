"""Stands for modules of Python's library of which tools use little, and which take a third of a tool's time to make.

``typing`` is a hundred classes that say nothing while a program runs: modules of condor_py get words of the same names
that do as much as they need. ``collections`` is classes in Python behind four in C. What stands for others is in
``lightclasses``, ``lightenums`` and ``lightfunctions``. Everybody else who asks, and whoever asks for more, gets what
the real module has, which is imported then.
"""

from __future__ import annotations

import _collections  # type: ignore[import-not-found]
import _collections_abc
import sys

from condor_py.tools.absent import Absent, Shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import ModuleType
    from typing import Any

# -- named tuples -----------------------------------------------------------------------------------------------------

_new = tuple.__new__
#: How one is made, by its number of fields: the names of the fields are all that these functions lack.
_MAKERS: Sequence[Any] = (
    lambda _cls: _new(_cls, ()),
    lambda _cls, a: _new(_cls, (a,)),
    lambda _cls, a, b: _new(_cls, (a, b)),
    lambda _cls, a, b, c: _new(_cls, (a, b, c)),
    lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
    lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
    lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
    lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
    lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
    lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
    lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
)
_getters: list[Any] = []


class _Fields(tuple):  # type: ignore[type-arg]
    """What all named tuples have."""

    __slots__ = ()
    _fields: tuple[str, ...]

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Any:
        made = _new(cls, iterable)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **fields: Any) -> Any:
        made = self._make(map(fields.pop, self._fields, self))
        if fields:
            raise ValueError(f"Got unexpected field names: {list(fields)!r}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=False))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self[i]!r}' for i, name in enumerate(self._fields))})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _maker(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...]) -> Any:
    """The function that makes a named tuple."""
    made: Any
    if len(fields) < len(_MAKERS):
        like = _MAKERS[len(fields)]
        code = like.__code__.replace(co_varnames=("_cls", *fields), co_name="__new__")
        made = type(like)(code, globals(), "__new__", defaults)
    else:
        names = ", ".join(fields)
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": _new, "__name__": __name__})
        made.__defaults__ = defaults
    made.__qualname__ = f"{name}.__new__"
    return made


def _tuple_class(name: str, fields: tuple[str, ...], defaults: Mapping[str, Any], more: dict[str, Any]) -> Any:
    """A named tuple class; ``more`` is what else the class has."""
    while len(_getters) < len(fields):
        _getters.append(None)
    more["__slots__"] = ()
    more["_fields"] = more["__match_args__"] = fields
    more["_field_defaults"] = defaults
    more["__new__"] = _maker(name, fields, tuple(defaults.values()))
    for place, field in enumerate(fields):
        more[field] = _getters[place] = _getters[place] or _collections._tuplegetter(place, None)
    return type(name, (_Fields,), more)


class _OfAnnotations(type):
    """Makes a named tuple class of what follows ``class Name(NamedTuple):``."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        fields = tuple(map(sys.intern, space.get("__annotations__", ())))
        defaults = {field: space.pop(field) for field in fields if field in space}
        if tuple(defaults) != fields[len(fields) - len(defaults) :]:
            raise TypeError(f"{name}: a field without a default follows one with a default")
        return _tuple_class(name, fields, defaults, space)


_base = type.__new__(_OfAnnotations, "NamedTuple", (), {})


class _NamedTuple:
    """``typing.NamedTuple`` as a base class."""

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (_base,)


def _named_tuple(name: str, fields: str | Sequence[str], *, defaults: Sequence[Any] = (), module: str = "") -> Any:
    """``collections.namedtuple``, for Python's own modules."""
    words = tuple(map(sys.intern, fields.replace(",", " ").split() if isinstance(fields, str) else fields))
    given = dict(zip(words[len(words) - len(defaults) :], defaults, strict=True))
    module = module or sys._getframe(1).f_globals.get("__name__", "")
    return _tuple_class(name, words, given, {"__module__": module})


# -- typing -----------------------------------------------------------------------------------------------------------


class _Word:
    """A word that only type checkers understand."""

    def __init__(self, *given: object, **named: object) -> None:
        pass

    def __getitem__(self, key: object) -> Any:
        return self

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__


class _Open:
    """Base of classes with parameters."""

    __slots__ = ()
    __class_getitem__: Any = classmethod(type(list[int]))


def _same(value: Any) -> Any:
    return value


WORDS: dict[str, Any] = {
    **{word: _Word() for word in ("Any", "BinaryIO", "IO", "Literal", "NoReturn", "Self", "TextIO", "TypeAlias")},
    **dict.fromkeys(("ParamSpec", "TypeVar"), _Word),
    "TYPE_CHECKING": False,
    "Generic": _Open,
    "NamedTuple": _NamedTuple(),
    "Protocol": _Open,
    "cast": lambda kind, value: value,
    "dataclass_transform": lambda **options: _same,
    "overload": _same,
}


#: What stands for modules beside those that are here: in which module, and under which name.
_SHARED = {
    "typing": ("lightmodules", "WORDS"),
    "dataclasses": ("lightclasses", "WORDS"),
    "enum": ("lightenums", "WORDS"),
    "functools": ("lightfunctions", "OF_FUNCTIONS"),
    "contextlib": ("lightfunctions", "OF_CONTEXTS"),
}


class _Collections(Absent):
    """Stands for ``collections``: what is in C, and named tuples for modules of Python itself."""

    deque, defaultdict, OrderedDict = _collections.deque, _collections.defaultdict, _collections.OrderedDict
    abc = _collections_abc

    def __getattr__(self, name: str) -> Any:
        asking = sys._getframe(1).f_globals.get("__name__", "")
        if name == "namedtuple" and asking in ("functools", "selectors"):
            return _named_tuple
        return super().__getattr__(name)

    def real(self) -> ModuleType:
        """The module itself, with its submodule, which was there before it."""
        module: Any = super().real()
        module.abc = _collections_abc
        return module  # type: ignore[no-any-return]


class _Inspect(Absent):
    """Stands for ``inspect``. A dataclass does not need it for its fields, or because it says nothing of itself."""

    def __getattr__(self, name: str) -> Any:
        if name in _FOR_DATACLASSES and sys._getframe(1).f_globals.get("__name__", "") == "dataclasses":
            return _FOR_DATACLASSES[name]
        return super().__getattr__(name)


def _unsaid(kind: object) -> str:
    return "(...)"


def _own_annotations(kind: type) -> dict[str, Any]:
    return dict(vars(kind).get("__annotations__") or {})


#: What Python's own modules do with ``inspect`` for each dataclass; until 3.13, later versions ask elsewhere.
_FOR_DATACLASSES: dict[str, Any] = {"signature": _unsaid, "get_annotations": _own_annotations}


def install(forks: bool) -> None:
    """To be called before anything else is imported: what is there already stays. What children of a daemon would
    import each anew is not put off in it."""
    found: list[Any] = [_Inspect("inspect")]
    if not forks:
        found += [_Collections("collections"), Absent("copy")]
        found += [Shared(name, place, words) for name, (place, words) in _SHARED.items()]
    for module in found:
        if module.__name__ not in sys.modules:
            sys.modules[module.__name__] = module
            if isinstance(module, _Collections):
                sys.modules["collections.abc"] = _collections_abc
