"""A short run of the campaign of ``damage``, with the same seeds each time: tests/crash/damage.py takes new ones."""

from __future__ import annotations

import pytest
from damage import failures, kinds, pools


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_what_was_not_touched_stays_and_the_rest_is_told(kind: str) -> None:
    assert list(failures(kind, range(40))) == []


@pytest.mark.parametrize("kind", sorted(pools()))
def test_a_pool_starts_with_what_is_left(kind: str) -> None:
    assert list(failures(kind, range(40, 42))) == []
