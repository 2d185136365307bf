"""The jobs of condor_top as its queue has them: rows, filters, orders, counts; names of keys; styles."""

from __future__ import annotations

import curses

import pytest
from tool_runner import Spool

from condor_py.cli.top.look import LiveJobs
from condor_py.cli.top.rows import JobRow, Wanted
from condor_py.cli.top.screen import _COLORS, _names
from condor_py.client.pool import Pool
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.ids import JobId

NOW = 1795888800
JOB = JobId(1, 0)


def live(spool: Spool) -> LiveJobs:
    return LiveJobs(QueueFollower(Pool()), NOW)


def row_of(spool: Spool, **more: str) -> JobRow:
    spool.add(1, 1, "ann", QDate=str(NOW - 100), **more)
    found = live(spool).row(JOB)
    assert found is not None
    return found


RUNS = {"JobStatus": "2", "ShadowBday": str(NOW - 30), "RemoteHost": '"slot1@m"', "CpusProvisioned": "4",
        "RequestCpus": "2", "RequestMemory": "77", "MemoryUsage": "50"}  # fmt: skip


def test_the_row_of_a_job_that_runs(spool: Spool) -> None:
    assert row_of(spool, **RUNS) == JobRow(JOB, "ann", 2, 30, 4, 50, "slot1", "sleep 60", "")


@pytest.mark.parametrize("state", ["1", "5"])
def test_the_row_of_a_job_that_does_not_run_is_what_it_asks_for(spool: Spool, state: str) -> None:
    found = row_of(spool, **RUNS | {"JobStatus": state})
    assert found[2:8] == (int(state), 100, 2, 77, "", "sleep 60")


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({"JobStatus": "5", "HoldReason": '"no disk"'}, "held: no disk"),
        ({"JobStatus": "5"}, "held: no reason is given"), ({"JobStatus": "1"}, ""), ({"JobStatus": "2"}, ""),
        ({"LastRejMatchReason": '"no match found"'}, "waits: no match found"),
        ({"JobStatus": "2", "LastRejMatchReason": '"no match found"'}, ""),
    ],
)  # fmt: skip
def test_the_note_on_a_job(spool: Spool, more: dict[str, str], note: str) -> None:
    assert row_of(spool, **more).note == note


def test_little_is_known_of_a_job_that_says_little(spool: Spool) -> None:
    spool.add(1, 1, "ann", QDate="undefined", JobBatchName='"night"', JobStatus='"x"')
    jobs = live(spool)
    assert jobs.row(JOB) == JobRow(JOB, "ann", 0, 0, 1, 0, "", "night: sleep 60", "")
    assert jobs.counts() == {0: 1}
    assert (jobs.row(JobId(2, 0)), jobs.owner(JobId(1, 1)), jobs.status(JobId(1, 1))) == (None, None, 0)


def fill(spool: Spool) -> LiveJobs:
    spool.add(1, 2, "ann", Cmd='"/bin/sort"', Args='"-n"')
    spool.add(2, 1, "bob", JobBatchName='"Night"', AccountingGroup='"bio.bob"')
    spool.add(12, 1, "ann", JobStatus="2")
    return live(spool)


@pytest.mark.parametrize(
    ("text", "owner", "found"),
    [
        ("", "", "1.0 1.1 2.0 12.0"), ("", "ann", "1.0 1.1 12.0"), ("", "bio.bob", ""), ("2.0", "", "2.0 12.0"),
        ("1.", "", "1.0 1.1"), ("SORT", "", "1.0 1.1"), ("-n", "", "1.0 1.1"), ("night", "", "2.0"),
        ("bio", "", "2.0"), ("bob", "ann", ""), ("sleep", "ann", "12.0"), ("ann", "", "1.0 1.1 12.0"),
        ("nothing", "", ""),
    ],
)  # fmt: skip
def test_jobs_with_a_text(spool: Spool, text: str, owner: str, found: str) -> None:
    """In the id, the submitter, the owner, the command, its arguments or the name of the batch, in any case."""
    jobs = fill(spool)
    assert " ".join(map(str, jobs.ordered(Wanted("ID", False, text, owner)))) == found


def test_orders_of_times_cpus_and_memory(spool: Spool) -> None:
    """Of a job that runs the time of its run; what it has got before what it asks for."""
    spool.add(1, 1, "ann", QDate=str(NOW - 50), RequestCpus="2", RequestMemory="30")
    spool.add(2, 1, "ann", QDate=str(NOW - 90), ShadowBday=str(NOW - 5), JobStatus="2", RequestCpus="3",
              CpusProvisioned="1", RequestMemory="20", MemoryProvisioned="40")  # fmt: skip
    spool.add(3, 1, "ann", QDate=str(NOW - 20), ShadowBday=str(NOW - 99), RequestCpus="nonsense", RequestMemory="10")
    jobs = live(spool)
    orders = {column: [job.cluster for job in jobs.ordered(Wanted(column))] for column in ("TIME", "CPUS", "MEM")}
    assert orders == {"TIME": [1, 3, 2], "CPUS": [1, 2, 3], "MEM": [2, 1, 3]}


def test_counts_follow_the_queue(spool: Spool) -> None:
    jobs = fill(spool)
    assert jobs.counts() == {1: 3, 2: 1}
    assert jobs.take_touched() is None
    assert jobs.take_touched() == set()
    spool.set("1.1", "JobStatus", "5")
    spool.add(13, 1, "eve")
    jobs.look(NOW + 1)
    assert jobs.counts() == {1: 3, 2: 1, 5: 1}
    assert jobs.take_touched() == {1, 13}
    assert (jobs.owner(JobId(13, 0)), jobs.status(JobId(1, 1)), jobs.now) == ("eve", 5, NOW + 1)
    assert sorted(jobs.clusters) == [1, 2, 12, 13]
    before = jobs.ordered(Wanted("ID"))
    for number in range(6):
        jobs.ordered(Wanted("ID", False, str(number)))
    assert jobs.ordered(Wanted("ID")) == before


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ((curses.KEY_UP,), "up"), ((curses.KEY_DOWN,), "down"), ((curses.KEY_PPAGE,), "pgup"),
        ((curses.KEY_NPAGE,), "pgdn"), ((curses.KEY_HOME,), "home"), ((curses.KEY_END,), "end"),
        ((curses.KEY_BTAB,), "btab"), ((curses.KEY_F1,), "f1"), ((curses.KEY_ENTER, "\n", "\r"), "enter"),
        ((curses.KEY_BACKSPACE, "\x7f", "\b"), "backspace"), (("\t",), "tab"), (("\x1b",), "esc"), ((" ",), "space"),
        (("\x0c",), "g"),
    ],
)  # fmt: skip
def test_keys_have_names(keys: tuple[int | str, ...], name: str) -> None:
    assert [_names()[key] for key in keys] == [name] * len(keys)


def test_colours_are_those_of_curses() -> None:
    assert _COLORS == {"good": "GREEN", "bad": "RED", "warn": "YELLOW", "bar": "GREEN", "focus": "CYAN", "head": "CYAN"}
    assert all(hasattr(curses, f"COLOR_{color}") for color in _COLORS.values())
