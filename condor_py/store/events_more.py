"""Job events beyond the plain life of a job: contact with the startd, attributes, clusters, file transfer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from condor_py.classad import quote_string as quote
from condor_py.store.event_parts import one_line
from condor_py.store.events import Attributes, Items, JobEvent, indented, name_key, string


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteError(JobEvent):
    """021: an error (or, not ``critical``, a message) from a daemon. ``message`` may have several lines."""

    number: ClassVar[int] = 21
    my_type: ClassVar[str] = "RemoteErrorEvent"

    daemon: str
    host: str
    message: str
    critical: bool = True
    hold_code: int = 0
    hold_subcode: int = 0

    def body(self) -> str:
        kind = "Error" if self.critical else "Message"
        text = f"{kind} from {one_line(self.daemon)} on {one_line(self.host)}:\n"
        text += "".join(f"\t{line}\n" for line in self.message.replace("\r", " ").split("\n") if line)
        if self.hold_code:
            text += f"\tCode {self.hold_code} Subcode {self.hold_subcode}\n"
        return text

    def attributes(self) -> Attributes:
        made = string("Daemon", self.daemon) + string("ExecuteHost", self.host)
        if self.message:
            made.append(("ErrorMsg", quote(self.message)))
        if not self.critical:
            made.append(("CriticalError", "0"))
        if self.hold_code:
            made.append(("HoldReasonCode", str(self.hold_code)))
            made.append(("HoldReasonSubCode", str(self.hold_subcode)))
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDisconnected(JobEvent):
    """022."""

    number: ClassVar[int] = 22
    my_type: ClassVar[str] = "JobDisconnectedEvent"

    reason: str
    startd_name: str
    startd_addr: str

    def body(self) -> str:
        return (
            "Job disconnected, attempting to reconnect\n"
            f"    {one_line(self.reason)[:8191]}\n"
            f"    Trying to reconnect to {self.startd_name} {self.startd_addr}\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdAddr", quote(self.startd_addr)),
            ("StartdName", quote(self.startd_name)),
            ("DisconnectReason", quote(one_line(self.reason))),
            ("EventDescription", '"Job disconnected, attempting to reconnect"'),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReconnected(JobEvent):
    """023."""

    number: ClassVar[int] = 23
    my_type: ClassVar[str] = "JobReconnectedEvent"

    startd_name: str
    startd_addr: str
    starter_addr: str

    def body(self) -> str:
        return (
            f"Job reconnected to {self.startd_name}\n"
            f"    startd address: {self.startd_addr}\n"
            f"    starter address: {self.starter_addr}\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdAddr", quote(self.startd_addr)),
            ("StartdName", quote(self.startd_name)),
            ("StarterAddr", quote(self.starter_addr)),
            ("EventDescription", '"Job reconnected"'),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReconnectFailed(JobEvent):
    """024."""

    number: ClassVar[int] = 24
    my_type: ClassVar[str] = "JobReconnectFailedEvent"

    reason: str
    startd_name: str

    def body(self) -> str:
        return (
            "Job reconnection failed\n"
            f"    {one_line(self.reason)[:8191]}\n"
            f"    Can not reconnect to {self.startd_name}, rescheduling job\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdName", quote(self.startd_name)),
            ("Reason", quote(one_line(self.reason))),
            ("EventDescription", '"Job reconnect impossible: rescheduling job"'),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAdInformation(JobEvent):
    """028. ``items`` are all attributes (name, ClassAd text); ``event_log.ad_information`` makes them."""

    number: ClassVar[int] = 28
    my_type: ClassVar[str] = "JobAdInformationEvent"

    items: Items

    def body(self) -> str:
        lines = (f"{name} = {value}\n" for name, value in sorted(self.items, key=name_key))
        return "Job ad information event triggered.\n" + "".join(lines)

    def attributes(self) -> Attributes:
        return list(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatusUnknown(JobEvent):
    """029."""

    number: ClassVar[int] = 29

    def body(self) -> str:
        return "The job's remote status is unknown\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatusKnown(JobEvent):
    """030."""

    number: ClassVar[int] = 30

    def body(self) -> str:
        return "The job's remote status is known again\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeUpdate(JobEvent):
    """033. Values as ClassAd text; ``old_value`` None when the attribute was not there."""

    number: ClassVar[int] = 33
    my_type: ClassVar[str] = "AttributeUpdateEvent"

    name: str
    value: str
    old_value: str | None = None

    def body(self) -> str:
        if self.old_value is None:
            return f"Setting job attribute {self.name} to {one_line(self.value)}\n"
        return f"Changing job attribute {self.name} from {one_line(self.old_value)} to {one_line(self.value)}\n"

    def attributes(self) -> Attributes:
        return [("Attribute", quote(self.name)), ("Value", quote(one_line(self.value)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSubmit(JobEvent):
    """035: a cluster with late materialisation; proc is -1."""

    number: ClassVar[int] = 35
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


class Completion(IntEnum):
    """How far a factory came."""

    ERROR = -1
    INCOMPLETE = 0
    COMPLETE = 1
    PAUSED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRemove(JobEvent):
    """036; proc is -1."""

    number: ClassVar[int] = 36
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FactoryPaused(JobEvent):
    """037; proc is -1."""

    number: ClassVar[int] = 37
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FactoryResumed(JobEvent):
    """038; proc is -1."""

    number: ClassVar[int] = 38
    my_type: ClassVar[str] = "FactoryResumedEvent"

    reason: str = ""

    def body(self) -> str:
        return "Job Materialization Resumed\n" + indented("\t", self.reason)

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)


class Transfer(IntEnum):
    """The steps of event 040."""

    INPUT_QUEUED = 1
    INPUT_STARTED = 2
    INPUT_FINISHED = 3
    OUTPUT_QUEUED = 4
    OUTPUT_STARTED = 5
    OUTPUT_FINISHED = 6


TRANSFER_WORDS = ("Entered queue to transfer", "Started transferring", "Finished transferring")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTransfer(JobEvent):
    """040. ``queueing_delay`` in seconds, -1 when not told."""

    number: ClassVar[int] = 40
    my_type: ClassVar[str] = "FileTransferEvent"

    step: Transfer
    queueing_delay: int = -1
    host: str = ""

    def body(self) -> str:
        step = self.step - 1
        text = f"{TRANSFER_WORDS[step % 3]} {'input' if step < 3 else 'output'} files\n"
        if self.queueing_delay != -1:
            text += f"\tSeconds spent in queue: {self.queueing_delay}\n"
        if self.host:
            text += f"\tTransferring to host: {self.host}\n"
        return text

    def attributes(self) -> Attributes:
        made: Attributes = [("Type", str(int(self.step)))]
        if self.queueing_delay != -1:
            made.append(("QueueingDelay", str(self.queueing_delay)))
        return made + string("Host", self.host)


COMMON_FILES_WORDS = {
    "TransferQueued": "Entered queue to transfer common files",
    "TransferStarted": "Started transferring common files",
    "TransferFinished": "Finished transferring common files",
    "WaitStarted": "Started waiting for previous job to transfer common files",
    "WaitFinished": "Finished waitiing for previous job to transfer common files",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonFiles(JobEvent):
    """047. ``type`` is a word, as in ``COMMON_FILES_WORDS``."""

    number: ClassVar[int] = 47
    my_type: ClassVar[str] = "CommonFilesEvent"

    type: str

    def body(self) -> str:
        words = COMMON_FILES_WORDS.get(self.type)
        return f"Common files event: {one_line(self.type)}\n" + (f"\t{words}\n" if words else "")

    def attributes(self) -> Attributes:
        return string("Type", self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataflowJobSkipped(JobEvent):
    """046."""

    number: ClassVar[int] = 46
    my_type: ClassVar[str] = "DataflowJobSkippedEvent"

    reason: str = ""

    def body(self) -> str:
        return "Dataflow job was skipped.\n" + (f"\t{one_line(self.reason)}\n" if self.reason else "")

    def attributes(self) -> Attributes:
        return string("Reason", self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostScriptTerminated(JobEvent):
    """016: the end of a POST script of ``node``, by exit code or by signal. condor_dagman writes it."""

    number: ClassVar[int] = 16
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
        normal = self.return_value is not None
        made: Attributes = [("TerminatedNormally", "true" if normal else "false")]
        if normal:
            made.append(("ReturnValue", str(self.return_value)))
        elif self.signal is not None:
            made.append(("TerminatedBySignal", str(self.signal)))
        return made + string("DAGNodeName", self.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreSkip(JobEvent):
    """034: the PRE script of ``node`` ended with its PRE_SKIP code. condor_dagman writes it."""

    number: ClassVar[int] = 34
    my_type: ClassVar[str] = "PreSkipEvent"

    node: str = ""

    def body(self) -> str:
        return f"PRE script return value is PRE_SKIP value\n    DAG Node: {one_line(self.node)}\n"

    def attributes(self) -> Attributes:
        return string("SkipEventLogNotes", f"DAG Node: {self.node}")
