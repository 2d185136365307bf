"""Traps in expressions: each is found, at its place, and what is fine is left alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from condor_py.lang.classad import ClassAd, is_valid, parse
from condor_py.lang.classad.analyze import Finding, analyze, names, when_missing
from condor_py.lang.classad.functions import function_names
from condor_py.lang.classad.nodes import same
from condor_py.lang.classad.parser import parse_node
from condor_py.lang.classad.spans import locate
from condor_py.lang.classad.values import ERROR, UNDEFINED
from condor_py.model import attributes


def only(text: str, **where: Any) -> tuple[str, str, str]:
    """Kind, marked text and hint of the one finding."""
    (found,) = analyze(text, **where)
    return found.kind, text[found.span[0] : found.span[1]], found.hint


# ---- what is wrong ------------------------------------------------------------------------------------------

TRAPS = [
    # precedence
    ("a1 && b1 || c1", "precedence", "a1 && b1", "write (a1 && b1)"),
    ("!a1 == b1", "precedence", "!a1 == b1", "write !(a1 == b1)"),
    ("1 < Memory < 5", "chained", "1 < Memory < 5", "write 1 < Memory && Memory < 5"),
    ("Memory > 10 & Cpus > 2", "bitwise", "Memory > 10 & Cpus > 2", "write && to join conditions"),
    ("x1 ?: 1 + 2", "precedence", "x1 ?: 1 + 2", "write the parentheses, or x1 ?: (1 + 2) if that is meant"),
    # comparisons
    ("x1 == undefined", "undefined-comparison", "x1 == undefined", "write x1 =?= undefined"),
    ("undefined != x1", "undefined-comparison", "undefined != x1", "write x1 =!= undefined"),
    ("x1 =?= {1, 2}", "identity", "x1 =?= {1, 2}", "write member() or identicalMember(), or compare elements"),
    ("x1 == {1, 2}", "types", "x1 == {1, 2}", "write member() or identicalMember(), or compare elements"),
    ("Cpus =?= 1.0", "identity", "Cpus =?= 1.0", "write ==, or 1"),
    ('Memory > "1024"', "types", 'Memory > "1024"', "compare with a number"),
    ("OpSys == 5", "types", "OpSys == 5", "compare with a string"),
    ('JobUniverse == "vanilla"', "types", 'JobUniverse == "vanilla"', "vanilla is 5"),
    ('JobStatus == "Held"', "types", 'JobStatus == "Held"', "Held is 5"),
    ("Arch == 'X86_64'", "quoted-name", "'X86_64'", 'write "X86_64"'),
    # constants, repetitions, contradictions
    ("x1 > 2 && 3 > 4", "constant", "3 > 4", "leave it out, or name the attribute that it should depend on"),
    ("x1 && false", "constant", "false", "leave it out, or name the attribute that it should depend on"),
    ("x1 > 1 && y1 && (x1 > 1)", "duplicate", "x1 > 1", "leave one out"),
    ("x1 > 10 && y1 && x1 < 5", "contradiction", "x1 < 5", "write || if one of them is enough, or leave one out"),
    ("x1 > 5 && x1 <= 5", "contradiction", "x1 <= 5", "write || if one of them is enough, or leave one out"),
    ("x1 == 5 && 6 <= x1", "contradiction", "6 <= x1", "write || if one of them is enough, or leave one out"),
    ('a1 == "X" && a1 == "y"', "contradiction", 'a1 == "y"', "write || if one of them is enough, or leave one out"),
    ("a1 =?= undefined && a1 > 3", "contradiction", "a1 > 3", "write || if one of them is enough, or leave one out"),
    # names
    ("TARGET.Memroy > 3", "unknown-attribute", "TARGET.Memroy", "did you mean Memory?"),
    ("RequestGPU > 3", "unknown-attribute", "RequestGPU", "did you mean RequestGPUs?"),
    ("ifThenEls(a1, 2, 3)", "unknown-function", "ifThenEls", "did you mean ifthenelse()?"),
    ('regexp("*.txt", a1)', "bad-pattern", '"*.txt"',
     "check brackets and backslashes; for a * as in file names write .*"),
    # missing attributes
    ("x1 != 3", "undefined", "x1 != 3", "write x1 =!= 3 if that should be true then"),
    ("!x1", "undefined", "x1", "write x1 =!= true"),
    # syntax
    ("x1 = 3", "syntax", "=", "= gives an attribute its value; comparing is =="),
    ("x1 => 3", "syntax", "=", "write >="),
    ("x1 =< 3", "syntax", "=", "write <="),
    ("x1 === 3", "syntax", "=", "write =?= or =="),
    ("x1 <> 3", "syntax", ">", "write !="),
    ("x1 and y1", "syntax", "and", "write && for and"),
    ("not x1", "syntax", "x1", "write ! for not"),
    ("$(LIMIT) > 3", "syntax", "$", "macros such as $(NAME) are expanded in configuration and submit files only"),
    ("(x1 > 3", "syntax", "", "the expression ends too early"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "marked", "hint"), TRAPS, ids=[trap[0] for trap in TRAPS])
def test_traps(text: str, kind: str, marked: str, hint: str) -> None:
    assert only(text) == (kind, marked, hint)


FINE = [
    "true", "START", "(a1 && b1) || c1", "!(Arch == State)", "a1 || b1 ? 1 : 2", "1 < Memory && Memory < 5",
    "x1 =?= undefined", "x1 ?: 1 > 2", "(x1 ?: 1) + 2", "Cpus == 1.0", "Memory =?= 5", 'TARGET.OpSys == "LINUX"',
    "x1 > 5 && x1 >= 5 && x1 != 6", "x1 =!= true || !x1",
    "x1 > 5 || x1 < 3", "x1 >= 5 && x1 <= 5", "MY.x1 > 5 && TARGET.x1 < 5",
    'x1 == "a" && x1 != "b"', "x1 && true", "x1 || false", "time() > 5", "random(10) > 3 && x1",
    'regexp("^a.*z$", TARGET.Name)', "MyOwnThing > 3", "RequestFpgas > 1", "[x1 = 1; y1 = x1].y1 == 1 && x1 > 5",
    "DeviceGPUsAverageUsage > 0.5", "GPUs_Capability >= 8", "member(\"a\", x1)", "",
]  # fmt: skip


@pytest.mark.parametrize("text", FINE[:-1])
def test_what_is_fine_is_left_alone(text: str) -> None:
    assert analyze(text) == ()


def test_several_findings_come_in_order_of_the_text() -> None:
    text = "Memroy > 3 && Memory < 5 && Memory > 6 || x1 == undefined"
    found = analyze(text)
    assert {finding.kind for finding in found} == {
        "unknown-attribute", "precedence", "contradiction", "undefined-comparison"
    }  # fmt: skip
    assert [finding.span for finding in found] == sorted(finding.span for finding in found)
    assert all(isinstance(finding, Finding) for finding in found)


# ---- undefined ----------------------------------------------------------------------------------------------


def test_a_policy_must_decide_even_where_an_attribute_is_missing() -> None:
    kind, marked, hint = only("NumShadowStarts > 3 && JobStatus == 2", purpose="policy", owner="job")
    assert (kind, marked) == ("undefined", "NumShadowStarts > 3")
    assert hint.startswith("write NumShadowStarts =!= undefined && NumShadowStarts > 3, or ")


@pytest.mark.parametrize(
    "text",
    [
        "x1 =!= undefined && x1 > 3",
        "(x1 ?: 0) > 3",
        "isUndefined(x1) || x1 > 3",
        "ifThenElse(isUndefined(x1), false, x1 > 3)",
        "x1 =?= true",
        "JobStatus == 2 && QDate > 5",
    ],
)
def test_a_guarded_policy_is_fine(text: str) -> None:
    assert analyze(text, purpose="policy", owner="job") == ()


def test_attributes_of_an_example_are_there() -> None:
    example = ClassAd.from_text_items([("Heat", "5"), ("Colour", '"red"')])
    assert analyze("Heat > 3", purpose="policy", ad=example) == ()
    assert only("Heat > 3 && Colour == 5", purpose="policy", ad=example)[0] == "types"
    assert only("Heta > 3", ad=ClassAd.from_text_items([("HeatLoad", "5"), ("HetaX", "1")]))[2] == "did you mean HetaX?"


def test_scopes_are_checked_when_the_owner_is_known() -> None:
    assert only("TARGET.RequestMemory > 3", owner="job") == (
        "wrong-scope", "TARGET.RequestMemory", "write MY.RequestMemory"
    )  # fmt: skip
    assert only("MY.RequestMemory > 3", owner="slot")[2] == "write TARGET.RequestMemory"
    assert analyze("TARGET.RequestMemory > 3") == ()


def test_what_an_expression_becomes_without_an_attribute() -> None:
    assert when_missing("Foo > 3", "Foo") == {"undefined"}
    assert when_missing("Foo > 3 || bar", "foo") == {"true", "undefined"}
    assert when_missing("Foo > 3 && bar", "Foo") == {"false", "undefined"}
    assert when_missing("Foo =?= 3", "Foo") == {"false"}
    assert when_missing("TARGET.Foo + 1", "target.Foo") == {"undefined"}
    assert when_missing("floor(Foo)", "Foo") == {"error"}
    assert when_missing("Foo > 3", "Bar") == {"true", "false"}


# ---- references and positions -------------------------------------------------------------------------------


def test_names_by_the_way_they_are_written() -> None:
    found = names("MY.a > TARGET.B && (c + MY.A) > d.e && [x = 1; y = x].y == f[g]")
    assert found.my == ("a",)
    assert found.target == ("B",)
    assert found.unscoped == ("c", "d", "f", "g")


LEAVES = [
    "1", "-2", "2.5", '"a b"', r'"q\"r"', "true", "undefined", "a", "MY.b", "TARGET.q", ".c", "'x y'", "f.g.h",
    'absTime("2020-01-01T00:00:00Z")', "{ }", "{1, a,b}", "[x = 1; y = { x }; ]", "time( )", "size(a)", "n[2]",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "<", "==", "=?=", "is", "isnt", "&&", "||", "&", ">>>", "?:", "%"]


def expression(random: Random, depth: int) -> str:
    if depth == 0:
        return random.choice(LEAVES)
    inner = [expression(random, depth - 1) for _ in range(3)]
    gap = random.choice(["", " ", "  ", " /* note */ ", "\n"])
    forms = [
        f"{inner[0]}{gap} {random.choice(OPERATORS)} {gap}{inner[1]}", f"({gap}{inner[0]}{gap})", f"!{gap}{inner[0]}",
        f"-{gap}{inner[0]}", f"{inner[0]} ? {inner[1]} :{gap}{inner[2]}", f"f({inner[0]},{gap}{inner[1]})",
        f"{{{inner[0]}{gap}, {inner[1]}}}", f"({inner[0]})[{gap}{inner[1]}]", f"({inner[0]}).name",
    ]  # fmt: skip
    return random.choice(forms)


@settings(max_examples=800, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_positions_hold_the_text_of_every_part(seed: int) -> None:
    text = expression(Random(seed), 3)
    assume(is_valid(text))
    whole = locate(text)
    assert same(whole.node, parse_node(text))
    for part in whole.walk():
        assert same(parse_node(text[part.start : part.end]), part.node)


@settings(max_examples=800, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_any_expression_can_be_analysed(seed: int) -> None:
    random = Random(seed)
    text = expression(random, 3)
    for found in analyze(text, purpose=random.choice(["match", "policy"]), owner=random.choice(["job", "slot", ""])):
        start, end = found.span
        assert 0 <= start < end <= len(text)
        assert found.message
        assert found.hint


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(st.text(" \"'\\a1.;=?:!&|<>+-(){}[],x$\n", max_size=12))
def test_any_text_can_be_analysed(text: str) -> None:
    for found in analyze(text):
        assert 0 <= found.span[0] <= found.span[1] <= len(text)


# ---- the abstract evaluation against the real one -----------------------------------------------------------

BOOLEANS = [
    "a", "b", "foo", "TARGET.t", "true", "false", "undefined", "n > 1", "foo > 1", "n == foo", "isUndefined(foo)",
]  # fmt: skip


def kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "undefined" if value is UNDEFINED else "error" if value is ERROR else "value"


def condition(random: Random, depth: int) -> str:
    if depth == 0:
        return random.choice(BOOLEANS)
    inner = [condition(random, depth - 1) for _ in range(3)]
    return random.choice(
        [
            f"({inner[0]}) {random.choice(['&&', '||', '=?=', '=!=', '=='])} ({inner[1]})", f"!({inner[0]})",
            f"({inner[0]}) ? ({inner[1]}) : ({inner[2]})", f"({inner[0]}) ?: ({inner[1]})",
            f"ifThenElse({inner[0]}, {inner[1]}, {inner[2]})",
        ]
    )  # fmt: skip


@settings(max_examples=1000, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_what_happens_is_among_what_was_foreseen(seed: int) -> None:
    random = Random(seed)
    text = condition(random, 3)
    foreseen = when_missing(text, "foo")
    own = {"a": random.choice([True, False]), "b": random.choice([True, False]), "n": random.choice([1, 2])}
    shown = kind_of(ClassAd(own).raw(parse(text), ClassAd({"t": random.choice([True, False])})))
    assert shown in foreseen or ("value" in foreseen and shown in ("true", "false"))


@pytest.mark.parametrize("name", [name for name in function_names() if name not in ("userhome", "ifthenelse", "eval")])
def test_functions_of_a_missing_attribute_are_foreseen(name: str) -> None:
    for count in (1, 2, 3):
        for at in range(count):
            for sample in ('"1"', "1", "{1}", '{"1"}'):
                args = [sample] * count
                args[at] = "foo"
                text = f"{name}({', '.join(args)})"
                shown, foreseen = kind_of(ClassAd().raw(parse(text))), when_missing(text, "foo")
                if shown != "error":  # of samples that do not fit
                    assert shown in foreseen or ("value" in foreseen and shown in ("true", "false")), text


# ---- the names ----------------------------------------------------------------------------------------------


def test_names_are_known_without_case_and_by_pattern() -> None:
    assert attributes.is_known("requestMEMORY")
    assert attributes.is_known("MachineAttrGLIDEIN_Site0")
    assert attributes.is_known("CpusProvisioned")
    assert not attributes.is_known("Memroy")


def test_the_sets_of_types_do_not_overlap() -> None:
    assert not attributes.NUMBERS & attributes.STRINGS
    assert not attributes.NUMBERS & attributes.BOOLEANS
    assert not attributes.STRINGS & attributes.BOOLEANS
