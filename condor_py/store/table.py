"""A table of ads that lives in a ClassAd log: the image in memory, catching up, transactions, rewrites.

``JobQueue`` and ``AccountantLog`` are tables. Readers call ``refresh`` and look; writers use
``transaction``. Every process has its own image; the file is the truth.
"""

from __future__ import annotations

import os
from itertools import groupby, islice

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply, play
from condor_py.model.errors import StoreError, shortage
from condor_py.model.record import Alike, Entry, Gone, NewJobs
from condor_py.store import logreader
from condor_py.store.adlog import DELETE, DESTROY_AD, NEW_AD, SET, Record, collector_paused, scan, type_in
from condor_py.store.adlog_file import LogFile, News
from condor_py.store.foreign import Guard
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.lock import Lock, QueueLock
from condor_py.store.logreader import Arrivals, arrivals
from condor_py.store.stored_ad import peek

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

#: Seconds a writer waits for the lock by default.
LOCK_TIMEOUT = 20.0
_MANY_RECORDS = 20_000


class AdTable:
    """Ads by key, as the log has them. Not for several threads.

    ``ads`` maps key to ClassAd and is to be read, not changed: changes go through a transaction. The
    ClassAd of a key stays the same object until the key is destroyed. ``lock`` is for tests; it is
    ``PATH.lock`` otherwise.
    """

    #: The class of its ads.
    new_ad: type[ClassAd] = ClassAd

    def __init__(
        self, path: str, fs: FileSystem | None = None, *, readonly: bool = False, lock: Lock | None = None
    ) -> None:
        self.path = path
        self.fs: FileSystem = fs if fs is not None else RealFs()
        self.readonly = readonly
        self._ads: dict[str, ClassAd] = {}
        self._file = LogFile(path, self.fs)
        self._lock = lock
        self._guard = Guard(os.path.dirname(path))
        self._open: Transaction | None = None
        self._load()

    # reading

    def _load(self) -> None:
        """Read the file for the first time."""
        with collector_paused(True):
            found = self._file.load(jobs=False)
            if found is not None:
                self._ads = found[0]
                self._add_loaded(found[2])
        if found is None:
            self.refresh()

    def is_sound(self) -> bool:
        """Whether it is known, without reading it record by record, that nothing is wrong with the log that was just
        opened (see ``mend``)."""
        return False

    def _add_loaded(self, loaded: Iterable[tuple[str, str, str, bytes]]) -> None:
        """Make the ads of (key, MyType, TargetType, lines), whose places in ``ads`` are waiting for them."""
        for key, my_type, target_type, lines in loaded:
            ad = self._ads[key] = self.new_ad()
            self._added(key, ad, type_in(my_type), type_in(target_type))
            logreader.fill(ad.attrs, lines)

    @property
    def ads(self) -> Mapping[str, ClassAd]:
        """All ads by key."""
        return self._ads

    def entries(self) -> Iterator[tuple[str, ClassAd]]:
        """The key and the ad of each that is there now, also of those that leave before they are asked for."""
        return iter(list(self._ads.items()))

    def _find(self, key: str) -> ClassAd | None:
        """The ad of a key."""
        return self._ads.get(key)

    def _has_ads(self) -> bool:
        return bool(self._ads)

    @property
    def sequence(self) -> int:
        """The number of the rewrite that this image comes from; 0 when the file does not exist."""
        return self._file.sequence

    @property
    def size(self) -> int:
        """Bytes of the log that count."""
        return self._file.offset

    def take_notes(self) -> list[str]:
        """Return and clear what has happened to the file since the last call that its administrator should know."""
        notes, self._file.notes = self._file.notes, []
        return notes

    def log_bytes(self, offset: int, size: int) -> bytes:
        """Bytes of the log that the image comes from. Raises StoreError."""
        return self._file.read(offset, size)

    def refresh(self) -> list[Entry]:
        """Catch up without a lock; the records applied, in order. Raises StoreError.

        When the file was rewritten meanwhile, records that lead from the old image to the new one stand for
        what happened.
        """
        return self._take(self._file.poll())

    def _take(self, news: Iterable[News]) -> list[Entry]:
        applied: list[Entry] = []
        for new in news:
            if new.arrived is not None:
                applied += self._take_in(new.arrived)
            elif not new.reset:
                self._apply(new.records)
                applied += new.records
            elif self._has_ads():
                applied += self._reset(new.records)
            else:
                self._apply(new.records)
                applied += new.records
        return applied

    def _take_in(self, arrived: Arrivals) -> list[Entry]:
        """Apply what is new, with new jobs in it. For tables that have jobs to extend."""
        records = scan(arrived.lines, self.path).records
        self._apply(records)
        return [*records]

    def _apply(self, entries: Sequence[Entry]) -> None:
        """Play records on the image. One that names an ad that is not there does nothing, as in HTCondor."""
        with collector_paused(len(entries) > _MANY_RECORDS):
            played = False
            for kind, group in groupby(entries, type):
                some = list(group)
                if kind is Record:
                    self._play(some)  # type: ignore[arg-type]  # all of one kind
                    played = True
                else:
                    for entry in some:
                        played = self._play_many(entry, played) or played  # type: ignore[arg-type]  # they are not

    def _follow(self, written: Sequence[Entry]) -> None:
        """Play records on the image that are in the file, and so count: where that fails the file is read again."""
        try:
            if written:
                self._apply(written)
        except Exception as error:
            why = shortage(error) or type(error).__name__
            self._file.read_again(f"{self.path}: what was written is not in memory ({why}): the file is read again")

    def _play_many(self, entry: Alike | Gone | NewJobs, played: bool) -> bool:
        """Play what represents many records; False when the image has it. ``played``: something was before."""
        if isinstance(entry, NewJobs):
            self._play_new(entry)
        elif isinstance(entry, Gone):
            self._play_gone(entry)
        elif played or not entry.applied:  # what is played before it would be in its place
            self._play_alike(entry)
        else:
            return False
        return True

    def _play_alike(self, entry: Alike) -> None:
        """Changes many jobs. For tables that have such to extend."""
        for key in entry.keys:
            ad = self._find(key)
            if ad is not None:
                apply(ad, entry.changes)

    def _play_gone(self, entry: Gone) -> None:
        """Destroys the ads of many jobs. For tables that have such to extend."""
        self._play([*entry.each()])

    def _play_new(self, entry: NewJobs) -> None:
        found = arrivals(entry.lines)
        if found is None:
            self._play(scan(entry.lines, self.path).records)
        else:
            self._take_in(found)

    def _play(self, records: Sequence[Record]) -> None:
        play(self._ads, records, self._play_other)

    def _play_other(self, record: Record) -> None:
        """A record that makes or destroys an ad."""
        op, key, name, value = record
        ad = self._find(key)
        if op == NEW_AD:
            if ad is None:
                made = self._make(key)
                self._keep(key, made)
                self._added(key, made, name, value)
        elif op == DESTROY_AD and ad is not None:
            self._drop(key)
            self._removed(key, ad)

    def _make(self, key: str) -> ClassAd:
        return self.new_ad()

    def _keep(self, key: str, ad: ClassAd) -> None:
        self._ads[key] = ad

    def _drop(self, key: str) -> None:
        del self._ads[key]

    def _added(self, key: str, ad: ClassAd, my_type: str, target_type: str) -> None:
        """``key`` is new in ``ads``: set what its types say, keep indices. For subclasses to extend."""
        if my_type:
            ad.set_text("MyType", f'"{my_type}"')

    def _removed(self, key: str, ad: ClassAd) -> None:
        """``key`` has just left ``ads``. For subclasses to extend."""

    def _reset(self, records: list[Record]) -> list[Record]:
        """Make the image that of a new file; the records that lead there."""
        target = type(self).__new__(type(self))
        target._start_empty()
        target._apply(records)
        steps = list(_difference(self.ads, target, target.ads))
        self._apply(steps)
        return steps

    def _start_empty(self) -> None:
        """Be an image of nothing, without a file. For subclasses to extend."""
        self._ads = {}

    # writing

    def transaction(self, timeout: float = LOCK_TIMEOUT) -> Transaction:
        """A transaction, to be used with ``with``: enters the lock and catches up, commits on normal exit.

        Entering raises LockTimeout or StoreError. Leaving normally appends what was buffered, syncs and
        applies it; StoreError then means that nothing of it counts. Leaving by an exception writes nothing.
        """
        return Transaction(self, timeout)

    def compact(self, keep: int, timeout: float = LOCK_TIMEOUT) -> list[Entry]:
        """Rewrite the log, keeping ``keep`` numbered copies; what others had written. Raises StoreError."""
        lock = self._enter(timeout)
        try:
            caught_up = self._prepare()
            with collector_paused(True):
                self._file.compact(self.snapshot(), keep)
        finally:
            lock.release()
        return caught_up

    def compaction(self, keep: int, timeout: float = LOCK_TIMEOUT) -> Compaction:
        """Begins a rewrite that continues in steps, between which others (and this process) may write. StoreError."""
        return Compaction(self, keep, timeout)

    def snapshot(self, entries: Iterable[tuple[str, ClassAd]] | None = None) -> Iterator[Record]:
        """Records that make this image, or only ``entries``, from nothing: for each ad one 101 and its 103 lines."""
        for key, ad in self.entries() if entries is None else entries:
            yield Record(NEW_AD, key, *self.types_of(key, ad))
            for name, text in raw_items(ad):
                yield Record(SET, key, name, text)

    def types_of(self, key: str, ad: ClassAd) -> tuple[str, str]:
        """MyType and TargetType for the 101 of an ad."""
        return _bare(ad.text("MyType")), _bare(ad.text("TargetType"))

    def _first_records(self) -> list[Record]:
        """Return the records of a new file behind its 107."""
        return []

    def _enter(self, timeout: float) -> Lock:
        if self.readonly:
            raise StoreError(f"{self.path} was opened for reading only")
        self._guard.check()
        if self._lock is None:
            self._lock = QueueLock(self.path + ".lock")
        self._lock.acquire(timeout)
        return self._lock

    def _prepare(self) -> list[Entry]:
        return self._take(self._file.prepare(self._first_records()))

    def close(self) -> None:
        """Give file handles back. The image stays; a later refresh reads the file again."""
        self._file.close()


