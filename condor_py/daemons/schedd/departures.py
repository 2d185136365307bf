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
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus
from condor_py.store import logreader
from condor_py.store.history import LAST_WRITTEN, HistoryError

#: Seconds that a finished job waits for others that finish, before their history is written together.
_TOGETHER = 0.025
#: Seconds that they then wait for a batch that takes them out of the queue along with what else it writes, before one
#: comes for them alone.
_ALONG = 0.01
#: What decides whether a job has files in the spool (``has_room``, ``CheckpointCleaner.left``); of fewer jobs than so
#: many each is looked at.
_FILES = (
    "successcheckpointexitcode", "whentotransferoutput", "holdreasoncode", "lastholdreasoncode", "stageinstart",
    "checkpointdestination", "jobuniverse", "wantparallelscheduling",
)  # fmt: skip
_MANY = 8
#: Removed jobs that leave in the next turn, whatever others want; so many others do not wait for a batch.
_PROMPT = 100
#: Seconds until a history that could not be written is tried again.
_RETRY = 1.0


class Departures:
    """Jobs whose history is to be written; ``take`` hands over those whose history is on the medium. Jobs with late
    events wait. Many that were removed together leave a piece at a time, when whoever removed them has his answer."""

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
        self._retries = self._soon = self._broken = self._paused = self._go = False
        self._leaving: list[tuple[JobId, ClassAd]] = []
        self._finished: list[JobId] = []
        #: Jobs the lists of whose checkpoints have been set aside.
        self._retired: set[JobId] = set()
        #: Removed jobs that leave piece by piece.
        self._later: deque[tuple[JobId, ClassAd]] = deque()
        self._size = PieceSize()

    def add(self, leave: Leave) -> None:
        """Finished jobs leave together: one history write and one sync for all that end within a moment. For removed
        ones the next turn is soon enough to do so: who reads of the removal expects them to be gone. Where there are
        many the removal of all comes first."""
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
        """Some of those that leave piece by piece; the next follow when nobody else wants anything."""
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
        """Before the daemon ends: all that wait, ``carry_out`` takes out of the queue what was written of them."""
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
        """The queue cannot be written: history records would be more and more ahead of what it says, and after a crash
        no one could tell which jobs have theirs."""
        self._paused = True

    def resume(self) -> None:
        """The queue has been written."""
        if self._paused:
            self._paused = False
            self._loop.after(0.0, self.write)

    def write(self) -> None:
        """Writes the history of all that wait; what fails stays in the queue and is tried again."""
        is_prompt = self._soon
        self._soon = self._broken = False
        if self._paused:
            self._broken = True
            return
        waiting, self._leaving = self._leaving[:LAST_WRITTEN], self._leaving[LAST_WRITTEN:]
        if self._leaving:
            self._loop.after(0.0, self.write)
        late = self._late_of(waiting)
        leaving = [(job, ad) for job, ad in waiting if job not in late] if late else waiting
        if len(leaving) < len(waiting):  # their event logs do not tell all yet
            self._leaving += [(job, ad) for job, ad in waiting if job in late]
            if not self._retries:
                self._retries = True
                self._loop.after(_RETRY, self._retry)
        files = list(_with_files(leaving))
        retiring = {job for job, ad in files if self._retires(job, ad)}
        leaving = [each for each in leaving if each[0] not in retiring] if retiring else leaving
        if not leaving:
            return
        try:
            self._records.left([ad for _, ad in leaving], int(now()))
        except HistoryError as error:
            self._broken = True
            self._log(f"{error}: the jobs stay in the queue until it works")
            self._leaving = leaving[error.written :] + self._leaving
            leaving = leaving[: error.written]
            self._loop.after(_RETRY, self.write)
        self._finished += [job for job, _ in leaving]
        gone = {job for job, _ in leaving}
        for job, ad in files:
            if job in gone:
                self._retired.discard(job)
                if has_room(ad):
                    clear_room(self._spool, job, self._remover.take_away)
        if is_prompt or len(self._finished) >= _PROMPT:
            self._let_go()
            self._loop.soon(_nothing)
        else:
            self._loop.after(_ALONG, self._let_go)

    def _late_of(self, waiting: Sequence[tuple[JobId, ClassAd]]) -> set[JobId]:
        """Return which of these cannot leave for want of their events: condor_rm -forcex waits for no condor_dagman."""
        late = self._late.jobs().intersection(job for job, _ in waiting)
        if not late:
            return late
        forced = {job for job, ad in waiting if job in late and ad.eval_bool("JobLeaveForced", False)}
        return late - (forced - self._late.jobs(pinned=False))

    def _retires(self, job: JobId, ad: ClassAd) -> bool:
        """Whether the lists of a job's checkpoints have yet to be set aside, which a child does now."""
        if ad.text("CheckpointDestination") is None or job in self._retired:
            return False

        def retired() -> None:
            self._retired.add(job)
            self._leaving.append((job, ad))
            self._loop.after(0.0, self.write)

        self._cleaner.left(job, ad, retired)
        return True

    def _retry(self) -> None:
        self._retries = False
        self.write()

    def look_again(self) -> None:
        """Event logs have been written: jobs may leave that had to wait for that."""
        if self._retries:
            self._loop.after(0.0, self.write)

    @property
    def at_hand(self) -> bool:
        """Whether removed jobs leave in the next turn."""
        return self._soon

    def _let_go(self) -> None:
        """No other batch has taken the finished jobs along: one is to come for them."""
        self._go = bool(self._finished)

    @property
    def ready(self) -> bool:
        """Whether ``take`` has anything that waits for no other batch."""
        return self._go

    def take(self) -> list[JobId]:
        """The jobs that may be taken out of the queue now."""
        finished, self._finished, self._go = self._finished, [], False
        return finished


def _with_files(leaving: Sequence[tuple[JobId, ClassAd]]) -> Iterator[tuple[JobId, ClassAd]]:
    """Those of jobs that leave that may have files in the spool. Of many that say the same of that one is looked at."""
    for group in _families(leaving):
        kinds = logreader.kinds([ad for _, ad in group], _FILES) if len(group) >= _MANY else [list(range(len(group)))]
        for places in kinds:
            ad = group[places[0]][1]
            plain = len(places) >= _MANY and is_plain(map(ad.merged().get, _FILES))
            if not plain or has_room(ad) or ad.text("CheckpointDestination") is not None:
                yield from (group[place] for place in places)


def _families(leaving: Sequence[tuple[JobId, ClassAd]]) -> Iterator[Sequence[tuple[JobId, ClassAd]]]:
    """Those that follow each other and have one parent together."""
    if len({id(ad.parent) for _, ad in leaving}) == 1:
        yield leaving
    else:
        yield from (list(some) for _, some in groupby(leaving, lambda each: id(each[1].parent)))


def _nothing() -> None:
    """Makes the next turn come at once."""
