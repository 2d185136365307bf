"""Knobs that go by an older name as well."""

from __future__ import annotations

import pytest

from condor_py.lang.config import load
from condor_py.lang.config.builders.history import userlog


@pytest.mark.parametrize(
    ("knobs", "size"),
    [
        ({}, 1_000_000),
        ({"MAX_EVENT_LOG": "5000"}, 5000),
        ({"EVENT_LOG_MAX_SIZE": "7000"}, 7000),
        ({"MAX_EVENT_LOG": "5000", "EVENT_LOG_MAX_SIZE": "7000"}, 7000),
    ],
)
def test_the_event_log_has_two_names_for_its_size(knobs: dict[str, str], size: int) -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})
    assert userlog(config).event_log.max_size == size
