"""The counting matcher finds what ``re`` finds, and gives up where ``re`` would not come back."""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from condor_py.lang.classad import ExprTree, Value
from condor_py.lang.classad.functions import backtrack
from condor_py.lang.classad.functions.backtrack import Matcher, StepLimit

PIECES = [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    r"\w",
    r"\d",
    "x",
    "(a)",
    "(b|c)",
    "(?:ab|a)",
    "(?=a)",
    "(?!b)",
    "(?<=a)",
    "(?<!b)",
    "^",
    "$",
    r"\b",
    "(a|b|)",
    "(?i:A)",
    "(?>a*)",
    "((a)|b)",
]
COUNTS = ["", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??", "{0,2}?"]


def random_pattern(random: Random, depth: int) -> str:
    pieces = []
    for _ in range(random.randint(1, 4)):
        piece = random.choice(PIECES)
        if depth and random.random() < 0.3:
            piece = f"({random_pattern(random, depth - 1)})"
        count = random.choice(COUNTS)
        pieces.append(piece + (count if piece[0] not in "^$\\" and piece[:3] not in ("(?=", "(?!", "(?<") else ""))
    if random.random() < 0.1:
        pieces.append(r"(?:\1)" if "(a)" in "".join(pieces) else "c")
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_what_re_finds(seed: int) -> None:
    random = Random(seed)
    for _ in range(250):
        pattern = random_pattern(random, 2).encode()
        flags = random.choice([0, re.IGNORECASE, re.DOTALL, re.MULTILINE])
        try:
            reference = re.compile(pattern, flags)
        except re.error:
            continue
        matcher = Matcher(backtrack.tree(pattern, flags))
        for _ in range(6):
            text = bytes(random.choice(b"aabbcxA1\n ") for _ in range(random.randint(0, 8)))
            for method in ("search", "match"):
                expected = getattr(reference, method)(text)
                found = getattr(matcher, method)(text)
                assert (found is None) == (expected is None), (pattern, flags, text)
                if found is not None and expected is not None:
                    spans = [(found.start(i), found.end(i)) for i in range(reference.groups + 1)]
                    wanted = [expected.span(i) for i in range(reference.groups + 1)]
                    # What a group keeps from an abandoned or empty round is a matter of taste.
                    assert spans[0] == wanted[0], (pattern, flags, text)


@pytest.mark.parametrize(
    ("pattern", "risky"),
    [
        (b"^slot[0-9]+@host.*$", False),
        (b"(abc)+x", False),
        (b"foo|bar", False),
        (b"a{3}b{2}", False),
        (b"(a+)+$", True),
        (b"(a|aa)+$", True),
        (b"(.*)*x", True),
        (b"(a?b?)*c", True),
    ],
)
def test_the_risk_of_a_pattern_is_seen(pattern: bytes, risky: bool) -> None:
    assert (backtrack.risk(backtrack.tree(pattern, 0)) > 2) is risky


ADVERSARIAL = [
    ("(a+)+$", "a" * 60 + "b"),
    ("(a|aa)+$", "a" * 200 + "b"),
    ("(a*)*b\\\\d", "a" * 5000 + "b"),
    (".*.*.*.*.*x", "yx" * 1500 + "z"),
    ("(x+x+)+y", "x" * 64 + "y" + "x" * 40),
    ("([a-zA-Z]+)*$", "a" * 50 + "!"),
    ("(?i)(.*a){20}", "b" * 3000 + "a" * 19),
    ("((a{0,30}){0,30}){0,30}z", "a" * 100 + "z" * 0),
    ("(?:a?){50}a{50}", "a" * 50),
    ("(?:a?){60}a{60}", "a" * 11),
    ("a?" * 30 + "a" * 30, "a" * 30),
    ("(?:a|a){40}b", "a" * 40 + "c"),
]


@pytest.mark.parametrize(("pattern", "text"), ADVERSARIAL)
def test_adversarial_patterns_end(pattern: str, text: str) -> None:
    before = time.process_time()
    for call, outcomes in (
        (f'regexp("{pattern}", "{text}")', {True, False, Value.Error}),
        (f'stringList_regexpMember("{pattern}", "{text}")', {True, False}),
        (f'regexpMember("{pattern}", {{"{text}"}})', {True, False}),
    ):
        assert ExprTree(call).eval() in outcomes
    assert not isinstance(ExprTree(f'replaceAll("{pattern}", "{text}", "-")').eval(), bool)
    assert time.process_time() - before < 20


def test_giving_up_is_error_in_a_search_and_no_match_in_a_list() -> None:
    text = "a" * 60 + "b"
    assert ExprTree(f'regexp("(a+)+$", "{text}")').eval() == Value.Error
    assert ExprTree(f'regexps("(a+)+$", "{text}", "x")').eval() == Value.Error
    assert ExprTree(f'regexpMember("(a+)+$", {{"{text}", "aa"}})').eval() is True
    with pytest.raises(StepLimit):
        Matcher(backtrack.tree(b"(a+)+$", 0)).search(text.encode())


def test_a_group_that_the_pattern_lacks_is_not_there() -> None:
    """As in ``re``: maps ask for nine of them."""
    found = Matcher(backtrack.tree(b"(a+)+b", 0)).search(b"aab")
    assert found is not None
    assert found.group(1) == b"aa"
    with pytest.raises(IndexError):
        found.group(2)
