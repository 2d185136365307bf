"""Records of negotiation cycles (NEGOTIATION_HISTORY): a line of JSON for each stretch of time.

    {"v":1,"t":[begin,end],"n":cycles,"k":known,"p":[weight,free,drained],
     "u":{"alice@example.net":{"r":0.5,"f":1000,...}},"g":{"physics":[quota,allowed,asked,used]}}

What is 0 or empty is left out. They tell a story and decide nothing, so they are not synced; a line that a crash tore
is passed over by readers, and the next one begins on a line of its own. The file is rotated by size, as the history is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from condor_py.model.cyclerecords import CycleRecord, GroupRecord, Reason, SubmitterRecord
from condor_py.model.errors import StoreError
from condor_py.model.settings.history import CycleHistorySettings
from condor_py.store.fs import FileSystem, RealFs, describe
from condor_py.store.history import opened_files, rotate
from condor_py.store.limited import append_limited

_BLOCK = 1 << 18
_MOST = 1e18
_HEAD = b'{"v":1,"t":['
#: Keys of a submitter's part, by field.
_KEYS = {
    "real": "r", "factor": "f", "share": "s", "group": "g", "ceiling": "c", "use": "n", "idle": "i", "waiting": "w",
    "present": "p", "used": "u", "asked": "a", "entitled": "e", "due": "d", "matched": "m", "lost": "l",
}  # fmt: skip
_WEIGHTS = ("use", "used", "asked", "entitled", "due")


class CycleLog:
    """Appends records to one file, readable by every user: it has nothing that condor_userprio does not."""

    def __init__(self, settings: CycleHistorySettings, fs: FileSystem | None = None) -> None:
        self.settings = settings
        self.fs: FileSystem = fs if fs is not None else RealFs()

    def append(self, record: CycleRecord, now: int) -> None:
        """Writes a record, ``now`` (Unix seconds) for the name of a rotated file. Raises StoreError."""
        settings = self.settings
        if not settings.path:
            return

        def move(fs: FileSystem) -> None:
            rotate(fs, settings.path, settings.rotations, now)

        doing = "cannot write the records of cycles"
        append_limited(settings.path, encode(record), settings.max_size, move, self.fs, doing)


def encode(record: CycleRecord) -> bytes:
    """A record as its line."""
    line: dict[str, Any] = {"v": 1, "t": [record.begin, record.end], "n": record.cycles, "k": record.known}
    line["p"] = [_short(record.weight), _short(record.free), _short(record.drained)]
    if record.submitters:
        line["u"] = {name: _submitter(part) for name, part in record.submitters.items()}
    if record.groups:
        line["g"] = {
            name: [_short(group.quota), _short(group.allowed), _short(group.asked), _short(group.used)]
            for name, group in record.groups.items()
        }
    return (json.dumps(line, separators=(",", ":")) + "\n").encode()


def _short(value: float) -> float:
    """Three decimals are enough for slot weights, and whole numbers need none."""
    value = round(value, 3)
    return int(value) if value == int(value) else value


def _submitter(part: SubmitterRecord) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, key in _KEYS.items():
        value = getattr(part, name)
        if value >= 0 if name == "ceiling" else value:
            data[key] = _short(value) if name in _WEIGHTS else round(value, 6) if isinstance(value, float) else value
    if part.reasons:
        data["x"] = {text: [reason.seconds, reason.jobs] for text, reason in part.reasons.items()}
    return data


def decode(line: bytes) -> CycleRecord | None:
    """The record of a line; None for what is none of ours."""
    try:
        data = json.loads(line)
        if data["v"] != 1:
            return None
        begin, end = data["t"]
        weight, free, drained = data["p"]
        record = CycleRecord(_count(begin), _count(end), _count(data["n"]), _count(data["k"]))
        record.weight, record.free, record.drained = _real(weight), _real(free), _real(drained)
        record.submitters = {str(name): _read_submitter(part) for name, part in data.get("u", {}).items()}
        record.groups = {str(name): GroupRecord(*map(_real, part)) for name, part in data.get("g", {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return record


def _read_submitter(data: dict[str, Any]) -> SubmitterRecord:
    part = SubmitterRecord(real=0.0, factor=0.0)
    for name, key in _KEYS.items():
        if key in data:
            setattr(part, name, _READ[type(getattr(part, name))](data[key]))
    part.reasons = {
        str(text): Reason(_count(seconds), _count(jobs)) for text, (seconds, jobs) in data.get("x", {}).items()
    }
    return part


def _real(value: Any) -> float:
    """A finite number. ValueError for what is none."""
    number = float(value)
    if not -_MOST < number < _MOST:
        raise ValueError(value)
    return number


def _count(value: Any) -> int:
    return int(_real(value))


def _counts(value: Any) -> dict[str, int]:
    return {str(name): _count(count) for name, count in value.items()}


_READ: dict[type, Callable[[Any], Any]] = {float: _real, int: _count, str: str, dict: _counts}


def records(path: str, since: int = 0, fs: FileSystem | None = None) -> Iterator[CycleRecord]:
    """The records whose stretch ended after ``since``, oldest first, rotated files included. Raises StoreError."""
    file_system: FileSystem = fs if fs is not None else RealFs()
    doing = "cannot read the records of cycles"
    for handle, name in opened_files(path, file_system, newest_first=False, doing=doing):
        try:
            if name != path and file_system.fstat(handle).mtime_ns < since * 1_000_000_000:
                continue
            for line in _lines(file_system, handle):
                if not _ended_by(line, since) and (one := decode(line)) is not None and one.end > since:
                    yield one
        except OSError as error:
            raise StoreError(describe(error, doing, name))


#: A time has fewer digits.
_DIGITS = 16


def _ended_by(line: bytes, since: int) -> bool:
    """Whether a line says in its first words that its stretch had ended by then: old ones need not be read."""
    if not line.startswith(_HEAD):
        return False
    end = line[len(_HEAD) : line.find(b"]")].partition(b",")[2]
    return end.isdigit() and len(end) < _DIGITS and int(end) <= since


def _lines(fs: FileSystem, handle: int) -> Iterator[bytes]:
    offset, rest = 0, b""
    while block := fs.read_at(handle, offset, _BLOCK):
        offset += len(block)
        *whole, rest = (rest + block).split(b"\n")
        yield from whole
