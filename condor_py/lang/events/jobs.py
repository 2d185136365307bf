"""The events of a job in the queue, from submit to removal; of clusters and their factories; of nodes of DAGs.

The methods of the classes are those of ``base.JobEvent``, which says what they do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from condor_py.lang.classad import is_valid, quote_string
from condor_py.lang.classad.formats.old import split_line
from condor_py.lang.events.base import (
    Attributes,
    Common,
    Items,
    JobEvent,
    Lines,
    indented,
    name_key,
    one_line,
    string,
)
from condor_py.lang.events.runs import ending, ending_attributes
from condor_py.model.event_types import JobEventType
from condor_py.model.record import is_attribute_name
from condor_py.model.texts import as_integer

_DAG_NODE = "DAG Node: "


def _structured_notes(line: str) -> Attributes:
    """StructuredNotes of notes that are an ad or name a DAG node."""
    if line.startswith(_DAG_NODE):
        return [("StructuredNotes", f"[ DAGNodeName = {quote_string(line[len(_DAG_NODE) :])} ]")]
    return [("StructuredNotes", line)] if line.startswith("[") and is_valid(line) else []


@dataclass(slots=True, kw_only=True)
class Submit(JobEvent):
    """Event 000: the job was submitted. ``log_notes`` and ``user_notes`` are submit_event_notes and
    submit_event_user_notes; ``structured``, a ClassAd with what else tells jobs apart, takes the place of the
    former."""

    number: ClassVar[JobEventType] = JobEventType.SUBMIT
    my_type: ClassVar[str] = "SubmitEvent"

    host: str
    log_notes: str = ""
    user_notes: str = ""
    warnings: str = ""
    structured: str = ""

    def body(self) -> str:
        text = f"Job submitted from host: {one_line(self.host)}\n"
        text += indented("    ", self.structured or self.log_notes, self.user_notes)
        if self.warnings:
            text += (
                "    WARNING: Committed job submission into the queue with the following warning(s): "
                f"{one_line(self.warnings)[:8110]}\n"
            )
        return text

    def attributes(self) -> Attributes:
        return (
            string("SubmitHost", self.host)
            + string("LogNotes", self.log_notes)
            + string("UserNotes", self.user_notes)
            + string("Warnings", self.warnings)
            + ([("StructuredNotes", self.structured)] if self.structured else [])
        )

    def structured_notes(self) -> Attributes:
        return _structured_notes(self.log_notes)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        notes = [line.strip() for line in lines.rest]
        warnings = [line for line in notes if line.startswith("WARNING: ")]
        notes = [line for line in notes if not line.startswith("WARNING: ")] + ["", ""]
        return cls(
            host=lines.after("Job submitted from host: "),
            log_notes=notes[0],
            user_notes=notes[1],
            warnings=warnings[0] if warnings else "",
            **common,
        )


@dataclass(slots=True, kw_only=True)
class Generic(JobEvent):
    """Event 008: free text."""

    number: ClassVar[JobEventType] = JobEventType.GENERIC
    my_type: ClassVar[str] = "GenericEvent"

    info: str

    def body(self) -> str:
        return one_line(self.info) + "\n"

    def attributes(self) -> Attributes:
        return string("Info", self.info)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(info=lines.first.strip(), **common)


@dataclass(slots=True, kw_only=True)
class _Reasoned(JobEvent):
    """An event that has a reason and nothing else; ``head`` is its first line."""

    head: ClassVar[str] = ""

    reason: str = ""

    def body(self) -> str:
        return f"{self.head}\n" + (f"\t{one_line(self.reason)}\n" if self.reason else "")

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(reason=lines.line(0), **common)


@dataclass(slots=True, kw_only=True)
class JobAborted(_Reasoned):
    """Event 009: the job was removed."""

    number: ClassVar[JobEventType] = JobEventType.JOB_ABORTED
    my_type: ClassVar[str] = "JobAbortedEvent"
    head: ClassVar[str] = "Job was aborted."


@dataclass(slots=True, kw_only=True)
class JobHeld(JobEvent):
    """Event 012: the job was held. Codes are HoldReasonCode and HoldReasonSubCode."""

    number: ClassVar[JobEventType] = JobEventType.JOB_HELD
    my_type: ClassVar[str] = "JobHeldEvent"

    reason: str = ""
    code: int = 0
    subcode: int = 0

    def body(self) -> str:
        reason = one_line(self.reason) or "Reason unspecified"
        return f"Job was held.\n\t{reason}\n\tCode {self.code} Subcode {self.subcode}\n"

    def attributes(self) -> Attributes:
        return [
            *string("HoldReason", self.reason),
            ("HoldReasonCode", str(self.code)),
            ("HoldReasonSubCode", str(self.subcode)),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        codes = lines.match(r"^\tCode (-?\d+) Subcode (-?\d+)")
        reason = lines.line(0)
        return cls(
            reason="" if reason == "Reason unspecified" else reason,
            code=as_integer(codes[1]) if codes is not None else 0,
            subcode=as_integer(codes[2]) if codes is not None else 0,
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobReleased(_Reasoned):
    """Event 013: the job was released."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RELEASED
    my_type: ClassVar[str] = "JobReleaseEvent"
    head: ClassVar[str] = "Job was released."


