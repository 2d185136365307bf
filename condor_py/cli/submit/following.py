"""``condor_submit -wait``: until the jobs have ended, as the queue tells it; how they ended, the history knows."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView
    from condor_py.lang.classad import ClassAd

#: Seconds between two checks of a queue that changes, and that does not.
_AT_LEAST, _AT_MOST = 0.2, 1.0
_INTERRUPTED = 130
#: The status where no job can continue before a user acts: that of sysexits' EX_TEMPFAIL.
STUCK = 75
#: Seconds for which no job can continue before the wait ends: a hold may be lifted, an ad be about to change.
_STUCK_FOR = 3.0
#: Between two searches for a job that can continue: so many times as long as one takes.
_SEARCH_PAUSE = 10
#: Seconds between two looks at what the first idle job waits for, at least.
_REASON_PAUSE = 5.0
#: So much of an error file is read for its last line.
_LAST_BYTES = 1000
_OVER = (str(int(JobStatus.REMOVED)), str(int(JobStatus.COMPLETED)))
_HELD, _IDLE = str(int(JobStatus.HELD)), str(int(JobStatus.IDLE))
_RELEASING = ("SYSTEM_PERIODIC_RELEASE", "SYSTEM_PERIODIC_RELEASE_NAMES")
_WORDS = {JobStatus.RUNNING: "running", JobStatus.IDLE: "idle", JobStatus.HELD: "held"}


def wait_for_jobs(pool: Pool, clusters: list[tuple[int, int]], *, quiet: bool = False) -> int:
    """Waits until all jobs of (cluster, number of jobs) have ended.

    The highest exit status of them, as ``sbatch --wait`` has it: 128 and its number for a signal, 1 for a removed job.
    STUCK where jobs are left and none of them can continue: all are held, or can never run in this pool. ``quiet``: no
    progress is shown.
    """
    followed = _Followed(pool, clusters, quiet=quiet)
    try:
        followed.wait()
    except KeyboardInterrupt:
        numbers = " ".join(str(cluster) for cluster, _ in clusters)
        followed.clear()
        sys.stderr.write(f"condor_submit: the jobs stay in the queue; condor_rm {numbers} removes them\n")
        return _INTERRUPTED
    return STUCK if followed.stuck else followed.status()


class _Followed:
    """Clusters and how far they are."""

    def __init__(self, pool: Pool, clusters: list[tuple[int, int]], *, quiet: bool) -> None:
        from condor_py.client.progress import Line, may_show

        self._pool = pool
        self._clusters = clusters
        self._total = sum(count for _, count in clusters)
        #: Held jobs, and how often they had been held when it was reported.
        self._told: dict[JobId, str | None] = {}
        self._begin = pool.now()
        #: Jobs that stay in the queue although they have ended (leave_in_queue).
        self._left: dict[JobId, ClassAd] = {}
        self._line = Line() if not quiet and may_show() else None
        self._since = time.monotonic()
        #: Whether no job can continue, and since when (``time.monotonic``).
        self.stuck = False
        self._stuck_since: float | None = None
        self._next_search = 0.0
        self._never_told: set[str] = set()
        #: What the first idle job waits for, and when to look again (``time.monotonic``).
        self._reason = ""
        self._next_reason = 0.0

    def wait(self) -> None:
        """Return when no job has still to run, or none can continue."""
        from condor_py.cli.idle_pool import say_that_it_waits
        from condor_py.client.watch import FileWatch

        if not sys.stderr.isatty():  # on a terminal the submit has written it
            say_that_it_waits(self._pool)
        sys.stdout.flush()
        watch = FileWatch(self._pool.paths.job_queue_log)
        while not self._look(self._pool.read_queue()) and not self.stuck:
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
            why = self._why_none_runs(view) if states and set(states) <= {_IDLE, _HELD} else ""
            self._line.show(self._progress(states, active) + why)
        waiting = coming + states[_IDLE] + states[_HELD]
        self._see_whether_stuck(view, all_wait=bool(active) and not coming and waiting == active)
        if not active:
            self._left = {job: ad for cluster, _ in self._clusters for job, ad in view.table.procs_of(cluster)}
        return not active

    def _why_none_runs(self, view: QueueView) -> str:
        """Return the reason why the first of the idle jobs waits, as the end of a line; looked for now and then."""
        begin = time.monotonic()
        if begin >= self._next_reason:
            from condor_py.cli.waiting import around_pool
            from condor_py.cli.waiting.alike import alike

            groups = [(cluster, view.procs(cluster)) for cluster, _ in self._clusters]
            waiting = (one for one in alike(view, groups, around_pool(self._pool, view)) if not one.held)
            first = next(waiting, None)
            self._reason = f": {first.reasons[0].text}" if first is not None and first.reasons else ""
            self._next_reason = begin + max(_REASON_PAUSE, _SEARCH_PAUSE * (time.monotonic() - begin))
        return self._reason

    def _progress(self, states: Counter[str], active: int) -> str:
        """Return how far the jobs are, of which ``active`` have not ended, and how long the rest takes at that rate."""
        from condor_py.client.progress import amount, time_left

        done = self._total - active
        words = [f"{states[str(int(status))]:,} {word}" for status, word in _WORDS.items() if states[str(int(status))]]
        left = time_left(time.monotonic() - self._since, done / self._total)
        return ", ".join(filter(None, [f"{amount(done, self._total, 'jobs')} done", *(words or ["others wait"]), left]))

    def _see_whether_stuck(self, view: QueueView, *, all_wait: bool) -> None:
        """Note whether no job has been able to continue for some time; ``all_wait``: every job left is idle or held."""
        begin = time.monotonic()
        if all_wait and begin < self._next_search:
            return
        if not all_wait or not self._none_can_go_on(view):
            self._stuck_since = None
            return
        now = time.monotonic()
        self._next_search = now + _SEARCH_PAUSE * (now - begin)
        self._stuck_since = now if self._stuck_since is None else self._stuck_since
        if now - self._stuck_since >= _STUCK_FOR:
            self.clear()
            self.stuck = True
            numbers = " ".join(str(cluster) for cluster, _ in self._clusters if view.procs(cluster))
            sys.stderr.write(
                f"condor_submit: no job can continue; they stay in the queue, condor_rm {numbers} removes them\n"
            )

    def _none_can_go_on(self, view: QueueView) -> bool:
        """Whether every job left is held with nothing that releases it, or can never run. Tells why of the latter."""
        from condor_py.cli.waiting import around_pool, why_it_waits

        config = self._pool.config
        if any(config.string(knob).lower() not in ("", "false") for knob in _RELEASING):
            return False
        around = around_pool(self._pool, view)
        never: dict[str, list[str]] = {}
        for cluster, _ in self._clusters:
            for proc in view.procs(cluster):
                job = view.job(JobId(cluster, proc))
                if job is None or str(job.eval_int("JobStatus")) in _OVER:
                    continue
                if (job.text("PeriodicRelease") or "false").lower() != "false":
                    return False
                reasons = why_it_waits(job, around) if around.slots else []
                if not any(reason.final for reason in reasons):
                    return False
                if job.eval_int("JobStatus") == JobStatus.IDLE:
                    never.setdefault(reasons[0].text, []).append(f"{cluster}.{proc}")
        for text, jobs in never.items():
            if text not in self._never_told:
                self._never_told.add(text)
                self.clear()
                sys.stderr.write(f"condor_submit: job {jobs[0]} will never run here: {text}\n")
        return True

    def _tell_held(self, view: QueueView, cluster: int, held: list[JobId]) -> None:
        """Report why held jobs wait for a user, once for each hold (it may have run between two checks)."""
        from condor_py.cli.waiting import held_because

        times = view.texts("NumHolds", [(cluster, [job.proc for job in held])] if held else [])
        now = dict(zip(held, times, strict=True))
        for job, number in now.items():
            ad = view.job(job) if job not in self._told or self._told[job] != number else None
            if ad is not None:
                self.clear()
                reason = held_because(ad)
                sys.stderr.write(f"condor_submit: job {job}: {reason.text}; what helps: {reason.help}\n")
        self._told = {job: number for job, number in self._told.items() if job.cluster != cluster} | now

    def status(self) -> int:
        """Return the highest exit status, and report how jobs failed."""
        from condor_py.store.history import records_newest_first

        missing = self._total - len(self._left)
        ended = [*self._left.values()]
        numbers = {cluster for cluster, _ in self._clusters}
        path = self._pool.paths.history
        for record in records_newest_first(path) if missing and path else ():
            job = record.job()
            if job is None or record.kind() != "JOB":
                continue
            if job.cluster in numbers and job not in self._left:  # its record may be there since the queue was read
                ended.append(record.ad())
                missing -= 1
            when = record.written()
            if not missing or (when is not None and when < self._begin - 1):
                break
        worst = max((_status_of(ad) for ad in ended), default=0)
        _report_failures([ad for ad in ended if _status_of(ad)])
        if missing:
            sys.stderr.write(f"condor_submit: the history does not tell how {missing:,} of the jobs ended\n")
            worst = max(worst, 1)
        return worst


def _report_failures(failed: list[ClassAd]) -> None:
    """Write a line for each way in which jobs failed, with the first job that did and the end of its error file."""
    ways: dict[str, list[ClassAd]] = {}
    for ad in sorted(failed, key=lambda ad: (ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", 0))):
        ways.setdefault(_failure_of(ad), []).append(ad)
    for way, ads in ways.items():
        job = f"{ads[0].eval_int('ClusterId')}.{ads[0].eval_int('ProcId')}"
        jobs = f"{len(ads):,} jobs (first {job})" if len(ads) > 1 else f"job {job}"
        sys.stderr.write(f"condor_submit: {jobs}: {way}{_last_words(ads[0])}\n")


def _failure_of(ad: ClassAd) -> str:
    if ad.eval_int("JobStatus", 0) == JobStatus.REMOVED:
        return f"removed: {ad.eval_str('RemoveReason') or 'no reason is given'}"
    if ad.eval_bool("ExitBySignal", False):
        return f"killed by signal {ad.eval_int('ExitSignal', 0)}"
    return f"exit status {ad.eval_int('ExitCode', 0)}"


def _last_words(ad: ClassAd) -> str:
    """Return the last line of the job's error file, if it is a file with text."""
    from condor_py.machine.run.userfiles import user_file
    from condor_py.model.texts import printable

    name = ad.eval_str("Err", "")
    try:
        with user_file(os.path.join(ad.eval_str("Iwd", ""), name), "rb", links=True) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
            lines = file.read(_LAST_BYTES).decode(errors="replace").split("\n")
    except (OSError, ValueError):
        return ""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return f"; {name} ends with: {printable(last.strip())}" if last else ""


def _status_of(ad: ClassAd) -> int:
    if ad.eval_int("JobStatus", 0) == JobStatus.REMOVED:
        return 1
    if ad.eval_bool("ExitBySignal", False):
        return 128 + ad.eval_int("ExitSignal", 0)
    return min(255, ad.eval_int("ExitCode", 0))
