"""The campaign of kills, for a few of them, and what it concludes from logs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "crash")]

from kill_events import History
from stories import told_runs


def test_a_few_kills_break_nothing() -> None:
    words = [str(_HERE / "kills.py"), "-n", "8", "-kinds", "vanilla,transfer,checkpoint,factory,local,dag"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    line = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, line["findings"]) == (0, 0), done.stderr
    assert line["kills"] >= 8
    assert line["jobs"]


@pytest.mark.parametrize(
    ("numbers", "runs"),
    [([0, 1, 5], 1), ([0, 1, 22, 24, 1, 5], 2), ([0, 22, 24, 1, 5], 2), ([0, 1, 22, 23, 5], 1), ([0, 9], 1), ([0], 0)],
)
def test_runs_that_a_log_tells_of(numbers: list[int], runs: int) -> None:
    assert told_runs(numbers) == runs


def test_a_history_is_read_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "history"
    history = History(path)
    assert history.read() == {}
    record = 'ProcId = 0\nClusterId = 7\nCmd = "x"\n*** Offset = 0 ClusterId = 7 ProcId = 0\n'
    path.write_text(record + record[:20])
    assert [ad["Cmd"] for ad in history.read()["7.0"]] == ['"x"']
    path.write_text(record + record)
    assert len(history.read()["7.0"]) == 2
    assert len(history.read()["7.0"]) == 2
