"""Knobs of the machine: what is probed, how it sleeps, and condor_rooster, which wakes sleeping machines."""

from __future__ import annotations

import re

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.power import PowerSettings, ProbeSettings, RoosterSettings

_METHODS = ("", "pm-utils", "systemd", "/sys", "/proc")


def power(config: Config) -> PowerSettings:
    """Return the settings with which this machine sleeps; ConfigError names the knob."""
    method = config.string("LINUX_HIBERNATION_METHOD")
    if method.lower() not in _METHODS:
        known = ", ".join(_METHODS[1:])
        raise ConfigError(f"LINUX_HIBERNATION_METHOD: {method!r} is not one of {known}", "LINUX_HIBERNATION_METHOD")
    return build(
        PowerSettings,
        config,
        plugin_args=tuple(config.string("HIBERNATION_PLUGIN_ARGS").split()),
        method=method,
    )


def rooster(config: Config) -> RoosterSettings:
    """Return the machines that condor_rooster wakes, and the command for it; ConfigError names the knob."""
    command = config.string("ROOSTER_WAKEUP_CMD")
    if not command.strip('" '):
        raise ConfigError("ROOSTER_WAKEUP_CMD is empty", "ROOSTER_WAKEUP_CMD")
    return build(
        RoosterSettings,
        config,
        command=command,
    )


_SLOT_EXECUTE = re.compile(r"SLOT(\d{1,9})_EXECUTE\Z", re.IGNORECASE | re.ASCII)


def probes(config: Config) -> ProbeSettings:
    """Settings of the probes."""
    return build(
        ProbeSettings,
        config,
        host=config.string("FULL_HOSTNAME"),
        console_devices=tuple(name.removeprefix("/dev/") for name in config.list("CONSOLE_DEVICES")),
        slot_executes=_slot_executes(config),
    )


def _slot_executes(config: Config) -> tuple[tuple[int, str], ...]:
    found = []
    for macro in config.macros:
        match = _SLOT_EXECUTE.match(macro.name.rpartition(".")[2])
        if match and config.path(match[0]):
            found.append((int(match[1]), config.path(match[0])))
    return tuple(sorted(dict(found).items()))
