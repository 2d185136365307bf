"""The exceptions that the first version raises: each of them is a RuntimeError, too, and programs count on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

from condor_py.bindings.errors import HTCondorException, HTCondorInternalError, HTCondorIOError, HTCondorValueError
from condor_py.lang.classad import ClassAdException
from condor_py.model.errors import CondorError

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Class = TypeVar("_Class", bound=type)
_SPECIAL = frozenset(("__init__", "__next__", "__getitem__", "__setitem__"))


def raises_first(call: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """Return ``call`` with exceptions of the first version for those of the second version, and for a ValueError."""

    @wraps(call)
    def wrapped(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return call(*given, **named)
        except HTCondorException as error:
            if type(error) is not HTCondorException:
                raise
            raise HTCondorIOError(str(error)) from None
        except CondorError as error:
            from condor_py.bindings.submit import report

            raise HTCondorInternalError(report(error)) from None
        except ValueError as error:
            if isinstance(error, ClassAdException):
                raise
            raise HTCondorValueError(str(error)) from None

    return wrapped


def with_first_exceptions(cls: _Class) -> _Class:
    """Apply ``raises_first`` to the methods of a class, also to those that it inherits from the second version."""
    methods: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("condor_py."):
            methods |= vars(base)
    for name, method in methods.items():
        if name.startswith("_") and name not in _SPECIAL:
            continue
        if isinstance(method, staticmethod):
            setattr(cls, name, staticmethod(raises_first(method.__func__)))
        elif isinstance(method, FunctionType):
            setattr(cls, name, raises_first(method))
    return cls
