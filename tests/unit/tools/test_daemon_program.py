"""The daemons as programs: what their options put into the environment, pid files, and the way into the background."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import daemon_program
from condor_py.cli.daemon_program import _SCHEDD, CoreOptions, take_core_options, write_pid
from condor_py.cli.options import parse
from condor_py.daemons import main as daemons
from condor_py.model.errors import CondorError


@pytest.fixture
def took(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment, where what the options put there ends with the test."""
    environment = dict(os.environ)
    monkeypatch.setattr(daemon_program.os, "environ", environment)
    return environment


def taken(subsystem: str, *words: str) -> CoreOptions | None:
    return take_core_options(parse(_SCHEDD, list(words)), subsystem)


def test_without_options_nothing_changes(took: dict[str, str]) -> None:
    before = dict(took)
    assert taken("SCHEDD") == CoreOptions(False, False, "", 0, "")
    assert took == before


@pytest.mark.parametrize(
    ("subsystem", "words", "options", "changes"),
    [
        ("SCHEDD", "-f", CoreOptions(True, False, "", 0, ""), {}),
        ("SCHEDD", "-b", CoreOptions(False, True, "", 0, ""), {}),
        ("SCHEDD", "-t", CoreOptions(True, False, "", 0, ""), {"_CONDOR_SCHEDD_LOG": "/dev/stderr"}),
        ("SCHEDD", "-b -t", CoreOptions(True, False, "", 0, ""), {"_CONDOR_SCHEDD_LOG": "/dev/stderr"}),
        ("SCHEDD", "-r 5", CoreOptions(False, False, "", 5, ""), {}),
        ("SCHEDD", "-pidfile p", CoreOptions(False, False, "{log}/p", 0, ""), {}),
        ("SCHEDD", "-pidfile /a/p", CoreOptions(False, False, "/a/p", 0, ""), {}),
        ("SCHEDD", "-n other@", CoreOptions(False, False, "", 0, ""), {"_CONDOR_SCHEDD_NAME": "other@"}),
        ("SCHEDD", "-c etc/c", CoreOptions(False, False, "", 0, ""), {"CONDOR_CONFIG": "{top}/etc/c"}),
        ("SCHEDD", "-a old", CoreOptions(False, False, "", 0, ""), {"_CONDOR_SCHEDD_LOG": "{log}/SchedLog.old"}),
        ("SCHEDD", "-l logs", CoreOptions(False, False, "", 0, ""), {"_CONDOR_SCHEDD_LOG": "{top}/logs/SchedLog"}),
        ("SCHEDD", "-l logs -a 1", CoreOptions(False, False, "", 0, ""),
         {"_CONDOR_SCHEDD_LOG": "{top}/logs/SchedLog.1"}),
        ("MASTER", "-l logs", CoreOptions(False, False, "", 0, ""),
         {"_CONDOR_LOG": "{top}/logs", "_CONDOR_MASTER_LOG": "{top}/logs/MasterLog"}),
        ("SCHEDD", "-local-name two -t", CoreOptions(True, False, "", 0, "two"),
         {"_CONDOR_two.SCHEDD_LOG": "/dev/stderr"}),
    ],
)  # fmt: skip
def test_options_of_every_daemon(
    took: dict[str, str],
    tmp_path: Path,
    subsystem: str,
    words: str,
    options: CoreOptions,
    changes: dict[str, str],
) -> None:
    Path("etc").mkdir()
    Path("etc/c").write_text(f"LOCAL_DIR = {tmp_path}/local\n")
    before = dict(took)
    places = {"log": f"{tmp_path}/local/log", "top": str(tmp_path)}
    assert taken(subsystem, *words.split()) == options._replace(pidfile=options.pidfile.format(**places))
    assert {name: text for name, text in took.items() if before.get(name) != text} == {
        name: text.format(**places) for name, text in changes.items()
    }
    assert Path("logs").is_dir() == ("-l logs" in words and subsystem != "MASTER")


def test_a_directory_for_logs_that_cannot_be_made(took: dict[str, str], tmp_path: Path) -> None:
    Path("file").touch()
    with pytest.raises(CondorError) as error:
        taken("SCHEDD", "-l", "file/logs")
    assert str(error.value) == f"DaemonCore: ERROR: can't create directory {tmp_path}/file/logs: Not a directory"


