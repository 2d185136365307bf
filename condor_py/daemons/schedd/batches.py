"""One turn of the schedd's loop is one batch: what was collected is handled and committed, then effects are carried
out.

Under the lock of the queue the tail of the log is read, all items of the inbox are handled, and one transaction is
written and synced. A commit that fails keeps its records and effects for the next try: nothing is sent or acknowledged
before it works.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from condor_py.core.jobs.effects import Effect, UserEvent
from condor_py.core.jobs.events import Dispatch, JobsRecorded, QueueChanged
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.loop import monotonic, now
from condor_py.daemons.common.service import tell_notes
from condor_py.daemons.schedd.clients import ClientRequests
from condor_py.daemons.schedd.departures import Departures
from condor_py.daemons.schedd.factories import Factories
from condor_py.daemons.schedd.locate import Locations
from condor_py.daemons.schedd.shared import Shared
from condor_py.daemons.schedd.upkeep import Judging, Leftovers, LogRewrites
from condor_py.model.errors import StoreError, shortage
from condor_py.model.record import NEW_AD, Change, Entry, NewJobs, anew
from condor_py.model.texts import as_integer
from condor_py.store.adlog import collector_paused, is_writable
from condor_py.store.keys import HEADER, proc_of

# Many new jobs that came together are handled in pieces, so that no other work waits for all of them. They are in the
# queue already; the core receives them piece by piece. All other records it receives at once.

#: More records than these are handled in pieces.
SOME_RECORDS = 2_000
#: New jobs of one piece.
_JOBS = 250


@dataclass(eq=False, slots=True)
class Intake:
    """New jobs that the core has still to receive, and the answers that wait until it has. ``is_ours``: they came from
    a client through this schedd, and only this client waits for them."""

    pieces: Iterator[Sequence[Entry]]
    waiting: list[Callable[[], None]]
    is_ours: bool = False


def split(records: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Sequence[Entry]]]:
    """Split records into those to handle at once and, if there are many new jobs, pieces with the records that made
    them. The other records of new jobs and clusters are left out: the core reads their ads in the queue."""
    parts = [part for entry in records if isinstance(entry, NewJobs) for part in _parts(entry)]
    pieces: list[Sequence[Entry]] = [[NewJobs(part)] for part in parts]
    if len(pieces) <= 1 and len(records) <= SOME_RECORDS:
        return records, ()
    made = [entry for entry in records if type(entry) is Change and entry.op == NEW_AD]
    new = {entry.key for entry in made}
    jobs = [entry for entry in made if entry.key[0] != "0" and "-" not in entry.key]
    pieces += [jobs[first : first + _JOBS] for first in range(0, len(jobs), _JOBS)]
    others = [entry for entry in records if type(entry) is not NewJobs]
    return [entry for entry in others if type(entry) is not Change or entry.key not in new], pieces


def _parts(entry: NewJobs) -> Iterator[tuple[tuple[int, tuple[int, ...]], ...]]:
    """Yield the jobs of an entry in pieces: of one cluster, or of several small ones."""
    some: list[tuple[int, tuple[int, ...]]] = []
    count = 0
    for cluster, procs in entry.jobs:
        for first in range(0, len(procs), _JOBS):
            part = procs[first : first + _JOBS]
            if some and count + len(part) > _JOBS:
                yield tuple(some)
                some, count = [], 0
            some.append((cluster, part))
            count += len(part)
    if some:
        yield tuple(some)


def keys_of(piece: Sequence[Entry]) -> Iterator[str]:
    """Yield the keys of the jobs of a piece."""
    for entry in piece:
        if isinstance(entry, NewJobs):
            yield from [f"{cluster}.{proc}" for cluster, procs in entry.jobs for proc in procs]
        elif isinstance(entry, Change):
            yield entry.key


#: Seconds until a commit that failed is tried again.
_RETRY_COMMIT = 1.0
#: Seconds after which the reason of a failed commit is logged again.
_TELL_AGAIN = 60.0
#: With fewer events in a batch their jobs may well be the next to run: their ads stay in memory.
_FEW_EVENTS = 32
#: New jobs that came a few at a time and whose ads stay in memory; when there are more, the older half is put away.
_YOUNG = 2_000
#: With more new records than these the garbage collector pauses.
_MANY_RECORDS = 20_000


class BatchParts(NamedTuple):
    """The parts of the schedd that have something to do in each batch."""

    clients: ClientRequests
    departures: Departures
    factories: Factories
    judging: Judging
    locations: Locations
    rewrites: LogRewrites
    leftovers: Leftovers


class Batches:
    """Runs the batches. ``carry_out`` gets the effects of each when its records are durable."""

    def __init__(
        self, shared: Shared, guard: FaultGuard, parts: BatchParts, carry_out: Callable[[list[Effect]], None]
    ) -> None:
        self._loop, self._log = shared.loop, shared.log
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._guard = guard
        self._parts = parts
        self._carry_out = carry_out
        #: Whether the log of the queue is to be read.
        self._dirty = True
        #: Records to commit, and the effects that follow the commit.
        self._held: tuple[list[Entry], list[Effect]] = ([], [])
        #: Those of the held records that the image of the queue lacks; None if all are to be played on it: some are
        #: left over from a commit that failed.
        self._lacking: list[Entry] | None = None
        #: Whether the batch has been handled, and waits to be written.
        self._decided = False
        #: Answers that wait until what is in the queue now has been handled.
        self._late: list[Callable[[], None]] = []
        #: Answers that wait for the next batch, in which removed jobs leave.
        self._parting: list[Callable[[], None]] = []
        self._intakes: list[Intake] = []
        #: Whether factories are due to make jobs in the next batch.
        self._grows = False
        #: Keys of the jobs that came in pieces in this batch, whose ads are put away after it.
        self._seen: set[str] = set()
        #: Keys of the new jobs that came a few at a time.
        self._young: list[str] = []
        #: Whether an attempt after a failed commit is due; the reason that was logged, and when (monotonic).
        self._tries_again = False
        self._complaint, self._complained_at = "", 0.0

    def answer_late(self, answer: Callable[[], None]) -> None:
        """Call ``answer`` when what is in the queue now has been handled, its events are in the event logs, and removed
        jobs that nothing keeps have left."""
        self._dirty = True
        self._late.append(answer)

    def mark_dirty(self) -> None:
        """Let the next batch read the queue, which was written."""
        self._dirty = True

    def queue_moved(self) -> None:
        """The file of the queue may have changed: if its size has, the next batch reads it."""
        try:
            size = os.stat(self._queue.path).st_size
        except OSError:
            size = -1
        if size != self._queue.size:
            self._dirty = True

    # -- the batch ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run one batch, if there is anything to do. Called at the end of each turn of the loop."""
        asked = self._late or self._parting
        overdue = self._held[0] and not self._tries_again
        if self._inbox.is_empty and not (self._dirty or overdue or self._parts.departures.ready or asked):
            return
        late, self._late = self._late, []
        parting, self._parting = self._parting, []
        seen, self._seen = self._seen, set()
        try:
            many = self._commit(seen)
        except StoreError as error:
            self._not_committed(str(error), seen, [*parting, *late])
            return
        except Exception as error:  # whatever it is: clients get an answer, and the commit is tried again
            self._guard.fault(error, "the commit of a batch")
            if self._leave_out_unwritable():
                self._late = [*parting, *late, *self._late]
                self._seen |= seen
                self._loop.soon(self.mark_dirty)
            else:
                why = f"{self._queue.path}: {shortage(error) or type(error).__name__}"
                self._not_committed(why, seen, [*parting, *late])
            return
        self._committed(seen, parting, late, many)

    def _leave_out_unwritable(self) -> bool:
        """Drop the records that the log cannot hold, so that the others are written; whether there were any."""
        records, effects = self._held
        self._held = ([record for record in records if is_writable(record)], effects)
        if count := len(records) - len(self._held[0]):
            self._log(f"ERROR the log of the queue cannot hold some records, which are left out: {count}")
        return count > 0

    def _not_committed(self, why: str, seen: set[str], answers: list[Callable[[], None]]) -> None:
        """The log cannot be locked, read or written: answer clients all the same, and try again later."""
        if not self._decided:  # it could not even be locked or read: what the inbox has was not handled
            self._decide([], seen)
        self._refuse_clients(why)
        self._answer(answers)
        self._parts.departures.pause()
        self._try_again(why)

    def _committed(
        self, seen: set[str], parting: list[Callable[[], None]], late: list[Callable[[], None]], many: bool
    ) -> None:
        """The records are durable: answer clients, carry out the effects, and put away the ads of jobs."""
        parts = self._parts
        parts.departures.resume()
        if self._complaint:
            self._complaint = ""
            self._log(f"{self._queue.path}: it is written again, with what has waited")
        if many:
            gc.freeze()  # the collector need not search the objects of so many jobs again
        effects = self._held[1]
        self._held = ([], [])
        self._guard.turn("the answers to clients", self._answer_clients)
        self._guard.turn("the effects of a batch", self._carry_out, effects)
        self._answer(parting)
        self._answer_when_told(late)
        self._rest(seen)
        self._rest_told(effects)
        parts.locations.settle()
        parts.rewrites.follow_departures()
        parts.leftovers.follow_departures()
        if not self._grows and parts.factories.due():
            self._grows = True
            self._inbox.later(self._grow)

    def _try_again(self, why: str) -> None:
        """Schedule one more attempt, unless one is scheduled. The same reason is logged once a minute."""
        if why != self._complaint or monotonic() - self._complained_at > _TELL_AGAIN:
            self._complaint, self._complained_at = why, monotonic()
            self._log(f"{why}: nothing is acknowledged; trying again every {_RETRY_COMMIT:g} s")
        if not self._tries_again:
            self._tries_again = True
            self._loop.after(_RETRY_COMMIT, self._retry)

    def _retry(self) -> None:
        self._tries_again = False
        self.mark_dirty()

    def _commit(self, seen: set[str]) -> bool:
        """Read the log, handle the batch, write. Return whether there were many new records. ``seen`` is for
        ``_decide``."""
        self._decided = False
        with self._queue.transaction() as transaction:
            tell_notes(self._queue, self._log)
            self._dirty = False
            many = len(transaction.caught_up) > _MANY_RECORDS or _many_new(transaction.caught_up)
            with collector_paused(many):
                self._decide(transaction.caught_up, seen)
            transaction.extend(self._held[0])
            transaction.lacking = self._lacking
        return many

    def _decide(self, caught_up: list[Any], seen: set[str]) -> None:
        """Let the core handle what the log had (``caught_up``) and what the inbox has, and hold what it wants written
        and carried out. ``seen`` gets the keys of the changed jobs if they are many."""
        moment = int(now())
        core, parts, turn = self._core, self._parts, self._guard.turn
        self._decided = True
        others, new = split(caught_up)
        if len(others) > SOME_RECORDS:
            seen.update([entry.key for entry in others if type(entry) is Change])
        else:
            self._young += _new_jobs(others)
        turn("what tools wrote", core.handle, QueueChanged(others), moment)
        if new:
            self._take_in(Intake(iter(new), []))
        turn("what tools wrote of factories", parts.factories.notice, caught_up)
        for handle in self._inbox.take():
            turn("an item of the batch", handle, moment)
        finished = parts.departures.take()
        turn("the removal of jobs", core.handle, JobsRecorded(finished), moment)
        parts.judging.follow_updates()
        turn("the dispatch of claims", core.handle, Dispatch(), moment)
        self._lacking = None if self._held[0] or self._queue.is_folded else core.lacking
        records, effects = core.take()
        held = [entry for entry in anew(self._held[0]) if not _is_behind(entry, self._queue.next_cluster)]
        self._held = (held + records, self._held[1] + effects)

    def _rest(self, keys: set[str]) -> None:
        """Put away the ads of jobs that came together, and of those that came a few at a time when many others have
        come since: it will be long until they are needed."""
        if len(self._young) > _YOUNG:
            old, self._young = self._young[: _YOUNG // 2], self._young[_YOUNG // 2 :]
            keys = keys.union(old)
        procs: dict[int, list[int]] = {}
        for job in filter(None, map(proc_of, keys)):
            procs.setdefault(job.cluster, []).append(job.proc)
        for cluster, some in procs.items():
            self._queue.rest(cluster, some)

    def _rest_told(self, effects: Sequence[Effect]) -> None:
        """Put away the ads of jobs that many events were about: they were read to find their event logs."""
        user_events = [effect for effect in effects if type(effect) is UserEvent]
        for effect in user_events if len(user_events) > _FEW_EVENTS else ():
            self._queue.rest(effect.event.cluster, effect.procs[:1])

    def _grow(self, moment: int) -> None:
        self._grows = False
        self._parts.factories.grow(moment)

    def _answer(self, answers: list[Callable[[], None]]) -> None:
        for answer in answers:
            self._guard.turn("an answer", answer)

    def _answer_clients(self) -> None:
        """Pass clients' written records to the core for the next batch; the answers wait for the event logs."""
        requests, records, changes = self._inbox.committed()
        self._parts.clients.settled()
        if not records and not changes:
            self._answer([asked.answer for asked in requests])
            return
        # They leave when the events of what was written are in the event logs.
        for asked in requests:
            others, new = split(asked.records)
            if new:
                self._take_in(Intake(iter(new), [asked.answer], is_ours=True))
            else:
                self._late.append(asked.answer)
            if others:
                self._inbox.news(QueueChanged(others))
        self._parts.factories.notice([*records, *changes])
        self._inbox.wake()

    # -- many new jobs

    def _take_in(self, intake: Intake) -> None:
        """Let the core receive new jobs in pieces, when there is no other work."""
        self._intakes.append(intake)
        self._inbox.when_idle(partial(self._next_piece, intake))

    def _next_piece(self, intake: Intake, moment: int) -> None:
        """Inside a batch: hand the core the next piece. After the batch of the last piece, send the answers that wait
        for it."""
        piece = next(intake.pieces, None)
        if piece is None:
            self._intakes.remove(intake)
            self._answer(intake.waiting)
            return
        self._seen.update(keys_of(piece))
        self._inbox.when_idle(partial(self._next_piece, intake))
        self._core.handle(QueueChanged(piece), moment)

    def _answer_when_told(self, late: list[Callable[[], None]]) -> None:
        """Answer requests, but only after all new jobs have been handled and removed jobs have left."""
        last = next((intake for intake in reversed(self._intakes) if not intake.is_ours), None)
        if last is not None:
            last.waiting += late
        elif self._parts.departures.at_hand:
            self._parting += late
        else:
            self._answer(late)

    def _refuse_clients(self, why: str) -> None:
        """Refuse the requests of clients, as the queue cannot be written (a full disk). New jobs are dropped. Changes,
        which are in our image of the queue already, are written when that is possible again."""
        dropped: set[int] = set()
        for asked in self._inbox.refused():
            dropped.update(map(id, asked.records))
            self._answer([partial(asked.refuse, why) if asked.refuse else asked.answer])
        self._held = ([record for record in self._held[0] if id(record) not in dropped], self._held[1])
        self._parts.clients.settled()
        self._parts.clients.not_written()


def _is_behind(entry: Entry, next_cluster: int) -> bool:
    """Whether a record that could not be written would set back NextClusterNum: another process has made clusters
    since."""
    if not isinstance(entry, Change) or (entry.key, entry.name) != (HEADER, "NextClusterNum"):
        return False
    return as_integer(entry.value) < next_cluster


def _new_jobs(records: Sequence[Entry]) -> Iterator[str]:
    """Yield the keys of the jobs that a few records made."""
    for entry in records:
        if isinstance(entry, NewJobs) or (type(entry) is Change and entry.op == NEW_AD and entry.key[0] != "0"):
            yield from keys_of((entry,))


def _many_new(records: Sequence[Entry]) -> bool:
    """Whether some records made many new jobs."""
    return sum([entry.number for entry in records if isinstance(entry, NewJobs)]) > SOME_RECORDS
