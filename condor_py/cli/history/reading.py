"""Progress of the reading of a history: records, the share of its bytes, and the time left."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.client.progress import Meter
from condor_py.store.history import HistoryRecord


class ReadingMeter:
    """Takes each record of some history files as it is read. ``files`` names them in the order in which they are read.

    ``may_stop``: reading may end before they do, so that nothing is known of the time left.
    """

    def __init__(
        self, files: Callable[[], list[str]], *, newest_first: bool, quiet: bool = False, may_stop: bool = False
    ) -> None:
        self._meter = Meter(None, "records read", quiet=quiet)
        self._newest_first, self._may_stop = newest_first, may_stop
        self._sizes = {path: _size(path) for path in files()} if self._meter.is_shown else {}
        self._total = sum(self._sizes.values())
        self._count = 0
        #: The file that is read, and the bytes of those before it.
        self._path, self._before = "", 0

    def at(self, record: HistoryRecord) -> None:
        """A record has been read."""
        self._count += 1
        if self._meter.is_shown:
            self._meter.at(self._count, None if self._may_stop else self._share(record))

    def done(self) -> None:
        """Take the line away until there is more."""
        self._meter.done()

    def _share(self, record: HistoryRecord) -> float | None:
        if record.path != self._path:
            self._before += self._sizes.get(self._path, 0)
            self._path = record.path
        size = self._sizes.get(record.path, 0)
        read = size - record.offset if self._newest_first else record.offset
        return (self._before + max(0, read)) / self._total if self._total else None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
