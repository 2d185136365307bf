"""Starting a program with the rights of another account: the one place where root's rights are given up for good.

The order is the point. What root has to do in the new process (a control group, a namespace, a terminal) comes first;
then the process becomes the other account; only then does it go to its directory and look up its program. Nothing that
the other account may have changed meanwhile, a link in place of a directory above all, is followed with our rights.

The C module _spawn does all of this without copying our memory; the fork of ``subprocess`` is for what it cannot do.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, Protocol

from condor_py.machine.run import namespaces
from condor_py.machine.run.identity import Account
from condor_py.machine.run.namespaces import Namespaces, ProcessSpace
from condor_py.model.later import built

Stream = int | IO[bytes] | None
Outcome = tuple[int, str, int, int, int]


#: Bytes of each stream of a program that are kept, and that are read at once.
_MOST_SAID, _CHUNK = 4_000_000, 65536

_native = built("condor_py.machine.run._spawn")
#: What os.fsencode asks for at each call.
_FILE_NAMES = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


class Inhabitant:
    """A thread of ours that is in control groups of version 1, by their tasks files: what it starts is born there. Only
    with the C module (``quick``)."""

    def __init__(self, files: Iterable[str]) -> None:
        self.handle: Any = _native.enter(tuple(map(os.fsencode, files)))

    def is_inside(self) -> bool:
        """Whether the kernel has let it in; waits until that is known."""
        return bool(_native.inside(self.handle))

    def leave(self) -> None:
        """Ends the thread; the groups may be removed then."""
        _native.leave(self.handle)


class Door(Protocol):
    """The way into a control group."""

    def join(self) -> None:
        """Takes the calling process into the group. OSError."""

    def ways(self) -> tuple[tuple[str, ...], Any]:
        """The files into which a new process writes itself ("!" or, in version 2, "*" before those that must take it, a
        space before others), and the handle of the inhabitant that is to start it; None for ourselves."""


class Program(Protocol):
    """A program that was started. The code that waits for it notes what came of it, as ``subprocess`` wants it."""

    pid: int
    returncode: int | None


@dataclass(slots=True)
class Started:
    """A program that the C module has started. It is a child of ours, unless it is alone in a ``space``."""

    pid: int
    returncode: int | None = None
    space: ProcessSpace | None = None


@dataclass(slots=True)
class Launch:
    """The description of a program to start. ``user`` None: with our own rights. ``directory`` "": our current one.

    ``door``: of the group that it is to be in. ``enter`` is called in the new process with our rights. ``niceness`` 0
    is ours, which is the least that there is. ``address_space`` is in bytes, 0 for ours. ``own`` is its private view;
    without the C module (``quick``) it cannot have processes of its own. ``stops``: it is stopped at its first
    instruction, as by SIGSTOP; only with the C module, and ``start_on``.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    directory: str = ""
    user: Account | None = None
    program: str = ""
    umask: int = -1
    enter: Callable[[], None] | None = None
    door: Door | None = None
    niceness: int = 0
    address_space: int = 0
    own: Namespaces | None = None
    stops: bool = False


def start(launch: Launch, stdin: Stream, stdout: Stream, stderr: Stream) -> subprocess.Popen[bytes]:
    """Starts it in a session of its own. OSError when it cannot be executed or the directory is not there;
    subprocess.SubprocessError when a step of the new process failed, which ``user`` not being let into the directory
    is, too."""
    begin = None if is_plain(launch) else _beginning(launch)
    return subprocess.Popen(
        launch.argv,
        executable=launch.program or None,
        cwd=None if begin else launch.directory or None,
        env=launch.environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        umask=launch.umask,
        preexec_fn=begin,
    )


def answer_of(process: subprocess.Popen[bytes], patience: float) -> tuple[bytes, bytes] | None:
    """Return what a program of ``start`` wrote to its output and errors, when it has ended; of each the last bytes.
    None: it took longer than ``patience`` seconds, and was killed with the processes that it has started."""
    streams = process.stdout, process.stderr
    said = {pipe.fileno(): bytearray() for pipe in streams if pipe is not None}
    ended = _listen(process.pid, said, time.monotonic() + patience)
    out, err = (bytes(said[pipe.fileno()]) if pipe is not None else b"" for pipe in streams)
    with suppress(OSError):  # a program with more rights than ours (sudo) is not waited for
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in streams:
        if pipe is not None:
            pipe.close()
    return (out, err) if ended else None


