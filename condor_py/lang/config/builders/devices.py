"""ENVIRONMENT_FOR_Assigned<name> and ENVIRONMENT_VALUE_FOR_UnAssigned<name>: how jobs are told their devices."""

from __future__ import annotations

import re

from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import DeviceVariables

_KNOB = re.compile(r"ENVIRONMENT_FOR_Assigned(\w+)\Z", re.IGNORECASE)
#: ``NAME`` or ``NAME=/pattern/replacement/``, with any punctuation for the slashes.
_VARIABLE = re.compile(r"\s*([A-Za-z_]\w*)(?:=([^\w\s])(.*?)\2(.*?)\2)?(?=\s|\Z)")


def device_variables(config: Config) -> tuple[DeviceVariables, ...]:
    """The variables of every resource that has some. ConfigError names the knob."""
    found = []
    for name in config.names():
        match = _KNOB.match(name)
        if match is None:
            continue
        text = config.string(name)
        value = config.string(f"ENVIRONMENT_VALUE_FOR_UnAssigned{match[1]}")
        found.append(DeviceVariables(match[1], _variables(name, text), value))
    return tuple(found)


def _variables(knob: str, text: str) -> tuple[tuple[str, str, str], ...]:
    found = []
    at = 0
    while text[at:].strip():
        match = _VARIABLE.match(text, at)
        if match is None:
            raise ConfigError(f"{knob}: {text[at:].strip()!r} is not NAME or NAME=/pattern/replacement/", knob)
        pattern = match[3] or ""
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"{knob}: {pattern!r} is no pattern: {error}", knob) from None
        # HTCondor writes groups of the pattern as $1 or \\1.
        replacement = re.sub(r"\$(\d)", r"\\\1", match[4] or "")
        found.append((match[1], pattern, replacement))
        at = match.end()
    return tuple(found)
