"""Charts in numbers: bins and what falls into them, marks of axes, rows of blocks, and lines of pictures."""

from __future__ import annotations

import re
from typing import Any

import pytest

from condor_py.cli.plots import blocks, chart, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.chart import Areas, Bars, Gantt, Lines
from condor_py.cli.plots.svg import Bar, Lane, Mark, Row, Series

DAY = 86_400
T = 1_795_888_800  # 2026-11-28 18:00 UTC

# ---- bins ------------------------------------------------------------------------------------------------------------


def amounts(bins: Bins, name: str = "a") -> list[float]:
    return list(bins.values(name, *bins.bounds()))


def test_bins_begin_at_multiples_of_their_width() -> None:
    bins = Bins(10)
    for when in (19.9, 20, 29.9, 30):
        bins.add("a", when)
    bins.add("a", 45, 2.5)
    assert (bins.bounds(), amounts(bins)) == ((10, 50), [1.0, 2.0, 1.0, 2.5])
    assert (Bins().bounds(), Bins().width) == ((0, 0), 1)
    assert list(bins.values("none", 0, 30)) == [0.0] * 3


@pytest.mark.parametrize(
    ("begin", "end", "rate", "parts"),
    [
        (0, 10, 1.0, [10.0]), (0, 11, 1.0, [10.0, 1.0]), (5, 25, 2.0, [10.0, 20.0, 10.0]), (9.5, 10.5, 2.0, [1.0, 1.0]),
        (5, 5, 1.0, []), (6, 5, 1.0, []), (0, 10, 0.0, []), (5, 10, -1.0, [-5.0]),
    ],
)  # fmt: skip
def test_each_bin_gets_its_part_of_a_stretch(begin: float, end: float, rate: float, parts: list[float]) -> None:
    bins = Bins(10)
    bins.spread("a", begin, end, rate)
    assert amounts(bins) == parts


@pytest.mark.parametrize(
    ("last", "width"), [(99, 1), (100, 5), (499, 5), (500, 10), (1000, 30), (3000, 60), (6000, 300), (10**7, 604_800)]
)
def test_the_width_is_the_first_round_one_that_is_enough(last: int, width: int) -> None:
    bins = Bins(1, 100)
    bins.add("a", 0)
    bins.add("a", last)
    assert bins.width == width
    assert sum(amounts(bins)) == 2


def test_wider_bins_are_multiples_of_those_before() -> None:
    bins = Bins(11)
    bins.add("a", 0)
    bins.add("a", 21)
    bins.widen(12)
    assert (bins.width, amounts(bins)) == (22, [2.0])
    bins.widen(22)
    assert bins.width == 22
    week = Bins(604_800)
    week.widen(604_801)
    assert week.width == 1_209_600


def test_series_are_ordered_by_their_sums_and_then_by_name() -> None:
    bins = Bins(10)
    for name, amount in (("cyd", 1.0), ("ann", 1.0), ("bea", 3.0), ("dan", -1.0)):
        bins.add(name, 5, amount)
    bins.add("ann", 15, 0.5)
    assert bins.kept == ["cyd", "ann", "bea", "dan"]
    assert bins.names == ["bea", "ann", "cyd", "dan"]
    assert bins.top(2, "rest").kept == ["bea", "ann", "rest"]
    assert amounts(bins.top(2, "rest"), "rest") == [0.0, 0.0]
    assert bins.top(2, "rest", ["dan", "eve"]).kept == ["dan", "bea", "rest"]
    assert bins.top(3, "rest").kept == ["bea", "ann", "cyd", "dan"]
    found = bins.top(1, "rest")
    assert (found.width, found.kept, list(found.values("rest", 0, 20))) == (10, ["bea", "rest"], [1.0, 0.5])
    found.add("rest", 5)
    assert list(bins.values("cyd", 0, 10)) == [1.0], "the first is as it was"


# ---- axes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("top", "marks"),
    [
        (4, [0, 1, 2, 3, 4]),
        (4.1, [0, 2, 4, 6]),
        (8, [0, 2, 4, 6, 8]),
        (10, [0, 2.5, 5, 7.5, 10]),
        (9, [0, 2.5, 5, 7.5, 10]),
        (1, [0, 0.25, 0.5, 0.75, 1]),
        (0.3, [0, 0.1, 0.2, 0.3]),
        (20, [0, 5, 10, 15, 20]),
        (21, [0, 10, 20, 30]),
        (40, [0, 10, 20, 30, 40]),
        (1000, [0, 250, 500, 750, 1000]),
        (0, [0, 1]),
        (-1, [0, 1]),
        (float("inf"), [0, 1]),
    ],
)
def test_marks_are_round(top: float, marks: list[float]) -> None:
    assert scale.marks(top) == marks


