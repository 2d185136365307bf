"""Each kind of chart as a whole, as SVG and in blocks, as they are kept in tests/golden/plots.

After a wanted change CONDOR_PY_RECORD=1 writes them again, and the difference is to be read (and looked at).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from condor_py.cli.plots import blocks, scale
from condor_py.cli.plots.chart import Areas, Bars, Gantt, Lines, draw
from condor_py.cli.plots.svg import Bar, Lane, Mark, Row, Series

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "plots"
T = 1795888800.0  # 2026-11-28 18:00 UTC
UP = [0.0, 1.0, 2.5, 4.0, 3.0, None, 0.5]
CHARTS: dict[str, Any] = {
    "areas": Areas("Cores <in> use", T, 3600.0, [Series("ann", UP), Series("bea & co", [1.0] * 7)], 6.0),
    "lines": Lines("Memory", T, 60.0, [Series("7.0", UP)], 3.0, [Mark(T + 90, "evicted"), Mark(T + 200, "started")]),
    "lines_none": Lines("Nothing", T, 60.0, [Series("x", [None, None])]),
    "bars": Bars("Waiting", ["median", "most"], [Row("ann", [60.0, 4000.0]), Row("b" * 40, [0.0, 90000.0])], True),
    "bars_numbers": Bars("Counts", ["n"], [Row("ann", [0.5]), Row("bea", [1234567.0])]),
    "gantt": Gantt("Runs", ["ended", "held", "evicted"], [
        Lane("7.0", [Bar(T - 500, T + 600, 0, "exit 0"), Bar(T + 700, T + 701, 1, "no disk")]),
        Lane("a lane with a long name that is cut", [Bar(T + 100, T + 90000, 2, "by <ann>")]),
    ], T, T + 7200),
}  # fmt: skip


def check(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", CHARTS)
def test_whole_charts(spool: object, name: str) -> None:
    check(f"{name}.svg", draw(CHARTS[name]).replace("><", ">\n<") + "\n")


def test_areas_of_days_and_many_users(spool: object) -> None:
    """Areas stand on each other, colours come again after eight, and a legend that is too long has a second row."""
    users = [Series(f"user{n}", [float(n), 2.0, 0.0]) for n in range(14)]
    drawn = draw(Areas("Jobs", T, 86400.0, users))
    points = r'points="56\.0,([\d.]+) 272\.7,\2 272\.7,([\d.]+) 489\.3,\3 489\.3,202\.0[^>]*>'
    areas = re.findall(rf'<polygon class="area k(\d)" {points}<title>user(\d+)</title>', drawn)
    assert [(int(colour), int(name)) for colour, _, _, name in areas] == [(n % 8, n) for n in range(14)]
    tops = [height for n in range(14) for height in (sum(range(n + 1)), 2 * (n + 1))]
    assert [float(y) for _, first, second, _ in areas for y in (first, second)] == pytest.approx(
        [202 - 190 * height / 100 for height in tops], abs=0.06  # 190 points for 100 jobs
    )  # fmt: skip
    legend = re.findall(
        r'<rect class="k(\d)" x="(\d+)" y="(\d+)" width="10" height="10"/><text x="\d+" y="\d+">user(\d+)', drawn
    )
    assert [(int(colour), int(name)) for colour, _, _, name in legend] == [(n % 8, n) for n in range(14)]
    assert [y for _, _, y, _ in legend] == [*["227"] * 10, *["245"] * 4]
    assert re.findall(r'text-anchor="middle">([^<]*)', drawn) == [
        f"{day} {hour}:00" for day, hour in (("11-29", "00"), ("11-29", "12"), ("11-30", "00"), ("11-30", "12"),
                                             ("12-01", "00"), ("12-01", "12"))
    ]  # fmt: skip
    assert re.findall(r'x="50" y="[\d.]+" text-anchor="end">([^<]*)', drawn) == ["0", "25", "50", "75", "100"]


def test_lanes_of_many_runs(spool: object) -> None:
    """A lane has fifteen points of height, and no bar is narrower than one."""
    lanes = [Lane(str(n), [Bar(T, T + n, 13, "x")]) for n in range(60)]
    drawn = draw(Gantt("Many", ["a"], lanes, T, T + 59))
    bars = re.findall(
        r'<rect class="k5" x="170\.0" y="(\d+)" width="([\d.]+)" height="13"><title>([^<]*)</title>', drawn
    )
    assert [(int(y), float(width)) for y, width, _ in bars] == [
        (13 + 15 * n, pytest.approx(max(1.0, 536 * n / 59), abs=0.06)) for n in range(60)
    ]
    assert [title for *_, title in bars] == [f"{n}: x, 2026-11-28 18:00, {n} s" for n in range(60)]
    assert re.findall(r'x="162" y="(\d+)" text-anchor="end">(\d+)', drawn) == [
        (str(23 + 15 * n), str(n)) for n in range(60)
    ]
    assert re.findall(r'y="926" text-anchor="\w+">([^<]*)', drawn) == [f"18:00:{second}0" for second in range(6)]
    assert 'viewBox="0 0 720 958"' in drawn


@pytest.mark.parametrize("characters", ["ascii", "blocks"])
def test_rows_of_blocks(spool: object, characters: str) -> None:
    signs = blocks.ASCII if characters == "ascii" else blocks.UNICODE
    series = [Series("ann", UP * 9), Series("a" * 40, [None, 4.0, 8.0])]
    text = ""
    for columns in (40, 80, 200):
        text += "".join(f"{line}|\n" for line in blocks.rows(series, columns, signs))
        for end in (T + 3600, T + 86400 * 3, T + 86400 * 60):
            shown = blocks.axis(T, end, *blocks.width_for(series, columns))
            text += f"{shown}|\n"
        gantt = CHARTS["gantt"]
        text += "".join(f"{line}|\n" for line in blocks.lanes(gantt.lanes, "EHV", T, T + 7200, columns, ["1 h"]))
    check(f"{characters}.txt", text)


def test_scales(spool: object) -> None:
    lines = [f"{value} {scale.number(value)} {scale.span(value)}" for value in
             (0, 0.04, 0.5, 1, 59, 60, 61.5, 999, 1000, 3599, 3600, 86399, 86400, 1e6, 1.5e7, 2e9)]  # fmt: skip
    lines += [f"{length} {scale.bin_width(int(T), int(T) + length, most)}" for length in
              (1, 60, 3600, 86400, 10**6, 10**8) for most in (10, 240)]  # fmt: skip
    lines += [f"{top} {scale.marks(top)} {scale.time_marks(top)}" for top in (0.3, 1, 7, 59, 4000, 90000, 1e7)]
    lines += [f"{length} {scale.moments(T, T + length)}" for length in (50, 4000, 90000, 10**6, 10**8)]
    lines.append(scale.moment(T))
    check("scales.txt", "\n".join(lines) + "\n")
