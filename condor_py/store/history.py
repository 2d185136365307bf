"""History files: one record a job that left the queue.

A record is the job's ad, proc and cluster merged, in storage order (length of the name, then name), and
then its banner::

    *** Offset = 0 ClusterId = 7 ProcId = 0 Owner = "alice" CompletionDate = 1795214128 CurrentTime =
    1795214128

``Offset`` is where the banner before it begins in its file, 0 for the first record; nothing relies on it. Every line
that begins with three stars is a banner, a bare ``***`` too. What a crash left behind the last banner is no record:
readers pass over it, the writer cuts it before it appends. There is one writer (the schedd) and any number of readers.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from time import localtime, strftime
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Record, lower
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.store.fs import CLOSED, FileSystem, RealFs, close_quietly, describe, remove_if_there, replace_file
from condor_py.store.logreader import records
from condor_py.store.longform import ad_text, checked_ad, sound_ad

_MARK = b"\n***"
_BLOCK = 1 << 16
_LAST_WRITE = 1 << 20  # bytes at the end that the last write may have been
_TAIL_BLOCK = 1 << 20
#: So many records the schedd writes at most before it takes their jobs out of the queue.
LAST_WRITTEN = 1_000
_BACKUP = re.compile(r"\.\d{8}T\d{6}\Z")
#: A time has fewer digits.
_DIGITS = 16
_FIELD = re.compile(r'(?<!\w)(\w+) ?= ?("[^"]*"|\S+)')
#: What no file has that HISTORY names by mistake.
_OF_A_JOB = re.compile(rb"^(ClusterId|ProcId|GlobalJobId) = |^\*\*\* Offset = ", re.MULTILINE)
_GLOBAL_ID = re.compile(rb'^GlobalJobId = "([^"\n]*)"$', re.MULTILINE)


class HistoryRecord(NamedTuple):
    """One record: the text of its lines (each with its newline), its banner line (without), where it
    begins."""

    text: str
    banner: str
    path: str
    offset: int

    def fields(self) -> dict[str, str]:
        """The fields of the banner: Offset, ClusterId, ProcId, Owner (unquoted), CompletionDate, CurrentTime."""
        return {name: value.strip('"') for name, value in _FIELD.findall(self.banner)}

    def written(self) -> int | None:
        """Return when it was written (Unix seconds) by the banner; None for a banner without such a time."""
        text = self.fields().get("CurrentTime", "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else None

    def job(self) -> JobId | None:
        """The job by the banner; None for a banner without one."""
        fields = self.fields()
        try:
            return JobId(int(fields["ClusterId"]), int(fields["ProcId"]))
        except (KeyError, ValueError):
            return None

    def kind(self) -> str:
        """The word after the stars, in capitals: JOB where there is none; "" for a banner without attributes, which
        may be of any kind."""
        head, equals, _ = self.banner.lstrip("*").partition("=")
        words = head.split()
        return "" if not equals else words[0].upper() if len(words) > 1 else "JOB"

    def ad(self) -> ClassAd:
        """The job's ad. Raises StoreError naming file and offset when it cannot be read."""
        if (sound := sound_ad(self.text)) is not None:
            return sound
        lines = [line for line in self.text.split("\n") if line and line.lstrip(" \t")[:1] not in ("#", "\r")]
        return checked_ad(lines, f"{self.path}, record at byte {self.offset}")


class HistoryError(StoreError):
    """An append that failed; the first ``written`` records of it are in the history for good."""

    def __init__(self, text: str, written: int) -> None:
        super().__init__(text)
        self.written = written


