"""Dataclasses that are made for every job, made in C.

What dataclasses write for a frozen class calls ``object.__setattr__`` for each field: an event, an effect or a message
of ten fields is a microsecond, and a short job is a hundred of them. ``quicken`` gives classes a constructor in C
(``_making.c``) that puts the values in their places. It does the same; where it is not built, classes stay as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, fields, replace
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

from condor_py.model.garbage import kept
from condor_py.model.later import built

Made = TypeVar("Made")
_SETTINGS = "condor_py.model.settings."


_native = built("condor_py.model._making")


@cache
def quicken_rooms(rooms: tuple[str, ...]) -> None:
    """For a daemon, once what it is made of is imported: the classes of all modules of these rooms. Settings, which are
    made once, stay as they are. A second call does nothing."""
    if _native is not None and rooms:
        with kept():
            quicken(_classes(rooms))


def quicken(kinds: Iterable[type]) -> None:
    """Gives dataclasses with slots their constructor in C. Classes that are something else are passed over."""
    if _native is None:
        return
    for kind in kinds:
        written = kind.__dict__.get("__init__")
        if "__dataclass_fields__" in kind.__dict__ and type(written) is FunctionType:
            arguments = _arguments(written)
            if arguments is not None:
                _quicken(kind, written, arguments)


def but(made: Made, /, **changes: Any) -> Made:
    """A copy with other values of some fields, as ``dataclasses.replace`` makes it."""
    copy: Made | None = _native.but(made, changes) if _native is not None else None
    return replace(made, **changes) if copy is None else copy  # type: ignore[type-var]


def _classes(rooms: Sequence[str]) -> Iterator[type]:
    heads = tuple(f"condor_py.{room}." for room in rooms)
    for name, module in list(sys.modules.items()):
        if name.startswith(heads) and not name.startswith(_SETTINGS):
            for found in list(vars(module).values()):
                if isinstance(found, type) and found.__module__ == name:
                    yield found


def _arguments(written: Any) -> tuple[int, int] | None:
    """How many arguments there are beside the object, those by place and those by name alone; None when dataclasses has
    not written this."""
    code = written.__code__
    if code.co_filename != "<string>":
        return None
    return code.co_argcount - 1, code.co_kwonlyargcount


def _quicken(kind: Any, written: FunctionType, arguments: tuple[int, int]) -> None:
    known = fields(kind)
    first = [field for field in known if field.init and not field.kw_only]
    named = [field for field in known if field.init and field.kw_only]
    others = [field for field in known if not field.init and _has_preset(field)]
    if arguments != (len(first), len(named)):
        return  # there are arguments that are no fields (InitVar)
    told = tuple(_told(field) for field in (*first, *named, *others))
    try:
        maker = _native.maker(kind, written, told, len(first) + len(named), len(first), hasattr(kind, "__post_init__"))
    except (AttributeError, TypeError, ValueError):
        return  # without slots, or with more fields than anything has that is made often
    kind.__init__ = maker


def _has_preset(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _told(field: Field[Any]) -> tuple[str, bool, object, bool]:
    """Name, whether there is a value without an argument, that value or what makes it, whether it makes it."""
    if field.default_factory is not MISSING:
        return field.name, True, field.default_factory, True
    if field.default is not MISSING:
        return field.name, True, field.default, False
    return field.name, False, None, False
