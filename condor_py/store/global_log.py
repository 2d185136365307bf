"""The global event log (EVENT_LOG): the events of all jobs, behind a header that tells how far the log has come.

The header is an event 008 of fixed length, ids -1: creation time, identity, number of this file in the sequence, and
what was rotated away before. A file that has reached its size is closed (its header gets size and count), moved to
``.1`` (``.old`` when only one is kept), and a new one is begun. One process writes; readers need no lock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from condor_py.model.errors import StoreError
from condor_py.store.event_log import Form, FormatOptions, append, format_event
from condor_py.store.fs import FileSystem, RealFs, close_quietly, describe, remove_if_there

_HEADER = re.compile(
    r"Global JobLog: ctime=(\d+) id=(\S+) sequence=(\d+) size=(\d+) events=(\d+) offset=(\d+) event_off=(\d+) "
)
_HEADER_BYTES = 4096
_INFO_WIDTH = 256


class _Header(NamedTuple):
    """The fields of a header; ``offset`` and ``events_before`` count what earlier files of the log had."""

    ctime: int
    identity: str
    sequence: int
    size: int = 0
    events: int = 0
    offset: int = 0
    events_before: int = 0

    def info(self, rotations: int) -> str:
        """The text, padded so that a later one of the same file takes the same space."""
        return (
            f"Global JobLog: ctime={self.ctime} id={self.identity} sequence={self.sequence} size={self.size} "
            f"events={self.events} offset={self.offset} event_off={self.events_before} max_rotation={rotations} "
            "creator_name=<>"
        ).ljust(_INFO_WIDTH)


class GlobalLog:
    """Appends to one global event log (0644). ``max_size`` bytes (0: never rotate), ``rotations`` files kept."""

    def __init__(
        self,
        path: str,
        options: str,
        *,
        max_size: int = 1_000_000,
        rotations: int = 1,
        durable: bool = False,
        count_events: bool = False,
        fs: FileSystem | None = None,
    ) -> None:
        self.path = path
        self.form = Form.of_options(options)
        self.options = FormatOptions.parse(options, FormatOptions(iso_date=False))
        self.fs: FileSystem = fs if fs is not None else RealFs()
        self._max_size = max_size
        self._rotations = rotations
        self._durable = durable
        self._count_events = count_events

    def append(self, texts: Sequence[str], now: float) -> None:
        """Appends events made by ``format_event`` in our form; ``now`` is in Unix seconds. Raises StoreError."""
        if not texts:
            return
        try:
            begin = self._beginning(now)
        except OSError as error:
            raise StoreError(describe(error, "cannot write the global event log", self.path))
        append(self.path, [*begin, *texts], durable=self._durable, fs=self.fs)

    def _beginning(self, now: float) -> list[str]:
        """The header that has to come first: one in a new file, none in a file that continues."""
        try:
            size = self.fs.stat(self.path).size
        except FileNotFoundError:
            size = 0
        if size == 0:
            return [self._text(_Header(int(now), self._identity(1, now), 1), now)]
        if not self._max_size or size < self._max_size or self._rotations <= 0:
            return []
        return [self._text(self._rotate(size, now), now)]

    def _identity(self, sequence: int, now: float) -> str:
        """``UID.PID.BORN.SEQUENCE.NOW`` in the manner of HTCondor's unique ids."""
        microseconds = int(now % 1 * 1_000_000)
        return f"{os.getuid()}.{os.getpid()}.{int(now)}.{microseconds}.{sequence}.{int(now)}.{microseconds}"

    def _text(self, header: _Header, now: float) -> str:
        from condor_py.lang.events import Generic

        event = Generic(cluster=-1, proc=-1, subproc=-1, time=now, info=header.info(self._rotations))
        return format_event(event, self.form, self.options)

    def _rotate(self, size: int, now: float) -> _Header:
        """Closes the present file and moves it away; the header of the next."""
        old = self._read_header()
        events = self._count() if self._count_events else 0
        if old is not None:
            closed = self._text(old._replace(size=size, events=events), now).encode()
            if len(closed) == len(self._text(old, now).encode()):
                self.fs.write_at(self.path, 0, closed)
        for number in range(self._rotations, 1, -1):
            try:
                self.fs.rename(self._backup(number - 1), self._backup(number))
            except FileNotFoundError:
                continue
        self.fs.rename(self.path, self._backup(1))
        remove_if_there(self.fs, self._backup(self._rotations + 1))
        sequence = old.sequence + 1 if old is not None else 1
        before = (old.offset, old.events_before) if old is not None else (0, 0)
        return _Header(
            int(now), self._identity(sequence, now), sequence, offset=before[0] + size, events_before=before[1] + events
        )

    def _backup(self, number: int) -> str:
        return f"{self.path}.old" if self._rotations == 1 and number == 1 else f"{self.path}.{number}"

    def _read(self, offset: int, size: int) -> bytes:
        handle = self.fs.open_read(self.path)
        try:
            return self.fs.read_at(handle, offset, size or self.fs.fstat(handle).size)
        finally:
            close_quietly(self.fs, handle)

    def _read_header(self) -> _Header | None:
        """The header of the present file; None when another program began it."""
        found = _HEADER.search(self._read(0, _HEADER_BYTES).decode("utf-8", "replace"))
        if found is None:
            return None
        ctime, identity, sequence, size, events, offset, before = found.groups()
        return _Header(int(ctime), identity, int(sequence), int(size), int(events), int(offset), int(before))

    def _count(self) -> int:
        """Events of the present file, its header not counted."""
        from condor_py.store.event_log import split_events

        return max(0, len(split_events(self._read(0, 0), self.path)[0]) - 1)
