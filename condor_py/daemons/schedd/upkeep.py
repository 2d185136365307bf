"""Periodic work of the schedd, in slices so that no client waits: periodic expressions, rewrites of the log, and marks
of users without jobs."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.jobs.events import PoliciesDue, QueueChanged, UpdatesDue
from condor_py.daemons.common.loop import monotonic
from condor_py.daemons.common.oldobjects import give_memory_back
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError, described
from condor_py.model.record import Entry
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.store.credentials import TicketFiles, TokenFiles, is_name
from condor_py.store.table import Compaction

#: Seconds of one look at periodic expressions, and the pause before the next as a multiple of the time that it took.
_JUDGE_SLICE = 0.1
_JUDGE_PAUSE = 3.0
#: Seconds after which a look at the jobs whose starter reported something is tried again if it failed.
_JUDGE_AGAIN = 10.0
#: A rewrite of the log takes so many ads in a turn of the loop, and leaves others this time before the next.
_COMPACT_ADS = 400
_COMPACT_PAUSE = 0.004
#: Bytes that the log may have, without jobs and for each job, before it is rewritten out of turn.
_SPARE = 1 << 20
_FOR_A_JOB = 1 << 12
#: Memory of so many jobs that have left goes back to the system, and when so few of many are left.
_MANY_LEFT, _FEW_LEFT = 1000, 100
#: Seconds of one look for the owners of jobs, and between two.
_OWNERS_SLICE = 0.01
_OWNERS_PAUSE = 0.03


class Judging:
    """Periodic expressions, which may be as costly as users like; the others are served in between."""

    def __init__(self, shared: Shared) -> None:
        self._loop, self._core, self._inbox = shared.loop, shared.core, shared.inbox
        self._all = self._updated = False

    def begin(self) -> None:
        """All jobs that have any, unless that goes on already."""
        if not self._all and self._core.known:
            self._all = True
            self._inbox.collect(self._judge)

    def follow_updates(self) -> None:
        """The jobs whose starter reported something, if there are any: in the next batch, which comes at once."""
        if self._core.updates_left and not self._updated:
            self._updated = True
            self._inbox.later(self._judge_updated)

    def _judge(self, moment: int) -> None:
        begun = monotonic()
        self._all = False  # should this fail, the next look begins again
        self._core.handle(PoliciesDue(lambda: monotonic() - begun > _JUDGE_SLICE), moment)
        if self._core.policies_left:
            self._all = True
            self._go_on(self._judge, begun)

    def _judge_updated(self, moment: int) -> None:
        begun = monotonic()
        try:
            self._core.handle(UpdatesDue(lambda: monotonic() - begun > _JUDGE_SLICE), moment)
        except Exception:  # not at once: the next batch would fail as well
            self._inbox.after(_JUDGE_AGAIN, self._judge_updated)
            raise
        if self._core.updates_left:
            self._go_on(self._judge_updated, begun)
        else:
            self._updated = False

    def _go_on(self, step: Callable[[int], None], begun: float) -> None:
        pause = (monotonic() - begun) * _JUDGE_PAUSE
        self._loop.after(pause, lambda: self._inbox.collect(step))


class Leftovers:
    """Memory that many jobs have needed. It goes back to the system whenever half of them have left, and when nearly
    all have."""

    def __init__(self, shared: Shared) -> None:
        self._core = shared.core
        self._most = 0  # jobs since it was given back last
        self._last = False  # the last of many have yet to leave

    def follow_departures(self) -> None:
        """Look whether so many have left."""
        jobs = len(self._core.known)
        if jobs > self._most:
            self._most = jobs
        elif 2 * jobs < self._most and (self._most - jobs >= _MANY_LEFT or (self._last and jobs < _FEW_LEFT)):
            self._most, self._last = jobs, jobs >= _FEW_LEFT
            give_memory_back()


class LogRewrites:
    """Rewrites of the queue's log, which go on between the turns of the loop."""

    def __init__(self, shared: Shared) -> None:
        self._loop, self._log = shared.loop, shared.log
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._compaction: Compaction | None = None
        self._size = self._jobs = 0  # bytes of the log, and jobs, after the last one

    def follow_departures(self) -> None:
        """Begins one where most of the log tells of jobs that have left: it is long for the jobs that there are, and
        has doubled since the last rewrite, or half of the jobs have left."""
        size, jobs = self._queue.size, len(self._core.known)
        if size > _SPARE + _FOR_A_JOB * jobs and (size > 2 * self._size or 2 * jobs < self._jobs):
            self.begin()

    def begin(self) -> None:
        """Begins one, unless one goes on."""
        if self._compaction is None:
            self._step(lambda: self._queue.compaction(self._core.settings.max_job_queue_log_rotations))

    def finish(self) -> None:
        """The schedd leaves: the log is rewritten whole."""
        if self._compaction is not None:
            self._compaction.drop()
        try:
            self._queue.compact(self._core.settings.max_job_queue_log_rotations)
        except StoreError as error:
            self._log(str(error))

    def _go_on(self) -> None:
        compaction = self._compaction
        if compaction is not None:
            self._step(lambda: compaction if compaction.step(_COMPACT_ADS) else compaction.finish())

    def _step(self, step: Callable[[], Compaction | list[Entry]]) -> None:
        """The last step has what others wrote meanwhile."""
        try:
            done = step()
        except Exception as error:  # it is given up, and the next one begins again
            self._log(str(error) if isinstance(error, StoreError) else f"ERROR in a rewrite: {described(error)}")
            if self._compaction is not None:
                self._compaction.drop()
            self._compaction = None
            self._ended()
            return
        begun = self._compaction is None
        self._compaction = done if isinstance(done, Compaction) else None
        records = done.caught_up if isinstance(done, Compaction) else done
        if begun or self._compaction is None:
            self._inbox.news(QueueChanged(records))
        if self._compaction is None:
            self._ended()
            give_memory_back()
        else:
            self._loop.after(_COMPACT_PAUSE, self._go_on)

    def _ended(self) -> None:
        self._size, self._jobs = self._queue.size, len(self._core.known)


