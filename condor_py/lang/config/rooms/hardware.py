"""Knobs of the probes of the machine."""

from __future__ import annotations

import re

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.settings.hardware import ProbeSettings

_SLOT_EXECUTE = re.compile(r"SLOT(\d+)_EXECUTE\Z", re.IGNORECASE)


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
