"""Functions: what depends on the clock, on chance and on patterns. (tests/spec/classad compares the rest.)"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd, ClassAdException, Value, clock, parse
from condor_py.lang.classad.functions import find_function, function_names
from condor_py.lang.classad.functions.pcre import translate


def value(text: str) -> object:
    return parse(text).eval(ClassAd())


def test_every_function_that_is_listed_exists() -> None:
    assert [name for name in function_names() if find_function(name) is None] == []


def test_time_functions_read_the_clock_hook() -> None:
    with clock.frozen(86400.5):
        assert value("time()") == 86400
        assert value("int(currentTime())") == 86400
        assert value("time() - 86400") == 0
    assert value("time(1)") is Value.Error


@pytest.mark.parametrize(
    ("ad", "form", "text"),
    [
        ("[]", "%c", "Sun Jan  0 00:00:00 1900"),
        ("[]", "%d %j %U %w", "00 000 00 0"),
        ("[Year = 2020]", "%Y %m %d", "2020 01 00"),
        ("[Month = 0]", "%b %c", "? Fri ?  0 00:00:00 1900"),
        ("[Month = 13; Hours = 25; Minutes = 99; Seconds = 99]", "%m %H %M %S", "13 25 99 99"),
        ("[Day = -5]", "%d %j %a", "-5 -05 Tue"),
        ("[Year = -5]", "%c", "Sun Jan  0 00:00:00 -5"),
        ("[x = 3; Day = x + 1]", "%d", "04"),
        ("[Day = 2.7]", "%d", "00"),
        ("[Day = 1]", "", ""),
    ],
)
def test_a_time_is_formatted_with_the_parts_that_its_ad_has(ad: str, form: str, text: str) -> None:
    assert value(f'formatTime({ad}, "{form}")') == text


def test_a_text_of_a_time_has_a_limit() -> None:
    assert value(f'formatTime(0, "{"%c" * 40}")') != Value.Error
    assert value(f'formatTime(0, "{"%c" * 50}")') is Value.Error


@pytest.mark.parametrize("offset", ["-1", "-1.5", "relTime(-1)"])
def test_no_zone_is_a_second_off(offset: str) -> None:
    with pytest.raises(ClassAdException, match="zone"):
        value(f"absTime(3600, {offset})")
    assert value("int(absTime(3600, -2))") == 3600
    assert value("int(absTime(1.5, -1))") == 1


def test_random_reads_its_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "uniform", lambda: 0.75)
    assert value("random()") == 0.75
    assert value("random(100)") == 75
    assert value("random(2.0)") == 1.5
    assert value('random("x")') is Value.Error


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^slot\\d+@", "slot12@host", True),
        ("[[:alpha:]]+[[:digit:]]\\z", "abc1", True),
        ("a\\Qb.c\\E", "ab.c", True),
        ("a\\Qb.c\\E", "abxc", False),
        ("(?i)ABC", "xabc", True),
        ("x(?i)abc", "xABC", True),
        ("(?<year>\\d{4})-\\k<year>", "2024-2024", True),
        ("a++b", "aaab", True),
        ("(?>a+)ab", "aaab", False),
        ("end$", "end\n", True),
        ("\\x{41}", "A", True),
        ("^.{2}$", "\u00e9", True),
        ("[]a]", "]", True),
        ("^\\v\\V\\h\\H$", "\nb\tb", True),
        ("^[\\v][\\V][\\h][\\H]$", "\rb b", True),
        ("[\\V\\H]", "\n", True),
        ("^[\\V]$|^[\\H]$", "\n", True),
        ("^[\\V]$", "\x0b", False),
        ("\\o{101}[\\o{102}]\\cA[\\ca]", "AB\x01\x01", True),
        ("(?C1)a(?C)b(?C'x')", "ab", True),
        ("(?J)(?i)A(?-J)", "a", True),
        ("^a{,2}$", "a{,2}", True),
        ("^a{,2}$", "aa", False),
        ("a(?#note)b", "ab", True),
        ("(?=.*b)a", "ab", True),
    ],
)
def test_patterns_are_perl_compatible(pattern: str, text: str, matches: bool) -> None:
    ad = ClassAd({"P": pattern, "T": text})
    assert ad.eval_text("regexp(P, T)") is matches


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "[", "a{2", "(?<n>", "\\", "*a", "(?|a)", "[[:nope:]]", "(?#", "(?C256)", "\\c", "\\o{400}", "(*UTF)a"],
)
def test_bad_patterns_are_error_or_literal_never_an_exception(pattern: str) -> None:
    ad = ClassAd({"P": pattern})
    assert ad.eval_text('regexp(P, "x")') in (Value.Error, False)


def test_translation_leaves_ordinary_patterns_alone() -> None:
    for pattern in (b"abc", b"^a.*b?$", b"(a|b)+", b"[^x-z]{2,3}", rb"\w+\s\d\.", rb"(?:a)(?!b)\1"):
        assert translate(pattern) == pattern
        re.compile(pattern) if b"\\1" not in pattern else None


def test_the_manual_page_has_every_function() -> None:
    page = (Path(__file__).parents[3] / "man" / "man5" / "classads.5").read_text().lower()
    assert [name for name in function_names() if f"{name}(" not in page] == []
