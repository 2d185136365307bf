"""The pool as the pages know it, and what has changed: one look for all who watch."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from condor_py.cli.top.look import LiveJobs
from condor_py.cli.waiting import Around, limited_records
from condor_py.cli.web.batches import Batches
from condor_py.client.pool import Pool
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.errors import CondorError
from condor_py.store.ad_store import AdStore

if TYPE_CHECKING:
    from condor_py.client.queue_view import QueueView
    from condor_py.lang.classad import ClassAd

#: What can change: jobs; slots; priorities and submitters; finished jobs; states of DAGs; daemons.
SUBJECTS = ("queue", "slots", "accounts", "history", "dag", "daemons")
#: Files that a subject may have besides its own.
_MOST_FOLLOWED = 64
#: Seconds of a look that is long, and the rest after it, in looks.
_LONG, _REST = 0.1, 10
#: Bytes of changes after which the queue is opened again: that is quicker than playing the records of very many jobs,
#: and takes less memory than jobs whose ads have changed.
_MUCH = 4 << 20


class WatchedPool(Pool):
    """The pool for pages and for the functions of other commands that they use: all see the one queue of the watch."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self._watch = watch

    def read_queue(self) -> QueueView:
        """The queue as the watch sees it."""
        return self._watch.jobs.view


class Watch:
    """The one look of this process at its pool. Only one thread uses it at a time."""

    def __init__(self) -> None:
        #: For reading ads, knobs and paths, and for functions of other commands.
        self.pool: Pool = WatchedPool(self)
        pool = self._source = Pool()
        #: How often each subject has changed.
        self.version = dict.fromkeys(SUBJECTS, 0)
        self._store = AdStore(pool.paths.ads)
        self._jobs: LiveJobs | None = None
        self._batches = Batches()
        self._is_still = self._has_looked = False
        self._looked_at: tuple[int, ...] | None = None
        #: Bytes of the queue when it was opened.
        self._opened_at = 0
        self._rests_until = 0.0
        #: Whether the jobs are not read again yet, although the queue has changed.
        self._is_behind = False
        self._files: dict[str, list[str]] = {
            "queue": [pool.paths.job_queue_log],
            "slots": [f"{pool.paths.ads}/STARTD.ads"],
            "accounts": [f"{pool.paths.ads}/{kind}.ads" for kind in ("ACCOUNTING", "SUBMITTERS")],
            "history": [pool.paths.history],
            "dag": [],
            "daemons": [f"{pool.paths.ads}/{kind}.ads" for kind in ("MASTER", "SCHEDD", "NEGOTIATOR", "DEFRAG")],
        }
        self._stamps = {subject: self._stamp(subject) for subject in SUBJECTS}
        self._told: set[str] = set()

    # ---- what pages read --------------------------------------------------------------------------------------------

    @property
    def jobs(self) -> LiveJobs:
        """The jobs of the queue as they are now; only what changed since the last time is read. CondorError."""
        if self._is_still and self._has_looked and self._jobs is not None:
            return self._jobs
        try:
            jobs = self._up_to_date()
        except CondorError:
            self.begin_again()
            raise
        self._has_looked = True
        return jobs

    @contextmanager
    def still(self) -> Iterator[None]:
        """The queue is looked at once: whatever is asked of it meanwhile is of one moment, as a page has to be."""
        self._is_still, self._has_looked = True, False
        try:
            yield
        finally:
            self._is_still = False

    def begin_again(self) -> None:
        """Read the queue as a whole the next time: what is known of it may be wrong."""
        self._source = Pool()
        self._jobs = None
        self._batches = Batches()

    def _up_to_date(self) -> LiveJobs:
        now, seen = self.pool.now(), stamp(self.pool.paths.job_queue_log)
        if self._jobs is not None and seen and seen[1] - self._opened_at > _MUCH:
            self.begin_again()
        jobs = self._jobs
        if jobs is None:
            jobs = self._jobs = LiveJobs(QueueFollower(self._source), now)
            self._opened_at = seen[1] if seen else 0
        elif seen != self._looked_at or not seen:
            self._is_behind = time.monotonic() < self._rests_until
            if self._is_behind:
                return jobs
            self._look(jobs, now)
        jobs.now = now
        self._looked_at = seen
        return jobs

    def _look(self, jobs: LiveJobs, now: int) -> None:
        """Read what has changed. A long look (at a long queue that the schedd is asked for) is followed by a rest
        of many times as long."""
        begun = time.monotonic()
        jobs.look(now)
        took = time.monotonic() - begun
        self._rests_until = begun + took * _REST if took > _LONG else 0.0

    @property
    def batches(self) -> Batches:
        """The batches of the jobs as they are now. CondorError."""
        self._batches.update(self.jobs)
        return self._batches

    def reasoned_jobs(self) -> LiveJobs:
        """Return the jobs, whose rows say why they wait. CondorError."""
        jobs, slots = self.jobs, self.slots()
        limited = limited_records(jobs.view)
        accounts = self.ads("ACCOUNTING")
        jobs.around = Around(slots, jobs.now, lambda: accounts, limited=lambda: limited) if slots else None
        return jobs

    def ads(self, kind: str) -> list[ClassAd]:
        """Return the published ads of a kind (STARTD ...), which are shared: do not change them. CondorError."""
        return self._store.read(kind)

    def slots(self) -> list[ClassAd]:
        """Return the ads of the slots."""
        return [ad for ad in self.ads("STARTD") if ad.eval_str("State", None) is not None]

    # ---- what changed -----------------------------------------------------------------------------------------------

    def follow(self, subject: str, path: str) -> None:
        """Let changes of a file count as changes of a subject from now on: at most 64 files, the oldest goes."""
        paths = self._files[subject]
        if path not in paths:
            paths.append(path)
            del paths[: max(0, len(paths) - _MOST_FOLLOWED)]
            self._stamps[subject] = self._stamp(subject)

    def tell(self, subject: str) -> None:
        """Note that a subject has changed, from any thread."""
        self._told.add(subject)

    def changed(self) -> set[str]:
        """Return the subjects that changed since the last call; it costs a few calls of stat."""
        found = set()
        for subject in SUBJECTS:
            stamps = self._stamp(subject)
            if stamps != self._stamps[subject] or subject in self._told:
                self._told.discard(subject)
                self._stamps[subject] = stamps
                self.version[subject] += 1
                found.add(subject)
        if self._is_behind and time.monotonic() >= self._rests_until:
            found.add("queue")
        return found

    def _stamp(self, subject: str) -> list[tuple[int, ...]]:
        return [stamp(path) for path in self._files[subject]]


def stamp(path: str) -> tuple[int, ...]:
    """Return what differs when a file has changed; empty when it does not exist or cannot be seen."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns
