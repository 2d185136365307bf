"""The lock of a daemon: taking it, and who holds it by the process id in the file."""

from __future__ import annotations

import fcntl
import os
import time

from condor_py.model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.model.settings.paths import PoolPaths

#: Daemons without an ad.
_PUBLISH_NOTHING = frozenset(("GANGLIAD", "ROOSTER"))


def lock_holder(path: str) -> int:
    """The process that holds a daemon's lock; 0 for none."""
    text = _holder(path)
    return int(text) if text.isdecimal() and lives(text) else 0


def serving(paths: PoolPaths, subsystem: str) -> int:
    """The process of a daemon that has published since it took its lock; 0 for none. What a daemon has left that was
    killed does not count."""
    from condor_py.store.ad_store import AdStore

    lock = paths.daemon_lock(subsystem)
    pid = lock_holder(lock)
    if not pid or subsystem in _PUBLISH_NOTHING:
        return pid
    published = AdStore(paths.ads).stamp(subsystem)
    try:
        return pid if published is not None and published.mtime_ns >= os.stat(lock).st_mtime_ns else 0
    except FileNotFoundError:
        return 0


def lives(pid: str) -> bool:
    """Whether there is such a process, and not only what is left of one that was not waited for."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except IndexError:
        return False
    except OSError:
        return _may_be_hidden(int(pid))


def _may_be_hidden(pid: int) -> bool:
    """Whether there is a process that /proc does not show: with hidepid it shows the processes of other accounts to no
    ordinary account."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


class AlreadyRunning(StoreError):
    """Another process holds the lock of this daemon."""


def take_lock(path: str, patience: float) -> int:
    """An exclusive lock for the life of the process, whose pid all users may read in ``path``. AlreadyRunning names the
    holder.

    The lock itself is on a hidden file next to it: any process that may open a file may lock it for ever.
    """
    hidden = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}")
    descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise AlreadyRunning(f"{path} is held by process {_holder(path) or 'unknown'}") from None
            time.sleep(0.02)
    mine = f"{os.getpid()}\n".encode()
    writable = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    os.fchmod(writable, 0o644)  # whatever umask we have
    os.pwrite(writable, mine, 0)  # before the cut: a concurrent reader sees a number
    os.ftruncate(writable, len(mine))
    os.close(writable)
    return descriptor


def _holder(path: str) -> str:
    """Return the content of the file; "" when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(64).strip()
    except OSError:
        return ""