@dataclass(slots=True, kw_only=True)
class AttributeUpdate(JobEvent):
    """Event 033: an attribute was changed. Values are ClassAd text; ``old_value`` is None if the attribute was not
    there."""

    number: ClassVar[JobEventType] = JobEventType.ATTRIBUTE_UPDATE
    my_type: ClassVar[str] = "AttributeUpdateEvent"

    name: str
    value: str
    old_value: str | None = None

    def body(self) -> str:
        name, value = one_line(self.name), one_line(self.value)
        if self.old_value is None:
            return f"Setting job attribute {name} to {value}\n"
        return f"Changing job attribute {name} from {one_line(self.old_value)} to {value}\n"

    def attributes(self) -> Attributes:
        return [("Attribute", quote_string(self.name)), ("Value", quote_string(one_line(self.value)))]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        # HTCondor's reader takes single words and understands changes alone: a new attribute comes back without a name.
        changed = re.match(r"Changing job attribute (\S+)(?: from (\S+) to (\S+))?", lines.first)
        name, old, new = changed.groups() if changed is not None else ("", None, "")
        return cls(name=name, value=new or "", old_value=old, **common)


@dataclass(slots=True, kw_only=True)
class JobAdInformation(JobEvent):
    """Event 028: attributes of the job. ``items`` are all of them (name, ClassAd text);
    ``store.event_log.ad_information`` makes them."""

    number: ClassVar[JobEventType] = JobEventType.JOB_AD_INFORMATION
    my_type: ClassVar[str] = "JobAdInformationEvent"

    items: Items

    def body(self) -> str:
        lines = (f"{name} = {value}\n" for name, value in sorted(self.items, key=name_key))
        return "Job ad information event triggered.\n" + "".join(lines)

    def attributes(self) -> Attributes:
        return list(self.items)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        pairs = filter(None, map(split_line, lines.rest))
        return cls(items=tuple((name, text) for name, text in pairs if is_valid(text)), **common)


_NODE = r"^\s*DAG Node: (.*)"


