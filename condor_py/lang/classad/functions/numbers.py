"""Rounding, powers and random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import clock
from condor_py.lang.classad.errors import ClassAdEvaluationError
from condor_py.lang.classad.functions import elements, on_values
from condor_py.lang.classad.functions.types import to_real
from condor_py.lang.classad.values import ERROR, ListValue, real_to_int, wrap

if TYPE_CHECKING:
    from condor_py.lang.classad.evaluate import Fn, State
    from condor_py.lang.classad.functions import Function
    from condor_py.lang.classad.nodes import Node

_INF = float("inf")


def _rounding(method: Callable[[float], Any]) -> Function:
    def call(value: Any) -> Any:
        if type(value) is int:
            return value
        number = to_real(value)
        if type(number) is not float:
            return ERROR
        if not math.isfinite(number):
            return real_to_int(number)
        return real_to_int(float(method(number)))

    return on_values(call, 1)


def power(value: Any, exponent: Any) -> Any:
    """pow(x, y): an integer for integers with y >= 0, computed with reals as HTCondor does."""
    if type(value) is int and type(exponent) is int and exponent >= 0:
        return real_to_int(_pow(float(value), float(exponent)) + 0.5)
    base, up = to_real(value), to_real(exponent)
    if type(base) is not float or type(up) is not float:
        return ERROR
    return _pow(base, up)


def _pow(base: float, exponent: float) -> float:
    """C's pow, which has no exceptions."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -_INF if base < 0 and exponent % 2 == 1 else _INF
    except ValueError:
        if base == 0.0:
            return -_INF if math.copysign(1.0, base) < 0 and exponent % 2 == 1 else _INF
        return float("nan")


def quantize(st: State, fns: tuple[Fn, ...], args: tuple[Node, ...]) -> Any:
    """quantize(x, step): the next multiple of ``step``; a list of steps gives the first that is not less than x."""
    if len(fns) != 2:
        return ERROR
    value, step = fns[0](st), fns[1](st)
    number = to_real(value)
    if type(number) is not float:
        return ERROR
    if type(step) is ListValue:
        last: Any = 0.0
        for last in elements(st, step):
            bound = to_real(last)
            if type(bound) is not float:
                return ERROR
            if bound >= number:
                return last
        step = last
    base = to_real(step)
    if type(base) is not float:
        return ERROR
    return _quantized(value, number, step, base)


def _quantized(value: Any, number: float, step: Any, base: float) -> Any:
    if type(step) is int:
        if step == 0:
            return value
        if type(value) is int:
            total = wrap(value + step - 1)
            quotient = abs(total) // abs(step)
            return wrap((-quotient if (total < 0) != (step < 0) else quotient) * step)
        return _ceil(number / step) * step
    if -1e-8 <= base <= 1e-8:
        return value
    return _ceil(number / base) * base


def _ceil(number: float) -> float:
    return math.copysign(float(math.ceil(number)), number) if math.isfinite(number) else number


def random(limit: Any = 1.0) -> Any:
    """random([limit]): an integer below an integer limit, a real below a real one (default 1.0)."""
    kind = type(limit)
    if kind is not int and kind is not float:
        return ERROR
    if limit <= 0:
        raise ClassAdEvaluationError("random() needs a positive limit")
    return int(clock.uniform() * limit) if kind is int else clock.uniform() * limit


FUNCTIONS: dict[str, Function] = {
    "floor": _rounding(math.floor),
    "ceil": _rounding(math.ceil),
    "ceiling": _rounding(math.ceil),
    "round": _rounding(round),
    "pow": on_values(power, 2),
    "quantize": quantize,
    "random": on_values(random, 0, 1),
}
