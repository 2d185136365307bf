"""Commands that print or copy what a pool keeps: condor_fetchlog and condor_evicted_files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.client.spooling import job_folder
from condor_py.model.ids import JobId

# -- condor_fetchlog


@pytest.fixture
def logs(spool: Spool) -> Path:
    """The log directory with some logs, and the histories."""
    local = spool.path.parents[1]
    log = local / "log"
    log.mkdir(exist_ok=True)
    (log / "SchedLog").write_bytes(b"now \xff\r\nend")
    (log / "SchedLog.old").write_text("before\n")
    (log / "StarterLog.slot1_1").write_text("starter\n")
    (log / "StartLog").mkdir()
    (spool.path.parent / "history").write_text("three\n")
    (spool.path.parent / "history.20260102T030405").write_text("two\n")
    (spool.path.parent / "history.20260101T030405").write_text("one\n")
    return log


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("localhost SCHEDD", "now \udcff\r\nend"),
        ("-schedd localhost SCHEDD.old", "before\n"),
        ("-collector localhost SCHEDD.old", "before\n"),
        ("-debug:D_ALL LOCALHOST STARTER.slot1_1", "starter\n"),
        ("slot1_1@localhost SCHEDD.old", "before\n"),
        ("127.0.0.1 HISTORY", "one\ntwo\nthree\n"),
    ],
)
def test_a_log_or_history_is_printed_as_it_is(spool: Spool, logs: Path, words: str, text: str) -> None:
    assert spool.run("condor_fetchlog", *words.split()) == (text, "", 0)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("localhost NOSUCH", "Couldn't fetch log: no log file by that name."),
        ("localhost SCHEDD./../SchedLog", "Couldn't fetch log: no log file by that name."),
        ("localhost SCHEDD.older", "Couldn't fetch log: server was unable to access it."),
        ("localhost STARTD", "Couldn't fetch log: server was unable to access it."),
        ("elsewhere SCHEDD", "Couldn't locate daemon on elsewhere: Can't find address for master elsewhere"),
        ("-kbdd localhost KBDD", "Couldn't locate daemon on localhost: a pool of one machine has no kbdd"),
        ("localhost SCHEDD more", "Extra argument: more"),
        ("-pool", "-pool requires an argument."),
        ("localhost", "Usage: condor_fetchlog [options] MACHINE SUBSYSTEM[.EXT]"),
        ("-nosuch localhost SCHEDD", "Usage: condor_fetchlog [options] MACHINE SUBSYSTEM[.EXT]"),
    ],
)
def test_why_there_is_no_log_is_said(spool: Spool, logs: Path, words: str, text: str) -> None:
    done = spool.run("condor_fetchlog", *words.split())
    assert (done.out, done.err.splitlines()[0], done.code) == ("", text, 1)


def test_a_pipe_in_the_place_of_a_log_delays_nobody(spool: Spool, logs: Path) -> None:
    os.mkfifo(logs / "MasterLog")
    assert spool.run("condor_fetchlog", "localhost", "MASTER") == ("", "", 0)


# -- condor_evicted_files


@pytest.fixture
def kept(spool: Spool) -> str:
    """The directory with the files of job 7.1; job 7.2 was submitted with its files and has a checkpoint besides."""
    path = job_folder(str(spool.path.parent), JobId(7, 1))
    os.makedirs(f"{path}/sub")
    Path(path, "out.txt").write_text("half\n")
    os.symlink("/etc/passwd", f"{path}/link")
    spooled = job_folder(str(spool.path.parent), JobId(7, 2))
    os.makedirs(spooled)
    os.makedirs(f"{spooled}.checkpoint")
    return path


def test_the_files_of_jobs_are_shown_and_copied(spool: Spool, kept: str) -> None:
    assert spool.run("condor_evicted_files", "7.1") == (f"{kept}\n", "", 0)
    assert spool.run("condor_evicted_files", "LS", "7.1") == ("\tlink\n\tout.txt\n\tsub\n", "", 0)
    several = spool.run("condor_evicted_files", "find", "7.2", "7.3")
    spooled = job_folder(str(spool.path.parent), JobId(7, 2))
    assert several.out == f"7.2 {spooled}.checkpoint\n7.3 No directory; job was never evicted.\n"
    assert several.code == 0
    assert spool.run("condor_evicted_files", "get", "7.1") == ("Copied to '7.1'.\n", "", 0)
    assert Path("7.1/out.txt").read_text() == "half\n"
    assert os.readlink("7.1/link") == "/etc/passwd"
    again = spool.run("condor_evicted_files", "fetch", "7.1")
    assert again == ("Destination directory '7.1' exists, not modifying.\n", "", 255)


@pytest.mark.parametrize("word", ["dir", "find", "ls", "list", "get", "fetch"])
def test_each_word_does_what_it_says(spool: Spool, kept: str, word: str) -> None:
    listed = "\tlink\n\tout.txt\n\tsub\n"
    shown = {"dir": f"{kept}\n", "ls": listed, "list": listed}
    shown["find"] = shown["dir"]
    assert spool.run("condor_evicted_files", word, "7.1") == (shown.get(word, "Copied to '7.1'.\n"), "", 0)
    assert os.path.isdir("7.1") == (word not in shown)


@pytest.mark.parametrize(
    ("words", "text", "code"),
    [
        ("7.3", "No directory; job was never evicted.", 2),
        ("steal 7.1", "Unknown command 'steal', aborting.", 255),
        ("list 7", "'7' is not a job ID, aborting.", 255),
        ("list 7.1/../..", "'7.1/../..' is not a job ID, aborting.", 255),
        ("-list 7.1", "Unknown command '-list', aborting.", 255),
        ("", "Usage: condor_evicted_files [dir | list | get] CLUSTER.PROC ...", 255),
    ],
)
def test_what_is_no_command_or_job_is_named(spool: Spool, kept: str, words: str, text: str, code: int) -> None:
    done = spool.run("condor_evicted_files", *words.split())
    assert ((done.out + done.err).splitlines()[0], done.code) == (text, code)
