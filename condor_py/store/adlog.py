"""The ClassAd log format, byte for byte HTCondor's: job_queue.log, Accountantnew.log.

One record a line, ``OP SPACE BODY NEWLINE``; the value is the rest of the line::

    107 SEQ CreationTimestamp BIRTHDATE     first line: number of this rewrite, birth of the very first log
    101 KEY MyType TargetType               new ad; an empty type is written (empty)
    103 KEY NAME EXPRESSION                 set attribute
    104 KEY NAME                            delete attribute
    102 KEY                                 destroy ad
    105␣ ... 106␣                           begin, end of a transaction; 106 may carry #comment

A key has no white space and no control character; names and types are those of attributes (a type may be a star); a
value begins with neither, is not empty, and has no newline and no zero byte. As in HTCondor there may be more than one
space or tab between words; whatever else differs is no record. Reader, writer, check and repair share this grammar:
``parse_line``.

Records outside a transaction count at once, those inside count at its 106. What is at the end of a file
without its 106 or without its newline does not count: a crash left it. Any other bad record is damage, because
a process was notified that it is safe, or that what follows is.

What a crash leaves is not damage: writers sync every transaction before the next one is begun, so a crash can only
spoil the last one: of that the beginning may be there, and of its sectors some may never have reached the medium, which
reads as zeros. Everything else is damage, and nothing of a damaged log is ever cut:

- a complete line that is no record and has no zeros in it: no crash writes that;
- zeros that do not begin and end where sectors do (or where the last transaction or the file does);
- another transaction behind or within, or records behind the end of one;
- records behind zeros in a file that has no closed transaction yet: they are the image of a rewrite, which is synced
  as a whole. Only a file that was just being made is spared: it is short and has one ad.

This module only turns bytes into records and back; ``adlog_file`` follows and writes files, ``mend`` says what is left
of a damaged one.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from enum import Enum
from functools import cache
from itertools import groupby
from sys import intern

from condor_py.lang.classad.kernel import native
from condor_py.model.copies import changed
from condor_py.model.errors import StoreError, shortage
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Alike, Entry, Gone, NewJobs
from condor_py.model.record import Change as Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence

BEGIN = 105
END = 106
SEQUENCE = 107

#: How an ad without a type is written.
EMPTY_TYPE = "(empty)"
#: Bytes that a medium writes at once.
SECTOR = 512
#: The first write to a log has less bytes.
_NEWBORN = 1024
_MANY_BYTES = 1 << 20
#: The index of a line that there is not.
_NO_LINE = -1

_WORD = r"[^\s\x00-\x1f\x7f-\x9f]+"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_TYPE = rf"(?:{_NAME}|\*|\(empty\))"
_NUMBER = r"[0-9]{1,18}"
_GAP = r"[ \t]+"
#: What a value does not begin with.
_BLANK = " \t\r\v\f"


@cache
def _is_word() -> Callable[..., re.Match[str] | None]:
    import re

    return re.compile(_WORD).fullmatch


@cache
def _is_type() -> Callable[..., re.Match[str] | None]:
    import re

    return re.compile(_TYPE).fullmatch


@cache
def _is_name() -> Callable[..., re.Match[str] | None]:
    import re

    return re.compile(_NAME).fullmatch


@cache
def _bodies() -> dict[int, re.Pattern[str]]:
    """The bodies of the records of each op."""
    import re

    return {
        NEW_AD: re.compile(rf"({_WORD}){_GAP}({_TYPE})(?:{_GAP}({_TYPE}))?[ \t]*"),
        DESTROY_AD: re.compile(rf"({_WORD})[ \t]*"),
        SET: re.compile(rf"({_WORD}){_GAP}({_NAME}){_GAP}([^\x00-\x20].*)", re.DOTALL),
        DELETE: re.compile(rf"({_WORD}){_GAP}({_NAME})[ \t]*"),
        SEQUENCE: re.compile(rf"({_NUMBER}){_GAP}(CreationTimestamp){_GAP}({_NUMBER})[ \t]*"),
        BEGIN: re.compile(r"[ \t]*(#.*)?", re.DOTALL),
        END: re.compile(r"[ \t]*(#.*)?", re.DOTALL),
    }


@cache
def _line() -> re.Pattern[str]:
    import re

    return re.compile(r"(10[1-7])(?:[ \t]+(.*))?", re.DOTALL)


def parse_line(line: str) -> Record | None:
    """One line, without its newline, as a record; None when it is none."""
    parts = _line().fullmatch(line)
    if parts is None or "\0" in line or "\n" in line:
        return None
    op = int(parts[1])
    found = _bodies()[op].fullmatch(parts[2] or "")
    if found is None:
        return None
    if op in (BEGIN, END):
        return Record(op, "", "", found[1] or "")
    words = found.groups()
    if op == NEW_AD:
        return Record(op, words[0], type_in(words[1]), type_in(words[2] or EMPTY_TYPE))
    return Record(op, words[0], *map(intern, words[1:2]), *words[2:])


def type_in(word: str) -> str:
    """The type that a word of a 101 means."""
    return "" if word == EMPTY_TYPE else intern(word)


class Tail(Enum):
    """The state of a log behind the last record that counts."""

    COMPLETE = "nothing"
    OPEN = "a transaction without its end"
    TORN = "a torn record"


class Scan:
    """Records that count (transaction marks left out) and the number of bytes they span; what comes after."""

    __slots__ = ("length", "records", "tail")

    def __init__(self, records: list[Record], length: int, tail: Tail) -> None:
        self.records = records
        self.length = length
        self.tail = tail


class Damage(StoreError):
    """A bad record where no crash leaves one: the byte at which it begins, and what it is."""

    def __init__(self, path: str, offset: int, record: str) -> None:
        self.offset = offset
        self.what = f"{record!r} is no record, and no crash leaves it so"
        super().__init__(
            f"{path} is damaged at byte {offset}: {self.what}; the daemon that owns the file repairs it when it starts,"
            " or condor_store_check -repair"
        )


# writing


def format_record(record: Record) -> str:
    """The line of a record, with its newline."""
    op, key, name, value = record
    if op == SET:
        return f"103 {key} {name} {value.lstrip(_BLANK) or 'UNDEFINED'}\n"
    if op == NEW_AD:
        return f"101 {key} {name or EMPTY_TYPE} {value or EMPTY_TYPE}\n"
    if op == DELETE:
        return f"104 {key} {name}\n"
    if op == DESTROY_AD:
        return f"102 {key}\n"
    if op == SEQUENCE:
        return f"107 {key} {name} {value}\n"
    return f"{op} {value}\n"


def format_records(records: Sequence[Record]) -> bytes:
    """The lines of ``records``, without transaction marks. ValueError when one of them would not read back."""
    if native is not None and (plain := native.format_changes(records)) is not None:
        return bytes(plain)
    # Looking at all records together finds that nothing is wrong at the price of a few scans in C.
    text = "".join(map(format_record, records))
    if text.count("\n") != len(records) or "\0" in text or not _are_sound(records):
        for record in records:
            _check_writable(record)
    return text.encode("utf-8", "surrogateescape")


def _are_sound(records: Sequence[Record]) -> bool:
    """Whether all keys and types are words, and all names those of attributes, in records of known kinds."""
    if not {record[0] for record in records} <= {NEW_AD, DESTROY_AD, SET, DELETE, SEQUENCE}:
        return False
    words = {record[1] for record in records}
    types = {kind or EMPTY_TYPE for record in records if record[0] == NEW_AD for kind in record[2:]}
    names = {record[2] for record in records if record[0] in (SET, DELETE, SEQUENCE)}
    values = (record[3].lstrip(_BLANK) for record in records if record[0] == SET)
    return (
        all(map(_is_word(), words))
        and all(map(_is_type(), types))
        and all(map(_is_name(), names))
        and not any(value and value[0] < " " for value in values)
        and all(parse_line(format_record(record)[:-1]) for record in records if record[0] == SEQUENCE)
    )


def format_entries(entries: Sequence[Entry]) -> bytes:
    """As ``format_records``, for entries that may represent many records."""
    parts: list[bytes] = []
    for kind, group in groupby(entries, type):
        some = list(group)
        if kind is Record:
            parts.append(format_records(some))  # type: ignore[arg-type]  # all of one kind
        else:
            parts += map(_format_many, some)  # type: ignore[arg-type]  # they are not
    return b"".join(parts)


def _format_many(entry: Alike | Gone | NewJobs) -> bytes:
    if isinstance(entry, Alike):
        return _format_alike(entry)
    if isinstance(entry, Gone):
        return "".join([f"102 {cluster}.{proc}\n" for cluster, proc in entry.jobs]).encode()
    return entry.lines


def _format_alike(alike: Alike) -> bytes:
    """The lines differ in their keys only: the text between the keys is made, and checked, once."""
    changes = alike.changes
    format_records([change.of("0") for change in changes])
    lines = [format_record(change.of("\0")) for change in changes]
    between = "".join(lines).split("\0")
    text = "".join([key.join(between) for key in alike.keys])
    return text.encode("utf-8", "surrogateescape")


def check_writable(entries: Sequence[Entry]) -> None:
    """ValueError when one of ``entries``, made from the input of another process, would not read back from a log."""
    one = [changed(entry, jobs=entry.jobs[:1]) if type(entry) is Alike else entry for entry in entries]
    format_entries([entry for entry in one if not isinstance(entry, NewJobs)])  # whose lines are what they are


def is_writable(entry: Entry) -> bool:
    """Whether a record reads back from a log as what it is."""
    try:
        format_entries([entry])
    except Exception as error:
        return bool(shortage(error))  # what the machine lacks says nothing of the record
    return True


def format_transaction(entries: Sequence[Entry]) -> bytes:
    """``entries`` between their marks."""
    return b"105 \n" + format_entries(entries) + b"106 \n"


def header_record(sequence: int, birthdate: int) -> Record:
    """The first record of a log."""
    return Record(SEQUENCE, str(sequence), "CreationTimestamp", str(birthdate))


def _check_writable(record: Record) -> None:
    line = format_record(record)
    if "\n" in line[:-1] or "\0" in line:
        where = f"{record.name} of {record.key}"
        raise ValueError(f"the value of {where} has a newline or a zero byte, which the log cannot hold")
    found = parse_line(line[:-1])
    if record.op in (BEGIN, END) or found is None or found[:3] != record[:3]:
        raise ValueError(f"not a record of the log: {line[:-1]!r}")


# reading


class LineReader:
    """``parse_line`` for many lines: words that it has seen need no second look."""

    __slots__ = ("keys", "names")

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.names: dict[str, str] = {}

    def read(self, line: str) -> Record | None:
        """One line as a record; None when it is none."""
        parts = line.split(" ", 3)
        if len(parts) == 4 and parts[0] == "103" and parts[1] in self.keys and parts[2] in self.names:
            value = parts[3]
            if value[:1] > " " and "\0" not in value:
                return Record(SET, parts[1], self.names[parts[2]], value)
        record = parse_line(line)
        if record is not None and record.op == SET:
            self.keys.add(record.key)
            self.names[record.name] = record.name
        return record


class _Parser:
    """State of one pass over complete lines."""

    __slots__ = ("bad", "begin", "closed", "kept", "records")

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.begin = _NO_LINE  # index of the 105 of the open transaction
        self.bad = _NO_LINE  # index of the first bad line
        self.closed = False  # whether there was a 106

    def run(self, lines: list[str]) -> None:
        """Read lines of a log into records, up to the first bad one."""
        append, read = self.records.append, LineReader().read
        for index, line in enumerate(lines):
            record = read(line)
            if record is None or (record[0] == BEGIN and self.begin != _NO_LINE):  # an end was spoiled
                self.bad = index
                return
            if record[0] == BEGIN:
                self.begin, self.kept = index, len(self.records)  # so many records were before it
            elif record[0] == END:
                self.begin, self.closed = _NO_LINE, True
            else:
                append(record)


@contextmanager
def collector_paused(really: bool) -> Iterator[None]:
    """Keep Python's cycle collector from walking over and over a heap that only grows (half the time of a load)."""
    if not really or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def scan(data: bytes, path: str, base: int = 0) -> Scan:
    """The records that count in ``data``, which starts at offset ``base`` of ``path`` and at a record that
    counts.

    Raises Damage, naming path and offset, for a bad record inside a closed transaction.
    """
    with collector_paused(len(data) > _MANY_BYTES):
        return _scan(data, path, base)