def test_the_daemon_of_a_pid_file_is_ended(took: dict[str, str], tmp_path: Path) -> None:
    place = tmp_path / "local" / "log" / "pid"
    place.parent.mkdir()
    with subprocess.Popen(["sleep", "100"]) as program:
        place.write_text(f"{program.pid}\n")
        assert taken("SCHEDD", "-kill", "pid") is None
        assert program.wait() == -signal.SIGTERM


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "Can't open pid file {path} for reading: No such file or directory"),
        ("", "there is no pid in pid file {path}"),
        ("one", "there is no pid in pid file {path}"),
        ("0", "pid (0) in pid file ({path}) is invalid."),
        ("-1", "pid (-1) in pid file ({path}) is invalid."),
        ("4194999", "can't send SIGTERM to pid (4194999): No such process"),
        ("9" * 30, f"can't send SIGTERM to pid ({'9' * 30}): no such process"),
    ],
)
def test_a_pid_file_that_names_no_daemon(took: dict[str, str], tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "pid"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CondorError) as error:
        taken("SCHEDD", "-kill", str(path))
    assert str(error.value) == f"DaemonCore: ERROR: {said.format(path=path)}"


def test_a_pid_file_is_written_and_removed_by_its_daemon_alone(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    write_pid(str(path))
    assert path.read_text() == f"{os.getpid()}\n"
    path.write_text("1\n")
    daemon_program._remove_pid(str(path))
    assert path.read_text() == "1\n"
    write_pid(str(path))
    daemon_program._remove_pid(str(path))
    assert not path.exists()
    daemon_program._remove_pid(str(path))
    with pytest.raises(CondorError, match=r"^DaemonCore: ERROR: Can't open pid file /none/pid: No such file or direct"):
        write_pid("/none/pid")


class Served:
    """Stands in for the daemon: serves at once, and ends with ``code``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, code: Any = 0) -> None:
        self.called: list[tuple[str, str]] = []
        self.leaves: list[float] = []
        self.pids: list[str] = []
        self.code = code
        monkeypatch.setattr(daemons, "main", self.main)

    def main(self, subsystem: str, local_name: str, up: Any) -> int:
        self.called.append((subsystem, local_name))
        if isinstance(self.code, Exception):
            raise self.code
        up(self)
        self.pids = [path.read_text() for path in Path("local/log").glob("pid")]
        return int(self.code)

    def leave_after(self, seconds: float) -> None:
        self.leaves.append(seconds)


@pytest.mark.parametrize(
    ("program", "subsystem"),
    [("condor_schedd", "SCHEDD"), ("condor_startd", "STARTD"), ("condor_negotiator", "NEGOTIATOR"),
     ("condor_credd", "CREDD"), ("condor_defrag", "DEFRAG"), ("condor_job_router", "JOB_ROUTER"),
     ("condor_gangliad", "GANGLIAD"), ("condor_rooster", "ROOSTER")],
)  # fmt: skip
def test_a_daemon_is_run(
    took: dict[str, str], spool: Spool, monkeypatch: pytest.MonkeyPatch, program: str, subsystem: str
) -> None:
    Path("local/log").mkdir()
    served = Served(monkeypatch, 3)
    assert spool.run(program, "-f", "-pidfile", "pid", "-r", "2", "-local-name", "two") == ("", "", 3)
    assert (served.called, served.leaves, served.pids) == ([(subsystem, "two")], [120.0], [f"{os.getpid()}\n"])
    assert os.listdir("local/log") == []
    assert spool.run(program, "-f") == ("", "", 3)
    assert (served.leaves, served.pids) == ([120.0], [])
    assert spool.run(program, "-version").out.startswith("$CondorVersion: ")
    wrong = spool.run(program, "word")
    assert (wrong.err.splitlines()[0], wrong.code) == ("Error:  Unknown option word", 1)
    assert len(served.called) == 2


def test_a_daemon_in_the_background(took: dict[str, str], spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("local/log").mkdir()
    Served(monkeypatch, 0)
    assert spool.run("condor_schedd", "-b") == ("", "", 0)
    os.wait()
    Served(monkeypatch, CondorError("no room"))
    done = spool.run("condor_schedd", "-b")
    assert (done.out, done.code) == ("", 1)


def test_programs_that_are_not_needed_here(spool: Spool) -> None:
    for program in ("condor_collector", "condor_shadow"):
        done = spool.run(program)
        assert (done.out, done.code) == ("", 1)
        assert done.err.startswith(f"{program}: ")
        assert spool.run(program, "-f", "-version").out.startswith("$CondorVersion: ")
        assert spool.run(program, "-h").out.startswith(f"Usage: {program}")
