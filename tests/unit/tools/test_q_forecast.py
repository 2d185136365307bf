"""condor_q -forecast: when idle jobs start, from what runs and how long jobs are said, or known, to run."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

NOW = 1795213560
REQUESTS = {
    "RequestCpus": "1",
    "RequestMemory": "10",
    "RequestDisk": "10",
    "Requirements": "TARGET.Memory >= RequestMemory",
    "QDate": str(NOW - 60),
}


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Two slots, one with a job of bob's that has run for 100 seconds; four jobs of alice's that fit, one too large."""
    monkeypatch.setattr("time.time", lambda: float(NOW))
    slots = []
    for number, more in enumerate(
        ({"State": '"Claimed"', "RemoteUser": '"bob@example.net"', "RemoteOwner": '"bob@example.net"',
          "JobId": '"9.0"', "JobStart": str(NOW - 100)}, {"State": '"Unclaimed"'}), 1
    ):  # fmt: skip
        slots.append(
            {"MyType": '"Machine"', "Name": f'"slot{number}@vm"', "Machine": '"vm"', "SlotID": str(number),
             "Requirements": "true", "Start": "true", "Cpus": "1", "Memory": "1000", "Disk": "1000000",
             "SlotWeight": "Cpus", "MyAddress": '"<127.0.0.1:1>"', "MyCurrentTime": str(NOW), **more}
        )  # fmt: skip
    ads = [ClassAd.from_text_items(list(slot.items())) for slot in slots]
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", ads)
    spool.add(1, 4, owner="alice", **REQUESTS)
    spool.add(2, 1, owner="alice", **REQUESTS | {"RequestMemory": "5000"})
    return spool


def forecast(pool: Spool, *words: str) -> list[str]:
    """The lines of the table, below its heading."""
    done = pool.run("condor_q", *words)
    assert (done.err, done.code) == ("", 0)
    return [" ".join(line.split()) for line in done.out.splitlines() if line and "Schedd" not in line]


def test_jobs_start_where_others_end(pool: Spool) -> None:
    """The slot that runs a job is free after 500 seconds; the other one after each 600."""
    assert forecast(pool, "-forecast:600", "-all") == [
        "ID OWNER START WAIT",
        "1.0 alice 11/20/2026 22:26:00 now",
        "1.1 alice 11/20/2026 22:34:20 0+00:08",
        "1.2 alice 11/20/2026 22:36:00 0+00:10",
        "1.3 alice 11/20/2026 22:44:20 0+00:18",
        "2.0 alice never no slot meets its Requirements: TARGET.Memory >= RequestMemory",
    ]


def test_a_job_that_runs_longer_than_it_should_is_given_as_long_again(pool: Spool) -> None:
    assert forecast(pool, "-forecast:60", "1.1", "1.2")[1:] == [
        "1.1 alice 11/20/2026 22:27:00 0+00:01",
        "1.2 alice 11/20/2026 22:27:40 0+00:01",
    ]


def test_jobs_that_are_asked_for_are_shown_and_the_others_count(pool: Spool) -> None:
    assert forecast(pool, "-forecast:600", "1.3")[1:] == ["1.3 alice 11/20/2026 22:44:20 0+00:18"]
    pool.set("1.0", "JobPrio", "-5")
    assert forecast(pool, "-forecast:600", "1.3")[1:] == ["1.3 alice 11/20/2026 22:36:00 0+00:10"]


def test_without_jobs_that_wait_there_is_no_table(pool: Spool) -> None:
    assert forecast(pool, "-forecast:600", "7") == ["No idle job waits for a slot."]
    pool.set("1.3", "JobStatus", "5")
    assert forecast(pool, "-forecast:600", "1.3") == ["No idle job waits for a slot."]


def test_without_a_history_an_hour_is_taken_and_spans_are_told(pool: Spool) -> None:
    heading, *rows, last = forecast(pool, "-forecast", "1")
    assert heading == "ID OWNER START WAIT 8 OF 10 WAIT END"
    assert rows[0].startswith("1.0 alice 11/20/2026 22:26:00 now 11/20/2026 23:")
    assert all(" to " in row for row in rows[1:])
    assert last == "Jobs judged: 4 by none (an hour is taken). New jobs are not foreseen."


@pytest.mark.parametrize("seconds", ["x", "0", "-3", "1e9", "nan"])
def test_seconds_are_a_number_above_0(pool: Spool, seconds: str) -> None:
    done = pool.run("condor_q", f"-forecast:{seconds}")
    assert (done.err, done.code) == (f"Error: -forecast:{seconds}: write a number of seconds above 0\n", 1)
