"""Knobs of the gridmanager, which may be set for one type of resource alone."""

from __future__ import annotations

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.grid import grid
from condor_py.lang.config.lint import lint
from condor_py.model.errors import ConfigError

MOST = "GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE"
INTERVAL = "GRIDMANAGER_JOB_PROBE_INTERVAL"


def configured(**knobs: str) -> Config:
    return load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})


def test_a_type_may_have_a_value_of_its_own() -> None:
    config = configured(**{MOST: "20, slurm, 7", f"{MOST}_CONDOR": "3", INTERVAL: "90", f"{INTERVAL}_BATCH": "30"})
    settings = grid(config)
    assert [settings.submitted_limit("batch", name) for name in ("batch slurm", "batch sge")] == [7, 20]
    assert settings.submitted_limit("condor", "condor slurm there") == 3
    assert (settings.look_interval("batch"), settings.look_interval("condor")) == (30, 90)
    assert not [finding for finding in lint(config) if finding.knob.startswith("GRIDMANAGER")]


def test_looks_are_a_second_apart_at_least() -> None:
    assert grid(configured(**{f"{INTERVAL}_BATCH": "0"})).look_interval("batch") == 1
    with pytest.raises(ConfigError, match=INTERVAL):
        grid(configured(**{INTERVAL: "0"}))


@pytest.mark.parametrize("text", ["some", "-1", "²", "5, slurm", "5, slurm, many"])
def test_what_is_no_number_of_jobs_is_told(text: str) -> None:
    with pytest.raises(ConfigError) as error:
        grid(configured(**{MOST: text}))
    assert error.value.knob == MOST
