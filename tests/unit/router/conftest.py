"""The world of the router core is a plain module beside the tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _handed_in_time(no_clock: None) -> None:
    """Time comes with the events."""
