"""Words of arguments and variables of environments, in both syntaxes, and what is said of mistakes."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.env import (
    import_environment,
    join_environment,
    join_v1,
    parse_environment,
    safe_v1,
)
from condor_py.lang.submit.env import parse_v2 as parse_environment_v2
from condor_py.model.arguments import (
    ArgumentError,
    is_v2_quoted,
    join_v2,
    parse_arguments,
    parse_v2,
    split_v1,
    split_v2,
    unquote_v2,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []), ("  ", []), ("a", ["a"]), (" a  b\tc\nd\re ", ["a", "b", "c", "d", "e"]), ("'a b'", ["'a", "b'"]),
        ("a\u00a0b", ["a\u00a0b"]), ("a\fb", ["a\fb"]),
    ],
)  # fmt: skip
def test_words_of_the_old_syntax(text: str, words: list[str]) -> None:
    assert split_v1(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []), ("a b", ["a", "b"]), ("'a b'", ["a b"]), ("''", [""]), ("a '' b", ["a", "", "b"]),
        ("a'b c'd", ["ab cd"]), ("'it''s'", ["it's"]), ("''''", ["'"]), ("'a'b", ["ab"]), ("a'b'", ["ab"]),
        (" 'a'\t'b' ", ["a", "b"]), ("'a''b' 'c'", ["a'b", "c"]), ("a''b", ["ab"]), ("' '", [" "]),
        ("x'\t'y", ["x\ty"]), ("'a'\r'b'\n'c'", ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_words_of_the_new_syntax(text: str, words: list[str]) -> None:
    assert split_v2(text) == words
    assert split_v2(join_v2(words)) == words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], ""), (["a"], "a"), (["a", "b"], "a b"), (["a b"], "a' 'b"), ([""], "''"), (["", ""], "'' ''"),
        (["it's"], "it''''s"), (["a  b"], "a'  'b"), (["a '"], "a' '''"), (["'"], "''''"), ([" "], "' '"),
        (["a\tb"], "a'\t'b"), (["a\nb", "c"], "a'\n'b c"), (['"'], '"'), (["a", "", "b"], "a '' b"),
        (["' "], "''' '"),
    ],
)  # fmt: skip
def test_words_joined(words: list[str], text: str) -> None:
    assert join_v2(words) == text
    assert split_v2(text) == words


@pytest.mark.parametrize(
    ("text", "inside"),
    [('""', ""), ('"a b"', "a b"), (' "a" ', "a"), ('"a""b"', 'a"b'), ('""""', '"'), ('"a"""', 'a"'), ('"""a"', '"a')],
)
def test_the_inside_of_double_quotes(text: str, inside: str) -> None:
    assert unquote_v2(text) == inside
    assert is_v2_quoted(text)


