"""Knobs that promise something about jobs which does not exist here: who sets one must not believe that it holds."""

from __future__ import annotations

import os

from condor_py.config.settings import Config

_GROUPS, _PROCESSES, _NETWORK = "USE_GID_PROCESS_TRACKING", "USE_PID_NAMESPACES", "NO_JOB_NETWORKING"
_MOUNTS, _DISK = "MOUNT_UNDER_SCRATCH", "STARTD_ENFORCE_DISK_LIMITS"
#: Knob -> what is not so.
_MISSING = {
    _PROCESSES: "only root can give jobs a namespace of processes: they see those of the machine",
    _NETWORK: "only root can take the network from jobs",
    _MOUNTS: "only root can mount: jobs see the directories of the machine",
    "ENCRYPT_EXECUTE_DIRECTORY": "scratch directories are not encrypted: that takes a device mapper",
    _DISK: "only root can mount: jobs may use more disk than they ask for",
    _GROUPS: "only root can give the processes of jobs a group of their own",
}
#: What a pool of root does have.
_OF_ROOT = frozenset((_GROUPS, _PROCESSES, _NETWORK, _MOUNTS, _DISK))
_OFF = frozenset(("", "0", "0.0", "f", "false", "n", "no", "none", '"none"', "undefined"))


def promise_of(knob: str) -> str:
    """What is not so although ``knob`` promises it; "" for any other knob."""
    name = knob.upper()
    if name in _OF_ROOT and os.geteuid() == 0:
        return ""
    return _MISSING.get(name, "")


def is_on(value: str) -> bool:
    """Whether a value asks for anything."""
    return value.strip().lower() not in _OFF


def missing_isolation(config: Config) -> tuple[str, ...]:
    """The knobs that are set and ask for what does not exist here, each once."""
    names = dict.fromkeys(
        macro.name.rpartition(".")[2].upper() for macro in config.macros if promise_of(macro.name.rpartition(".")[2])
    )
    return tuple(name for name in names if is_on(config.string(name)))
