"""A queue in a directory of its own, without daemons."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, empty_spool


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spool]:
    """An empty queue of a personal pool that no schedd serves."""
    yield from empty_spool(tmp_path, monkeypatch)
