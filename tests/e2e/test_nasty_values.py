"""A few rounds of tests/attack/nasty_values.py: attributes of jobs with values that nobody expects, by every way into
the queue of a pool that two accounts share."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attack"))

from nasty_values import DOORS, Campaign, values
from shared_pool import usable_python


def test_others_do_not_notice_what_a_job_says() -> None:
    if os.geteuid() != 0:
        pytest.skip("another account needs root")
    usable_python()
    told: list[str] = []
    campaign = Campaign(60.0, told.append)
    try:
        for name in ("AccountingGroup", "RequestCpus"):
            some = random.Random(1).sample(values(name), 24)
            for door in DOORS:
                campaign.round("plain", door, name, some)
    finally:
        campaign.end()
    assert not campaign.found, "\n".join(told)
