"""Events that cannot be written to their logs now: the disk is full, the directory is gone, the file system does not
answer. They wait in order, and are written when they can be.

What waits for more than a moment is also kept on disk (``store.late_file``): then neither a schedd that dies nor a job
that leaves the queue takes events along. Until then the queue keeps the jobs, from which their events could be made
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, takewhile
from typing import NamedTuple

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.late_file import LateEvent, LateFiles

#: The log of a user: its path and who writes it.
Log = tuple[str, str]


class Entry(NamedTuple):
    """An event: its job, its number and its text in the form of the log."""

    job: JobId
    number: int
    text: str


#: Seconds for which a log is tried again; then its events are lost.
_LONGEST = 86400.0
#: Seconds for which jobs of a DAG stay in the queue until its log is written.
_LONGEST_STAY = 3600.0
#: Characters of the events of one account that are kept at most.
_MOST = 16_000_000
#: Characters that are tried at once.
_PIECE = 1_000_000
#: Logs that are tried again in one turn.
_LOGS = 200
#: Seconds until a log is tried again, the first time; twice as long each time, up to the second.
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
#: Seconds that events wait before they are kept on disk.
_MOMENT = 2.0
#: Seconds without an answer after which the log of the schedd tells of it.
_SILENCE = 10.0
#: A file of so many bytes is rewritten when most of its events have left.
_LARGE = 32_000_000


class _Waiting:
    """The events that one log lacks."""

    def __init__(self, now: float) -> None:
        self.entries: list[Entry] = []
        #: How many of them, from the first, are on disk, and how many a helper is writing.
        self.stored = self.on_way = 0
        self.since = self.asked = now
        self.due, self.pause = now, _PAUSE
        #: Some of them may be in the log: the process that was to write them has not reported.
        self.unsure = False
        self.complained = False
        #: Its jobs stay in the queue as well, unless its path is one that nobody can write.
        self.pinned = self.lasts = False

    def piece(self) -> list[Entry]:
        """The first of them, as many as are tried at once."""
        sizes = accumulate(len(entry.text) for entry in self.entries)
        count = sum(1 for _ in takewhile(lambda size: size <= _PIECE, sizes))
        return self.entries[: max(count, 1)]


class LateEvents:
    """The events that wait to be written, by log, in order. Times are seconds of any monotonic clock."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._kept: dict[Log, _Waiting] = {}
        #: Characters by account.
        self._sizes: dict[str, int] = {}
        self._files: LateFiles | None = None

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep_in(self, folder: str, now: float) -> None:
        """Keep what waits for long in a directory, and take over what is there."""
        self._files = LateFiles(folder)
        try:
            for owner, events in self._files.read():
                for event in events:
                    self._add((event.path, owner), [Entry(event.job, event.number, event.text)], now)
                for log, waiting in self._kept.items():
                    if log[1] == owner:
                        waiting.stored = len(waiting.entries)
                        waiting.unsure = waiting.pinned = True
        except StoreError as error:
            self._complain(str(error))

    def join(self, log: Log, entries: list[Entry], now: float) -> bool:
        """Put events behind those that the log lacks already; False when it lacks none."""
        if log not in self._kept:
            return False
        self._add(log, entries, now)
        return True

    def _add(self, log: Log, entries: list[Entry], now: float) -> None:
        waiting = self._kept.get(log)
        if waiting is None:
            waiting = self._kept[log] = _Waiting(now)
        size = sum(len(entry.text) for entry in entries)
        if self._sizes.get(log[1], 0) + size > _MOST:
            self._complain(f"event log of {log[1]}: {log[0]}: too many events wait: {len(entries)} are lost")
            if not waiting.entries:
                del self._kept[log]
            return
        self._sizes[log[1]] = self._sizes.get(log[1], 0) + size
        waiting.entries += entries

    def due(self, now: float) -> Iterator[tuple[Log, list[Entry], bool]]:
        """The events that are to be tried again, and whether some of them may be in the log."""
        ready = [log for log, waiting in self._kept.items() if not waiting.on_way and waiting.due <= now]
        for log in ready[:_LOGS]:
            waiting = self._kept.get(log)
            if waiting is not None:
                yield log, waiting.piece(), waiting.unsure

    def next_of(self, log: Log) -> list[Entry]:
        """The next events to be written to a log."""
        waiting = self._kept.get(log)
        return [] if waiting is None or waiting.on_way else waiting.piece()

    def hand_over(self, log: Log, entries: list[Entry], now: float) -> bool:
        """A helper is about to write these, the first that the log lacks; False when there are too many."""
        if log not in self._kept:
            self._add(log, entries, now)
        waiting = self._kept.get(log)
        if waiting is None:
            return False
        waiting.on_way, waiting.asked = len(entries), now
        return True

    def keep(
        self, log: Log, entries: list[Entry], why: str, now: float, *, unsure: bool = False, lasts: bool = False
    ) -> None:
        """Keep events that could not be written; they are the first that the log lacks. ``unsure``: or perhaps they
        were. ``lasts``: nobody can write to this path, as long as it is what it is: their jobs may leave."""
        if log not in self._kept and entries:
            self._add(log, entries, now)
        waiting = self._kept.get(log)
        if waiting is None:
            return
        waiting.on_way, waiting.unsure, waiting.lasts = 0, waiting.unsure or unsure, lasts
        waiting.pinned = waiting.pinned and not lasts
        waiting.due, waiting.pause = now + waiting.pause, min(2 * waiting.pause, _LONGEST_PAUSE)
        if not waiting.complained:
            waiting.complained = True
            self._complain(f"event log of {log[1]}: {why}: its events wait until it can be written")
        if now - waiting.since > _LONGEST:
            self._complain(f"event log of {log[1]}: {why}: {len(waiting.entries)} events are lost")
            self._drop(log, len(waiting.entries))

    def lose(self, log: Log, why: str) -> None:
        """Drop the events of a log that can never be written, and complain."""
        if log in self._kept:
            self._drop(log, len(self._kept[log].entries))
        self._complain(f"event log of {log[1]}: {why}")

    def written(self, log: Log, count: int, now: float) -> None:
        """The first ``count`` of the events that the log lacked are in it."""
        waiting = self._kept.get(log)
        if waiting is not None and count:
            waiting.on_way, waiting.unsure = 0, False
            waiting.since = waiting.due = now
            waiting.pause = _PAUSE
            if waiting.complained and count == len(waiting.entries):
                self._complain(f"event log of {log[1]}: {log[0]}: it is written again, with what has waited")
            self._drop(log, count)

    def _drop(self, log: Log, count: int) -> None:
        waiting, (_, owner) = self._kept[log], log
        self._sizes[owner] -= sum(len(entry.text) for entry in waiting.entries[:count])
        stored = min(waiting.stored, count)
        del waiting.entries[:count]
        waiting.stored -= stored
        if not waiting.entries:
            del self._kept[log]
            if not any(other == owner for _, other in self._kept):
                del self._sizes[owner]
        if stored:
            self._note(log, stored)

    def _note(self, log: Log, count: int) -> None:
        """So many events that are on disk need not be kept there any more."""
        path, owner = log
        if self._files is None or not any(self._stored(owner)):
            self._replace(owner)
            return
        try:
            self._files.done(owner, path, count)
        except StoreError as error:
            self._complain(str(error))

    def _stored(self, owner: str) -> Iterator[LateEvent]:
        """Yield the events that the file of an account has to contain."""
        for (path, other), waiting in self._kept.items():
            if other == owner:
                yield from _late(path, waiting.entries[: waiting.stored])

    def pin(self, logs: Iterable[Log]) -> None:
        """The jobs of these logs stay in the queue until they are written: condor_dagman takes a job that is in neither
        for lost."""
        for log in logs:
            if log in self._kept:
                self._kept[log].pinned = not self._kept[log].lasts

    def is_pinned(self, log: Log) -> bool:
        """Whether the jobs of a log stay in the queue until it is written."""
        waiting = self._kept.get(log)
        return waiting is not None and waiting.pinned

    def store(self, now: float, *, all_of_them: bool = False) -> None:
        """Keep what has waited for a moment, or all, on disk; tell of file systems that do not answer."""
        for (path, owner), waiting in self._kept.items():
            if waiting.on_way and not waiting.complained and now - waiting.asked > _SILENCE:
                waiting.complained = True
                self._complain(f"event log of {owner}: {path}: its file system does not answer: its events wait")
            waiting.pinned = waiting.pinned and now - waiting.since <= _LONGEST_STAY
        self.store_those(self._kept, now, all_of_them=all_of_them)

    def store_those(self, logs: Iterable[Log], now: float, *, all_of_them: bool = False) -> None:
        """Keep the events of some logs on disk, when the first has waited for a moment, or all."""
        fresh: dict[str, list[tuple[str, _Waiting]]] = {}
        for log in logs:
            path, owner = log
            waiting = self._kept.get(log)
            if waiting is None or waiting.stored == len(waiting.entries):
                continue
            if all_of_them or now - waiting.since > _MOMENT:
                fresh.setdefault(owner, []).append((path, waiting))
        for owner, its_logs in fresh.items():
            if self._files is not None:
                self._store(self._files, owner, its_logs)

    def _store(self, files: LateFiles, owner: str, logs: list[tuple[str, _Waiting]]) -> None:
        events = [event for path, waiting in logs for event in _late(path, waiting.entries[waiting.stored :])]
        try:
            size = files.add(owner, events)
        except StoreError as error:
            self._complain(str(error))  # the jobs stay in the queue, and it is tried again
            return
        for _, waiting in logs:
            waiting.stored = len(waiting.entries)
        if size > _LARGE:
            self._replace(owner)

    def _replace(self, owner: str) -> None:
        try:
            if self._files is not None:
                self._files.replace(owner, self._stored(owner))
        except StoreError as error:
            self._complain(str(error))

    def jobs(self, *, pinned: bool = True) -> set[JobId]:
        """The jobs that have to stay in the queue, as an event is missing of them that is nowhere else, or, with
        ``pinned``, that condor_dagman needs to find in its log."""
        found: set[JobId] = set()
        for waiting in self._kept.values():
            found.update(entry.job for entry in waiting.entries[0 if pinned and waiting.pinned else waiting.stored :])
        return found

    def events_of(self, log: Log) -> list[Entry]:
        """Return the events that a log lacks."""
        waiting = self._kept.get(log)
        return [] if waiting is None else list(waiting.entries)

    def has_some_of(self, owner: str, now: float) -> bool:
        """Whether events of an account are on their way to a log that answers as far as one knows."""
        return any(
            other == owner and waiting.on_way and now - waiting.asked < _MOMENT
            for (_, other), waiting in self._kept.items()
        )


def _late(path: str, entries: Iterable[Entry]) -> Iterator[LateEvent]:
    for entry in entries:
        yield LateEvent(path, entry.job, entry.number, entry.text)
