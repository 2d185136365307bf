"""Knobs of containers."""

from __future__ import annotations

from condor_py.config.settings import Config
from condor_py.model.settings.starter import DockerSettings


def docker(config: Config) -> DockerSettings:
    """DOCKER and what belongs to it; ConfigError names the knob."""
    return DockerSettings(
        command=config.path("DOCKER"),
        extra_arguments=config.string("DOCKER_EXTRA_ARGUMENTS"),
        drop_capabilities=config.expression("DOCKER_DROP_ALL_CAPABILITIES"),
        under_init=config.boolean("DOCKER_RUN_UNDER_INIT"),
        keeps_no_log=config.boolean("DOCKER_LOG_DRIVER_NONE"),
        networks=tuple(config.list("DOCKER_NETWORKS")),
        shm_size=config.integer("DOCKER_SHM_SIZE"),
    )
