"""condor_nsenter and condor_docker_enter: what they enter, in which order, and what becomes of the program."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import enter
from condor_py.cli.ssh_to_job import session
from condor_py.machine.run import namespaces
from condor_py.model.errors import CondorError


class Kernel:
    """What would change this process is noted only."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.no_groups = False
        self.code = 0
        monkeypatch.setattr(namespaces, "enter_all", lambda place: self.calls.append(("enter", os.readlink(place))))
        monkeypatch.setattr(enter, "_join_group", lambda place: self.calls.append(("cgroup",)))
        monkeypatch.setattr(enter.os, "setgroups", self._setgroups)
        monkeypatch.setattr(enter.os, "setgid", lambda group: self.calls.append(("gid", group)))
        monkeypatch.setattr(enter.os, "setuid", lambda user: self.calls.append(("uid", user)))
        for name in ("_run_directly", "_run_on_terminal"):
            monkeypatch.setattr(enter, name, lambda *words, how=name: self._run(how, *words))

    def _setgroups(self, groups: list[int]) -> None:
        if self.no_groups:
            raise PermissionError(1, "Operation not permitted")
        self.calls.append(("groups", groups))

    def _run(self, how: str, words: list[str], environment: dict[str, str], directory: str) -> int:
        self.calls.append((how, words, directory))
        self.environment = environment
        return self.code


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    for name in ("_CONDOR_SCRATCH_DIR", "_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return Kernel(monkeypatch)


ME = os.getpid()


def test_a_command_is_run_where_the_process_is(kernel: Kernel, spool: Spool) -> None:
    kernel.code = 7
    done = spool.run("condor_nsenter", "-t", str(ME), "-S", "1000", "-G", "1001", "-groups", "4:27", "--", "ps", "-ef")
    assert done == ("", "", 7)
    assert kernel.calls == [
        ("cgroup",), ("groups", [4, 27]), ("enter", f"/proc/{ME}"), ("gid", 1001), ("uid", 1000),
        ("_run_directly", ["ps", "-ef"], "/"),
    ]  # fmt: skip


def test_without_a_command_it_is_a_login_shell(kernel: Kernel, spool: Spool) -> None:
    kernel.no_groups = True
    done = spool.run("condor_nsenter", "-t", str(ME), "-S", "1000", "-G", "1001")
    assert done == ("", "warning: cannot set supplemental groups: Operation not permitted\n", 0)
    assert kernel.calls[-1] == ("_run_on_terminal", ["/bin/sh", "-l", "-i"], "/")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-S 1 -G 1", "missing -t argument > 1"),
        ("-t 0 -S 1 -G 1", "missing -t argument > 1"),
        ("-t 5 -G 1", "missing -S argument > 1"),
        ("-t 5 -S 0 -G 1", "missing -S argument > 1"),
        ("-t 5 -S 1", "missing -G argument > 1"),
        ("-t 5 -S 1 -G 0", "missing -G argument > 1"),
        ("-t 5 -S 1 -G 1 word", "condor_nsenter: unrecognized argument word"),
        (
            "-t 4194999 -S 1 -G 1",
            "condor_nsenter: cannot enter process 4194999: /proc/4194999 No such file or directory",
        ),
    ],
)
def test_what_cannot_be_entered(kernel: Kernel, spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_nsenter", *words.split())
    assert (done.out, done.code, kernel.calls) == ("", 1, [])
    assert said in done.err
    assert spool.run("condor_nsenter", "-help").out.startswith("Usage: condor_nsenter")


def test_the_environment_of_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inherited = b"A=1\0B=/out/x:/out/y\0=odd\0none\0C=\0D=a=b\0_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER=/out\0E=\xff"
    (tmp_path / "environ").write_bytes(inherited)
    for name in ("_CONDOR_SCRATCH_DIR", "_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    plain = {
        "A": "1", "B": "/out/x:/out/y", "C": "", "D": "a=b", "_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER": "/out",
        "E": "\udcff",
    }  # fmt: skip
    assert enter._environment(str(tmp_path)) == plain
    monkeypatch.setenv("_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER", "/out")
    monkeypatch.setenv("_CONDOR_SCRATCH_DIR", "/in")
    monkeypatch.setenv("DISPLAY", ":7")
    assert enter._environment(str(tmp_path)) == plain | {"B": "/in/x:/in/y", "DISPLAY": ":7"}


@pytest.mark.parametrize(
    ("inside", "ours", "directory"), [("", "", "/"), ("/job", "", "/job"), ("/job", "/own", "/own")]
)
def test_the_directory_of_the_program(
    kernel: Kernel, spool: Spool, monkeypatch: pytest.MonkeyPatch, inside: str, ours: str, directory: str
) -> None:
    monkeypatch.setattr(enter, "_environment", lambda place: {"_CONDOR_SCRATCH_DIR": inside} if inside else {})
    if ours:
        monkeypatch.setenv("_CONDOR_SCRATCH_DIR", ours)
    assert spool.run("condor_nsenter", "-t", str(ME), "-S", "1", "-G", "1", "--", "x").code == 0
    assert kernel.calls[-1][-1] == directory


def test_a_control_group_that_cannot_be_entered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cgroup").write_text("1:cpu:/old\n0::/no/such/group\n")
    enter._join_group(str(tmp_path))
    assert capsys.readouterr().err == (
        "Warning: cannot move into job cgroup /no/such/group: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [(["/bin/sh", "-c", 'test "$A,$PWD" = "1,/usr" && exit 5'], 5), (["/bin/sh", "-c", "kill -9 $$"], 137),
     (["/none/x"], 127), (["/etc/passwd"], 126)],
)  # fmt: skip
def test_how_a_program_ends(words: list[str], code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert enter._run_directly(words, {"A": "1", "PATH": "/bin:/usr/bin"}, "/usr") == code
    said = capfd.readouterr().err
    assert said.startswith(f"exec of {words[0]} failed: ") if code in (126, 127) else said == ""


def test_a_program_on_a_terminal_of_its_own(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    kept = os.dup(0)
    os.dup2(reading, 0)
    os.close(reading)
    try:
        os.write(writing, b"hello\n")
        os.close(writing)
        script = 'test -t 0 && test -t 1 && read a && echo "got $a" && cat >/dev/null; exit 3'
        assert enter._run_on_terminal(["/bin/sh", "-c", script], {"PATH": "/bin:/usr/bin"}, "/none") == 3
    finally:
        os.dup2(kept, 0)
        os.close(kept)
    assert "got hello\r\n" in capfd.readouterr().out


# -- condor_docker_enter


def test_the_job_of_the_directory(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def attach(pool: object, job: object, wish: session.Wish) -> int:
        asked.append((str(job), wish.command))
        if wish.command == "gone":
            raise CondorError("the job has ended")
        return 4

    monkeypatch.setattr(session, "attach", attach)
    Path(".job.ad").write_text('Owner = "bob"\n\nClusterId = 0\nProcId = 0\n\nClusterId = 12\nProcId = 0\n')
    assert spool.run("condor_docker_enter").code == 4
    assert spool.run("condor_docker_enter", "ls", "-l", "/").code == 4
    assert spool.run("condor_docker_enter", "-", "x").code == 4
    assert spool.run("condor_docker_enter", "gone") == ("", "the job has ended\n", 255)
    assert asked == [("12.0", ""), ("12.0", "ls -l /"), ("12.0", "- x"), ("12.0", "gone")]
    Path(".job.ad").write_text("ClusterId = 12\n\nProcId = 3\n")
    assert spool.run("condor_docker_enter") == ("", "condor_docker_enter: .job.ad names no job\n", 255)
    Path(".job.ad").unlink()
    done = spool.run("condor_docker_enter")
    assert (done.out, done.code) == ("", 255)
    assert done.err == f"condor_docker_enter: {os.getcwd()} is no scratch directory of a job: it has no .job.ad\n"
    assert spool.run("condor_docker_enter", "-help").out.startswith("Usage: condor_docker_enter")
