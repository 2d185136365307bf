"""The events of a log, as typed events and as the ads that HTCondor's reader makes of them.

A text event has less than its writer knew; what it does not have is missing in both forms. Compared with
``htcondor2.JobEventLog`` 25.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from time import localtime, time
from typing import Any

from condor_py.lang.classad import is_valid, quote_string
from condor_py.model import events
from condor_py.model.event_types import JobEventType
from condor_py.model.events import NO_CPU, CpuUsage, Items, JobEvent
from condor_py.store.event_bodies import TRANSFER_WORDS
from condor_py.store.event_log import LogEvent, event_items
from condor_py.store.event_parts import iso_time, unix_time

Common = dict[str, Any]

_DATE = re.compile(r"\d+ \([^)]*\) (?:(\d{4})-)?(\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?(Z?) ?")
_USAGE = re.compile(r"Usr (\d+) (\d+):(\d+):(\d+), Sys (\d+) (\d+):(\d+):(\d+)  -  (.*)")
_BYTES = re.compile(r"\t([\d.]+)  -  (.*)")


def parse(event: LogEvent, now: float | None = None) -> list[tuple[str, str]]:
    """The event's ad as (name, ClassAd text).

    A stamp without a year is of the year of ``now`` (Unix seconds; default: the clock's), as in HTCondor.
    Raises ClassAdParseError for a broken XML or JSON event.
    """
    if event.text[:1] in "<{":
        return _structured_items(event)
    read = typed(event, now)
    items = dict(event_items(read))
    if isinstance(read, events.JobAdInformation):
        items["MyType"] = quote_string(read.my_type)
        items["EventTime"] = quote_string(iso_time(read.time, False))
    items["EventTypeNumber"] = str(event.number)
    return [*items.items(), *notes_items(read)]


def notes_items(read: JobEvent) -> list[tuple[str, str]]:
    """StructuredNotes of a submit event whose notes are an ad or name a DAG node."""
    line = read.log_notes if isinstance(read, events.Submit | events.ClusterSubmit) else ""
    if line.startswith(_DAG_NODE):
        return [("StructuredNotes", f"[ DAGNodeName = {quote_string(line[len(_DAG_NODE) :])} ]")]
    return [("StructuredNotes", line)] if line.startswith("[") and is_valid(line) else []


def typed(event: LogEvent, now: float | None = None) -> JobEvent:
    """A text event as an object; a plain ``JobEvent`` when its number is not known here."""
    stamp = _DATE.match(event.text)
    rest = event.text[stamp.end() :] if stamp is not None else ""
    common: Common = {
        "cluster": event.cluster,
        "proc": event.proc,
        "subproc": event.subproc,
        "time": _time(stamp, time() if now is None else now) if stamp is not None else event.time,
    }
    reader = _READERS.get(event.number)
    if reader is None:
        return JobEvent(**common)
    return reader(_Lines(rest), common)


def _time(stamp: re.Match[str], now: float) -> float:
    month, day, hour, minute, second = (int(stamp[at]) for at in range(2, 7))
    year = int(stamp[1]) if stamp[1] is not None else localtime(now).tm_year
    return unix_time((year, month, day, hour, minute, second), bool(stamp[8])) + float(stamp[7] or 0)


def _structured_items(event: LogEvent) -> list[tuple[str, str]]:
    """The ad of an event of the XML or JSON form."""
    from condor_py.lang.classad.formats.read import read_ads

    form = "XML" if event.text[0] == "<" else "JSON"
    items = {name: text for ad in read_ads(event.text, form) for name, text in ad.text_items()}
    if event.number == events.ImageSize.number:
        items.setdefault("ResidentSetSize", "0")
    elif event.number == events.JobAdInformation.number:  # the ad carries the type of what triggered it
        items["MyType"] = quote_string(events.JobAdInformation.my_type)
    return list(items.items())


class _Lines:
    """The text of an event behind its stamp."""

    def __init__(self, text: str) -> None:
        first, _, rest = text.partition("\n")
        self.first = first
        self.rest = rest.split("\n")
        if self.rest[-1] == "":
            self.rest.pop()

    def after(self, prefix: str) -> str:
        """Return the text behind ``prefix`` on the first line."""
        return self.first[len(prefix) :] if self.first.startswith(prefix) else ""

    def line(self, at: int) -> str:
        """A line behind the first, without the spaces around it; empty when it is not there."""
        return self.rest[at].strip() if at < len(self.rest) else ""

    def match(self, pattern: str) -> re.Match[str] | None:
        """The first of the lines behind the first that the pattern is found in."""
        for line in self.rest:
            found = re.search(pattern, line)
            if found is not None:
                return found
        return None

    def number(self, pattern: str, default: int) -> int:
        """The number that a pattern's group finds."""
        found = self.match(pattern)
        return int(found[1]) if found is not None else default

    def usage(self, label: str) -> CpuUsage:
        """The CPU times of the line that ends with ``label``."""
        for line in self.rest:
            found = _USAGE.search(line)
            if found is not None and found[9] == label:
                user, system = (
                    ((int(found[at]) * 24 + int(found[at + 1])) * 60 + int(found[at + 2])) * 60 + int(found[at + 3])
                    for at in (1, 5)
                )
                return CpuUsage(user, system)
        return NO_CPU

    def bytes(self, label: str) -> float:
        """The count of the line that ends with ``label``."""
        for line in self.rest:
            found = _BYTES.match(line)
            if found is not None and found[2] == label:
                return float(found[1])
        return 0.0

    def resources(self) -> Items:
        """The table of resources, back as attributes."""
        for at, line in enumerate(self.rest):
            if line.startswith("\tPartitionable Resources :"):
                return _table(line, self.rest[at + 1 :])
        return ()


def _table(head: str, rows: list[str]) -> Items:
    _, _, titles = head.partition(":")
    ends = [(found[0], found.end()) for found in re.finditer(r"\S+", titles)]
    items: list[tuple[str, str]] = []
    for row in rows:
        label, colon, cells = row.partition(" : ")
        if not colon:
            break
        cells = " " + cells
        name = label.strip().partition(" ")[0]
        begin = 0
        for title, end in ends:
            cell = cells[begin:] if title == "Assigned" else cells[begin:end]
            begin = end
            if cell.strip():
                items.append((_COLUMNS[title].format(name), cell.strip()))
    return tuple(items)


_COLUMNS = {"Usage": "{}Usage", "Request": "Request{}", "Allocated": "{}", "Assigned": "Assigned{}"}
_DAG_NODE = "DAG Node: "


# the readers of the events


def _submit(text: _Lines, common: Common) -> JobEvent:
    notes = [line.strip() for line in text.rest]
    warnings = [line for line in notes if line.startswith("WARNING: ")]
    notes = [line for line in notes if not line.startswith("WARNING: ")] + ["", ""]
    return events.Submit(
        host=text.after("Job submitted from host: "),
        log_notes=notes[0],
        user_notes=notes[1],
        warnings=warnings[0] if warnings else "",
        **common,
    )


def _execute(text: _Lines, common: Common) -> JobEvent:
    slot = ""
    props: list[tuple[str, str]] = []
    for line in text.rest:
        if line.startswith("\tSlotName: "):
            slot = line[11:]
        else:
            name, found, value = line.strip().partition(" = ")
            if found:
                props.append((name, value))
    return events.Execute(
        host=text.after("Job executing on host: "), slot_name=slot, props=tuple(props), **common
    )  # fmt: skip


def _executable_error(text: _Lines, common: Common) -> JobEvent:
    found = re.match(r"\((\d+)\)", text.first)
    return events.ExecutableError(error_type=int(found[1]) if found is not None else -1, **common)


def _checkpointed(text: _Lines, common: Common) -> JobEvent:
    return events.Checkpointed(
        run_remote=text.usage("Run Remote Usage"),
        run_local=text.usage("Run Local Usage"),
        sent_bytes=text.bytes("Run Bytes Sent By Job For Checkpoint"),
        **common,
    )


def _ending(text: _Lines) -> Common:
    """Return how a job ended: return value, or signal and core file."""
    normal = text.match(r"^\t\(1\) Normal termination \(return value (-?\d+)\)")
    if normal is not None:
        return {"return_value": int(normal[1])}
    signal = text.match(r"^\t\(0\) Abnormal termination \(signal (\d+)\)")
    core = text.match(r"^\t\(1\) Corefile in: (.*)")
    return {"signal": int(signal[1]) if signal is not None else None, "core_file": core[1] if core is not None else ""}


def _run_usage(text: _Lines) -> Common:
    return {
        "run_remote": text.usage("Run Remote Usage"),
        "run_local": text.usage("Run Local Usage"),
        "sent_bytes": text.bytes("Run Bytes Sent By Job"),
        "received_bytes": text.bytes("Run Bytes Received By Job"),
    }


def _evicted(text: _Lines, common: Common) -> JobEvent:
    codes = re.search(r" Code (-?\d+) Subcode (-?\d+)", text.first)
    first = text.line(0)
    requeued = first == "(0) Job terminated and was requeued"
    reason = text.match(r"^\tReason: (.*)")
    if requeued:
        reason = text.match(r"^\t(?!\(|\t|Partitionable Resources :|   |[\d.]+  -  )(.*)")
    return events.JobEvicted(
        code=int(codes[1]) if codes is not None else 0,
        subcode=int(codes[2]) if codes is not None else 0,
        checkpointed=first == "(1) Job was checkpointed.",
        requeued=requeued,
        reason=reason[1] if reason is not None else "",
        **_run_usage(text),
        **(_ending(text) if requeued else {}),
        **common,
    )


def _terminated(text: _Lines, common: Common) -> JobEvent:
    return events.JobTerminated(
        total_remote=text.usage("Total Remote Usage"),
        total_local=text.usage("Total Local Usage"),
        total_sent_bytes=text.bytes("Total Bytes Sent By Job"),
        total_received_bytes=text.bytes("Total Bytes Received By Job"),
        resources=text.resources(),
        **_run_usage(text),
        **_ending(text),
        **common,
    )


def _image_size(text: _Lines, common: Common) -> JobEvent:
    return events.ImageSize(
        size_kb=_leading(text.after("Image size of job updated: ")),
        memory_usage_mb=text.number(r"(\d+)  -  MemoryUsage of job", -1),
        resident_set_size_kb=text.number(r"(\d+)  -  ResidentSetSize of job", 0),
        proportional_set_size_kb=text.number(r"(\d+)  -  ProportionalSetSize of job", -1),
        **common,
    )


def _leading(text: str) -> int:
    found = re.match(r"\s*(-?\d+)", text)
    return int(found[1]) if found is not None else 0


def _shadow_exception(text: _Lines, common: Common) -> JobEvent:
    return events.ShadowException(
        message=text.line(0),
        sent_bytes=text.bytes("Run Bytes Sent By Job"),
        received_bytes=text.bytes("Run Bytes Received By Job"),
        **common,
    )


def _generic(text: _Lines, common: Common) -> JobEvent:
    return events.Generic(info=text.first.strip(), **common)


def _suspended(text: _Lines, common: Common) -> JobEvent:
    return events.JobSuspended(processes=text.number(r"actually suspended: (\d+)", 0), **common)


def _held(text: _Lines, common: Common) -> JobEvent:
    codes = text.match(r"^\tCode (-?\d+) Subcode (-?\d+)")
    reason = text.line(0)
    return events.JobHeld(
        reason="" if reason == "Reason unspecified" else reason,
        code=int(codes[1]) if codes is not None else 0,
        subcode=int(codes[2]) if codes is not None else 0,
        **common,
    )


def _with_reason(make: Callable[..., JobEvent]) -> Callable[[_Lines, Common], JobEvent]:
    """The reader of an event that has a reason on the line behind the first and nothing else."""
    return lambda text, common: make(reason=text.line(0), **common)


def _remote_error(text: _Lines, common: Common) -> JobEvent:
    head = re.match(r"(?:Error|Message) from (.*?) on (.*):", text.first)
    codes = text.match(r"^\tCode (-?\d+) Subcode (-?\d+)")
    lines = [line[1:] if line.startswith("\t") else line for line in text.rest]
    if codes is not None:
        lines.remove(codes[0][1:])
    return events.RemoteError(
        daemon=head[1] if head is not None else "",
        host=head[2] if head is not None else "",
        message="\n".join(lines),
        hold_code=int(codes[1]) if codes is not None else 0,
        hold_subcode=int(codes[2]) if codes is not None else 0,
        **common,
    )


def _disconnected(text: _Lines, common: Common) -> JobEvent:
    name, _, address = text.line(1).removeprefix("Trying to reconnect to ").partition(" ")
    return events.JobDisconnected(reason=text.line(0), startd_name=name, startd_addr=address, **common)


def _reconnected(text: _Lines, common: Common) -> JobEvent:
    return events.JobReconnected(
        startd_name=text.after("Job reconnected to "),
        startd_addr=text.line(0).removeprefix("startd address: "),
        starter_addr=text.line(1).removeprefix("starter address: "),
        **common,
    )


def _reconnect_failed(text: _Lines, common: Common) -> JobEvent:
    name = text.line(1).removeprefix("Can not reconnect to ").removesuffix(", rescheduling job")
    return events.JobReconnectFailed(reason=text.line(0), startd_name=name, **common)


def _of_resource(make: Callable[..., JobEvent]) -> Callable[[_Lines, Common], JobEvent]:
    """The reader of an event that names a grid resource."""
    return lambda text, common: make(resource=_grid_value(text, 0), **common)


def _grid_value(text: _Lines, number: int) -> str:
    return text.line(number).partition(": ")[2]


def _grid_submit(text: _Lines, common: Common) -> JobEvent:
    return events.GridSubmit(resource=_grid_value(text, 0), job_id=_grid_value(text, 1), **common)


def _ad_information(text: _Lines, common: Common) -> JobEvent:
    pairs = (line.partition(" = ") for line in text.rest)
    return events.JobAdInformation(items=tuple((name, value) for name, found, value in pairs if found), **common)


def _attribute_update(text: _Lines, common: Common) -> JobEvent:
    # HTCondor's reader takes single words, and understands changes alone: a new attribute comes back without a name.
    changed = re.match(r"Changing job attribute (\S+)(?: from (\S+) to (\S+))?", text.first)
    name, old, new = changed.groups() if changed is not None else ("", None, "")
    return events.AttributeUpdate(name=name, value=new or "", old_value=old, **common)


def _cluster_submit(text: _Lines, common: Common) -> JobEvent:
    return events.ClusterSubmit(
        host=text.after("Cluster submitted from host: "), log_notes=text.line(0), user_notes=text.line(1), **common
    )


_COMPLETIONS = {"Complete": 1, "Paused": 2, "Incomplete": 0}


def _cluster_remove(text: _Lines, common: Common) -> JobEvent:
    found = re.match(r"Materialized (\d+) jobs from (\d+) items\.\s*(\S*)\s*(-?\d*)", text.line(0))
    state, number = (found[3], found[4]) if found is not None else ("", "")
    return events.ClusterRemove(
        next_proc=int(found[1]) if found is not None else 0,
        next_row=int(found[2]) if found is not None else 0,
        completion=int(number) if state == "Error" and number else _COMPLETIONS.get(state, 0),
        notes=text.line(1),
        **common,
    )


def _factory_paused(text: _Lines, common: Common) -> JobEvent:
    reason = text.line(0)
    return events.FactoryPaused(
        reason="" if re.match(r"(PauseCode|HoldCode) ", reason) else reason,
        pause_code=text.number(r"^\tPauseCode (-?\d+)", 0),
        hold_code=text.number(r"^\tHoldCode (-?\d+)", 0),
        **common,
    )


def _file_transfer(text: _Lines, common: Common) -> JobEvent:
    steps = {f"{word} {way} files": start + at for way, start in (("input", 1), ("output", 4))
             for at, word in enumerate(TRANSFER_WORDS)}  # fmt: skip
    step = steps.get(text.first.strip())
    if step is None:
        return JobEvent(**common)
    host = text.match(r"^\tTransferring to host: (.*)")
    return events.FileTransfer(
        step=events.Transfer(step),
        queueing_delay=text.number(r"^\tSeconds spent in queue: (-?\d+)", -1),
        host=host[1] if host is not None else "",
        **common,
    )


def _common_files(text: _Lines, common: Common) -> JobEvent:
    return events.CommonFiles(type=text.first.removeprefix("Common files event:").strip(), **common)


_NODE = r"^\s*DAG Node: (.*)"


def _post_script(text: _Lines, common: Common) -> JobEvent:
    named, ending = text.match(_NODE), _ending(text)
    return events.PostScriptTerminated(
        node=named[1] if named is not None else "",
        return_value=ending.get("return_value"),
        signal=ending.get("signal"),
        **common,
    )


def _pre_skip(text: _Lines, common: Common) -> JobEvent:
    named = text.match(_NODE)
    return events.PreSkip(node=named[1] if named is not None else "", **common)


_READERS: dict[int, Callable[[_Lines, Common], JobEvent]] = {
    JobEventType.SUBMIT: _submit,
    JobEventType.EXECUTE: _execute,
    JobEventType.EXECUTABLE_ERROR: _executable_error,
    JobEventType.CHECKPOINTED: _checkpointed,
    JobEventType.JOB_EVICTED: _evicted,
    JobEventType.JOB_TERMINATED: _terminated,
    JobEventType.IMAGE_SIZE: _image_size,
    JobEventType.SHADOW_EXCEPTION: _shadow_exception,
    JobEventType.GENERIC: _generic,
    JobEventType.JOB_ABORTED: _with_reason(events.JobAborted),
    JobEventType.JOB_SUSPENDED: _suspended,
    JobEventType.JOB_UNSUSPENDED: lambda _, common: events.JobUnsuspended(**common),
    JobEventType.JOB_HELD: _held,
    JobEventType.JOB_RELEASED: _with_reason(events.JobReleased),
    JobEventType.POST_SCRIPT_TERMINATED: _post_script,
    JobEventType.REMOTE_ERROR: _remote_error,
    JobEventType.JOB_DISCONNECTED: _disconnected,
    JobEventType.JOB_RECONNECTED: _reconnected,
    JobEventType.JOB_RECONNECT_FAILED: _reconnect_failed,
    JobEventType.GRID_RESOURCE_UP: _of_resource(events.GridResourceUp),
    JobEventType.GRID_RESOURCE_DOWN: _of_resource(events.GridResourceDown),
    JobEventType.GRID_SUBMIT: _grid_submit,
    JobEventType.JOB_AD_INFORMATION: _ad_information,
    JobEventType.JOB_STATUS_UNKNOWN: lambda _, common: events.JobStatusUnknown(**common),
    JobEventType.JOB_STATUS_KNOWN: lambda _, common: events.JobStatusKnown(**common),
    JobEventType.ATTRIBUTE_UPDATE: _attribute_update,
    JobEventType.PRESKIP: _pre_skip,
    JobEventType.CLUSTER_SUBMIT: _cluster_submit,
    JobEventType.CLUSTER_REMOVE: _cluster_remove,
    JobEventType.FACTORY_PAUSED: _factory_paused,
    JobEventType.FACTORY_RESUMED: _with_reason(events.FactoryResumed),
    JobEventType.FILE_TRANSFER: _file_transfer,
    JobEventType.DATAFLOW_JOB_SKIPPED: _with_reason(events.DataflowJobSkipped),
    JobEventType.COMMON_FILES: _common_files,
}
