"""Knobs of power: of the startd that puts its machine to sleep, and of condor_rooster."""

from __future__ import annotations

from condor_py.lang.config.rooms.expressions import parsed_expression
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.power import UNHIBERNATE, PowerSettings, RoosterSettings

_METHODS = ("", "pm-utils", "systemd", "/sys", "/proc")


def power(config: Config) -> PowerSettings:
    """How this machine sleeps; ConfigError names the knob."""
    method = config.string("LINUX_HIBERNATION_METHOD")
    if method.lower() not in _METHODS:
        known = ", ".join(_METHODS[1:])
        raise ConfigError(f"LINUX_HIBERNATION_METHOD: {method!r} is not one of {known}", "LINUX_HIBERNATION_METHOD")
    return PowerSettings(
        interval=max(0, config.integer("HIBERNATE_CHECK_INTERVAL", 0)),
        override_wol=config.boolean("HIBERNATION_OVERRIDE_WOL", False),
        awake=config.integer("HIBERNATION_MINIMUM_UPTIME"),
        unhibernate=parsed_expression(config, "UNHIBERNATE") or UNHIBERNATE,
        plugin=config.path("HIBERNATION_PLUGIN"),
        plugin_args=tuple(config.string("HIBERNATION_PLUGIN_ARGS").split()),
        method=method,
        sys=config.path("HIBERNATION_SYS_DIRECTORY"),
        wake_early=config.integer("HIBERNATION_WAKE_EARLY"),
    )


def rooster(config: Config) -> RoosterSettings:
    """What condor_rooster wakes, and how; ConfigError names the knob."""
    command = config.string("ROOSTER_WAKEUP_CMD")
    if not command.strip('" '):
        raise ConfigError("ROOSTER_WAKEUP_CMD is empty", "ROOSTER_WAKEUP_CMD")
    return RoosterSettings(
        interval=config.integer("ROOSTER_INTERVAL"),
        unhibernate=parsed_expression(config, "ROOSTER_UNHIBERNATE") or "Offline && Unhibernate",
        rank=parsed_expression(config, "ROOSTER_UNHIBERNATE_RANK"),
        command=command,
        most=config.integer("ROOSTER_MAX_UNHIBERNATE"),
    )
