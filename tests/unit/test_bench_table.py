"""The table of tests/bench: medians, ratios and goals say what they mean for rates and for times; CPU and memory are
read from what the kernel writes of a control group and of a process."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))

from box import Memory, hierarchy, memory_of, milliseconds, seconds_of
from growth import Line, chart, place
from table import GROUPS, Machine, Row, as_json, line, main, middle


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


def test_a_line_of_json_has_the_ratio_and_how_busy_the_machine_was() -> None:
    found = json.loads(as_json("cpu", Row("a", 4, "ms", None, 8, "bare"), None, Machine(1.5, 7.1)))
    assert (found["row"], found["ours"], found["beside"], found["ratio"]) == ("cpu", 4, 8, 2.0)
    assert (found["load"], found["interpreter"]) == (1.5, 7.1)


def test_every_row_of_the_table_is_a_module_and_every_module_a_row() -> None:
    rows = Path(__file__).resolve().parents[1] / "bench" / "rows"
    assert {path.stem for path in rows.glob("*.py")} - {"__init__", "common"} == set(GROUPS)


def test_what_is_no_row_or_no_number_of_rounds_is_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["nothing"], ["-rounds", "0"], ["-rounds", "many"], ["-cache"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_cpu_is_read_from_both_versions_of_control_groups() -> None:
    assert seconds_of("cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n") == 2.5
    assert seconds_of("cpuacct.usage", "2500000000\n") == 2.5
    with pytest.raises(ValueError, match="no usage_usec"):
        seconds_of("cpu.stat", "nr_periods 0\n")


def test_the_hierarchy_of_version_2_comes_before_cpuacct(tmp_path: Path) -> None:
    assert hierarchy(tmp_path) is None
    (tmp_path / "cpuacct").mkdir()
    (tmp_path / "cpuacct" / "cpuacct.usage").touch()
    assert hierarchy(tmp_path) == tmp_path / "cpuacct"
    (tmp_path / "unified").mkdir()
    (tmp_path / "unified" / "cgroup.controllers").touch()
    assert hierarchy(tmp_path) == tmp_path / "unified"


def test_memory_is_counted_once_and_in_full() -> None:
    text = "1000-2000 ---p 00000000 00:00 0    [rollup]\nRss:    2000 kB\nPss:     500 kB\nPss_Dirty:   100 kB\n"
    assert memory_of(text) == Memory(0.512, 2.048)


def test_what_an_idle_system_uses_is_not_charged_to_jobs() -> None:
    assert milliseconds(used=2.0, idle_rate=0.05, took=10, jobs=500) == 3.0


def test_values_are_placed_by_their_logarithm() -> None:
    assert place(100, 1, 10_000, 0, 200) == pytest.approx(100)
    assert place(1, 1, 10_000, 200, 0) == 200


def test_a_chart_has_a_line_a_figure_and_its_values_in_words() -> None:
    text = chart("seconds", [Line("condor_q & more", [(1000, 0.02), (10_000, 0.05)]), Line("rm", [(1000, 1.0)])])
    assert text.count("<polyline") == 2
    assert text.count("<circle") == 3
    assert "condor_q &amp; more: 0.02, 0.05" in text
