"""The errors of ClassAd text and evaluation, in one family."""

from __future__ import annotations

from condor_py.model.errors import CondorError


class ClassAdError(CondorError):
    """Base of this package's errors."""


class ClassAdException(ClassAdError):
    """A parse or evaluation failure, as classad2 raises it under this name."""


class ClassAdParseError(ClassAdException, ValueError):
    """Text that is not a ClassAd or an expression. ``offset`` is the character where reading stopped."""

    def __init__(self, message: str, text: str = "", offset: int = 0) -> None:
        self.offset = offset
        self.text = text
        super().__init__(f"{message} at offset {offset} of {_shorten(text)}" if text else message)


class ClassAdEvaluationError(ClassAdException, RuntimeError):
    """An expression that cannot be evaluated: it is nested or recursive beyond the limits."""


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


_last = ""


def remember(message: str) -> None:
    """Keeps why a value became error, for ``lastError()``."""
    global _last
    _last = message


def last_message() -> str:
    """Return the message that was remembered last; empty at first."""
    return _last