def _listen(pid: int, said: Mapping[int, bytearray], until: float) -> bool:
    """Read the pipes of a child until it has ended; False when it lives at ``until`` (time.monotonic). A process that
    it leaves behind with its pipes is not waited for."""
    end = os.pidfd_open(pid)
    poller = select.poll()
    for descriptor in (end, *said):
        poller.register(descriptor, select.POLLIN)
    try:
        while (left := until - time.monotonic()) > 0:
            ready = {descriptor for descriptor, _ in poller.poll(left * 1000)}
            if ready == {end}:
                return True
            for descriptor in ready - {end}:
                data = os.read(descriptor, _CHUNK)
                said[descriptor] += data
                del said[descriptor][:-_MOST_SAID]
                if not data:
                    poller.unregister(descriptor)
        return False
    finally:
        os.close(end)


def quick() -> bool:
    """Whether programs are started without copying our memory."""
    return _native is not None


def start_on(launch: Launch, streams: tuple[int, int, int]) -> Program:
    """As ``start``, on three descriptors, and in the quickest way that there is."""
    if _native is None or launch.enter is not None or "/" not in launch.program:
        return start(launch, *streams)
    pid, step, number, first, told = _attempt(launch, streams)
    if pid > 0:
        return Started(pid, space=ProcessSpace(first, told) if first else None)
    if step in ("clone", "execute"):
        raise OSError(number, os.strerror(number), launch.program)
    if step == "directory" and not _other(launch.user):
        raise OSError(number, os.strerror(number), launch.directory)
    raise subprocess.SubprocessError(f"{step}: {os.strerror(number)}")


def _attempt(launch: Launch, streams: tuple[int, int, int]) -> Outcome:
    user = launch.user
    files, thread = launch.door.ways() if launch.door is not None else ((), None)
    outcome: Outcome = _native.spawn(
        _encoded(launch.program),
        tuple([_encoded(word) for word in launch.argv]),
        tuple(map(_variable, launch.environment, launch.environment.values())),
        streams,
        _encoded(launch.directory),
        launch.umask,
        (user.uid, user.gid, tuple(user.groups)) if user is not None and _other(user) else None,
        tuple([_encoded(file) for file in files]),
        _at_least_ours(launch.niceness),
        launch.address_space,
        thread,
        launch.own.bits if launch.own is not None else 0,
        tuple(os.fsencode(path) for pair in launch.own.covers for path in pair) if launch.own is not None else (),
        launch.stops,
    )
    return outcome


@lru_cache(maxsize=64)
def _encoded(text: str) -> bytes:
    """``os.fsencode``, in one call; most texts are those of the job before."""
    return text.encode(*_FILE_NAMES)


@lru_cache(maxsize=1024)
def _variable(name: str, value: str) -> bytes:
    """Most are those of the job before. ValueError for a name that cannot be one."""
    if "=" in name:
        raise ValueError("illegal environment variable name")
    return f"{name}={value}".encode(*_FILE_NAMES)


def is_plain(launch: Launch) -> bool:
    """Whether nothing is to be done between fork and execution: the kernel then has a quicker way."""
    ours = launch.enter is None and launch.door is None and launch.own is None
    return ours and not launch.niceness and not launch.address_space and not _other(launch.user)


def _other(user: Account | None) -> bool:
    return user is not None and os.getuid() == 0 and user.uid != 0


def _beginning(launch: Launch) -> Callable[[], None]:
    user = launch.user if _other(launch.user) else None

    def begin() -> None:
        if launch.door is not None:
            launch.door.join()
        if launch.enter is not None:
            launch.enter()
        if launch.own is not None:
            namespaces.enter(launch.own, launch.user)
        if user is not None:
            become(user)
        if launch.directory:
            os.chdir(launch.directory)
        limit_process(launch.niceness, launch.address_space)

    return begin


def _at_least_ours(niceness: int) -> int:
    """The niceness that a new process gets: in a pool that was started with nice(1) nothing runs before that."""
    return max(niceness, os.getpriority(os.PRIO_PROCESS, 0)) if niceness > 0 else 0


def limit_process(niceness: int, address_space: int) -> None:
    """Limits the calling process, as Launch has it."""
    if niceness > 0:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, _at_least_ours(niceness))
    if address_space > 0:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def become(user: Account) -> None:
    """Makes this process the account's, without a way back. A daemon that only works as ``user`` for a while
    (identity.as_user) is root again before that."""
    if os.geteuid() != 0:
        os.seteuid(0)
    os.setgroups(user.groups)
    os.setresgid(user.gid, user.gid, user.gid)
    os.setresuid(user.uid, user.uid, user.uid)


def rights() -> tuple[int, int] | tuple[None, None]:
    """User and group that a program has to become to have the rights that we have at the moment, and no others: root
    that works as another account would pass on the way back (a shell takes it by itself)."""
    return (os.geteuid(), os.getegid()) if os.getuid() == 0 and os.geteuid() != 0 else (None, None)