class Transaction:
    """Records that will be written together. ``caught_up`` has what others had written before.

    The order of the calls is the order in the file. Values are ClassAd text. Nothing is applied to the
    image before the commit; ``lacking`` is what the image gets then, None for all.
    """

    __slots__ = ("_timeout", "caught_up", "lacking", "records", "table")

    def __init__(self, table: AdTable, timeout: float) -> None:
        self.table = table
        self.records: list[Entry] = []
        self.caught_up: list[Entry] = []
        self.lacking: Sequence[Entry] | None = None
        self._timeout = timeout

    def new_ad(self, key: str, my_type: str, target_type: str = "") -> None:
        """Make an ad; an empty type is written ``(empty)``."""
        self.records.append(Record(NEW_AD, key, my_type, target_type))

    def destroy(self, key: str) -> None:
        """Destroy an ad."""
        self.records.append(Record(DESTROY_AD, key))

    def set(self, key: str, name: str, text: str) -> None:
        """Set an attribute to the ClassAd expression ``text``."""
        self.records.append(Record(SET, key, name, text))

    def delete(self, key: str, name: str) -> None:
        """Delete an attribute; it need not be there."""
        self.records.append(Record(DELETE, key, name))

    def extend(self, records: Iterable[Entry]) -> None:
        """Add records that were built elsewhere."""
        self.records.extend(records)

    def __enter__(self) -> Transaction:
        table = self.table
        if table._open is not None:
            raise RuntimeError(f"a transaction of {table.path} is open already")
        lock = table._enter(self._timeout)
        try:
            self.caught_up = table._prepare()
        except BaseException:
            lock.release()
            raise
        table._open = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        table = self.table
        table._open = None
        assert table._lock is not None
        try:
            if kind is None and self.records:
                table._file.append(self.records)
                table._follow(self.records if self.lacking is None else self.lacking)
        finally:
            table._lock.release()