class _Page:
    """Records that will be one write."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._count = 0
        #: Where the next record goes.
        self.place: Place = (0, 0)
        #: Records that were written before.
        self.written = 0

    def add(self, data: bytes, count: int) -> None:
        """So many records more."""
        self.parts.append(data)
        self._count += count

    def flushed(self) -> None:
        """They are written."""
        self.written += self._count
        self.parts, self._count = [], 0


class HistoryWriter:
    """Appends to one history file (0644).

    ``max_size`` bytes is MAX_HISTORY_LOG (0: never rotate), ``rotations`` MAX_HISTORY_ROTATIONS. ``every`` is "day" or
    "month" for a new history with each. Without ``environment`` the jobs' is left out.
    """

    #: While the file is open: how many bytes of it are sound, and where the last banner begins.
    _size: int
    _last_banner: int

    def __init__(self, path: str, fs: FileSystem | None = None, *, max_size: int = 0, rotations: int = 2) -> None:
        self.path = path
        self.fs: FileSystem = fs if fs is not None else RealFs()
        self.notes: list[str] = []
        self._handle = CLOSED
        self.configure(max_size, rotations)

    def configure(self, max_size: int, rotations: int, every: str = "", *, environment: bool = True) -> None:
        """Set the limits from the next record on."""
        self.max_size, self.rotations = max_size, rotations
        self.every, self.environment = every, environment

    def take_notes(self) -> list[str]:
        """Return what happened to the file since the last call that an administrator should know."""
        notes, self.notes = self.notes, []
        return notes

    def append(self, ads: Sequence[ClassAd], now: int) -> None:
        """Write the records of ``ads``, chained ads included, and return when they are on the medium.

        ``now`` (Unix seconds) goes into the banner and, as local time, into the name of a rotated file. The
        records between two rotations are one write. Raises HistoryError, which tells how many of the records
        are written.
        """
        page = _Page()
        try:
            self._ready()
            if self._size and self._of_another_time(now):
                self._rotate(now)
            page.place = (self._last_banner, self._size)
            for some in leaving(ads, self.environment):
                self._append(page, some, now)
            self._flush(page)
        except OSError as error:
            self.close()
            raise HistoryError(describe(error, "cannot write the history", self.path), page.written)
        except StoreError as error:  # it is no history, or its directory cannot be listed
            self.close()
            raise HistoryError(str(error), page.written) from None
        except Exception:
            self.close()  # what is known of its end may be wrong
            raise

    def _append(self, page: _Page, some: Leaving, now: int) -> None:
        at = 0
        while at < len(some):
            data, count, page.place = some.together(at, page.place, self.max_size, now)
            if count:
                page.add(data, count)
                at += count
                continue
            body, words = some.one(at)
            if self.max_size and page.place[1] and page.place[1] + len(body) > self.max_size:
                self._flush(page)
                self._rotate(now)
                page.place = (0, 0)
            last, end = page.place
            record = body + f"*** Offset = {last} {words} CurrentTime = {now}\n".encode("utf-8", "surrogateescape")
            page.add(record, 1)
            page.place = (end + len(body), end + len(record))
            at += 1

    def _of_another_time(self, now: int) -> bool:
        """Whether the file was last written on another day, or in another month."""
        form = {"day": "%Y%m%d", "month": "%Y%m"}.get(self.every)
        if form is None:
            return False
        written = self.fs.fstat(self._handle).mtime_ns // 1_000_000_000
        return strftime(form, localtime(written)) != strftime(form, localtime(now))

    def _ready(self) -> None:
        """Have the file open that has the name now, without a torn end."""
        if self._handle != CLOSED:
            seen = self.fs.fstat(self._handle)
            try:
                if self.fs.stat(self.path).same_file(seen) and seen.size == self._size:
                    return
            except FileNotFoundError:
                pass  # it was taken away: begin another
            self.close()
        self._handle = self.fs.open_append(self.path, 0o644)
        self._name_synced = False
        self._mend()
        size = self.fs.fstat(self._handle).size
        self._size = self._end_of_records(size)
        if self._size < size:
            self.fs.truncate(self._handle, self._size)
        self._last_banner = next((begin for begin, _ in _banners_backwards(self.fs, self._handle)), 0)

    def _mend(self) -> None:
        """Behind zeros there may be records: they stay."""
        end, last = _sound_end(self.fs, self._handle), _last_end(self.fs, self._handle)
        if end == last:
            return
        whole = self.fs.read_at(self._handle, 0, self.fs.fstat(self._handle).size)
        before = whole.rfind(_MARK, 0, end) + 1  # 0 where there is none
        self.notes.append(rewrite(self.fs, self.path, whole, end, before))
        self.close()
        self._handle = self.fs.open_append(self.path, 0o644)

    def _end_of_records(self, size: int) -> int:
        """The end of the last sound record. StoreError when what follows is nothing that we ever write."""
        end = _sound_end(self.fs, self._handle)
        torn = self.fs.read_at(self._handle, end, size - end)
        odd = any(b" = " not in line and b"\0" not in line for line in torn.split(b"\n")[:-1])
        if odd and _OF_A_JOB.search(self.fs.read_at(self._handle, 0, size)) is None:
            raise StoreError(f"{self.path} is no history file (see byte {end}); HISTORY must name one of its own")
        if odd:
            copy = keep(self.fs, self.path, self.fs.read_at(self._handle, 0, size))
            self.notes.append(f"{self.path}: what follows byte {end} is damaged and was cut; all is kept in {copy}")
        return end

    def _flush(self, page: _Page) -> None:
        if not page.parts:
            return
        data = page.parts[0] if len(page.parts) == 1 else b"".join(page.parts)
        try:
            self.fs.write(self._handle, data)
            self.fs.sync(self._handle)
            if not self._name_synced:
                self.fs.sync_dir(os.path.dirname(self.path) or ".")
                self._name_synced = True
        except OSError:
            self._take_back()
            raise
        self._size += len(data)
        self._last_banner = page.place[0]
        page.flushed()

    def _take_back(self) -> None:
        with suppress(OSError):  # the next open finds a torn end, or whole records that are true
            self.fs.truncate(self._handle, self._size)

    def _rotate(self, now: int) -> None:
        self.close()
        rotate(self.fs, self.path, self.rotations, now)
        self._handle = self.fs.open_append(self.path, 0o644)
        self._size = self._last_banner = 0
        self._name_synced = False

    def close(self) -> None:
        """Give the file handle back."""
        if self._handle != CLOSED:
            handle, self._handle = self._handle, CLOSED
            close_quietly(self.fs, handle)

    def __del__(self, _is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        """A writer that is no longer used keeps no descriptor. At the end modules may be gone before it."""
        if not _is_over():
            self.close()


def rotate(fs: FileSystem, path: str, keep: int, now: int) -> None:
    """Moves a history file away, named by the time, and removes all but ``keep`` of those. Raises OSError."""
    when = now
    while True:
        backup = path + strftime(".%Y%m%dT%H%M%S", localtime(when))
        try:
            fs.stat(backup)
        except FileNotFoundError:
            break
        when += 1  # two rotations in a second must not cover each other
    fs.rename(path, backup)
    backups = [name for name in history_files(path, fs) if name != path]
    for old in backups[max(keep, 0) :]:
        remove_if_there(fs, old)


def history_files(path: str, fs: FileSystem | None = None) -> list[str]:
    """The history files there are, newest first: ``path``, then its rotated ones. Raises StoreError."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    directory, base = os.path.split(path)
    try:
        names = file_system.listdir(directory or ".")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(describe(error, "cannot list the history files", path))
    backups = [name for name in names if name.startswith(base) and _BACKUP.fullmatch(name[len(base) :])]
    found = [path] if base in names else []
    return found + [os.path.join(directory, name) for name in sorted(backups, reverse=True)]


