"""Knobs of the negotiator and of the accountant."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from condor_py.lang.config.build import build, parsed_expression
from condor_py.lang.config.builders.requests import modify_request
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.negotiator import (
    AccountantSettings,
    ConcurrencySettings,
    GroupSettings,
    NegotiatorSettings,
)

_MATCH_EXPR = "NegotiatorMatchExpr"
_LIMIT_SUFFIX = "_LIMIT"
_SET_PREFIX = "CONCURRENCY_LIMIT_DEFAULT_"


def negotiator(config: Config) -> NegotiatorSettings:
    """Settings of the negotiator core; ConfigError names the knob."""
    return build(
        NegotiatorSettings,
        config,
        slot_pool_size_constraint=parsed_expression(config, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT")
        or parsed_expression(config, "GROUP_DYNAMIC_MACH_CONSTRAINT"),
        modify_request=modify_request(config, partial(parsed_expression, config)),
        slot_prefix=config.string("STARTD_RESOURCE_PREFIX", "slot"),
        match_exprs=tuple(_match_exprs(config)),
        concurrency=_concurrency(config),
        groups=tuple(_group(config, name) for name in config.list("GROUP_NAMES")),
    )


def _match_exprs(config: Config) -> Iterator[tuple[str, str]]:
    """The macros that NEGOTIATOR_MATCH_EXPRS lists, under their attribute names; undefined ones are passed over."""
    for name in config.list("NEGOTIATOR_MATCH_EXPRS"):
        text = parsed_expression(config, name)
        if text.strip():
            prefixed = name.lower().startswith(_MATCH_EXPR.lower())
            yield (name if prefixed else _MATCH_EXPR + name), text


def _group(config: Config, name: str) -> GroupSettings:
    """One group: its static quota, else its dynamic one, else none."""
    static = config.string(f"GROUP_QUOTA_{name}") != ""
    knob = f"GROUP_QUOTA_{name}" if static else f"GROUP_QUOTA_DYNAMIC_{name}"
    quota = config.real(knob, 0.0)
    if quota < 0 or (not static and quota > 1):
        bounds = "at least 0" if static else "from 0 to 1"
        raise ConfigError(f"{knob}: {config.string(knob)!r} is not valid, it must be a number {bounds}", knob)
    return GroupSettings(
        name=name,
        quota=quota,
        dynamic=not static,
        accept_surplus=config.boolean(f"GROUP_ACCEPT_SURPLUS_{name}", config.boolean("GROUP_ACCEPT_SURPLUS")),
        autoregroup=config.boolean(f"GROUP_AUTOREGROUP_{name}", config.boolean("GROUP_AUTOREGROUP")),
    )


def _concurrency(config: Config) -> ConcurrencySettings:
    """``<NAME>_LIMIT`` and ``CONCURRENCY_LIMIT_DEFAULT[_<SET>]``. What ends so and holds no number is passed over."""
    limits, sets = [], []
    for name in _as_looked_up(config):
        upper = name.upper()
        if upper.startswith(_SET_PREFIX):
            sets.append((name[len(_SET_PREFIX) :].lower(), config.real(name)))
        elif upper.endswith(_LIMIT_SUFFIX) and _is_number(config, name):
            limits.append((name[: -len(_LIMIT_SUFFIX)].lower(), config.real(name)))
    return ConcurrencySettings(tuple(limits), tuple(sets), config.real("CONCURRENCY_LIMIT_DEFAULT"))


def _as_looked_up(config: Config) -> Iterator[str]:
    """The names of all knobs, those with a prefix of this daemon (NEGOTIATOR.SW_LIMIT) also without it."""
    prefixes = [f"{prefix.lower()}." for prefix in config.prefixes]
    for name in config.names():
        yield name
        key = name.lower()
        for prefix in prefixes:
            if key.startswith(prefix):
                yield name[len(prefix) :]


def _is_number(config: Config, name: str) -> bool:
    if not config.string(name):
        return False
    try:
        config.real(name)
    except ConfigError:
        return False
    return True


def accountant(config: Config) -> AccountantSettings:
    """Settings of the accountant core; ConfigError names the knob."""
    groups = tuple(config.list("GROUP_NAMES"))
    factors = ((group, config.real(f"GROUP_PRIO_FACTOR_{group}", 0.0)) for group in (*groups, "<none>"))
    return build(
        AccountantSettings,
        config,
        group_factors=tuple((group, factor) for group, factor in factors if factor != 0.0),
        group_names=groups,
    )
