"""Charts: what is drawn is what was counted, on terminals of every kind and as SVG that any reader of XML takes."""

from __future__ import annotations

import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from report_world import HOSTILE, WEEK, World
from tool_runner import Spool

from condor_py.cli.plots import blocks, scale, svg
from condor_py.cli.plots.bins import Bins
from condor_py.cli.plots.svg import Row, Series

ROOT = Path(__file__).resolve().parents[3]
_SVG = "{http://www.w3.org/2000/svg}"


def test_bins_keep_what_they_get_however_wide_they_become() -> None:
    bins = Bins(60, 10)
    for minute in range(1000):
        bins.add("a", minute * 60.0)
    bins.spread("b", 30, 7230, 2.0)
    begin, end = bins.bounds()
    assert (end - begin) / bins.width <= 11
    assert sum(bins.values("a", begin, end)) == 1000
    assert sum(bins.values("b", begin, end)) == pytest.approx(14400)
    bins.add("c", 10**9)
    begin, end = bins.bounds()
    assert (end - begin) / bins.width <= 11
    assert sum(bins.values("a", begin, end)) == 1000


def test_a_stretch_goes_to_each_bin_by_its_part() -> None:
    bins = Bins(100, 1000)
    bins.spread("a", 50, 225, 2.0)
    assert list(bins.values("a", 0, 400)) == [100.0, 200.0, 50.0, 0.0]
    bins.spread("a", 5, 5, 2.0)
    assert sum(bins.values("a", 0, 400)) == 350.0


def test_the_largest_series_stay_and_the_rest_is_one() -> None:
    bins = Bins(100, 1000)
    for number, name in enumerate("abcde"):
        bins.add(name, 50, number + 1.0)
    top = bins.top(2, "rest")
    assert top.kept == ["e", "d", "rest"]
    assert list(top.values("rest", 0, 100)) == [6.0]
    assert bins.top(2, "rest", ["a"]).kept == ["a", "e", "rest"]
    assert bins.top(4, "rest").kept == list("edcba"), "one more needs no rest"


@pytest.mark.parametrize("top", [0.003, 1, 7, 8, 13, 99, 100, 12345, 1e9, 0, -1, float("inf"), float("nan")])
def test_marks_cover_the_values_and_are_few(top: float) -> None:
    for found in scale.marks(top), scale.time_marks(top):
        assert found[0] == 0
        assert 2 <= len(found) <= 8
        assert not 0 < top < float("inf") or found[-1] >= top * (1 - 1e-9)


def test_words_for_figures() -> None:
    assert [scale.number(value) for value in (0, 0.123456, 1.2, 12.34, 1234.5, 1e6, float("inf"))] == [
        "0", "0.123", "1.2", "12.3", "1,234", "1,000,000", "-"]  # fmt: skip
    assert [scale.span(value) for value in (0, 45, 200, 3600, 7500, 90000)] == [
        "0 s", "45 s", "3 min 20 s", "1 h", "2 h 5 min", "1 d 1 h"]  # fmt: skip


def test_moments_are_round_and_few() -> None:
    for length in 5, 600, 86400, 30 * 86400, 3000 * 86400, 10**10:
        found = scale.moments(1_795_000_000, 1_795_000_000 + length)
        assert len(found) <= 100
        assert all(1_795_000_000 <= when <= 1_795_000_000 + length for when, _ in found)


def test_blocks_follow_the_values() -> None:
    line = next(blocks.rows([Series("a", [0.0, 1.0, None, 4.0, 8.0])], 5 + 1 + 12, blocks.UNICODE))
    assert line.split()[-1] == "8"
    assert "█" in line
    ascii_line = next(blocks.rows([Series("a", [0.0, 1.0, None, 4.0, 8.0])], 80, blocks.ASCII))
    assert ascii_line.isascii()
    assert len(ascii_line) <= 80
    both = list(blocks.rows([Series("a" * 90, [1.0] * 500), Series("b", [])], 80, blocks.ASCII, blocks.mean))
    assert all(len(line) <= 80 for line in both)


def test_names_cannot_steer_the_terminal() -> None:
    (line,) = blocks.rows([Series("a\x1b[2J\x07b\u202e", [1.0])], 80, blocks.UNICODE)
    assert line.startswith("a?[2J?b? ")


