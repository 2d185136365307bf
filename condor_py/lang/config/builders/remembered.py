"""Knobs of what is remembered of machines that went away."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.settings.remembered import RememberedSettings


def remembered(config: Config) -> RememberedSettings:
    """Settings of absent and offline machines; ConfigError names the knob."""
    return build(RememberedSettings, config)
