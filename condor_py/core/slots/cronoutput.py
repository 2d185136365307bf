"""Parser of a cron program's output, as ads: ``name = expression`` lines; a line that begins with ``-`` ends an ad.
After the dash it gives the name of the ad and whether the slots are to be published at once (``- tag update:true``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from condor_py.core.slots.expressions import as_bool, constant
from condor_py.lang.classad import is_valid
from condor_py.lang.classad.formats.old import split_line

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CronAd:
    """One ad of a program. ``tag`` names it among those of the program, ``update`` None means that it did not say."""

    tag: str
    pairs: Pairs
    update: bool | None = None
    rejected: tuple[str, ...] = ()


class CronOutput:
    """Collects the output of one run. ``prefix`` goes before every attribute name."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._rest = b""
        self._lines: list[str] = []
        self.all_lines: list[str] = []

    def feed(self, data: bytes, now: float) -> Iterator[CronAd]:
        """The ads that ``data`` completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            yield from self._take(line, now)

    def finish(self, now: float) -> Iterator[CronAd]:
        """The last ad, for which the end of the output counts as the end."""
        last, self._rest = self._rest, b""
        if last:
            yield from self._take(last, now)
        yield from self._end("", now)

    def _take(self, raw: bytes, now: float) -> Iterator[CronAd]:
        line = raw.decode("utf-8", "surrogateescape").rstrip("\r")
        if line:
            self.all_lines.append(line)
        if line.startswith("-"):
            yield from self._end(line[1:].strip(), now)
        elif line:
            self._lines.append(line)

    def _end(self, words: str, now: float) -> Iterator[CronAd]:
        lines, self._lines = self._lines, []
        pairs: dict[str, tuple[str, str]] = {}
        rejected: list[str] = []
        for line in lines:
            found = split_line(self._prefix + line.strip())
            if found is None or not is_valid(found[1]):
                rejected.append(self._prefix + line)
            else:
                pairs[found[0].lower()] = found
        if pairs:
            name = f"{self._prefix}LastUpdate"
            pairs[name.lower()] = (name, str(int(now)))
        tag, update = _arguments(words)
        if pairs or rejected:
            yield CronAd(tag, tuple(pairs.values()), update, tuple(rejected))


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
