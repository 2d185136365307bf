"""A shell or a command next to a running job: as its owner, in its directory, with its environment and its limits.

The process is a child of the starter, so it is found, stopped, measured and killed with the job. Its standard streams
are open files that the user handed in; for a terminal it is the far end of a pseudo-terminal, which becomes the
controlling terminal of the session.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import Streams
from condor_py.machine.run.spawning import Launch, start

#: What marks every process of a session: its value is the starter's pid and the number of the session.
MARK = "_CONDOR_SSH_TO_JOB"
#: A login shell of a container: the first of its arguments that is there.
LOGIN = 'for s in "$@"; do if command -v "$s" >/dev/null 2>&1; then exec "$s" -l; fi; done; exec /bin/sh -l'
_NSENTER = "/usr/bin/nsenter"
_NAMESPACES = (("user", "--user"), ("mnt", "--mount"), ("ipc", "--ipc"), ("pid", "--pid"), ("net", "--net"))
_PATH = "/usr/local/bin:/usr/bin:/bin"
_ROOT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FALLBACK = "/bin/sh"
_COMMAND_SHELL = "/bin/bash"


class SessionRequest(NamedTuple):
    """A user's request for a session. ``command`` is a line for the shell, empty for a login shell; ``words`` are a
    program and its arguments in the place of either, which get the variables of the place and no others.

    ``shells`` are tried in this order. ``variables`` come on top of the job's environment (TERM, DISPLAY).
    """

    command: str
    shells: tuple[str, ...]
    terminal: bool
    variables: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()


class SessionPlace(NamedTuple):
    """The place of a session: the job's directory and environment, and the pids of its processes, its program first."""

    directory: str
    environment: Mapping[str, str]
    pids: tuple[int, ...]
    slot: str
    mark: str


def choose_shell(shells: Sequence[str], owner: Account | None) -> str:
    """The first of ``shells`` that the owner of the job can execute, else /bin/sh."""
    with as_user(owner):
        for shell in shells:
            for path in [shell] if "/" in shell else [f"{folder}/{shell}" for folder in _PATH.split(":")]:
                if path.startswith("/") and os.path.isfile(path) and os.access(path, os.X_OK, effective_ids=True):
                    return path
    return _FALLBACK


def session_environment(
    place: SessionPlace, request: SessionRequest, shell: str, owner: Account | None
) -> dict[str, str]:
    """The job's environment with the variables of a login and those about the job."""
    environment = dict(place.environment)
    is_root = (os.geteuid() if owner is None else owner.uid) == 0
    environment.setdefault("PATH", _ROOT_PATH if is_root else _PATH)
    environment["SHELL"] = shell
    if owner is not None:
        environment.update(USER=owner.name, LOGNAME=owner.name)
        environment.setdefault("HOME", owner.home)
    environment.pop("DISPLAY", None)
    environment.update(request.variables)
    environment["_CONDOR_SLOT_NAME"] = place.slot
    environment["_CONDOR_JOB_PIDS"] = " ".join(map(str, place.pids))
    environment[MARK] = place.mark
    return environment


def command_line(request: SessionRequest, shell: str) -> tuple[str, list[str]]:
    """(program, arguments with the name it is called by): a login shell, or the command in a shell."""
    if request.words:
        return request.words[0], list(request.words)
    if not request.command:
        return shell, ["-" + os.path.basename(shell)]
    program = _COMMAND_SHELL if os.access(_COMMAND_SHELL, os.X_OK) else _FALLBACK
    return program, [program, "-c", request.command]


def start_session(
    request: SessionRequest,
    place: SessionPlace,
    streams: Streams,
    owner: Account | None,
    prepare: Callable[[], None],
    inner: int = 0,
) -> subprocess.Popen[bytes]:
    """Starts it; ``prepare`` is called in the new process before it becomes the owner's. ``inner`` is a process in the
    namespaces of the job where it takes a program to enter them (we are not root), else 0. OSError when the shell or
    the directory is not there (any more), SubprocessError when a preparation fails.
    """
    shell = choose_shell(request.shells, owner)
    program, arguments = command_line(request, shell)

    def enter() -> None:
        if request.terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        prepare()

    environment = dict(place.environment) if request.words else session_environment(place, request, shell, owner)
    if inner:  # nsenter calls programs by their own names: a login shell is one by its option
        arguments = [*_entering(inner, place.directory), program, *(arguments[1:] or ["-l"])]
        program = _NSENTER
    launch = Launch(arguments, environment, place.directory, owner, program, umask=0o022, enter=enter)
    return start(launch, streams.stdin, streams.stdout, streams.stderr)


def limits_of(pid: int) -> dict[int, tuple[int, int]]:
    """The resource limits of a program where they differ from ours; none when it is gone."""
    found: dict[int, tuple[int, int]] = {}
    for kind in _LIMITS:
        try:
            theirs = resource.prlimit(pid, kind)
        except (ProcessLookupError, PermissionError):
            return found
        if theirs != resource.getrlimit(kind):
            found[kind] = theirs
    return found


_LIMITS = tuple(sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")}))


def niceness_of(pid: int) -> int:
    """The nice value of a program; ours when it is gone."""
    try:
        return os.getpriority(os.PRIO_PROCESS, pid)
    except ProcessLookupError:
        return os.getpriority(os.PRIO_PROCESS, 0)


def refuse_words(request: SessionRequest) -> None:
    """OSError for a program that is not a shell, which a container need not have."""
    if request.words:
        raise OSError(errno.EOPNOTSUPP, "no tool daemon runs in a container")


def start_inside(
    request: SessionRequest,
    place: SessionPlace,
    streams: Streams,
    owner: Account | None,
    inner: int,
    prepare: Callable[[], None],
) -> subprocess.Popen[bytes]:
    """Starts it in the namespaces of process ``inner``, which is the owner's, with the variables that it has. As
    ``start_session`` otherwise."""
    refuse_words(request)
    own = {**dict(request.variables), "_CONDOR_SLOT_NAME": place.slot, MARK: place.mark}
    command = ("-c", request.command) if request.command else ("-c", LOGIN, "sh", *request.shells)

    def enter() -> None:
        if request.terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        prepare()

    words = (*_entering(inner, f"/proc/{inner}/cwd"), "/bin/sh", *command)
    environment = {**_variables(inner), **own}
    launch = Launch(words, environment, "/", owner, _NSENTER, umask=0o022, enter=enter)
    return start(launch, streams.stdin, streams.stdout, streams.stderr)


def _entering(inner: int, directory: str) -> tuple[str, ...]:
    """Return the words before a program that is to run in the namespaces of a process. OSError when that is gone."""
    return _NSENTER, f"--target={inner}", *_ways_in(inner), "--preserve-credentials", f"--wd={directory}", "--"


def _ways_in(pid: int) -> list[str]:
    """The namespaces of a process that are not ours. OSError when it is gone."""
    return [
        way
        for kind, way in _NAMESPACES
        if os.readlink(f"/proc/{pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")
    ]


def _variables(pid: int) -> dict[str, str]:
    """The environment of a process. OSError when it is gone."""
    with open(f"/proc/{pid}/environ", "rb") as file:
        pairs = (item.partition(b"=") for item in file.read().split(b"\0") if b"=" in item)
        return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
