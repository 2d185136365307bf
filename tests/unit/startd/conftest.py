"""Makes the bench of this directory importable."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _handed_in_time(no_clock: None) -> None:
    """Time comes with the events."""
