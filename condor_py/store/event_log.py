"""Job event logs: writing events, following a log, and a fast look at what was written of which job.

Three forms: text (events closed by a line ``...``), XML and JSON (one ad an event, nothing between them). A
file may serve many jobs, and several processes append to it, each event in one write.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from time import gmtime, localtime, mktime, struct_time, time
from typing import TYPE_CHECKING, NamedTuple

from condor_py.model.errors import NoSpace, StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.store.fs import FileId, FileSystem, RealFs, close_quietly, describe, store_error

if TYPE_CHECKING:
    from condor_py.lang.events import JobAdInformation, JobEvent

_SYNC = "...\n"


class Form(Enum):
    """The forms of a log; the values are those of the job attribute ULogUseXML."""

    TEXT = 0
    XML = 1
    JSON = 2

    @classmethod
    def of_options(cls, text: str) -> Form:
        """The form that the words XML and JSON of EVENT_LOG_FORMAT_OPTIONS ask for."""
        words = {word.upper() for word in text.replace(",", " ").split()}
        return cls.XML if "XML" in words else cls.JSON if "JSON" in words else cls.TEXT


#: The names of events by their numbers; TriggerEventTypeName has them behind ``ULOG_``.
EVENT_NAMES: dict[int, str] = {number.value: number.name for number in JobEventType}


# time stamps


class FormatOptions(NamedTuple):
    """DEFAULT_USERLOG_FORMAT_OPTIONS or EVENT_LOG_FORMAT_OPTIONS: how time stamps look."""

    iso_date: bool = True
    utc: bool = False
    sub_second: bool = False

    @classmethod
    def parse(cls, text: str, default: FormatOptions | None = None) -> FormatOptions:
        """The options of a comma list (ISO_DATE, UTC, SUB_SECOND, LEGACY; ``!`` negates; unknown words are
        ignored)."""
        iso_date, utc, sub_second = default if default is not None else cls()
        for raw in text.replace(",", " ").split():
            word = raw.upper()
            on = not word.startswith("!")
            word = word.removeprefix("!")
            if word == "ISO_DATE":
                iso_date = on
            elif word == "UTC":
                utc = on
            elif word == "SUB_SECOND":
                sub_second = on
            elif word == "LEGACY" and on:
                iso_date = utc = sub_second = False
        return cls(iso_date, utc, sub_second)


@lru_cache(maxsize=64)
def _broken_down(second: int, utc: bool) -> struct_time:
    return gmtime(second) if utc else localtime(second)


def time_stamp(when: float, options: FormatOptions) -> str:
    """The time of an event in its head line."""
    return _stamp(int(when), _milliseconds(when) if options.sub_second else 0, options)


@lru_cache(maxsize=8)
def _stamp(second: int, milliseconds: int, options: FormatOptions) -> str:
    tm = _broken_down(second, options.utc)
    clock = f"{tm.tm_hour:02d}:{tm.tm_min:02d}:{tm.tm_sec:02d}"
    if options.sub_second:
        clock += f".{milliseconds:03d}"
    if options.utc:
        clock += "Z"
    date = f"{tm.tm_mon:02d}/{tm.tm_mday:02d}"
    if options.iso_date:
        date = f"{tm.tm_year:04d}-{tm.tm_mon:02d}-{tm.tm_mday:02d}"
    return f"{date} {clock}"


def unix_time(stamp: tuple[int, int, int, int, int, int], utc: bool) -> float:
    """Unix seconds of year, month, day, hour, minute and second, local time or ``utc``; 0 for a day that no calendar
    has."""
    if not utc:
        return mktime((*stamp, 0, 0, -1))
    from calendar import timegm

    try:
        return timegm(stamp)
    except ValueError:
        return 0.0


def iso_time(when: float, utc: bool) -> str:
    """The value of EventTime in an event's ad: milliseconds when there is a fraction."""
    tm = _broken_down(int(when), utc)
    text = f"{tm.tm_year:04d}-{tm.tm_mon:02d}-{tm.tm_mday:02d}T{tm.tm_hour:02d}:{tm.tm_min:02d}:{tm.tm_sec:02d}"
    if when != int(when):
        text += f".{_milliseconds(when):03d}"
    return text + "Z" if utc else text


