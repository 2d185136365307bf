"""``condor_submit -wait``: until the jobs have ended, as the queue tells it; how they ended, the history knows."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.access.pool import Pool
    from condor_py.access.queue_view import QueueView
    from condor_py.classad import ClassAd

#: Seconds between two looks at a queue that changes, and that does not.
_AT_LEAST, _AT_MOST = 0.2, 1.0
_INTERRUPTED = 130
_OVER = (str(int(JobStatus.REMOVED)), str(int(JobStatus.COMPLETED)))
_HELD = str(int(JobStatus.HELD))
_WORDS = {JobStatus.RUNNING: "running", JobStatus.IDLE: "idle", JobStatus.HELD: "held"}


def wait_for_jobs(pool: Pool, clusters: list[tuple[int, int]]) -> int:
    """Waits until all jobs of (cluster, number of jobs) have ended.

    The highest exit status of them, as ``sbatch --wait`` has it: 128 and its number for a signal, 1 for a removed job.
    """
    followed = _Followed(pool, clusters)
    try:
        followed.wait()
    except KeyboardInterrupt:
        numbers = " ".join(str(cluster) for cluster, _ in clusters)
        followed.clear()
        sys.stderr.write(f"condor_submit: the jobs stay in the queue; condor_rm {numbers} removes them\n")
        return _INTERRUPTED
    return followed.status()


class _Followed:
    """Clusters and how far they are."""

    def __init__(self, pool: Pool, clusters: list[tuple[int, int]]) -> None:
        from condor_py.access.progress import Line

        self._pool = pool
        self._clusters = clusters
        self._total = sum(count for _, count in clusters)
        #: Held jobs, and how often they had been held when it was told.
        self._told: dict[JobId, str | None] = {}
        self._begin = pool.now()
        #: Jobs that stay in the queue although they have ended (leave_in_queue).
        self._left: dict[JobId, ClassAd] = {}
        self._line = Line() if sys.stderr.isatty() else None

    def wait(self) -> None:
        """Returns when no job has still to run."""
        from condor_py.tools.watch import FileWatch

        sys.stdout.flush()
        watch = FileWatch(self._pool.paths.job_queue_log)
        while not self._look(self._pool.read_queue()):
            time.sleep(_AT_LEAST)
            watch.wait(_AT_MOST - _AT_LEAST)
        watch.close()
        self.clear()

    def clear(self) -> None:
        """Takes the line about the progress away."""
        if self._line is not None:
            self._line.clear()

    def _look(self, view: QueueView) -> bool:
        """Tells what is new; whether all is over."""
        states: Counter[str] = Counter()
        coming = 0
        for cluster, count in self._clusters:
            procs = view.procs(cluster)
            texts = view.texts("JobStatus", [(cluster, procs)] if procs else [])
            states.update(text or "" for text in texts)
            held = [JobId(cluster, proc) for proc, text in zip(procs, texts, strict=True) if text == _HELD]
            self._tell_held(view, cluster, held)
            made = view.cluster_text(cluster, "jobmaterializenextprocid")
            coming += max(0, count - int(made)) if made is not None and made.isdigit() else 0
        active = coming + states.total() - sum(states[word] for word in _OVER)
        if self._line is not None and active:
            words = [
                f"{states[str(int(status))]:,} {word}" for status, word in _WORDS.items() if states[str(int(status))]
            ]
            self._line.show(
                f"{self._total - active:,} of {self._total:,} jobs done, {', '.join(words) or 'others wait'}"
            )
        if not active:
            self._left = {job: ad for cluster, _ in self._clusters for job, ad in view.table.procs_of(cluster)}
        return not active

    def _tell_held(self, view: QueueView, cluster: int, held: list[JobId]) -> None:
        """A held job waits for a person: he is told why, once for each hold (it may have run between two looks)."""
        times = view.texts("NumHolds", [(cluster, [job.proc for job in held])] if held else [])
        now = dict(zip(held, times, strict=True))
        for job, number in now.items():
            ad = view.job(job) if job not in self._told or self._told[job] != number else None
            if ad is not None:
                self.clear()
                reason = ad.eval_str("HoldReason", None) or "no reason is given"
                sys.stderr.write(f"condor_submit: job {job} is held: {reason}; condor_release {job} lets it go on\n")
        self._told = {job: number for job, number in self._told.items() if job.cluster != cluster} | now

    def status(self) -> int:
        """The highest exit status."""
        from condor_py.store.history import records_newest_first

        missing = self._total - len(self._left)
        worst = max((_status_of(ad) for ad in self._left.values()), default=0)
        numbers = {cluster for cluster, _ in self._clusters}
        path = self._pool.paths.history
        for record in records_newest_first(path) if missing and path else ():
            job = record.job()
            if job is None or record.kind() != "JOB":
                continue
            if job.cluster in numbers:
                worst, missing = max(worst, _status_of(record.ad())), missing - 1
            ended = record.fields().get("CurrentTime", "")
            if not missing or (ended.isdigit() and int(ended) < self._begin - 1):
                break
        if missing:
            sys.stderr.write(f"condor_submit: the history does not tell how {missing:,} of the jobs ended\n")
            worst = max(worst, 1)
        return worst


def _status_of(ad: ClassAd) -> int:
    if ad.eval_int("JobStatus", 0) == JobStatus.REMOVED:
        return 1
    if ad.eval_bool("ExitBySignal", False):
        return 128 + (ad.eval_int("ExitSignal", 0) or 0)
    return min(255, ad.eval_int("ExitCode", 0) or 0)
