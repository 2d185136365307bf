"""condor_qsub -hold_jid: which jobs are waited for, and the job that releases the new one when they have ended."""

from __future__ import annotations

import io
import os
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import entry
from condor_py.cli.qsub import main as qsub

#: What condor_history says of jobs: their JobStatus and ExitCode.
HISTORY = {"1": "4 0\n", "2": "4 7\n4 0\n", "3": "3 undefined\n", "4": "4 100\n", "5": ""}


class Tools:
    """The other tools: what they were called with, and the descriptions that were submitted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: list[tuple[str, ...]] = []
        self.texts: list[str] = []
        self.codes: dict[str, list[int]] = {}
        self.history = dict(HISTORY)
        monkeypatch.setattr(qsub, "quietly", self.run)

    def run(self, tool: str, *words: str) -> Any:
        self.called.append((tool, *words))
        if tool == "condor_history":
            assert words[1:] == ("-af", "JobStatus", "ExitCode")
            return SimpleNamespace(out=self.history[words[0]], err="", code=0)
        if tool == "condor_submit":
            self.texts.append(Path(words[0]).read_text())
        codes = self.codes.get(tool) or [0]
        code = codes.pop(0) if len(codes) > 1 else codes[0]
        return SimpleNamespace(out=f"1 job(s) submitted to cluster {6 + len(self.texts)}.\n", err="no: ", code=code)


@pytest.fixture
def tools(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Tools:
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setattr("tempfile.tempdir", os.getcwd())
    return Tools(monkeypatch)


def test_a_job_is_submitted(tools: Tools, spool: Spool) -> None:
    done = spool.run("condor_qsub", "-b", "y", "echo")
    assert done == ('Your job 7 ("echo") has been submitted\n', "", 0)
    assert spool.run("condor_qsub", "-b", "y", "-z", "echo") == ("", "", 0)
    assert [Path(call[1]).exists() for call in tools.called] == [False, False]
    assert "Queue" in tools.texts[0]
    assert "hold = True" not in tools.texts[0]
    tools.codes["condor_submit"] = [1]
    assert spool.run("condor_qsub", "-b", "y", "echo") == ("", "no: Job submission failed.\n", 1)


def test_a_script_that_is_typed(tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("#!/bin/sh\n#$ -p 7 -cwd\necho\n#$x -p 9\n"))
    assert spool.run("condor_qsub").out == 'Your job 7 ("STDIN") has been submitted\n'
    (text,) = tools.texts
    (script,) = Path().glob("STDIN_qsub.*")
    assert script.read_text() == "#!/bin/sh\n#$ -p 7 -cwd\necho\n#$x -p 9\n"
    assert script.stat().st_mode & 0o777 == 0o700
    assert "priority = 7\n" in text
    assert script.name in text
    monkeypatch.setattr("sys.stdin", io.StringIO("echo\n"))
    assert spool.run("condor_qsub", "-N", "sim").out == 'Your job 8 ("sim") has been submitted\n'
    assert len(list(Path().glob("sim_qsub.*"))) == 1


def test_an_interactive_job(tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, list[str]]] = []
    tool = entry.main

    def run(program: str, argv: list[str]) -> int:
        if program != "condor_submit":
            return tool(program, argv)
        asked.append((argv[0], Path(argv[1]).read_text()))
        return 5

    monkeypatch.setattr(entry, "main", run)
    done = spool.run("condor_qsub", "-I", "-b", "y", "echo")
    assert (done.code, asked[0][0], "Queue" in asked[0][1]) == (5, "-interactive", True)


def test_jobs_that_have_ended_well_are_not_waited_for(tools: Tools, spool: Spool) -> None:
    spool.add(9, 2)
    spool.add(8, 1, owner="somebody")
    assert spool.run("condor_qsub", "-b", "y", "-hold_jid", "1,2,,", "echo").code == 0
    assert "hold = True" not in tools.texts[0]
    assert len(tools.texts) == 1
    for word, said, code in (
        ("3", "Error: Job dependency 3 has been removed from the queue", 1),
        ("4", "Error: Job dependency 4 completed but exited with code 100.", 100),
        ("5", "Error: Job dependency 5 doesn't exist", 1),
    ):
        assert spool.run("condor_qsub", "-b", "y", "-hold_jid", f"1,{word}", "echo") == ("", f"{said}\n", code)
    tools.history |= {"9.7": "", "8": ""}
    for word in ("9.7", "8"):
        assert "doesn't exist" in spool.run("condor_qsub", "-b", "y", "-hold_jid", word, "echo").err
    assert len(tools.texts) == 1


def test_a_job_that_releases_the_new_one(tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(9, 2)
    monkeypatch.setenv("_CONDOR_ODD", """it's "so\"""")
    monkeypatch.setenv("OTHER", "x")
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    assert spool.run("condor_qsub", "-b", "y", "-hold_jid", "9.1,1,9", "echo").code == 0
    first, second = tools.texts
    assert "hold = True\n" in first
    lines = dict(line.split(" = ", 1) for line in second.splitlines() if " = " in line)
    assert (lines["universe"], lines["executable"], lines["transfer_executable"]) == ("local", sys.executable, "False")
    words = shlex.split(lines["arguments"].strip('"').replace("''", "'"))
    assert words[0] == "-I"
    assert Path(words[1]).name == "__main__.py"
    assert words[2:] == ["condor_qsub", "-sentinel", "7", "9.1", "9"]
    assert "_CONDOR_ODD='it''s \"\"so\"\"'" in lines["environment"]
    assert "PATH='/bin:/usr/bin'" in lines["environment"]
    assert "CONDOR_CONFIG='ONLY_ENV'" in lines["environment"]
    assert "OTHER=" not in lines["environment"]
    assert second.endswith('+JobDescription = "releases job 7"\nqueue\n')
    assert list(Path().glob("condor_qsub.*")) == []


