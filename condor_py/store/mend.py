"""Damage in a log, and the repaired log: every record that can still be read, in its place.

Pure, and the one place that decides it: condor_store_check prints the damage that ``mend`` finds, -repair and the
daemon that owns the log write its result. What a crash leaves at the end (see ``adlog``) is not damage, and not
examined.

A line that is no record is left out, except for what follows zeros in it: zeros swallow newlines. So is a record that
has no effect in its place, or does what no writer does. Ads whose beginning (101) is lost, or comes behind records of
theirs, begin at their first attribute; if it is lost, only where enough of them is left. A transaction whose own end is
damaged counts: a process may have been notified that it is safe. The ``Rules`` of a log define its ads, and what must
be in them.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import time
from typing import NamedTuple, Protocol

from condor_py.lang.classad import is_valid
from condor_py.store.adlog import (
    BEGIN,
    DELETE,
    DESTROY_AD,
    END,
    NEW_AD,
    SEQUENCE,
    SET,
    Damage,
    LineReader,
    Record,
    collector_paused,
    format_record,
    format_transaction,
    has_spoiled_end,
    header_record,
    parse_line,
    scan,
)

#: So many characters of a line are shown, of its beginning and of its end: the names of ads are to be read whole.
_SHOWN = 120
_MANY_KEYS = 50
_MANY_BYTES = 1 << 20
_ZEROS = re.compile("\0+")
#: A line that cannot be read, and seems to be a mark or the beginning of an ad, or is too short for an attribute.
_SAYS_NOTHING = re.compile(r"10[156]|.{0,10}\Z", re.DOTALL).match
#: Values that surely are expressions: numbers, strings, words.
_PLAIN = re.compile(r'-?[0-9]{1,18}(\.[0-9]{1,18})?|"(?:[^"\\]|\\["\\])*"|true|false|undefined', re.IGNORECASE)


class Note(NamedTuple):
    """Something wrong: the byte (-1: the log as a whole), what it is, and what is done about it."""

    offset: int
    wrong: str
    done: str


@dataclass(slots=True)
class Mended:
    """The new content, and what is wrong with the old one (nothing: the log was sound)."""

    data: bytes
    notes: list[Note]


class Image:
    """The ads that records lead to: by key, and by the lower-case name of each attribute its text."""

    def __init__(self) -> None:
        self.ads: dict[str, dict[str, str]] = {}
        self.gone: set[str] = set()
        #: How many ads there are whose keys begin alike, up to their dot.
        self.number: dict[str, int] = {}

    def play(self, record: Record) -> None:
        """A record that does something."""
        op, key, name, value = record
        if op == SET:
            self.ads[key][name.lower()] = value
        elif op == DELETE:
            self.ads[key].pop(name.lower(), None)
        elif op == NEW_AD:
            self.ads[key] = {}
            self._count(key, 1)
        elif op == DESTROY_AD:
            del self.ads[key]
            self.gone.add(key)
            self._count(key, -1)

    def _count(self, key: str, change: int) -> None:
        head = key.partition(".")[0]
        self.number[head] = self.number.get(head, 0) + change


class Remedy(NamedTuple):
    """A fault in the ads of a log, and the records that repair it."""

    note: Note
    records: Sequence[Record]


class Rules(Protocol):
    """The rules of the ads of one kind of log."""

    def knows(self, key: str) -> str:
        """Why a key is none of such a log; "" for one that is."""

    def types(self, key: str, attributes: dict[str, str], witnesses: int) -> tuple[str, str] | None:
        """The types of an ad whose 101 is gone and of which these records are left; None: there is too little.
        ``witnesses``: records that name it, and a line that cannot be read directly before the first of them."""

    def objection(self, record: Record, image: Image) -> str:
        """Why no writer writes a record in its place; "" for any other."""

    def remedies(self, image: Image, hurt: dict[str, list[int]], changed: bool) -> Iterator[Remedy]:
        """Yield what the ads lack. ``hurt``: lines that were left out and may have said something of an ad, by its key;
        ``changed``: anything was left out. The image must be as it is after each remedy when the next is asked for."""


class _Line(NamedTuple):
    number: int
    offset: int
    text: str
    record: Record


@dataclass(slots=True)
class _Lost:
    """A line that was left out, and between which lines that were kept it stood."""

    number: int
    key: str
    before: int
    record: Record | None
    was_there: bool  # the ad of the key, when the line was played
    says_nothing: bool  # of the attributes of an ad, as far as can be seen


@dataclass(slots=True)
class _Mender:
    rules: Rules
    reader: LineReader = field(default_factory=LineReader)
    notes: list[Note] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)  # that count, with the marks of transactions
    lost: list[_Lost] = field(default_factory=list)
    image: Image = field(default_factory=Image)
    kept: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # of the records that were kept
    begun: set[int] = field(default_factory=set)  # those with which an ad begins again

    # which lines count

    def read(self, text: str) -> None:
        """Takes the lines of a log."""
        lines = text.split("\n")
        last = lines.pop()
        begin, hurt, offset, is_ascii = -1, False, 0, text.isascii()
        for number, line in enumerate(lines, 1):
            place = offset
            offset += len(line if is_ascii else line.encode("utf-8", "surrogateescape")) + 1
            record = self.reader.read(line)
            if record is not None and record[0] < BEGIN:
                self.lines.append(_Line(number, place, line, record))
                continue
            if record is None:
                self._leave_out(number, place, line, "it is no record", None)
                hurt = True
                line = line.rpartition("\0")[2] if "\0" in line else ""
                record = parse_line(line) if line else None
            if record is not None and record.op == BEGIN:
                if begin >= 0:
                    self._say(number, place, "a transaction begins in another", "the one before it has an end again")
                    self._add(number, place, "106 ")
                begin, hurt = len(self.lines), False
            elif record is not None and record.op == END:
                if begin < 0:
                    self._leave_out(number, place, line, "an end without a beginning", record)
                    record = None
                begin = -1
            if record is not None:
                self.lines.append(_Line(number, place, line, record))
        self._end(len(lines) + 1, offset, last, begin, hurt)

    def _end(self, number: int, offset: int, last: str, begin: int, hurt: bool) -> None:
        """``last`` is the text behind the last newline, ``begin`` the place of the open transaction."""
        spoiled = has_spoiled_end(last.encode("utf-8", "surrogateescape"))
        if begin >= 0 and (hurt or spoiled):
            self._add(number, offset, "106 ")
            wrong = "the end of the last transaction is damaged"
            self.notes.append(Note(offset, wrong, "the last transaction, whose end is damaged, counts"))
        elif begin >= 0:
            self._drop(self.lines[begin:])
            del self.lines[begin:]
        if last and not spoiled:
            self._leave_out(number, offset, last, "it has no end", parse_line(last))

    def _drop(self, lines: list[_Line]) -> None:
        """Tells of a transaction that a crash left without its end, in a log that is damaged elsewhere."""
        wrong = f"the last transaction has no end{_about(line.record.key for line in lines)}"
        self.notes.append(Note(lines[0].offset, wrong, f"{wrong}, and was left out"))

    def _add(self, number: int, offset: int, line: str) -> None:
        record = parse_line(line)
        assert record is not None
        self.lines.append(_Line(number, offset, line, record))

    def _say(self, number: int, offset: int, wrong: str, done: str) -> None:
        self.notes.append(Note(offset, f"line {number}: {wrong}", f"line {number}: {done}"))

    def _leave_out(self, number: int, offset: int, line: str, why: str, record: Record | None) -> None:
        text = _ZEROS.sub(" ... ", line)
        shown = f"{text!r}"
        if len(text) > 2 * _SHOWN:
            shown = f"{text[:_SHOWN]!r} ... {text[-_SHOWN:]!r} ({len(line)} characters)"
        self.notes.append(Note(offset, f"line {number}: {why}: {shown}", f"line {number} was left out: {why}: {shown}"))
        key = record.key if record is not None else [*line.split(" ", 2), ""][1]
        empty = _SAYS_NOTHING(line) is not None
        self.lost.append(_Lost(number, key, len(self.lines), record, key in self.image.ads, empty))

    # which records do something

    def play(self) -> None:
        """Plays what counts, and leaves out what does nothing."""
        lines, self.lines = self.lines, []
        again = self._begun_again(lines)
        places = {lost.number: lost for lost in self.lost}
        waiting = deque(sorted(places))
        ads = self.image.ads
        for line in lines:
            while waiting and waiting[0] <= line.number:
                places[waiting.popleft()].before = len(self.keys)
            record = line.record
            if record[0] == SET and record[1] in ads and is_expression(record[3]):
                ads[record[1]][record[2].lower()] = record[3]
                self.kept.append(line.text)
                self.keys.append(record[1])
            elif record.op in (BEGIN, END):
                self.kept.append(line.text)
                self.keys.append("")
            elif (why := self._objection(line, again)) != "":
                self._leave_out(line.number, line.offset, line.text, why, record)
                self.lost[-1].before = len(self.keys)
            else:
                self.image.play(record)
                self.kept.append(line.text)
                self.keys.append(record.key)
        for number in waiting:
            places[number].before = len(self.keys)

    def _begun_again(self, lines: list[_Line]) -> dict[str, tuple[str, str]]:
        """The types of the ads that begin where their first attribute is, by key: those without a beginning, of
        which there is enough, and those whose beginning is behind it."""
        live: set[str] = set()
        gone: set[str] = set()
        late: dict[str, tuple[str, str]] = {}
        found: dict[str, dict[str, str]] = {}
        witnesses: Counter[str] = Counter()
        unreadable = {lost.number for lost in self.lost if lost.record is None}
        for number, _, _, (op, key, name, value) in lines:
            if op == SET and key in live:
                continue
            if op == NEW_AD:
                if key in found:
                    late.setdefault(key, (name, value))
                live.add(key)
            elif op == DESTROY_AD:
                live.discard(key)
                gone.add(key)
            elif op in (SET, DELETE) and key not in live and key not in gone and not self.rules.knows(key):
                witnesses[key] += 1 + (key not in witnesses and number - 1 in unreadable)
                if op == SET:
                    found.setdefault(key, {})[name.lower()] = value
        kinds = {key: self.rules.types(key, attributes, witnesses[key]) for key, attributes in found.items()}
        return {key: kind for key, kind in kinds.items() if kind is not None} | late

    def _objection(self, line: _Line, again: dict[str, tuple[str, str]]) -> str:
        op, key, _, value = record = line.record
        if op == SEQUENCE:
            return "a second 107" if self.kept else ""
        unknown = self.rules.knows(key)
        if unknown:
            return unknown
        there = key in self.image.ads
        if op == NEW_AD and there:
            return f"ad {key} is made a second time"
        if op == SET and not is_expression(value):
            return "its value is no expression"
        if op != NEW_AD and not there:
            if op != SET or key not in again or key in self.image.gone:
                return f"a record for ad {key}, which is not there"
            self._begin(line, again[key])
        return self.rules.objection(record, self.image)

    def _begin(self, line: _Line, types: tuple[str, str]) -> None:
        wrong = f"the beginning of ad {line.record.key} is not in front of it"
        self._say(line.number, line.offset, wrong, f"{wrong}, it begins here now")
        record = Record(NEW_AD, line.record.key, *types)
        self.begun.add(len(self.keys))
        self.kept.append(format_record(record)[:-1])
        self.keys.append(record.key)
        self.image.play(record)

    # what the ads lack

    def complete(self) -> None:
        """Puts right what the ads lack."""
        with_header = bool(self.kept) and self.kept[0].startswith("107")
        if not with_header:
            self.kept.insert(0, format_record(header_record(1, int(time())))[:-1])
        if not with_header and self.kept[1:]:
            self.notes.append(Note(0, "the first record is no 107", "the missing 107 was put at its beginning"))
        hurt: dict[str, list[int]] = {}
        for lost in self.lost:
            for key in self._hurt_by(lost):
                hurt.setdefault(key, []).append(lost.number)
        records: list[Record] = []
        for note, some in self.rules.remedies(self.image, hurt, bool(self.notes)):
            self.notes.append(note)
            records += some
            for record in some:
                self.image.play(record)
        if self.notes:
            self.kept += format_transaction(records).decode("utf-8", "surrogateescape").split("\n")[:-1]

    def _hurt_by(self, lost: _Lost) -> set[str]:
        """The ads of which a line that was left out may have said something: the one that it names; one that begins
        again directly behind it; where it names none, those of the records around it, but for one that begins there."""
        record, ads, place = lost.record, self.image.ads, lost.before
        if record is not None and (record.op in (NEW_AD, SEQUENCE, END) or record.key in self.image.gone):
            return set()
        around = self.keys[max(0, place - 1) : place + 1]
        again = set(around[-1:]) if record is None and place in self.begun else set()
        if lost.key in ads and (record is None or lost.was_there):
            return {lost.key, *again}
        if again or not 0 < place < len(self.keys):
            return again
        if record is None and (lost.says_nothing or not self.rules.knows(lost.key)):
            return set()
        if record is None and self.kept[place].startswith("101 "):
            around.pop()
        return set(around) - {""} if record is None or len(set(around)) == 1 else set()


def _keys_in(data: bytes) -> Iterator[str]:
    """Yield the words in some lines that may be keys."""
    for line in data.decode("utf-8", "replace").split("\n"):
        words = line.split(" ", 2)
        if len(words) > 1 and words[0].isdecimal():
            yield words[1]


def _about(keys: Iterable[str]) -> str:
    """ "(ads ...)": which they are, in their order."""
    found = [key for key in dict.fromkeys(keys) if key]
    more = f" and {len(found) - _MANY_KEYS} others" if len(found) > _MANY_KEYS else ""
    return f" (ads {', '.join(found[:_MANY_KEYS])}{more})" if found else ""


def is_expression(text: str) -> bool:
    """Whether a value of a log is one."""
    return _PLAIN.fullmatch(text) is not None or _parses(text)


_parses = lru_cache(1 << 12)(is_valid)


def mend(data: bytes, rules: Rules) -> Mended:
    """Return the damage in the content of a log, and the content that is to replace it."""
    with collector_paused(len(data) > _MANY_BYTES):
        try:
            length = scan(data, "").length
        except Damage:
            length = len(data)
        mender = _Mender(rules)
        mender.read(data[:length].decode("utf-8", "surrogateescape"))
        mender.play()
        mender.complete()
        if not mender.notes:
            return Mended(data, [])
        if length < len(data):
            wrong = f"{len(data) - length} bytes at the end belong to no transaction{_about(_keys_in(data[length:]))}"
            mender.notes.append(Note(length, wrong, f"{wrong}, and were left out"))
        mender.notes.sort(key=lambda note: note.offset if note.offset >= 0 else len(data))
        return Mended("".join([f"{line}\n" for line in mender.kept]).encode("utf-8", "surrogateescape"), mender.notes)
