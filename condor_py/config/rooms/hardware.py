"""Knobs of the probes of the machine."""

from __future__ import annotations

from condor_py.config.settings import Config
from condor_py.model.settings.hardware import ProbeSettings


def probes(config: Config) -> ProbeSettings:
    """Settings of the probes."""
    return ProbeSettings(
        execute=config.path("EXECUTE"),
        console_devices=tuple(name.removeprefix("/dev/") for name in config.list("CONSOLE_DEVICES")),
        count_hyperthreads=config.boolean("COUNT_HYPERTHREAD_CPUS", True),
        network_interface=config.string("NETWORK_INTERFACE") or "*",
    )
