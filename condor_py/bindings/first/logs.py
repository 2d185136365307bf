"""Event logs and locks of the first version: ``JobEventLog``, ``read_events``, ``lock``, ``LogReader``."""

from __future__ import annotations

import fcntl
import os
import time
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, TypeVar

from condor_py.bindings import events as second
from condor_py.bindings.errors import HTCondorIOError, HTCondorTypeError
from condor_py.bindings.first.ads import ClassAd, of
from condor_py.bindings.first.enums import JobEventType, LockType
from condor_py.bindings.first.listed import Listed
from condor_py.bindings.first.raising import with_first_exceptions

_PAUSE = 0.05
_Item = TypeVar("_Item")


class JobEvent(Listed, second.JobEvent):
    """One event of a log: a mapping of its attributes."""

    @property
    def type(self) -> Any:
        """The type of the event: the member itself, which programs compare by identity."""
        number = int(self._data["EventTypeNumber"])
        return JobEventType.values[number] if number in JobEventType.values else JobEventType(number)

    def __getitem__(self, key: str) -> Any:
        return of(self._data)[key]

    def __repr__(self) -> str:
        return f"JobEvent(type={int(self.type)}, cluster={self.cluster}, proc={self.proc}, timestamp={self.timestamp})"

    def has_key(self, key: str) -> bool:
        """Whether there is such an attribute."""
        return key in self._data

    def iterkeys(self) -> Iterator[str]:
        """The names, one by one."""
        return iter(self.keys())

    def itervalues(self) -> Iterator[Any]:
        """The values, one by one."""
        return iter(self.values())

    def iteritems(self) -> Iterator[tuple[str, Any]]:
        """(name, value), one by one."""
        return iter(self.items())


@with_first_exceptions
class JobEventLog(second.JobEventLog):
    """The events of a log as they come."""

    def __next__(self) -> JobEvent:
        found = super().__next__()
        return JobEvent(found._data, found._event_text)


class _Growing(Iterator[_Item]):
    """Items read from a file to which other processes write."""

    _blocking = False

    @abstractmethod
    def _newest(self) -> _Item | None:
        """The next item if it is there already."""

    def __next__(self) -> _Item:
        found = self.poll(-1 if self._blocking else 0)
        if found is None:
            raise StopIteration
        return found

    def poll(self, timeout: int = -1) -> _Item | None:
        """The next item within ``timeout`` milliseconds (-1: whenever it comes); None for none."""
        deadline = None if timeout < 0 else time.monotonic() + timeout / 1000
        while (found := self._newest()) is None and (deadline is None or time.monotonic() < deadline):
            time.sleep(_PAUSE)
        return found

    def setBlocking(self, blocking: bool) -> bool:
        """Whether ``next`` waits for more; what it was before."""
        before, self._blocking = self._blocking, bool(blocking)
        return before

    def wait(self) -> None:
        """Nothing: ``poll`` waits."""

    def watch(self) -> int:
        """No descriptor to wait for: -1."""
        return -1

    @property
    def use_inotify(self) -> bool:
        """Whether changes of the file are watched by the kernel: it is polled."""
        return False


class EventIterator(_Growing[ClassAd]):
    """The events of a log as ads. Without blocking, ``next`` ends where the log ends."""

    def __init__(self, source: Any) -> None:
        path = source if isinstance(source, str) else source.name
        self._log = second.JobEventLog(os.fspath(path))

    def _newest(self) -> ClassAd | None:
        found = next(self._log.events(0), None)
        return None if found is None else of(found._data)


def read_events(source: Any, is_xml: bool = False) -> EventIterator:
    """The events of a log, a file or its name."""
    return EventIterator(source)


class FileLock:
    """A lock of a file that is held."""

    def __init__(self, file: Any, kind: int) -> None:
        self._file, self._kind = file, kind

    def __enter__(self) -> FileLock:
        fcntl.lockf(self._file.fileno(), self._kind)
        return self

    def __exit__(self, *error: object) -> None:
        fcntl.lockf(self._file.fileno(), fcntl.LOCK_UN)


def lock(file_obj: Any, lock_type: Any = 1) -> FileLock:
    """A context in which a file is locked, for reading or for writing. HTCondorTypeError for what is no file."""
    if not hasattr(file_obj, "fileno"):
        raise HTCondorTypeError("LockFile must be used with a file object.")
    kind = fcntl.LOCK_SH if int(lock_type) == int(LockType.ReadLock) else fcntl.LOCK_EX
    return FileLock(file_obj, kind)


class LogReader(_Growing[dict[str, Any]]):
    """The records of a ClassAd log (job_queue.log) as dictionaries; a Reset where the log begins again."""

    def __init__(self, filename: str) -> None:
        self._path = filename
        self._offset = 0
        #: The file that was read last: the log is rewritten as a new one now and then.
        self._file: tuple[int, int] | None = None
        if not os.access(filename, os.R_OK):
            raise HTCondorIOError(f"Unable to open {filename}")

    def _newest(self) -> dict[str, Any] | None:
        from condor_py.bindings.first.enums import EntryType

        while True:
            with open(self._path, "rb") as stream:
                found = os.fstat(stream.fileno())
                before, self._file = self._file, (found.st_dev, found.st_ino)
                if before not in (None, self._file) or found.st_size < self._offset:
                    self._offset = 0
                    return {"event": EntryType(EntryType.Reset)}
                stream.seek(self._offset)
                line = stream.readline()
            if not line.endswith(b"\n"):
                return None
            self._offset += len(line)
            words = line.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 3)
            if words[0] in ("101", "102", "103", "104"):
                names = ("key", "name", "value") if words[0] in ("103", "104") else ("key", "type", "target")
                return {"event": EntryType(int(words[0])), **dict(zip(names, words[1:], strict=False))}
