"""Finished jobs on their way out of the queue: their history first, then their removal, then their files."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from time import thread_time

from condor_py.client.lateevents import LateEvents
from condor_py.client.spooling import clear_room, has_room
from condor_py.core.jobs.effects import Leave
from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.schedd.checkpointcleaner import CheckpointCleaner
from condor_py.daemons.schedd.records import JobRecords
from condor_py.daemons.schedd.slices import PieceSize
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.kinds import is_plain
from condor_py.model.errors import described
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus
from condor_py.store import logreader
from condor_py.store.history import LAST_WRITTEN, HistoryError

#: Seconds that a finished job waits for others that finish, before their history is written together.
_TOGETHER = 0.025
#: Seconds that they then wait for a batch with other records, which takes them out of the queue as well; after that a
#: batch comes for them alone.
_ALONG = 0.01
#: Attributes that decide whether a job has files in the spool (``has_room``, ``CheckpointCleaner.left``).
_FILES = (
    "successcheckpointexitcode", "whentotransferoutput", "holdreasoncode", "lastholdreasoncode", "stageinstart",
    "checkpointdestination", "jobuniverse", "wantparallelscheduling",
)  # fmt: skip
#: Fewer jobs than these are looked at one by one for files.
_MANY = 8
#: The most removed jobs that leave together in the next turn; more of them leave in pieces. With so many finished jobs
#: of any kind a batch comes at once.
_PROMPT = 100
#: Seconds until a history that could not be written is tried again.
_RETRY = 1.0


class Departures:
    """Finished jobs: ``add`` takes them, ``write`` writes their history, ``take`` hands over those whose history is on
    the medium, to be removed from the queue. Jobs whose events could not be written yet wait. Many jobs that were
    removed together leave in pieces, after the user who removed them has the answer.
    """

    def __init__(
        self,
        loop: Loop,
        records: JobRecords,
        spool: str,
        log: Callable[[str], None],
        cleaner: CheckpointCleaner,
        late: LateEvents,
    ) -> None:
        self._loop = loop
        self._records = records
        self._spool = spool
        self._log = log
        self._remover = Remover(loop, log, spool)
        self._cleaner = cleaner
        self._late = late
        #: Whether jobs that could not leave are to be tried again.
        self._retries = False
        #: Whether removed jobs are to leave in the next turn.
        self._soon = False
        #: Whether the last ``write`` could not write.
        self._broken = False
        #: Whether the queue cannot be written.
        self._paused = False
        #: Whether finished jobs no longer wait for a batch that has other records.
        self._go = False
        #: Jobs whose history is to be written.
        self._leaving: list[tuple[JobId, ClassAd]] = []
        #: Jobs whose history is written.
        self._finished: list[JobId] = []
        #: Jobs whose lists of checkpoints a child sets aside, and those for which it has.
        self._retiring: set[JobId] = set()
        self._retired: set[JobId] = set()
        #: Removed jobs that leave piece by piece.
        self._later: deque[tuple[JobId, ClassAd]] = deque()
        self._size = PieceSize()

    def add(self, leave: Leave) -> None:
        """Let jobs leave. All that end within a moment leave together, with one write and one sync of the history.
        Removed jobs leave in the next turn, as users expect them to be gone when they read of the removal; many of them
        leave in pieces, after all have been marked as removed."""
        is_many = bool(self._later) or len(self._leaving) + len(leave.jobs) > _PROMPT
        if leave.status == JobStatus.REMOVED and is_many:
            if not self._later:
                self._loop.when_idle(self._write_piece, last=True)
            self._later.extend(zip(leave.jobs, leave.ads, strict=True))
            return
        if leave.status == JobStatus.REMOVED:
            if not self._soon:
                self._soon = True
                self._loop.after(0.0, self.write)
        elif not self._leaving:
            self._loop.after(_TOGETHER, self.write)
        self._leaving += zip(leave.jobs, leave.ads, strict=True)

    def _write_piece(self) -> None:
        """Write the history of the next piece of removed jobs. Another piece follows when there is no other work."""
        begun, later = thread_time(), self._later
        count = min(self._size.jobs, LAST_WRITTEN, len(later))
        self._leaving += [later.popleft() for _ in range(count)]
        self._loop.at_turn_end(lambda: self._size.took(count, thread_time() - begun))
        self._soon = True
        self.write()
        if later and self._broken:
            self._loop.after(_RETRY, self._write_piece)
        elif later:
            self._loop.when_idle(self._write_piece, last=True)

    def write_all(self, carry_out: Callable[[], None]) -> None:
        """Write the history of all jobs, before the daemon ends; ``carry_out`` takes the written ones out of the
        queue."""
        while self._later and not self._broken:
            self._leaving += [self._later.popleft() for _ in range(min(LAST_WRITTEN, len(self._later)))]
            self.write()
            self._let_go()
            carry_out()
        for _ in range(len(self._leaving) // LAST_WRITTEN + 1):
            self.write()
            self._let_go()
            carry_out()

    def pause(self) -> None:
        """Write no history while the queue cannot be written: the history would get ahead of the queue, and after a
        crash only its last records are compared with the queue."""
        self._paused = True

    def resume(self) -> None:
        """Continue after ``pause``: the queue has been written."""
        if self._paused:
            self._paused = False
            self._loop.after(0.0, self.write)

    def write(self) -> None:
        """Write the history of jobs that leave, and let their files be removed. What fails is tried again."""
        is_prompt = self._soon
        self._soon = self._broken = False
        if self._paused:
            self._broken = True
            return
        waiting, self._leaving = self._leaving[:LAST_WRITTEN], self._leaving[LAST_WRITTEN:]
        if self._leaving:
            self._loop.after(0.0, self.write)
        self._write_those(waiting, is_prompt)

    def _write_those(self, waiting: list[tuple[JobId, ClassAd]], is_prompt: bool) -> None:
        """Write the history of these jobs. Where that fails in a way that nobody has foreseen, each is tried alone, and
        those that fail again are tried later: no job stays for ever because of another one."""
        try:
            self._write_together(waiting, is_prompt)
        except Exception as error:
            settled = {*self._finished, *self._retiring, *(job for job, _ in self._leaving)}
            rest = [(job, ad) for job, ad in waiting if job not in settled]
            if len(rest) > 1:
                for one in rest:
                    self._write_those([one], is_prompt)
                return
            jobs = "".join([f"job {job} stays in the queue until it works: " for job, _ in rest])
            self._log(f"ERROR while jobs leave: {jobs}{described(error)}")
            self._leaving += rest
            self._retry_later()

    def _write_together(self, waiting: list[tuple[JobId, ClassAd]], is_prompt: bool) -> None:
        leaving = self._without_late(waiting)
        files = list(_with_files(leaving))
        retiring = {job for job, ad in files if self._retires(job, ad)}
        if retiring:
            leaving = [(job, ad) for job, ad in leaving if job not in retiring]
        if not leaving:
            return
        written = self._write_history(leaving)
        self._finished += written
        if is_prompt or len(self._finished) >= _PROMPT:
            self._let_go()
            self._loop.soon(_nothing)
        else:
            self._loop.after(_ALONG, self._let_go)
        self._remove_files(files, set(written))

    def _without_late(self, waiting: list[tuple[JobId, ClassAd]]) -> list[tuple[JobId, ClassAd]]:
        """Return those of these jobs whose events have been written; the others are tried again later."""
        late = self._late_of(waiting)
        if not late:
            return waiting
        self._leaving += [(job, ad) for job, ad in waiting if job in late]
        self._retry_later()
        return [(job, ad) for job, ad in waiting if job not in late]

    def _write_history(self, leaving: list[tuple[JobId, ClassAd]]) -> list[JobId]:
        """Write the history of jobs. Return those for which that worked; the others are tried again later."""
        count = len(leaving)
        try:
            self._records.left([ad for _, ad in leaving], int(now()))
        except HistoryError as error:
            self._broken = True
            self._log(f"{error}: the jobs stay in the queue until it works")
            count = error.written
            self._leaving = leaving[count:] + self._leaving
            self._retry_later()
        return [job for job, _ in leaving[:count]]

    def _remove_files(self, files: list[tuple[JobId, ClassAd]], gone: set[JobId]) -> None:
        """Let the files be removed that jobs which are gone have in the spool."""
        for job, ad in files:
            if job in gone:
                self._retired.discard(job)
                if has_room(ad):
                    clear_room(self._spool, job, self._remover.take_away)

    def _late_of(self, waiting: Sequence[tuple[JobId, ClassAd]]) -> set[JobId]:
        """Return those of these jobs that cannot leave yet because of events that are not written. Jobs removed with
        condor_rm -forcex do not wait for condor_dagman."""
        late = self._late.jobs().intersection(job for job, _ in waiting)
        if not late:
            return late
        forced = {job for job, ad in waiting if job in late and ad.eval_bool("JobLeaveForced", False)}
        return late - (forced - self._late.jobs(pinned=False))

    def _retires(self, job: JobId, ad: ClassAd) -> bool:
        """Whether the lists of a job's checkpoints have still to be set aside. Then a child does that now, and the job
        leaves after it."""
        if ad.text("CheckpointDestination") is None or job in self._retired:
            return False

        def retired() -> None:
            self._retiring.discard(job)
            self._retired.add(job)
            self._leaving.append((job, ad))
            self._loop.after(0.0, self.write)

        self._cleaner.left(job, ad, retired)
        if job not in self._retired:
            self._retiring.add(job)
        return True

    def _retry_later(self) -> None:
        """Try again, after a moment, the jobs that could not leave."""
        if not self._retries:
            self._retries = True
            self._loop.after(_RETRY, self._retry)

    def _retry(self) -> None:
        self._retries = False
        self.write()

    def look_again(self) -> None:
        """Try the jobs again that wait for their events: some have been written."""
        if self._retries:
            self._loop.after(0.0, self.write)

    @property
    def at_hand(self) -> bool:
        """Whether removed jobs leave in the next turn."""
        return self._soon

    def _let_go(self) -> None:
        """Ask for a batch for the finished jobs, as no other has removed them."""
        self._go = bool(self._finished)

    @property
    def ready(self) -> bool:
        """Whether finished jobs need a batch now."""
        return self._go

    def take(self) -> list[JobId]:
        """Hand over the jobs that may be removed from the queue now."""
        finished, self._finished, self._go = self._finished, [], False
        return finished


def _with_files(leaving: Sequence[tuple[JobId, ClassAd]]) -> Iterator[tuple[JobId, ClassAd]]:
    """Yield those of some jobs that may have files in the spool. Jobs that agree in the attributes that decide it are
    looked at once."""
    for group in _families(leaving):
        kinds = logreader.kinds([ad for _, ad in group], _FILES) if len(group) >= _MANY else [list(range(len(group)))]
        for places in kinds:
            ad = group[places[0]][1]
            plain = len(places) >= _MANY and is_plain(map(ad.merged().get, _FILES))
            if not plain or has_room(ad) or ad.text("CheckpointDestination") is not None:
                yield from (group[place] for place in places)


def _families(leaving: Sequence[tuple[JobId, ClassAd]]) -> Iterator[Sequence[tuple[JobId, ClassAd]]]:
    """Yield neighbours whose ads have the same parent (of a cluster, or shared by several) together."""
    if len({id(ad.parent) for _, ad in leaving}) == 1:
        yield leaving
    else:
        yield from (list(some) for _, some in groupby(leaving, lambda each: id(each[1].parent)))


def _nothing() -> None:
    """The callback of a turn that comes at once, to run a batch."""
