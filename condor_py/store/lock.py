"""The lock that writers of one spool file share: an flock of ``NAME.lock``.

Readers never take it. The kernel drops it when its holder dies. The holder writes its process id and
command into the lock file, so that a process that waits in vain can name it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from condor_py.model.errors import LockTimeout, StoreError
from condor_py.store.fs import CLOSED, describe

_POLL_SECONDS = 0.0015
_RECORD_BYTES = 160


class Lock:
    """The operations of a lock that a table needs."""

    def acquire(self, timeout: float) -> None:
        """Enter, waiting up to ``timeout`` seconds; LockTimeout or StoreError."""
        raise NotImplementedError

    def release(self) -> None:
        """Leave."""
        raise NotImplementedError


class QueueLock(Lock):
    """Mutual exclusion of writers between processes; one process may enter again while it is inside.

    ``path`` is the lock file (mode 0600, created on first use). Not for use by several threads at once.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._depth = 0
        #: The open lock file while we are inside.
        self._handle = CLOSED
        self._pid = 0

    @property
    def held(self) -> bool:
        """Whether this process is inside."""
        return self._depth > 0

    def acquire(self, timeout: float) -> None:
        """Enter, waiting up to ``timeout`` seconds. Raises LockTimeout (naming the holder) or StoreError."""
        if self._depth:
            self._depth += 1
            return
        try:
            self._handle = self._enter(timeout)
        except TimeoutError:
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
        if not self._depth:
            self._leave()

    def holder(self) -> str:
        """``pid N (command)`` of the process that entered last, empty when unknown."""
        try:
            with open(self.path, "rb") as file:
                words = file.read(_RECORD_BYTES).split(None, 1)
        except OSError:
            return ""
        if not words or not words[0].isdigit():
            return _holder_in_kernel(self.path)
        command = words[1].strip().decode("utf-8", "replace") if len(words) > 1 else ""
        return f"pid {int(words[0])} ({command})" if command else f"pid {int(words[0])}"

    def __del__(self, _is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        """A lock that can no longer be left is left; by a forked child it is not. At the end of the interpreter modules
        may be gone before it, and the kernel leaves it."""
        if not _is_over() and self._handle != CLOSED and os.getpid() == self._pid:
            self._leave()

    def _enter(self, timeout: float) -> int:
        """The open, locked file. TimeoutError, OSError."""
        until = time.monotonic() + timeout
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                while not _locked(handle):
                    if time.monotonic() >= until:
                        raise TimeoutError
                    time.sleep(_POLL_SECONDS)
                if os.fstat(handle).st_nlink:
                    return handle
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # the file was taken away: the lock is another one now

    def _leave(self) -> None:
        """Unlocks before it closes: a child that was forked meanwhile has the file open, too."""
        handle, self._handle = self._handle, CLOSED
        try:
            fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            with suppress(OSError):  # NFS and quotas say only now that there was no room for the name of the holder
                os.close(handle)

    def _sign(self) -> None:
        """Say who is inside."""
        pid = os.getpid()
        if pid != self._pid:
            self._pid = pid
            self._record = f"{pid} {_command(pid)}".encode()[: _RECORD_BYTES - 1].ljust(_RECORD_BYTES - 1) + b"\n"
        with suppress(OSError):  # only the courtesy of being named: a full disk must not keep anybody from cleaning up
            os.pwrite(self._handle, self._record, 0)


def _locked(handle: int) -> bool:
    """Whether an open file is locked by us now; False when another process has it. OSError."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EINTR):
            return False
        raise
    return True


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
        if words[1] == "FLOCK" and words[5].rsplit(":", 1)[-1] == str(inode):
            command = _command(int(words[4]))
            return f"pid {words[4]} ({command})" if command else f"pid {words[4]}"
    return ""
