"""A file system that notes what is done to which file, and can be told to fail."""

from __future__ import annotations

import os
from typing import Any

from condor_py.model.copies import changed
from condor_py.store.fs import FileId, RealFs

_BY_PATH = ("open_read", "open_append", "create", "unlink", "sync_dir", "stat", "listdir")
_BY_HANDLE = ("write", "read_at", "truncate", "sync", "fstat")


class Noting(RealFs):
    """``calls`` has (call, name of the file) in their order; a call in ``fails`` is an OSError of that number."""

    def __init__(self, **fails: int) -> None:
        self.calls: list[tuple[str, str]] = []
        self.fails = fails
        self.read = 0  #: bytes

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in _BY_PATH and name not in _BY_HANDLE:
            return found

        def call(first: Any, *rest: Any) -> Any:
            path = first if name in _BY_PATH else os.readlink(f"/proc/self/fd/{first}")
            self.calls.append((name, path if name == "sync_dir" else os.path.basename(path)))
            if name in self.fails:
                raise OSError(self.fails[name], os.strerror(self.fails[name]))
            result = found(first, *rest)
            self.read += len(result) if name == "read_at" else 0
            return result

        return call

    def take(self, *wanted: str) -> list[tuple[str, str]]:
        """The calls since the last time, of the ``wanted`` kinds (all if none is named)."""
        calls, self.calls = self.calls, []
        return [call for call in calls if not wanted or call[0] in wanted]


class At(RealFs):
    """All files are of one time."""

    def __init__(self, when: int) -> None:
        self.when = when

    def fstat(self, handle: int) -> FileId:
        return changed(super().fstat(handle), mtime_ns=self.when * 1_000_000_000)
