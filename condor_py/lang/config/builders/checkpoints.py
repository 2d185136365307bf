"""Knobs of the clean-up of checkpoints at destinations."""

from __future__ import annotations

from condor_py.lang.config.build import build
from condor_py.lang.config.builders.ids import condor_ids
from condor_py.lang.config.settings import Config
from condor_py.model.settings.checkpoints import CheckpointSettings


def checkpoints(config: Config) -> CheckpointSettings:
    """Settings of the clean-up; ConfigError names the knob."""
    return build(
        CheckpointSettings,
        config,
        pool_ids=condor_ids(config, config.environ),
    )