@pytest.mark.parametrize(
    ("top", "marks"),
    [
        (4, [0, 1, 2, 3, 4]),
        (5, [0, 5]),
        (20, [0, 5, 10, 15, 20]),
        (21, [0, 10, 20, 30]),
        (240, [0, 60, 120, 180, 240]),
        (241, [0, 300]),
        (4 * 3600, [0, 3600, 7200, 10800, 14400]),
        (3 * DAY, [0, DAY, 2 * DAY, 3 * DAY]),
        (7280 * DAY, [0, 1820 * DAY, 3640 * DAY, 5460 * DAY, 7280 * DAY]),
        (8000 * DAY, [n * 2000 * DAY for n in range(5)]),
        (0, [0, 1]),
        (float("inf"), [0, 1]),
        (float("nan"), [0, 1]),
    ],
)
def test_marks_of_time_are_round_on_a_clock(top: float, marks: list[float]) -> None:
    assert scale.time_marks(top) == marks


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0001234, "0.000123"),
        (0.00000012, "0"),
        (0.1, "0.1"),
        (0.999, "0.999"),
        (1, "1"),
        (1.006, "1.01"),
        (9.999, "10"),
        (10, "10"),
        (12.34, "12.3"),
        (99.95, "100"),
        (100, "100"),
        (100.4, "100"),
        (1234.5, "1,234"),
        (-2.5, "-2.5"),
        (1e6, "1,000,000"),
        (120, "120"),
        (float("inf"), "-"),
        (float("-inf"), "-"),
        (float("nan"), "-"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert scale.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"), (0, "0 s"), (0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (60, "1 min"), (61, "1 min 1 s"),
        (3599, "59 min 59 s"), (3600, "1 h"), (3659, "1 h"), (3660, "1 h 1 min"), (DAY - 1, "23 h 59 min"),
        (DAY, "1 d"), (DAY + 3599, "1 d"), (2 * DAY + 3600, "2 d 1 h"),
    ],
)  # fmt: skip
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert scale.span(seconds) == text


@pytest.mark.parametrize(
    ("length", "moments"),
    [
        (4, ["18:00:00", "18:00:01", "18:00:02", "18:00:03", "18:00:04"]),
        (6, ["18:00:00", "18:00:01", "18:00:02", "18:00:03", "18:00:04", "18:00:05", "18:00:06"]),
        (7, ["18:00:00", "18:00:05"]),
        (3600, ["18:00", "18:10", "18:20", "18:30", "18:40", "18:50", "19:00"]),
        (DAY, ["18:00", "00:00", "06:00", "12:00", "18:00"]),
        (DAY + 1, ["11-28 18:00", "11-29 00:00", "11-29 06:00", "11-29 12:00", "11-29 18:00"]),
        (3 * DAY, ["11-29 00:00", "11-29 12:00", "11-30 00:00", "11-30 12:00", "12-01 00:00", "12-01 12:00"]),
        (6 * DAY, ["2026-11-29", "2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"]),
        (0, ["18:00:00"]),
    ],
)
def test_moments_below_an_axis(spool: object, length: int, moments: list[str]) -> None:
    found = scale.moments(T, T + length)
    assert [text for _, text in found] == moments
    assert all(T <= when <= T + length for when, _ in found)


def test_moments_are_those_of_the_local_clock(spool: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC-05:30")
    time.tzset()
    assert scale.moments(T, T + 6 * 3600)[0] == (T + 1800, "00:00")
    assert scale.moment(T) == "2026-11-28 23:30"


@pytest.mark.parametrize(
    ("length", "most", "width"),
    [(10, 10, 1), (11, 10, 5), (168 * 3600, 168, 3600), (168 * 3600 + 1, 168, 7200), (10**12, 10, 1820 * DAY)],
)
def test_the_width_of_bins(length: int, most: int, width: int) -> None:
    assert scale.bin_width(T, T + length, most) == width


# ---- terminals -------------------------------------------------------------------------------------------------------


def test_rows_have_one_scale_and_a_block_for_each_part() -> None:
    values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -1.0]
    lines = list(blocks.rows([Series("a", values), Series("bb", [8.0, None, 4.0])], 24, blocks.ASCII))
    assert lines == ["a   .:-=+*##         -1", "bb ####   ===         4"]


