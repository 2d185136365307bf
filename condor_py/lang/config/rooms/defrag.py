"""Knobs of condor_defrag."""

from __future__ import annotations

from condor_py.lang.config.rooms.expressions import parsed_expression
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
    return DefragSettings(
        name=name if "@" in name else f"{name}@{host}",
        interval=config.integer("DEFRAG_INTERVAL"),
        machines_per_hour=config.real("DEFRAG_DRAINING_MACHINES_PER_HOUR"),
        max_concurrent=config.integer("DEFRAG_MAX_CONCURRENT_DRAINING"),
        max_whole=config.integer("DEFRAG_MAX_WHOLE_MACHINES"),
        requirements=parsed_expression(config, "DEFRAG_REQUIREMENTS"),
        rank=parsed_expression(config, "DEFRAG_RANK") or "0",
        whole_machine=parsed_expression(config, "DEFRAG_WHOLE_MACHINE_EXPR") or "Cpus == TotalSlotCpus",
        cancel_requirements=parsed_expression(config, "DEFRAG_CANCEL_REQUIREMENTS"),
        draining_start=parsed_expression(config, "DEFRAG_DRAINING_START_EXPR") or "FALSE",
        schedule=schedule,
        update_interval=config.integer("DEFRAG_UPDATE_INTERVAL"),
    )
