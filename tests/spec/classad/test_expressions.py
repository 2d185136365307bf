"""Every expression of expressions.txt means and prints what the reference says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MY = (
    '[ a = 1; b = 2.5; s = "Hello"; t = true; u = undefined; e = error; l = {1,2,a};'
    " n = [x = 5; y = a; z = [w = x]]; f = a+b; g = g ?: 5; c1=c2; c2=c1 ]"
)
TARGET = '[ a = 10; q = 7; s2 = "World"; r = MY.q + TARGET.a; Requirements = TARGET.a == 1 && q > 3]'

EXPRESSIONS = (Path(__file__).parent / "expressions.txt").read_text(encoding="utf-8").splitlines()

Both = Callable[[Callable[[Any], Any]], tuple[Any, Any]]

#: What is asked about each expression.
QUESTIONS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "repr": lambda m, e, my, target: repr(e),
    "str": lambda m, e, my, target: str(e),
    "alone": lambda m, e, my, target: e.eval(),
    "in an ad": lambda m, e, my, target: e.eval(my),
    "in a match": lambda m, e, my, target: e.eval(my, target),
    "simplified": lambda m, e, my, target: e.simplify(my),
    "flattened": lambda m, e, my, target: my.flatten(e),
    "external references": lambda m, e, my, target: my.externalRefs(e),
    "internal references": lambda m, e, my, target: my.internalRefs(e),
}


def ask(both: Both, question: str, text: str) -> tuple[Any, Any]:
    ask_one = QUESTIONS[question]
    return both(lambda m: ask_one(m, m.ExprTree(text), m.ClassAd(MY), m.ClassAd(TARGET)))


@pytest.mark.parametrize("question", QUESTIONS)
def test_expressions_agree(both: Both, question: str) -> None:
    different = {}
    for text in EXPRESSIONS:
        expected, actual = ask(both, question, text)
        if expected != actual:
            different[text] = (expected, actual)
    assert not different


#: Differences on purpose: (question, expression, reference, ours).
KNOWN = [
    # The reference loses the factor 2 when it regroups sums and products.
    ("flattened", "1 + x + 2 * y", ("ExprTree", "1 + x + y"), ("ExprTree", "1 + x + 2 * y")),
    # The reference writes names behind a point as they are, also where it cannot read them again.
    ("repr", "a.'x y'", ("str", "'a.x y'"), ("str", "\"a.'x y'\"")),
    ("str", "a.'x y'", ("str", "'a.x y'"), ("str", "\"a.'x y'\"")),
    ("repr", "a.'true'", ("str", "'a.true'"), ("str", "\"a.'true'\"")),
    # And no blank behind a number, where "0." is another one.
    ("repr", "-0x1 .b", ("str", "'0.b'"), ("str", "'0 .b'")),
    ("str", "-0x1 .b", ("str", "'0.b'"), ("str", "'0 .b'")),
    # Half a character: the reference cannot hand it out, we give it as a surrogate escape.
    ("alone", 'substr("h\u00e9", 1, 1)', "refused", ("str", repr("\udcc3"))),
]


@pytest.mark.parametrize(("question", "text", "theirs", "ours"), KNOWN)
def test_known_differences(both: Both, question: str, text: str, theirs: Any, ours: Any) -> None:
    assert ask(both, question, text) == (theirs, ours)


LIMITS = [
    """'regexp("' + "x" * 32_764 + '", "y")'""",
    """'regexp("' + "x" * 32_765 + '", "y")'""",
    '"+".join(["1"] * 400)',
    '"+".join(["1"] * 401)',
    '"+".join(["1"] * 402)',
    '"&&".join(["true"] * 401)',
    '"&&".join(["true"] * 402)',
    '"(" * 165 + "1" + ")" * 165',
    '"(" * 166 + "1" + ")" * 166',
    '"!" * 396 + "1"',
    '"!" * 490 + "1"',
    '"!" * 498 + "1"',
    '"!" * 499 + "1"',
    '"?:".join(["u"] * 300)',
]


@pytest.mark.parametrize("formula", LIMITS)
def test_nesting_limits_agree(both: Both, formula: str) -> None:
    text = eval(formula)  # a constant above
    expected, actual = both(lambda m: m.ExprTree(text).eval(m.ClassAd(MY)))
    assert expected == actual


@pytest.mark.parametrize("step", ["", " + 1"])
@pytest.mark.parametrize("length", [150, 199, 200, 201, 398, 399, 400, 401])
def test_chains_of_references_end_where_the_reference_ends_them(both: Both, length: int, step: str) -> None:
    links = ";".join(f"a{i} = a{i + 1}{step}" for i in range(length))
    expected, actual = both(lambda m: m.ClassAd(f"[{links}; a{length} = 0 + 1]").eval("a0"))
    assert expected == actual
