"""Settings made from a configuration: each field that names a knob has the value of its knob."""

from __future__ import annotations

from condor_py.lang.classad import ClassAdParseError, parse
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.knob import Knob, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from condor_py.lang.config.settings import Config

    Made = TypeVar("Made", bound=Settings)


def build(settings: type[Made], config: Config, **others: Any) -> Made:
    """Return settings of this class. ``others`` are the fields that take more than the value of one knob.

    ConfigError names the knob that does not hold what it should."""
    for field, knob in settings.declared.items():
        if isinstance(knob, Knob) and field not in others:
            others[field] = read(config, knob)
    return settings(**others)


def read(config: Config, knob: Knob) -> object:
    """Return the value of a knob; ConfigError where its text is not what it should be."""
    return _READERS[knob.form](config, knob)


def _integer(config: Config, knob: Knob) -> int:
    value = config.integer(knob.name, knob.value // knob.factor)
    if knob.at_least is not None:
        value = max(value, int(knob.at_least))
    if knob.at_most is not None:
        value = min(value, int(knob.at_most))
    return value * knob.factor


def _parsed(config: Config, knob: Knob) -> str:

    return parsed_expression(config, knob.name, knob.empty)


_READERS: dict[str, Callable[[Config, Knob], object]] = {
    "integer": _integer,
    "real": lambda config, knob: config.real(knob.name, knob.value),
    "boolean": lambda config, knob: config.boolean(knob.name, knob.value),
    "string": lambda config, knob: config.string(knob.name, knob.empty),
    "path": lambda config, knob: config.path(knob.name, knob.empty),
    "expression": lambda config, knob: config.expression(knob.name, knob.empty),
    "list": lambda config, knob: tuple(config.list(knob.name)),
    "parsed": _parsed,
}


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
