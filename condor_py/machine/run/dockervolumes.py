"""The directories of the machine that a job's container sees, in HTCondor's order."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator

from condor_py.lang.classad import ClassAd, is_true, is_valid, parse
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.process import StartError
from condor_py.model.settings.containers import DockerSettings, Volume
from condor_py.model.states import HoldCode

#: Every account may write into a directory that replaces /tmp.
_MODE = 0o1777
#: Errors that another try would meet again: they come from the name, or from what the owner did to their directory.
_OF_THE_JOB = (errno.ENAMETOOLONG, errno.EACCES, errno.ENOTDIR, errno.ELOOP, errno.ENOENT)
#: Characters of a place that a hold reason shows.
_SHOWN = 200


def volumes_of(
    settings: DockerSettings, slot_ad: ClassAd, job_ad: ClassAd, execution: Execution, log: Callable[[str], None]
) -> list[str]:
    """List the values for ``--volume``, each once. StartError 14 for a directory that an engine cannot take."""
    found = [_shared(execution.place.sandbox.root), _shared(execution.directory)]
    for place in scratch_places(settings.mount_under_scratch, job_ad):
        if _is_mountable(place, execution):
            found.append(f"{make_scratch(place, execution)}:{place}")
        else:
            log(f"{place} cannot be mounted under scratch in a container")
    found += _of_the_machine(settings.volumes, slot_ad, job_ad, log)
    return list(dict.fromkeys(found))


def _shared(path: str) -> str:
    """A directory that has the same name inside."""
    if ":" in path:  # the engine would see two directories
        raise StartError(HoldCode.IWD_ERROR, 0, f"A container cannot work in {path}: its name has a colon")
    return f"{path}:{path}"


def scratch_places(text: str, job_ad: ClassAd) -> list[str]:
    """Directories inside that are in the scratch directory: MOUNT_UNDER_SCRATCH, an expression about the job or simply
    a list, and what the job itself asks for (mount_under_scratch); each once."""
    value = job_ad.eval_text(text) if text and is_valid(text) else None
    words = f"{value if isinstance(value, str) else text} {job_ad.eval_str('MountUnderScratch', None) or ''}"
    return list(dict.fromkeys(map(_plain, words.replace(",", " ").split())))


def _plain(place: str) -> str:
    return f"/{os.path.normpath(place).strip('/')}" if place.startswith("/") else place


def _is_mountable(place: str, execution: Execution) -> bool:
    """Whether an engine takes a place. Those of the job's own directories are taken."""
    own = execution.directory, execution.place.sandbox.root
    return ":" not in place and place.startswith("/") and place not in map(_plain, own)


def scratch_directories(settings: DockerSettings, job_ad: ClassAd, execution: Execution) -> Iterator[tuple[str, str]]:
    """Yield the places inside that the scratch directory has directories for, and these directories."""
    for place in scratch_places(settings.mount_under_scratch, job_ad):
        if _is_mountable(place, execution):
            yield place, execution.place.sandbox.scratch + place


def make_scratch(place: str, execution: Execution) -> str:
    """The directory of the scratch directory that replaces ``place``, made by the job's owner. A link of theirs in its
    way is refused: the engine would follow it with more rights than they have. StartError 14."""
    directory = execution.place.sandbox.scratch
    with as_user(execution.owner):
        for part in os.path.normpath(place).strip("/").split("/"):
            directory = f"{directory}/{part}"
            try:
                os.mkdir(directory, _MODE)
                os.chmod(directory, _MODE)
            except FileExistsError:
                if os.path.islink(directory) or not os.path.isdir(directory):
                    text = f"Cannot make {directory} for {place} in the container: something else is there"
                    raise StartError(HoldCode.IWD_ERROR, 0, text) from None
            except OSError as error:
                if error.errno not in _OF_THE_JOB:
                    raise
                text = f"Cannot make a directory for {place[:_SHOWN]} in the container: {error.strerror}"
                raise StartError(HoldCode.IWD_ERROR, 0, text) from None
    return directory


def _of_the_machine(
    volumes: tuple[Volume, ...], slot_ad: ClassAd, job_ad: ClassAd, log: Callable[[str], None]
) -> Iterator[str]:
    """DOCKER_MOUNT_VOLUMES: those that the configuration gives this job."""
    for volume in volumes:
        if not volume.path:
            log(f"WARNING: DOCKER_VOLUME_DIR_{volume.name} is missing in the configuration")
        elif volume.mount_if and not _holds(volume.mount_if, slot_ad, job_ad):
            log(f"Not adding {volume.path} as a docker volume to mount: ..._MOUNT_IF is not true")
        else:
            log(f"Adding {volume.path} as a docker volume to mount")
            yield volume.path if ":" in volume.path else f"{volume.path}:{volume.path}"


def _holds(text: str, slot_ad: ClassAd, job_ad: ClassAd) -> bool:
    """Whether an expression about slot (MY) and job (TARGET) is true; a mistake in it is not."""
    return is_valid(text) and is_true(slot_ad.raw(parse(text), job_ad))
