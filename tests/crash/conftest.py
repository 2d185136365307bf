"""Pools for crash tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "e2e")]

from pool import PersonalPool


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool with four cpus whose master restarts what dies at once."""
    made = PersonalPool(tmp_path / "pool", cpus=4, MASTER_BACKOFF_CONSTANT="0", MASTER_BACKOFF_FACTOR="0.01")
    made.start()
    try:
        yield made
    finally:
        made.stop()
