"""Stands for ``dataclasses`` in tools: what a class needs is worked out when the first object of it is made.

Python writes the methods of a dataclass as text and compiles them, a millisecond for a class with thirty fields. A tool
imports forty such classes and makes one or two objects of ten of them. Here ``__init__`` puts values where they belong
without being compiled; a class of which many objects are made gets the compiled one. Objects keep their fields in their
``__dict__``, also where ``slots`` is asked for, which saves memory only. Whoever is none of ours, and whoever asks for
what is not here, has Python's module.
"""

from __future__ import annotations

from _operator import attrgetter

from condor_py.tools.absent import python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

#: After so many objects ``__init__`` is compiled.
_MANY = 30
_MISSING: Any = type("Missing", (), {"__repr__": lambda _: "<missing>"})()
_PLACES = "__match_args__"
_shapes: dict[type, _Shape] = {}


class Field:
    """What is known of one field."""

    __slots__ = ("compare", "default", "default_factory", "hash", "init", "kw_only", "metadata", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
        metadata: Mapping[Any, Any] | None = None,
        kw_only: bool | None = None,
    ) -> None:
        self.name, self.type = "", None
        self.default, self.default_factory, self.init, self.repr = default, default_factory, init, repr
        self.hash, self.compare, self.metadata, self.kw_only = hash, compare, metadata, kw_only


def dataclass(cls: Any = None, /, **options: bool) -> Any:
    """As Python's."""
    if cls is None:
        return lambda made: _dataclass(made, **options)
    return _dataclass(cls, **options)


def _dataclass(
    cls: Any, *, frozen: bool = False, eq: bool = True, kw_only: bool = False, slots: bool = False, **others: bool
) -> Any:
    own = cls.__dict__
    if others or "__slots__" in own or "__init__" in own:
        return python("dataclasses").dataclass(frozen=frozen, eq=eq, kw_only=kw_only, slots=slots, **others)(cls)
    marked = {name: value for name, value in own.items() if type(value) is Field}
    for name, mark in marked.items():
        if mark.default is _MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, mark.default)
    shape = _shapes[cls] = _Shape(cls, marked, frozen, kw_only)
    cls.__init__ = _initializer(shape)
    cls.__dataclass_fields__ = _Later(shape)
    hashes = own.get("__hash__", _MISSING) is not (None if "__eq__" in own else _MISSING)
    for name, method in _methods(shape, frozen, eq).items():
        if name not in own or (name == "__hash__" and not hashes):
            setattr(cls, name, method)
    if _PLACES not in own:
        setattr(cls, _PLACES, _Places(shape))
    return cls


class _Later:
    """The fields of a class, by name."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape

    def __get__(self, this: object, owner: type) -> Any:
        return self._shape.fields


class _Places:
    """The names of the fields that patterns name by their places, which then take its place."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape

    def __get__(self, this: object, owner: type) -> Any:
        names = self._shape.places
        setattr(self._shape.cls, _PLACES, names)
        return names


