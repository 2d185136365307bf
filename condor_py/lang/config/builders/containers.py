"""Knobs of containers: docker and podman, singularity and apptainer, and jobs that are put into one unasked."""

from __future__ import annotations

import os

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.settings.containers import (
    DefaultContainer,
    DockerSettings,
    DockerTest,
    SingularitySettings,
    Volume,
)

#: What containers have in the scratch directory of their job as long as MOUNT_UNDER_SCRATCH is not set.
_SCRATCH = '"/tmp,/var/tmp"'


def docker(config: Config) -> DockerSettings:
    """DOCKER and what belongs to it; ConfigError names the knob."""
    return build(
        DockerSettings,
        config,
        command=config.path("DOCKER"),
        mount_under_scratch=scratch_places(config),
        volumes=tuple(_volume(config, name) for name in config.list("DOCKER_MOUNT_VOLUMES")),
        **_logs(config),
        checks_architecture=not config.boolean("DOCKER_SKIP_IMAGE_ARCH_CHECK"),
        credentials_program=_credentials_program(config),
    )


_TRUTH = {"true": True, "yes": True, "t": True, "1": True, "false": False, "no": False, "f": False, "0": False}


def _logs(config: Config) -> dict[str, bool | str]:
    """Return how logs of containers are kept. DOCKER_LOG_DRIVER_NAME is a driver, or a truth value as that of
    DOCKER_LOG_DRIVER_NONE, which counts first."""
    given = config.string("DOCKER_LOG_DRIVER_NAME").strip()
    truth = _TRUTH.get(given.lower())
    driver = given if truth is None else ""
    none = config.boolean("DOCKER_LOG_DRIVER_NONE")
    if given and config.source("DOCKER_LOG_DRIVER_NONE") in (None, DEFAULT):
        none = truth is True or driver == "none"
    return {"keeps_no_log": none, "log_driver": driver}


def _credentials_program(config: Config) -> str:
    """Return the path of DOCKER_PAT_PRODUCER; "" where the program that the default names does not exist."""
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
    """Return the settings with which the startd tests the engine."""
    image = config.path("DOCKER_TEST_IMAGE_PATH")
    return build(
        DockerTest,
        config,
        image=image if os.path.exists(image) else "",
    )


def volume_names(config: Config) -> tuple[str, ...]:
    """DOCKER_VOLUMES: what the machine tells that containers may have."""
    return tuple(config.list("DOCKER_VOLUMES"))


#: Where the program is looked for as long as SINGULARITY is not set.
_USUAL = ("/usr/bin/apptainer", "/usr/bin/singularity", "/usr/local/bin/apptainer", "/usr/local/bin/singularity")


def singularity(config: Config) -> SingularitySettings:
    """ConfigError names the knob."""
    sandbox, sif = config.path("SINGULARITY_TEST_SANDBOX"), f"{config.path('LIBEXEC')}/exit_37.sif"
    return build(
        SingularitySettings,
        config,
        command=_command(config),
        pid_namespaces=_TRUTH.get(config.string("SINGULARITY_USE_PID_NAMESPACES").strip().lower()),
        mount_under_scratch=scratch_places(config),
        test_sandbox=sandbox if os.path.isdir(sandbox) else "",
        test_sif=sif if os.path.isfile(sif) else "",
    )


def _command(config: Config) -> str:
    """The program; what the default names need not be there."""
    given = config.path("SINGULARITY")
    if config.source("SINGULARITY") != DEFAULT or os.path.exists(given):
        return given
    return next((path for path in _USUAL if os.path.exists(path)), given)


def default_container(config: Config) -> DefaultContainer:
    """Return the settings that choose jobs to run in a container although they do not ask for one."""
    return DefaultContainer(config.expression("USE_DEFAULT_CONTAINER"), config.expression("DEFAULT_CONTAINER_IMAGE"))
