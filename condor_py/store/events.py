"""Job events: what each says, as text and as an ad.

An event's text is ``NNN (CCC.PPP.SSS) DATE TIME`` and what ``body`` gives, closed by a line ``...``.
``attributes`` are those of the event's ad beyond the ones that every event has; values are ClassAd text.
Free text loses its newlines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condor_py.classad import quote_string as quote
from condor_py.classad.nodes import storage_key
from condor_py.store.event_parts import NO_CPU, CpuUsage, one_line, resource_table

Attributes = list[tuple[str, str]]
Items = tuple[tuple[str, str], ...]


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _real(value: float) -> str:
    return f"{value:.16G}" if value != int(value) else f"{value:.1f}"


def string(name: str, value: str) -> Attributes:
    """An attribute that is there only when it says something."""
    return [(name, quote(one_line(value)))] if value else []


def indented(prefix: str, *texts: str) -> str:
    return "".join(f"{prefix}{one_line(text)[:8191]}\n" for text in texts if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """What all events have. ``time`` is Unix seconds with fraction; proc -1 means the whole cluster."""

    number: ClassVar[int] = 39
    my_type: ClassVar[str] = "FutureEvent"

    cluster: int
    proc: int
    time: float
    subproc: int = 0

    def body(self) -> str:
        """The text behind the time stamp, up to and without the line ``...``."""
        return "\n"

    def attributes(self) -> Attributes:
        """The event's own attributes as (name, ClassAd text)."""
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit(JobEvent):
    """000. ``log_notes`` and ``user_notes`` are submit_event_notes and submit_event_user_notes; ``structured``, a
    ClassAd with what else tells jobs apart, takes the place of the former."""

    number: ClassVar[int] = 0
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute(JobEvent):
    """001. ``props`` are (name, ClassAd text) of the slot: CondorScratchDir, Cpus, Disk, GPUs, Memory."""

    number: ClassVar[int] = 1
    my_type: ClassVar[str] = "ExecuteEvent"

    host: str
    slot_name: str = ""
    props: Items = ()

    def body(self) -> str:
        text = f"Job executing on host: {one_line(self.host)}\n"
        if self.slot_name:
            text += f"\tSlotName: {self.slot_name}\n"
        return text + "".join(f"\t{name} = {value}\n" for name, value in sorted(self.props, key=name_key))

    def attributes(self) -> Attributes:
        made = string("ExecuteHost", self.host) + string("SlotName", self.slot_name)
        if self.props:
            inner = "; ".join(f"{name} = {value}" for name, value in sorted(self.props, key=storage_key))
            made.append(("ExecuteProps", f"[ {inner} ]"))
        return made


