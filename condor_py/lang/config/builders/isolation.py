"""Knobs that promise something about jobs which does not exist here: who sets one must not believe that it holds."""

from __future__ import annotations

import os

from condor_py.lang.config.settings import Config

_GROUPS, _PROCESSES, _NETWORK = "USE_GID_PROCESS_TRACKING", "USE_PID_NAMESPACES", "NO_JOB_NETWORKING"
_MOUNTS, _DISK = "MOUNT_UNDER_SCRATCH", "STARTD_ENFORCE_DISK_LIMITS"
_ENCRYPTED = "ENCRYPT_EXECUTE_DIRECTORY"
_SETUID = "DISABLE_SETUID"
#: Knob -> what is not so.
_MISSING = {
    _PROCESSES: "this machine lets only root give jobs a namespace of processes: they see those of the machine",
    _NETWORK: "this machine lets only root take the network from jobs",
    _MOUNTS: "this machine lets only root mount: jobs see the directories of the machine",
    _ENCRYPTED: "scratch directories are not encrypted: that takes root and a kernel with a device mapper",
    _DISK: "only root can mount: jobs may use more disk than they ask for",
    _SETUID: "programs with the setuid bit gain their rights in jobs as elsewhere on the machine",
    _GROUPS: "only root can give the processes of jobs a group of their own",
}
#: Where the kernel tells that it has a device mapper.
_MAPPER = "/sys/class/misc/device-mapper"
#: What a pool of root does have.
_OF_ROOT = frozenset((_GROUPS, _PROCESSES, _NETWORK, _MOUNTS, _DISK))
#: What a pool without root has where namespaces of users are allowed.
_OF_USERS = frozenset((_PROCESSES, _NETWORK, _MOUNTS))
#: Settings of kernels, and their values with which only root makes namespaces of users.
_FORBIDDING = (
    ("/proc/sys/user/max_user_namespaces", "0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
)
_OFF = frozenset(("", "0", "0.0", "f", "false", "n", "no", "none", '"none"', "undefined"))


def promise_of(knob: str) -> str:
    """Return what is not so although ``knob`` promises it; "" for any other knob."""
    name = knob.upper()
    if name == _ENCRYPTED and os.geteuid() == 0 and os.path.exists(_MAPPER):
        return ""
    if (name in _OF_ROOT and os.geteuid() == 0) or (name in _OF_USERS and _users_allowed()):
        return ""
    return _MISSING.get(name, "")


def _users_allowed() -> bool:
    for path, value in _FORBIDDING:
        try:
            with open(path, encoding="ascii") as file:
                if file.read().strip() == value:
                    return False
        except OSError:
            continue
    return True


def is_on(value: str) -> bool:
    """Whether a value asks for anything."""
    return value.strip().lower() not in _OFF


def missing_isolation(config: Config) -> tuple[str, ...]:
    """The knobs that are set and ask for what does not exist here, each once."""
    names = dict.fromkeys(
        macro.name.rpartition(".")[2].upper() for macro in config.macros if promise_of(macro.name.rpartition(".")[2])
    )
    return tuple(name for name in names if is_on(config.string(name)))
