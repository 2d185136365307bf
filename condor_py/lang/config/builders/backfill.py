"""Knobs of backfill work: BACKFILL_SYSTEM, BOINC_* and BACKFILL_COMMAND*."""

from __future__ import annotations

import re

from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.backfill import BoincSettings, CommandSettings

_OF_SLOT = re.compile(r"SLOT(\d{1,9})_BACKFILL_COMMAND\Z", re.IGNORECASE | re.ASCII)
_VANILLA = ("", "vanilla", "5")


def backfill(config: Config) -> BoincSettings | CommandSettings | None:
    """Return the settings of the system that does backfill work (ENABLE_BACKFILL, BACKFILL_SYSTEM); None without one.
    ConfigError."""
    if not config.boolean("ENABLE_BACKFILL"):
        return None
    system, knob = config.string("BACKFILL_SYSTEM"), "BACKFILL_SYSTEM"
    if system.upper() == "BOINC":
        return _boinc(config)
    if system.upper() == "COMMAND":
        return _command(config)
    words = f"{knob}: {system or 'nothing'!r} is no system that does backfill work; BOINC and COMMAND are"
    raise ConfigError(words, knob)


def _boinc(knobs: Config) -> BoincSettings:
    executable = knobs.path("BOINC_Executable")
    if not executable:
        raise ConfigError("BOINC_Executable is not set, but ENABLE_BACKFILL is", "BOINC_Executable")
    universe = knobs.string("BOINC_Universe")
    if universe.lower() not in _VANILLA:
        raise ConfigError(f"BOINC_Universe: {universe} does not run BOINC; vanilla does", "BOINC_Universe")
    return BoincSettings(
        executable=executable,
        directory=knobs.path("BOINC_InitialDir"),
        arguments=knobs.string("BOINC_Arguments"),
        environment=knobs.string("BOINC_Environment"),
        output=knobs.path("BOINC_Output"),
        error=knobs.path("BOINC_Error"),
        owner=knobs.string("BOINC_Owner"),
    )


def _command(knobs: Config) -> CommandSettings:
    command = knobs.string("BACKFILL_COMMAND")
    of_slots = tuple(sorted(_of_slots(knobs)))
    if not command and not of_slots:
        raise ConfigError("BACKFILL_COMMAND is not set, but BACKFILL_SYSTEM is COMMAND", "BACKFILL_COMMAND")
    return CommandSettings(
        command=command,
        of_slots=of_slots,
        environment=knobs.string("BACKFILL_COMMAND_ENVIRONMENT"),
        owner=knobs.string("BACKFILL_COMMAND_OWNER"),
        directory=knobs.path("BACKFILL_COMMAND_INITIALDIR"),
        output=knobs.path("BACKFILL_COMMAND_OUTPUT"),
        niceness=knobs.integer("BACKFILL_COMMAND_NICENESS"),
        wait=float(knobs.integer("BACKFILL_COMMAND_WAIT")),
        longest_wait=float(knobs.integer("BACKFILL_COMMAND_LONGEST_WAIT")),
    )


def _of_slots(knobs: Config) -> list[tuple[int, str]]:
    """Slots that have a command of their own; an empty one is none."""
    found = (_OF_SLOT.match(macro.name.rpartition(".")[2]) for macro in knobs.macros)
    return [(int(match[1]), knobs.string(match[0])) for match in found if match]
