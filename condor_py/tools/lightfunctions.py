"""Stand for ``functools`` and ``contextlib`` in tools: what modules of ours take from there, most of it in C."""

from __future__ import annotations

import _functools  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType
    from typing import Any

_COPIED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def _like(made: Any, function: Any) -> Any:
    """``made`` says of itself what a function does that it stands for."""
    for name in _COPIED:
        if hasattr(function, name):
            setattr(made, name, getattr(function, name))
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function
    return made


def _cached(function: Any, size: int | None, typed: bool) -> Any:
    return _like(_functools._lru_cache_wrapper(function, size, typed, lambda *facts: facts), function)


def cache(function: Any) -> Any:
    """As Python's."""
    return _cached(function, None, False)


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """As Python's."""
    if callable(maxsize):
        return _cached(maxsize, 128, typed)
    return lambda function: _cached(function, maxsize, typed)


class cached_property:
    """As Python's."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, this: Any, owner: type | None = None) -> Any:
        if this is None:
            return self
        value = this.__dict__[self._name] = self._function(this)
        return value


class _Managed:
    """What a generator with one ``yield`` does around a block."""

    def __init__(self, steps: Generator[Any, None, None]) -> None:
        self._steps = steps

    def __enter__(self) -> Any:
        try:
            return next(self._steps)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> bool:
        if kind is None:
            return self._ends()
        try:
            self._steps.throw(value)
        except StopIteration as end:
            return end is not value
        except RuntimeError as error:
            if error is value or (isinstance(value, StopIteration) and error.__cause__ is value):
                error.__traceback__ = trace
                return False
            raise
        except BaseException as error:
            if error is value:
                error.__traceback__ = trace
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")

    def _ends(self) -> bool:
        try:
            next(self._steps)
        except StopIteration:
            return False
        raise RuntimeError("generator didn't stop")


def contextmanager(function: Any) -> Any:
    """As Python's; its objects are no decorators."""

    def managed(*values: Any, **named: Any) -> _Managed:
        return _Managed(function(*values, **named))

    return _like(managed, function)


class suppress:
    """As Python's."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool:
        return kind is not None and issubclass(kind, self._kinds)


OF_FUNCTIONS = {"cache": cache, "cached_property": cached_property, "lru_cache": lru_cache}
OF_FUNCTIONS["partial"] = _functools.partial
OF_CONTEXTS = {"contextmanager": contextmanager, "suppress": suppress}
