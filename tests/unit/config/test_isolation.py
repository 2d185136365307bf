"""Settings that promise an isolation which does not exist here are told loudly, and others are not."""

from __future__ import annotations

import pytest

from condor_py.config import Config, load
from condor_py.config.lint import lint
from condor_py.config.rooms.isolation import missing_isolation
from condor_py.config.rooms.startd import startd


def configured(**knobs: str) -> Config:
    return load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("SINGULARITY_JOB", "TARGET.WantsSif"),
        ("USE_PID_NAMESPACES", "true"),
        ("ENCRYPT_EXECUTE_DIRECTORY", "True"),
        ("STARTD_ENFORCE_DISK_LIMITS", "1"),
        ("USE_GID_PROCESS_TRACKING", "yes"),
        ("MIN_TRACKING_GID", "750"),
        ("HIBERNATE", '"S3"'),
        ("DOCKER_VOLUMES", "SCRATCH"),
    ],
)
def test_what_is_asked_for_and_not_there_is_told(knob: str, value: str) -> None:
    config = configured(**{knob: value})
    assert missing_isolation(config) == (knob,)
    assert startd(config).missing_isolation == (knob,)
    told = [(found.severity, found.message) for found in lint(config) if found.knob == knob]
    assert any(severity == "warning" and "what it asks for does not exist here" in text for severity, text in told)


@pytest.mark.parametrize(
    ("knob", "value"), [("USE_PID_NAMESPACES", "false"), ("SINGULARITY_JOB", ""), ("HIBERNATE", "NONE")]
)
def test_what_is_switched_off_is_not(knob: str, value: str) -> None:
    config = configured(**{knob: value})
    assert missing_isolation(config) == ()
    assert not [finding for finding in lint(config) if finding.severity == "warning"]
