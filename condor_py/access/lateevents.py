"""Events that a full disk keeps out of their logs: they are kept, and written when there is room again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from condor_py.model.ids import JobId

#: The log of a user: its path and who writes it.
Log = tuple[str, str]


class Entry(NamedTuple):
    """An event: its job, its number and its text in the form of the log."""

    job: JobId
    number: int
    text: str


#: Seconds for which a log is tried again; then its events are lost, and their jobs may leave the queue.
_LONGEST = 3600.0
#: Characters of one log that are kept at most.
_MOST = 4_000_000


class LateEvents:
    """What waits for room, by log, in order."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._kept: dict[Log, list[Entry]] = {}
        self._since: dict[Log, float] = {}

    def __bool__(self) -> bool:
        return bool(self._kept)

    def logs(self) -> Iterator[Log]:
        """The logs that lack events."""
        return iter(list(self._kept))

    def take(self, log: Log) -> list[Entry]:
        """The events that this log lacks, to be tried again."""
        return self._kept.pop(log, [])

    def keep(self, log: Log, entries: list[Entry], why: str, now: float) -> None:
        """These could not be written for want of room. ``now`` is seconds of any clock that goes on."""
        if not entries:
            self.written(log)  # all are in the log, if not on the medium
            return
        since = self._since.setdefault(log, now)
        if now == since:
            self._complain(f"event log of {log[1]}: {why}: its events wait for room")
        if now - since > _LONGEST or sum(len(entry.text) for entry in entries) > _MOST:
            self._complain(f"event log of {log[1]}: {why}: {len(entries)} events are lost")
            self.written(log)
            return
        self._kept[log] = entries

    def written(self, log: Log) -> None:
        """There is room again."""
        self._since.pop(log, None)

    def jobs(self) -> set[JobId]:
        """The jobs that an event is missing of."""
        return {entry.job for entries in self._kept.values() for entry in entries}