TRAILING = (
    "Unexpected characters following double-quote.  Did you forget to escape the double-quote by repeating it?  Here is"
    " the quote and trailing characters: "
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"', "Unterminated double-quote."), ('"a', "Unterminated double-quote."),
        ('"a""', "Unterminated double-quote."), ('"a" b', f'{TRAILING}" b\n'), ('"a"b"', f'{TRAILING}"b"\n'),
        ("\"a 'b\"", "Unbalanced quote starting here: 'b"), ("\"'a''\"", "Unbalanced quote starting here: 'a''"),
        ('a "b"', 'Found illegal unescaped double-quote: "b"'), ('a"', 'Found illegal unescaped double-quote: "'),
        ('\\"a "b', 'Found illegal unescaped double-quote: "b'),
    ],
)  # fmt: skip
def test_what_is_said_of_wrong_quotes(text: str, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_arguments(text)
    assert str(caught.value) == said


def test_which_syntax_arguments_have() -> None:
    assert parse_arguments("a 'b c'") == (["a", "'b", "c'"], True)
    assert parse_arguments("\"a 'b c'\"") == (["a", "b c"], False)
    assert parse_arguments('a \\"b\\" c') == (["a", '"b"', "c"], True)
    assert parse_arguments("") == ([], True)
    assert parse_arguments('""') == ([], False)
    assert parse_arguments("a\\b") == (["a\\b"], True)
    assert parse_v2('"a b"') == ["a", "b"]
    for text in ("a b", "", "'a'"):
        assert not is_v2_quoted(text)
        with pytest.raises(ArgumentError):
            parse_v2(text)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("", {}), ("A=1", {"A": "1"}), ("A=1;B=2", {"A": "1", "B": "2"}), ("A=1; B=2 ;", {"A": "1", "B": "2 "}),
        (";A=1;B=2", {"A": "1", "B": "2"}), ("|A=1|B=2;3", {"A": "1", "B": "2;3"}), ("A=", {"A": ""}),
        ("A=1;;B=2", {"A": "1", "B": "2"}), ("A=b=c", {"A": "b=c"}), ("A=1;A=2", {"A": "2"}), ("A= x", {"A": " x"}),
        ("A=$$(x);$$(y)", {"A": "$$(x)", "$$(y)": None}), ('"A=1 B=2"', {"A": "1", "B": "2"}),
        ("\"A='1 2' B=''\"", {"A": "1 2", "B": ""}), ('""', {}), ('"$$(x) A=1"', {"$$(x)": None, "A": "1"}),
        ("A='x y'", {"A": "'x y'"}), (' "A=1"', {"A": "1"}), ("A=1\nB=2", {"A": "1", "B": "2"}),
    ],
)  # fmt: skip
def test_variables_of_an_environment(text: str, table: dict[str, str | None]) -> None:
    assert parse_environment(text) == table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A", "ERROR: Missing '=' after environment variable 'A'."), ("=1", "ERROR: missing variable in '=1'."),
        ("A=1;B", "ERROR: Missing '=' after environment variable 'B'."),
        ('"A=1 B"', "ERROR: Missing '=' after environment variable 'B'."), ('"=1"', "ERROR: missing variable in '=1'."),
        ('"A=1', "Unterminated double-quote."),
    ],
)  # fmt: skip
def test_what_is_said_of_wrong_variables(text: str, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_environment(text)
    assert str(caught.value) == said


def test_an_environment_of_the_new_syntax_is_quoted() -> None:
    assert parse_environment_v2('"A=1"') == {"A": "1"}
    with pytest.raises(ArgumentError) as caught:
        parse_environment_v2("A=1")
    assert str(caught.value) == "Expecting a double-quoted environment string (V2 format)."


def test_texts_of_environments() -> None:
    table = {"B": "1 2", "A": "", "$$(x)": None, "C": "it's"}
    assert join_environment(table) == "$$(x) A= B=1' '2 C=it''''s"
    assert join_v1(table) == "$$(x);A=;B=1 2;C=it's"
    assert (join_environment({}), join_v1({})) == ("", "")
    tables: list[dict[str, str | None]] = [{"A": "1;2"}, {"A;": "1"}, {"A": "1\n"}, {"A\n": "1"}]
    for wrong in tables:
        with pytest.raises(ArgumentError, match="Environment entry is not compatible with V1 syntax: A"):
            join_v1(wrong)
    assert [safe_v1(text) for text in ("", "a", ";", "\n", "a;b", "a|b")] == [True, True, False, False, False, True]


@pytest.mark.parametrize(
    ("names", "v1", "taken"),
    [
        (None, False, "A HOME SEMI"), (None, True, "A HOME"), ("", False, "A HOME SEMI"), ("A", False, "A"),
        ("a", False, "A"), ("A,HOME", False, "A HOME"), ("A HOME", False, "A HOME"), ("A;HOME", False, "A HOME"),
        ("A\tHOME", False, "A HOME"), ("H*", False, "HOME"), ("*M*", False, "HOME SEMI"), ("!A", False, "HOME SEMI"),
        ("!A !H*", False, "SEMI"), ("* !A", False, "HOME SEMI"), ("A !A", False, ""), ("NONE", False, ""),
        ("[A]", False, ""), ("?", False, "A"), ("S*", True, ""), ("MINE", False, ""), ("TWO", False, ""),
    ],
)  # fmt: skip
def test_which_variables_of_the_submitter_are_taken(names: str | None, v1: bool, taken: str) -> None:
    env = {"A": "1", "HOME": "/h", "SEMI": "x;y", "TWO": "a\nb", "MINE": "theirs"}
    table: dict[str, str | None] = {"MINE": "mine"}
    import_environment(table, names, env, v1=v1)
    assert table == {"MINE": "mine", **{name: env[name] for name in taken.split()}}