def _milliseconds(when: float) -> int:
    return min(999, round((when - int(when)) * 1000))


# writing

_DEFAULT = FormatOptions()


def event_text(event: JobEvent, options: FormatOptions = _DEFAULT, when: float | None = None) -> str:
    """An event in the text form, with its closing line; ``when`` (Unix seconds) instead of its own time."""
    return (
        f"{event.number:03d} ({event.cluster:03d}.{event.proc:03d}.{event.subproc:03d}) "
        f"{time_stamp(event.time if when is None else when, options)} {event.body()}{_SYNC}"
    )


def event_items(event: JobEvent, *, utc: bool = False) -> list[tuple[str, str]]:
    """The event's ad as (name, ClassAd text): what every event has, then its own."""
    own = [(name, text) for name, text in event.attributes() if name.lower() != "eventtypenumber"]
    return _common_items(event, utc) + own


def _common_items(event: JobEvent, utc: bool) -> list[tuple[str, str]]:
    items = [
        ("EventTypeNumber", str(event.number.value)),
        ("MyType", f'"{event.my_type}"'),
        ("EventTime", f'"{iso_time(event.time, utc)}"'),
    ]
    ids = (("Cluster", event.cluster), ("Proc", event.proc), ("Subproc", event.subproc))
    return items + [(name, str(value)) for name, value in ids if value >= 0]


def format_event(event: JobEvent, form: Form = Form.TEXT, options: FormatOptions = _DEFAULT) -> str:
    """An event in one of the forms, ready to be appended."""
    if form is Form.TEXT:
        return event_text(event, options)
    from condor_py.lang.classad import ClassAd

    ad = ClassAd.from_text_items(event_items(event, utc=options.utc))
    if form is Form.XML:
        from condor_py.lang.classad.formats.xml import ad_to_xml

        return ad_to_xml(ad.bindings())
    from condor_py.lang.classad.formats.json import ad_to_json

    return ad_to_json(ad.bindings()) + "\n"


def ad_information(trigger: JobEvent, job_items: Iterable[tuple[str, str]], *, utc: bool = False) -> JobAdInformation:
    """The 028 that follows ``trigger``: its ad plus ``job_items`` (name, ClassAd text) of the job."""
    from condor_py.lang.events import JobAdInformation

    items = dict(event_items(trigger, utc=utc))
    items.update(job_items)
    items["EventTypeNumber"] = str(JobAdInformation.number.value)
    items["TriggerEventTypeNumber"] = str(trigger.number.value)
    items["TriggerEventTypeName"] = f'"ULOG_{trigger.number.name}"'
    return JobAdInformation(
        cluster=trigger.cluster,
        proc=trigger.proc,
        subproc=trigger.subproc,
        time=trigger.time,
        items=tuple(items.items()),
    )


def append(
    path: str, texts: Sequence[str], *, durable: bool = False, unsure: bool = False, fs: FileSystem | None = None
) -> None:
    """Append events (made by ``format_event``) in one write; the file is created 0644. Raises StoreError.

    With ``durable`` they are on the medium on return, and those of before, too. An event that a crash tore is cut
    first. Where the disk is full NoSpace tells how many events are in the log; a part of another is not. ``unsure``:
    some, from the first, may be there already, as a process was to append them that died before it reported.
    """
    if not texts and not durable:
        return
    file_system: FileSystem = fs if fs is not None else RealFs()
    parts = [text.encode("utf-8", "surrogateescape") for text in texts]
    written = [0]
    try:
        handle = file_system.open_append(path, 0o644)
        try:
            is_new = durable and not file_system.fstat(handle).size
            if parts:
                _mend(file_system, handle, parts[0][:1])
                known = _count_written(file_system, handle, parts) if unsure else 0
                written[0] = known
                _write(file_system, handle, parts[known:], written)
            if durable:
                done, written[0] = written[0], 0  # the room for what was written may lack only now
                file_system.sync(handle)
                written[0] = done
            if is_new:  # so is its name
                file_system.sync_dir(os.path.dirname(path) or ".")
        finally:
            file_system.close(handle)
    except OSError as error:
        failure = store_error(error, "cannot write the event log", path)
        if isinstance(failure, NoSpace):
            failure.done = written[0]
        raise failure