def backwards(path: str, fs: FileSystem | None = None) -> Iterator[HistoryRecord]:
    """The records of one file, newest first, without ever holding the file. Raises StoreError."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    try:
        handle = file_system.open_read(path)
    except OSError as error:
        raise StoreError(describe(error, "cannot read the history", path))
    try:
        yield from _backwards(file_system, handle, path)
    except OSError as error:
        raise StoreError(describe(error, "cannot read the history", path))
    finally:
        close_quietly(file_system, handle)


def _backwards(fs: FileSystem, handle: int, path: str) -> Iterator[HistoryRecord]:
    banner: tuple[int, int] | None = None
    for earlier in _banners_backwards(fs, handle):
        if banner is not None:
            yield _record(fs, handle, path, earlier[1], banner)
        banner = earlier
    if banner is not None:
        yield _record(fs, handle, path, 0, banner)


def forwards(path: str, fs: FileSystem | None = None, *, rest: bool = False) -> Iterator[HistoryRecord]:
    """The records of one file, oldest first, without ever holding the file. With ``rest`` what follows the last banner
    comes too, as a record without banner. Raises StoreError."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    try:
        handle = file_system.open_read(path)
    except OSError as error:
        raise StoreError(describe(error, "cannot read the history", path))
    try:
        yield from _forwards(file_system, handle, path, rest)
    except OSError as error:
        raise StoreError(describe(error, "cannot read the history", path))
    finally:
        close_quietly(file_system, handle)


