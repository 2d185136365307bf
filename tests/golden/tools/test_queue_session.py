"""One long session with a queue, command after command, against what the tools of HTCondor 25.14 said in it."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.cli import entry

_HERE = Path(__file__).parent
_SHAPES = (
    (r"<127\.0\.0\.1:\d+(?:\?\.\.\.|[^>\s]*>)", "<ADDR>"),
    (r"tester@[\w.-]+", "tester@DOM"),
    (r"@ \d\d/\d\d/\d\d \d\d:\d\d:\d\d", "@ NOW"),
    (r"\b\d\d/\d[\d ] \d\d:\d\d| \d/\d[\d ] \d\d:\d\d", "MM/DD HH:MM"),  # columns of two, of any day of the year
    (r"-- Schedd: \S+ :", "-- Schedd: HOST :"),
    (r"Usage:[\s\S]*", "USAGE\n"),
)
#: What differs on purpose (docs/differences.md): a priority that is not a number is 0 to HTCondor.
_DIFFERENT = {
    "condor_prio -p x 1.1": ["E| condor_prio: -p needs a whole number, not x", "[exit 1]"],
}


@pytest.fixture
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in _HERE.glob("session_*.sub"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "local"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("condor_py.client.pool.Pool.owner", "tester")
    monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", False)


def _steps() -> Iterator[tuple[str, list[str]]]:
    text = (_HERE / "queue_session.txt").read_text(encoding="utf-8")
    for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *expected = block.split("\n")[:-1]
        yield command, expected


def _said(command: str) -> list[str]:
    program, *argv = shlex.split(command)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = entry.main(program, argv)
    shown, complaints = out.getvalue(), err.getvalue()
    for pattern, stands in _SHAPES:
        shown, complaints = re.sub(pattern, stands, shown), re.sub(pattern, stands, complaints)
    lines = shown.splitlines() + [f"E| {line}" for line in complaints.splitlines()]
    return lines + ([f"[exit {code}]"] if code else [])


@pytest.mark.usefixtures("_place")
def test_the_session() -> None:
    wrong = []
    for command, expected in _steps():
        said = _said(command)
        expected = _DIFFERENT.get(command, expected)
        if said != expected:
            wrong.append((command, expected, said))
    for command, expected, said in wrong:
        assert said == expected, command
