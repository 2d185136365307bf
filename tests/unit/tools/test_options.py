"""HTCondor's rules of spelling options."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.cli import entry
from condor_py.cli.command import help_text
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, match_option, parse
from condor_py.cli.q.spec import SPEC as Q

_SPEC = ToolSpec(
    name="condor_try",
    usage="[options] [words]",
    summary="Try options.",
    options=(
        Opt("autocluster", 2),
        Opt("attributes", 2, "NAMES"),
        Opt("autoformat", 5, "EXPR", colon="LETTERS", variadic=True),
        Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat"),
        Opt("format", 1, "FMT EXPR", dash_value=True),
        Opt("limit", 3, "N", convert=int, invalid="cannot use {value} for {spelling}"),
        Opt("long", 1, colon="FORM"),
        Opt("wait", EXACT, "SECONDS", convert=int),
        Opt("quiet", 1, help="accepted; it never says anything"),
    ),
    positional="WORD",
    positional_help="any word",
)  # fmt: skip


@pytest.mark.parametrize(
    ("arg", "name"),
    [
        ("-auto", "autocluster"),  # the first match in table order wins
        ("-autof", "autoformat"),
        ("-au", "autocluster"),
        ("-at", "attributes"),
        ("-lim", "limit"),
        ("-li", None),  # shorter than the minimum of limit, and no prefix of long
        ("-l", "long"),
        ("--long", "long"),
        ("--lon", None),  # two dashes want the whole name
        ("--af", "af"),
        ("-Long", None),  # case sensitive
        ("-wait", "wait"),
        ("-wai", None),
        ("-", None),
        ("--", None),
    ],
)
def test_prefix_rule(arg: str, name: str | None) -> None:
    found = match_option(_SPEC.options, arg)
    assert (found[0].name if found else None) == name


def test_colon_follows_the_shortened_name() -> None:
    found = match_option(_SPEC.options, "-af:jh")
    assert found is not None
    assert found[1] == "jh"
    assert match_option(_SPEC.options, "-limit:3") is None


def test_uses_keep_their_order_and_their_values() -> None:
    args = parse(_SPEC, ["-af:j", "A", "B", "-", "first", "-f", "-%d", "X", "-lim", "5", "-l:xml", "-af", "C"])
    assert [(use.name, use.colon, use.values) for use in args.uses] == [
        ("autoformat", "j", ("A", "B")),
        ("", None, ("first",)),
        ("format", None, ("-%d", "X")),
        ("limit", None, (5,)),
        ("long", "xml", ()),
        ("autoformat", None, ("C",)),
    ]
    assert args.positional == ("first",)
    assert args.number("limit") == 5
    assert args.colon("long") == "xml"


@pytest.mark.parametrize(
    ("argv", "text", "kind"),
    [
        (["-bogus"], "Error: unrecognized argument -bogus", "unknown"),
        (["-lim"], "condor_try: -limit requires another argument", "missing"),
        (["-af", "-l"], "condor_try: -af requires another argument", "missing"),
        (["-attributes", "-l"], "condor_try: -attributes requires another argument", "missing"),
        (["-lim", "many"], "cannot use many for -lim", "value"),
    ],
)
def test_usage_errors(argv: list[str], text: str, kind: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(_SPEC, argv)
    assert str(caught.value) == text
    assert caught.value.kind == kind


def test_help_shows_the_spelling_of_htcondor() -> None:
    text = help_text(_SPEC)
    assert text.startswith("Usage: condor_try [options] [words]\n")
    assert "-autoformat[:LETTERS] EXPR ..." in text
    assert "--" not in text


_values = st.text(st.characters(codec="ascii", exclude_characters="\x1f\x00-", categories=["L", "N", "P"]), min_size=1)


def _spelled(option: Opt) -> st.SearchStrategy[list[str]]:
    """An option in any spelling that means it, with values."""
    spellings = [
        "-" + option.name[:length]
        for length in range(max(1, option.min_length or len(option.name)), len(option.name) + 1)
        if (found := match_option(Q.options, "-" + option.name[:length])) is not None and found[0] is option
    ]
    value = _values if option.convert is str else st.integers(0, 99).map(str)
    if option.arg == "schedd":  # the only word that may follow
        value = st.just(option.arg)
    count = 2 if option.variadic else option.value_count
    return st.tuples(st.sampled_from(spellings), st.lists(value, min_size=count, max_size=count)).map(
        lambda pair: [pair[0], *pair[1], *(["-"] if option.variadic else [])]
    )


_words = st.lists(st.one_of(*(_spelled(option) for option in Q.options), _values.map(lambda word: [word])), max_size=4)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(_words)
def test_every_spelling_means_its_option(words: list[list[str]]) -> None:
    full = [["-" + found[0].name, *rest] if (found := match_option(Q.options, first)) else [first, *rest]
            for first, *rest in words]  # fmt: skip
    short, long = (parse(Q, [word for group in groups for word in group]).uses for groups in (words, full))
    assert [(use.name, use.values) for use in short] == [(use.name, use.values) for use in long]


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("condor_metrics", ["surplus"]),
        ("condor_preen", ["surplus"]),
        ("condor_setup", ["-dry-run", "surplus"]),
        ("condor_store_check", ["/nowhere", "surplus"]),
    ],
)
def test_words_that_a_tool_has_no_use_for(tool: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(tool, words) == 1
    assert capsys.readouterr().err.startswith("Error: unrecognized argument surplus\n")


def test_a_person_at_a_terminal_hears_of_an_option_that_does_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parse(_SPEC, ["-quiet"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    parse(_SPEC, ["-quiet", "-quiet", "-long"])
    assert capsys.readouterr().err == "condor_try: -quiet does nothing: it never says anything\n"


def test_times_are_not_taken_for_names_of_attributes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """-since of condor_history is a condition, that of condor_report a time."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    for value, warns in (("EXPR", True), ("TIME", False)):
        spec = ToolSpec(name="condor_try", usage="", summary="Try.", options=(Opt("since", 1, value),))
        parse(spec, ["-since", "lastweek"])
        assert ("lastweek" in capsys.readouterr().err) is warns
