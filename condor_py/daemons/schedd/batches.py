"""One turn of the schedd's loop is one batch: what is collected is handled and committed, then it is carried out.

Under the queue lock the tail of the log is read, all news is handled and one transaction is written and synced. A
commit that fails keeps its records and effects for the next try: nothing is sent or acknowledged before it works.
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
from condor_py.model.errors import StoreError
from condor_py.model.record import NEW_AD, Change, Entry, NewJobs, anew
from condor_py.model.texts import as_integer
from condor_py.store.adlog import collector_paused, is_writable
from condor_py.store.keys import HEADER, proc_of

# New jobs that came together are looked at a few at a time, so that nobody waits for all of them.
#
# They are in the queue; the core hears of them piece by piece. What else was written is news at once: the others are
# what the next batch may act on.

#: Records that are news at once, and new jobs of one piece.
SOME_RECORDS = 2_000
_JOBS = 250


@dataclass(eq=False, slots=True)
class Intake:
    """New jobs that the core has not heard of, and who waits until it has. ``is_ours``: a client of ours brought
    them, and nobody else waits for them."""

    pieces: Iterator[Sequence[Entry]]
    waiting: list[Callable[[], None]]
    is_ours: bool = False


def split(records: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Sequence[Entry]]]:
    """Split records into those to handle at once and, where there are many new jobs, pieces of the records that made
    them. The other records of these jobs, and of their clusters, add nothing to what the queue shows."""
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
    """The jobs of an entry, some at a time: of one cluster, or of several that have few."""
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
    """The jobs of a piece."""
    for entry in piece:
        if isinstance(entry, NewJobs):
            yield from [f"{cluster}.{proc}" for cluster, procs in entry.jobs for proc in procs]
        elif isinstance(entry, Change):
            yield entry.key


#: Seconds until a commit that failed is tried again.
_RETRY_COMMIT = 1.0
#: Seconds after which the reason of a failed commit is logged again.
_TELL_AGAIN = 60.0
#: Of fewer events in a batch the jobs may well be the next to run.
_FEW_EVENTS = 32
#: Jobs that came a few at a time and whose ads may still be as they were read; the older half is put away then.
_YOUNG = 2_000
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
        self._dirty = True
        self._held: tuple[list[Entry], list[Effect]] = ([], [])
        #: What the image lacks of what is held; None for all of it: some was left over by a commit that failed.
        self._lacking: list[Entry] | None = None
        #: Whether the batch has been handled, and waits to be written.
        self._decided = False
        self._late: list[Callable[[], None]] = []
        self._parting: list[Callable[[], None]] = []
        self._intakes: list[Intake] = []
        self._grows = False
        self._seen: set[str] = set()
        self._young: list[str] = []
        #: Whether an attempt after a failed commit is due; the reason that was logged, and when (monotonic).
        self._tries_again = False
        self._told, self._told_at = "", 0.0

    def answer_late(self, answer: Callable[[], None]) -> None:
        """Called when what is in the queue now has been taken in and its events are in the event logs; removed jobs
        that nothing keeps are gone."""
        self._dirty = True
        self._late.append(answer)

    def mark_dirty(self) -> None:
        """Let the next batch read the queue, which was written."""
        self._dirty = True

    def queue_moved(self) -> None:
        """Something happened to the file of the queue; if it has grown, the next batch looks."""
        try:
            size = os.stat(self._queue.path).st_size
        except OSError:
            size = -1
        if size != self._queue.size:
            self._dirty = True

    # -- the batch ---------------------------------------------------------------------------------

    def run(self) -> None:
        """The end of a turn of the loop."""
        parts = self._parts
        asked = self._late or self._parting
        overdue = self._held[0] and not self._tries_again
        if self._inbox.is_empty and not (self._dirty or overdue or parts.departures.ready or asked):
            return
        late, self._late = self._late, []
        parting, self._parting = self._parting, []
        seen, self._seen = self._seen, set()
        try:
            many = self._commit(seen)
        except StoreError as error:
            if not self._decided:  # the log cannot even be locked or read: clients have to hear that, too
                self._decide([], seen)
            self._refuse_clients(str(error))
            self._answer([*parting, *late])
            parts.departures.pause()
            self._try_again(str(error))
            return
        except ValueError as error:  # one of the records would not read back: the others must not wait for it
            self._guard.fault(error, "the commit of a batch")
            self._held = ([record for record in self._held[0] if is_writable(record)], self._held[1])
            self._late = [*parting, *late, *self._late]
            self._seen |= seen
            self._loop.soon(self.mark_dirty)
            return
        parts.departures.resume()
        if self._told:
            self._told = ""
            self._log(f"{self._queue.path}: it is written again, with what has waited")
        if many:
            gc.freeze()  # what so many jobs are made of is looked through for garbage never again
        effects = self._held[1]
        self._held = ([], [])
        self._guard.turn("the answers to clients", self._answer_clients)
        self._carry_out(effects)
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
        """The next attempt, however many turns of the loop fail until then. A reason is logged once a minute."""
        if why != self._told or monotonic() - self._told_at > _TELL_AGAIN:
            self._told, self._told_at = why, monotonic()
            self._log(f"{why}: nothing is acknowledged; trying again every {_RETRY_COMMIT:g} s")
        if not self._tries_again:
            self._tries_again = True
            self._loop.after(_RETRY_COMMIT, self._retry)

    def _retry(self) -> None:
        self._tries_again = False
        self.mark_dirty()

    def _commit(self, seen: set[str]) -> bool:
        """Reads, decides, writes; whether there was so much to read that the garbage collector should know. ``seen``
        gets the keys of what many records were about."""
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
        """Jobs that came together are not looked at one by one again until it is their turn, and those that came one
        after the other are not when as many others have come since."""
        if len(self._young) > _YOUNG:
            old, self._young = self._young[: _YOUNG // 2], self._young[_YOUNG // 2 :]
            keys = keys.union(old)
        procs: dict[int, list[int]] = {}
        for job in filter(None, map(proc_of, keys)):
            procs.setdefault(job.cluster, []).append(job.proc)
        for cluster, some in procs.items():
            self._queue.rest(cluster, some)

    def _rest_told(self, effects: Sequence[Effect]) -> None:
        """The same of jobs that many events were about: their ads were asked for their logs."""
        told = [effect for effect in effects if type(effect) is UserEvent]
        for effect in told if len(told) > _FEW_EVENTS else ():
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
        self._intakes.append(intake)
        self._inbox.when_idle(partial(self._next_piece, intake))

    def _next_piece(self, intake: Intake, moment: int) -> None:
        """Inside a batch: the core hears of a few new jobs, or, when the batch of the last is over, whoever waits for
        it."""
        piece = next(intake.pieces, None)
        if piece is None:
            self._intakes.remove(intake)
            self._answer(intake.waiting)
            return
        self._seen.update(keys_of(piece))
        self._inbox.when_idle(partial(self._next_piece, intake))
        self._core.handle(QueueChanged(piece), moment)

    def _answer_when_told(self, late: list[Callable[[], None]]) -> None:
        """Answer requests, but only after pending records are taken in and removed jobs have left."""
        last = next((intake for intake in reversed(self._intakes) if not intake.is_ours), None)
        if last is not None:
            last.waiting += late
        elif self._parts.departures.at_hand:
            self._parting += late
        else:
            self._answer(late)

    def _refuse_clients(self, why: str) -> None:
        """The queue cannot be written (a full disk): nobody waits for that. What would be new is dropped, what changes
        the queue as we hold it already is written when it can be."""
        dropped: set[int] = set()
        for asked in self._inbox.refused():
            dropped.update(map(id, asked.records))
            self._answer([partial(asked.refuse, why) if asked.refuse else asked.answer])
        self._held = ([record for record in self._held[0] if id(record) not in dropped], self._held[1])
        self._parts.clients.settled()
        self._parts.clients.not_written()


def _is_behind(entry: Entry, next_cluster: int) -> bool:
    """Whether a record that could not be written would give numbers of clusters a second time: another process has
    made clusters since."""
    if not isinstance(entry, Change) or (entry.key, entry.name) != (HEADER, "NextClusterNum"):
        return False
    return as_integer(entry.value) < next_cluster


def _new_jobs(records: Sequence[Entry]) -> Iterator[str]:
    """The keys of the jobs that a few records made, which may well be the next to run."""
    for entry in records:
        if isinstance(entry, NewJobs) or (type(entry) is Change and entry.op == NEW_AD and entry.key[0] != "0"):
            yield from keys_of((entry,))


def _many_new(records: Sequence[Entry]) -> bool:
    """Whether there are many new jobs among the news."""
    return sum([entry.number for entry in records if isinstance(entry, NewJobs)]) > SOME_RECORDS