@pytest.mark.parametrize(
    ("values", "cells", "means"),
    [
        ([1.0, 2.0, 3.0, 4.0], 2, [1.5, 3.5]), ([1.0, 2.0], 4, [1.0, 1.0, 2.0, 2.0]), ([], 3, []),
        ([1.0, None, None, None], 2, [1.0, None]), ([1.0, 2.0, 3.0], 2, [1.0, 2.5]),
        ([1.0, 2.0, 3.0], 5, [1.0, 1.0, 2.0, 2.0, 3.0]),
    ],
)  # fmt: skip
def test_what_falls_into_a_cell(values: list[float | None], cells: int, means: list[float | None]) -> None:
    assert list(blocks._sampled(values, cells)) == means


@pytest.mark.parametrize(
    ("value", "top", "block"),
    [
        (None, 8.0, " "), (0.0, 8.0, " "), (-1.0, 8.0, " "), (1.0, 0.0, " "), (0.1, 8.0, "_"), (0.99, 8.0, "_"),
        (1.0, 8.0, "."), (3.0, 8.0, "-"), (7.0, 8.0, "#"), (7.99, 8.0, "#"), (8.0, 8.0, "#"),
    ],
)  # fmt: skip
def test_the_block_of_a_value(value: float | None, top: float, block: str) -> None:
    assert blocks._cell(value, top, blocks.ASCII) == block


@pytest.mark.parametrize(
    ("lengths", "columns", "widths"),
    [
        ([3, 5], 80, (5, 63)),
        ([40], 80, (26, 42)),
        ([40], 20, (8, 10)),
        ([], 80, (0, 68)),
        ([2], 24, (2, 10)),
        ([2], 25, (2, 11)),
    ],
)
def test_the_room_of_names_and_blocks(lengths: list[int], columns: int, widths: tuple[int, int]) -> None:
    assert blocks.width_for([Series("x" * length, []) for length in lengths], columns) == widths
    assert blocks.lanes_width([Lane("x" * length, []) for length in lengths], columns) == widths


def test_long_names_of_rows_are_cut() -> None:
    names = ["x" * 8, "y" * 9]
    shown = [line[:9] for line in blocks.rows([Series(name, [1.0]) for name in names], 20, blocks.UNICODE)]
    assert shown == ["xxxxxxxx ", "yyyyyyy… "]
    assert next(blocks.rows([Series("y" * 9, [1.0])], 20, blocks.ASCII)).startswith("yyyyyyy~ ")
    shown = [line[:9] for line in blocks.lanes([Lane(name, []) for name in names], ">", 0, 10, 20, ["5", "5"])]
    assert shown == ["xxxxxxxx ", "yyyyyyy~ "]


def test_figures_behind_rows() -> None:
    assert (blocks.last([1.0, 5.0]), blocks.last([]), blocks.mean([1.0, 5.0]), blocks.mean([])) == (5.0, 0.0, 3.0, 0.0)
    (line,) = blocks.rows([Series("a", [1.0, 3.0, None])], 30, blocks.ASCII, blocks.mean)
    assert line.split()[-1] == "2"
    assert line.endswith(" " * 8 + "2")


def test_the_line_below() -> None:
    shown = blocks.axis(0, 10, 3, 20, lambda when: f"at {when}")
    assert shown == "    at 0           at 10"
    assert len(shown) == 3 + 1 + 20
    assert blocks.axis(0, 10, 0, 2, lambda when: f"at {when}") == " at 0 at 10"


@pytest.mark.parametrize(
    ("begin", "end", "drawn"),
    [
        (0, 100, ">>>>>>>>>>"),
        (0, 10, ">         "),
        (10, 20, " >        "),
        (5, 25, ">>>       "),
        (95, 200, "         >"),
        (50, 50, "     >    "),
        (-50, -10, ">         "),
        (150, 160, "         >"),
        (90, 100, "         >"),
    ],
)
def test_bars_of_lanes(begin: float, end: float, drawn: str) -> None:
    (line,) = blocks.lanes([Lane("7.0", [Bar(begin, end, 1)])], "x>", 0, 100, 3 + 10 + 12, ["3 h"])
    assert line == f"7.0 {drawn} {'3 h':>9}"


def test_later_bars_of_a_lane_are_over_earlier_ones() -> None:
    lanes = [Lane("7.0", [Bar(0, 100, 0), Bar(20, 40, 1)]), Lane("7.1", [])]
    assert list(blocks.lanes(lanes, "x>", 0, 100, 25)) == ["7.0 xx>>xxxxxx", "7.1"]