@pytest.mark.parametrize(
    ("environment", "ascii_only"),
    [
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.utf8"}, False),
        ({"LANG": "C"}, True),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, True),
        ({"LC_ALL": "en_US.ISO-8859-1"}, True),
        ({"LC_CTYPE": "C.UTF-8"}, False),
        ({}, True),
    ],
)
def test_the_locale_decides(environment: dict[str, str], ascii_only: bool) -> None:
    """As a program that begins with that environment sees it: Python makes a UTF-8 locale of C."""
    program = "from condor_py.cli.plots import blocks; print(blocks.levels() == blocks.ASCII)"
    done = subprocess.run([sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert done.stdout == f"{ascii_only}\n"


def test_every_chart_is_xml_whatever_names_are() -> None:
    series = [Series(HOSTILE + "\udcff", [1.0, None, 3.0]), Series("", [])]
    drawn = [
        ("a", svg.stacked(HOSTILE, 0, 60, series, limit=2.0)),
        ("b", svg.lines("lines", 0, 60, series)),
        ("c", svg.bars("bars", ("one", HOSTILE), [Row(HOSTILE * 5, (1.0, 0.0))], scale.span)),
        ("d", svg.stacked("none", 0, 60, [])),
        ("e", svg.bars("none", ("one",), [])),
    ]
    root = ElementTree.fromstring(svg.document(drawn, HOSTILE))
    assert {one.tag.removeprefix(_SVG) for one in root.iter()} <= {
        "svg", "style", "title", "desc", "text", "line", "path", "polygon", "polyline", "rect"}  # fmt: skip
    assert not [one for one in root.iter() if any(name.startswith("on") or "href" in name for name in one.attrib)]
    assert len(root.findall(f"{_SVG}svg/{_SVG}svg")) == 5


def test_areas_stand_upon_each_other() -> None:
    drawn = svg.stacked("x", 0, 60, [Series("a", [2.0]), Series("b", [2.0])])
    heights = []
    for polygon in ElementTree.fromstring(drawn).iter("polygon"):
        points = [point.split(",") for point in (polygon.get("points") or "").split()]
        heights.append(sorted({float(y) for _, y in points}, reverse=True))
    assert heights[0][1] == heights[1][0], "the second begins where the first ends"
    assert heights[0][0] - heights[0][1] == pytest.approx(heights[1][0] - heights[1][1])


# -- the tools -------------------------------------------------------------------------------------------------------


def figures(text: str, title: str) -> dict[str, str]:
    """The figures behind the rows below a title."""
    part = text.partition(title)[2].partition("\n\n")[0].splitlines()[1:]
    return {line.split()[0]: line.split()[-1] for line in part}


def test_condor_history_plot(spool: Spool, tmp_path: Path) -> None:
    now = int(time.time())
    World(spool, now)
    shown = spool.run("condor_history", "-plot")
    assert (shown.code, shown.err) == (0, "")
    owners = spool.run("condor_history", "-af", "Owner").out.splitlines()
    counted = {name: f"{owners.count(name)}" for name in set(owners)}
    assert figures(shown.out, "Jobs that left the queue") == counted
    mine = spool.run("condor_history", "bob", "-plot").out
    assert figures(mine, "Jobs that left the queue") == {"bob": counted["bob"]}
    for title in ("Cores in use", "Minutes waited before the first start"):
        assert float(figures(mine, title)["bob"]) > 0
    since = now - 86400
    few = spool.run("condor_history", "-plot", "-constraint", f"EnteredCurrentStatus > {since}").out
    rows = spool.run("condor_history", "-constraint", f"EnteredCurrentStatus > {since}", "-af", "Owner").out.split()
    assert figures(few, "Jobs that left the queue") == {name: f"{rows.count(name)}" for name in set(rows)}
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    path = tmp_path / "jobs.svg"
    assert spool.run("condor_history", "-epochs", "-plot", "-svg", str(path)).out == ""
    titles = [one.text for one in ElementTree.parse(path).getroot().iter(f"{_SVG}title")]
    assert titles.count("alice") >= 2
    nothing = spool.run("condor_history", "nobody", "-plot")
    assert (nothing.code, nothing.err) == (1, "condor_history: there are no such jobs to draw\n")


def test_condor_userprio_plot_reaches_back_for_weeks(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = int(time.time())
    monkeypatch.setattr(time, "time", lambda: now + 1.0)  # midnight does not come in the middle of the test
    World(spool, now, jobs=0).cycles()
    out = spool.run("condor_userprio", "-plot").out
    assert figures(out, "Slot weight in use") == {
        "alice@example.net": "5", "physics.carol@example.net": "1.5", "bob@example.net": "1"}  # fmt: skip
    use = next(line for line in out.partition("Slot weight in use")[2].splitlines() if line.startswith("bob"))
    drawn = use[use.index("bob@example.net") + 26 :]
    assert drawn[:15].strip() == "", "nothing in the first half of the week"
    assert time.strftime("%Y-%m-%d", time.localtime(now - WEEK)) in out.splitlines()[-1]
    day = spool.run("condor_userprio", "-plot", "-since", "1d", "bob").out
    assert list(figures(day, "Slot weight in use")) == ["bob@example.net"]
    assert time.strftime("%Y-%m-%d", time.localtime(now - WEEK)) not in day
    path = tmp_path / "use.svg"
    assert spool.run("condor_userprio", "-svg", str(path)).out == ""
    assert ElementTree.parse(path).getroot().tag == f"{_SVG}svg"


def test_condor_userprio_explain(spool: Spool) -> None:
    now = int(time.time())
    World(spool, now, jobs=0).cycles()
    done = spool.run("condor_userprio", "-explain", "bob", "alice", "-since", "1d")
    assert (done.code, done.err) == (0, "")
    assert "Factor: that of bob@example.net is 4 times that of alice@example.net" in done.out
    assert "Preemption: 144 slots of bob@example.net went to alice@example.net." in done.out
    assert "carol" not in done.out.partition("While jobs waited")[0]
    nobody = spool.run("condor_userprio", "-explain", "eve")
    assert nobody.code == 1
    assert nobody.err.startswith("condor_userprio: eve had no jobs in the queue from ")
    early = spool.run("condor_userprio", "-explain", "bob", "-until", "2020-01-01")
    assert early.err == "condor_userprio: no negotiation cycles are on record for this time (NEGOTIATION_HISTORY)\n"
