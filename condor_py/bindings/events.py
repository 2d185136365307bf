"""``JobEventLog``: the events of a job event log as they come."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from condor_py.bindings.enums import JobEventType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.store.event_log import EventReader, LogEvent

#: Seconds between two checks of a log to which no process writes.
_PAUSE = 0.05


class JobEvent(Mapping[str, Any]):
    """One event: a mapping of the attributes of its ad; ``str`` gives its text in the log."""

    def __init__(self, data: ClassAd, event_text: str) -> None:
        self._data = data
        self._event_text = event_text

    @property
    def type(self) -> JobEventType:
        """The type of the event."""
        return JobEventType(self._data["EventTypeNumber"])

    @property
    def cluster(self) -> int:
        """The job's cluster, -1 for none."""
        return int(self._data.get("Cluster", -1))

    @property
    def proc(self) -> int:
        """The job's number in its cluster, -1 for the whole cluster."""
        return int(self._data.get("Proc", -1))

    @property
    def timestamp(self) -> int:
        """The time of the event, Unix seconds."""
        from datetime import datetime

        return int(datetime.fromisoformat(self._data["EventTime"]).timestamp())

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"JobEvent(type={self.type}, cluster={self.cluster}, proc={self.proc}, timestamp={self.timestamp})"

    def __str__(self) -> str:
        return self._event_text


class JobEventLog:
    """An iterator over the events of a log, which may wait for more. Pickling keeps the place.

    HTCondorIOError when the file cannot be read, HTCondorException where it holds something else.
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, str):
            raise TypeError("filename must be a string")
        if not filename:
            raise ValueError("filename must not be empty")
        if not os.access(filename, os.R_OK):
            raise HTCondorIOError(f"Failed to open the event log {filename}")
        self._reader: EventReader | None = EventReader(filename)
        self._found: deque[LogEvent] = deque()
        self._deadline: float | None = None

    def events(self, stop_after: int | None = None) -> JobEventLog:
        """This iterator; it ends after ``stop_after`` seconds without an event (None: never, 0: it never waits)."""
        if stop_after is not None and not isinstance(stop_after, int):
            raise TypeError("deadline must be an integer")
        self._deadline = None if stop_after is None else time.monotonic() + stop_after
        return self

    def close(self) -> None:
        """No more events come."""
        self._reader = None
        self._found.clear()

    def __iter__(self) -> JobEventLog:
        return self

    def __next__(self) -> JobEvent:
        while self._reader is not None:
            if not self._found:
                try:
                    self._found.extend(self._reader.read())
                except CondorError as error:
                    raise HTCondorException(str(error)) from None
            if self._found:
                return _event(self._found.popleft())
            if self._deadline is not None and time.monotonic() >= self._deadline:
                break
            time.sleep(_PAUSE)
        raise StopIteration

    def __enter__(self) -> JobEventLog:
        self._deadline = None
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _event(found: LogEvent) -> JobEvent:
    from condor_py.store.event_log import parse

    return JobEvent(ClassAd.from_text_items(parse(found)), found.text)