# ---- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\x1f\x7fb", "a\ufffd\ufffdb"),
        ("\ud800\udfff\ue000", "\ufffd\ufffd\ue000"),
        ("\ufffd\ufffe\uffff", "\ufffd\ufffd\ufffd"),
        ("ä \U0001f600", "ä \U0001f600"),
    ],
)
def test_any_text_is_text_of_xml(text: str, shown: str) -> None:
    assert svg.escaped(text) == shown


@pytest.mark.parametrize(
    ("length", "text"), [(24, "x" * 24), (25, "x" * 12 + "…" + "x" * 11), (40, "x" * 12 + "…" + "x" * 11)]
)
def test_long_labels_lose_their_middle(length: int, text: str) -> None:
    assert svg.shortened("x" * length, 24) == text
    assert svg.shortened("".join(map(chr, range(97, 123))) + "0", 24) == "abcdefghijkl…qrstuvwxyz0"


@pytest.mark.parametrize(
    ("values", "pieces"),
    [
        ([], []),
        ([None], []),
        ([1.0], [[(0, 1.0)]]),
        ([None, 1.0, 0.0, None, None, 2.0], [[(1, 1.0), (2, 0.0)], [(5, 2.0)]]),
        ([1.0, None], [[(0, 1.0)]]),
    ],
)
def test_lines_are_interrupted_where_nothing_is_known(values: Any, pieces: Any) -> None:
    assert list(svg._pieces(values)) == pieces


def test_points_of_a_chart() -> None:
    """Its field goes from 56 to 706 across and from 202 up to 12."""
    frame = svg._Frame(0, 100, 10)
    assert [frame.at(*each) for each in ((0, 0), (100, 10), (50, 5))] == ["56.0,202.0", "706.0,12.0", "381.0,107.0"]
    assert list(frame.limit(0)) == list(frame.limit(-1)) == []
    assert list(frame.limit(5)) == ['<line class="limit" x1="56.0" x2="706.0" y1="107.0" y2="107.0"/>']
    assert svg._Frame(0, 100, float("inf")).marks == [0.0, 1.0]


def test_marks_of_moments_stay_in_the_chart(spool: object) -> None:
    frame = svg._Frame(T, T + 100, 10)
    for when, x in ((T - 5, "56.0"), (T + 50, "381.0"), (T + 500, "706.0")):
        drawn = frame.mark(Mark(when, "a<b"))
        assert drawn.startswith(f'<line class="mark" x1="{x}" x2="{x}" y1="12" y2="202"><title>2026-11-28 1')
        assert drawn.endswith(": a&lt;b</title></line>")


@pytest.mark.parametrize(
    ("x", "anchor"), [(56, "start"), (85.9, "start"), (86, "middle"), (676, "middle"), (676.1, "end"), (706, "end")]
)
def test_texts_at_the_ends_of_an_axis_stay_in_the_chart(x: float, anchor: str) -> None:
    assert svg._anchor(x, 56, 706) == anchor


def test_the_legend_has_rows() -> None:
    parts, bottom = svg._key(["a", "b"], 100)
    assert parts == [
        '<rect class="k0" x="56" y="91" width="10" height="10"/>', '<text x="71" y="100">a</text>',
        '<rect class="k1" x="89" y="91" width="10" height="10"/>', '<text x="104" y="100">b</text>',
    ]  # fmt: skip
    assert bottom == 110
    assert svg._key([], 100) == ([], 100)
    long, bottom = svg._key(["x" * 28] * 4, 100)
    assert re.findall(r'<rect class="k\d" x="(\d+)" y="(\d+)"', "".join(long)) == [
        ("56", "91"), ("278", "91"), ("56", "109"), ("278", "109"),
    ]  # fmt: skip
    assert bottom == 128
    some, _ = svg._key(["a", "b", "c"], 100, {0, 2})
    assert re.findall(r'class="(k\d)" x="(\d+)"', "".join(some)) == [("k0", "56"), ("k2", "89")]
    assert 'class="k0"' in "".join(svg._key(["a"] * 9, 100)[0][-2:]), "there are eight colours"


