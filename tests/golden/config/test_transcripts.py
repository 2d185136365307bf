"""condor_config_val against transcripts of HTCondor 25.14: stdout, ``E| `` lines of stderr, ``[exit N]``.

Each file of ``transcripts`` was captured here with CONDOR_CONFIG=<its name>.config and one knob in the environment.
HOST stands for the machine, ``\\ no newline`` follows a last line without one.
"""

from __future__ import annotations

import contextlib
import io
import os
import pwd
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from condor_py.cli import entry

_HERE = Path(__file__).parent
_VERSION = re.compile(r"\$Condor(Version|Platform):[^$]*\$")
_HOST = re.compile(rf"(machine: ){re.escape(os.uname().nodename)}$")


def _cases() -> Iterator[tuple[str, str, list[str]]]:
    for path in sorted((_HERE / "transcripts").glob("*.txt")):
        for part in re.split(r"^\$ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            command, *expected = part.splitlines()
            yield path.stem, command, expected


def _run(command: str) -> list[str]:
    program, *argv = shlex.split(command)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = entry.main(program, argv)
    text = out.getvalue()
    lines = text.splitlines()
    if text and not text.endswith("\n"):
        lines.append("\\ no newline")
    lines += [f"E| {line}" for line in err.getvalue().splitlines()]
    lines = [_HOST.sub(r"\1HOST", _VERSION.sub(r"$Condor\1$", line)) for line in lines]
    return lines + ([f"[exit {code}]"] if code else [])


@pytest.mark.parametrize(("name", "command", "expected"), list(_cases()))
def test_transcript(name: str, command: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_HERE)
    for variable in [one for one in os.environ if one.lower().startswith("_condor_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("CONDOR_CONFIG", f"{name}.config")
    monkeypatch.setenv("_CONDOR_FROM_ENVIRONMENT", "e")
    monkeypatch.setattr("pwd.getpwnam", _without_condor)
    assert _run(command) == expected


def _without_condor(name: str, look: Callable[[str], pwd.struct_passwd] = pwd.getpwnam) -> pwd.struct_passwd:
    """The accounts of the machine of the transcripts, which had none called condor."""
    if name == "condor":
        raise KeyError(name)
    return look(name)
