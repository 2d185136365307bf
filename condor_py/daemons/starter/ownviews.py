"""What only one job sees: directories below its scratch directory in the place of the machine's
(MOUNT_UNDER_SCRATCH), a /dev/shm, its own processes (USE_PID_NAMESPACES), no network (NO_JOB_NETWORKING)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from condor_py.lang.classad import ClassAd, is_valid
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.means import means
from condor_py.machine.run.namespaces import Namespaces
from condor_py.machine.run.processes import Cover
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import Universe

#: Where programs look for it when they know nothing else.
_TMP = "/tmp"
_TEMPORARY = "/tmp /var/tmp"


def cover_of(
    settings: StarterSettings, job_ad: ClassAd, log: Callable[[str], None], execution: Execution
) -> Cover | None:
    """Makes the directories; None for a job that sees what everybody sees."""
    covered = settings.mount_under_scratch
    if execution.place.sandbox.encrypted:  # what a job writes elsewhere is not
        covered = f"{_TEMPORARY} {' '.join(_places(covered, job_ad))}"
    wanted = covered or settings.use_pid_namespaces or settings.no_job_networking
    if not wanted or job_ad.eval_int("JobUniverse", 5) != Universe.VANILLA:
        return None
    able = means()
    pairs: list[tuple[str, str]] = []
    if settings.per_job_namespaces and covered and able.mounts:
        pairs = list(_pairs(covered, job_ad, log, execution))
    apart = settings.per_job_namespaces and settings.use_pid_namespaces and able.processes
    shared_memory = settings.mount_private_dev_shm and bool(pairs or apart)
    networkless = settings.no_job_networking and able.network
    own = Namespaces(tuple(pairs), shared_memory, apart, networkless, able.unprivileged)
    tmp = _TMP if any(place == _TMP for _, place in pairs) else ""
    return None if own.empty else Cover(own, tmp)


def _pairs(
    covered: str, job_ad: ClassAd, log: Callable[[str], None], execution: Execution
) -> Iterator[tuple[str, str]]:
    for place in dict.fromkeys(_places(covered, job_ad)):
        reason = _unfit(place, execution)
        if reason:
            log(f"MOUNT_UNDER_SCRATCH: {place} stays that of the machine: {reason}")
            continue
        directory = f"{execution.place.sandbox.scratch}{place}"
        with as_user(execution.owner):
            os.makedirs(directory, 0o700, exist_ok=True)
        yield directory, place


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