def _scan(data: bytes, path: str, base: int) -> Scan:
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].decode("utf-8", "surrogateescape").split("\n")
    lines.pop()
    parser = _Parser()
    parser.run(lines)
    if parser.bad != _NO_LINE:
        _judge(parser, lines, data, path, base)
        return _cut(parser, lines, Tail.TORN)
    if parser.begin != _NO_LINE:
        if has_spoiled_end(data[whole:], base + whole):
            raise _damage(path, base + whole, data[whole:])
        return _cut(parser, lines, Tail.OPEN)
    return Scan(parser.records, whole, Tail.COMPLETE if whole == len(data) else Tail.TORN)


def _judge(parser: _Parser, lines: list[str], data: bytes, path: str, base: int) -> None:
    """Raise Damage unless what begins at the bad line is what a crash leaves behind."""
    bad = _byte_length(lines[: parser.bad])
    begin = _byte_length(lines[: parser.begin]) if parser.begin != _NO_LINE else _NO_LINE
    if not is_torn(Spoiled(data, base, begin, bad, parser.closed or base != 0)):
        raise _damage(path, base + bad, data[bad:].partition(b"\n")[0])


def _damage(path: str, offset: int, line: bytes) -> Damage:
    return Damage(path, offset, line[:60].decode("utf-8", "replace"))


