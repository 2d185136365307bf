"""condor_pool_job_report: the runs of yesterday by user, in two files and a mail."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tool_runner import Done, Spool

ALICE, BOB = "alice@example.net", "bob@example.net"


@pytest.fixture
def history(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The history of runs; mail goes into a file."""
    mailer = tmp_path / "mail"
    mailer.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/mailed\ncat >> {tmp_path}/mailed\n')
    mailer.chmod(0o755)
    monkeypatch.setenv("_CONDOR_SENDMAIL", "/nonexistent")
    monkeypatch.setenv("_CONDOR_MAIL", str(mailer))
    monkeypatch.setenv("_CONDOR_CONDOR_ADMIN", "boss@example.net")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # midnight does not come in the middle of a test
    path = tmp_path / "local" / "log" / "startd_history"
    path.parent.mkdir(exist_ok=True)
    return path


def record(user: str, seconds: float, job: str = "1.0", days: int = 1, **attributes: str) -> str:
    """A run that ended at noon so many days ago."""
    day = time.localtime(time.time())
    ended = int(time.mktime((day.tm_year, day.tm_mon, day.tm_mday - days, 12, 0, 0, 0, 0, -1)))
    cluster, proc = job.split(".")
    common = {
        "ClusterId": cluster, "ProcId": proc, "User": f'"{user}"', "JobStatus": "4", "JobUniverse": "5",
        "ExitBySignal": "false", "CompletionDate": str(ended), "RemoteWallClockTime": str(seconds),
    } | attributes  # fmt: skip
    lines = [f"{name} = {text}\n" for name, text in common.items()]
    banner = f"*** Offset = 0 ClusterId = {cluster} ProcId = {proc} CompletionDate = {ended} CurrentTime = {ended}\n"
    return "".join(lines) + banner


def report(spool: Spool) -> Done:
    return spool.run("condor_pool_job_report")


def test_yesterdays_runs_are_summed_up_by_user(spool: Spool, history: Path, tmp_path: Path) -> None:
    runs = [record(ALICE, seconds, f"1.{proc}") for proc, seconds in enumerate((30, 3600.5, 7200, 10800, 1))]
    runs += [record(ALICE, 400, "1.0"), record(ALICE, 7300, ExitBySignal="true"), record(ALICE, 99, days=2)]
    runs += [record(BOB, 7200, "2.0", WantGlidein="true"), record(BOB, 260000, "2.1"), record(ALICE, 5, days=0)]
    runs += ["Broken = ((\n*** Offset = 0 CurrentTime = 1\n"]
    history.write_text(record(BOB, 9, days=9) + "".join(runs[-1:] + runs[:-1]))
    assert report(spool) == ("", "", 0)
    assert (tmp_path / "JobReport.csv").read_text().splitlines()[1:] == [
        "alice,example.net,6,1,6,2,0,2,1,400,3600,10800,3671,4096",
        "bob,example.net,1,0,2,0,2,0,7200,7200,7200,7200,7200,0",
    ]
    text = (tmp_path / "JobReport").read_text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "bob example.net 1 0 2 0 2 0 02:00 02:00 02:00 02:00 02:00 00:00" in lines
    assert lines.index("bob example.net 1 0 2 0 2 0 02:00 02:00 02:00 02:00 02:00 00:00") < lines.index(
        "alice example.net 6 1 6 2 0 2 00:00 00:06 01:00 03:00 01:01 01:08"
    )
    assert "Total completed jobs yesterday: 7" in lines
    assert "Using a total of 8 hours" in lines
    assert lines[-1] == f"1 {BOB}"
    mailed = (tmp_path / "mailed").read_text()
    assert mailed.startswith("-s [Condor] HTCondor Job Durations Report")
    assert mailed.splitlines()[0].endswith("boss@example.net")
    assert text in mailed


def test_without_runs_the_report_says_so(spool: Spool, history: Path, tmp_path: Path) -> None:
    (tmp_path / "JobReport").symlink_to(tmp_path / "elsewhere")
    assert report(spool).code == 0
    assert "Total completed jobs yesterday: 0" in (tmp_path / "JobReport").read_text()
    assert not (tmp_path / "elsewhere").exists(), "a link in a shared directory is not followed"


def test_what_keeps_the_report_from_being_made_or_mailed_is_said(
    spool: Spool, history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_MAIL", "/nonexistent")
    done = report(spool)
    assert (done.out, done.code) == ("", 1)
    assert "the report in JobReport cannot be mailed to boss@example.net" in done.err
    monkeypatch.setenv("_CONDOR_STARTD_HISTORY", "")
    assert report(spool).err == "condor_pool_job_report: no history of runs is kept (STARTD_HISTORY)\n"
    assert spool.run("condor_pool_job_report", "more").code == 1
