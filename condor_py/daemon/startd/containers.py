"""Whether jobs can run in containers of docker (or podman) here, and what dead starters have left of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from condor_py.daemon.common.errand import Errand
from condor_py.daemon.common.loop import Loop
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import DockerSettings
from condor_py.starter.docker import Engine, remove_left

#: Seconds for an engine to say that it is there.
_PATIENCE = 20.0
#: Characters of a version, and of what a broken engine says.
_SHOWN = 200


def with_engine(knobs: StartdSettings, docker: DockerSettings, tell: Callable[[str], None]) -> StartdSettings:
    """The settings of a startd with the version of the engine that answers; without one jobs have no containers."""
    version = _version(docker.command, tell) if is_there(docker) else ""
    return replace(knobs, docker_version=version, docker_networks=docker.networks)


def is_there(docker: DockerSettings) -> bool:
    """Whether there is a program to ask."""
    return bool(docker.command) and Engine(docker.command).is_there()


def _version(command: str, tell: Callable[[str], None]) -> str:
    """What the engine says of itself; "" when it does not work, with the reason in the log."""
    engine = Engine(command)
    for word in ("info", "-v"):
        try:
            answer = engine.ask(word, patience=_PATIENCE)
        except OSError as error:
            tell(f"DOCKER: cannot run {command}: {error.strerror}")
            return ""
        if answer.code != 0:
            said = " ".join(f"{answer.err} {answer.out}".split())[-_SHOWN:]
            tell(f"DOCKER: {command} {word} failed: {said}: no jobs in containers")
            return ""
    return answer.out.strip().partition("\n")[0][:_SHOWN]


def clear_containers(
    loop: Loop, docker: DockerSettings, executes: tuple[str, ...], tell: Callable[[str], None], starter: int = 0
) -> None:
    """Removes the containers that starters in these directories have left (that of one process number, if it is given).
    A child does it."""

    def remove() -> list[str]:
        return [container for execute in executes for container in remove_left(docker.command, execute, starter)]

    def removed(found: list[str] | None, why: str) -> None:
        for container in found or ():
            tell(f"removed the left-over container {container}")
        if found is None:
            tell(f"cannot look for left-over containers: {why}")

    if is_there(docker):
        Errand(loop, remove, removed)
