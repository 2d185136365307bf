"""Paths of the queue tools that are taken seldom: tables of schedds and factories, other pools, directories of runs."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import entry
from condor_py.cli.output.mask import Mask
from condor_py.cli.plots.chart import Areas, Bars, Gantt, Lines, data, draw, of_data
from condor_py.cli.plots.svg import Bar, Lane, Mark, Row, Series
from condor_py.cli.q.columns import Clock, autocluster_columns, factory_columns, grouped, jobset_columns
from condor_py.cli.userprio import _midnight
from condor_py.client.elsewhere import OtherSchedd
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

# -- condor_history


def record(number: int, **more: str) -> str:
    ad = {"ClusterId": str(number), "ProcId": "0", "Owner": '"bob"', "JobStatus": "4", "Cmd": '"/bin/x"'} | more
    return "".join(f"{name} = {text}\n" for name, text in ad.items())


def test_how_busy_a_schedd_was(spool: Spool) -> None:
    numbers = "\n".join(
        f"{name} = {number}" for number, name in enumerate(
            ("TotalRunningJobs", "TotalIdleJobs", "TotalHeldJobs", "TransferQueueNumDownloading",
             "TransferQueueNumWaitingToDownload", "FileTransferMBWaitingToDownload", "TransferQueueNumUploading",
             "TransferQueueNumWaitingToUpload", "FileTransferMBWaitingToUpload"), 1)
    )  # fmt: skip
    path = spool.path.parent / "schedd_daemon_history"
    path.write_text(
        f"RecordWriteDate = 1795888800\nRecentDaemonCoreDutyCycle = 0.1234\n{numbers}\n*** SCHEDD CurrentTime=5\n"
    )
    done = spool.run("condor_history", "-daemon")
    assert (done.err, done.code) == ("", 0)
    assert done.out == (
        "TIMESTAMP   DUTY_CYCLE RunningJobs   IdleJobs   HeldJobs Download Waiting WaitingMB   Upload Waiting "
        "WaitingMB\n"
        "11/28 18:00     12.34%           1          2          3        4       5      6.00        7       8"
        "      9.00\n"
    )


def test_a_directory_of_runs(spool: Spool) -> None:
    Path("runs").mkdir()
    for name, number in (("job.runs.7.0.ads", 7), ("job.runs.12.0.ads", 12), ("job.runs.x.ads", 1), ("other", 2)):
        end = f'*** EPOCH ClusterId={number} ProcId=0 RunInstanceId=0 Owner="bob" CurrentTime=5\n'
        Path(f"runs/{name}").write_text(record(number) + end)
    shown = spool.run("condor_history", "-epochs", "-search", "runs", "-directory", "-af", "ClusterId")
    assert (shown.out.split(), shown.err) == (["12", "7"], "")
    forwards = spool.run("condor_history", "-epochs", "-search", "runs", "-directory", "-forwards", "-af", "ClusterId")
    assert forwards.out.split() == ["7", "12"]
    for words, said in (
        (("-epochs:d", "-limit", "1"), "Error: -epoch:d (delete) cannot be used with -limit or -match."),
        (("-epochs:d", "-scanlimit", "1"), "Error: -epoch:d (delete) cannot be used with -scanlimit."),
    ):
        done = spool.run("condor_history", *words, "-search", "runs", "-directory")
        assert (done.err, done.code) == (f"{said}\n", 1)
    done = spool.run("condor_history", "-epochs", "-directory", "-search", "none")
    assert (done.err, done.code) == ("Error: none is not a valid directory.\n", 1)
    done = spool.run("condor_history", "-epochs", "-directory")
    assert (done.err, done.code) == ("Error: No search directory found for locating history files.\n", 1)
    deleted = spool.run("condor_history", "-epochs:d", "-search", "runs", "-directory", "-af", "ClusterId")
    assert deleted.out.split() == ["12", "7"]
    assert sorted(os.listdir("runs")) == ["job.runs.x.ads", "other"]


def test_single_records_of_jobs(spool: Spool) -> None:
    Path("old").mkdir()
    for number, age in ((1, 50), (2, 100), (3, 10)):
        Path(f"old/history.{number}.0").write_text(record(number))
        os.utime(f"old/history.{number}.0", (time.time() - age,) * 2)
    Path("old/else").write_text(record(9))
    done = spool.run("condor_history", "-search", "old", "-directory", "-af", "ClusterId")
    assert (done.out.split(), done.err) == (["3", "1", "2"], "")
    done = spool.run("condor_history", "-search", "none", "-directory")
    assert done.err == "Error opening history directory none: No such file or directory\n"
    done = spool.run("condor_history", "-userlog", "none")
    assert (done.err, done.code) == ("Error: Can't open userlog none\n", 1)


@pytest.mark.parametrize("words", [
    "-long", "-xml", "-toml", "-af Owner", "-format %s Owner", "-print-format x", "-attributes Owner", "-epochs",
    "-transfer-history", "-daemon", "-startd", "-userlog x", "-directory -search x", "-file x", "-type JOB", "-name x",
    "-pool x", "-extract x", "-plot jobs", "-svg x", "-forwards",
])  # fmt: skip
def test_what_the_reasons_of_ends_do_not_go_with(spool: Spool, words: str) -> None:
    done = spool.run("condor_history", "-why", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("Error: -why conflicts with -")


# -- tables of condor_q


def shown(columns: Any, **attributes: Any) -> str:
    mask = Mask(columns)
    cells = mask.cells(ClassAd(attributes))
    return mask.heading() + mask.row(cells)


def test_tables_of_condor_q() -> None:
    clock = Clock(1795888800)
    counts = ("JobMaterializeLimit", "JobsPresent", "JobsRunning", "JobsIdle", "JobsHeld", "JobMaterializeNextProcId")
    assert shown(
        factory_columns(clock), ClusterId=7, Owner="bob", QDate=1795888800, JobMaterializePaused=1,
        JobMaterializeDigestFile="d.items", **{name: number for number, name in enumerate(counts, 1)},
    ) == (
        " ID      OWNER            SUBMITTED  LIMIT PRESNT   RUN    IDLE   HOLD NEXTID MODE DIGEST \n"
        "   7.    bob            11/28 18:00      1      2      3      4      5      6 Held d.items\n"
    )  # fmt: skip
    assert shown(
        autocluster_columns(clock), AutoClusterId=3, JobCount=12, JobUniverse=5, RequestCPUs=2, RequestMemory=100,
        RequestDisk=7000, Requirements=True,
    ) == (
        "   ID COUNT UNIVERSE CPUS MEMORY     DISK REQUIREMENTS\n"
        "    3    12 Vanilla     2    100     7000 true        \n"
    )  # fmt: skip
    assert shown(grouped(["Owner", "Size"]).columns(clock), Id=1, JobCount=2, Owner="bob", Size=3, JobIds="1.0-1") == (
        "   ID COUNT OWNER SIZE JOB_IDS\n    1     2 bob   3    1.0-1\n"
    )
    names = ("NumCompleted", "NumRemoved", "NumIdle", "NumRunning", "NumHeld")
    assert shown(
        jobset_columns(clock), JobSetId=4, JobSetName="Trips", Owner="bob",
        **{name: number for number, name in enumerate(names, 1)},
    ) == (
        "JOBSETID NAME  OWNER COMPLETE REMOVED    IDLE RUNNING    HELD\n"
        "       4 Trips bob          1       2       3       4       5\n"
    )  # fmt: skip


# -- charts as data


@pytest.mark.parametrize(
    "chart",
    [
        Areas("a", 0.0, 60.0, [Series("x", [1.0, None])], 3.0),
        Lines("l", 0.0, 60.0, [Series("x", [1.0, 2.0])], 3.0, [Mark(5.0, "m")]),
        Bars("b", ["k"], [Row("r", [1.0])], True),
        Bars("b", ["k"], [Row("r", [90.0])], False),
        Gantt("g", ["k", "j"], [Lane("n", [Bar(0.0, 5.0, 1, "w")])], 0.0, 10.0),
    ],
)
def test_charts_become_data_and_charts_again(chart: Any) -> None:
    told = data(chart)
    assert (told["kind"], told["title"]) == (type(chart).__name__.lower(), chart.title)
    again = of_data(told)
    assert again == chart
    assert draw(again) == draw(chart)
    assert draw(chart).startswith("<svg ")


# -- condor_userprio -activefrom


@pytest.mark.parametrize(
    ("day", "text"),
    [("11 28 2026", "2026-11-28"), ("1 2 26", "2026-01-02"), ("1 2 49", "2049-01-02"), ("1 2 99", "1999-01-02"),
     ("1 2 50", "1950-01-02"), ("12 31 1999", "1999-12-31")],
)  # fmt: skip
def test_days(spool: Spool, day: str, text: str) -> None:
    assert time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(_midnight(tuple(day.split())))) == f"{text} 00:00:00"


@pytest.mark.parametrize("day", [f"1 1 {'9' * 5000}", f"1 {'9' * 5000} 26", f"{'9' * 5000} 1 26"])
def test_days_beyond_all_calendars_are_after_all_use(spool: Spool, day: str) -> None:
    assert _midnight(tuple(day.split())) > 2_000_000_000


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("day", ["0 2 2026", "13 2 2026", "1 0 2026", "1 32 2026"])
def test_what_is_no_day_is_said_on_a_terminal(spool: Spool, monkeypatch: pytest.MonkeyPatch, day: str) -> None:
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    _midnight(tuple(day.split()))
    assert said.getvalue() == f"condor_userprio: -activefrom takes month, day and year: {day} is no date\n"


# -- another pool


class Other:
    """A schedd of another pool: its jobs, what it was asked, and jobs that it does not change."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.refuses = ""
        self.count = 2
        monkeypatch.setattr(OtherSchedd, "jobs", lambda other, constraint, *more: self._jobs(constraint))
        monkeypatch.setattr(OtherSchedd, "edit", lambda other, which, values: self._edit(which, values))

    def _jobs(self, constraint: str) -> list[ClassAd]:
        self.asked.append(("jobs", constraint))
        return [ClassAd({"ClusterId": 7, "ProcId": proc, "JobPrio": proc}) for proc in (0, 1)]

    def _edit(self, which: str, values: dict[str, str]) -> int:
        if self.refuses and self.refuses in which:
            raise CondorError("it is a job of ann")
        self.asked.append((which, values))
        return self.count


