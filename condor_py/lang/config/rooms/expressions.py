"""Knobs that hold ClassAd expressions."""

from __future__ import annotations

from condor_py.lang.classad import ClassAdParseError, parse
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError


def parsed_expression(config: Config, name: str, default: str = "") -> str:
    """The text of an expression that parses, ``default`` when it is not defined. ConfigError names knob and place."""
    text = config.expression(name, default)
    try:
        if text.strip():
            parse(text)
    except ClassAdParseError as error:
        origin = config.source(name)
        where = f' ("{origin.source}", line {origin.line})' if origin is not None and origin.line else ""
        raise ConfigError(f"{name}{where}: {text!r} is not a ClassAd expression: {error}", name) from error
    return text.strip()
