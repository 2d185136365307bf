"""The child that represents a program in a container: it has the container made, and becomes the engine's client that
waits for it. Making one may take a while (an engine is busy, a layer is fetched), and the starter continues to
listen."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import SAME, Streams
from condor_py.machine.run.userfiles import user_file

#: What the child leaves instead of what the engine has said, once the container is there; its id follows.
_MADE = b"\0made "
_FAILED = 125
#: Bytes of what an engine says.
_MOST = 65536
#: Lines of what it says of a container that it cannot start: earlier ones may be of earlier runs.
_LAST = 3


@dataclass(slots=True)
class Client:
    """The child. ``said`` is a file without a name: what the engine says as long as there is no container. Later it
    says that where the program has its standard error, in the file ``errors``, which ``owner`` may read."""

    pid: int
    said: int
    errors: str = ""
    owner: Account | None = None
    returncode: int | None = None

    @property
    def has_made(self) -> bool:
        """Whether there is a container, which may have begun to run."""
        return os.pread(self.said, len(_MADE), 0) == _MADE

    @property
    def container(self) -> str:
        """The id of the container; "" before it exists, or if the engine does not report it."""
        data = os.pread(self.said, _MOST, 0)
        words = data.removeprefix(_MADE).decode("ascii", "replace").split() if data.startswith(_MADE) else []
        return words[-1] if words and words[-1].isalnum() else ""

    @property
    def complaint(self) -> str:
        """Why there is no container."""
        return os.pread(self.said, _MOST, 0).decode(errors="replace")

    @property
    def last_words(self) -> str:
        """Return the engine's messages about a container that it could not start; "" where they cannot be found."""
        try:
            with as_user(self.owner), user_file(self.errors, errors="replace") as file:
                return "".join(file.read().splitlines(keepends=True)[-_LAST:])
        except OSError:
            return ""

    def close(self) -> None:
        """Forgets what was said."""
        if self.said >= 0:
            os.close(self.said)
            self.said = -1


def start_client(
    create: Sequence[str],
    begin: Sequence[str],
    environment: Mapping[str, str],
    streams: Streams,
    directory: str,
    owner: Account | None = None,
) -> Client:
    """Starts the child, whose ``create`` makes the container and whose ``begin`` runs it. The engine works in
    ``directory``, where it may leave files. ``owner`` opens the named pipes among the streams. OSError."""
    errors = ""
    with suppress(OSError):  # a path may be longer than the kernel tells
        errors = os.readlink(f"/proc/self/fd/{streams.stderr}")
    said = os.memfd_create("container", os.MFD_CLOEXEC)
    try:
        pid = os.fork()
    except OSError:
        os.close(said)
        raise
    if not pid:
        _work(create, begin, environment, streams, said, directory, owner)
    return Client(pid, said, errors, owner)


def _work(
    create: Sequence[str],
    begin: Sequence[str],
    environment: Mapping[str, str],
    streams: Streams,
    said: int,
    directory: str,
    owner: Account | None,
) -> NoReturn:
    """In the child: never returns into the starter's code."""
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        os.chdir(directory)
        said = _keep_only(streams, said)
        with as_user(owner):
            _open_pipes(streams.pipes)
        told = os.memfd_create("id", os.MFD_CLOEXEC)
        code = _make(create, environment, said, told)
        if code == -signal.SIGKILL:
            os.kill(os.getpid(), signal.SIGKILL)  # so that the process that waits for this child sees how it ended
        if code == 0:
            os.ftruncate(said, 0)
            os.pwrite(said, _MADE + os.pread(told, _MOST, 0), 0)
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.execve(begin[0], list(begin), dict(environment))
    except OSError as error:
        os.pwrite(said, f"{error.strerror}: {error.filename}".encode(errors="replace"), 0)
    finally:
        os._exit(_FAILED)


def _keep_only(streams: Streams, said: int) -> int:
    """Closes what is the starter's: its connections must end with it. Where ``said`` is now."""
    copies = [os.dup(descriptor) for descriptor in (streams.stdin, streams.stdout, streams.stderr, said)]
    for place, descriptor in enumerate(copies):
        os.dup2(descriptor, place, inheritable=place < 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    return 3


def _open_pipes(pipes: tuple[str, str, str]) -> None:
    """Puts named pipes in the place of standard streams: each waits for the process at its other end, and so there is
    no container yet. OSError."""
    for place, path in enumerate(pipes):
        if path == SAME:
            os.dup2(1, place)
        elif path:
            descriptor = os.open(path, os.O_WRONLY if place else os.O_RDONLY)
            os.dup2(descriptor, place)
            os.close(descriptor)


def _make(create: Sequence[str], environment: Mapping[str, str], said: int, told: int) -> int:
    """Has the container made: the exit code of the engine's command, or minus the signal that ended it. The engine's
    errors are in ``said``, its output in ``told``."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, told, 1),
        (os.POSIX_SPAWN_DUP2, said, 2),
    ]
    defaults = {signal.SIGPIPE, signal.SIGXFSZ}
    pid = os.posix_spawn(
        create[0], list(create), dict(environment), file_actions=actions, setsigmask=(), setsigdef=defaults
    )
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
