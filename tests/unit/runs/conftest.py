"""The core of a run sees no clock."""

import pytest


@pytest.fixture(autouse=True)
def _handed_in_time(no_clock: None) -> None:
    """Time comes with the events."""
