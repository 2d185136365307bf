"""Knobs of the accountant."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.settings.accountant import AccountantSettings


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
