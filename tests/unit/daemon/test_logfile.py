"""Daemon logs: what a line looks like, and when a file makes room for the next."""

from __future__ import annotations

import errno
import os
import re
import time
from copy import copy
from pathlib import Path

import pytest
from hanging import CALLS, HangingDirectory

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.lang.config import load
from condor_py.lang.config.builders.daemon import log as log_knobs
from condor_py.model.errors import StoreError
from condor_py.model.settings.daemon import LogSettings


def knobs(tmp_path: Path, subsystem: str = "SCHEDD", **values: str) -> LogSettings:
    """The settings that a configuration gives."""
    given = {f"_CONDOR_{name}": value for name, value in values.items()}
    return log_knobs(load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(tmp_path), **given}), subsystem)


def changed(settings: LogSettings, **values: object) -> LogSettings:
    """Other values of some settings."""
    other = copy(settings)
    for name, value in values.items():
        setattr(other, name, value)
    return other


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        ({}, r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d text"),
        ({"STARTD_DEBUG": "D_PID D_FULLDEBUG"}, r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d \(pid:\d+\) text"),
        ({"ALL_DEBUG": "D_SUB_SECOND"}, r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d\d\d text"),
        ({"STARTD_DEBUG": "D_TIMESTAMP,D_SUB_SECOND"}, r"\d{10}\.\d\d\d text"),
        ({"LOGS_USE_TIMESTAMP": "true"}, r"\d{10} text"),
        ({"STARTD_DEBUG": "D_CATEGORY D_PID"}, r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d \(pid:\d+\) \(D_ALWAYS\) text"),
        ({"DEBUG_TIME_FORMAT": '"%Y-%m-%dT%H:%M"'}, r"\d{4}-\d\d-\d\dT\d\d:\d\d text"),
    ],
)
def test_lines_look_as_configured(tmp_path: Path, values: dict[str, str], pattern: str) -> None:
    settings = changed(knobs(tmp_path, "STARTD", **values), path=str(tmp_path / "log"))
    DaemonLog(settings, "startd").write("text")
    assert re.fullmatch(pattern + "\n", (tmp_path / "log").read_text())


def test_a_block_stands_as_it_was_printed(tmp_path: Path) -> None:
    settings = changed(knobs(tmp_path), path=str(tmp_path / "log"), time_format="%m/%d/%y %H:%M:%S")
    log = DaemonLog(settings, "schedd")
    forged = "11/22/26 07:00:00 ** condor_schedd STARTING UP"
    log.write(f"it said:\n[ a = 1 ]\n{forged}\n11/22/2026 a date", block=True)
    first, second, third, fourth = (tmp_path / "log").read_text().splitlines()
    assert first.endswith(" it said:")
    assert (second, fourth) == ("[ a = 1 ]", "11/22/2026 a date")
    assert third.endswith(forged)
    assert third != forged, "nobody takes it for a line of the daemon"


def test_paths_and_sizes_come_from_knobs(tmp_path: Path) -> None:
    assert knobs(tmp_path).path == f"{tmp_path}/log/SchedLog"
    assert knobs(tmp_path, "NEGOTIATOR_MATCH").path == f"{tmp_path}/log/MatchLog"
    settings = knobs(tmp_path, MAX_SCHEDD_LOG="1 days", MAX_NUM_SCHEDD_LOG="4")
    assert (settings.max_bytes, settings.max_age, settings.keep) == (0, 86400, 4)


def test_a_full_log_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = DaemonLog(LogSettings(str(path), max_bytes=100, keep=2), "schedd")
    for number in range(12):
        log.write(f"line {number:02}")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["log", "log.1", "log.2"]
    whole = "".join((tmp_path / name).read_text() for name in ("log.2", "log.1", "log"))
    assert re.findall(r"line (\d\d)", whole) == [f"{number:02}" for number in range(12)][-whole.count("\n") :]
    assert "line 11" in whole


def test_an_old_log_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("of yesterday\n")
    os.utime(path, (time.time() - 90_000,) * 2)
    DaemonLog(LogSettings(str(path), max_bytes=0, max_age=86_400), "schedd").write("of today")
    assert (tmp_path / "log.old").read_text().startswith("of yesterday\n")
    assert path.read_text() == ""


def test_a_log_may_begin_anew_with_the_daemon(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("of the last one\n")
    settings = changed(knobs(tmp_path, TRUNC_SCHEDD_LOG_ON_OPEN="true"), path=str(path))
    log = DaemonLog(settings, "schedd")
    log.write("first")
    log.retune(settings)
    log.write("second")
    assert [line[-6:].strip() for line in path.read_text().splitlines()] == ["first", "second"]


def test_lines_for_tests_are_there_where_they_are_wanted(tmp_path: Path) -> None:
    for words, lines in (("D_CATEGORY", 0), ("D_CATEGORY D_TEST", 1), ("D_CATEGORY -D_TEST", 0)):
        path = tmp_path / f"log{len(words)}"
        DaemonLog(changed(knobs(tmp_path, STARTER_DEBUG=words, subsystem="STARTER"), path=str(path)), "x").write(
            "seen", "D_TEST"
        )
        assert path.read_text().count("(D_TEST) seen\n") == lines


def test_a_log_that_cannot_be_rotated_writes_into_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of a descriptor that is closed is soon another file's."""
    log = DaemonLog(changed(knobs(tmp_path), path=str(tmp_path / "log"), max_bytes=100), "schedd")
    really = os.open

    def no_inodes(path: str, flags: int, mode: int = 0o777) -> int:
        if path == str(tmp_path / "log"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(path, flags, mode)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", no_inodes)
        log.write("x" * 200)
        with (tmp_path / "queue").open("w"):
            log.write("more")
    assert (tmp_path / "queue").read_text() == ""
    assert (tmp_path / "log.old").read_text().endswith("more\n")
    log.write("y" * 200)
    log.write("new")
    assert (tmp_path / "log").read_text().endswith("new\n")


def test_a_log_that_is_not_needed_begins_when_it_can_be_opened(tmp_path: Path) -> None:
    settings = changed(knobs(tmp_path), path=str(tmp_path / "later" / "log"))
    with pytest.raises(StoreError, match="Cannot open log file"):
        DaemonLog(settings, "schedd")
    log = DaemonLog(settings, "starter", needed=False)
    log.write("lost")
    (tmp_path / "later").mkdir()
    log.write("kept")
    assert (tmp_path / "later" / "log").read_text().endswith(" kept\n")
    assert "lost" not in (tmp_path / "later" / "log").read_text()


def test_a_log_whose_file_is_stale_is_opened_again(tmp_path: Path, hanging: HangingDirectory) -> None:
    log = DaemonLog(changed(knobs(tmp_path), path=str(hanging.path / "log")), "schedd")
    log.write("before")
    hanging.fail(errno.ESTALE, f"{CALLS}l")
    log.write("meanwhile")
    hanging.answer()
    log.write("after")
    assert [line.rpartition(" ")[2] for line in hanging.read("log").splitlines()] == ["before", "after"]
