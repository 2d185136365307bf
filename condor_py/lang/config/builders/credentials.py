"""Knobs of tokens that condor_credd signs itself."""

from __future__ import annotations

from typing import Any

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.settings.credentials import LocalTokenSettings
from condor_py.model.settings.knob import Knob

_FAMILY = "LOCAL_CREDMON_"
#: The service that is local where nothing names any.
_USUAL = "scitokens"


def local_services(config: Config) -> tuple[str, ...]:
    """Return the services whose tokens are signed here."""
    for knob in ("LOCAL_CREDMON_PROVIDER_NAMES", "LOCAL_CREDMON_PROVIDER_NAME"):
        if names := config.list(knob):
            return tuple(names)
    return (_USUAL,)


def added_services(config: Config) -> tuple[str, ...]:
    """Return the services whose tokens each submit has made; without a knob that names them none."""
    if not config.boolean("SUBMIT_ADD_LOCAL_CREDMON_PROVIDERS"):
        return ()
    knobs = ("SUBMIT_ADD_LOCAL_CREDMON_PROVIDER_NAMES", "LOCAL_CREDMON_PROVIDER_NAMES", "LOCAL_CREDMON_PROVIDER_NAME")
    return next((tuple(names) for knob in knobs if (names := config.list(knob))), ())


def local_tokens(config: Config, service: str) -> LocalTokenSettings:
    """Settings of the tokens of one service; ConfigError names the knob."""
    own: dict[str, Any] = {}
    for field, knob in LocalTokenSettings.declared.items():
        if isinstance(knob, Knob):
            name = f"{_FAMILY}{service}_{knob.name.removeprefix(_FAMILY)}"
            if config.raw(name) is not None:
                own[field] = _READ[knob.form](config, name)
    return build(LocalTokenSettings, config, **own)


def all_local_tokens(config: Config) -> dict[str, LocalTokenSettings]:
    """Settings of the tokens of each service whose tokens are signed here."""
    return {service: local_tokens(config, service) for service in local_services(config)}


_READ: dict[str, Any] = {
    "integer": lambda config, name: config.integer(name, 0),
    "boolean": lambda config, name: config.boolean(name, False),
    "path": lambda config, name: config.path(name),
    "string": lambda config, name: config.string(name),
    "expression": lambda config, name: config.string(name),
}
