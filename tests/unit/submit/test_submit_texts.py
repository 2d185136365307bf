"""Texts of values: numbers and sizes as commands write them, expressions as HTCondor writes them back."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.text import (
    canonical,
    evaluate,
    literal,
    quote,
    references,
    split_references,
    unquote,
    wrap_for_and,
    wrap_for_or,
)
from condor_py.lang.submit.units import parse_bool, parse_int, parse_size

KB, MB = 1 << 10, 1 << 20


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5", (5, "", "")), (" 5", (5, "", "")), ("5 ", (5, "", "")), (" 5 ", (5, "", "")),
        ("0", (0, "", "")), ("0.0", (0, "", "")), ("-0", (0, "", "")), ("5.", (5, "", "")), (".", (0, "", "")),
        (".5", (1, "", "")), ("1.9", (2, "", "")), ("1.001", (2, "", "")), ("1.0009", (1, "", "")),
        ("2K", (1, "K", "")), ("2kb", (1, "k", "")), ("2KB", (1, "K", "")), ("2M", (2, "M", "")), ("2m", (2, "m", "")),
        ("2G", (2048, "G", "")), ("2g", (2048, "g", "")), ("2 G", (2048, "G", "")), ("2\tGB", (2048, "G", "")),
        ("1T", (MB, "T", "")), ("1.5t", (1572864, "t", "")), ("1.0625G", (1088, "G", "")), ("+2G", (2048, "G", "")),
        ("1.25M", (2, "M", "")), ("1025K", (2, "K", "")), ("1024K", (1, "K", "")), ("1023K", (1, "K", "")),
        ("-5", (-4, "", "")), ("-2G", (-2047, "G", "")),
        ("5" * 400, (int("5" * 400), "", "")), (f" {'5' * 399}", (int("5" * 399), "", "")),
        ("5" * 401, None), (" " + "5" * 400, None),
        ("", None), ("  ", None), ("x", None), ("+", None), ("-", None), ("-.5", None), ("5x", None),
        ("5 x", None), ("2B", None), ("2Gx", None), ("2G x", None), ("G", None), ("B", None), ("1.2.3", None),
        ("1e3", None), ("5,6", None), ("(5)", None), ("x5", None), ("K5", None),
    ],
)  # fmt: skip
def test_a_size_in_megabytes(text: str, size: tuple[int, str, str] | None) -> None:
    assert parse_size(text, MB) == size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5,6", (5, "", ",6")), ("5 , 6", (5, "", ", 6")), ("2M,", (2048, "M", ",")), ("2M;3", None), ("2M x,3", None),
        (",5", None), ("5", (5, "", "")),
    ],
)  # fmt: skip
def test_a_size_in_kilobytes_that_others_follow(text: str, size: tuple[int, str, str] | None) -> None:
    assert parse_size(text, KB, ",") == size


@pytest.mark.parametrize(
    ("text", "number", "truth"),
    [
        ("5", 5, True), ("0", 0, False), ("1", 1, True), ("-0", 0, False), ("+5", 5, True), ("-5", -5, True),
        (" 5 ", 5, True), ("x5", None, None), ("-a5", None, None), ("--5", 5, True), ("5.9", 5, True),
        ("-5.9", -5, True), ("0.5", 0, True), ("0.0", 0, False), ("2 - 2", 0, False), ("2 * 3", 6, True),
        ("true", 1, True), ("TRUE", 1, True), (" false ", 0, False), ("False", 0, False), ("3 > 2", 1, True),
        ("1e400", None, True), ('"5"', None, None), ("5 5", None, None), ("", None, None), ("undefined", None, None),
        ("error", None, None), ("yes", None, None), ("5" * 400, int("5" * 400), False), ("5" * 401, None, False),
        ("-" + "5" * 399, -int("5" * 399), False), ("+" + "5" * 30, int("5" * 30), False),
        ("-" + "5" * 400, None, False),
    ],
)  # fmt: skip
def test_an_integer_and_a_truth_value(text: str, number: int | None, truth: bool | None) -> None:
    assert parse_int(text, evaluate) == number
    found = parse_bool(text, evaluate)
    assert found is truth or len(text) > 300  # digits without end are no number of ClassAds


@pytest.mark.parametrize(
    ("text", "written", "value"),
    [
        ("0", "0", 0), ("7", "7", 7), ("10", "10", 10), ("007", None, None), ("00", None, None),
        ("\u0663", None, None), ("9" * 18, "9" * 18, int("9" * 18)), ("1" * 19, "1" * 19, int("1" * 19)),
        ("9" * 19, "0", 0), ("TRUE", "true", True), ("False", "false", False), ("1.50", "1.5", 1.5),
        ('"a"', '"a"', "a"), ('"a\\"b"', '"a\\"b"', 'a"b'), ("-5", "-5", -5), ("+5", " +5", None),
        ("{1,2}", "{ 1,2 }", None), ("x", "x", None), ("a  +b", "a + b", None), ("((", None, None),
    ],
)  # fmt: skip
def test_an_expression_is_written_back_and_a_literal_has_a_value(text: str, written: str | None, value: object) -> None:
    assert canonical(text) == written
    assert literal(text) == value
    assert type(literal(text)) is type(value)


@pytest.mark.parametrize("text", ["", "undefined", "error", "UNDEFINED"])
def test_what_is_no_number_string_or_truth_value_is_no_literal(text: str) -> None:
    assert literal(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("2.5", 2.5), ('"a"', "a"), ("true", True), ("1 + 1", 2), ('strcat("a","b")', "ab"),
        ("undefined", None), ("error", None), ("x", None), ("((", None), ("{1}", None), ("[a=1]", None), ("1/0", None),
    ],
)  # fmt: skip
def test_values_of_expressions_that_know_no_ad(text: str, value: object) -> None:
    assert evaluate(text) == value
    assert type(evaluate(text)) is type(value)


def test_strings_of_the_old_syntax() -> None:
    for value, text in (("", '""'), ("a", '"a"'), ('a"b', '"a\\"b"'), ("a\\b", '"a\\b"')):
        assert quote(value) == text
        assert unquote(text) == value
    for text in ('"', 'a"', '"a', '"a"b"', "a", "", "'a'", '"a" + "b"'):
        assert unquote(text) is None


@pytest.mark.parametrize(
    ("text", "own", "machine"),
    [
        ("a + MY.b + TARGET.c + other.d + x.e + x.y.f", "a b", "c d x"),
        ("f(a, {b}, [c = d])", "a b", "d"),
        ("My.A ? TARGET.B : C", "a b", "c"),
        ("MY.x.y", "x", ""), ("a[b]", "a b", ""), ("parent.q", "", "parent"), ("x[MY.b].c", "b", "x"),
        ("x.MY.b", "", "x"), ("x.TARGET.b", "", "x"), ("!q && -r", "", "q r"), ("TARGET.a", "a", ""), ("5", "", ""),
    ],
)  # fmt: skip
def test_attributes_that_an_expression_reads(text: str, own: str, machine: str) -> None:
    """Of names without scope, a and b are the job's."""
    found = split_references(text, frozenset(("a", "b")))
    assert found == (frozenset(own.split()), frozenset(machine.split()))
    assert references(text) == frozenset((*own.split(), *machine.split()))


def test_what_does_not_parse_reads_nothing() -> None:
    assert split_references("((", frozenset()) is None
    assert references("((") == frozenset()


@pytest.mark.parametrize(
    ("text", "for_or", "for_and"),
    [
        ("a", "a", "a"), ("a||b", "a||b", "(a||b)"), ("a && b", "a && b", "a && b"), ("a?b:c", "(a?b:c)", "(a?b:c)"),
        ("a ?: b", "(a ?: b)", "(a ?: b)"), ("(a||b)", "(a||b)", "(a||b)"), ("!a", "!a", "!a"), ("((", None, None),
        ("a == b", "a == b", "a == b"),
    ],
)  # fmt: skip
def test_parentheses_where_an_operator_is_weaker(text: str, for_or: str | None, for_and: str | None) -> None:
    assert (wrap_for_or(text), wrap_for_and(text)) == (for_or, for_and)
