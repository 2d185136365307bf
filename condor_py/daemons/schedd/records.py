"""Records of the schedd about jobs that leave and about runs: history, per-job history, records of runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from condor_py.core.jobs.effects import RunRecord
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError, described
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store import epochs
from condor_py.store.history import HistoryError, HistoryWriter, write_per_job
from condor_py.store.job_queue import JobQueue

_ID = "GlobalJobId"
_PLAIN = re.compile(r'"[^"\\]*"')


class JobRecords:
    """The history decides whether a job was recorded; what fails of the rest is only complained about."""

    def __init__(self, history: str, complain: Callable[[str], None]) -> None:
        self._history = HistoryWriter(history)
        self._complain = complain
        self._waiting: list[epochs.RunRecord] = []
        self.configure(HistorySettings())

    def configure(self, settings: HistorySettings) -> None:
        """New settings hold from the next record on."""
        self._settings = settings
        self._history.configure(settings.max_size, settings.rotations, settings.every, environment=settings.environment)
        self._epochs = epochs.EpochWriter(settings)

    @property
    def runs_wanted(self) -> bool:
        """Whether anybody keeps records of runs."""
        return self._epochs.wanted

    def left(self, ads: Sequence[ClassAd], now: int) -> None:
        """Jobs leave the queue: their records are on the medium on return. Raises HistoryError."""
        try:
            self._history.append(ads, now)
            for note in self._history.take_notes():
                self._complain(note)
        except HistoryError as error:
            self._write_per_job(ads[: error.written])
            raise
        self._write_per_job(ads)

    def _write_per_job(self, ads: Sequence[ClassAd]) -> None:
        for ad in ads if self._settings.per_job_directory else ():
            try:
                write_per_job(self._settings.per_job_directory, ad)
            except StoreError as error:
                self._complain(str(error))
            except Exception as error:  # whatever it is: the job is in the history, and must not get there twice
                self._complain(f"ERROR cannot write the per-job history: {described(error)}")

    def add(self, record: RunRecord) -> None:
        """A run started or ended; written by ``flush``."""
        self._waiting.append(epochs.RunRecord(record.kind, record.job, record.run, record.owner, record.items))

    def flush(self, now: int) -> None:
        """Writes the records of runs."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._epochs.append(waiting, now)
        except StoreError as error:
            self._complain(str(error))


def recorded_jobs(queue: JobQueue, written: AbstractSet[str]) -> set[JobId]:
    """The jobs of a queue whose GlobalJobIds are in the history. Ads that say theirs in plain words are not read."""
    found: set[JobId] = set()
    quoted = {f'"{name}"' for name in written}
    for cluster, procs in queue.groups():
        (texts,) = queue.own_texts(cluster, procs, (_ID.lower(),))
        found.update([JobId(cluster, proc) for proc, text in zip(procs, texts, strict=True) if text in quoted])
        odd = [proc for proc, text in zip(procs, texts, strict=True) if text is None or not _PLAIN.fullmatch(text)]
        for proc in odd:
            ad = queue.job(job := JobId(cluster, proc))
            if ad is not None and (ad.eval_str(_ID, None) or str(job)) in written:
                found.add(job)
            queue.rest(cluster, (proc,))
    return found
