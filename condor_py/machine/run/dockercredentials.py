"""Credentials for pulling images (docker_send_credentials): asked with the job owner's rights, for the engine alone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping

from condor_py.machine.run import trees
from condor_py.machine.run.engine import PATH, one_line
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import StartError
from condor_py.machine.run.spawning import Launch, answer_of, start
from condor_py.machine.run.userfiles import open_user_file, user_file
from condor_py.model.states import HoldCode

#: Next to the scratch directory: the job does not see it.
_PLACE = ".docker"
#: Seconds for the program that prints them.
_PATIENCE = 120.0
#: Characters that a user's file may have.
_MOST = 1024 * 1024


def bring(producer: str, owner: Account | None, root: str) -> None:
    """Keeps them below ``root`` for engines (``variables``). ``producer`` is DOCKER_PAT_PRODUCER, a program of the site
    that prints them; "": those of the owner's docker (~/.docker/config.json). StartError 35, OSError."""
    found = _told(producer, owner) if producer else _own(owner)
    if not isinstance(found, dict):
        raise _failed("they are no JSON object")
    if error := found.get("HTCondorError"):
        raise _failed(one_line(str(error)))
    forget(root)
    os.mkdir(f"{root}/{_PLACE}", 0o700)
    opened = open_user_file(f"{root}/{_PLACE}/config.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with open(opened, "w", encoding="utf-8") as file:
        json.dump(found, file)


def variables(root: str) -> Mapping[str, str]:
    """Return the variables by which docker and podman find the credentials."""
    place = f"{root}/{_PLACE}"
    return {"DOCKER_CONFIG": place, "REGISTRY_AUTH_FILE": f"{place}/config.json"}


def forget(root: str) -> None:
    """Removes what was brought."""
    trees.remove(f"{root}/{_PLACE}")


def _failed(reason: str) -> StartError:
    return StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, f"Error fetching docker credentials: {reason}")


def _own(owner: Account | None) -> object:
    """The part of the owner's file that is for repositories; the programs that it names for more are left out."""
    home = owner.home if owner is not None else os.path.expanduser("~")
    path = f"{home}/.docker/config.json"
    try:
        with as_user(owner), user_file(path, errors="replace") as file:
            text = file.read(_MOST + 1)
    except OSError as error:
        raise _failed(f"{path}: {error.strerror}") from None
    if len(text) > _MOST:
        raise _failed(f"{path}: it is too large")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _failed(f"{path}: {error}") from None
    return {"auths": found.get("auths", {})} if isinstance(found, dict) else None


def _told(producer: str, owner: Account | None) -> object:
    environment = {"PATH": PATH, **({"HOME": owner.home} if owner is not None else {})}
    try:
        process = start(
            Launch((producer,), environment, "/", owner), subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _failed(f"cannot run {producer}: {error}") from None
    said = answer_of(process, _PATIENCE)
    if said is None:
        raise _failed(f"{producer} took more than {_PATIENCE:.0f} seconds")
    try:
        found = json.loads(said[0])
    except ValueError:
        found = None
    if process.returncode and not (isinstance(found, dict) and "HTCondorError" in found):
        raise _failed(one_line(said[1].decode(errors="replace")) or f"{producer} failed")
    return found