class CredentialMarks:
    """Marks in the directories of credentials: of users who have submitted before and have no jobs now. condor_credd
    removes what they have stored when a mark is old enough."""

    def __init__(self, shared: Shared, settings: Callable[[], CredentialSettings]) -> None:
        self._loop, self._log, self._queue = shared.loop, shared.log, shared.queue
        self._settings = settings
        self._clusters: list[int] = []
        self._owners: set[str] = set()

    def begin(self) -> None:
        """Begin a look at all users, where credentials are kept and unless one is under way."""
        settings = self._settings()
        if (settings.oauth or settings.krb) and not self._clusters:
            self._clusters, self._owners = self._queue.clusters(), set()
            self._step(settings)

    def _step(self, settings: CredentialSettings) -> None:
        try:
            self._look()
            if self._clusters:
                self._loop.after(_OWNERS_PAUSE, lambda: self._step(settings))
            else:
                self._finish(settings)
        except Exception as error:  # it is given up, and the next one begins again
            self._clusters = []
            why = str(error) if isinstance(error, (OSError, StoreError)) else described(error)
            self._log(f"ERROR: cannot mark the credentials of users: {why}")

    def _look(self) -> None:
        """Note the owners of some clusters."""
        begun = monotonic()
        while self._clusters and monotonic() - begun < _OWNERS_SLICE:
            ad = self._queue.cluster(self._clusters.pop())
            if ad is not None:
                self._owners.add(_account(ad))

    def _finish(self, settings: CredentialSettings) -> None:
        users = {_account(ad) for ad in self._queue.user_records.values()} | self._owners
        for files in (TokenFiles(settings.oauth), TicketFiles(settings.krb)):
            for user in filter(is_name, users if files.top else ()):
                if user in self._owners:
                    files.clear_mark(user)
                else:
                    files.mark(user)


def _account(ad: ClassAd) -> str:
    """The account of the owner of a job, or of the user of a record."""
    name = ad.eval_str("OsUser", None) or ad.eval_str("Owner", None) or ad.eval_str("User", "") or ""
    return name.partition("@")[0]
