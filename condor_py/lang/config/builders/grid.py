"""Knobs of the gridmanager."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.grid import GridSettings, Limits
from condor_py.model.texts import as_integer

T = TypeVar("T")

_TYPES = ("batch", "condor", "arc")


def grid(config: Config) -> GridSettings:
    """Settings of its core. ConfigError names the knob."""
    return build(
        GridSettings,
        config,
        pool=config.string("COLLECTOR_HOST") or "NoPool",
        max_submitted=_by_type(config, "GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE", _limits),
        probe_interval=_by_type(config, "GRIDMANAGER_JOB_PROBE_INTERVAL", _seconds),
    )


def _by_type(config: Config, knob: str, read: Callable[[Config, str], T]) -> dict[str, T]:
    """A knob, and those of types that have one of their own (``KNOB_BATCH``)."""
    found = {"": read(config, knob)}
    for kind in _TYPES:
        own = f"{knob}_{kind.upper()}"
        if config.string(own):
            found[kind] = read(config, own)
    return found


def _seconds(config: Config, knob: str) -> int:
    return max(1, config.integer(knob, 60))


def _limits(config: Config, knob: str) -> Limits:
    """A number, and after it pairs of a text in the name of a resource and its number."""
    words = re.split(r"[\s,]+", config.string(knob).strip())
    numbers = [words[0] or "1000", *words[2::2]]
    if not all(number.isdecimal() for number in numbers) or (len(words) % 2 == 0):
        raise ConfigError(f"{knob}: {' '.join(words)!r} is not a number, or a number and pairs of TEXT, NUMBER", knob)
    default, *others = (as_integer(number) or 1000 for number in numbers)
    return Limits(default, tuple(zip(words[1::2], others, strict=True)))
