"""condor_q with a print format: the title, heading and totals that it asks for, groups and distinct rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tool_runner import Spool

COLUMNS = "SELECT{more}\n   Owner AS WHO WIDTH -6\n   JobPrio AS PRIO WIDTH 4 PRINTF %d\n"
TOTALS = "Total for query: 4 jobs; 0 completed, 0 removed, 3 idle, 0 running, 1 held, 0 suspended"


@pytest.fixture
def queue(spool: Spool) -> Spool:
    spool.add(1, 2, "bob", JobPrio="5")
    spool.add(2, 1, "ann", JobPrio="3", JobStatus="5")
    spool.add(3, 1, "bob", JobPrio="1")
    return spool


def shown(queue: Spool, text: str, *words: str) -> list[str]:
    Path("format").write_text(text)
    done = queue.run("condor_q", "-all", "-pr", "format", *words)
    assert (done.err, done.code) == ("", 0)
    return [line.rstrip() for line in done.out.splitlines()]


def test_a_title_a_heading_and_totals(queue: Spool) -> None:
    lines = shown(queue, COLUMNS.format(more="") + "SUMMARY STANDARD\n")
    assert lines[2].startswith("-- Schedd: ")
    assert lines[3:8] == ["WHO    PRIO", "bob       5", "bob       5", "ann       3", "bob       1"]
    assert lines[8:10] == ["", TOTALS]


def test_what_a_format_leaves_out(queue: Spool) -> None:
    rows = ["bob       5", "bob       5", "ann       3", "bob       1"]
    assert shown(queue, COLUMNS.format(more=" NOTITLE") + "SUMMARY NONE\n") == ["WHO    PRIO", *rows]
    assert shown(queue, COLUMNS.format(more=" BARE") + "SUMMARY NONE\n") == rows
    assert shown(queue, COLUMNS.format(more=" NOHEADER") + "SUMMARY NONE\n")[3:] == rows


def test_rows_may_be_distinct_and_in_groups(queue: Spool) -> None:
    unique = COLUMNS.format(more=" UNIQUE BARE")
    assert shown(queue, f"{unique}SUMMARY NONE\n") == ["bob       5", "ann       3", "bob       1"]
    grouped = f"{COLUMNS.format(more=' BARE')}GROUP BY\n   Owner\n   JobPrio\nSUMMARY NONE\n"
    assert shown(queue, grouped) == ["ann       3", "bob       1", "bob       5", "bob       5"]


def test_a_format_may_choose_jobs(queue: Spool) -> None:
    text = f"{COLUMNS.format(more=' BARE')}WHERE JobPrio > 2\nSUMMARY NONE\n"
    assert shown(queue, text) == ["bob       5", "bob       5", "ann       3"]
    assert shown(queue, text, "-constraint", 'Owner == "ann"') == ["ann       3"]
    assert shown(queue, text, "-limit", "1") == ["ann       3"]
    assert shown(queue, text, "1.0", "-aaf", "ClusterId") == ["bob       5 1"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["-af", "ClusterId", "ProcId"], ["WHO    PRIO ClusterId ProcId", "bob       5 1         0",
                                          "bob       5 1         1", "ann       3 2         0"]),
        (["-format", "<%d>", "ClusterId"], ["WHO    PRIO", "bob       5 <1>", "bob       5 <1>", "ann       3 <2>"]),
        (["-af", "(("], ["WHO    PRIO", "bob       5", "bob       5", "ann       3"]),
    ],
)  # fmt: skip
def test_columns_of_the_command_line_follow_those_of_the_format(
    queue: Spool, words: list[str], lines: list[str]
) -> None:
    """As in HTCondor: title and totals go, what the format says of jobs stays."""
    text = f"{COLUMNS.format(more='')}WHERE JobPrio > 2\nSUMMARY STANDARD\n"
    assert shown(queue, text, *words) == lines
    assert queue.run("condor_q", "-all", *words, "-pr", "format").out.splitlines()[1].rstrip() == lines[1]


def test_totals_alone_and_as_an_ad(queue: Spool) -> None:
    lines = [line.rstrip() for line in queue.run("condor_q", "-all", "-totals").out.splitlines()]
    assert lines[3] == TOTALS
    ad = json.loads(queue.run("condor_q", "-all", "-totals", "-json", "-constraint", "JobPrio > 2").out)[0]
    assert (ad["Jobs"], ad["Idle"], ad["Held"], ad["AllusersJobs"], ad["AllusersIdle"]) == (3, 2, 1, 4, 3)


def test_the_old_summary(queue: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_CONDOR_Q_SHOW_OLD_SUMMARY", "true")
    text = TOTALS.removeprefix("Total for query: ")
    assert queue.run("condor_q", "-all", "-nobatch").out.endswith(f"\n\n{text}\n\n")


@pytest.mark.parametrize("words", ["-wide", "-wide:0", "-wide:30", "-af:h", ""])
def test_values_are_cut_only_where_it_is_asked_for(queue: Spool, words: str) -> None:
    """Trailing blanks go where nothing is cut."""
    option = [words] if words.startswith("-wide") else []
    out = queue.run("condor_q", "3", *option, "-format", "%-8s", "Owner", "-format", "%s  \n", "Cmd").out
    assert out == ("bob     /bin/sleep\n" if words == "-wide" else "bob     /bin/sleep  \n")


def test_offline_totals_have_no_other_users(queue: Spool) -> None:
    Path("jobs").write_text(queue.run("condor_q", "-all", "-long").out)
    out = queue.run("condor_q", "-jobads", "jobs", "-nobatch").out
    assert out.splitlines()[-2] == TOTALS + " " * 51
    assert queue.run("condor_q", "-jobads", "jobs", "-limit", "1", "-af", "ClusterId").out == "1\n1\n2\n3\n"
    assert queue.run("condor_q", "-jobads", "jobs", "2", "-af", "ClusterId").out == "2\n"
    assert queue.run("condor_q", "-jobads", "jobs", "-af", "ServerTime").out != ""
