"""Knobs of what is remembered of machines that went away."""

from __future__ import annotations

from condor_py.lang.config.settings import Config
from condor_py.model.settings.remembered import RememberedSettings


def remembered(config: Config) -> RememberedSettings:
    """Settings of absent and offline machines; ConfigError names the knob."""
    return RememberedSettings(
        log=config.path("COLLECTOR_PERSISTENT_AD_LOG"),
        absent=config.string("ABSENT_REQUIREMENTS"),
        absent_seconds=config.integer("ABSENT_EXPIRE_ADS_AFTER"),
        keeps_invalidated=config.boolean("EXPIRE_INVALIDATED_ADS"),
        offline_seconds=config.integer("OFFLINE_EXPIRE_ADS_AFTER", 0),
    )
