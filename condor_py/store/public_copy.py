"""A copy of the job queue log for those who may not read the log: all of it but what only daemons may know.

The copy is in memory, and a process that asks gets a descriptor that reads it. It is made at the first request; later
ones cost what came in between. It is a log like the one on disk: its readers see whole transactions. A long one has an
index as that one has (see ``folded``), made when it was asked for and no process waits.
"""

from __future__ import annotations

import os
import re

from condor_py.store.folded import is_outdated
from condor_py.store.fs import CLOSED
from condor_py.store.job_queue import JobQueue
from condor_py.store.logreader import image

#: Lower-case names of the attributes that are left out.
PRIVATE = ("claimid", "claimids", "capability")
_LINE = re.compile(rb"^103 +\S+ +(?:%s) .*\n" % "|".join(PRIVATE).encode(), re.MULTILINE | re.IGNORECASE)
_HINTS = tuple(f" {name} ".encode() for name in PRIVATE)
_CHUNK = 4 << 20
#: To look through more than that at once would be too long for those who wait meanwhile.
_MOST_INDEXED = 48 << 20
#: Seconds for which a copy may be read after the log was rewritten. Longer ones would add up in a pool that is never
#: without a user who asks, and processes of users could hold any number of them.
OLD_KEPT_FOR = 60.0


class PublicCopy:
    """The copy of one queue."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue
        self._copy = self._index = CLOSED
        self._indexed = 0  # bytes of the copy that the index is of
        #: Copies of logs that were rewritten, which may still be being read, and when each was the newest for the last
        #: time.
        self._old: list[tuple[int, float]] = []

    def descriptor(self, now: float) -> int:
        """A descriptor, for reading only, of the copy as the queue is now; the caller closes it. ``now`` is the time in
        seconds of any clock that does not go back.

        Raises OSError and StoreError.
        """
        queue = self._queue
        if self._copy == CLOSED or self._sequence != queue.sequence or self._done > queue.size:
            self._begin(now)
        while self._old and self._old[0][1] < now - OLD_KEPT_FOR:
            _give_back(self._old.pop(0)[0])
        while self._done < queue.size:
            self._append(self._next_lines())
        return os.open(f"/proc/self/fd/{self._copy}", os.O_RDONLY)

    def index(self) -> int:
        """A descriptor, for reading only, of an index of the copy, which the caller closes; CLOSED where there is none.

        Raises OSError.
        """
        return CLOSED if self._index == CLOSED else os.open(f"/proc/self/fd/{self._index}", os.O_RDONLY)

    def keep_index(self) -> None:
        """Make the index again if much has come since. Raises OSError."""
        size = os.fstat(self._copy).st_size if self._copy != CLOSED else 0
        if size > _MOST_INDEXED or not is_outdated(self._indexed, size):
            return
        old = None if self._index == CLOSED else os.pread(self._index, os.fstat(self._index).st_size, 0)
        found = image(self._copy, size, True, old)
        if found is None:
            return
        made = _in_memory(found.index())
        self._drop_index()
        self._index, self._indexed = made, found.length

    def _drop_index(self) -> None:
        if self._index != CLOSED:
            os.close(self._index)
        self._index, self._indexed = CLOSED, 0

    def descriptors(self) -> list[int]:
        """Return the descriptors that are open for the copy."""
        return [*(old for old, _ in self._old), *(one for one in (self._copy, self._index) if one != CLOSED)]

    def forget(self) -> None:
        """Give the memory back. A process that reads a copy now finds it empty: call it when none was asked for in a
        while."""
        for descriptor in self.descriptors():
            _give_back(descriptor)
        self._copy = self._index = CLOSED
        self._indexed = 0
        self._old.clear()

    def _begin(self, now: float) -> None:
        if self._copy != CLOSED:
            self._old.append((self._copy, now))
        self._drop_index()
        self._copy = os.memfd_create("job_queue.log", os.MFD_CLOEXEC)
        os.fchmod(self._copy, 0o444)  # no process writes into what others read
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


def _give_back(copy: int) -> None:
    """Give back the memory of a copy, also where another process still has it open."""
    os.ftruncate(copy, 0)
    os.close(copy)


def _in_memory(data: bytes) -> int:
    """A descriptor of bytes in memory that no other process writes."""
    made = os.memfd_create("job_queue.log.index", os.MFD_CLOEXEC)
    try:
        os.fchmod(made, 0o444)
        left = memoryview(data)
        while left:
            left = left[os.write(made, left) :]
    except OSError:
        os.close(made)
        raise
    return made
