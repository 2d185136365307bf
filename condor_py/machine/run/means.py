"""Means of this process to isolate jobs: as root, or in a namespace of users, which the kernel lets every account make
unless the machine forbids it. That is tried, once for a process and its forks."""

from __future__ import annotations

import os
import signal
import subprocess
from functools import cache
from typing import NamedTuple

from condor_py.machine.run.namespaces import Namespaces, may_mount
from condor_py.machine.run.spawning import Launch, Started, quick, start_on

_NOTHING = "/bin/true"


class Means(NamedTuple):
    """Whether jobs can have directories, processes, and no network of their own. ``unprivileged``: by a namespace of
    users, in which only their own account exists."""

    mounts: bool
    processes: bool
    network: bool
    unprivileged: bool = False


def means() -> Means:
    """Return the means of this process."""
    if os.geteuid() == 0:
        mounts = may_mount()
        return Means(mounts, mounts and quick(), mounts)
    return _without_root()


@cache
def _without_root() -> Means:
    if not quick():
        return Means(mounts=False, processes=False, network=False, unprivileged=True)
    mounts = _works(Namespaces(shared_memory=True, unprivileged=True))
    processes = _works(Namespaces(processes=True, unprivileged=True))
    network = _works(Namespaces(network=True, unprivileged=True))
    return Means(mounts, processes, network, unprivileged=True)


def _works(own: Namespaces) -> bool:
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        program = start_on(Launch((_NOTHING,), {}, "/", program=_NOTHING, own=own), (nowhere, nowhere, nowhere))
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        os.close(nowhere)
    space = program.space if isinstance(program, Started) else None
    if space is None:
        return os.waitpid(program.pid, 0)[1] == 0
    space.go_on()
    ended = space.ended()
    space.close()
    os.kill(space.first, signal.SIGKILL)
    os.waitpid(space.first, 0)
    return ended is not None and ended.status == 0
