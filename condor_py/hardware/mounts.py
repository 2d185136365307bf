"""Directories that only one process and its children see: mount namespaces of Linux."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

#: <linux/sched.h> and <sys/mount.h>.
_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_CAP_SYS_ADMIN = 21
SHARED_MEMORY = "/dev/shm"


def may_mount() -> bool:
    """Whether this process may mount: root, unless a container has taken the right away."""
    if os.geteuid() != 0:
        return False
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            held = next((line.split()[1] for line in file if line.startswith("CapEff:")), "0")
    except OSError:
        return False
    return bool(int(held, 16) >> _CAP_SYS_ADMIN & 1)


def cover(pairs: Iterable[tuple[str, str]], find: Callable[[str], int], *, shared_memory: bool) -> Callable[[], None]:
    """What a new process calls, as root, to see (directory, place) pairs: ``directory`` in the place of ``place``; and
    a /dev/shm of its own. ``find`` opens a directory with the rights of whoever it belongs to: he may have put a link
    there. OSError from the call."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    wanted = [(directory, os.fsencode(place)) for directory, place in pairs]

    def enter() -> None:
        _check(libc.unshare(_CLONE_NEWNS), "unshare")
        _check(libc.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None), "/")  # what we mount stays with us
        for directory, place in wanted:
            found = find(directory)
            _check(libc.mount(f"/proc/self/fd/{found}".encode(), place, None, _MS_BIND, None), os.fsdecode(place))
            os.close(found)
        if shared_memory and os.path.isdir(SHARED_MEMORY):
            _check(libc.mount(b"tmpfs", SHARED_MEMORY.encode(), b"tmpfs", 0, b"mode=1777"), SHARED_MEMORY)

    return enter


def join(pid: int) -> None:
    """Sees the directories that process ``pid`` sees. OSError when it is gone."""
    import ctypes

    descriptor = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNS), "setns")
    finally:
        os.close(descriptor)


def _check(result: int, what: str) -> None:
    import ctypes

    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