def _count_written(fs: FileSystem, handle: int, parts: Sequence[bytes]) -> int:
    """Count the events, from the first, that are at the end of the log, as far as they may reach."""
    reach, size = sum(map(len, parts)) + _LOOK_BACK, fs.fstat(handle).size
    tail = fs.read_at(handle, max(0, size - reach), min(size, reach))
    at = count = 0
    for part in parts:
        found = tail.find(part, at)
        if found < 0:
            break
        at, count = found + len(part), count + 1
    return count


def _write(fs: FileSystem, handle: int, parts: list[bytes], written: list[int]) -> None:
    """Append the events; ``written`` grows by how many are there, also when the disk is full behind them. These stay,
    as a process may have read them; a part of one does not. Raises OSError."""
    data, before = b"".join(parts), fs.fstat(handle).size
    if not data:
        return
    try:
        fs.write(handle, data)
        written[0] += len(parts)
    except OSError:
        size = fs.fstat(handle).size - before
        if size > 0 and fs.read_at(handle, before, size) == data[:size]:  # ours, no other process's
            whole = 0
            for part in parts:
                if whole + len(part) > size:
                    break
                whole += len(part)
                written[0] += 1
            if whole < size:
                fs.truncate(handle, before + whole)
        raise


_LAST = {Form.TEXT: b"\n...\n", Form.XML: b"\n</c>\n", Form.JSON: b"\n}\n"}
_FIRST = re.compile(rb"\d{3} \(-?\d|<c>|\{\n|\d{1,3}\Z|<\Z|\{\Z|\0")
_LOOK_BACK = 1 << 16
_WITNESS_BYTES = 256


def _mend(fs: FileSystem, handle: int, first: bytes) -> None:
    """Cut the event that a crash tore at the end of the file, so that the next one is by itself.

    The lock keeps our own processes from taking each other's half-done write for a torn one.
    """
    last = _LAST[_form_of(first)]
    locked = fs.lock(handle)
    size = fs.fstat(handle).size  # 0 for a pipe, which cannot be read back
    if not size or fs.read_at(handle, max(0, size - len(last)), len(last)) == last:
        return
    begin = max(0, size - _LOOK_BACK)
    tail = fs.read_at(handle, begin, size - begin)
    end = tail.rfind(last) + len(last) if last in tail else 0
    if locked and (end or not begin) and _FIRST.match(tail, end):
        fs.truncate(handle, begin + end)
    elif last == _LAST[Form.TEXT] and tail[end:].strip():  # whatever it is, it ends here
        fs.write(handle, b"...\n" if tail.endswith(b"\n") else b"\n...\n")


def _form_of(first: bytes) -> Form:
    """The form of a log by its first character."""
    return Form.XML if first == b"<" else Form.JSON if first == b"{" else Form.TEXT


# reading


class LogEvent(NamedTuple):
    """An event as it was found. ``text`` is all of it: for the text form without the closing line ``...``.

    ``time`` is Unix seconds; 0 when the stamp could not be read.
    """

    number: int
    cluster: int
    proc: int
    subproc: int
    time: float
    text: str

    @property
    def job(self) -> JobId:
        """The job; proc -1 for the whole cluster."""
        return JobId(self.cluster, self.proc)

    @property
    def lines(self) -> list[str]:
        """The lines of the text, the head line first."""
        return self.text.splitlines()


