"""Stands for ``enum`` in tools: members are made in one go, without the checks and descriptors that take Python a
thirtieth of a millisecond each. What a class of ours may have: members, ``auto()``, aliases and methods.
"""

from __future__ import annotations

from condor_py.tools.absent import python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_new: Any = object.__new__
#: What a class is made of that are no members.
_METHODS = (type(lambda: 0), property, classmethod, staticmethod)
_NOT_KNOWN = frozenset(("__init__", "__new__", "_generate_next_value_", "_ignore_", "_missing_", "_order_"))


class auto:
    """The next number, or for texts the name in small letters."""


class _OfEnums(type):
    """Makes classes with members."""

    _members: dict[str, Any]
    _by_value: dict[Any, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        if not _NOT_KNOWN.isdisjoint(space):
            raise TypeError(f"{name}: enumerations of tools have none of {sorted(_NOT_KNOWN)}")
        given = {}
        for key, value in list(space.items()):
            if not key.startswith("_") and not isinstance(value, _METHODS):
                given[key] = space.pop(key)
        made = type.__new__(cls, name, bases, space)
        made._members, made._by_value = {}, {}
        last: Any = 0
        for key, value in given.items():
            if isinstance(value, auto):
                value = key.lower() if issubclass(made, str) else last + 1
            last = value
            made._add(key, value)
        return made

    def _add(cls, name: str, value: Any) -> None:
        if value not in cls._by_value:
            kind: Any = str if issubclass(cls, str) else int if issubclass(cls, int) else None
            member: Any = _new(cls) if kind is None else kind.__new__(cls, value)
            member.name = member._name_ = name
            member.value = member._value_ = value
            cls._by_value[value] = member
        cls._members[name] = cls._by_value[value]
        type.__setattr__(cls, name, cls._by_value[value])

    def __call__(cls, value: Any, *more: Any, **named: Any) -> Any:
        if more or named or not cls._members:
            return getattr(python("enum"), cls.__name__)(value, *more, **named)  # a class made of names
        try:
            return cls._by_value[value]
        except (KeyError, TypeError):
            if value.__class__ is cls:
                return value
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}") from None

    def __iter__(cls) -> Iterator[Any]:
        return iter(cls._by_value.values())

    def __reversed__(cls) -> Iterator[Any]:
        return reversed(cls._by_value.values())

    def __len__(cls) -> int:
        return len(cls._by_value)

    def __bool__(cls) -> bool:
        return True

    def __contains__(cls, value: Any) -> bool:
        return isinstance(value, cls) or value in cls._by_value

    def __getitem__(cls, name: str) -> Any:
        return cls._members[name]

    @property
    def __members__(cls) -> dict[str, Any]:
        return dict(cls._members)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in cls.__dict__.get("_members", ()):
            raise AttributeError(f"cannot reassign member {name!r}")
        type.__setattr__(cls, name, value)

    def __repr__(cls) -> str:
        return f"<enum {cls.__name__!r}>"


class Enum(metaclass=_OfEnums):
    """As Python's."""

    name: str
    value: Any

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, how: str) -> str:
        return str.__format__(str(self), how)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.value,)

    def __copy__(self) -> Enum:
        return self

    def __deepcopy__(self, known: Any) -> Enum:
        return self


class IntEnum(int, Enum):
    """As Python's."""

    __str__ = int.__repr__
    __format__ = int.__format__  # type: ignore[assignment]
    __repr__ = Enum.__repr__


class StrEnum(str, Enum):
    """As Python's."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]
    __repr__ = Enum.__repr__


WORDS = {"Enum": Enum, "IntEnum": IntEnum, "StrEnum": StrEnum, "auto": auto}