def _forwards(fs: FileSystem, handle: int, path: str, rest: bool) -> Iterator[HistoryRecord]:
    begin = 0
    for banner in _banners_forwards(fs, handle):
        yield _record(fs, handle, path, begin, banner)
        begin = banner[1]
    end = fs.fstat(handle).size
    if rest and end > begin:
        data = fs.read_at(handle, begin, end - begin)
        torn = data.rfind(_MARK) + 1  # a banner whose end is missing
        if torn or not data.startswith(_MARK[1:]):
            yield _record(fs, handle, path, begin, (begin + torn if torn else end, end))


def _record(fs: FileSystem, handle: int, path: str, begin: int, banner: tuple[int, int]) -> HistoryRecord:
    """The record between the end of the banner before it, ``begin``, and the end of its own banner."""
    data = fs.read_at(handle, begin, banner[1] - begin)
    line = data[banner[0] - begin :]
    text = data[: banner[0] - begin].decode("utf-8", "surrogateescape")
    return HistoryRecord(text, line.rstrip(b"\n").decode("utf-8", "surrogateescape"), path, begin)


def _banners_backwards(fs: FileSystem, handle: int) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of whole banner lines (newline included), the last one first."""
    start = fs.fstat(handle).size
    after = b""  # what follows the block, up to the end of its first line
    data = b""
    while start > 0:
        step = min(start, _BLOCK)
        start -= step
        data = fs.read_at(handle, start, step) + after
        limit = step + len(_MARK) - 1  # marks that begin in this block
        while (at := data.rfind(_MARK, 0, limit)) >= 0:
            line_end = data.find(b"\n", at + 1)
            if line_end != -1:
                yield start + at + 1, start + line_end + 1
            limit = at + len(_MARK) - 1
        after = data[: data.find(b"\n") + 1] or data
    if data.startswith(_MARK[1:]) and b"\n" in data:
        yield 0, data.index(b"\n") + 1


def _banners_forwards(fs: FileSystem, handle: int) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of whole banner lines (newline included), the first one first."""
    start = -1  # offset of ``data``; an imagined newline precedes the file
    data = b"\n"
    while block := fs.read_at(handle, start + len(data), _BLOCK):
        data += block
        at = 0
        while (at := data.find(_MARK, at)) >= 0:
            line_end = data.find(b"\n", at + 1)
            if line_end == -1:
                break
            yield start + at + 1, start + line_end + 1
            at = line_end
        keep = at if at >= 0 else max(0, len(data) - len(_MARK) + 1)
        start += keep
        data = data[keep:]


def _last_end(fs: FileSystem, handle: int) -> int:
    """The end of the last whole banner line, 0 when there is none."""
    for _, end in _banners_backwards(fs, handle):
        return end
    return 0


