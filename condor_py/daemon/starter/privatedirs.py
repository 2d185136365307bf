"""MOUNT_UNDER_SCRATCH: directories of which a job gets its own, below its scratch directory. Root's pools only."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from condor_py.classad import ClassAd, is_valid
from condor_py.hardware import mounts
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import Universe
from condor_py.starter.identity import as_user
from condor_py.starter.run import Run

#: Where programs look for it when they know nothing else.
_TMP = "/tmp"


def give(run: Run, settings: StarterSettings, job_ad: ClassAd, log: Callable[[str], None]) -> None:
    """Makes the directories and has the job's program see them in their places."""
    here = job_ad.eval_int("JobUniverse", 5) == Universe.VANILLA
    if not settings.mount_under_scratch or not here or not mounts.may_mount():
        return
    pairs = []
    for place in _places(settings.mount_under_scratch, job_ad):
        reason = _unfit(place, run)
        if reason:
            log(f"MOUNT_UNDER_SCRATCH: {place} stays that of the machine: {reason}")
            continue
        directory = f"{run.place.sandbox.scratch}{place}"
        with as_user(run.owner):
            os.makedirs(directory, 0o700, exist_ok=True)
        pairs.append((directory, place))
    if pairs:
        cover = mounts.cover(pairs, partial(_find, run), shared_memory=settings.mount_private_dev_shm)
        run.within = replace(run.within, enter=cover)
        run.hides = True
        if any(place == _TMP for _, place in pairs):
            run.tmp = _TMP


def _find(run: Run, directory: str) -> int:
    with as_user(run.owner):
        return os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def join(run: Run) -> None:
    """A session sees what the job sees, as long as its program is there."""
    if run.hides and run.process is not None:
        try:
            mounts.join(run.process.pid)
        except OSError:
            return


def _places(text: str, job_ad: ClassAd) -> list[str]:
    """The directories that the knob names: an expression about the job, or simply a list."""
    value = job_ad.eval_text(text) if is_valid(text) else None
    words = (value if isinstance(value, str) else text).replace(",", " ").split()
    return [os.path.normpath(word) for word in words]


def _unfit(place: str, run: Run) -> str:
    """Why a directory cannot be covered; "" when it can."""
    if not place.startswith("/") or not os.path.isdir(place):
        return "there is no such directory"
    if _below(run.place.sandbox.scratch, place):
        return "the scratch directory is in it"
    if not run.job.transfer and _below(run.job.iwd, place):
        return "the job works in it"
    return ""


def _below(path: str, place: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), os.path.realpath(place))) == os.path.realpath(place)