#: No job has an id of more digits: what has is no event.
_HEAD = re.compile(r"(\d{3,9}) \((-?\d{1,18})\.(-?\d{1,18})\.(-?\d{1,18})\) (\S+)[ T]?(\S*)")
_STAMP = re.compile(r"(?:(\d{4})-)?(\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?(Z?)")
_TEXT_END = re.compile(rb"^\.\.\.\r?\n", re.MULTILINE)
_XML_END = re.compile(rb"^</c>\r?\n", re.MULTILINE)
_JSON_END = re.compile(rb"^\}\r?\n?", re.MULTILINE)
_ENDS = {Form.TEXT: _TEXT_END, Form.XML: _XML_END, Form.JSON: _JSON_END}
#: Bytes of a log that are read at a time, unless an event has more: a log may be larger than the memory.
READ_AT_ONCE = 1 << 20


class EventReader:
    """Follows one log, a part at a time. The file need not exist yet.

    A file that was replaced or cut behind the position is read from its beginning.
    """

    def __init__(self, path: str, fs: FileSystem | None = None) -> None:
        self.path = path
        self.fs: FileSystem = fs if fs is not None else RealFs()
        self.offset = 0
        self._known: FileId | None = None

    def read(self) -> list[LogEvent]:
        """Return some of the new complete events, the oldest first; none where there are no more.

        They end before damage, which the next ``read`` meets first. Raises StoreError for that, and for a file that
        cannot be read or is no event log.
        """
        try:
            handle = self.fs.open_read(self.path)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(describe(error, "cannot read the event log", self.path))
        try:
            seen = self.fs.fstat(handle)
            if self._known is None or not seen.same_file(self._known) or not self._goes_on(handle):
                self.offset = 0
                self._witness = b""  # the last bytes before the position
            self._known = seen
            return self._next_events(handle, seen.size)
        except OSError as error:
            raise StoreError(describe(error, "cannot read the event log", self.path))
        finally:
            close_quietly(self.fs, handle)

    def events(self) -> Iterator[LogEvent]:
        """Yield the new complete events. Raises StoreError as ``read``, after all events before the damage."""
        while found := self.read():
            yield from found

    def sound_events(self) -> Iterator[LogEvent]:
        """Yield the new complete events up to damage, for which the next reading raises StoreError."""
        found = self.read()
        while found:
            yield from found
            try:
                found = self.read()
            except StoreError:
                return

    def all(self) -> list[LogEvent]:
        """Return the new complete events, when nothing among them is damaged. Raises StoreError as ``read``. For logs
        that the memory has room for."""
        return list(self.events())

    def _next_events(self, handle: int, size: int) -> list[LogEvent]:
        """Return the events of the next part that has one; none at the end of the file, which has ``size`` bytes."""
        reach = READ_AT_ONCE
        while True:
            data = self.fs.read_at(handle, self.offset, min(reach, size - self.offset))
            events, used = split_events(data, f"{self.path}, from byte {self.offset}")
            self.offset += used
            self._witness = (self._witness + data[max(0, used - _WITNESS_BYTES) : used])[-_WITNESS_BYTES:]
            if events or len(data) < reach:
                return events
            reach = READ_AT_ONCE if used else 2 * reach

    def _goes_on(self, handle: int) -> bool:
        """Whether what was read is still before the position."""
        count = len(self._witness)
        return self.fs.read_at(handle, self.offset - count, count) == self._witness


