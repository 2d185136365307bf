"""Tools and daemons for which the machine has no memory or descriptor left."""

from __future__ import annotations

import errno
import os

import pytest

from condor_py.cli import entry
from condor_py.daemons import main as daemons


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (MemoryError(), "Cannot allocate memory"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), "Too many open files"),
    ],
)
def test_one_line_says_what_is_lacking(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, text: str
) -> None:
    def fails(*_: object) -> int:
        raise error

    monkeypatch.setenv(entry.TRACEBACK, "1")
    monkeypatch.setattr(entry, "_without_remains", fails)
    monkeypatch.setattr(daemons, "main", fails)
    assert entry._run("condor_q", []) == 1
    assert daemons.start("STARTD") == 1
    assert capsys.readouterr().err.splitlines() == [f"condor_q: {text}", f"condor_startd: {text}"]


def test_any_other_fault_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise OSError(errno.ENOTDIR, "Not a directory")

    monkeypatch.setattr(daemons, "main", fails)
    with pytest.raises(OSError, match="Not a directory"):
        daemons.start("STARTD")
