"""Noticing that a file grew or was replaced, through inotify; without it the caller's poll has to do."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from condor_py.daemons.common.loop import Loop

_IN_MODIFY = 0x002
_IN_CLOSE_WRITE = 0x008
_IN_MOVED_TO = 0x080
_IN_ATTRIB = 0x004
_IN_MOVE_SELF = 0x800
_IN_DELETE_SELF = 0x400
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC


class FileWatch:
    """Calls back when the file at ``path`` changes. Follows the name: a file renamed over it is watched from then
    on.
    """

    def __init__(self, loop: Loop, path: str, callback: Callable[[], None]) -> None:
        self._path = os.fsencode(path)
        self._callback = callback
        self._watch = -1
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(_NONBLOCK_CLOEXEC)
        if self._descriptor >= 0:
            loop.read(self._descriptor, self._ready)
            self._add()

    @property
    def works(self) -> bool:
        """Whether changes are noticed now; one that is asked tries again where the file was not there."""
        if self._descriptor >= 0 and self._watch < 0:
            self._add()
        return self._watch >= 0

    def _add(self) -> None:
        mask = _IN_MODIFY | _IN_ATTRIB | _IN_MOVE_SELF | _IN_DELETE_SELF
        self._watch = self._libc.inotify_add_watch(self._descriptor, self._path, mask)

    def _ready(self) -> None:
        """Take what has happened; if there is more than fits, the next turn comes for that."""
        replaced = False
        with suppress(BlockingIOError):
            replaced = _is_other_than_modify(os.read(self._descriptor, 4096), self._watch)
        if replaced:
            if self._watch >= 0:
                self._libc.inotify_rm_watch(self._descriptor, self._watch)
            self._add()
        self._callback()


class DirectoryWatch:
    """Calls back with the names of files in a directory that were written and closed."""

    def __init__(self, loop: Loop, path: str, callback: Callable[[str], None]) -> None:
        self._callback = callback
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(_NONBLOCK_CLOEXEC)
        if self._descriptor >= 0:
            libc.inotify_add_watch(self._descriptor, os.fsencode(path), _IN_CLOSE_WRITE | _IN_MOVED_TO)
            loop.read(self._descriptor, self._ready)

    def _ready(self) -> None:
        try:
            while data := os.read(self._descriptor, 65536):
                for name in _names(data):
                    self._callback(name)
        except BlockingIOError:
            return


def _names(data: bytes) -> Iterator[str]:
    """The names of the files that the events of an inotify buffer are about."""
    at = 0
    while at + 16 <= len(data):
        length = int.from_bytes(data[at + 12 : at + 16], "little")
        if name := data[at + 16 : at + 16 + length].rstrip(b"\0"):
            yield os.fsdecode(name)
        at += 16 + length


def _is_other_than_modify(data: bytes, watch: int) -> bool:
    """Whether any event of a watch in an inotify buffer is not a plain write. News of former watches (for instance that
    they ended) does not count: each new watch would make another such event."""
    at = 0
    while at + 16 <= len(data):
        theirs, mask = (int.from_bytes(data[at + begin : at + begin + 4], "little") for begin in (0, 4))
        if mask & ~_IN_MODIFY and theirs == watch:
            return True
        at += 16 + int.from_bytes(data[at + 12 : at + 16], "little")
    return False