def split_events(data: bytes, where: str) -> tuple[list[LogEvent], int]:
    """The complete events at the beginning of ``data``, up to what is none, and how many bytes they are.

    Raises StoreError when the first is none.
    """
    first = data.lstrip()[:1]
    if not first:
        return [], 0
    form = _form_of(first)
    events: list[LogEvent] = []
    begin = 0
    for end in _ENDS[form].finditer(data):
        stop = end.start() if form is Form.TEXT else end.end()
        text = data[begin:stop].decode("utf-8", "surrogateescape").replace("\r\n", "\n").lstrip()
        before, begin = begin, end.end()
        if text:
            event = _text_event(text) if form is Form.TEXT else _ad_event(text)
            if event is None and events:
                return events, before  # the next reading tells
            if event is None:
                raise StoreError(f"{where}: not a job event: {text.splitlines()[0][:60]!r}")
            events.append(event)
    return events, begin


def _text_event(text: str) -> LogEvent | None:
    head = _HEAD.match(text)
    if head is None:
        return None
    return LogEvent(int(head[1]), int(head[2]), int(head[3]), int(head[4]), _seconds(f"{head[5]} {head[6]}"), text)


_HEAD_NAMES = "EventTypeNumber|Cluster|Proc|Subproc|EventTime"
_JSON_FIELDS = re.compile(rf'"({_HEAD_NAMES})": ?"?([^",\n]*)')
_XML_FIELDS = re.compile(rf'<a n="({_HEAD_NAMES})"><[is]>([^<]*)<')


def _ad_event(text: str) -> LogEvent | None:
    """An event of the XML or JSON form."""
    found = (_XML_FIELDS if text[0] == "<" else _JSON_FIELDS).findall(text)
    fields = dict(found)
    try:
        if len(found) > len(fields):  # ads inside of it have attributes of these names
            fields = {name: value.strip('"') for name, value in _ad_items(text).items()}
        ids = [int(fields.get(name, "-1")) for name in ("Cluster", "Proc", "Subproc")]
        return LogEvent(
            int(fields["EventTypeNumber"]),
            ids[0],
            ids[1],
            ids[2],
            _seconds(fields.get("EventTime", "")),
            text,
        )
    except (KeyError, ValueError):
        return None


def _ad_items(text: str) -> dict[str, str]:
    """The attributes of an event of the XML or JSON form as ClassAd text."""
    from condor_py.lang.classad.formats.read import read_ads

    return {
        name: value for ad in read_ads(text, "XML" if text[0] == "<" else "JSON") for name, value in ad.text_items()
    }


def _seconds(stamp: str) -> float:
    """Unix time of a stamp; one without a year means the present one, which only its file's reader can
    know: 1970."""
    match = _STAMP.match(stamp)
    if match is None:
        return 0.0
    year, month, day, hour, minute, second = (int(match[i] or 1970) for i in range(1, 7))
    return unix_time((year, month, day, hour, minute, second), bool(match[8])) + float(match[7] or 0)


# events and ads of what was read

_DATE = re.compile(r"\d+ \([^)]*\) (?:(\d{4})-)?(\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?(Z?) ?")


def parse(event: LogEvent, now: float | None = None) -> list[tuple[str, str]]:
    """The event's ad as (name, ClassAd text).

    A stamp without a year is of the year of ``now`` (Unix seconds; default: the clock's), as in HTCondor.
    Raises ClassAdParseError for a broken XML or JSON event.
    """
    if event.text[:1] in "<{":
        return _structured_items(event)
    read = typed(event, now)
    items = dict(event_items(read))
    if read.number == JobEventType.JOB_AD_INFORMATION:  # its attributes have those of what triggered it
        common = dict(_common_items(read, False))
        known = {name.lower() for name in common}
        items = common | {name: text for name, text in items.items() if name.lower() not in known}
    items["EventTypeNumber"] = str(event.number)
    return [*items.items(), *read.structured_notes()]


def typed(event: LogEvent, now: float | None = None) -> JobEvent:
    """A text event as an object; a ``Future`` when its number is not known here."""
    from condor_py.lang.events import KINDS, Future, Lines

    stamp = _DATE.match(event.text)
    rest = event.text[stamp.end() :] if stamp is not None else ""
    common = {
        "cluster": event.cluster,
        "proc": event.proc,
        "subproc": event.subproc,
        "time": _time(stamp, time() if now is None else now) if stamp is not None else event.time,
    }
    return KINDS.get(event.number, Future).read(Lines(rest), common)