def _sound_end(fs: FileSystem, handle: int) -> int:
    """The end of the last record before any bytes of zero, which are pages that a crash kept from the
    medium."""
    end = _last_end(fs, handle)
    begin = max(0, end - _LAST_WRITE)
    tail = fs.read_at(handle, begin, end - begin)
    hole = tail.find(b"\0")
    if hole < 0:
        return end
    for _, banner_end in _banners_backwards(fs, handle):
        if banner_end <= begin + hole:
            return banner_end
    return 0


def _ids_behind(fs: FileSystem, handle: int, end: int) -> list[str]:
    """The GlobalJobIds of sound records behind zeros."""
    last = _last_end(fs, handle)
    if last == end:
        return []
    bodies = (body for body, _ in sound_records(fs.read_at(handle, end, last - end)))
    return [match.decode("utf-8", "surrogateescape") for body in bodies for match in _GLOBAL_ID.findall(body)]


def tail_ids(path: str, count: int = 2 * LAST_WRITTEN, fs: FileSystem | None = None) -> set[str]:
    """GlobalJobIds of the last ``count`` records of the history at least, rotated files included.

    For a schedd that starts: a job whose id is here needs no second record. Raises StoreError.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    found: set[str] = set()
    for handle, name in opened_files(path, file_system, newest_first=True):
        try:
            end = _sound_end(file_system, handle)
            found.update(_ids_behind(file_system, handle, end))
            while end > 0 and len(found) < count:
                begin = max(0, end - _TAIL_BLOCK)
                data = file_system.read_at(handle, begin, end - begin)
                # What begins in the line before this block is found with the block before.
                first = data.find(b"\n", 0, len(data) - 1) + 1 if begin else 0
                found.update(match.decode("utf-8", "surrogateescape") for match in _GLOBAL_ID.findall(data, first))
                end = begin + first
        except OSError as error:
            raise StoreError(describe(error, "cannot read the history", name))
        if len(found) >= count:
            break
    return found


def write_per_job(directory: str, ad: ClassAd, fs: FileSystem | None = None, *, name: str = "") -> None:
    """``DIRECTORY/history.C.P`` (or of another ``name``) with the sorted attributes of a job, without banner. Raises
    StoreError."""
    job = name.replace("/", "_") or f"{integer(ad, 'ClusterId')}.{integer(ad, 'ProcId')}"
    path = os.path.join(directory, f"history.{job}")
    lines = sorted(ad_text(ad).splitlines(), key=lambda line: line.partition(" =")[0].lower())
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    try:
        replace_file(fs if fs is not None else RealFs(), path, data, 0o644, durable=False)
    except OSError as error:
        raise StoreError(describe(error, "cannot write the per-job history", path))


def records_newest_first(path: str, fs: FileSystem | None = None) -> Iterator[HistoryRecord]:
    """All records, newest first, the rotated files after the current one. Raises StoreError."""
    return all_records(path, fs)


def all_records(
    path: str, fs: FileSystem | None = None, *, newest_first: bool = True, rest: bool = False
) -> Iterator[HistoryRecord]:
    """All records, rotated files included; ``rest`` as for ``forwards``. Raises StoreError.

    A rotation in the meantime hides no record and shows none twice, see ``opened_files``.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    for handle, name in opened_files(path, file_system, newest_first=newest_first):
        try:
            if newest_first:
                yield from _backwards(file_system, handle, name)
            else:
                yield from _forwards(file_system, handle, name, rest)
        except OSError as error:
            raise StoreError(describe(error, "cannot read the history", name))


def opened_files(
    path: str, fs: FileSystem, *, newest_first: bool, doing: str = "cannot read the history"
) -> Iterator[tuple[int, str]]:
    """A file and its rotated ones, each open until the next is asked for: handle and name. StoreError, which begins
    with ``doing``.

    A rotation in the meantime hides none of them and shows none twice: the current file is open before the others are
    looked for, and stays it whatever its name becomes.
    """
    current = _open_if_there(fs, path, doing)
    try:
        older = _older_files(path, fs, current, doing)
        for name in [path, *older] if newest_first else [*reversed(older), path]:
            handle = current if name == path else _open_if_there(fs, name, doing)
            if handle == CLOSED:
                continue  # removed meanwhile, as the oldest is at a rotation; or there is no current one
            try:
                yield handle, name
            finally:
                if handle != current:
                    close_quietly(fs, handle)
    finally:
        if current != CLOSED:
            close_quietly(fs, current)


