"""The lock that writers of one spool file share: an flock of ``NAME.lock``, through the ``filelock`` package.

Readers never take it. The kernel drops it when its holder dies. The holder writes its process id and
command into the lock file, so that whoever waits in vain can be told for whom.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from condor_py.model.errors import LockTimeout, StoreError
from condor_py.store.fs import describe

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL_SECONDS = 0.0015
_RECORD_BYTES = 160


class Lock(Protocol):
    """What a table needs of a lock."""

    def acquire(self, timeout: float) -> None:
        """Enter, waiting up to ``timeout`` seconds; LockTimeout or StoreError."""

    def release(self) -> None:
        """Leave."""

    def close(self) -> None:
        """Give file handles back."""


class QueueLock:
    """Mutual exclusion of writers between processes; one process may enter again while it is inside.

    ``path`` is the lock file (mode 0600, created on first use). Not for use by several threads at once.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock: BaseFileLock | None = None
        self._depth = 0
        self._record_fd = -1
        self._pid = 0
        self._record = b""

    @property
    def held(self) -> bool:
        """Whether this process is inside."""
        return self._depth > 0

    def acquire(self, timeout: float) -> None:
        """Enter, waiting up to ``timeout`` seconds. Raises LockTimeout (naming the holder) or StoreError."""
        if self._depth:
            self._depth += 1
            return
        from filelock import Timeout

        try:
            lock = self._lock if self._lock is not None else self._make()
            lock.acquire(timeout=timeout, poll_interval=_POLL_SECONDS)
        except Timeout:
            holder = self.holder() or "an unknown process"
            raise LockTimeout(f"{self.path} is still locked by {holder} after {timeout:g} seconds; try again later")
        except OSError as error:
            raise StoreError(describe(error, "cannot lock the spool", self.path))
        self._depth = 1
        self._sign()

    def release(self) -> None:
        """Leave; the outermost leave lets others in."""
        if not self._depth:
            raise RuntimeError(f"{self.path} is not held")
        self._depth -= 1
        if not self._depth and self._lock is not None:
            self._lock.release()

    def holder(self) -> str:
        """``pid N (command)`` of whoever entered last, empty when unknown."""
        try:
            with open(self.path, "rb") as file:
                words = file.read(_RECORD_BYTES).split(None, 1)
        except OSError:
            return ""
        if not words or not words[0].isdigit():
            return _holder_in_kernel(self.path)
        command = words[1].strip().decode("utf-8", "replace") if len(words) > 1 else ""
        return f"pid {int(words[0])} ({command})" if command else f"pid {int(words[0])}"

    def close(self) -> None:
        """Give file handles back."""
        if self._record_fd >= 0:
            os.close(self._record_fd)
            self._record_fd = -1

    def __del__(self) -> None:
        """A lock that nobody can enter any more keeps no descriptor."""
        if getattr(self, "_record_fd", -1) >= 0:
            self.close()

    def _make(self) -> BaseFileLock:
        from filelock import FileLock

        # filelock would make missing directories; a spool that is not there is a mistake that must show.
        os.stat(os.path.dirname(self.path) or ".")
        self._lock = FileLock(self.path, mode=0o600)
        return self._lock

    def _sign(self) -> None:
        """Say who is inside. A handle of our own, because filelock keeps its handle to itself."""
        pid = os.getpid()
        if pid != self._pid:
            self._pid = pid
            self._record = f"{pid} {_command(pid)}".encode()[: _RECORD_BYTES - 1].ljust(_RECORD_BYTES - 1) + b"\n"
        try:
            if self._record_fd < 0:
                self._record_fd = os.open(self.path, os.O_WRONLY)
            os.pwrite(self._record_fd, self._record, 0)
        except OSError:
            # Only the courtesy of being named is lost (a full disk must not keep anybody from cleaning up).
            self.close()


def _command(pid: int) -> str:
    """The command line of a process on one line, as far as it can be known."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(400).split(b"\0")
    except OSError:
        return ""
    return " ".join(word.decode("utf-8", "replace") for word in words if word).replace("\n", " ")


def _holder_in_kernel(path: str) -> str:
    """The holder by the kernel's table of locks; empty when it is not ours to see (another pid namespace)."""
    try:
        inode = os.stat(path).st_ino
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].rsplit(":", 1)[-1] == str(inode):
            command = _command(int(words[4]))
            return f"pid {words[4]} ({command})" if command else f"pid {words[4]}"
    return ""