def _cut(parser: _Parser, lines: list[str], tail: Tail) -> Scan:
    """Return the records that count when the scan stopped at a bad line or inside a transaction."""
    if parser.begin != _NO_LINE:
        del parser.records[parser.kept :]
        return Scan(parser.records, _byte_length(lines[: parser.begin]), tail)
    return Scan(parser.records, _byte_length(lines[: parser.bad]), tail)


def _byte_length(lines: list[str]) -> int:
    """Bytes of ``lines`` on disk, newlines included."""
    return len("\n".join(lines).encode("utf-8", "surrogateescape")) + 1 if lines else 0


def records_of(data: bytes, path: str) -> Iterable[Record]:
    """The records that count in a whole file; a convenience for tests and checks."""
    return scan(data, path).records


# what a crash leaves at the end

_BEGIN = b"105 \n"


@cache
def _zeros() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"\0+")


@cache
def _next_begin() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"^105 *(?:#.*)?$", re.MULTILINE)


@cache
def _end() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"^106 *(?:#.*)?\n", re.MULTILINE)


@cache
def _record() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"^10[1-4] \S", re.MULTILINE)


class Spoiled:
    """A log whose line at ``bad`` is no record. ``begin`` is where the open transaction begins, -1 outside; all three
    count from the beginning of ``data``, which is at ``base`` of the file. ``closed``: a transaction was closed
    before."""

    __slots__ = ("bad", "base", "begin", "closed", "data")

    def __init__(self, data: bytes, base: int, begin: int, bad: int, closed: bool) -> None:
        self.data = data
        self.base = base
        self.begin = begin
        self.bad = bad
        self.closed = closed


