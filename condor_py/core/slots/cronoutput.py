"""Parser of a cron program's output, as ads: ``name = expression`` lines; a line that begins with ``-`` ends an ad.
After the dash it gives the name of the ad and whether the slots are to be published at once (``- tag update:true``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from condor_py.core.slots.expressions import as_bool, constant
from condor_py.lang.classad import is_valid
from condor_py.lang.classad.formats.old import split_line

Pairs = tuple[tuple[str, str], ...]
#: Bytes of one ad, the one that is being read included: a program that prints for ever ends no line, or no ad.
_MOST = 1_000_000
#: Attributes of one ad: each time the ad of the daemon is made they are merged into it.
_MOST_PAIRS = 10_000
#: Bytes of a separator line.
_SEPARATOR = 1000


class CronAd(NamedTuple):
    """One ad of a program. ``tag`` names it among those of the program, ``update`` None means that it did not say."""

    tag: str
    pairs: Pairs
    update: bool | None = None
    rejected: tuple[str, ...] = ()
    #: Bytes for which the ad had no room.
    left_out: int = 0


class CronOutput:
    """Collects the output of one run. ``prefix`` goes before every attribute name."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._rest = bytearray()
        self._lines: list[str] = []
        self._size = 0
        #: Bytes of the current ad that were left out.
        self._left_out = 0
        #: Bytes of the current line for which there was no room.
        self._lost = 0

    def feed(self, data: bytes, now: float) -> Iterator[CronAd]:
        """The ads that ``data`` completes."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._add(line)
            whole, self._rest = bytes(self._rest), bytearray()
            yield from self._take(whole, now)
        self._add(rest)

    def _add(self, data: bytes) -> None:
        """Add to the current line what there is room for. A separator always fits."""
        room = max(0, max(_MOST - self._size, _SEPARATOR) - len(self._rest))
        self._rest += data[:room]
        self._lost += max(0, len(data) - room)

    def finish(self, now: float) -> Iterator[CronAd]:
        """The last ad, for which the end of the output counts as the end."""
        last, self._rest = bytes(self._rest), bytearray()
        if last:
            yield from self._take(last, now)
        yield from self._end("", now)

    def _take(self, raw: bytes, now: float) -> Iterator[CronAd]:
        line = raw.decode("utf-8", "surrogateescape").rstrip("\r")
        if line.startswith("-"):
            yield from self._end(line[1:].strip(), now)
        elif self._lost or self._size >= _MOST:  # a part of a line would say something else
            self._left_out += len(raw) + self._lost
        elif line:
            self._lines.append(line)
            self._size += len(raw)
        self._lost = 0

    def _end(self, words: str, now: float) -> Iterator[CronAd]:
        lines, self._lines = self._lines, []
        left_out, self._left_out, self._size = self._left_out, 0, 0
        pairs: dict[str, tuple[str, str]] = {}
        rejected: list[str] = []
        for line in lines:
            found = split_line(self._prefix + line.strip())
            if found is None or not is_valid(found[1]):
                rejected.append(self._prefix + line)
            elif len(pairs) >= _MOST_PAIRS and found[0].lower() not in pairs:
                left_out += len(line)
            else:
                pairs[found[0].lower()] = found
        if pairs:
            name = f"{self._prefix}LastUpdate"
            pairs[name.lower()] = (name, str(int(now)))
        tag, update = _arguments(words)
        if pairs or rejected or left_out:
            yield CronAd(tag, tuple(pairs.values()), update, tuple(rejected), left_out)


def _arguments(words: str) -> tuple[str, bool | None]:
    """The tag and the update of a separator line."""
    found = words.split()
    tag = found.pop(0) if found and ":" not in found[0] else ""
    update: bool | None = None
    for word in found:
        name, colon, value = word.partition(":")
        if name.lower() == "update":
            update = True if not colon or not is_valid(value) else as_bool(constant(value)) is not False
    return tag, update