def name_key(item: tuple[str, str]) -> str:
    return item[0].lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutableError(JobEvent):
    """002. ``error_type`` 0: not executable, 1: badly linked."""

    number: ClassVar[int] = 2
    my_type: ClassVar[str] = "ExecutableErrorEvent"

    error_type: int

    def body(self) -> str:
        texts = {0: "Job file not executable.", 1: "Job not properly linked for Condor."}
        return f"({self.error_type}) {texts.get(self.error_type, '[Bad error number.]')}\n"

    def attributes(self) -> Attributes:
        return [("ExecuteErrorType", str(self.error_type))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointed(JobEvent):
    """003. Bytes are those sent for the checkpoint."""

    number: ClassVar[int] = 3
    my_type: ClassVar[str] = "CheckpointedEvent"

    run_remote: CpuUsage = NO_CPU
    run_local: CpuUsage = NO_CPU
    sent_bytes: float = 0.0

    def body(self) -> str:
        return (
            "Job was checkpointed.\n"
            f"\t{self.run_remote}  -  Run Remote Usage\n"
            f"\t{self.run_local}  -  Run Local Usage\n"
            f"\t{self.sent_bytes:.0f}  -  Run Bytes Sent By Job For Checkpoint\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("RunLocalUsage", quote(str(self.run_local))),
            ("RunRemoteUsage", quote(str(self.run_remote))),
            ("SentBytes", _real(self.sent_bytes)),
        ]


def _termination_lines(return_value: int | None, signal: int | None, core_file: str) -> str:
    if return_value is not None:
        return f"\t(1) Normal termination (return value {return_value})\n"
    core = f"(1) Corefile in: {one_line(core_file)}" if core_file else "(0) No core file"
    return f"\t(0) Abnormal termination (signal {signal if signal is not None else -1})\n\t{core}\n"


def _termination_attributes(return_value: int | None, signal: int | None, core_file: str) -> Attributes:
    made: Attributes = [("TerminatedNormally", _bool(return_value is not None))]
    if return_value is not None:
        made.append(("ReturnValue", str(return_value)))
    elif signal is not None:
        made.append(("TerminatedBySignal", str(signal)))
    return made + string("CoreFile", core_file)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvicted(JobEvent):
    """004. ``requeued`` means the job ended and goes back to the queue; then return_value or signal say how.

    ``resources`` are (name, ClassAd text) for the table, see ``event_parts.resource_table``.
    """

    number: ClassVar[int] = 4
    my_type: ClassVar[str] = "JobEvictedEvent"

    code: int = 0
    subcode: int = 0
    reason: str = ""
    checkpointed: bool = False
    requeued: bool = False
    return_value: int | None = None
    signal: int | None = None
    core_file: str = ""
    run_remote: CpuUsage = NO_CPU
    run_local: CpuUsage = NO_CPU
    sent_bytes: float = 0.0
    received_bytes: float = 0.0
    resources: Items = ()

    def body(self) -> str:
        text = "Job was evicted."
        text += f" Code {self.code} Subcode {self.subcode}\n" if self.code else "\n"
        if self.requeued:
            text += "\t(0) Job terminated and was requeued\n"
        else:
            text += "\t(1) Job was checkpointed.\n" if self.checkpointed else "\t(0) CPU times\n"
        text += (
            f"\t\t{self.run_remote}  -  Run Remote Usage\n"
            f"\t\t{self.run_local}  -  Run Local Usage\n"
            f"\t{self.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
            f"\t{self.received_bytes:.0f}  -  Run Bytes Received By Job\n"
        )
        if self.requeued:
            text += _termination_lines(self.return_value, self.signal, self.core_file)
        if self.reason:
            text += ("\t" if self.requeued else "\tReason: ") + one_line(self.reason) + "\n"
        return text + resource_table(self.resources)

    def attributes(self) -> Attributes:
        made: Attributes = [
            ("Checkpointed", _bool(self.checkpointed)),
            ("RunLocalUsage", quote(str(self.run_local))),
            ("RunRemoteUsage", quote(str(self.run_remote))),
            ("SentBytes", _real(self.sent_bytes)),
            ("ReceivedBytes", _real(self.received_bytes)),
            ("TerminatedAndRequeued", _bool(self.requeued)),
        ]
        made += _termination_attributes(self.return_value, self.signal, self.core_file)
        made += string("Reason", self.reason)
        if self.code:
            made.append(("ReasonCode", str(self.code)))
        if self.subcode:
            made.append(("ReasonSubCode", str(self.subcode)))
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTerminated(JobEvent):
    """005. ``return_value`` for a normal end, else ``signal``. ``resources`` as in JobEvicted."""

    number: ClassVar[int] = 5
    my_type: ClassVar[str] = "JobTerminatedEvent"

    return_value: int | None = None
    signal: int | None = None
    core_file: str = ""
    run_remote: CpuUsage = NO_CPU
    run_local: CpuUsage = NO_CPU
    total_remote: CpuUsage = NO_CPU
    total_local: CpuUsage = NO_CPU
    sent_bytes: float = 0.0
    received_bytes: float = 0.0
    total_sent_bytes: float = 0.0
    total_received_bytes: float = 0.0
    resources: Items = ()

    def body(self) -> str:
        return (
            "Job terminated.\n"
            + _termination_lines(self.return_value, self.signal, self.core_file)
            + f"\t\t{self.run_remote}  -  Run Remote Usage\n"
            f"\t\t{self.run_local}  -  Run Local Usage\n"
            f"\t\t{self.total_remote}  -  Total Remote Usage\n"
            f"\t\t{self.total_local}  -  Total Local Usage\n"
            f"\t{self.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
            f"\t{self.received_bytes:.0f}  -  Run Bytes Received By Job\n"
            f"\t{self.total_sent_bytes:.0f}  -  Total Bytes Sent By Job\n"
            f"\t{self.total_received_bytes:.0f}  -  Total Bytes Received By Job\n" + resource_table(self.resources)
        )

    def attributes(self) -> Attributes:
        made: Attributes = list(self.resources)
        made += _termination_attributes(self.return_value, self.signal, self.core_file)
        made += [
            ("RunLocalUsage", quote(str(self.run_local))),
            ("RunRemoteUsage", quote(str(self.run_remote))),
            ("TotalLocalUsage", quote(str(self.total_local))),
            ("TotalRemoteUsage", quote(str(self.total_remote))),
            ("SentBytes", _real(self.sent_bytes)),
            ("ReceivedBytes", _real(self.received_bytes)),
            ("TotalSentBytes", _real(self.total_sent_bytes)),
            ("TotalReceivedBytes", _real(self.total_received_bytes)),
        ]
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageSize(JobEvent):
    """006. Sizes in KB, memory usage in MB; -1 where unknown."""

    number: ClassVar[int] = 6
    my_type: ClassVar[str] = "JobImageSizeEvent"

    size_kb: int
    memory_usage_mb: int = -1
    resident_set_size_kb: int = -1
    proportional_set_size_kb: int = -1

    def body(self) -> str:
        text = f"Image size of job updated: {self.size_kb}\n"
        if self.memory_usage_mb >= 0:
            text += f"\t{self.memory_usage_mb}  -  MemoryUsage of job (MB)\n"
        if self.resident_set_size_kb >= 0:
            text += f"\t{self.resident_set_size_kb}  -  ResidentSetSize of job (KB)\n"
        if self.proportional_set_size_kb >= 0:
            text += f"\t{self.proportional_set_size_kb}  -  ProportionalSetSize of job (KB)\n"
        return text

    def attributes(self) -> Attributes:
        pairs = (
            ("Size", self.size_kb),
            ("MemoryUsage", self.memory_usage_mb),
            ("ResidentSetSize", self.resident_set_size_kb),
            ("ProportionalSetSize", self.proportional_set_size_kb),
        )
        return [(name, str(value)) for name, value in pairs if value >= 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowException(JobEvent):
    """007."""

    number: ClassVar[int] = 7
    my_type: ClassVar[str] = "ShadowExceptionEvent"

    message: str
    sent_bytes: float = 0.0
    received_bytes: float = 0.0

    def body(self) -> str:
        return (
            f"Shadow exception!\n\t{one_line(self.message)}\n"
            f"\t{self.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
            f"\t{self.received_bytes:.0f}  -  Run Bytes Received By Job\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("Message", quote(one_line(self.message))),
            ("SentBytes", _real(self.sent_bytes)),
            ("ReceivedBytes", _real(self.received_bytes)),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generic(JobEvent):
    """008: free text."""

    number: ClassVar[int] = 8
    my_type: ClassVar[str] = "GenericEvent"

    info: str

    def body(self) -> str:
        return one_line(self.info) + "\n"

    def attributes(self) -> Attributes:
        return string("Info", self.info)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAborted(JobEvent):
    """009."""

    number: ClassVar[int] = 9
    my_type: ClassVar[str] = "JobAbortedEvent"

    reason: str = ""

    def body(self) -> str:
        return "Job was aborted.\n" + (f"\t{one_line(self.reason)}\n" if self.reason else "")

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSuspended(JobEvent):
    """010."""

    number: ClassVar[int] = 10
    my_type: ClassVar[str] = "JobSuspendedEvent"

    processes: int

    def body(self) -> str:
        return f"Job was suspended.\n\tNumber of processes actually suspended: {self.processes}\n"

    def attributes(self) -> Attributes:
        return [("NumberOfPIDs", str(self.processes))]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobUnsuspended(JobEvent):
    """011."""

    number: ClassVar[int] = 11
    my_type: ClassVar[str] = "JobUnsuspendedEvent"

    def body(self) -> str:
        return "Job was unsuspended.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHeld(JobEvent):
    """012. Codes are HoldReasonCode and HoldReasonSubCode."""

    number: ClassVar[int] = 12
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReleased(JobEvent):
    """013."""

    number: ClassVar[int] = 13
    my_type: ClassVar[str] = "JobReleaseEvent"

    reason: str = ""

    def body(self) -> str:
        return "Job was released.\n" + (f"\t{one_line(self.reason)}\n" if self.reason else "")

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)
