"""The texts of history records. Of jobs of one cluster that nobody has looked at, what they share is printed once, and
nothing is made of what their lines say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.record import Record, lower
from condor_py.store.fs import FileSystem, replace_file
from condor_py.store.logreader import records
from condor_py.store.longform import ad_text

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
        told = _plain_words(parent) if self._shared and isinstance(parent, ClassAd) else None
        self._told = told or (b"", b"", b"", b"")
        self._are_plain = told is not None

    def __len__(self) -> int:
        return len(self._ads)

    def together(self, at: int, place: Place, limit: int, now: int) -> tuple[bytes, int, Place]:
        """Records from that of the ad ``at`` on that go to ``place`` in a file of at most ``limit`` bytes (0: any
        number): bytes, how many, and the place behind them. None where the next one has to be printed by itself, or
        there is no space for it."""
        if not self._are_plain:
            return b"", 0, place
        return records(self._ads, at, self._shared, self._told, self._environment, place, limit, now)

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