def _open_if_there(fs: FileSystem, path: str, doing: str) -> int:
    try:
        return fs.open_read(path)
    except FileNotFoundError:
        return CLOSED
    except OSError as error:
        raise StoreError(describe(error, doing, path))


def _older_files(path: str, fs: FileSystem, current: int, doing: str) -> list[str]:
    """The rotated files, newest first, that were there before ``current`` got another name, if it did."""
    names = [name for name in history_files(path, fs) if name != path]
    if current == CLOSED:
        return names
    try:
        this = fs.fstat(current)
        for number, name in enumerate(names):
            with suppress(FileNotFoundError):
                if fs.stat(name).same_file(this):
                    return names[number + 1 :]
    except OSError as error:
        raise StoreError(describe(error, doing, path))
    return names


_ENVIRONMENT = (b"Env = ", b"Environment = ")
#: What a banner tells.
_OWNER, _CLUSTER, _PROC, _COMPLETED = "Owner", "ClusterId", "ProcId", "CompletionDate"
#: Of so few jobs what they share is not worth to be worked out: short ones that have run leave some ten at a time.
_FEW = 20
#: Where the last banner of a file begins, and where its records end.
Place = tuple[int, int]


class Leaving:
    """Ads chained to one parent, whose records stand one behind the other. Without ``environment`` that of the jobs is
    left out."""

    def __init__(self, ads: list[ClassAd], environment: bool) -> None:
        self._ads = ads
        self._environment = environment
        parent = ads[0].parent
        self._shared = _shared_lines(parent) if len(ads) > _FEW else []
        words = _plain_words(parent) if self._shared and isinstance(parent, ClassAd) else None
        self._words = words or (b"", b"", b"", b"")
        self._are_plain = words is not None

    def __len__(self) -> int:
        return len(self._ads)

    def together(self, at: int, place: Place, limit: int, now: int) -> tuple[bytes, int, Place]:
        """Records from that of the ad ``at`` on that go to ``place`` in a file of at most ``limit`` bytes (0: any
        number): bytes, how many, and the place behind them. None where the next one has to be printed by itself, or
        there is no space for it."""
        if not self._are_plain:
            return b"", 0, place
        return records(self._ads, at, self._shared, self._words, self._environment, place, limit, now)

    def one(self, at: int) -> tuple[bytes, str]:
        """The lines of the ad ``at``, chained ads included, and what its banner says of it."""
        ad = self._ads[at]
        body = ad_text(ad).encode("utf-8", "surrogateescape")
        return body if self._environment else _without_environment(body), _words(ad)


def leaving(ads: Iterable[ClassAd], environment: bool) -> Iterator[Leaving]:
    """Ads in their order, those that follow each other and have one parent together."""
    for _, some in groupby(ads, lambda ad: id(ad.parent)):
        yield Leaving(list(some), environment)


def integer(ad: ClassAd, name: str) -> int:
    """The integer literal of an attribute, -1 when it is none."""
    text = ad.text(name)
    try:
        return int(text) if text is not None else -1
    except ValueError:
        return -1


def _shared_lines(parent: Record | None) -> list[tuple[bytes, bytes]]:
    """Lower-case name and line of each attribute of a parent, in storage order; none where it is not plain."""
    if not isinstance(parent, ClassAd) or parent.parent is not None:
        return []
    items = parent.text_items()
    if not all(name.isascii() and name.isidentifier() for name, _ in items):
        return []
    return [(lower(name).encode(), f"{name} = {text}\n".encode("utf-8", "surrogateescape")) for name, text in items]