class Compaction:
    """A rewrite of a table's log in steps. What is written meanwhile goes behind it, from the old file, at the end.

    An ad that leaves meanwhile is written as it was: its last records, which go behind, are of no use without it.

    ``caught_up`` has what others had written before it began.
    """

    def __init__(self, table: AdTable, keep: int, timeout: float) -> None:
        self._table = table
        self._keep = keep
        self._timeout = timeout
        lock = table._enter(timeout)
        try:
            self.caught_up = table._prepare()
            self._rewrite = table._file.start_rewrite(".rewrite")
        finally:
            lock.release()
        self._entries = table.entries()

    def step(self, count: int) -> bool:
        """Writes ``count`` more ads, as they are now; False when there are none left. Raises StoreError."""
        entries = list(islice(self._entries, count))
        with collector_paused(True):
            self._rewrite.write(self._table.snapshot(entries))
        self._rewrite.sync_some()
        return len(entries) == count

    def finish(self) -> list[Entry]:
        """Puts the new file in place; what others had written meanwhile. StoreError: the old file is in force."""
        table = self._table
        lock = table._enter(self._timeout)
        try:
            caught_up = table._prepare()
            table._file.finish_rewrite(self._rewrite, self._keep)
        except StoreError:
            self.drop()
            raise
        finally:
            lock.release()
        return caught_up

    def drop(self) -> None:
        """Gives the rewrite up."""
        self._rewrite.drop()


def raw_items(ad: ClassAd) -> list[tuple[str, str]]:
    """The own attributes of an ad in the very words of the log, not as a tool would print them."""
    return [(binding.name, binding.raw if binding.raw is not None else binding.text) for binding in peek(ad).values()]


def _bare(text: str | None) -> str:
    """The string in a ClassAd string literal without escapes, which types are."""
    return text[1:-1] if text is not None and text[:1] == '"' == text[-1:] else ""


def _difference(old: Mapping[str, ClassAd], table: AdTable, new: Mapping[str, ClassAd]) -> Iterator[Record]:
    """Records that lead from the ads ``old`` to ``new``, those of a table."""
    for key in old:
        if key not in new:
            yield Record(DESTROY_AD, key)
    for key, ad in new.items():
        wanted = dict(raw_items(ad))
        before = old.get(key)
        if before is None:
            yield Record(NEW_AD, key, *table.types_of(key, ad))
            have: dict[str, str] = {}
        else:
            have = dict(raw_items(before))
        for name, text in wanted.items():
            if have.get(name) != text:
                yield Record(SET, key, name, text)
        lower = {name.lower() for name in wanted}
        for name in have:
            if name.lower() not in lower:
                yield Record(DELETE, key, name)