def _time(stamp: re.Match[str], now: float) -> float:
    month, day, hour, minute, second = (int(stamp[at]) for at in range(2, 7))
    year = int(stamp[1]) if stamp[1] is not None else localtime(now).tm_year
    return unix_time((year, month, day, hour, minute, second), bool(stamp[8])) + float(stamp[7] or 0)


def _structured_items(event: LogEvent) -> list[tuple[str, str]]:
    """The ad of an event of the XML or JSON form."""
    from condor_py.lang.events import JobAdInformation

    items = _ad_items(event.text)
    if event.number == JobEventType.IMAGE_SIZE:
        items.setdefault("ResidentSetSize", "0")
    elif event.number == JobEventType.JOB_AD_INFORMATION:  # the ad carries the type of what triggered it
        items["MyType"] = f'"{JobAdInformation.my_type}"'
    return list(items.items())


# what a log has of each job

#: Of a larger log only the end is read.
_MOST_READ = 256 << 20
_END_READ = 64 << 20
#: Of the text form so much is in memory at once.
_PIECE = 4 << 20


class LastStates(NamedTuple):
    """The numbers of the events of jobs in file order, by cluster and proc, complete events only; not ``whole``: only
    the end of the log was read, so that jobs may be missing and others seem to have no submit event.
    """

    events: dict[int, dict[int, tuple[int, ...]]]
    whole: bool = True


def last_states(path: str, clusters: Collection[int], fs: FileSystem | None = None) -> LastStates:
    """Return what a log has of the jobs of ``clusters``.

    For a schedd that starts and has to know what it wrote before it died. A missing file is empty. Raises StoreError.
    """
    file_system: FileSystem = fs if fs is not None else RealFs()
    try:
        handle = file_system.open_read(path)
        try:
            size = file_system.fstat(handle).size
            first = file_system.read_at(handle, 0, 1)
            begin = 0 if size <= _MOST_READ else size - _END_READ
            if first.isdigit():
                return LastStates(_states_of_text(file_system, handle, begin, size, clusters), begin == 0)
            data = b"" if begin else file_system.read_at(handle, 0, size)
        finally:
            file_system.close(handle)
    except FileNotFoundError:
        return LastStates({})
    except OSError as error:
        raise store_error(error, "cannot read the event log", path)
    if begin:
        raise StoreError(f"{path}: too large to be looked through ({size} bytes)")
    found: dict[int, dict[int, list[int]]] = {}
    for event in split_events(data, os.fspath(path))[0]:
        if event.cluster in clusters:
            found.setdefault(event.cluster, {}).setdefault(event.proc, []).append(event.number)
    by_cluster = found.items()
    return LastStates(
        {cluster: {proc: tuple(numbers) for proc, numbers in procs.items()} for cluster, procs in by_cluster}
    )


def _states_of_text(
    fs: FileSystem, handle: int, begin: int, size: int, clusters: Collection[int]
) -> dict[int, dict[int, tuple[int, ...]]]:
    """The events of a log of the text form between two places. Jobs that had the same share a tuple."""
    from condor_py.store import logreader

    wanted = sorted(clusters)
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    data = b""
    for at in range(begin, size, _PIECE):
        data += fs.read_at(handle, at, min(_PIECE, size - at))
        end = data.rfind(b"\n...\n") + 1
        for cluster, procs in logreader.events(data, end, wanted).items():
            by_proc = found.setdefault(cluster, {})
            for proc, numbers in procs.items():
                numbers = by_proc.get(proc, ()) + numbers
                by_proc[proc] = shared.setdefault(numbers, numbers)
        data = data[end:]
    return found
