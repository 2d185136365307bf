"""The ClassAd log format, byte for byte HTCondor's: job_queue.log, Accountantnew.log.

One record a line, ``OP SPACE BODY NEWLINE``; key, name and type have no blanks, the value is the rest of
the line::

    107 SEQ CreationTimestamp BIRTHDATE     first line: number of this rewrite, birth of the very first log
    101 KEY MyType TargetType               new ad; an empty type is written (empty)
    103 KEY NAME EXPRESSION                 set attribute
    104 KEY NAME                            delete attribute
    102 KEY                                 destroy ad
    105␣ ... 106␣                           begin, end of a transaction; 106 may carry #comment

Records outside a transaction count at once, those inside count at its 106. What stands at the end of a file
without its 106 or without its newline belongs to nobody: a crash left it. Any other bad record is damage, because
somebody was told that it is safe, or that what follows is (see ``adlog_damage``).

This module only turns bytes into records and back; ``adlog_file`` follows and writes files.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from itertools import groupby
from sys import intern
from typing import NamedTuple

from condor_py.classad.kernel import native
from condor_py.model.errors import StoreError
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Alike, Entry, Gone, NewJobs
from condor_py.model.record import Change as Record
from condor_py.store.adlog_damage import Spoiled, has_spoiled_end, is_torn
from condor_py.store.adlog_line import BEGIN, EMPTY_TYPE, END, SEQUENCE, SHAPES, parse_line, type_in

_MANY_BYTES = 1 << 20
#: The index of a line that there is not.
_NO_LINE = -1


class Tail(Enum):
    """What follows the last record that counts."""

    COMPLETE = "nothing"
    OPEN = "a transaction without its end"
    TORN = "a torn record"


class Scan(NamedTuple):
    """Records that count (transaction marks left out) and the number of bytes they span; what comes after."""

    records: list[Record]
    length: int
    tail: Tail


class Damage(StoreError):
    """A bad record where no crash leaves one: the byte at which it begins, and what it is."""

    def __init__(self, path: str, offset: int, record: str) -> None:
        self.offset = offset
        self.what = f"{record!r} is no record, and no crash leaves it so"
        super().__init__(
            f"{path} is damaged at byte {offset}: {self.what}; the daemon that owns the file mends it when it starts,"
            " or condor_store_check -repair"
        )


def format_record(record: Record) -> str:
    """The line of a record, with its newline."""
    op, key, name, value = record
    if op == SET:
        return f"103 {key} {name} {value or 'UNDEFINED'}\n"
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
    """The lines of ``records``, without transaction marks.

    ValueError when a record would not read back: a newline or a zero byte in it, a blank or nothing where a
    word must be.
    """
    if native is not None and (plain := native.format_changes(records)) is not None:
        return bytes(plain)
    text = "".join(map(format_record, records))
    # Looking at all records together finds that nothing is wrong at the price of a few scans in C.
    if text.count("\n") != len(records) or "\0" in text or not _are_words(records):
        for record in records:
            _check_writable(record)
    return text.encode("utf-8", "surrogateescape")


def _are_words(records: Sequence[Record]) -> bool:
    """Whether all keys, names and types are single words, in records of known kinds."""
    kinds = {record[0] for record in records}
    if not kinds <= SHAPES.keys():
        return False
    words = {record[2] for record in records if record[0] in (SET, DELETE, SEQUENCE)}
    words.update([record[1] for record in records])
    if NEW_AD in kinds:
        words.update(kind or EMPTY_TYPE for record in records if record[0] == NEW_AD for kind in record[2:])
    text = "".join(words)
    return "" not in words and text.split() == [text]


def format_entries(entries: Sequence[Entry]) -> bytes:
    """As ``format_records``, for entries that may stand for many records."""
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
    """The lines differ in their keys only: what stands between the keys is made, and looked at, once."""
    changes = alike.changes
    format_records([change._replace(key="0") for change in changes])
    lines = [format_record(change._replace(key="\0")) for change in changes]
    between = "".join(lines).split("\0")
    text = "".join([key.join(between) for key in alike.keys])
    return text.encode("utf-8", "surrogateescape")


def check_writable(entries: Sequence[Entry]) -> None:
    """ValueError when one of ``entries``, made from what somebody else said, would not read back from a log."""
    one = [entry._replace(jobs=entry.jobs[:1]) if type(entry) is Alike else entry for entry in entries]
    format_entries([entry for entry in one if not isinstance(entry, NewJobs)])  # whose lines are what they are


def is_writable(entry: Entry) -> bool:
    """Whether a record reads back from a log as what it is."""
    try:
        format_entries([entry])
    except ValueError:
        return False
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
    op, key, name, value = record
    words = [key] if op in SHAPES else []
    if op in (SET, DELETE, SEQUENCE):
        words.append(name)
    elif op == NEW_AD:
        words += [name or EMPTY_TYPE, value or EMPTY_TYPE]
    if any(word.split() != [word] for word in words) or op in (BEGIN, END):
        raise ValueError(f"not a record of the log: {line[:-1]!r}")


class _Parser:
    """State of one pass over complete lines."""

    __slots__ = ("bad", "begin", "closed", "kept", "records")

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.begin = _NO_LINE  # index of the 105 of the open transaction
        self.bad = _NO_LINE  # index of the first bad line
        self.closed = False  # whether there was a 106

    def run(self, lines: list[str]) -> None:
        """Reads lines of a log into records, up to the first bad one."""
        records = self.records
        append = records.append
        new = tuple.__new__
        set_op, no_value = SET, ""
        for index, line in enumerate(lines):
            parts = line.split(" ", 3)
            op = parts[0]
            if op == "103" and len(parts) == 4 and parts[1] and parts[2] and parts[3]:
                append(new(Record, (set_op, parts[1], intern(parts[2]), parts[3])))
            elif op == "104" and len(parts) == 3 and parts[1] and parts[2]:
                append(new(Record, (DELETE, parts[1], intern(parts[2]), no_value)))
            elif op == "101" and len(parts) == 4 and parts[1] and parts[2]:
                append(new(Record, (NEW_AD, parts[1], type_in(parts[2]), type_in(parts[3]))))
            elif not self._slow(index, line):
                self.bad = index
                return

    def _slow(self, index: int, line: str) -> bool:
        record = parse_line(line)
        if record is None:
            return False
        if record.op == BEGIN:
            # HTCondor only warns of a begin inside a transaction: all of it counts at the next end.
            if self.begin == _NO_LINE:
                self.begin, self.kept = index, len(self.records)  # so many records were before it
        elif record.op == END:
            self.begin, self.closed = _NO_LINE, True
        else:
            self.records.append(record)
        return True


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
    text = data[:whole].decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    lines.pop()
    parser = _Parser()
    if "\0" in text:
        parser.run(lines[: _first_with_zero(lines)])
        if parser.bad == _NO_LINE:
            parser.bad = _first_with_zero(lines)
    else:
        parser.run(lines)
    if parser.bad != _NO_LINE:
        _judge(parser, lines, data, path, base)
        return _cut(parser, lines, Tail.TORN)
    if parser.begin != _NO_LINE:
        if has_spoiled_end(data[whole:], base + whole):
            raise _damage(path, base + whole, data[whole:])
        return _cut(parser, lines, Tail.OPEN)
    return Scan(parser.records, whole, Tail.COMPLETE if whole == len(data) else Tail.TORN)


def _first_with_zero(lines: list[str]) -> int:
    return next(index for index, line in enumerate(lines) if "\0" in line)


def _judge(parser: _Parser, lines: list[str], data: bytes, path: str, base: int) -> None:
    """Raise Damage unless what begins at the bad line is what a crash leaves behind."""
    bad = _byte_length(lines[: parser.bad])
    begin = _byte_length(lines[: parser.begin]) if parser.begin != _NO_LINE else _NO_LINE
    if not is_torn(Spoiled(data, base, begin, bad, parser.closed or base != 0)):
        raise _damage(path, base + bad, data[bad:].partition(b"\n")[0])


def _damage(path: str, offset: int, line: bytes) -> Damage:
    return Damage(path, offset, line[:60].decode("utf-8", "replace"))


def _cut(parser: _Parser, lines: list[str], tail: Tail) -> Scan:
    """What counts when the scan stopped at a bad line or inside a transaction."""
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


__all__ = [
    "BEGIN",
    "DELETE",
    "DESTROY_AD",
    "EMPTY_TYPE",
    "END",
    "NEW_AD",
    "SEQUENCE",
    "SET",
    "Damage",
    "Record",
    "Scan",
    "Tail",
    "check_writable",
    "format_entries",
    "format_record",
    "format_records",
    "format_transaction",
    "header_record",
    "parse_line",
    "records_of",
    "scan",
]
