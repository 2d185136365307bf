"""A short run of the campaign of ``damage``, with the same seeds each time: tests/crash/damage.py takes new ones."""

from __future__ import annotations

import random

import pytest
from damage import failures, folder, kinds
from damage_of_pools import judged, negotiator, schedd


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_what_was_not_touched_stays_and_the_rest_is_told(kind: str) -> None:
    assert list(failures(kind, range(40))) == []


@pytest.mark.parametrize("seed", range(40, 42))
def test_a_pool_starts_with_what_is_left(seed: int) -> None:
    """Damaged logs of schedd and negotiator are in one pool, as neither reads the other's. The damaged history is in
    another: a schedd adds what is completed in its queue to it."""
    with folder() as place:
        kinds_together = (("schedd", schedd), ("negotiator", negotiator))
        files = [make(random.Random(f"{kind} {seed}"), place) for kind, make in kinds_together]
        assert judged(files, place) == []
    assert list(failures("histories", range(seed, seed + 1))) == []
