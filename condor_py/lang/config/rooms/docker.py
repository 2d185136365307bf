"""Knobs of containers of docker's."""

from __future__ import annotations

import os

from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.settings.containers import DockerSettings, DockerTest, Volume

#: What containers have in the scratch directory of their job as long as MOUNT_UNDER_SCRATCH is not set.
_SCRATCH = '"/tmp,/var/tmp"'


def docker(config: Config) -> DockerSettings:
    """DOCKER and what belongs to it; ConfigError names the knob."""
    return DockerSettings(
        command=config.path("DOCKER"),
        extra_arguments=config.string("DOCKER_EXTRA_ARGUMENTS"),
        drop_capabilities=config.expression("DOCKER_DROP_ALL_CAPABILITIES"),
        under_init=config.boolean("DOCKER_RUN_UNDER_INIT"),
        keeps_no_log=config.boolean("DOCKER_LOG_DRIVER_NONE"),
        networks=tuple(config.list("DOCKER_NETWORKS")),
        shm_size=config.expression("DOCKER_SHM_SIZE"),
        mount_under_scratch=scratch_places(config),
        volumes=tuple(_volume(config, name) for name in config.list("DOCKER_MOUNT_VOLUMES")),
        image_cache_size=config.integer("DOCKER_IMAGE_CACHE_SIZE"),
        trusts_local_images=config.boolean("DOCKER_TRUST_LOCAL_IMAGES"),
        checks_architecture=not config.boolean("DOCKER_SKIP_IMAGE_ARCH_CHECK"),
        maps_all_gpus=config.boolean("DOCKER_MAP_ALL_GPUS"),
        networkless=config.boolean("NO_JOB_NETWORKING"),
        credentials_program=_credentials_program(config),
    )


def _credentials_program(config: Config) -> str:
    """What the default names need not be there."""
    given = config.path("DOCKER_PAT_PRODUCER")
    return given if config.source("DOCKER_PAT_PRODUCER") != DEFAULT or os.path.exists(given) else ""


def scratch_places(config: Config) -> str:
    """MOUNT_UNDER_SCRATCH as containers have it."""
    is_set = config.source("MOUNT_UNDER_SCRATCH") not in (None, DEFAULT)
    return config.expression("MOUNT_UNDER_SCRATCH") if is_set else _SCRATCH


def _volume(config: Config, name: str) -> Volume:
    knob = f"DOCKER_VOLUME_DIR_{name}"
    return Volume(name, config.string(knob), config.expression(f"{knob}_MOUNT_IF"))


def docker_test(config: Config) -> DockerTest:
    """How the startd tries the engine."""
    image = config.path("DOCKER_TEST_IMAGE_PATH")
    return DockerTest(
        wanted=config.boolean("DOCKER_PERFORM_TEST"),
        image=image if os.path.exists(image) else "",
        name=config.string("DOCKER_TEST_IMAGE_NAME"),
        look_interval=config.integer("DOCKER_CACHE_ADVERTISE_INTERVAL"),
    )


def volume_names(config: Config) -> tuple[str, ...]:
    """DOCKER_VOLUMES: what the machine tells that containers may have."""
    return tuple(config.list("DOCKER_VOLUMES"))
