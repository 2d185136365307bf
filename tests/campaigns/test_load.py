"""The campaigns of load, small: that they run, find nothing, and leave nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).resolve().parent
#: Seconds of latency that a busy machine may make of one.
_BUSY = "60"
#: Another user works once meanwhile.
_USER = ("-goal", _BUSY, "-pause", "600")

SMALL = {
    "load_jobs": ("-n", "100", "-wave", "40", *_USER),
    "load_logs": ("-n", "3000", "-only", "condor_wait,condor_userlog,JobEventLog"),
    "load_running": ("-n", "4", *_USER),
    "load_clients": ("-n", "80", "-drivers", "2", "-seconds", "2", "-goal", _BUSY),
    "load_dags": ("-n", "8", "-nodes", "4", *_USER),
    "load_slots": ("-n", "80"),
    "load_history": ("-n", "2000", "-only", "limit,since,constraint", "-soon", _BUSY),
}


def run(name: str, *words: str) -> dict[str, Any]:
    """Run a campaign, which must find nothing; the line that it ends with."""
    command = [sys.executable, str(_HERE / f"{name}.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", SMALL)
def test_a_small_run_finds_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/tmp")  # other accounts may not enter the directory of a test
    found = run(name, *SMALL[name])
    assert (found["campaign"], found["findings"]) == (name, 0)


def test_an_unknown_reader_is_named(tmp_path: Path) -> None:
    command = [sys.executable, str(_HERE / "load_logs.py"), "-only", "cat"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, "load_logs: cannot run here: no reader is called cat\n")
