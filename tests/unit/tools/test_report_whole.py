"""Whole reports of one week, the JSON and the sizes of jobs, as they are kept in tests/golden/report.

After a wanted change CONDOR_PY_RECORD=1 writes them again, and the difference is to be read.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from report_world import World
from tool_runner import Spool

from condor_py.client.pool import Pool

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "report"
NOW = 1795888800  # 2026-11-28 18:00 UTC


@pytest.fixture
def world(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """Eighty jobs in the week before a fixed moment, and what was recorded of them."""
    monkeypatch.setattr(Pool, "now", lambda self: NOW)
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    World(spool, NOW, jobs=80).cycles()
    return spool


def check(name: str, text: str) -> None:
    text = re.sub(r'"host": "[^"]*"', '"host": "HOST"', text)
    path = GOLDEN / name
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("week.json", "-json"),
        ("alice.json", "-json -user alice"),
        ("sizes.txt", "-sizes"),
        ("sizes.json", "-sizes -json"),
    ],
)
def test_a_whole_report(world: Spool, name: str, words: str) -> None:
    done = world.run("condor_report", *words.split())
    assert (done.err, done.code) == ("", 0)
    check(name, done.out)
