"""Events that wait for their event logs, on disk: a file for each account, a line for each event.

A line is a JSON list: path of the log, cluster, proc, number, text; or path and count, when so many of the events of
that log, from the first, have been written to it. A line that a crash tore is left out; each piece begins with a
newline, so that such a line spoils none after it. The last events may be in their log although no line says so: who
takes them over looks for them (``event_log.append``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.fs import RealFs, close_quietly, describe, remove_if_there, replace_file, store_error

_SUFFIX = ".events"


class LateEvent(NamedTuple):
    """An event of a job, and the log that lacks it."""

    path: str
    job: JobId
    number: int
    text: str


class LateFiles:
    """The directory with the files; root's alone."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._fs = RealFs()
        #: Bytes in the files of accounts.
        self._sizes: dict[str, int] = {}
        #: Accounts whose file is on the medium with its name.
        self._named: set[str] = set()

    def read(self) -> Iterator[tuple[str, list[LateEvent]]]:
        """Yield what an earlier schedd has left: accounts and events in order. Raises StoreError."""
        try:
            names = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(describe(error, "cannot read the late events", self._folder)) from None
        for name in names:
            owner = _owner(name)
            if owner is not None:
                yield owner, self._read(owner)

    def _read(self, owner: str) -> list[LateEvent]:
        path = self._path(owner)
        try:
            handle = self._fs.open_read(path)
            try:
                data = self._fs.read_at(handle, 0, self._fs.fstat(handle).size)
            finally:
                close_quietly(self._fs, handle)
        except OSError as error:
            raise StoreError(describe(error, "cannot read the late events", path)) from None
        self._sizes[owner] = len(data)
        found: dict[str, list[LateEvent]] = {}
        for each in map(_read_line, data.split(b"\n")):
            if isinstance(each, LateEvent):
                found.setdefault(each.path, []).append(each)
            elif each is not None:
                del found.get(each[0], [])[: each[1]]
        return [event for events in found.values() for event in events]

    def add(self, owner: str, events: Iterable[LateEvent]) -> int:
        """Append events of an account, which are on the medium on return; the bytes of its file. Raises StoreError."""
        return self._append(owner, _data(events), durable=True)

    def done(self, owner: str, path: str, count: int) -> int:
        """The first ``count`` events of a log have been written; the bytes of the file. Raises StoreError."""
        return self._append(owner, f"{json.dumps([path, count])}\n".encode("ascii"), durable=False)

    def _append(self, owner: str, data: bytes, *, durable: bool) -> int:
        path, above = self._path(owner), os.path.dirname(self._folder)
        data = b"\n" + data if data else data
        try:
            os.makedirs(self._folder, 0o700, exist_ok=True)
            handle = self._fs.open_append(path, 0o600)
            try:
                self._write(handle, data, durable=durable)
                if durable and owner not in self._named:
                    for folder in (self._folder, above):
                        self._fs.sync_dir(folder)
                    self._named.add(owner)
            finally:
                self._fs.close(handle)
        except OSError as error:
            raise store_error(error, "cannot keep late events", path) from None
        self._sizes[owner] = self._sizes.get(owner, 0) + len(data)
        return self._sizes[owner]

    def _write(self, handle: int, data: bytes, *, durable: bool) -> None:
        """Append to a file; nothing of it stays where that fails (a full disk): it is tried again as a whole."""
        size = self._fs.fstat(handle).size
        try:
            self._fs.write(handle, data)
            if durable:
                self._fs.sync(handle)
        except OSError:
            with suppress(OSError):
                self._fs.truncate(handle, size)
            raise

    def replace(self, owner: str, events: Iterable[LateEvent]) -> None:
        """Let the file of an account have these events and no others. Raises StoreError."""
        path, data = self._path(owner), _data(events)
        try:
            if data:
                replace_file(self._fs, path, data, 0o600, durable=True)
            else:
                remove_if_there(self._fs, path)
                self._named.discard(owner)
        except OSError as error:
            raise store_error(error, "cannot keep late events", path) from None
        self._sizes[owner] = len(data)

    def _path(self, owner: str) -> str:
        return f"{self._folder}/{os.fsencode(owner).hex()}{_SUFFIX}"


def _owner(name: str) -> str | None:
    try:
        return os.fsdecode(bytes.fromhex(name.removesuffix(_SUFFIX))) if name.endswith(_SUFFIX) else None
    except ValueError:
        return None


def _data(events: Iterable[LateEvent]) -> bytes:
    return "".join(f"{json.dumps([event.path, *event.job, event.number, event.text])}\n" for event in events).encode(
        "ascii"
    )


def _read_line(line: bytes) -> LateEvent | tuple[str, int] | None:
    """The event of a line, or a log and how many of its events are written; None for a line that is damaged."""
    try:
        match json.loads(line):
            case [str(path), int(count)]:
                return path, count
            case [str(path), int(cluster), int(proc), int(number), str(text)]:
                return LateEvent(path, JobId(cluster, proc), number, text)
    except (ValueError, RecursionError):
        pass
    return None
