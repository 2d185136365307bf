"""MOUNT_UNDER_SCRATCH: directories of which a job gets its own, below its scratch directory. Root's pools only."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from condor_py.classad import ClassAd, is_valid
from condor_py.hardware import mounts
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import Universe
from condor_py.starter.executor import Execution
from condor_py.starter.identity import Account, as_user
from condor_py.starter.processes import Cover

#: Where programs look for it when they know nothing else.
_TMP = "/tmp"


def cover_of(
    settings: StarterSettings, job_ad: ClassAd, log: Callable[[str], None], execution: Execution
) -> Cover | None:
    """Makes the directories, and what has the job's program see them in their places; None for a job without."""
    here = job_ad.eval_int("JobUniverse", 5) == Universe.VANILLA
    if not settings.mount_under_scratch or not here or not mounts.may_mount():
        return None
    pairs = []
    for place in _places(settings.mount_under_scratch, job_ad):
        reason = _unfit(place, execution)
        if reason:
            log(f"MOUNT_UNDER_SCRATCH: {place} stays that of the machine: {reason}")
            continue
        directory = f"{execution.place.sandbox.scratch}{place}"
        with as_user(execution.owner):
            os.makedirs(directory, 0o700, exist_ok=True)
        pairs.append((directory, place))
    if not pairs:
        return None
    find = partial(_find, execution.owner)
    enter = mounts.cover(pairs, find, shared_memory=settings.mount_private_dev_shm)
    return Cover(enter, _join, _TMP if any(place == _TMP for _, place in pairs) else "")


def _find(owner: Account | None, directory: str) -> int:
    with as_user(owner):
        return os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _join(pid: int) -> None:
    """A session sees what the job sees, as long as its program is there."""
    try:
        mounts.join(pid)
    except OSError:
        return


def _places(text: str, job_ad: ClassAd) -> list[str]:
    """The directories that the knob names: an expression about the job, or simply a list."""
    value = job_ad.eval_text(text) if is_valid(text) else None
    words = (value if isinstance(value, str) else text).replace(",", " ").split()
    return [os.path.normpath(word) for word in words]


def _unfit(place: str, execution: Execution) -> str:
    """Why a directory cannot be covered; "" when it can."""
    if not place.startswith("/") or not os.path.isdir(place):
        return "there is no such directory"
    if _below(execution.place.sandbox.scratch, place):
        return "the scratch directory is in it"
    if not execution.job.transfer and _below(execution.job.iwd, place):
        return "the job works in it"
    return ""


def _below(path: str, place: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), os.path.realpath(place))) == os.path.realpath(place)
