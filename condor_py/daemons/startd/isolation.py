"""What the configuration asks for to isolate jobs, and this machine does not do: nobody is to believe it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from condor_py.daemons.startd.scratchdisks import with_disk
from condor_py.lang.config.builders.isolation import promise_of
from condor_py.machine.run.means import Means, means
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.projectquota import has_quotas
from condor_py.machine.run.sandbox import why_not_encrypted
from condor_py.machine.run.spawning import quick
from condor_py.machine.run.volume import may_make_volumes
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.starter import StarterSettings

_DISK = "STARTD_ENFORCE_DISK_LIMITS"
_ENCRYPTED = "ENCRYPT_EXECUTE_DIRECTORY"
_PROCESSES, _NETWORK, _MOUNTS = "USE_PID_NAMESPACES", "NO_JOB_NETWORKING", "MOUNT_UNDER_SCRATCH"
_NO_VOLUMES = "there are no loop devices, or no mkfs.ext4: jobs may use more disk than they ask for"


def _not_possible(starter: StarterSettings) -> Iterator[tuple[str, str]]:
    """What cannot be done here although nothing in the configuration tells that."""
    wanted = {
        _PROCESSES: starter.use_pid_namespaces,
        _NETWORK: starter.no_job_networking,
        _MOUNTS: bool(starter.mount_under_scratch),
    }
    if starter.scratch_volume is not None or any(wanted.values()):
        able = means()
        there = {_PROCESSES: able.processes, _NETWORK: able.network, _MOUNTS: able.mounts}
        yield from ((knob, _why(able)) for knob, is_wanted in wanted.items() if is_wanted and not there[knob])
        if starter.scratch_volume is not None and not may_mount():
            yield _DISK, _why(able)
    disk = starter.scratch_volume
    if disk is not None and not may_make_volumes() and not (disk.thin and has_quotas(starter.execute)):
        yield _DISK, _NO_VOLUMES
    if starter.encrypt_execute_directory and (reason := why_not_encrypted(starter)):
        yield _ENCRYPTED, f"scratch directories are not encrypted: {reason}"
    if starter.use_pid_namespaces and not quick():
        yield _PROCESSES, "the C module _spawn is not built: jobs see the processes of the machine"
    if starter.use_pid_namespaces and not starter.per_job_namespaces:
        yield _PROCESSES, "PER_JOB_NAMESPACES is false: jobs see the processes of the machine"


def _why(able: Means) -> str:
    if not able.unprivileged:
        return "this root may not mount (CAP_SYS_ADMIN)"
    return "it takes root here: this account could not make it in a namespace of users"


def with_isolation(knobs: StartdSettings, starter: StarterSettings, tell: Callable[[str], None]) -> StartdSettings:
    """The startd's knobs with all that is missing. ``tell`` takes lines for its log."""
    missing = {knob: promise_of(knob) for knob in knobs.missing_isolation} | dict(_not_possible(starter))
    for knob, text in missing.items():
        tell(f"WARNING: {knob} is set, but {text}")
    if _DISK not in missing:
        knobs = with_disk(knobs, starter)
    networking = knobs.job_networking or _NETWORK in missing
    return knobs.changed(
        missing_isolation=tuple(missing), job_networking=networking, encrypts=not why_not_encrypted(starter)
    )
