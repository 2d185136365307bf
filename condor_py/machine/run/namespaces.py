"""Private views of a program and its children: namespaces of Linux for directories, processes and the network.

The C module _spawn makes them in the new process of a program, before that gives up root's rights. Here are their
description, the entry to those of a running program, and the twin for directories and the network where there is no
such module. A namespace of processes needs a first process, which is not the job's: it collects the processes that the
program leaves behind, and reports how the program ended (``ProcessSpace``).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from condor_py.machine.run.identity import Account, as_user

#: <linux/sched.h> and <sys/mount.h>.
_CLONE_NEWNS, _CLONE_NEWPID, _CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV = 2, 4
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MNT_DETACH = 2
_CAP_SYS_ADMIN = 21
SHARED_MEMORY = "/dev/shm"
#: Bits of _spawn_namespaces.h.
_HAS_SHARED_MEMORY, _HAS_PROCESSES, _HAS_NETWORK, _IS_UNPRIVILEGED = 1, 2, 4, 8
#: What a program is to itself in a namespace of processes.
PROGRAM_PID = 2
#: The report of the first process: wait status, microseconds of CPU (user, system), peak resident KB.
_ENDED = struct.Struct("=4q")


def may_mount() -> bool:
    """Whether this process may mount: root, unless a container has taken the right away."""
    return os.geteuid() == 0 and _root_may_mount(os.getpid())


@lru_cache(maxsize=4)
def _root_may_mount(pid: int) -> bool:
    """Whether root's rights in process ``pid``, which is ours, hold that of mounting; no process gets it later."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            held = next((line.split()[1] for line in file if line.startswith("CapEff:")), "0")
    except OSError:
        return False
    return bool(int(held, 16) >> _CAP_SYS_ADMIN & 1)


class Namespaces(NamedTuple):
    """The private parts of a program. ``covers`` are (directory, place): the program sees the directory in the place;
    the directory is opened with the rights of the program's owner, who may have put a link there.

    ``shared_memory``: a private /dev/shm. ``processes``: the program sees those that it has started, and no others.
    ``network``: a network of its own, without other processes. ``unprivileged``: all of it is in a namespace of users,
    as we are not root; in it only our own account exists. Only the C module makes one.
    """

    covers: tuple[tuple[str, str], ...] = ()
    shared_memory: bool = False
    processes: bool = False
    network: bool = False
    unprivileged: bool = False

    @property
    def bits(self) -> int:
        """As the C module wants it."""
        pairs = (
            (self.shared_memory, _HAS_SHARED_MEMORY), (self.processes, _HAS_PROCESSES), (self.network, _HAS_NETWORK),
            (self.unprivileged, _IS_UNPRIVILEGED),
        )  # fmt: skip
        return sum(bit for wanted, bit in pairs if wanted)

    @property
    def empty(self) -> bool:
        """Whether there is nothing."""
        return not (self.covers or self.bits & ~_IS_UNPRIVILEGED)


def enter(own: Namespaces, owner: Account | None) -> None:
    """Called in the new process, as root, where there is no C module: all but processes. OSError."""
    own_mounts = bool(own.covers or own.shared_memory)
    kinds = _CLONE_NEWNS * own_mounts | _CLONE_NEWNET * own.network
    if kinds:
        _check(_libc().unshare(kinds), "unshare")
    if own_mounts:
        _mount(None, "/", None, _MS_REC | _MS_SLAVE)  # what we mount stays with us
    for directory, place in own.covers:
        with as_user(owner):
            found = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        _mount(f"/proc/self/fd/{found}", place, None, _MS_BIND)
        os.close(found)
    if own.shared_memory and os.path.isdir(SHARED_MEMORY):
        _mount("tmpfs", SHARED_MEMORY, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=1777")


def hide_mounts() -> None:
    """Restrict the mounts that this process makes from now on to it and its children; to be called before it has
    threads. OSError."""
    _check(_libc().unshare(_CLONE_NEWNS), "unshare")
    _mount(None, "/", None, _MS_REC | _MS_SLAVE)


def unmount(place: str) -> None:
    """Takes away what was mounted last at ``place``; a process that is in there keeps it until it leaves. OSError."""
    _check(_libc().umount2(os.fsencode(place), _MNT_DETACH), place)


def join(pid: int) -> None:
    """Sees the directories, and uses the network, of process ``pid``. OSError when it is gone."""
    for kind, number in (("net", _CLONE_NEWNET), ("mnt", _CLONE_NEWNS)):
        _enter(f"/proc/{pid}/ns/{kind}", number)


class Ended(NamedTuple):
    """The end of a program: its wait status, seconds of CPU and peak KB of it and all that it waited for."""

    status: int
    user_cpu: float
    sys_cpu: float
    max_rss_kb: int


@dataclass(slots=True)
class ProcessSpace:
    """The namespace of processes of one program. ``first`` is our process in it, which is no process of the job, lives
    as long as the namespace, and sends the end of the program to the socket ``told``."""

    first: int
    told: int = field(repr=False)

    @contextmanager
    def around(self) -> Iterator[None]:
        """A process that we start within this is in the namespace. OSError when that is gone."""
        _enter(f"/proc/{self.first}/ns/pid", _CLONE_NEWPID)
        try:
            yield
        finally:
            _enter("/proc/self/ns/pid", _CLONE_NEWPID)

    def go_on(self) -> None:
        """The pid of the program is no longer needed: the first process may collect it when it has ended."""
        with suppress(BrokenPipeError):  # all processes were killed
            os.write(self.told, b"\0")

    def ended(self) -> Ended | None:
        """Waits until the program has ended; None when the first process was killed before it could tell how."""
        try:
            data = os.read(self.told, _ENDED.size)
        except ConnectionResetError:
            return None
        if len(data) != _ENDED.size:
            return None
        status, user, system, max_rss = _ENDED.unpack(data)
        return Ended(status, user / 1e6, system / 1e6, max_rss)

    def close(self) -> None:
        """Forgets it. The first process ends with the family of the job."""
        if self.told >= 0:
            os.close(self.told)
            self.told = -1


def _enter(path: str, kind: int) -> None:
    """Enter the namespace that a file refers to. OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(_libc().setns(descriptor, kind), "setns")
    finally:
        os.close(descriptor)


#: The namespaces that a shell in a container shares with it, in the order in which they are entered.
_OF_CONTAINER = ("user", "uts", "pid", "mnt")


def enter_all(process: str) -> None:
    """Enter the namespaces of the process whose directory in /proc this is, as far as they are not ours; that of
    processes holds for children. OSError."""
    files = [(f"{process}/ns/{kind}", f"/proc/self/ns/{kind}") for kind in _OF_CONTAINER]
    theirs = [theirs for theirs, ours in files if not os.path.samefile(theirs, ours)]
    descriptors = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in theirs]
    for path, descriptor in zip(theirs, descriptors, strict=True):
        try:
            _check(_libc().setns(descriptor, 0), path)
        finally:
            os.close(descriptor)


def _mount(source: str | None, place: str, kind: str | None, flags: int, data: str = "") -> None:
    def encoded(text: str | None) -> bytes | None:
        return None if text is None else os.fsencode(text)

    _check(_libc().mount(encoded(source), encoded(place), encoded(kind), flags, os.fsencode(data) or None), place)


def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    import ctypes

    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
