"""Choices of the campaign ``upgrades``; tests/e2e/test_upgrade.py upgrades a pool of the present code."""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from upgrades import COMMITS, plan


def test_all_versions_come_before_one_comes_again_and_a_seed_chooses_the_order() -> None:
    chosen = plan(list(COMMITS), 7, random.Random(3))
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == sorted(COMMITS)
    assert chosen == plan(list(COMMITS), 7, random.Random(3))
    assert plan(["a"], 2, random.Random(1)) == ["a", "a"]
