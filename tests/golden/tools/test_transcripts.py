"""Tools against transcripts: commands, their stdout, ``E| `` lines of stderr, ``[exit N]``.

The captures follow reference output of HTCondor 25.14. Times are shown in UTC. A line of stdout that does not end
with a newline is followed by ``\\ no newline``. A line ``[...]`` stands for any lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import pwd
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.cli import entry

_HERE = Path(__file__).parent
#: Whose jobs an event log shows: the account that looks, and they were root's captures.
_OWNER = "root".ljust(14)
_NO_NEWLINE = "\\ no newline"
#: What differs on purpose (docs/differences.md): HTCondor's says "All jobs done." of a job that the log does not have.
_NOT_MENTIONED = ["E| This log does not mention that job!", "[exit 1]"]
_DIFFERENT = dict.fromkeys(("condor_wait alloc.log 99", "condor_wait -wait 1 short.log 99"), _NOT_MENTIONED)


def _cases() -> Iterator[tuple[str, str, list[str]]]:
    for path in sorted((_HERE / "transcripts").glob("*.txt")):
        command = ""
        expected: list[str] = []
        for line in path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")[:-1]:
            if line.startswith("$ "):
                if command:
                    yield path.stem, command, expected
                command, expected = line[2:], []
            elif command and not line.startswith("# "):
                expected.append(line)
        yield path.stem, command, expected


def run(command: str) -> list[str]:
    """The transcript of one command, which may begin with settings of the environment."""
    words = shlex.split(command)
    count = next(index for index, word in enumerate(words) if "=" not in word)
    program, *argv = words[count:]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for word in words[:count]:
            name, _, value = word.partition("=")
            patch.setenv(name, value)
        code = entry.main(program, argv)
    text = out.getvalue()
    lines = text.splitlines()
    if text and not text.endswith("\n"):
        lines.append(_NO_NEWLINE)
    lines += [f"E| {line}" for line in err.getvalue().splitlines()]
    return lines + ([f"[exit {code}]"] if code else [])


class _Hurry:
    """A clock that condor_wait's waiting moves on at once, and nothing else."""

    def __init__(self) -> None:
        self.now = time.time()

    def time(self) -> float:
        return self.now

    def wait(self, watch: object, timeout: float | None) -> None:
        assert timeout is not None, "this command would wait for ever"
        self.now += timeout


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = _Hurry()
    monkeypatch.setattr("condor_py.cli.wait.time", clock)
    monkeypatch.setattr("condor_py.client.watch.FileWatch.wait", lambda watch, timeout: clock.wait(watch, timeout))


@pytest.fixture(autouse=True)
def _place(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(_HERE)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("COLUMNS", raising=False)
    time.tzset()
    yield
    os.environ.pop("TZ", None)
    time.tzset()


@pytest.mark.parametrize(("transcript", "command", "expected"), list(_cases()))
def test_transcript(transcript: str, command: str, expected: list[str]) -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    expected = [line.replace(_OWNER, me.ljust(len(_OWNER))) for line in expected]
    expected = _DIFFERENT.get(command) or expected
    found = run(command)
    if "[...]" in expected and not re.fullmatch(_pattern(expected), "".join(line + "\n" for line in found)):
        assert found == expected
    if "[...]" not in expected:
        assert "\n".join(found) == "\n".join(expected)


def _pattern(expected: list[str]) -> str:
    return "".join(r"(?:.*\n)*?" if line == "[...]" else re.escape(line + "\n") for line in expected)
