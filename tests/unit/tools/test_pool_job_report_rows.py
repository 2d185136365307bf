"""The lines of condor_pool_job_report: which runs count, quartiles, and how they are written."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import pool_job_report as report
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd

ANN = "ann@example.net"


def run(seconds: int, user: str = ANN, job: int = 0, **more: Any) -> report._Run:
    return report._Run(user, (1, job), seconds, True, True, False)._replace(**more)


def row(*seconds: int) -> report._Row:
    (found,) = report._rows([run(each, job=number) for number, each in enumerate(seconds)])
    return found


@pytest.mark.parametrize(
    ("seconds", "times"),
    [
        ((5,), (5, 5, 5, 5, 5, 0)),
        ((1, 3), (1, 1, 1, 3, 2, 1)),
        ((30, 10, 20), (10, 10, 20, 30, 20, 8)),  # the deviation is the root of 66.7
        ((10, 20, 30, 40), (10, 20, 30, 40, 25, 11)),  # of 125
        (tuple(range(80, 0, -10)), (20, 40, 60, 80, 45, 22)),  # of 525
        ((100, 101), (100, 100, 100, 101, 100, 0)),
    ],
)
def test_quartiles_maximum_mean_and_deviation(seconds: tuple[int, ...], times: tuple[int, ...]) -> None:
    assert row(*seconds).times == times


def test_runs_of_less_than_a_minute_are_short() -> None:
    assert row(0, 59, 60, 61).short == 2


def test_hours_are_whole_ones() -> None:
    (found,) = report._rows([
        run(3599), run(3600, job=1, glidein=True), run(3599, job=2, glidein=True), run(7199, job=3, completed=False),
        run(3601, job=4, completed=False),
    ])  # fmt: skip
    assert (found.starts, found.hours, found.glidein, found.removed) == (3, 2, 1, 3)


def test_a_job_that_started_again_is_counted_once() -> None:
    (found,) = report._rows([run(10, job=1), run(10, job=1), run(10, job=1), run(10, job=2)])
    assert (found.starts, found.restarted) == (4, 2)


def test_very_long_runs_are_left_out_and_those_that_were_cut_are_named() -> None:
    """From 251,000 seconds on a run counts for nothing; beyond 252,000 it was cut, where it is a vanilla job's."""
    runs = [run(250_999), run(251_000, job=1), run(251_000, job=2, completed=False)]
    (found,) = report._rows(runs)
    assert (found.starts, found.hours, found.removed) == (1, 69, 0)
    cut = [
        *(run(252_001, "bea@x") for _ in range(2)), run(252_001), run(252_000, "cyd@x"), run(252_001, "boinc@x"),
        run(252_001, "dan@x", vanilla=False), run(252_001, "eve@x", completed=False),
    ]  # fmt: skip
    lines = report._text([], [*runs, *cut], "now").splitlines()
    assert [line.split() for line in lines[-3:]] == [["1", ANN], ["1", "eve@x"], ["2", "bea@x"]]
    assert lines[-3] == f"      1 {ANN}"
    assert lines[-4:-3] == ["----    ----"]
    assert "Total completed jobs yesterday: 1" in lines
    assert "Using a total of 69 hours" in lines


def test_users_are_in_the_order_of_their_names_and_for_people_in_that_of_their_hours() -> None:
    rows = report._rows([run(7200, "ann@x"), run(60, "cyd@x"), run(3600, "bea@x"), run(90, "dan@x", completed=False)])
    assert [each.user for each in rows] == ["ann", "bea", "cyd"]
    lines = report._text(rows, [], "Sat Nov 28 18:00:00 2026").splitlines()
    assert lines[0] == "HTCondor Job Durations report running at Sat Nov 28 18:00:00 2026"
    assert [line.split()[0] for line in lines[7:10]] == ["cyd", "bea", "ann"]
    assert lines[4].split()[:4] == ["User", "Schedd", "Starts", "Restarted"]
    assert lines[8] == (
        "bea                                       x        1        0        1        0        0        0"
        "    01:00    01:00    01:00    01:00    01:00    00:00"
    )


def test_the_table_has_seconds_and_the_report_hours_and_minutes() -> None:
    (found,) = report._rows([run(90_061)])
    assert found.cells(True)[8:] == ["25:01"] * 5 + ["00:00"]
    assert found.cells(False)[8:] == ["90061"] * 5 + ["0"]
    assert report._table([found]).splitlines() == [
        "User,Schedd,Starts,Restarted,Total,Short,OSGable,Removed,1st,Median,3rd,Max,Mean,SD",
        "ann,example.net,1,0,25,0,0,0,90061,90061,90061,90061,90061,0",
    ]
    (bare,) = report._rows([run(59, "ann")])
    assert (bare.user, bare.domain, bare.cells(True)[8]) == ("ann", "", "00:00")


ENDED = {
    "User": ANN, "ClusterId": 7, "ProcId": 3, "RemoteWallClockTime": 60.9, "JobStatus": 4, "ExitBySignal": False,
    "JobUniverse": 5,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, report._Run(ANN, (7, 3), 60, True, True, False)),
        ({"User": ""}, report._Run("?", (7, 3), 60, True, True, False)),
        ({"User": None, "ClusterId": None, "ProcId": None}, report._Run("?", (0, 0), 60, True, True, False)),
        ({"RemoteWallClockTime": -5.0}, report._Run(ANN, (7, 3), 0, True, True, False)),
        ({"RemoteWallClockTime": None}, report._Run(ANN, (7, 3), 0, True, True, False)),
        ({"JobStatus": 3}, report._Run(ANN, (7, 3), 60, False, True, False)),
        ({"JobStatus": None}, report._Run(ANN, (7, 3), 60, False, True, False)),
        ({"ExitBySignal": True}, report._Run(ANN, (7, 3), 60, False, True, False)),
        ({"ExitBySignal": None}, report._Run(ANN, (7, 3), 60, False, True, False)),
        ({"JobUniverse": 7}, report._Run(ANN, (7, 3), 60, True, False, False)),
        ({"WantGlidein": True}, report._Run(ANN, (7, 3), 60, True, True, True)),
    ],
)
def test_what_the_history_tells_of_a_run(changed: dict[str, Any], expected: report._Run) -> None:
    ad = ClassAd({name: value for name, value in {**ENDED, **changed}.items() if value is not None})
    assert report._run(ad) == expected


def test_records_of_three_days_are_read_and_no_more(spool: Spool) -> None:
    """Behind an older record nothing is looked at; one that is damaged or says no time ends nothing."""
    now, day, log = 1_795_888_800, 86_400, spool.path.parent.parent / "log"
    log.mkdir()

    def record(user: str, written: str, ended: int = now - day) -> str:
        return f'User = "{user}"\nCompletionDate = {ended}\n*** Offset = 0 CurrentTime = {written}\n'

    (log / "startd_history").write_text(
        record("early", f"{now - 2 * day}")
        + record("end", f"{now - 3 * day - 1}")
        + record("last", f"{now - 3 * day}")
        + record("strange", "x")
        + record("long", "1" * 5000)
        + record("other", f"{now}", now - 2 * day)
        + "Broken = ((\n*** Offset = 0 CurrentTime = 1795888800\n"
        + record("beyond", f"{now}", 1 << 62)
        + record("first", f"{now}")
    )
    runs = report._runs(open_pool(), date(2026, 11, 27), now)
    assert [each.user for each in runs] == ["first", "long", "strange", "last"]