def test_bars_are_as_long_as_their_values() -> None:
    drawn = svg.bars("Title", ("one", "two"), [Row("ann", (4.0, 1.0)), Row("bea", (0.0, 2.0))])
    found = re.findall(r'<rect class="(k\d)" x="170" y="(\d+)" width="([\d.]+)" height="12"><title>([^<]*)', drawn)
    assert found == [
        ("k0", "12", "460.0", "ann: one 4"), ("k1", "26", "115.0", "ann: two 1"), ("k0", "48", "0.0", "bea: one 0"),
        ("k1", "62", "230.0", "bea: two 2"),
    ]  # fmt: skip
    assert re.findall(r'<text x="([\d.]+)" y="(\d+)">4</text>', drawn) == [("635.0", "22")]
    assert re.findall(r'<text x="162" y="([\d.]+)" text-anchor="end">(\w+)', drawn) == [
        ("30.0", "ann"),
        ("66.0", "bea"),
    ]
    assert re.findall(r'<text x="([\d.]+)" y="98" text-anchor="middle">(\d)', drawn) == [
        ("170.0", "0"), ("285.0", "1"), ("400.0", "2"), ("515.0", "3"), ("630.0", "4"),
    ]  # fmt: skip
    assert "<desc>ann: 4, 1; bea: 0, 2</desc>" in drawn
    assert 'viewBox="0 0 720 130"' in drawn
    alone = svg.bars("Title", ("one",), [Row("ann", (4.0,))])
    assert 'viewBox="0 0 720 70"' in alone
    assert ">one</text>" not in alone


def test_lanes_of_a_chart_of_runs(spool: object) -> None:
    lanes = [Lane("7.0", [Bar(T, T + 60, 1, "ended")]), Lane("7.1", [Bar(T + 30, T + 900, 9), Bar(T - 50, T - 10, 0)])]
    drawn = svg.gantt("Runs", ("a", "b"), lanes, T, T + 60)
    found = re.findall(r'<rect class="(k\d)" x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="14">', drawn)
    assert found == [("k1", "170.0", "13", "536.0"), ("k1", "438.0", "29", "268.0"), ("k0", "170.0", "29", "1.0")]
    assert "<title>7.0: ended, 2026-11-28 18:00, 1 min</title>" in drawn
    assert re.findall(r'<text x="162" y="(\d+)" text-anchor="end">([\d.]+)', drawn) == [("23", "7.0"), ("39", "7.1")]
    assert '<path class="axis" d="M170,12V44H706"/>' in drawn
    assert re.findall(r'<text x="([\d.]+)" y="58" text-anchor="(\w+)">18:0', drawn)[::6] == [
        ("170.0", "start"), ("706.0", "end"),
    ]  # fmt: skip
    assert "<desc>From 2026-11-28 18:00 to 2026-11-28 18:01: 7.0, 7.1.</desc>" in drawn


@pytest.mark.parametrize(("count", "height", "labels"), [(56, 16, 56), (57, 15, 57), (100, 9, 50), (300, 4, 100)])
def test_many_lanes_are_low_and_some_have_labels(spool: object, count: int, height: int, labels: int) -> None:
    drawn = svg.gantt("Runs", ("a",), [Lane(f"7.{n}", []) for n in range(count)], T, T + 60)
    assert f'd="M170,12V{12 + height * count}H706"' in drawn
    assert len(re.findall(r'<text x="162"', drawn)) == labels


CHARTS: list[tuple[Any, dict[str, Any]]] = [
    (Areas("A", 1.0, 2.0, [Series("x", [1.0, None])], 3.0),
     {"kind": "areas", "title": "A", "begin": 1.0, "width": 2.0, "limit": 3.0,
      "series": [{"name": "x", "values": [1.0, None]}]}),
    (Lines("L", 1.0, 2.0, [Series("x", [1.0])], 0.0, [Mark(5.0, "m")]),
     {"kind": "lines", "title": "L", "begin": 1.0, "width": 2.0, "limit": 0.0,
      "series": [{"name": "x", "values": [1.0]}], "marks": [{"when": 5.0, "words": "m"}]}),
    (Bars("B", ["k"], [Row("r", (1.0,), "n")], True),
     {"kind": "bars", "title": "B", "kinds": ["k"], "seconds": True,
      "rows": [{"label": "r", "values": (1.0,), "note": "n"}]}),
    (Gantt("G", ["k"], [Lane("l", [Bar(1.0, 2.0, 0, "w")])], 1.0, 3.0),
     {"kind": "gantt", "title": "G", "kinds": ["k"], "begin": 1.0, "end": 3.0,
      "lanes": [{"label": "l", "bars": [{"begin": 1.0, "end": 2.0, "kind": 0, "words": "w"}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("made", "told"), CHARTS)
def test_charts_as_data_and_back(made: Any, told: dict[str, Any]) -> None:
    assert chart.data(made) == told
    again = chart.of_data(told)
    assert again == made
    assert chart.draw(again) == chart.draw(made)
