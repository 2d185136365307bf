"""Knobs of a daemon's statistics."""

from __future__ import annotations

import re
from dataclasses import replace

from condor_py.config.settings import Config
from condor_py.model.settings.statistics import StatisticsSettings

_EVERYBODY = ("default", "all")


def schedd_statistics(config: Config) -> StatisticsSettings:
    """Of the schedd; ConfigError names the knob."""
    own = "STATISTICS_WINDOW_QUANTUM_SCHEDD"
    quantum = max(1, config.integer(own if config.string(own).strip() else "STATISTICS_WINDOW_QUANTUM"))
    window = max(quantum, config.integer("STATISTICS_WINDOW_SECONDS"))
    wanted = config.string("STATISTICS_TO_PUBLISH") or "DEFAULT"
    return published(wanted, ("SCHEDD", "SCHEDULER"), StatisticsSettings(window, quantum))


def published(text: str, names: tuple[str, ...], usual: StatisticsSettings) -> StatisticsSettings:
    """What the value of STATISTICS_TO_PUBLISH makes of ``usual`` for the daemon that is called one of ``names``:
    items ``DAEMON:options``, of which the last that is about it counts. Unknown options change nothing."""
    if text.strip().lower() == "default":
        return usual
    mine = {*_EVERYBODY, *(name.lower() for name in names)}
    found = replace(usual, level=0)  # a list that does not name this daemon has none of it
    for item in re.split(r"[,\s]+", text):
        name, _, options = item.partition(":")
        if name.lower() in mine:
            found = replace(usual, level=0) if options.lower() == "none" else _with(usual, options)
    return found


def _with(settings: StatisticsSettings, options: str) -> StatisticsSettings:
    without = False  # an exclamation mark is about all that follows it
    for letter in options.lower():
        if letter == "!":
            without = True
        elif letter in "0123":
            settings = replace(settings, level=int(letter))
        elif letter == "r":
            settings = replace(settings, recent=not without)
        elif letter == "z":
            settings = replace(settings, nonzero=not without)
    return settings
