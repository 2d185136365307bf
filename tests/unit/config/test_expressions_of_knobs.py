"""Knobs that hold expressions: one that does not parse is told with its knob, so that only this one is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.daemon import daemon
from condor_py.lang.config.builders.defrag import defrag
from condor_py.lang.config.builders.machine import power, rooster
from condor_py.lang.config.builders.negotiator import negotiator
from condor_py.lang.config.builders.router import job_router
from condor_py.model.errors import ConfigError


@pytest.mark.parametrize(
    ("knob", "room"),
    [
        ("DAEMON_SHUTDOWN", lambda config: daemon(config, "SCHEDD")),
        ("DEFRAG_RANK", lambda config: defrag(config, "vm")),
        ("PREEMPTION_RANK", negotiator),
        ("UNHIBERNATE", power),
        ("ROOSTER_UNHIBERNATE", rooster),
        ("JOB_ROUTER_SOURCE_JOB_CONSTRAINT", job_router),
    ],
)
def test_an_expression_that_does_not_parse_is_told_with_its_knob(knob: str, room: Callable[[Config], object]) -> None:
    room(load({"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{knob}": " 1 + Cpus "}))
    with pytest.raises(ConfigError, match="is not a ClassAd expression") as error:
        room(load({"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{knob}": "1 +"}))
    assert error.value.knob == knob
    assert "\n" not in str(error.value)
