"""What a crash leaves at the end of a log, told from damage.

Writers sync every transaction before the next one is begun, so a crash can only spoil the last one: of that the
beginning may be there, and of its sectors some may never have reached the medium, which reads as zeros. Everything else
is damage, and nothing of a damaged log is ever cut:

- a complete line that is no record and has no zeros in it: no crash writes that;
- zeros that do not begin and end where sectors do (or where the last transaction or the file does);
- another transaction behind, or records behind the end of one;
- records behind zeros in a file that has no closed transaction yet: they are the image of a rewrite, which is synced
  as a whole. Only a file that was just being made is spared: it is short and has one ad.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from condor_py.store.adlog_line import parse_line

#: Bytes that a medium writes at once.
SECTOR = 512
#: The first write to a log has less bytes.
_NEWBORN = 1024
_BEGIN = b"105 \n"
_ZEROS = re.compile(rb"\0+")
_NEXT_BEGIN = re.compile(rb"^105 *(?:#.*)?$", re.MULTILINE)
_END = re.compile(rb"^106 *(?:#.*)?\n", re.MULTILINE)
_RECORD = re.compile(rb"^10[1-4] \S", re.MULTILINE)


class Spoiled(NamedTuple):
    """A log whose line at ``bad`` is no record. ``begin`` is where the open transaction begins, -1 outside; all three
    count from the beginning of ``data``, which lies at ``base`` of the file. ``closed``: a transaction was closed
    before."""

    data: bytes
    base: int
    begin: int
    bad: int
    closed: bool


def is_torn(log: Spoiled) -> bool:
    """Whether a crash may have left it so; otherwise it is damage."""
    start = log.begin if log.begin >= 0 else log.bad
    rest = log.data[start:]
    return (
        (log.begin >= 0 or _may_begin_here(log, rest))
        and _NEXT_BEGIN.search(rest, 1) is None
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
    return log.closed or _RECORD.search(rest) is None


def _is_newborn(data: bytes) -> bool:
    keys = {line.split()[1] for line in data.split(b"\n") if _RECORD.match(line)}
    return len(data) < _NEWBORN and len(keys) < 2


def _nothing_follows_the_end(rest: bytes) -> bool:
    end = _END.search(rest)
    return end is None or end.end() == len(rest)


def _zeros_are_sectors(rest: bytes, offset: int) -> bool:
    """``offset`` is that of ``rest`` in the file."""
    for hole in _ZEROS.finditer(rest):
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

    Not so where the line is at ``offset`` of the file, and its newline would lie in a sector that was never written.
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
