"""What is left of a damaged log: every record that can still be read, in its place.

Pure. A line that is no record is left out, but for what follows zeros in it: zeros swallow newlines. Where that happens
ads whose beginning (101) is gone are begun again where their first attribute stands. A transaction at the end whose own
end is damaged counts: somebody may have been told that it is safe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import time

from condor_py.store.adlog import (
    BEGIN,
    DESTROY_AD,
    END,
    NEW_AD,
    SEQUENCE,
    SET,
    Record,
    format_record,
    format_transaction,
    has_spoiled_end,
    header_record,
    parse_line,
)
from condor_py.store.keys import split_key

_SHOWN = 60


@dataclass(slots=True)
class Mended:
    """The new content, what was done in words (nothing: the log was sound), and the keys of ads that may lack some of
    their attributes."""

    data: bytes
    notes: list[str]
    begun_again: set[str] = field(default_factory=set)


class _Mender:
    def __init__(self, *, damaged: bool) -> None:
        self._damaged = damaged
        self.kept: list[str] = []
        self.notes: list[str] = []
        self.begun_again: set[str] = set()
        self._live: set[str] = set()
        self._gone: set[str] = set()
        self._records = 0
        self._open = -1  # how many lines were kept before the open transaction

    def line(self, number: int, line: str) -> None:
        """Takes one line of the log."""
        record = parse_line(line)
        if record is not None:
            self._take(number, line, record)
            return
        self._leave_out(number, line, "it is no record")
        self._hurt = True
        rest = line.rpartition("\0")[2] if "\0" in line else ""
        record = parse_line(rest) if rest else None
        if record is not None and record.op <= END:
            self._take(number, rest, record)

    def _leave_out(self, number: int, line: str, why: str) -> None:
        self.notes.append(f"line {number} was left out: {why}: {line[:_SHOWN]!r}")

    def _take(self, number: int, line: str, record: Record) -> None:
        if record.op == BEGIN:
            if self._open >= 0:
                self.kept.append("106 \n")
                self.notes.append(f"line {number}: the transaction before it has an end again")
            self._open, self._hurt = len(self.kept), False  # hurt: something was left out of it
        elif record.op == END:
            self._open = -1
        else:
            why = self._objection(number, record)
            if why:
                self._leave_out(number, line, why)
                return
            self._records += 1
        self.kept.append(line + "\n")

    def _objection(self, number: int, record: Record) -> str:
        """Why a record does nothing where it stands; "" when it does something."""
        key = record.key
        if record.op == SEQUENCE:
            return "a second 107" if self._records else ""
        if record.op == NEW_AD:
            if key in self._live:
                return f"ad {key} is made a second time"
            self._live.add(key)
        elif record.op == DESTROY_AD:
            if key not in self._live:
                return f"a record for ad {key}, which is not there"
            self._live.discard(key)
            self._gone.add(key)
        elif record.op <= SET + 1 and key not in self._live:
            return self._begin_again(number, record)
        return ""

    def _begin_again(self, number: int, record: Record) -> str:
        key = record.key
        kind = _kind_of(key)
        if not self._damaged or key in self._gone or record.op != SET or not kind:
            return f"a record for ad {key}, which is not there"
        self.notes.append(f"line {number}: the beginning of ad {key} is gone, it begins here now")
        self.kept.append(format_record(Record(NEW_AD, key, *kind)))
        self._live.add(key)
        self.begun_again.add(key)
        return ""

    def close(self, last: str) -> None:
        """The end of the log; ``last`` is what stands behind its last newline."""
        if has_spoiled_end(last.encode("utf-8", "surrogateescape")):
            self._hurt = True
        if self._open >= 0 and self._hurt:
            self.kept.append("106 \n")
            self.notes.append("the last transaction, whose end is damaged, counts")
        elif self._open >= 0:
            del self.kept[self._open :]


def _kind_of(key: str) -> tuple[str, ...]:
    """The types of an ad that may be begun again: jobs, clusters, and users in the accounting."""
    if key.startswith("Customer."):
        return ("*", "*")
    numbers = split_key(key)
    return ("Job", "Machine") if numbers is not None and numbers[0] > 0 and numbers[1] >= -1 else ()


def mend(data: bytes) -> Mended:
    """Mends the content of a log."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    mender = _Mender(damaged=any(parse_line(line) is None for line in lines))
    for number, line in enumerate(lines, 1):
        mender.line(number, line)
    mender.close(last)
    kept = mender.kept
    first = parse_line(kept[0][:-1]) if kept else None
    if first is None or first.op != SEQUENCE:
        kept.insert(0, format_record(header_record(1, int(time()))))
        mender.notes.append("the missing 107 was put at its beginning")
    if mender.notes:
        kept.append(format_transaction(()).decode())
    return Mended("".join(kept).encode("utf-8", "surrogateescape"), mender.notes, mender.begun_again)
