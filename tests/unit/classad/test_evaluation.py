"""What expressions mean: scopes, matches, limits. (tests/spec/classad compares values with the reference.)"""

from __future__ import annotations

import sys
import threading

import pytest

from condor_py.lang.classad import (
    ClassAd,
    ClassAdEvaluationError,
    ClassAdParseError,
    ExprTree,
    Value,
    parse,
    rank,
    requirements_match,
    symmetric_match,
)


def ad_of(**attributes: str) -> ClassAd:
    return ClassAd.from_text_items(attributes.items())


JOB = ad_of(
    Requirements='TARGET.Arch == "x86_64" && TARGET.Memory >= RequestMemory && HasFileTransfer',
    RequestMemory="100",
    Owner='"alice"',
    Rank="Memory + (Cpus == 4)",
)


def slot(**changes: str) -> ClassAd:
    attributes = {
        "Requirements": "START",
        "Start": 'TARGET.Owner != "mallory" && RequestMemory < 1000',
        "Arch": '"X86_64"',
        "Memory": "200",
        "Cpus": "4",
        "HasFileTransfer": "true",
    }
    return ad_of(**(attributes | changes))


def test_a_match_looks_into_both_ads() -> None:
    assert requirements_match(JOB, slot())
    assert requirements_match(slot(), JOB)
    assert symmetric_match(JOB, slot())


@pytest.mark.parametrize(
    "changes",
    [
        {"Arch": '"ARM"'},
        {"Memory": "99"},
        {"Memory": "undefined"},
        {"HasFileTransfer": "false"},
        {"Start": "undefined"},
        {"Start": "1/0"},
        {"Start": '"yes"'},
        {"Start": "0"},
        {"Start": "RequestMemory > 1000"},
    ],
)
def test_what_is_not_true_does_not_match(changes: dict[str, str]) -> None:
    assert not symmetric_match(JOB, slot(**changes))


def test_no_requirements_match_nothing() -> None:
    assert not requirements_match(ClassAd(), slot())


def test_numbers_count_as_requirements() -> None:
    assert requirements_match(ad_of(Requirements="2.5"), ClassAd())


def test_rank_is_a_number_whatever_happens() -> None:
    assert rank(JOB, slot()) == 201.0
    assert rank(ad_of(Rank="true"), slot()) == 1.0
    for text in ("undefined", '"x"', "1/0", "{1}"):
        assert rank(ad_of(Rank=text), slot()) == 0.0
    assert rank(ClassAd(), slot()) == 0.0
    assert rank(ad_of(PREEMPTION_RANK="3"), slot(), "Preemption_Rank") == 3.0


def test_unscoped_names_prefer_the_own_ad() -> None:
    mine, other = ad_of(A="1", X="A + B"), ad_of(A="10", B="A * 100")
    assert mine.eval_int("X", target=other) == 1001
    assert mine.evaluate("X") is Value.Undefined


def test_references_of_the_target_are_evaluated_in_the_target() -> None:
    mine, other = ad_of(A="1", X="TARGET.Y"), ad_of(A="10", Y="MY.A + TARGET.A")
    assert mine.eval_int("X", target=other) == 11


def test_nested_ads_see_what_encloses_them() -> None:
    ad = ClassAd("[ a = 1; n = [ b = a + 1; m = [ c = b + a ] ]; x = n.m.c; y = n.a ]")
    assert ad.eval("x") == 3
    assert ad.eval("y") == 1


def test_a_cycle_is_undefined() -> None:
    ad = ad_of(A="B", B="A", C="C + 1", D="D ?: 5")
    assert ad.evaluate("A") is Value.Undefined
    assert ad.evaluate("C") is Value.Undefined
    assert ad.evaluate("D") == 5


def test_a_cycle_through_a_nested_ad_is_undefined() -> None:
    assert ClassAd("[ a = n.x; n = [ x = a ] ]").eval("a") is Value.Undefined


def test_beyond_the_limits_is_an_error_value_inside_and_an_exception_at_the_api() -> None:
    text = " + ".join(["1"] * 500)
    ad = ad_of(X=text)
    assert ad.evaluate("X") is Value.Error
    assert ad.eval_int("X", 7) == 7
    with pytest.raises(ClassAdEvaluationError):
        ExprTree(text).eval()
    with pytest.raises(ClassAdEvaluationError):
        ad.eval("X")


