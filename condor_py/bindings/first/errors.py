"""The exceptions of the first version of ``classad``; each is what the second raises, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from condor_py.lang.classad import ClassAdEvaluationError as _EvaluationError
from condor_py.lang.classad import ClassAdException
from condor_py.lang.classad import ClassAdParseError as _ParseError

_T = TypeVar("_T")


class ClassAdParseError(ClassAdException, ValueError, SyntaxError, RuntimeError):
    """Text that is no ad or expression."""


class ClassAdEvaluationError(ClassAdException, TypeError, RuntimeError):
    """An expression without a value."""


class ClassAdValueError(ClassAdException, ValueError, RuntimeError, TypeError):
    """A value that has no counterpart."""


class ClassAdTypeError(ClassAdException, TypeError, ValueError):
    """An argument of a wrong type."""


class ClassAdInternalError(ClassAdException, ValueError, RuntimeError):
    """Something that should not have happened."""


class ClassAdEnumError(ClassAdException, TypeError):
    """A number that no member of an enumeration has."""


class ClassAdOSError(ClassAdException, OSError, RuntimeError):
    """A file that cannot be read."""


@contextmanager
def translated() -> Iterator[None]:
    """The exceptions of the second version as those of the first."""
    try:
        yield
    except _ParseError as error:
        raise ClassAdParseError(str(error)) from None
    except _EvaluationError as error:
        raise ClassAdEvaluationError(str(error) or "Unable to evaluate expression.") from None


def translate(call: Callable[..., _T], *args: Any) -> _T:
    """``call(*args)`` with the exceptions of the first version."""
    with translated():
        return call(*args)
