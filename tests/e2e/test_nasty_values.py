"""A few rounds of tests/attack/nasty_values.py: attributes of jobs with values that nobody expects, by every way into
the queue of a pool that two accounts share."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attack"))

from nasty_values import DOORS, run, values
from shared_pool import usable_python


@pytest.mark.parametrize("name", ["AccountingGroup", "RequestCpus"])
def test_others_do_not_notice_what_a_job_says(name: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("another account needs root")
    usable_python()
    told: list[str] = []
    some = random.Random(1).sample(values(name), 24)
    found = run(1, told.append, [name], DOORS, ["plain"], some, seconds=60.0)
    assert not found, "\n".join(told)