class _Shape:
    """What a class needs, once somebody asks."""

    fields: dict[str, Field]
    places: tuple[str, ...]
    shown: list[str]

    def __init__(self, cls: Any, marked: dict[str, Field], frozen: bool, kw_only: bool) -> None:
        self.cls = cls
        self._marked, self._frozen, self._kw_only = marked, frozen, kw_only
        self._made = 0

    def __getattr__(self, name: str) -> Any:
        self._work_out()
        return self.__dict__[name]

    def _work_out(self) -> None:
        fields: dict[str, Field] = {}
        for base in self.cls.__mro__[-1:0:-1]:
            if base in _shapes:
                fields.update(_shapes[base].fields)
        fields.update({field.name: field for field in self._own_fields()})
        self.fields = fields
        given = [field for field in fields.values() if field.init]
        self.places = tuple([field.name for field in given if not field.kw_only])
        self._known = frozenset([field.name for field in given])
        self._defaults = {field.name: field.default for field in fields.values() if field.default is not _MISSING}
        self._makers = [(name, field.default_factory) for name, field in fields.items() if _is_made(field)]
        self._all = len(self._known.union(self._defaults, [name for name, _ in self._makers]))
        self._ends = hasattr(self.cls, "__post_init__")
        self.shown = [field.name for field in fields.values() if field.repr]
        self.compared = _values([field.name for field in fields.values() if field.compare])
        hashed = [field for field in fields.values() if (field.compare if field.hash is None else field.hash)]
        self.hashed = _values([field.name for field in hashed])

    def _own_fields(self) -> list[Field]:
        own, found = self.cls.__dict__, []
        for name, kind in own.get("__annotations__", {}).items():
            if "ClassVar" in (text := kind if type(kind) is str else repr(kind)):
                continue
            if "InitVar" in text or "KW_ONLY" in text:
                raise TypeError(f"{self.cls.__qualname__}.{name}: tools do not know what {text} is")
            field = self._marked.get(name) or Field(default=own.get(name, _MISSING))
            field.name, field.type = name, kind
            if field.kw_only is None:
                field.kw_only = self._kw_only
            found.append(field)
        return found

    def fill(self, this: Any, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        """``__init__`` of an object."""
        self._made += 1
        places = self.places
        given = dict(zip(places, values))  # noqa: B905 - its length is looked at below
        wrong = len(values) > len(places) or not self._known.issuperset(named) or not given.keys().isdisjoint(named)
        if wrong or self._made > _MANY:
            self._compile()
            self.cls.__init__(this, *values, **named)
            return
        given = {**self._defaults, **given, **named}
        for name, make in self._makers:
            if name not in given:
                given[name] = make()
        if len(given) < self._all:
            self._compile()
            self.cls.__init__(this, *values, **named)  # which says what is missing
            return
        this.__dict__.update(given)
        if self._ends:
            this.__post_init__()

    def _compile(self) -> None:
        """``__init__`` as text, the same as Python's."""
        scope: dict[str, Any] = {"_missing": _MISSING, "_set": object.__setattr__}
        places = ["self"]
        names: list[str] = []
        lines: list[str] = []
        for name, field in self.fields.items():
            value = f"_d_{name}"
            scope[value] = field.default
            if _is_made(field):
                scope[value] = field.default_factory
                value = f"{value}() if {name} is _missing else {name}" if field.init else f"{value}()"
            elif field.init:
                value = name
            elif field.default is _MISSING:
                continue
            lines.append(f" _set(self, {name!r}, {value})" if self._frozen else f" self.{name} = {value}")
            if field.init:
                default = "=_missing" if _is_made(field) else "" if field.default is _MISSING else f"=_d_{name}"
                (names if field.kw_only else places).append(name + default)
        if self._ends:
            lines.append(" self.__post_init__()")
        given = ", ".join([*places, *(["*", *names] if names else [])])
        exec(f"def __init__({given}):\n" + "\n".join(lines or [" pass"]), scope)
        made: Any = scope["__init__"]
        made.__qualname__ = f"{self.cls.__qualname__}.__init__"
        made.__module__ = self.cls.__module__
        self.cls.__init__ = made


def _is_made(field: Field) -> bool:
    return field.default_factory is not _MISSING


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What takes the values of fields from an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda this: tuple([getattr(this, name) for name in names])


def _initializer(shape: _Shape) -> Any:
    def __init__(self: Any, *values: Any, **named: Any) -> None:
        shape.fill(self, values, named)

    return __init__


def _methods(shape: _Shape, frozen: bool, eq: bool) -> dict[str, Any]:
    """What else a class gets, as far as it has none of its own."""
    cls = shape.cls

    def __repr__(self: Any) -> str:
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in shape.shown])
        return f"{type(self).__qualname__}({shown})"

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return shape.compared(self) == shape.compared(other)

    def __hash__(self: Any) -> int:
        return hash(shape.hashed(self))

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in shape.fields:
            raise _frozen(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in shape.fields:
            raise _frozen(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    methods: dict[str, Any] = {"__repr__": __repr__}
    if frozen:
        methods |= {"__setattr__": __setattr__, "__delattr__": __delattr__}
    if eq:
        methods |= {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}
    return methods


def _frozen(text: str) -> Exception:
    error: Exception = python("dataclasses").FrozenInstanceError(text)
    return error


def _shape_of(cls: type) -> _Shape | None:
    return next((_shapes[base] for base in cls.__mro__ if base in _shapes), None)


# -- what is asked of classes and objects ------------------------------------------------------------------------------


def fields(thing: Any) -> Any:
    """As Python's."""
    return tuple(thing.__dataclass_fields__.values())


def replace(thing: Any, /, **changes: Any) -> Any:
    """As Python's."""
    shape = _shape_of(type(thing))
    if shape is None:
        return python("dataclasses").replace(thing, **changes)
    for name, field in shape.fields.items():
        if not field.init:
            if name in changes:
                raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
        elif name not in changes:
            changes[name] = getattr(thing, name)
    return thing.__class__(**changes)


def asdict(thing: Any, *, dict_factory: Callable[[list[tuple[str, Any]]], Any] = dict) -> Any:
    """As Python's."""
    return dict_factory([(name, _plain(getattr(thing, name), dict_factory)) for name in thing.__dataclass_fields__])


def _plain(value: Any, factory: Any) -> Any:
    if hasattr(type(value), "__dataclass_fields__"):
        return asdict(value, dict_factory=factory)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_plain(each, factory) for each in value])
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(each, factory) for each in value)
    if isinstance(value, dict):
        return type(value)((_plain(key, factory), _plain(each, factory)) for key, each in value.items())
    import copy

    return copy.deepcopy(value)


WORDS = {"dataclass": dataclass, "field": Field, "fields": fields, "replace": replace, "asdict": asdict}
