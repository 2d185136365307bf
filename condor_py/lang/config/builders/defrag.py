"""Knobs of condor_defrag."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.defrag import DefragSettings

_SCHEDULES = ("graceful", "quick", "fast")


def defrag(config: Config, host: str) -> DefragSettings:
    """Settings of condor_defrag on this machine; ConfigError names the knob."""
    schedule = (config.string("DEFRAG_DRAINING_SCHEDULE") or "graceful").lower()
    if schedule not in _SCHEDULES:
        raise ConfigError(
            f"DEFRAG_DRAINING_SCHEDULE: {schedule!r} is not one of {', '.join(_SCHEDULES)}", "DEFRAG_DRAINING_SCHEDULE"
        )
    name = config.string("DEFRAG_NAME") or "DEFRAG"
    return build(
        DefragSettings,
        config,
        name=name if "@" in name else f"{name}@{host}",
        schedule=schedule,
    )
