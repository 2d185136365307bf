"""Files of a job, read with the rights of its owner: the ends of what it writes, and the events of its log."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.tail import find
from condor_py.cli.web.errand import as_owner
from condor_py.cli.web.page import Data
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.store.event_log import parse, split_events, typed

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd
    from condor_py.store.event_log import LogEvent

#: Bytes of a file that are shown, and of an event log that are read; events that are shown.
TAIL, _LOG, _MOST_EVENTS = 1 << 16, 1 << 20, 200
_MOST_FILES = 20


class JobFile(NamedTuple):
    """A file that a job names: ``name`` is the word for it in addresses, ``stream`` Out or Err where it is one."""

    name: str
    path: str
    stream: str = ""


def files_of(ad: ClassAd) -> list[JobFile]:
    """Return the files of a job: output, errors, event log, and what it transfers back."""
    base = ad.eval_str("Iwd", "/") or "/"
    found = []
    for name, attribute, stream in (("output", "Out", "Out"), ("error", "Err", "Err"), ("log", "UserLog", "")):
        path = ad.eval_str(attribute, "")
        if path and path != os.devnull:
            found.append(JobFile(name, os.path.join(base, path), stream))
    words = [word.strip() for word in ad.eval_str("TransferOutput", "").split(",")]
    found += [JobFile(word, os.path.join(base, word)) for word in words if word and "://" not in word]
    return found[:_MOST_FILES]


def look(owner: str, files: list[JobFile], wanted: str, job: JobId, execute: list[str], running: bool) -> Data:
    """Return sizes of the files, the events of the job, and the end of the wanted file. CannotDo."""

    def work() -> Data:
        places = _places(files, job, owner, execute) if running else {}
        log = next((file.path for file in files if file.name == "log"), "")
        chosen = next((file for file in files if file.name == wanted), None)
        return {
            "files": [_described(file, places.get(file.name, file.path)) for file in files],
            "events": _events(log, job) if log else [],
            "tail": _tail(places.get(chosen.name, chosen.path)) if chosen is not None else None,
        }

    found: Data = as_owner(owner, work)
    return found


def _places(files: list[JobFile], job: JobId, owner: str, execute: list[str]) -> dict[str, str]:
    """Return where a running job writes its files now."""
    place = find(execute, job, owner)
    if place is None:
        return {}
    found = {file.name: place.stream(file.stream) for file in files if file.stream}
    return {name: path for name, path in found.items() if path}


def _described(file: JobFile, path: str) -> Data:
    size: int | None = None
    problem = ""
    try:
        size = os.stat(path).st_size
    except OSError as error:
        problem = error.strerror or str(error)
    return {"name": file.name, "path": file.path, "size": size, "problem": problem}


def _tail(path: str) -> Data:
    """Return the end of a file as text, without half a line at its beginning."""
    try:
        handle = open_user_file(path, links=True)
        try:
            size = os.fstat(handle).st_size
            # Not more than its size: files of /proc, which have none, would tell of the process that reads them.
            data = os.pread(handle, min(TAIL, size), max(0, size - TAIL))
        finally:
            os.close(handle)
    except OSError as error:
        return {"text": "", "cut": False, "problem": error.strerror or str(error)}
    if size > TAIL:
        data = data.partition(b"\n")[2] or data
    return {"text": data.decode("utf-8", "replace"), "cut": size > TAIL, "problem": ""}


def _events(path: str, job: JobId) -> list[Data]:
    """Return the newest events of a job in its log, the oldest first; none where the log cannot be read."""
    try:
        handle = open_user_file(path, links=True)
        try:
            size = os.fstat(handle).st_size
            data = os.pread(handle, _LOG, max(0, size - _LOG))
        finally:
            os.close(handle)
        if size > _LOG:
            data = _from_event(data)
        found, _ = split_events(data, path)
    except (OSError, CondorError):
        return []
    mine = [event for event in found if event.cluster == job.cluster and event.proc in (job.proc, -1)]
    return [_event(event) for event in mine[-_MOST_EVENTS:]]


def _from_event(data: bytes) -> bytes:
    """Return data from the first event that is whole."""
    for end in (b"\n...\n", b"\n</c>\n", b"\n}\n"):
        _, found, rest = data.partition(end)
        if found:
            return rest
    return b""


def _event(event: LogEvent) -> Data:
    is_text = event.text[:1] not in "<{"
    try:
        items = dict(parse(event))
    except (ClassAdParseError, CondorError, ValueError):
        items = {}
    first, _, rest = event.text.partition("\n")
    memory = items.get("MemoryUsage", "")
    return {
        "number": event.number,
        "time": int(typed(event).time if is_text else event.time),
        "title": _without_stamp(first) if is_text else items.get("MyType", "").strip('"'),
        "text": "\n".join(line.strip() for line in rest.splitlines()) if is_text else "",
        "memory": int(memory) if memory.isdecimal() and len(memory) < 16 else None,
    }


def _without_stamp(line: str) -> str:
    """Return the head line of an event without its number, job, date and time."""
    words = line.partition(") ")[2].split(" ")
    while words and words[0][:1].isdigit():
        words.pop(0)
    return " ".join(words)
