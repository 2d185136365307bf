"""What a job is told whose program cannot be executed: HTCondor's words, with the arguments as they were given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.starter.process import StartError, Streams, spawn


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
