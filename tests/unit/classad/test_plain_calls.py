"""Built-in functions that the extension carries out itself agree with the functions that it stands for."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd, ExprTree, closures
from condor_py.lang.classad.compile import make
from condor_py.lang.classad.errors import ClassAdError
from condor_py.lang.classad.evaluate import State
from condor_py.lang.classad.functions import find_function
from condor_py.lang.classad.values import ERROR, UNDEFINED, RelTime

_VALUES: list[Any] = [
    "", "a", "aBc Z[`{", "-7", "ünï", "\x7f\x01", "x" * 256, "y" * 257, "z" * 5000, 0, -1, 7, 2**31 - 1, -(2**31) - 1,
    2**40, -(2**63), True, False, 1.0, -0.5, float("inf"), UNDEFINED, ERROR, RelTime(61),
]  # fmt: skip
_ONE = ["toUpper", "toLower", "string", "int", "size", "isError", "isString", "isInteger", "isReal", "isBoolean"]


def both(name: str, values: tuple[Any, ...]) -> tuple[Any, Any]:
    """What the compiled call makes of known arguments, and what its twin in Python does."""

    def run(call: Any) -> Any:
        state = State(None)
        try:
            return call(state), state.steps
        except ClassAdError as error:
            return str(error)

    function = find_function(name)
    assert function is not None
    fns = tuple(make.literal(value) for value in values)
    return run(make.call(name, function, fns, ())), run(closures.call(name, function, fns, ()))


def same(name: str, *values: Any) -> None:
    found, expected = both(name, values)
    if type(expected) is tuple and type(expected[0]) is not str:
        found, expected = found[:1], expected[:1]  # steps count where a text is made
    assert found == expected
    assert type(found[0]) is type(expected[0])


@pytest.mark.parametrize("name", _ONE)
def test_functions_of_one_value(name: str) -> None:
    for value in _VALUES:
        same(name, value)
    same(name)
    same(name, "a", "b")


@pytest.mark.parametrize("name", ["strcat", "strcmp", "stricmp"])
def test_functions_of_two_values(name: str) -> None:
    for pair in product(_VALUES, repeat=2):
        same(name, *pair)
    same(name, *["x" * 100] * 3)
    same(name, *"abcdefghij")


def test_substr() -> None:
    for text, start in product(_VALUES, repeat=2):
        same("substr", text, start)
        for length in _VALUES:
            same("substr", text, start, length)


def test_arguments_are_evaluated_once_and_in_order() -> None:
    ad = ClassAd("[ a = undefined; b = b0 / 0; b0 = 1; deep = strcat(deep, deep) ]")
    assert ExprTree("strcat(1, a, error)").eval(ad).name == "Undefined"
    assert ExprTree("strcat(1, error, a)").eval(ad).name == "Error"
    assert ExprTree('strcat("x", 1.5, true, 2)').eval(ad) == "x1.500000000000000E+00true2"
    assert ExprTree("size(deep)").eval(ad).name == "Undefined"
