"""Waiting for a file to grow: inotify where the kernel has it, polling elsewhere."""

from __future__ import annotations

import os
import select
import sys
import time

_IN_MODIFY, _IN_ATTRIB, _IN_DELETE_SELF, _IN_MOVE_SELF = 0x2, 0x4, 0x400, 0x800
_EVENTS = _IN_MODIFY | _IN_ATTRIB | _IN_DELETE_SELF | _IN_MOVE_SELF
#: Without inotify the file is polled this often; with it, this often all the same, for changes over a network.
_LOOK = 0.1
_LOOK_ANYWAY = 2.0


class FileWatch:
    """Watches one file from its creation on: what changes between two waits ends the next wait at once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = _inotify_open()
        self._armed = self._handle >= 0 and _inotify_add(self._handle, path)
        self._seen = _look(path)

    def wait(self, timeout: float | None) -> None:
        """Return when the file may have changed, or after ``timeout`` seconds (None: no limit)."""
        deadline = None if timeout is None else time.monotonic() + max(0.0, timeout)
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            if self._armed:
                self._wait_for_event(_LOOK_ANYWAY if left is None else min(left, _LOOK_ANYWAY))
            else:
                time.sleep(_LOOK if left is None else min(left, _LOOK))
            now = _look(self._path)
            if now != self._seen:
                self._seen = now
                return

    def _wait_for_event(self, seconds: float) -> None:
        poller = select.poll()  # unlike select() it takes any descriptor
        poller.register(self._handle, select.POLLIN)
        if poller.poll(seconds * 1000):
            os.read(self._handle, 1 << 16)
            # The name may belong to another file now; a watch that exists already stays as it is.
            _inotify_add(self._handle, self._path)

    @property
    def handle(self) -> int:
        """A descriptor that can be read when the file may have changed; -1 without inotify."""
        return self._handle if self._armed else -1

    def drain(self) -> None:
        """Forget what made ``handle`` readable."""
        if self._handle < 0:
            return
        try:
            while os.read(self._handle, 1 << 16):
                pass
        except BlockingIOError:
            pass
        self._armed = _inotify_add(self._handle, self._path)

    def close(self) -> None:
        """Give the descriptor back."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return (seen.st_ino, seen.st_size, seen.st_mtime_ns)


def _inotify_open() -> int:
    if not sys.platform.startswith("linux"):
        return -1
    import ctypes

    try:
        return int(ctypes.CDLL(None, use_errno=True).inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
    except (AttributeError, OSError):
        return -1


def _inotify_add(handle: int, path: str) -> bool:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.inotify_add_watch(handle, os.fsencode(path), _EVENTS)) >= 0