def test_a_job_that_nothing_would_release(tools: Tools, spool: Spool) -> None:
    spool.add(9, 2)
    tools.codes["condor_submit"] = [0, 1]
    done = spool.run("condor_qsub", "-b", "y", "-hold_jid", "9", "echo")
    assert done == ("", "no: condor_qsub: job 7 stays on hold: nothing waits for 9\n", 1)
    assert list(Path().glob("condor_qsub.*")) == []


def test_the_guard_waits_and_releases(tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = [True, True, False, True, False]
    naps: list[float] = []
    monkeypatch.setattr(qsub, "_is_queued", lambda pool, word: queued.pop(0))
    monkeypatch.setattr(qsub.time, "sleep", naps.append)
    tools.codes["condor_release"] = [3]
    assert spool.run("condor_qsub", "-sentinel", "7", "1", "2") == ("", "", 3)
    assert (queued, naps) == ([], [qsub._PAUSE] * 3)
    assert tools.called[-1] == ("condor_release", "7")


@pytest.mark.parametrize(("word", "tries", "why"), [("3", 1, "has been removed"), ("5", 10, "doesn't exist")])
def test_the_guard_removes_a_job_that_waits_in_vain(
    tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch, word: str, tries: int, why: str
) -> None:
    naps: list[float] = []
    monkeypatch.setattr(qsub.time, "sleep", naps.append)
    done = spool.run("condor_qsub", "-sentinel", "7", "1", word)
    assert (done.code, why in done.err) == (1, True)
    asked = [call for call in tools.called if call[:2] == ("condor_history", word)]
    assert (len(asked), len(naps)) == (tries, tries - 1)
    assert tools.called[-1] == ("condor_rm", "-reason", done.err.rstrip("\n"), "7")


def test_a_job_that_comes_into_the_history_a_moment_later(
    tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(seconds: float) -> None:
        assert seconds < 1
        tools.history["5"] = "4 0\n"

    monkeypatch.setattr(qsub.time, "sleep", sleep)
    assert spool.run("condor_qsub", "-sentinel", "7", "5").code == 0
    assert tools.called[-1] == ("condor_release", "7")


def test_help_and_version(tools: Tools, spool: Spool) -> None:
    assert spool.run("condor_qsub", "-help").out.startswith("Usage: condor_qsub")
    assert spool.run("condor_qsub", "-version").out.startswith("$CondorVersion: ")
    assert tools.called == []


@pytest.mark.parametrize("word", ["-5", "x", "1.", "1.x", "9" * 5000, f"1.{'9' * 5000}", "\u0663"])
def test_what_is_no_job_does_not_exist(tools: Tools, spool: Spool, word: str) -> None:
    done = spool.run("condor_qsub", "-b", "y", "-hold_jid", word, "echo")
    assert done == ("", f"Error: Job dependency {word[:40]} doesn't exist\n", 1)
    assert not tools.called


@pytest.mark.parametrize(("name", "why"), [("x" * 300, "File name too long"), ("a/b", "No such file or directory")])
def test_a_name_that_no_file_can_have(
    tools: Tools, spool: Spool, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("true\n"))
    done = spool.run("condor_qsub", "-N", name)
    assert done == ("", f"Error: cannot write the script of {name[:40]} here: {why}\n", 1)
