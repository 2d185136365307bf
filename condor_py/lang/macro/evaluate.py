"""The bridge to ClassAd expressions for ``$INT``, ``$REAL``, ``$STRING`` and ``$EVAL``."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Unparsed(NamedTuple):
    """A value with no Python counterpart (a list, an ad, undefined, error), as ClassAd text."""

    text: str


#: What an expression can be worth.
Evaluated = int | float | bool | str | Unparsed


class Evaluator(Protocol):
    """Evaluates ClassAd expression text in an empty ad."""

    def __call__(self, expression: str) -> Evaluated | None:
        """The value; None when ``expression`` does not parse."""


def classad_evaluate(expression: str) -> Evaluated | None:
    """The value of ``expression`` in the ClassAd language, in an empty ad; None when it does not parse."""
    from condor_py.lang.classad import ClassAdError, parse, value_text

    try:
        value = parse(expression).raw()
    except ClassAdError:
        return None
    if type(value) in (bool, int, float, str):
        return value  # type: ignore[no-any-return]
    return Unparsed(value_text(value, old=False))
