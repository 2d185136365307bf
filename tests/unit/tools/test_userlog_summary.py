"""condor_userlog: the runs in event logs, what of them counted, and the sums by host and job."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tool_runner import Spool

ZERO = "Usr 0 00:00:00, Sys 0 00:00:00"
BYTES = "".join(f"\t0  -  {what} By Job\n" for what in ("Run Bytes Sent", "Run Bytes Received"))


def event(number: int, job: str, clock: str, text: str) -> str:
    cluster, _, proc = job.partition(".")
    return f"{number:03d} ({int(cluster):03d}.{int(proc):03d}.000) 2026-11-{clock} {text}\n...\n"


def started(job: str, clock: str, host: str = "10.0.0.1") -> str:
    return event(1, job, clock, f"Job executing on host: <{host}:9618?addrs=x>")


def ended(job: str, clock: str, usage: str = ZERO) -> str:
    lines = [
        f"\t\t{usage}  -  Run Remote Usage",
        f"\t\t{ZERO}  -  Run Local Usage",
        f"\t\t{usage}  -  Total Remote Usage",
    ]
    text = "\n".join([*lines, f"\t\t{ZERO}  -  Total Local Usage"])
    return event(5, job, clock, f"Job terminated.\n\t(1) Normal termination (return value 0)\n{text}\n{BYTES}")


def evicted(job: str, clock: str, usage: str = ZERO, saved: bool = False) -> str:
    how = "(1) Job was checkpointed." if saved else "(0) Job was not checkpointed."
    text = f"\t\t{usage}  -  Run Remote Usage\n\t\t{ZERO}  -  Run Local Usage\n{BYTES}"
    return event(4, job, clock, f"Job was evicted.\n\t{how}\n{text}")


def saved(job: str, clock: str, usage: str = ZERO) -> str:
    text = (
        f"\t{usage}  -  Run Remote Usage\n\t{ZERO}  -  Run Local Usage\n\t0  -  Run Bytes Sent By Job For Checkpoint\n"
    )
    return event(3, job, clock, f"Job was checkpointed.\n{text}")


LOG = (
    started("7.0", "20 10:00:00")
    + started("7.1", "20 10:30:00", "10.0.0.2")
    + evicted("7.1", "20 11:30:00")
    + ended("7.0", "21 12:00:30", "Usr 0 12:00:00, Sys 0 01:00:59")
    + started("7.1", "21 10:00:00")
    + saved("7.1", "21 10:45:00", "Usr 0 00:30:00, Sys 0 00:00:00")
    + evicted("7.1", "21 11:00:00")
    + started("12.0", "21 11:00:00")
    + evicted("12.0", "21 13:00:00", "Usr 0 00:36:00, Sys 0 00:00:00", saved=True)
)
FIRST = "7.0      10.0.0.1        11/20 10:00 11/21 12:00   1+02:00   1+02:00   0+13:00\n"
LOST = "7.1      10.0.0.2        11/20 10:30 11/20 11:30   0+01:00   0+00:00   0+00:00\n"
KEPT = "7.1      10.0.0.1        11/21 10:00 11/21 11:00   0+01:00   0+00:45   0+00:30\n"
LAST = "12.0     10.0.0.1        11/21 11:00 11/21 13:00   0+02:00   0+02:00   0+00:36\n"
HEADING = "\nJob      Host            Start Time  Evict Time  Wall Time Good Time CPU Usage\n"


@pytest.fixture
def log(spool: Spool) -> Spool:
    Path("log").write_text(LOG)
    return spool


def test_each_run_has_a_row(log: Spool) -> None:
    """What counts of an evicted run is up to its last checkpoint. Runs are in the order of their ends."""
    assert log.run("condor_userlog", "-raw", "log") == (LOST + FIRST + KEPT + LAST, "", 0)
    assert log.run("condor_userlog", "log").out.startswith(HEADING + LOST + FIRST + KEPT + LAST + "\nHost/Job ")


def test_the_sums(log: Spool) -> None:
    """Average of all runs; what was lost is the average of those that lost something."""
    assert log.run("condor_userlog", "-total", "log").out.splitlines() == [
        "",
        "Host/Job        Wall Time Good Time CPU Usage Avg Alloc  Avg Lost Goodput  Util.",
        "",
        "10.0.0.1          1+05:00   1+04:45   0+14:06   0+09:40   0+00:15   99.1%  49.1%",
        "10.0.0.2          0+01:00   0+00:00   0+00:00   0+01:00   0+01:00    0.0%   0.0%",
        "",
        "7.0               1+02:00   1+02:00   0+13:00   1+02:00   0+00:00  100.0%  50.0%",
        "7.1               0+02:00   0+00:45   0+00:30   0+01:00   0+00:37   37.5%  66.7%",
        "12.0              0+02:00   0+02:00   0+00:36   0+02:00   0+00:00  100.0%  30.0%",
        "",
        "Total             1+06:00   1+04:45   0+14:06   0+07:30   0+00:37   95.8%  49.1%",
    ]


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("-j 7", LOST + FIRST + KEPT),
        ("-j 7.0", FIRST),
        ("-job 7.1", LOST + KEPT),
        ("-j 12.1", ""),
        ("-j x", LOST + FIRST + KEPT + LAST),
        ("-j 7.1 -j 7", LOST + KEPT),
        ("-e", LOST + KEPT + LAST),
        ("-evict -j 7", LOST + KEPT),
        ("-evict -j 7 -all", LOST + FIRST + KEPT + LAST),
        ("-all -j 7.0", FIRST),
    ],
)
def test_some_of_the_jobs(log: Spool, words: str, rows: str) -> None:
    assert log.run("condor_userlog", "-raw", *words.split(), "log") == (rows, "", 0)


def test_names_of_hosts(log: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def name(address: str) -> tuple[str, list[str], list[str]]:
        if address == "10.0.0.2":
            raise OSError(address)
        return "a-rather-long-name.example.net", [], []

    monkeypatch.setattr(socket, "gethostbyaddr", name)
    out = log.run("condor_userlog", "-hostname", "log").out
    assert KEPT.replace("10.0.0.1       ", "a-rather-long-n") in out
    assert LOST in out
    assert "\na-rather-long-n   1+05:00" in out
    assert "\n10.0.0.2          0+01:00" in out


WARNING = "warning: discarding execute event (job 1.0)\n  "


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [
        (
            started("1.0", "20 10:00:00") + started("1.0", "20 10:05:00") + ended("1.0", "20 11:00:00"),
            ["11/20 10:00"],
            f"{WARNING}found before evict or termination event for previous execute event.\n",
        ),
        (
            started("1.0", "20 10:00:00") + started("1.0", "20 10:05:00", "10.0.0.2") + ended("1.0", "20 11:00:00"),
            ["11/20 10:05"],
            f"{WARNING}with no corresponding evict or termination event.\n",
        ),
        (ended("1.0", "20 11:00:00"), [], "internal error: can't find execute event for terminated job 1.0!\n"),
        (evicted("1.0", "20 11:00:00"), [], "internal error: can't find execute event for evicted job 1.0!\n"),
        (
            event(7, "1.0", "20 11:00:00", "Shadow exception!\n\toops\n"), [],
            "internal error: can't find execute event for job 1.0!\n",
        ),
        (
            started("1.0", "20 10:00:00") + ended("1.0", "20 09:00:00"), [],
            "internal error: negative time computed for 1.0!\n",
        ),
        (started("1.0", "20 10:00:00") + ended("1.0", "20 10:00:00"), ["11/20 10:00"], ""),
        (started("1.0", "20 10:00:00") + event(7, "1.0", "20 11:00:00", "Shadow exception!\n\tx\n"),
         ["11/20 10:00"], ""),
    ],
)  # fmt: skip
def test_events_that_do_not_fit_together(spool: Spool, text: str, rows: list[str], said: str) -> None:
    """Nothing is said of them without -debug."""
    Path("log").write_text(text)
    done = spool.run("condor_userlog", "-raw", "log")
    assert [line[25:36] for line in done.out.splitlines()] == rows
    assert (done.err, done.code) == ("", 0)
    assert spool.run("condor_userlog", "-debug", "-raw", "log") == (done.out, said, 0)


def test_a_checkpoint_of_an_earlier_run_does_not_count(spool: Spool) -> None:
    text = (
        started("1.0", "20 10:00:00") + saved("1.0", "20 10:30:00") + evicted("1.0", "20 11:00:00")
        + started("1.0", "20 12:00:00") + evicted("1.0", "20 13:00:00") + started("1.0", "20 14:00:00")
        + saved("1.0", "20 14:00:00") + event(7, "1.0", "20 15:00:00", "Shadow exception!\n\tx\n")
    )  # fmt: skip
    Path("log").write_text(text)
    rows = spool.run("condor_userlog", "-raw", "log").out.splitlines()
    assert [line.split()[-2] for line in rows] == ["0+00:30", "0+00:00", "0+00:00"]


def test_files_that_are_no_logs(spool: Spool) -> None:
    Path("log").write_text(LOG)
    Path("empty").write_text("")
    done = spool.run("condor_userlog", "missing", "log")
    assert done.err == "Can't access file: missing (errno=2)\n"
    assert (done.code, done.out[: len(HEADING)]) == (0, HEADING)
    assert spool.run("condor_userlog", "missing") == ("", "Can't access file: missing (errno=2)\n", 0)
    out = spool.run("condor_userlog", "empty").out
    assert out.startswith("\nHost/Job ")
    assert out.splitlines()[-1].split() == ["Total", *["0+00:00"] * 5, "0.0%", "0.0%"]
    both = spool.run("condor_userlog", "-raw", "log", "log").out
    assert both == 2 * (LOST + FIRST + KEPT + LAST)
    assert spool.run("condor_userlog").code == 1
    assert spool.run("condor_userlog", "-h").code == 0