@dataclass(slots=True, kw_only=True)
class PostScriptTerminated(JobEvent):
    """Event 016: the end of a POST script of ``node``, by exit code or by signal. condor_dagman writes it."""

    number: ClassVar[JobEventType] = JobEventType.POST_SCRIPT_TERMINATED
    my_type: ClassVar[str] = "PostScriptTerminatedEvent"

    node: str = ""
    return_value: int | None = None
    signal: int | None = None

    def body(self) -> str:
        how = (
            f"(1) Normal termination (return value {self.return_value})"
            if self.return_value is not None
            else f"(0) Abnormal termination (signal {self.signal if self.signal is not None else -1})"
        )
        named = f"    DAG Node: {one_line(self.node)}\n" if self.node else ""
        return f"POST Script terminated.\n\t{how}\n{named}"

    def attributes(self) -> Attributes:
        return ending_attributes(self.return_value, self.signal, "") + string("DAGNodeName", self.node)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        named, end = lines.match(_NODE), ending(lines)
        return cls(
            node=named[1] if named is not None else "",
            return_value=end.get("return_value"),
            signal=end.get("signal"),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class PreSkip(JobEvent):
    """Event 034: the PRE script of a node ended with its PRE_SKIP code. condor_dagman writes it; ``notes`` are DAG
    Node: and the name of the node."""

    number: ClassVar[JobEventType] = JobEventType.PRESKIP
    my_type: ClassVar[str] = "PreSkipEvent"

    notes: str = ""

    @property
    def node(self) -> str:
        """The name of the node; empty where the notes say something else."""
        return self.notes[len(_DAG_NODE) :] if self.notes.startswith(_DAG_NODE) else ""

    def body(self) -> str:
        return "PRE script return value is PRE_SKIP value\n" + indented("    ", self.notes)

    def attributes(self) -> Attributes:
        return string("SkipEventLogNotes", self.notes)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(notes=lines.line(0), **common)


@dataclass(slots=True, kw_only=True)
class ClusterSubmit(JobEvent):
    """Event 035: a cluster with late materialization was submitted; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.CLUSTER_SUBMIT
    my_type: ClassVar[str] = "ClusterSubmitEvent"

    host: str
    log_notes: str = ""
    user_notes: str = ""
    structured: str = ""

    def body(self) -> str:
        text = f"Cluster submitted from host: {one_line(self.host)}\n"
        return text + indented("    ", self.structured or self.log_notes, self.user_notes)

    def attributes(self) -> Attributes:
        return string("SubmitHost", self.host) + ([("StructuredNotes", self.structured)] if self.structured else [])

    def structured_notes(self) -> Attributes:
        return _structured_notes(self.log_notes)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(
            host=lines.after("Cluster submitted from host: "),
            log_notes=lines.line(0),
            user_notes=lines.line(1),
            **common,
        )


class Completion(IntEnum):
    """The progress of a factory."""

    ERROR = -1
    INCOMPLETE = 0
    COMPLETE = 1
    PAUSED = 2


_COMPLETIONS = {"Complete": 1, "Paused": 2, "Incomplete": 0}


@dataclass(slots=True, kw_only=True)
class ClusterRemove(JobEvent):
    """Event 036: a cluster with late materialization has left; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.CLUSTER_REMOVE
    my_type: ClassVar[str] = "ClusterRemoveEvent"

    next_proc: int
    next_row: int
    completion: int = Completion.COMPLETE
    notes: str = ""

    def body(self) -> str:
        if self.completion <= Completion.ERROR:
            state = f"Error {int(self.completion)}"
        elif self.completion == Completion.COMPLETE:
            state = "Complete"
        else:
            state = "Paused" if self.completion >= Completion.PAUSED else "Incomplete"
        text = f"Cluster removed\n\tMaterialized {self.next_proc} jobs from {self.next_row} items.\t{state}\n"
        return text + indented("\t", self.notes)

    def attributes(self) -> Attributes:
        return [
            *string("Notes", self.notes),
            ("NextProcId", str(self.next_proc)),
            ("NextRow", str(self.next_row)),
            ("Completion", str(int(self.completion))),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        found = re.match(r"Materialized (\d+) jobs from (\d+) items\.\s*(\S*)\s*(-?\d*)", lines.line(0))
        state, number = (found[3], found[4]) if found is not None else ("", "")
        return cls(
            next_proc=as_integer(found[1]) if found is not None else 0,
            next_row=as_integer(found[2]) if found is not None else 0,
            completion=as_integer(number) if state == "Error" and number else _COMPLETIONS.get(state, 0),
            notes=lines.line(1),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class FactoryPaused(JobEvent):
    """Event 037: a factory pauses; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.FACTORY_PAUSED
    my_type: ClassVar[str] = "FactoryPausedEvent"

    reason: str = ""
    pause_code: int = 0
    hold_code: int = 0

    def body(self) -> str:
        text = "Job Materialization Paused\n"
        if self.reason or self.pause_code:
            text += f"\t{one_line(self.reason)}\n"
        if self.pause_code:
            text += f"\tPauseCode {self.pause_code}\n"
        if self.hold_code:
            text += f"\tHoldCode {self.hold_code}\n"
        return text

    def attributes(self) -> Attributes:
        return [
            *string("Reason", self.reason),
            ("PauseCode", str(self.pause_code)),
            ("HoldCode", str(self.hold_code)),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        reason = lines.line(0)
        return cls(
            reason="" if re.match(r"(PauseCode|HoldCode) ", reason) else reason,
            pause_code=lines.number(r"^\tPauseCode (-?\d+)", 0),
            hold_code=lines.number(r"^\tHoldCode (-?\d+)", 0),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class FactoryResumed(JobEvent):
    """Event 038: a factory continues; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.FACTORY_RESUMED
    my_type: ClassVar[str] = "FactoryResumedEvent"

    reason: str = ""

    def body(self) -> str:
        return "Job Materialization Resumed\n" + indented("\t", self.reason)

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(reason=lines.line(0), **common)


@dataclass(slots=True, kw_only=True)
class DataflowJobSkipped(_Reasoned):
    """Event 046: a job was skipped, as its output is newer than its input."""

    number: ClassVar[JobEventType] = JobEventType.DATAFLOW_JOB_SKIPPED
    my_type: ClassVar[str] = "DataflowJobSkippedEvent"
    head: ClassVar[str] = "Dataflow job was skipped."


@dataclass(slots=True, kw_only=True)
class Future(JobEvent):
    """An event of a number that no class here has: its first line, and the others, which may be attributes."""

    head: str
    payload: tuple[str, ...] = ()

    def body(self) -> str:
        return "".join(f"{one_line(line)}\n" for line in (self.head, *self.payload))

    def attributes(self) -> Attributes:
        made = {"eventhead": ("EventHead", quote_string(self.head))}
        for line in self.payload:
            name, found, value = line.partition("=")
            if found and is_attribute_name(name.strip()) and is_valid(value):
                made[name.strip().lower()] = (name.strip(), value.strip())
        return list(made.values())

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(head=lines.first, payload=tuple(lines.rest), **common)
