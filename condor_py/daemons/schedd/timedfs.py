"""The file system of the job queue, which measures how long it takes to force data to disk."""

from __future__ import annotations

from time import perf_counter

from condor_py.store.fs import RealFs


class TimedFs(RealFs):
    """``syncs`` is how often data was forced to the medium, ``sync_seconds`` how long that took in all."""

    def __init__(self) -> None:
        self.syncs = 0
        self.sync_seconds = 0.0

    def sync(self, handle: int) -> None:
        begin = perf_counter()
        super().sync(handle)
        self.syncs += 1
        self.sync_seconds += perf_counter() - begin
