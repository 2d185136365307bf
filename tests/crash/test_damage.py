"""A short run of the campaign of ``damage``: its seeds are new each day, and named where one fails."""

from __future__ import annotations

import time

import pytest
from damage import failures, kinds, pools


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_what_was_not_touched_stays_and_the_rest_is_told(kind: str) -> None:
    first = int(time.time()) // 86_400 * 100
    assert list(failures(kind, range(first, first + 40))) == []


@pytest.mark.parametrize("kind", sorted(pools()))
def test_a_pool_starts_with_what_is_left(kind: str) -> None:
    first = int(time.time()) // 86_400 * 100
    assert list(failures(kind, range(first, first + 2))) == []
