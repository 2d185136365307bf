"""Cores are tested without a clock."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _handed_in_time(no_clock: None) -> None:
    """Time comes with the events."""
