"""The script that runs a job in a batch system, run by the shell of this machine."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from condor_py.machine.batch import notices
from condor_py.machine.batch.wrapper import Program, script
from condor_py.model.gridjobs import Ending


@pytest.fixture(params=["sh", "bash"])
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(
    top: Path,
    shell: str,
    text: str,
    environment: Mapping[str, str] | None = None,
    number: str = "17",
    mode: int = 0o755,
    first: str = "#!/bin/sh",
    places: str = os.environ["PATH"],
) -> Ending | None:
    """A job whose program is a script of that text; how it ended."""
    (top / "d").mkdir(exist_ok=True)
    (top / "prog").write_text(f"{first}\n{text}\n", newline="")
    (top / "prog").chmod(mode)
    what = Program(
        "1.0", str(top / "d"), str(top / "prog"), ("a  b", "'"), environment or {}, "/dev/null", str(top / "out"),
        str(top / "err"), str(top / "N"), "NUMBER",
    )  # fmt: skip
    path = {"PATH": places, "NUMBER": number}
    subprocess.run([shell, "-s"], input=script(what), text=True, env=path, check=False)
    return notices.ending(str(top), "N")


def test_arguments_environment_and_exit_code(tmp_path: Path, shell: str) -> None:
    text = """pwd; printf '%s|' "$@" "$A"; tr '\\0' '\\n' < /proc/$$/environ | grep ^x.y; echo e >&2; exit 7"""
    ending = run(tmp_path, shell, text, {"A": "b  'c'\n", "x.y": "z"})
    assert (tmp_path / "out").read_text() == f"{tmp_path}/d\na  b|'|b  'c'\n|x.y=z\n"
    assert (tmp_path / "err").read_text() == "e\n"
    assert ending is not None
    assert (ending.exit_code, ending.exit_signal, ending.failure) == (7, None, "")
    begun = notices.beginning(str(tmp_path), "N")
    assert begun is not None
    assert begun.number == "17"


def test_variables_of_the_job_are_not_those_of_the_script(tmp_path: Path, shell: str) -> None:
    """Whatever they are called, the program gets them as they are, and the script tells how it has ended."""
    names = ("notices", "command", "code", "how", "first", "rest", "other", "UID", "PATH", "IFS")
    asks = "tr '\\0' '\\n' < /proc/$$/environ | /usr/bin/sort"
    ending = run(tmp_path, shell, f"#\nPATH=/usr/bin:/bin; {asks}; exit 7", dict.fromkeys(names, "/nowhere"))
    told = (tmp_path / "out").read_text().splitlines()
    assert [line for line in told if line.endswith("=/nowhere")] == sorted(f"{name}=/nowhere" for name in names)
    assert ending is not None
    assert (ending.exit_code, ending.exit_signal) == (7, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT, signal.SIGPIPE])
def test_a_signal_is_a_signal_and_a_code_above_128_is_a_code(tmp_path: Path, shell: str, number: int) -> None:
    ending = run(tmp_path, shell, f"kill -{int(number)} $$")
    assert ending is not None
    assert (ending.exit_code, ending.exit_signal) == (None, number)
    for path in tmp_path.glob("N.*"):
        path.unlink()
    ending = run(tmp_path, shell, f"echo Killed >&2; exit {128 + int(number)}")
    assert ending is not None
    assert (ending.exit_code, ending.exit_signal) == (128 + int(number), None)


@pytest.mark.parametrize("awk", ["exit 127", "exit 126"])
def test_without_an_awk_that_tells_of_signals_the_words_of_the_shell_do(tmp_path: Path, shell: str, awk: str) -> None:
    """None there or that of busybox, which leaves at once; and a command that is too long for an argument."""
    place = tmp_path / "bin"
    place.mkdir()
    (place / "awk").write_text(f"#!/bin/sh\n{awk}\n")
    (place / "awk").chmod(0o755)
    for text, code, number in (("kill -11 $$", None, 11), ("exit 139", 139, None), ("exit 3", 3, None)):
        for path in tmp_path.glob("N.*"):
            path.unlink()
        ending = run(tmp_path, shell, f"echo x >> {tmp_path}/runs; {text}", places=f"{place}:{os.environ['PATH']}")
        assert ending is not None
        assert (ending.exit_code, ending.exit_signal) == (code, number)
    assert (tmp_path / "runs").read_text() == "x\n" * 3


@pytest.mark.parametrize("line", ["#!/no/such/sh", "#! /no/such/sh -e", "#!/bin/sh\r"])
def test_a_missing_interpreter_is_no_exit_code(tmp_path: Path, shell: str, line: str) -> None:
    ending = run(tmp_path, shell, "true", first=line)
    assert ending is not None
    named = line.removeprefix("#!").split(" -")[0].strip(" ")
    why = f"{tmp_path}/prog: invalid interpreter ({named.strip()}) specified on first line of script"
    assert ending.failure.replace(" )", ")") == f"The job could not be started: {why}"
    assert ending.failure_errno == errno.ENOENT


def test_cpu_time_is_that_of_the_program(tmp_path: Path, shell: str) -> None:
    ending = run(tmp_path, shell, "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done")
    assert ending is not None
    assert ending.user_cpu > 0.01


def test_it_runs_once_and_again_only_for_the_same_batch_job(tmp_path: Path, shell: str) -> None:
    text = f"echo x >> {tmp_path}/runs"
    for number in ("17", "18", "17"):  # the last is a job that its batch system has requeued
        run(tmp_path, shell, text, number=number)
        (tmp_path / "N.ended").unlink(missing_ok=True)  # it was killed with its script
    assert (tmp_path / "runs").read_text() == "x\nx\n"
    begun = notices.beginning(str(tmp_path), "N")
    assert begun is not None
    assert (begun.number, begun.times) == ("17", 2)


def test_what_has_ended_does_not_run_again(tmp_path: Path, shell: str) -> None:
    """Its batch system has forgotten that it had begun."""
    for _ in range(2):
        assert run(tmp_path, shell, f"echo x >> {tmp_path}/runs; exit 3") is not None
    assert (tmp_path / "runs").read_text() == "x\n"


def test_a_program_that_cannot_be_executed(tmp_path: Path, shell: str) -> None:
    ending = run(tmp_path, shell, "true", mode=0o644)
    assert ending is not None
    assert ending.failure == f"The job could not be started: {tmp_path}/prog: Permission denied"


def test_a_notice_that_is_not_complete_is_none(tmp_path: Path) -> None:
    (tmp_path / "N.began").write_text("17")
    (tmp_path / "N.ended").write_text("0m0.1s 0m0.1s\n0m1.5s 1m0.25s\nexit ")
    assert notices.beginning(str(tmp_path), "N") is None
    assert notices.ending(str(tmp_path), "N") is None
    (tmp_path / "N.ended").write_text("0m0.1s 0m0.1s\n0m1.5s 1m0.25s\nexit 0\n")
    ending = notices.ending(str(tmp_path), "N")
    assert ending is not None
    assert (ending.user_cpu, ending.sys_cpu, ending.exit_code) == (1.5, 60.25, 0)
