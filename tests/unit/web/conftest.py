"""Pages of condor_web without a server: a queue that no schedd serves, and requests."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from tool_runner import Spool


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spool]:
    """An empty queue of a personal pool that no schedd serves."""
    for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "local"))
    monkeypatch.setenv("_CONDOR_UID_DOMAIN", "example.net")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    time.tzset()
    yield Spool(tmp_path)
    monkeypatch.delenv("TZ")
    time.tzset()
