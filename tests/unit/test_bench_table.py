"""The table of tests/bench: medians, ratios and goals say what they mean for rates and for times."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))

from table import Row, line, middle


def test_more_is_better_for_rates_and_less_for_times() -> None:
    rate, time = Row("a", 400, "/s", 500, 800, "bare"), Row("b", 0.4, "s", 0.5, 0.8, "bare")
    assert (rate.ratio, rate.reached) == (0.5, False)
    assert (time.ratio, time.reached) == (2.0, True)


def test_rounds_become_medians_and_a_missing_peer_stays_missing() -> None:
    (row,) = middle([[Row("a", 1, "s")], [Row("a", 9, "s")], [Row("a", 2, "s")]])
    assert (row.ours, row.beside, row.ratio) == (2, None, None)


def test_a_peer_that_is_not_here_is_named_with_where_to_get_it() -> None:
    (row,) = middle([[Row("a", 5, "/s", missing="not installed (apt: parallel)")]])
    assert line(row).split("|")[2].strip() == "not installed (apt: parallel)"


def test_a_line_has_both_figures_when_two_checkouts_are_compared() -> None:
    text = line(Row("start", 31, "ms", 30, 12, "bare"), Row("start", 54.4, "ms", 30, 12, "bare"))
    cells = [cell.strip() for cell in text.split("|")]
    assert cells == ["start", "54.4 ms", "31 ms", "bare 12 ms", "0.39", "30 ms  not reached"]
