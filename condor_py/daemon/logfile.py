"""Daemon logs: ``MM/DD/YY HH:MM:SS text`` lines, rotated by size to ``.old`` (or numbered copies)."""

from __future__ import annotations

import os
import sys
import time

from condor_py.model.errors import StoreError


class DaemonLog:
    """Append-only. ``max_bytes`` 0 means no rotation; ``keep`` is the number of old files (MAX_NUM_<SUBSYS>_LOG).

    ``path`` empty means standard error (condor_master -t).
    """

    def __init__(self, path: str, max_bytes: int, keep: int, prefix: str = "") -> None:
        self.path = path
        self._max = max_bytes
        self._keep = max(1, keep)
        self._prefix = prefix
        self._size = 0
        self._descriptor = -1
        self._stamp: tuple[int, str] = (0, "")
        self._open()

    def _open(self) -> None:
        if not self.path:
            self._descriptor = sys.stderr.fileno()
            return
        try:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"Cannot open log file '{self.path}': {error.strerror}") from None
        self._size = os.fstat(self._descriptor).st_size

    def retune(self, path: str, max_bytes: int, keep: int) -> None:
        """New limits from now on, and another file if it can be opened (otherwise the old one says why not)."""
        self._max = max_bytes
        self._keep = max(1, keep)
        if path == self.path:
            return
        former, descriptor = self.path, self._descriptor
        self.path = path
        try:
            self._open()
        except StoreError as error:
            self.path, self._descriptor = former, descriptor
            self.write(str(error))
            return
        if former:
            os.close(descriptor)

    def write(self, text: str) -> None:
        """One line (or several, each with its own stamp). A full disk loses log lines, never a job."""
        data = "".join(f"{self._now()} {self._prefix}{line}\n" for line in text.split("\n")).encode(
            "utf-8", "surrogateescape"
        )
        try:
            os.write(self._descriptor, data)
        except OSError:
            return
        self._size += len(data)
        if self.path and self._max and self._size >= self._max:
            self._rotate()

    def _now(self) -> str:
        second = int(time.time())
        if second != self._stamp[0]:
            self._stamp = (second, time.strftime("%m/%d/%y %H:%M:%S", time.localtime(second)))
        return self._stamp[1]

    def _rotate(self) -> None:
        names = (
            [self.path, self.path + ".old"]
            if self._keep == 1
            else [self.path, *(f"{self.path}.{number}" for number in range(1, self._keep + 1))]
        )
        try:
            for older, newer in zip(reversed(names), reversed(names[:-1]), strict=False):
                if os.path.exists(newer):
                    os.replace(newer, older)
            os.close(self._descriptor)
            self._open()
        except (OSError, StoreError):
            self._size = 0

    def fileno(self) -> int:
        """The descriptor, for a child's standard error."""
        return self._descriptor
