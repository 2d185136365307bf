"""What holds in every test of the store."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for modules that test files share


def _open() -> set[str]:
    """What this process has open."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
        except FileNotFoundError:
            continue  # the listing itself
    return found


@pytest.fixture(autouse=True)
def _nothing_stays_open(request: pytest.FixtureRequest) -> Iterator[None]:
    """A daemon lives for months: whoever opens a file gives it back. Public copies stay while others read them."""
    before = _open()
    yield
    if request.module.__name__.endswith("test_public_copy"):
        return
    if _open() - before:
        gc.collect()  # what a failing test still holds
    left = {what for what in _open() - before if "/pipe:" not in what and " pipe:" not in what}
    assert not left, f"left open: {left}"
