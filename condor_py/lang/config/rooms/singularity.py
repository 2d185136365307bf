"""Knobs of containers of singularity's, which is apptainer today, and of jobs that are put into one unasked."""

from __future__ import annotations

import os

from condor_py.lang.config.build import build
from condor_py.lang.config.rooms.docker import scratch_places
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.model.settings.containers import DefaultContainer, SingularitySettings

#: Where the program is looked for as long as SINGULARITY is not set.
_USUAL = ("/usr/bin/apptainer", "/usr/bin/singularity", "/usr/local/bin/apptainer", "/usr/local/bin/singularity")
_NAMESPACES = {"true": True, "yes": True, "t": True, "1": True, "false": False, "no": False, "f": False, "0": False}


def singularity(config: Config) -> SingularitySettings:
    """ConfigError names the knob."""
    sandbox, sif = config.path("SINGULARITY_TEST_SANDBOX"), f"{config.path('LIBEXEC')}/exit_37.sif"
    return build(
        SingularitySettings,
        config,
        command=_command(config),
        pid_namespaces=_NAMESPACES.get(config.string("SINGULARITY_USE_PID_NAMESPACES").strip().lower()),
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
    """Which jobs run in a container that do not ask for one."""
    return DefaultContainer(config.expression("USE_DEFAULT_CONTAINER"), config.expression("DEFAULT_CONTAINER_IMAGE"))