@pytest.fixture
def other(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Other:
    return Other(monkeypatch)


FAR = ("-pool", "far.example.org", "-n", "far")


@pytest.mark.parametrize(
    ("words", "constraint", "priorities"),
    [
        ("-p 5 7", "(ClusterId == 7)", ["5", "5"]),
        ("+3 7.0", "(ClusterId == 7 && ProcId == 0)", ["3", "4"]),
        ("-2 bob ann@x", '(Owner == "bob") || (User == "ann@x")', ["-2", "-1"]),
        ("-p 1 -a", "true", ["1", "1"]),
        ("-p 1", "false", ["1", "1"]),
    ],
)
def test_priorities_in_another_pool(
    other: Other, spool: Spool, words: str, constraint: str, priorities: list[str]
) -> None:
    assert spool.run("condor_prio", *FAR, *words.split()) == ("", "", 0)
    assert other.asked == [
        ("jobs", constraint), ("7.0", {"JobPrio": priorities[0]}), ("7.1", {"JobPrio": priorities[1]}),
    ]  # fmt: skip


def test_priorities_that_another_pool_refuses(other: Other, spool: Spool) -> None:
    other.refuses = "7.1"
    done = spool.run("condor_prio", *FAR, "-p", "1", "7", "9.0", "3x")
    assert (done.out, done.code) == ("", 1)
    assert done.err.splitlines() == [
        'Warning: unrecognized "3x" skipped',
        "Couldn't retrieve current priority for 9.0.",
        "Couldn't set new priority for 7.1: it is a job of ann",
    ]
    done = spool.run("condor_prio", "-pool", "far", "-p", "1", "7")
    assert (done.err, done.code) == ("condor_prio: -pool also requires -n to be specified\n", 1)


def test_attributes_in_another_pool(other: Other, spool: Spool) -> None:
    where = ("-pool", "far.example.org", "-name", "far")
    done = spool.run("condor_qedit", *where, "7", "Size", "3", "Big", "true")
    assert (done.out, done.code) == (
        'Set attribute "Big" for 2 matching jobs.\nSet attribute "Size" for 2 matching jobs.\n', 0
    )  # fmt: skip
    assert other.asked == [("ClusterId==7", {"Size": "3", "Big": "true"})] or len(other.asked) == 1
    other.count = 0
    done = spool.run("condor_qedit", *where, "7.1", "Size", "3")
    assert done.err.splitlines() == [
        'Failed to set attribute "Size" for job 7.1.', "Queue transaction failed.  No attributes were set.",
    ]  # fmt: skip
    done = spool.run("condor_qedit", *where, "-constraint", "Prio > 3", "Size", "3")
    assert done.err.splitlines()[0].startswith('Failed to set attribute "Size" by constraint: ')
    assert "Prio > 3" in done.err.splitlines()[0]
    other.refuses = "7"
    done = spool.run("condor_qedit", *where, "7", "Size", "3")
    assert (done.err, done.code) == ("it is a job of ann\n", 1)


def test_jobs_that_leave_while_they_are_edited(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster is what is left of it; a job that is named has to be there."""
    spool.add(1, 3)
    left = JobId(1, 1)
    monkeypatch.setattr(
        "condor_py.client.pool.Pool.edit",
        lambda pool, selection, values, told=None: {job: 2 if job == left else 1 for job in selection.ids},
    )
    assert spool.run("condor_qedit", "1", "A", "5") == ('Set attribute "A" for 2 matching jobs.\n', "", 0)
    done = spool.run("condor_qedit", "1.1", "A", "5")
    assert (done.out, done.code) == ("", 1)
    assert 'Failed to set attribute "A" for job 1.1.' in done.err


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("7.1 Size 3", ["QEDIT BY JOBID : 7.1 ", "ONLY_MY_JOBS = false", "Size = 3"]),
        (
            "-constraint A>3 Size 3 Big 4",
            ["QEDIT BY CONSTRAINT : ( (A>3) )", "ONLY_MY_JOBS = true", "Big = 4", "Size = 3"],
        ),
        ("-owner bob Size 3", ['QEDIT BY CONSTRAINT : ( (Owner=="bob") )', "ONLY_MY_JOBS = false", "Size = 3"]),
    ],
)
def test_what_would_be_edited(spool: Spool, words: str, lines: list[str]) -> None:
    done = spool.run("condor_qedit", "-diagnostic", *words.split())
    assert (done.err, done.code) == ("", 0)
    assert done.out.splitlines() == [
        "--- effective query ----", "FROM local (local)", *lines, "------------------------",
    ]  # fmt: skip
    assert entry.main("condor_qedit", ["-help"]) == 0


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("condor_hold {far} -reason why -subcode 5 7.0 8.1", ("hold", ["7.0", "8.1"], "why", 5)),
        ("condor_release {far} 7.0", ("release", ["7.0"], "via condor_release (by user {me})", None)),
        ("condor_rm {far} -forcex 7.0", ("removex", ["7.0"], "via condor_rm (by user {me})", None)),
        ("condor_rm {far} 7", ("remove", "ClusterId == 7", "via condor_rm (by user {me})", None)),
        ("condor_vacate_job {far} -fast ann",
         ("vacate-fast", 'Owner == "ann"', "via condor_vacate_job (by user {me})", None)),
        ("condor_suspend {far} -all", ("suspend", "true", "via condor_suspend (by user {me})", None)),
    ],
)  # fmt: skip
def test_actions_on_jobs_of_another_pool(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, command: str, asked: tuple[Any, ...]
) -> None:
    """What the other schedd is asked; ids one by one, everything else by one constraint."""
    seen: list[Any] = []

    def act(other: object, action: str, jobs: Any, reason: str, subcode: int | None) -> dict[JobId, int]:
        chosen = [JobId(7, 0)] if isinstance(jobs, str) else list(jobs)
        seen.append((action, jobs if isinstance(jobs, str) else [str(job) for job in jobs], reason, subcode))
        return dict.fromkeys(chosen, 1)

    monkeypatch.setattr(OtherSchedd, "act", act)
    monkeypatch.setattr("getpass.getuser", lambda: spool.me)
    done = spool.run(*command.format(far="-pool far.example.org -name far").split())
    assert (done.err, done.code) == ("", 0), done.err
    action, jobs, reason, subcode = asked
    ((told, chosen, why, number),) = seen
    assert (told, why, number) == (action, reason.format(me=spool.me), subcode)
    assert chosen == jobs if isinstance(jobs, list) else jobs in chosen


def test_long_says_nothing_of_another_pool(spool: Spool) -> None:
    done = spool.run("condor_rm", "-pool", "far", "-name", "far", "-long", "7")
    assert (done.err, done.code) == ("condor_rm: -long does not tell of another pool\n", 1)


def test_a_constraint_beside_ids_is_left_out(spool: Spool) -> None:
    spool.add(1, 2)
    done = spool.run("condor_hold", "1.0", "-constraint", "true")
    assert done.err.splitlines()[0] == "Warning, -constraint is ignored for fully qualified job ids"
    assert spool.values("JobStatus") == {"1.0": "5", "1.1": "1"}


def test_a_person_hears_why_jobs_are_left_as_they_are(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reasons of the first jobs of a constraint, and how many more there are."""
    spool.add(1, 9)
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    assert entry.main("condor_release", ["-constraint", "ClusterId == 1"]) == 1
    told = said.getvalue().splitlines()
    assert told[-2].strip() == "Couldn't find/release all jobs matching constraint (ClusterId == 1)"
    assert told[-1].startswith("Job 1.0 not held to be released; Job 1.1 not held to be released; ")
    assert told[-1].endswith(" more")
