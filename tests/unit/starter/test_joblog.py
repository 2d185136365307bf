"""The copy of the starter's log in a job's directory (starter_debug), and the job's log of its own (starter_log)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.starter.joblog import JobLog, StarterUserLog, job_log, starter_user_log
from condor_py.lang.classad import ClassAd
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.daemon import LogSettings


@pytest.fixture
def log(tmp_path: Path) -> DaemonLog:
    return DaemonLog(LogSettings(str(tmp_path / "StarterLog")), "condor_starter")


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("", False),
        ("JobStarterDebug = true", True),
        ("JobStarterDebug = false", False),
        ('JobStarterDebug = "D_FULLDEBUG"', True),
        ('JobStarterDebug = " False "', False),
        ('JobStarterDebug = "  "', False),
        ("JobStarterDebug = 5", False),
    ],
)
def test_a_job_says_whether_it_wants_a_copy(text: str, wants: bool, log: DaemonLog) -> None:
    assert (job_log(ClassAd(f"[{text}]"), log) is not None) is wants
    assert (log._copy is not None) is wants


def test_the_copy_has_the_lines_since_the_job_came(log: DaemonLog, tmp_path: Path) -> None:
    log.write("of another job")
    copy = JobLog(log)
    log.write("before")
    assert list(tmp_path.glob("*/*")) == []
    (tmp_path / "scratch").mkdir()
    copy.open(str(tmp_path / "scratch"), None)
    log.write("after")
    copy.close()
    log.write("of the next job")
    (file,) = (tmp_path / "scratch").iterdir()
    lines = file.read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["before", "after"]
    assert os.stat(file).st_mode & 0o777 == 0o644
    assert (tmp_path / "StarterLog").read_text().count("\n") >= 4
    copy.close()
    assert log._copy is None


def test_a_copy_that_cannot_be_written_is_missed_by_nobody_else(
    log: DaemonLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = JobLog(log)
    log.write("before")
    copy.open(str(tmp_path / "nowhere"), None)
    log.write("after")
    text = (tmp_path / "StarterLog").read_text()
    assert f"Cannot write {tmp_path}/nowhere/" in text
    assert "No such file or directory" in text
    assert text.rstrip().endswith("after")
    copy.close()
    copy = JobLog(log)
    copy.open(str(tmp_path), None)

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr("condor_py.daemons.starter.joblog.os.write", full)
        log.write("onto the full disk of the job")
    copy.close()


ENDED = ExitReport("c", "7.3", 1, pid=5, exit_code=3, usage=Usage(user_cpu=61, sys_cpu=2))


@pytest.mark.parametrize(
    ("report", "numbers", "told"),
    [
        (ENDED, ["001", "005"], "(1) Normal termination (return value 3)"),
        (ENDED.but(exit_code=None, exit_signal=9), ["001", "005"], "(0) Abnormal termination (signal 9)"),
        (
            ENDED.but(exit_code=None, vacated=True),
            ["001", "004"],
            "Usr 0 00:01:01, Sys 0 00:00:02  -  Run Remote Usage",
        ),
        (ENDED.but(pid=0), ["001"], "slot1@here"),
    ],
)
def test_the_log_of_a_job_has_its_beginning_and_its_end(
    tmp_path: Path, report: ExitReport, numbers: list[str], told: str
) -> None:
    complaints: list[str] = []
    ad = ClassAd('[StarterUserLog = "sub/events"; ClusterId = 7; ProcId = 3]')
    (tmp_path / "sub").mkdir()
    for moved, path in ((False, "sub/events"), (True, "events")):
        log = starter_user_log(ad, str(tmp_path), moved, complaints.append)
        assert log is not None
        log.started(None, "slot1@here")
        log.ended(None, report)
        text = (tmp_path / path).read_text()
        events = [line for line in text.splitlines() if " (007.003.000) " in line]
        assert [line[:3] for line in events] == numbers
        assert "slot1@here" in text
        assert told in text
    assert complaints == []


def test_jobs_without_a_number_or_a_log(tmp_path: Path) -> None:
    complaints: list[str] = []
    log = StarterUserLog(ClassAd('[StarterUserLog = "events"]'), str(tmp_path / "events"), complaints.append)
    log.started(None, "here")
    assert "(001.000.000)" in (tmp_path / "events").read_text()
    (tmp_path / "events").unlink()
    assert starter_user_log(ClassAd("[ClusterId = 1]"), str(tmp_path), True, complaints.append) is None
    xml = ClassAd('[StarterUserLog = "events"; StarterUserLogUseXML = true]')
    StarterUserLog(xml, str(tmp_path / "events"), complaints.append).started(None, "here")
    assert "<c>" in (tmp_path / "events").read_text()
    assert complaints == []
    log = StarterUserLog(ClassAd("[ClusterId = 1]"), str(tmp_path / "none" / "events"), complaints.append)
    log.started(None, "here")
    assert len(complaints) == 1
    assert complaints[0].startswith("StarterUserLog: ")