def test_exponential_work_ends() -> None:
    ad = ClassAd.from_text_items([("a0", "1 + 1"), *((f"a{i}", f"a{i - 1} + a{i - 1}") for i in range(1, 60))])
    assert ad.evaluate("a10") == 2048
    assert ad.evaluate("a59") is Value.Error


def test_python_recursion_is_never_the_limit() -> None:
    def deep(levels: int) -> object:
        if levels:
            return deep(levels - 1)
        chain = ClassAd.from_text_items([("a390", "1"), *((f"a{i}", f"a{i + 1}") for i in range(390))])
        nested = "(" * 160 + "a" + ")" * 160
        return chain.evaluate("a0"), parse(nested).text, parse("!" * 400 + "b").text.count("!")

    limit = sys.getrecursionlimit()
    assert deep(limit - 300) == (1, "(" * 160 + "a" + ")" * 160, 400)
    assert sys.getrecursionlimit() == limit


def test_long_chains_parse_and_print() -> None:
    text = " + ".join(["1"] * 20_000)
    assert parse(text).text == text


def test_a_thread_with_a_small_stack_is_enough() -> None:
    results = []
    before = threading.stack_size(256 * 1024)
    try:
        ad = ClassAd.from_text_items([("a390", "1"), *((f"a{i}", f"(a{i + 1})") for i in range(390))])
        thread = threading.Thread(target=lambda: results.append(ad.evaluate("a200")))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert results == [1]


@pytest.mark.parametrize(
    ("text", "offset"),
    [("1 +", 3), ("(1", 2), ('"abc', 0), ("a b", 2), ("{1,}", 3), ("f(1", 3), ("1 ? 2", 5), ("5.", 0), ("a.1", 1)],
)
def test_parse_errors_point_at_the_place(text: str, offset: int) -> None:
    with pytest.raises(ClassAdParseError) as caught:
        parse(text)
    assert caught.value.offset == offset
    assert repr(text) in str(caught.value)


def test_functions_evaluate_only_what_they_need() -> None:
    assert parse('ifThenElse(true, 1, nosuchfunction("x"))').eval() == 1
    assert parse("nosuchfunction(1)").eval() is Value.Error


def test_an_expression_in_each_of_several_ads() -> None:
    gpus = ClassAd(
        '[ Available = { G1, G2 }; G1 = [ Capability = 4.0; Name = "a" ]; G2 = [ Capability = 7.5; Name = "b" ] ]'
    )
    job = ad_of(RequireGPUs="Capability > MinCap", MinCap="5")
    gpus.set_text("Requirements", "countMatches(TARGET.RequireGPUs, Available) >= 1")
    assert requirements_match(gpus, job)
    job.set_text("MinCap", "8")
    assert not requirements_match(gpus, job)
    assert gpus.eval_text("evalInEachContext(Name, Available)") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "attribute", "reference"),
    [
        ("[ a = a =?= undefined ]", False, True),
        ("[ a = isUndefined(a) ]", False, True),
        ("[ a = b =?= undefined; b = a ]", False, True),
        ("[ a = b; b = a =?= undefined ]", True, True),
        ("[ a = a + 1 ]", Value.Undefined, Value.Undefined),
        ("[ a = b; b = c; c = a =?= undefined ]", True, True),
    ],
)
def test_an_attribute_that_refers_to_itself(text: str, attribute: object, reference: object) -> None:
    """Recorded from classad2: a reference to what a reference is about is undefined; an ad asked for an attribute
    evaluates its expression, which is no reference."""
    ad = ClassAd(text)
    assert (ad.eval("a"), ExprTree("a").eval(ad)) == (attribute, reference)
    ad["Requirements"] = ExprTree("a")
    assert ClassAd("[]").matches(ad) is (reference is True)


def test_requirements_that_ask_for_themselves() -> None:
    """Recorded from classad2: they are evaluated once more."""
    ad, other = ClassAd("[ Requirements = Requirements =?= undefined ]"), ClassAd("[ Requirements = true ]")
    assert (ad.matches(other), other.matches(ad), ad.symmetricMatch(other)) == (True, False, False)
    other = ClassAd("[ Requirements = TARGET.Requirements ]")
    assert (ad.matches(other), other.matches(ad), ad.symmetricMatch(other)) == (True, False, False)
