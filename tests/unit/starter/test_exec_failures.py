"""What a job is told whose program cannot be executed: HTCondor's words, with the arguments as they were given."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from condor_py.machine.run.process import StartError, Streams, spawn
from condor_py.machine.run.verdict import start_failed
from condor_py.model.report import ExitReport


def failure(program: Path, *arguments: str) -> StartError:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        with pytest.raises(StartError) as caught:
            spawn(str(program), arguments, str(program.parent), {}, Streams(null, null, null), None)
    finally:
        os.close(null)
    return caught.value


def script(tmp_path: Path, text: str, mode: int) -> Path:
    path = tmp_path / "program"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    error = failure(tmp_path / "none", "a", "b c", "it's")
    assert (error.code, error.subcode) == (6, 2)
    reason = "(errno=2: 'No such file or directory')"
    assert str(error) == f"Failed to execute '{tmp_path}/none' with arguments a b' 'c it''''s: {reason}"
    assert str(failure(tmp_path / "none")) == f"Failed to execute '{tmp_path}/none': {reason}"


def test_a_program_that_may_not_be_executed(tmp_path: Path) -> None:
    error = failure(script(tmp_path, "#!/bin/sh\n", 0o644))
    assert (error.code, error.subcode) == (6, 13)
    assert str(error) == f"Failed to execute '{tmp_path}/program': (errno=13: 'Permission denied')"


def test_a_script_without_its_interpreter(tmp_path: Path) -> None:
    error = failure(script(tmp_path, "#!/no/such/shell -e\n", 0o755), "x")
    assert str(error) == (
        f"Failed to execute '{tmp_path}/program' with arguments x: invalid interpreter (/no/such/shell) specified on "
        "first line of script (errno=2: 'No such file or directory')"
    )


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE])
def test_what_the_machine_is_short_of_is_not_the_fault_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A limit on processes that is reached holds no job: the run is given up, and another try may do better."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number), "program")

    monkeypatch.setattr("condor_py.machine.run.process.start_on", refuse)
    null = os.open(os.devnull, os.O_RDWR)
    with pytest.raises(OSError) as caught:
        spawn("/bin/true", [], str(tmp_path), {}, Streams(null, null, null), None)
    os.close(null)
    report = start_failed(ExitReport(claim_id="c", job="1.0", run=1), caught.value, "slot1@here")
    assert (report.hold_code, report.error.startswith("starter on slot1@here: ")) == (0, True)
