"""Following and writing one ClassAd log file.

A follower takes no lock. It reads up to the last closed transaction, notices when another file has taken
the name (compaction) and when the file was cut behind its position (a writer took an unsynced transaction
back).

A writer works under the lock and only after catching up. Whatever is behind the last record that counts
then belongs to a dead process, and is cut; unless it is simply the beginning of a transaction it is kept in
``NAME.cut``. Success is reported after fdatasync, and after an fsync of the
directory the first time a process writes to a file, because the name of a file that another process just made
may not be on the medium yet.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from condor_py.model.errors import StoreError
from condor_py.model.record import Entry
from condor_py.model.texts import as_integer
from condor_py.store.adlog import (
    SEQUENCE,
    Damage,
    Record,
    Tail,
    format_records,
    format_transaction,
    header_record,
    is_plain_prefix,
    scan,
)
from condor_py.store.fs import CLOSED, FileId, FileSystem, RealFs, close_quietly, describe, remove_if_there
from condor_py.store.logreader import Arrivals, Loaded, arrivals, image, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from condor_py.store.folded import Image

    _Found = TypeVar("_Found")


#: Bytes before the read position that are compared to notice a file that was cut and grew again.
_WITNESS_BYTES = 4096
#: In so much that is new one looks for new jobs, where that is wanted.
_MANY_BYTES = 64 << 10
_COPY_CHUNK_RECORDS = 5000
#: A rewrite in steps syncs after about so many bytes.
_SYNC_BYTES = 4 << 20
_TAILS = (Tail.COMPLETE, Tail.OPEN, Tail.TORN)


class News:
    """The result of a poll. ``reset`` means that ``records`` are a whole file that replaces what was read before. Where
    jobs have ``arrived`` the records are still in their lines."""

    __slots__ = ("arrived", "records", "reset")

    def __init__(self, records: list[Record], reset: bool, arrived: Arrivals | None = None) -> None:
        self.records = records
        self.reset = reset
        self.arrived = arrived

    def __eq__(self, other: object) -> bool:
        return isinstance(other, News) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)


_UNSEEN = FileId(0, 0, 0, 0)


class LogFile:
    """One log file: a position in it, reading on from there, and writing at its end.

    ``mode`` is that of a new file. The file need not exist; it then reads as empty. Not for several threads.
    """

    def __init__(self, path: str, fs: FileSystem, *, mode: int = 0o600) -> None:
        self.path = path
        self.fs = fs
        self.sequence = 0
        self.birthdate = 0
        self.tail = Tail.COMPLETE
        self.mode = mode
        #: Many new jobs come as their lines.
        self.tells_arrivals = False
        #: What happened that an administrator should know; a process that has its own log takes them.
        self.notes: list[str] = []
        self._handle = CLOSED
        #: Whether the server of the file system has forgotten the handle, which never works again then.
        self._is_stale = False
        self._writable = False
        self._seen = _UNSEEN  # the file when it was last read or written, for a cheap "nothing is new"
        self._forget_position()

    # reading

    def load(self, *, jobs: bool) -> Loaded | None:
        """The whole file as ads, for a first look; see ``logreader.load``.

        None when there is nothing to load or ``poll`` has to read it by the letter. Raises StoreError.
        """

        def look() -> Loaded | None:
            found = load(self.fs.read_at(self._handle, 0, self._seen.size), jobs)
            if found is not None:
                self._take_end(*found[3:])
            return found

        return self._first_look(look)

    def image(self, index: bytes | None, *, lasting: bool) -> Image | None:
        """The file of a queue for a first look, as ``load``, but nothing is made of it before it is asked for.

        ``index`` is what the image of an earlier look gave; if no process may empty the file (it is ``lasting``) only
        what is asked for is read of it.
        """

        def look() -> Image | None:
            size = self._seen.size
            in_place = lasting and isinstance(self.fs, RealFs)
            source = self._handle if in_place else self.fs.read_at(self._handle, 0, size)
            found: Image | None = image(source, size, True, index)
            if found is not None:
                self._take_end(*found.end)
            return found

        return self._first_look(look)

    def _first_look(self, look: Callable[[], _Found | None]) -> _Found | None:
        try:
            self._open()
            return look()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.failure(error, "cannot read the log")

    def failure(self, error: OSError, doing: str) -> StoreError:
        """Return the error that tells of a failed call, and note when it says that the handle is of no use any more."""
        self._is_stale = self._is_stale or error.errno == errno.ESTALE
        return StoreError(describe(error, doing, self.path))

    def _take_end(self, length: int, tail: int, sequence: int, birthdate: int) -> None:
        """The position is behind what was read without ``poll``. Raises OSError."""
        begin = max(0, length - _WITNESS_BYTES)
        self._moved(length, self.fs.read_at(self._handle, begin, length - begin))
        self.tail = _TAILS[tail]
        if sequence >= 0:
            self.sequence, self.birthdate = sequence, birthdate

    def read(self, offset: int, size: int) -> bytes:
        """Bytes of the file that was last read. Raises StoreError."""
        try:
            return self.fs.read_at(self._handle, offset, size)
        except OSError as error:
            raise self.failure(error, "cannot read the log")

    def poll(self) -> list[News]:
        """Return what is new since the last poll, oldest first; an empty list when nothing is.

        Raises StoreError for a file that cannot be read and Damage (a StoreError) for one that is damaged.
        """
        try:
            return self._poll()
        except OSError as error:
            raise self.failure(error, "cannot read the log")

    def _poll(self) -> list[News]:
        if self._is_stale and self._handle != CLOSED:
            self._open_stale()
        try:
            named = self.fs.stat(self.path)
        except FileNotFoundError:
            self._gone = self._handle != CLOSED
            return []  # it does not exist yet, or was taken away; what was read stays true
        self._gone = False
        if named == self._seen and named.size == self.offset:
            return []
        if named.same_file(self._seen):
            return self._read_on()
        found: list[News] = []
        if self._handle != CLOSED:  # the old file is final, and its end comes before the new one
            try:
                found = self._read_on()
            except Damage:
                found = []  # it was replaced for that reason
        self._open()
        found.append(self._read_whole())
        return found

    def _open_stale(self) -> None:
        """Exchange the handle; the position stays where it is the same file."""
        writes = self._writable
        handle = self.fs.open_append(self.path, self.mode) if writes else self.fs.open_read(self.path)
        named = self.fs.fstat(handle)
        close_quietly(self.fs, self._handle)
        self._handle, self._is_stale = handle, False
        if not named.same_file(self._seen):
            self._forget_position()

    def _open(self) -> None:
        handle = self.fs.open_read(self.path)
        self.close()
        self._handle = handle
        self._seen = self.fs.fstat(handle)
        self._forget_position()

    def _forget_position(self) -> None:
        self.offset = 0
        self._witness = b""

    def read_again(self, note: str) -> None:
        """Let the next look read the whole file, because of what ``note`` says."""
        self._forget_position()
        self.notes.append(note)

    def _read_on(self) -> list[News]:
        seen = self.fs.fstat(self._handle)
        if self.offset == 0 or self._was_rewritten():
            self._forget_position()
            return [self._read_whole()]
        if self.tells_arrivals and seen.size - self.offset >= _MANY_BYTES and (news := self._new_jobs(seen)):
            return [news]
        records = self._advance(seen)
        return [News(records, False)] if records else []

    def _new_jobs(self, seen: FileId) -> News | None:
        """Return what is new, when it consists of whole transactions, and ordinary ones; the position moves behind
        it."""
        data = self.fs.read_at(self._handle, self.offset, seen.size - self.offset)
        found = arrivals(data)
        if found is None:
            return None
        self.tail, self._seen = Tail.COMPLETE, seen
        self._moved(self.offset + len(data), data[-_WITNESS_BYTES:])
        return News([], False, found)

    def _was_rewritten(self) -> bool:
        count = len(self._witness)
        return self.fs.read_at(self._handle, self.offset - count, count) != self._witness

    def _read_whole(self) -> News:
        return News(self._advance(self.fs.fstat(self._handle)), True)

    def _advance(self, seen: FileId) -> list[Record]:
        """Records from the position on; moves the position behind the last that counts."""
        start = self.offset
        data = self.fs.read_at(self._handle, start, seen.size - start)
        try:
            found = scan(data, self.path, start)
        except Damage:
            # A writer that cuts a torn end and appends may have done so while the bytes were read.
            seen = self.fs.fstat(self._handle)
            data = self.fs.read_at(self._handle, start, seen.size - start)
            found = scan(data, self.path, start)
        self.tail = found.tail
        self._seen = seen
        self._moved(start + found.length, data[: found.length][-_WITNESS_BYTES:])
        records = found.records
        if start == 0 and records and records[0].op == SEQUENCE:
            self._note_header(records.pop(0))
        return records

    def _moved(self, offset: int, last: bytes) -> None:
        """The position is now ``offset``, and ``last`` the bytes before it (as far as they are new)."""
        self.offset = offset
        self._witness = (self._witness + last)[-_WITNESS_BYTES:]

    def _note_header(self, record: Record) -> None:
        if record.key.isdecimal() and record.value.isdecimal():
            self.sequence, self.birthdate = as_integer(record.key), as_integer(record.value)

    # writing, under the lock

    def prepare(self, first: Sequence[Record]) -> list[News]:
        """Catch up as a writer: as ``poll``, the torn end cut, a missing file made with its 107 and
        ``first``.

        Raises StoreError.
        """
        try:
            found = self._poll()
            if self._gone:
                raise StoreError(f"{self.path} was removed while it was in use; restore it, or restart the daemon")
            if not self._writable:
                found += self._become_writer()
            self._cut_tail()
            if self.offset == 0:
                found.append(self._begin_file(first))
        except OSError as error:
            raise self.failure(error, "cannot write the log")
        return found

    def _become_writer(self) -> list[News]:
        """Exchange the handle for one that can write, keeping the position."""
        handle = self.fs.open_append(self.path, self.mode)
        try:
            named = self.fs.fstat(handle)
        except OSError:
            close_quietly(self.fs, handle)
            raise
        known = named.same_file(self._seen)
        self.close()
        self._handle, self._writable, self._name_synced, self._seen = handle, True, False, named
        if known:
            return []
        self._forget_position()
        return [self._read_whole()]

    def _cut_tail(self) -> None:
        size = self._seen.size
        if size > self.offset:
            self._keep_cut(self.fs.read_at(self._handle, self.offset, size - self.offset))
            self.fs.truncate(self._handle, self.offset)
        self.tail = Tail.COMPLETE

    def _keep_cut(self, data: bytes) -> None:
        """Note the bytes that were cut, and keep them in a file if they are no plain prefix. They were never
        acknowledged, as far as a file can tell."""
        note = f"{self.path}: cut {len(data)} bytes at byte {self.offset} that a crash left of a transaction"
        if not is_plain_prefix(data):
            copy = f"{self.path}.cut"
            handle = self.fs.create(copy, self.mode)
            try:
                self.fs.write(handle, data)
                self.fs.sync(handle)
            finally:
                self.fs.close(handle)
            note += f"; they are kept in {copy}"
        self.notes.append(note)

    def _begin_file(self, first: Sequence[Record]) -> News:
        birth = self.fs.fstat(self._handle).mtime_ns // 1_000_000_000
        header = header_record(1, birth)
        self._append(format_records([header]) + (format_transaction(first) if first else b""))
        self._note_header(header)
        return News(list(first), True)

    def append(self, records: Sequence[Entry]) -> None:
        """Write one transaction and return when it is on the medium. Only after ``prepare``, under the same
        lock.

        Raises StoreError (nothing of the transaction counts then) or ValueError for records that cannot be
        written.
        """
        self._append(format_transaction(records))

    def _append(self, data: bytes) -> None:
        try:
            self.fs.write(self._handle, data)
            self.fs.sync(self._handle)
            if not self._name_synced:
                self.fs.sync_dir(os.path.dirname(self.path) or ".")
                self._name_synced = True
        except OSError as error:
            self._take_back()
            raise self.failure(error, "cannot write the log")
        self._moved(self.offset + len(data), data[-_WITNESS_BYTES:])
        self._look()

    def _look(self) -> None:
        """Notes what the file is like after a write that counts; where that fails, the next poll finds it changed,
        and looks."""
        with suppress(OSError):
            self._seen = self.fs.fstat(self._handle)

    def _take_back(self) -> None:
        """Make an append that failed not count. When even that fails, the next writer judges what it
        finds."""
        with suppress(OSError):
            self.fs.truncate(self._handle, self.offset)
            self.fs.sync(self._handle)

    def compact(self, snapshot: Iterable[Record], keep: int) -> None:
        """Replace the file by ``snapshot`` with the next sequence number, after ``prepare``, under the lock.

        The old file stays as ``NAME.SEQ`` for ``keep`` rewrites (0: no copy). Readers go on undisturbed.
        Raises StoreError, the old file being in force then, unless only the sync of the directory failed.
        """
        rewrite = self.start_rewrite(".tmp")
        rewrite.write(snapshot)
        self.finish_rewrite(rewrite, keep)

    def start_rewrite(self, suffix: str) -> Rewrite:
        """Begin a new file next to this one, after ``prepare``, under the lock. Raises StoreError.

        One that outlives the lock has a ``suffix`` of its own: rewrites by others must not meet it.
        """
        return Rewrite(self, suffix, self.sequence + 1, self.birthdate, self.offset)

    def finish_rewrite(self, rewrite: Rewrite, keep: int) -> None:
        """Append to the rewrite what was written since it began, and put it in this file's place.

        After ``prepare``, under the lock; otherwise as ``compact``. A rewrite of a file that another process has
        replaced meanwhile is dropped.
        """
        if self.sequence + 1 != rewrite.sequence:
            rewrite.drop()
            return
        try:
            appended = self.fs.read_at(self._handle, rewrite.begin, self.offset - rewrite.begin)
            rewrite.add(format_transaction(()) + appended)  # a closed transaction: the image before it is whole
            self.fs.sync(rewrite.handle)
            self._keep_copy(keep)
            self.fs.rename(rewrite.path, self.path)
        except OSError as error:
            rewrite.drop()
            raise self.failure(error, "cannot rewrite the log")
        self.close()
        self._handle, self._writable, self._name_synced = rewrite.take(), True, False
        self._look()
        self.sequence = rewrite.sequence
        self._witness = b""
        self._moved(rewrite.size, rewrite.witness)
        self._sync_name()

    def _sync_name(self) -> None:
        try:
            self.fs.sync_dir(os.path.dirname(self.path) or ".")
        except OSError as error:
            raise self.failure(error, "cannot make the rewritten log durable")
        self._name_synced = True

    def _keep_copy(self, keep: int) -> None:
        if keep <= 0:
            return
        copy = f"{self.path}.{self.sequence}"
        remove_if_there(self.fs, copy)
        try:
            self.fs.link(self.path, copy)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK):
                raise
            self._copy_to(copy)  # a file system without hard links
        remove_if_there(self.fs, f"{self.path}.{self.sequence - keep}")

    def _copy_to(self, copy: str) -> None:
        target = self.fs.create(copy, self.mode)
        try:
            self.fs.write(target, self.fs.read_at(self._handle, 0, self.offset))
        finally:
            self.fs.close(target)

    def close(self) -> None:
        """Give the file handle back; the position is kept only until the next poll finds the file again."""
        handle = self._handle
        if handle != CLOSED:
            self._handle, self._writable, self._seen = CLOSED, False, _UNSEEN
            close_quietly(self.fs, handle)

    def __del__(self, _is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        """A log that is no longer read keeps no descriptor. At the end modules may be gone before it."""
        if not _is_over():
            self.close()


class Rewrite:
    """A new file of a log on its way: ``begin`` is the position in the old file up to which it stands for it.

    Whatever is written twice, here as part of the snapshot and again with what follows, counts once: playing records
    over their own result changes nothing.
    """

    def __init__(self, log: LogFile, suffix: str, sequence: int, birthdate: int, begin: int) -> None:
        self.path = log.path + suffix
        self.sequence = sequence
        self.begin = begin
        self.size = 0
        self.witness = b""
        self.handle = CLOSED
        self._log = log
        self._unsynced = 0
        self._chunk = [header_record(sequence, birthdate)]
        try:
            self.handle = log.fs.create(self.path, log.mode)
        except OSError as error:
            raise log.failure(error, "cannot rewrite the log")

    def write(self, records: Iterable[Record]) -> None:
        """Appends records of the snapshot. Raises StoreError, and then the rewrite is dropped."""
        try:
            for record in records:
                self._chunk.append(record)
                if len(self._chunk) >= _COPY_CHUNK_RECORDS:
                    self._flush()
            self._flush()
        except OSError as error:
            self.drop()
            raise self._log.failure(error, "cannot rewrite the log")

    def sync_some(self) -> None:
        """Gets much that was written onto the medium, so that the end need not wait for all of it. StoreError."""
        if self._unsynced < _SYNC_BYTES:
            return
        try:
            self._log.fs.sync(self.handle)
        except OSError as error:
            self.drop()
            raise self._log.failure(error, "cannot rewrite the log")
        self._unsynced = 0

    def _flush(self) -> None:
        chunk, self._chunk = self._chunk, []
        if chunk:
            self.add(format_records(chunk))

    def add(self, data: bytes) -> None:
        """Appends bytes. Raises OSError."""
        if data:
            self._log.fs.write(self.handle, data)
        self.size += len(data)
        self._unsynced += len(data)
        self.witness = (self.witness + data[-_WITNESS_BYTES:])[-_WITNESS_BYTES:]

    def take(self) -> int:
        """The handle of the new file, which is the log's from now on."""
        handle, self.handle = self.handle, CLOSED
        return handle

    def drop(self) -> None:
        """Takes the new file away again; a left-over is overwritten by the next rewrite."""
        handle = self.take()
        with suppress(OSError):
            if handle != CLOSED:
                self._log.fs.close(handle)
                remove_if_there(self._log.fs, self.path)
