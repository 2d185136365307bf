"""A copy of the job queue log for those who may not read the log: all of it but what only daemons may know.

The copy lies in memory, and whoever asks gets a descriptor that reads it. It is made when somebody first asks; later
ones cost what came in between. It is a log like the one on disk: its readers see whole transactions.
"""

from __future__ import annotations

import os
import re

from condor_py.store.fs import CLOSED
from condor_py.store.job_queue import JobQueue

#: Lower-case names of the attributes that are left out.
PRIVATE = ("claimid", "claimids", "capability")
_LINE = re.compile(rb"^103 +\S+ +(?:%s) .*\n" % "|".join(PRIVATE).encode(), re.MULTILINE | re.IGNORECASE)
_HINTS = tuple(f" {name} ".encode() for name in PRIVATE)
_CHUNK = 4 << 20


class PublicCopy:
    """The copy of one queue."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue
        self._copy = CLOSED
        self._old: list[int] = []  # copies of logs that were rewritten, which may still be being read

    def descriptor(self) -> int:
        """A descriptor, for reading only, of the copy as the queue is now; the caller closes it.

        Raises OSError and StoreError.
        """
        queue = self._queue
        if self._copy == CLOSED or self._sequence != queue.sequence or self._done > queue.size:
            self._begin()
        while self._done < queue.size:
            self._append(self._next_lines())
        return os.open(f"/proc/self/fd/{self._copy}", os.O_RDONLY)

    def descriptors(self) -> list[int]:
        """What is open for the copy."""
        return [*self._old, *([self._copy] if self._copy != CLOSED else [])]

    def forget(self) -> None:
        """Gives the memory back. Who reads a copy at this moment finds it empty: call it when nobody has asked for a
        while."""
        for descriptor in self.descriptors():
            os.ftruncate(descriptor, 0)
            os.close(descriptor)
        self._copy = CLOSED
        self._old.clear()

    def _begin(self) -> None:
        if self._copy != CLOSED:
            self._old.append(self._copy)
        self._copy = os.memfd_create("job_queue.log", os.MFD_CLOEXEC)
        os.fchmod(self._copy, 0o444)  # nobody writes into what others read
        self._sequence = self._queue.sequence
        self._done = 0

    def _next_lines(self) -> bytes:
        """The next whole lines of the log; what counts of it ends with a line."""
        size = _CHUNK
        while True:
            left = self._queue.size - self._done
            data = self._queue.log_bytes(self._done, min(size, left))
            end = len(data) if size >= left else data.rfind(b"\n") + 1
            if end or not data:
                return data[:end]
            size *= 2

    def _append(self, data: bytes) -> None:
        if not data:
            raise OSError("the log has become shorter")
        lower = data.lower()
        left = memoryview(_LINE.sub(b"", data) if any(hint in lower for hint in _HINTS) else data)
        while left:
            left = left[os.write(self._copy, left) :]
        self._done += len(data)
