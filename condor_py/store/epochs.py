"""Records of runs: a SPAWN when a run starts, an EPOCH when it ends (JOB_EPOCH_HISTORY, JOB_EPOCH_HISTORY_DIR).

The form is that of the history with another banner. They tell a story and decide nothing, so they are not synced: after
a crash of the machine the last of them may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.history import rotate
from condor_py.store.limited import append_limited
from condor_py.store.public_copy import PRIVATE

SPAWN, EPOCH = "SPAWN", "EPOCH"


#: The names of records are mostly the same.
_MOST_LISTS = 200


@lru_cache(maxsize=_MOST_LISTS)
def _form(names: tuple[str, ...]) -> tuple[str, Callable[[Sequence[str]], tuple[str, ...]]]:
    """Return the lines of attributes with these names, with a place for each value, and what chooses the values. In the
    order of the names without case; the secrets of the daemons are left out."""
    written = {name: at for at, name in enumerate(names) if name.lower() not in PRIVATE}
    order = sorted(written, key=str.lower)
    lines = "".join([f"{name.replace('%', '%%')} = %s\n" for name in order])
    return lines, itemgetter(*(written[name] for name in order))


class RunRecord(NamedTuple):
    """One record: its kind, the job, the number of the run (from 0), the owner, attributes as (name, ClassAd text)."""

    kind: str
    job: JobId
    run: int
    owner: str
    items: Sequence[tuple[str, str]]

    def text(self, now: int) -> str:
        """The record as it is written at ``now`` (Unix seconds), without what is a secret of the daemons."""
        job, kind = self.job, self.kind
        own = (("RunInstanceID", str(self.run)), ("EpochAdType", f'"{kind}"'))
        names, texts = zip(*self.items, *own, strict=True)
        lines, chosen = _form(names)
        return (
            f"{lines % chosen(texts)}EpochWriteDate = {now}\n"
            f"*** {kind} ClusterId={job.cluster} ProcId={job.proc} RunInstanceId={self.run} "
            f'Owner="{self.owner}" CurrentTime={now}\n'
        )


class EpochWriter:
    """Appends records of runs to one file for all jobs, and to one a job where a directory is configured."""

    def __init__(self, settings: HistorySettings, fs: FileSystem | None = None) -> None:
        self.settings = settings
        self.fs: FileSystem = fs if fs is not None else RealFs()

    @property
    def wanted(self) -> bool:
        """Whether anything is to be written."""
        return bool(self.settings.epoch_path or self.settings.epoch_directory)

    def append(self, records: Sequence[RunRecord], now: int) -> None:
        """Writes records, one write a file. Raises StoreError."""
        texts = [record.text(now) for record in records]
        if self.settings.epoch_path and texts:
            self._write(self.settings.epoch_path, texts, now, self.settings.epoch_max_size)
        if self.settings.epoch_directory:
            for record, text in zip(records, texts, strict=True):
                name = f"job.runs.{record.job.cluster}.{record.job.proc}.ads"
                self._write(f"{self.settings.epoch_directory}/{name}", [text], now, 0)

    def _write(self, path: str, texts: Sequence[str], now: int, max_size: int) -> None:
        data = "".join(texts).encode("utf-8", "surrogateescape")

        def move(fs: FileSystem) -> None:
            rotate(fs, path, self.settings.epoch_rotations, now)

        append_limited(path, data, max_size, move, self.fs, "cannot write the records of runs")
