"""Knobs of the accountant."""

from __future__ import annotations

from condor_py.lang.config.settings import Config
from condor_py.model.settings.accountant import AccountantSettings


def accountant(config: Config) -> AccountantSettings:
    """Settings of the accountant core; ConfigError names the knob."""
    groups = tuple(config.list("GROUP_NAMES"))
    factors = ((group, config.real(f"GROUP_PRIO_FACTOR_{group}", 0.0)) for group in (*groups, "<none>"))
    return AccountantSettings(
        halflife=config.real("PRIORITY_HALFLIFE"),
        default_factor=config.real("DEFAULT_PRIO_FACTOR"),
        nice_user_factor=config.real("NICE_USER_PRIO_FACTOR"),
        nice_user_group=config.string("NICE_USER_ACCOUNTING_GROUP_NAME", "nice-user"),
        remote_factor=config.real("REMOTE_PRIO_FACTOR"),
        local_domain=config.string("ACCOUNTANT_LOCAL_DOMAIN"),
        group_factors=tuple((group, factor) for group, factor in factors if factor != 0.0),
        group_names=groups,
        use_slot_weights=config.boolean("NEGOTIATOR_USE_SLOT_WEIGHTS"),
        discount_suspended=config.boolean("NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES"),
    )
