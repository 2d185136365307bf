"""Arguments and environment in both syntaxes (condor_submit manual, "arguments", "environment")."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.lang.submit import env
from condor_py.model import arguments as args


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b  c", ["a", "b", "c"]),
        ("", []),
        (r"say \"hi\" 'there'", ["say", '"hi"', "'there'"]),
        ("one\ttwo", ["one", "two"]),
    ],
)
def test_old_syntax_splits_at_blanks_only(text: str, words: list[str]) -> None:
    assert args.parse_arguments(text) == (words, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"3 simple arguments"', ["3", "simple", "arguments"]),
        ("\"one 'two with spaces' 3\"", ["one", "two with spaces", "3"]),
        ("\"one \"\"two\"\" 'spacey ''quoted'' argument'\"", ["one", '"two"', "spacey 'quoted' argument"]),
        ("\"''\"", [""]),
        ("\"a'b c'd\"", ["ab cd"]),
        ('  "a"  ', ["a"]),
    ],
)
def test_new_syntax_quotes(text: str, words: list[str]) -> None:
    assert args.parse_arguments(text) == (words, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"open', "Unterminated double-quote."),
        ('"a" b', 'the quote and trailing characters: " b'),
        ('"it\'s"', "Unbalanced quote starting here: 's"),
        ('say "hi"', 'Found illegal unescaped double-quote: "hi"'),
    ],
)
def test_bad_quoting_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(args.ArgumentError) as caught:
        args.parse_arguments(text)
    assert message in str(caught.value)


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters='\0"\n\r'), max_size=8), max_size=6))
@settings(max_examples=300)
def test_joined_words_split_into_the_same_words(words: list[str]) -> None:
    assert args.split_v2(args.join_v2(words)) == words


def test_quotes_stand_only_around_what_needs_them() -> None:
    assert args.join_v2(["a b", "", "it's"]) == "a' 'b '' it''''s"


def test_environment_of_both_syntaxes() -> None:
    expected = {"A": "1", "B": "x y"}
    assert env.parse_environment("\"A=1 B='x y'\"") == expected
    assert env.parse_environment("A=1;B=x y") == expected
    assert env.parse_environment("|A=1|B=x y") == expected


def test_environment_text_is_sorted() -> None:
    assert env.join_environment({"B": "2", "A": "it's"}) == "A=it''''s B=2"
    assert env.join_v1({"B": "2", "A": "1"}) == "A=1;B=2"


@pytest.mark.parametrize(
    ("text", "message"),
    [("A", "Missing '='"), ("=1", "missing variable"), ('"A=1 B"', "'B'"), ("\"A=1 ''\"", "variable ''")],
)
def test_bad_environment_names_the_entry(text: str, message: str) -> None:
    with pytest.raises(args.ArgumentError) as caught:
        env.parse_environment(text)
    assert message in str(caught.value)


def test_getenv_takes_patterns_and_leaves_what_the_job_sets() -> None:
    table: env.Table = {"HOME": "/job"}
    env.import_environment(
        table, "PATH, LC_* !LC_ALL HOME", {"PATH": "/bin", "LC_ALL": "C", "LC_X": "1", "HOME": "/"}, v1=False
    )
    assert table == {"HOME": "/job", "PATH": "/bin", "LC_X": "1"}


def test_getenv_skips_values_the_queue_cannot_hold() -> None:
    table: env.Table = {}
    env.import_environment(table, None, {"A": "1\n2", "B": "x;y", "C": "z"}, v1=True)
    assert table == {"C": "z"}
