"""Knobs of the clean-up of checkpoints at destinations."""

from __future__ import annotations

from condor_py.lang.config.rooms.ids import condor_ids
from condor_py.lang.config.settings import Config
from condor_py.model.settings.checkpoints import CheckpointSettings


def checkpoints(config: Config) -> CheckpointSettings:
    """Settings of the clean-up; ConfigError names the knob."""
    return CheckpointSettings(
        mapfile=config.path("CHECKPOINT_DESTINATION_MAPFILE"),
        libexec=config.path("LIBEXEC"),
        file_timeout=config.integer("CHECKPOINT_CLEANUP_TIMEOUT", 20),
        job_timeout=config.integer("SCHEDD_CHECKPOINT_CLEANUP_TIMEOUT", 300),
        extra=max(0, config.integer("DEFAULT_NUM_EXTRA_CHECKPOINTS", 1)),
        most=max(1, config.integer("MAX_CHECKPOINT_CLEANUP_PROCS", 100)),
        preen_timeout=config.integer("PREEN_CHECKPOINT_CLEANUP_TIMEOUT", 300),
        as_owner=config.boolean("RUN_CLEANUP_PLUGINS_AS_OWNER"),
        pool_ids=condor_ids(config, config.environ),
    )
