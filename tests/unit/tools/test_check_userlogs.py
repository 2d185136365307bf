"""condor_check_userlogs: events in an order that no job has."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import run

JOB = "BAD EVENT: job (7.0.0)"
#: Letters for events: submit, execute, executable error, evicted, terminated, aborted, post script.
EVENTS = {"S": 0, "X": 1, "E": 2, "V": 4, "T": 5, "A": 9, "P": 16}


def log_of(letters: str, job: str = "007.000.000") -> str:
    return "".join(
        f"{EVENTS[letter]:03d} ({job}) 2026-11-20 10:00:{second:02d} Something.\n...\n"
        for second, letter in enumerate(letters)
    )


#: The letters of a log -> what is wrong as it is read, and with the job as a whole.
ORDERS = {
    "SXT": ([], ""),
    "SXVXT": ([], ""),
    "SA": ([], ""),
    "SXTP": ([], ""),
    "SE": ([], "ended, total end count != 1 (0)"),
    "XST": (["executing, submit count < 1 (0)"], ""),
    "SSXT": (["submitted, submit count != 1 (2)"], "ended, submit count != 1 (2)"),
    "SXTX": (["executing, total end count != 0 (1)"], ""),
    "SXTS": (["submitted, total end count != 0 (1)"], "ended, submit count != 1 (2)"),
    "SXTA": (["ended, total end count != 1 (2)"], "ended, total end count != 1 (2)"),
    "T": (["ended, submit count < 1 (0)"], "ended, submit count != 1 (0)"),
    "SXPT": (["post script ended, total end count < 1 (0)", "ended, post script count != 0 (1)"], ""),
    "SXTPP": (["post script ended, post script count > 1 (2)"], "ended, post script count > 1 (2)"),
    "TP": (["ended, submit count < 1 (0)", "post script ended, submit count < 1 (0)"], "ended, submit count != 1 (0)"),
}


@pytest.mark.parametrize("letters", ORDERS)
def test_what_is_wrong_with_the_events_of_a_job(tmp_path: Path, letters: str) -> None:
    while_read, at_end = ORDERS[letters]
    (tmp_path / "log").write_text(log_of(letters))
    done = run("condor_check_userlogs", str(tmp_path / "log"))
    last = [f"{JOB} {at_end}", "CheckAllJobs() result: EVENT_ERROR"] if at_end else []
    assert done.err.splitlines() == [*(f"{JOB} {each}" for each in while_read), *last]
    assert done.code == (1 if while_read or at_end else 0)


def test_a_script_of_a_node_without_a_job_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log_of("P", "-01.000.000"))
    done = run("condor_check_userlogs", str(tmp_path / "log"))
    assert (done.err, done.code) == ("", 0)


def test_logs_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log_of("SXT"))
    (tmp_path / "odd").write_text("this is no event log\n...\n")
    done = run("condor_check_userlogs", str(tmp_path / "nowhere"), str(tmp_path / "log"), str(tmp_path / "log"))
    assert done.err == f"Error monitoring log file {tmp_path}/nowhere: No such file or directory\n"
    assert done.out.count("ULOG_SUBMIT") == 1, "a log that is named twice is read once"
    assert " Total submitted: 1; net submitted: 0\n" in done.out
    done = run("condor_check_userlogs", str(tmp_path / "odd"))
    assert done.err.startswith(f"ReadMultipleUserLogs: read error on log {tmp_path}/odd: ")
    assert "Log outcome: ULOG_RD_ERROR \n" in done.out
    assert done.code == 1
