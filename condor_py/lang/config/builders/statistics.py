"""Knobs of a daemon's statistics."""

from __future__ import annotations

import re
from dataclasses import replace

from condor_py.lang.config.settings import Config
from condor_py.model.settings.statistics import StatisticsSettings

_EVERYBODY = ("default", "all")
_SCHEDD = ("SCHEDULER", "SCHEDD")
#: The first of them that has a value counts.
_QUANTUM = ("STATISTICS_WINDOW_QUANTUM_SCHEDULER", "STATISTICS_WINDOW_QUANTUM_SCHEDD", "STATISTICS_WINDOW_QUANTUM")
_WINDOW = ("STATISTICS_WINDOW_SECONDS_SCHEDULER", "STATISTICS_WINDOW_SECONDS_SCHEDD", "STATISTICS_WINDOW_SECONDS")


def schedd_statistics(config: Config) -> StatisticsSettings:
    """Of the schedd; ConfigError names the knob."""
    quantum = max(1, _first(config, _QUANTUM))
    window = max(quantum, _first(config, _WINDOW))
    wanted = config.string("STATISTICS_TO_PUBLISH") or "DEFAULT"
    named = frozenset(name.lower() for name in config.list("STATISTICS_TO_PUBLISH_LIST"))
    return published(wanted, _SCHEDD, StatisticsSettings(window, quantum, named=named))


def _first(config: Config, names: tuple[str, ...]) -> int:
    *own, usual = names
    return config.integer(next((name for name in own if config.string(name).strip()), usual))


def published(text: str, names: tuple[str, ...], usual: StatisticsSettings) -> StatisticsSettings:
    """What the value of STATISTICS_TO_PUBLISH makes of ``usual`` for the daemon that is called one of ``names``:
    items ``DAEMON:options``, of which the last that is about it counts. Unknown options change nothing."""
    if text.strip().lower() == "default":
        return usual
    nothing = replace(usual, level=0, recent=False)
    mine = {*_EVERYBODY, *(name.lower() for name in names)}
    found = nothing  # a list that does not name this daemon has none of it
    for item in re.split(r"[,\s]+", text):
        name, _, options = item.partition(":")
        if name.lower() in mine:
            found = nothing if options.lower() == "none" else _with(usual, options)
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
