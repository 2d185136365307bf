"""Zeros in a history: what can still be read behind them is kept.

They may be sectors that a crash kept from the medium, or damage; a file does not tell. So the file is kept as it was in
``NAME.damaged``, and a new one gets every record that has none of them.
"""

from __future__ import annotations

import re

from condor_py.store.fs import FileSystem, replace_file

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
    return f"{path}: zeros from byte {end} on; {len(records)} records behind them stay, all is kept in {copy}"


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