def _without_environment(body: bytes) -> bytes:
    return b"".join([line for line in body.splitlines(keepends=True) if not line.startswith(_ENVIRONMENT)])


def _words(ad: ClassAd) -> str:
    owner = ad.text(_OWNER)
    name = owner[1:-1] if owner is not None and owner[:1] == '"' else "?"
    cluster, proc, completed = integer(ad, _CLUSTER), integer(ad, _PROC), integer(ad, _COMPLETED)
    return f'ClusterId = {cluster} ProcId = {proc} Owner = "{name}" CompletionDate = {completed}'


def _plain_words(parent: ClassAd) -> tuple[bytes, bytes, bytes, bytes] | None:
    """Return the owner, cluster, proc and completion for banners of ads that lack them. None where their parent has
    them in other than plain words."""
    owner = parent.text(_OWNER)
    numbers = [parent.text(name) for name in (_CLUSTER, _PROC, _COMPLETED)]
    if not _is_name(owner) or not all(map(_is_number, numbers)):
        return None
    cluster, proc, completed = [(text or "-1").encode() for text in numbers]
    return (owner[1:-1] if owner else "?").encode(), cluster, proc, completed


def _is_name(text: str | None) -> bool:
    return text is None or (text[1:-1].isalnum() and text[:1] == '"' == text[-1:] and text.isascii())


def _is_number(text: str | None) -> bool:
    return text is None or (text.isascii() and text.isdigit() and (text[0] != "0" or text == "0"))


_BANNER = re.compile(rb"^\*\*\* Offset = (\d+) .*\n", re.MULTILINE)
#: What is left of a damaged banner.
_MAYBE_BANNER = re.compile(rb"\*\*\*|Offset = |CompletionDate = |CurrentTime = ")


def sound_records(data: bytes) -> list[tuple[bytes, bytes]]:
    """The (lines, banner line) of what follows the end of a record, without those that have zeros in them. Where a
    banner was damaged, what follows it is a record."""
    found = []
    begin = 0
    for match in _BANNER.finditer(data):
        lines, banner = data[begin : match.start()].splitlines(keepends=True), match[0]
        begin = match.end()
        bad = max((at for at, line in enumerate(lines) if b"\0" in line or b" = " not in line), default=-1)
        body = b"".join(lines[bad + 1 :])
        if body and b"\0" not in banner and (bad < 0 or _MAYBE_BANNER.search(lines[bad])):
            found.append((body, banner))
    return found


def joined(begin: int, last_banner: int, records: list[tuple[bytes, bytes]]) -> bytes:
    """Records as they stand from byte ``begin`` on, the banner before them at ``last_banner``."""
    text = b""
    for body, banner in records:
        old = _BANNER.match(banner)
        place = banner if old is None else b"*** Offset = %d %s" % (last_banner, banner[old.end(1) + 1 :])
        last_banner = begin + len(text) + len(body)
        text += body + place
    return text


def rewrite(fs: FileSystem, path: str, whole: bytes, end: int, last_banner: int) -> str:
    """Keeps ``whole``, which is sound up to ``end``, aside, and gives ``path`` what is sound of it; what was done, in
    words. OSError, the file being as it was then."""
    copy = keep(fs, path, whole)
    records = sound_records(whole[end:])
    replace_file(fs, path, whole[:end] + joined(end, last_banner, records), 0o644, durable=True)
    return f"{path}: zeros from byte {end} on; {len(records)} records after them stay, all is kept in {copy}"


def keep(fs: FileSystem, path: str, whole: bytes) -> str:
    """Keeps the content of a history aside; the name of the copy. OSError."""
    number, copy = 0, f"{path}.damaged"
    while _is_there(fs, copy):
        number += 1
        copy = f"{path}.damaged.{number}"
    replace_file(fs, copy, whole, 0o644, durable=True)
    return copy


def _is_there(fs: FileSystem, path: str) -> bool:
    try:
        fs.stat(path)
    except FileNotFoundError:
        return False
    return True
