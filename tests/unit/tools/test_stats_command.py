"""condor_stats: which time its options name, which query counts, and its lines."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from condor_py.cli import stats
from condor_py.cli.options import parse
from condor_py.model.errors import CondorError

NOW = 1_700_000_000
DAY = 86_400
#: Midnights in UTC.
JAN_2_2020, JAN_3_2020, JAN_2_1999 = 1_577_923_200, 1_578_009_600, 915_235_200


@pytest.fixture(autouse=True)
def clock(spool: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is UTC, and stands."""
    monkeypatch.setattr(time, "time", lambda: NOW + 0.9)


@pytest.mark.parametrize(
    ("words", "begin", "end"),
    [
        ("", NOW - DAY, NOW),
        ("-lastday", NOW - DAY, NOW),
        ("-lastweek", NOW - 7 * DAY, NOW),
        ("-lastmonth", NOW - 30 * DAY, NOW),
        ("-lasthours 2", NOW - 7200, NOW),
        ("-lasthours 0", NOW, NOW),
        ("-lastweek -lasthours 1", NOW - 3600, NOW),
        ("-lasthours 1 -lastweek", NOW - 7 * DAY, NOW),
        ("-from 1 2 2020", JAN_2_2020, NOW),
        ("-from 1 2 2020 -to 1 3 2020", JAN_2_2020, JAN_3_2020),
        ("-to 1 3 2020 -from 1 2 2020", JAN_2_2020, JAN_3_2020),
        ("-from 1 2 2020 -to 1 2 2020", JAN_2_2020, JAN_2_2020),
        ("-from 1 2 2020 -lastday", NOW - DAY, NOW),
        ("-from 1 2 20", JAN_2_2020, NOW),
        ("-from 1 2 99", JAN_2_1999, NOW),
        ("-from 1 1 1970", 0, NOW),
        ("-from 1 1 70", 0, NOW),
    ],
)
def test_the_time_by_its_options(words: str, begin: int, end: int) -> None:
    assert stats._times(parse(stats.SPEC, words.split())) == (begin, end)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-from 1 1 49", "must begin in the past"),
        ("-from 12 31 1969", "must begin in the past"),
        ("-from 1 1 50", "must begin in the past"),
        ("-from 1 3 2020 -to 1 2 2020", "before it ends"),
        ("-lasthours 999999999", "must begin in the past"),
        ("-lasthours 9999999999", "9999999999 is no number"),
        ("-lasthours ²", "² is no number"),
        ("-lasthours ٣", "٣ is no number"),
        ("-from 1 1 x", "x is no number"),
    ],
)
def test_times_that_there_are_not(words: str, message: str) -> None:
    with pytest.raises(CondorError, match=message):
        stats._times(parse(stats.SPEC, words.split()))


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("-userlist -resourcelist", ("resourcelist", "")),
        ("-resourcequery slot1@here -userquery ann@d/here", ("userquery", "ann@d/here")),
        ("-userquery ann@d/here -orgformat -lastday", ("userquery", "ann@d/here")),
    ],
)
def test_of_queries_the_last_one_counts(words: str, query: tuple[str, str]) -> None:
    assert stats._query(parse(stats.SPEC, words.split())) == query


def test_states_have_the_names_of_htcondor() -> None:
    names = [stats._slot(50.0, f"\t60\t  0.500\t{number}\n").split()[-1] for number in range(11)]
    assert " ".join(names) == (
        "UNKNOWN UNCLAIMED MATCHED CLAIMED PRE-EMPTING OWNER SHUTDOWN DELETE BACKFILL DRAINED UNKNOWN"
    )


@pytest.mark.parametrize(
    ("part", "text", "line"),
    [
        (12.345678, "7\t1.250\t1", "12.350000\t7\t1.250000\tUNCLAIMED\n"),
        (0.0, "0\t0.1\t3", "0.000000\t0\t0.100000\tCLAIMED\n"),
        (77.22, "60\t0\t1 more", "77.220001\t60\t0.000000\tUNCLAIMED\n"),
        (1.0, "60\t0.5", ""),
        (1.0, "x\t0.5\t1", ""),
        (1.0, "60\tx\t1", ""),
        (1.0, "60\t0.5\tx", ""),
        (1.0, "", ""),
    ],
)
def test_lines_about_slots(part: float, text: str, line: str) -> None:
    """Figures are of single precision, and what is no line of a slot is left out."""
    assert stats._slot(part, text) == line


def test_loads_that_no_float_holds_are_cut() -> None:
    assert stats._slot(1.0, "1\t1e300\t1").split()[2].startswith("10000000")


def test_the_times_of_each_tenth() -> None:
    lines = list(stats._timeline(0, 1005))
    assert lines[0] == "0.00\tThu Jan  1 00:00:00 1970\n"
    assert lines[3] == "30.00\tThu Jan  1 00:05:00 1970\n"
    assert lines[10:] == ["100.00\tThu Jan  1 00:16:40 1970\n"]
    assert stats._timeline(50, 50).__next__() == "0.00\tThu Jan  1 00:00:50 1970\n"


def test_a_name_has_two_hundred_characters_at_most(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats.stats(["-userquery", "x" * 200]) == 0
    assert capsys.readouterr().out == "No Data.\n"
    with pytest.raises(CondorError, match="too long"):
        stats.stats(["-userquery", "x" * 201])


def test_a_file_has_the_bytes_of_names_that_are_no_text(tmp_path: Path) -> None:
    stats._write(f"{tmp_path}/out", ["a\udcff\n", "b\n"])
    assert (tmp_path / "out").read_bytes() == b"a\xff\nb\n"