def is_torn(log: Spoiled) -> bool:
    """Whether a crash may have left it so; otherwise it is damage."""
    start = log.begin if log.begin >= 0 else log.bad
    rest = log.data[start:]
    return (
        (log.begin >= 0 or _may_begin_here(log, rest))
        and _next_begin().search(rest, 1) is None
        and _nothing_follows_the_end(rest)
        and _zeros_are_sectors(rest, log.base + start)
        and all(b"\0" in line for line in _bad_lines(rest))
    )


def _may_begin_here(log: Spoiled, rest: bytes) -> bool:
    """Whether the bad line may be the beginning of the last transaction."""
    if not log.closed and _is_newborn(log.data):
        return True
    written = rest[: rest.find(b"\0")] if b"\0" in rest else rest
    if not _BEGIN.startswith(written):
        return False
    return log.closed or _record().search(rest) is None


def _is_newborn(data: bytes) -> bool:
    keys = {line.split()[1] for line in data.split(b"\n") if _record().match(line)}
    return len(data) < _NEWBORN and len(keys) < 2


def _nothing_follows_the_end(rest: bytes) -> bool:
    end = _end().search(rest)
    return end is None or end.end() == len(rest)


def _zeros_are_sectors(rest: bytes, offset: int) -> bool:
    """``offset`` is that of ``rest`` in the file."""
    for hole in _zeros().finditer(rest):
        begins = hole.start() == 0 or (offset + hole.start()) % SECTOR == 0
        ends = hole.end() == len(rest) or (offset + hole.end()) % SECTOR == 0
        if not (begins and ends):
            return False
    return True


def _bad_lines(rest: bytes) -> list[bytes]:
    """Complete lines that are no records."""
    lines = rest.split(b"\n")[:-1]
    return [line for line in lines if parse_line(line.decode("utf-8", "surrogateescape")) is None]


def has_spoiled_end(last: bytes, offset: int | None = None) -> bool:
    """Whether the incomplete last line of an open transaction is its end with another byte in place of its newline.

    Not so where the line is at ``offset`` of the file, and its newline would be in a sector that was never written.
    """
    if not last.startswith(b"106") or last in (b"106", b"106 ") or last.startswith(b"106 #"):
        return False
    written = last.rstrip(b"\0")
    return offset is None or written not in (b"106", b"106 ") or (offset + len(written)) % SECTOR != 0


def is_plain_prefix(data: bytes) -> bool:
    """Whether what is to be cut from the end of a log is simply a transaction whose writing was interrupted, before its
    end."""
    last = data[data.rfind(b"\n") + 1 :]
    return b"\0" not in data and not last.startswith(b"106") and (data.startswith(b"105") or b"105 ".startswith(data))


__all__ = [
    "BEGIN", "DELETE", "DESTROY_AD", "EMPTY_TYPE", "END", "NEW_AD", "SECTOR", "SEQUENCE", "SET", "Damage", "LineReader",
    "Record", "Scan", "Spoiled", "Tail", "check_writable", "collector_paused", "format_entries", "format_record",
    "format_records", "format_transaction", "has_spoiled_end", "header_record", "is_plain_prefix", "is_torn",
    "is_writable", "parse_line", "records_of", "scan", "type_in",
]  # fmt: skip
