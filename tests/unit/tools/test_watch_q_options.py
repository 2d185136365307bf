"""condor_watch_q: each switch and its opposite, and the values that options may have."""

from __future__ import annotations

import pytest

from condor_py.cli.options import parse
from condor_py.cli.watch_q import main as watch_q
from condor_py.cli.watch_q.main import SPEC, wish_of
from condor_py.cli.watch_q.states import Grouper

#: Option -> the field that it switches, and its value without the option (not on a terminal).
SWITCHES = {
    "exit-on-key-press": ("on_key", False), "display-exited": ("shows_exited", True),
    "decay-start-at-read": ("decay_from_read", False), "table": ("shows_table", True),
    "progress": ("shows_progress", True), "row-progress": ("shows_row_progress", True),
    "summary": ("shows_summary", True), "updated-at": ("shows_time", True), "abbreviate": ("abbreviates", True),
    "color": ("colors", False),
}  # fmt: skip


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_and_its_opposite(name: str) -> None:
    field, default = SWITCHES[name]
    plain = wish_of(parse(SPEC, []), can_color=False)
    assert getattr(plain, field) is default
    for words, value in (([f"-{name}"], True), ([f"-no-{name}"], False), ([f"-no-{name}", f"-{name}"], True)):
        found = wish_of(parse(SPEC, words), can_color=False)
        assert getattr(found, field) is value
        assert found._replace(**{field: default}) == plain


def test_values_and_what_is_without_them() -> None:
    plain = wish_of(parse(SPEC, []), can_color=True)
    assert (plain.exits, plain.interval, plain.group_by, plain.decay) == ((), 0.5, "batch", 7 * 86400)
    assert (plain.percentages, plain.colors, plain.refreshes) == (False, True, False)
    words = ["-interval", "3", "-groupby", "cluster", "-summary-type", "percentages", "-exit", "any,held,7",
             "-exit", "all,done", "-exited-row-decay", "5m"]  # fmt: skip
    found = wish_of(parse(SPEC, words), can_color=False)
    assert (found.interval, found.group_by, found.percentages, found.decay) == (3.0, "cluster", True, 300)
    assert [(one.grouper, one.status, one.code) for one in found.exits] == [
        (Grouper("any"), "held", 7), (Grouper("all"), "done", 0),
    ]  # fmt: skip
    assert not wish_of(parse(SPEC, ["-refresh"]), can_color=False).refreshes


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(None, 604800), ("5", 5 * 604800), ("5s", 5), ("2m", 120), ("2h", 7200), ("2d", 172800), ("2w", 1209600),
     ("1M", 31 * 86400), ("1y", 365 * 86400), ("0s", 0), ("12m", 720), ("10", 6048000)],
)  # fmt: skip
def test_how_long_rows_stay(text: str | None, seconds: int) -> None:
    assert watch_q._decay(text) == seconds


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-groupby", "zork"], "argument -groupby: invalid choice: 'zork' (choose from 'batch', 'log', 'cluster')"),
        (["-summary-type", "x"], "argument -summary-type: invalid choice: 'x' (choose from 'totals', 'percentages')"),
        (["-exit", "any"], "invalid -exit specification"),
        (["-exit", "any,held,1,2"], "invalid -exit specification"),
        (["-exit", "zork,held"], 'invalid GROUPER "zork", must be one of {'),
        (["-exit", "any,zork"], 'invalid JOB_STATUS "zork", must be one of {'),
        (["-exit", "any,held,x"], 'exit_status must be an integer, but was "x"'),
        (["-exited-row-decay", "5z"], "Unknown unit specifier provided for -exited-row-decay: z"),
        (["-exited-row-decay", "\u00b2"], "Unknown unit specifier provided for -exited-row-decay: \u00b2"),
        (["-exited-row-decay", "\u00b2s"], "Invalid time value provided for -exited-row-decay"),
        (["-exited-row-decay", "xs"], "Invalid time value provided for -exited-row-decay"),
    ],
)
def test_values_that_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(watch_q.WatchError) as error:
        wish_of(parse(SPEC, words), can_color=False)
    assert str(error.value).startswith(f"condor_watch_q: error: {said}")
