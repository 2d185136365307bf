"""Pages of condor_web without a server: a queue that no schedd serves, and requests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from tool_runner import Spool, empty_spool

from condor_py.cli.web import errand, live
from condor_py.cli.web.pages import job, life


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the children that read files, the search of the history, the records of runs and the look at the queue all
    the time that a busy machine takes, and begin without an account that has to rest."""
    monkeypatch.setattr(errand, "_PATIENCE", 300.0)
    monkeypatch.setattr(errand, "_LONG", 300.0)
    monkeypatch.setattr(errand, "_resting", {})
    monkeypatch.setattr(errand, "_stuck", {})
    monkeypatch.setattr(job, "_PATIENCE", 300.0)
    monkeypatch.setattr(life, "_SOON", 300.0)
    monkeypatch.setattr(live, "_LONG", 300.0)


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spool]:
    """An empty queue of a personal pool that no schedd serves."""
    yield from empty_spool(tmp_path, monkeypatch)
