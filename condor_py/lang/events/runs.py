"""The events of a run: it starts, grows, transfers files, is suspended, out of reach, and ends.

The methods of the classes are those of ``base.JobEvent``, which says what they do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from condor_py.lang.classad import quote_string
from condor_py.lang.classad.nodes import storage_key
from condor_py.lang.events.base import (
    LONGEST,
    NO_CPU,
    Attributes,
    Common,
    CpuUsage,
    Items,
    JobEvent,
    Lines,
    boolean,
    name_key,
    one_line,
    real,
    resource_table,
    string,
)
from condor_py.model.event_types import JobEventType
from condor_py.model.texts import as_integer

# -- the end of a program, which is a part of several events


def ending_lines(return_value: int | None, signal: int | None, core_file: str) -> str:
    """Return the lines about the end of a program."""
    if return_value is not None:
        return f"\t(1) Normal termination (return value {return_value})\n"
    core = f"(1) Corefile in: {one_line(core_file)}" if core_file else "(0) No core file"
    return f"\t(0) Abnormal termination (signal {signal if signal is not None else -1})\n\t{core}\n"


def ending_attributes(return_value: int | None, signal: int | None, core_file: str) -> Attributes:
    """Return the attributes about the end of a program."""
    made: Attributes = [("TerminatedNormally", boolean(return_value is not None))]
    if return_value is not None and return_value >= 0:
        made.append(("ReturnValue", str(return_value)))
    elif signal is not None:
        made.append(("TerminatedBySignal", str(signal)))
    return made + string("CoreFile", core_file)


def ending(lines: Lines) -> Common:
    """Read how a program ended: return value, or signal and core file."""
    normal = lines.match(r"^\t\(1\) Normal termination \(return value (-?\d+)\)")
    if normal is not None:
        return {"return_value": as_integer(normal[1])}
    signal = lines.match(r"^\t\(0\) Abnormal termination \(signal (\d+)\)")
    core = lines.match(r"^\t\(1\) Corefile in: (.*)")
    return {
        "signal": as_integer(signal[1]) if signal is not None else None,
        "core_file": core[1] if core is not None else "",
    }


def _run_usage(lines: Lines, of: str = "Job") -> Common:
    return {
        "run_remote": lines.usage("Run Remote Usage"),
        "run_local": lines.usage("Run Local Usage"),
        "sent_bytes": lines.bytes(f"Run Bytes Sent By {of}"),
        "received_bytes": lines.bytes(f"Run Bytes Received By {of}"),
    }


# -- the events


@dataclass(slots=True, kw_only=True)
class Execute(JobEvent):
    """Event 001: the program runs. ``props`` are (name, ClassAd text) of the slot: CondorScratchDir, Cpus, Disk, GPUs,
    Memory."""

    number: ClassVar[JobEventType] = JobEventType.EXECUTE
    my_type: ClassVar[str] = "ExecuteEvent"

    host: str
    slot_name: str = ""
    props: Items = ()

    def body(self) -> str:
        return "Job" + self._place()

    def _place(self) -> str:
        """The text behind the first word, or the first two."""
        text = f" executing on host: {one_line(self.host)}\n"
        if self.slot_name:
            text += f"\tSlotName: {one_line(self.slot_name)}\n"
        return text + "".join(f"\t{name} = {value}\n" for name, value in sorted(self.props, key=name_key))

    def attributes(self) -> Attributes:
        made = string("ExecuteHost", self.host) + string("SlotName", self.slot_name)
        if self.props:
            inner = "; ".join(f"{name} = {value}" for name, value in sorted(self.props, key=storage_key))
            made.append(("ExecuteProps", f"[ {inner} ]"))
        return made

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        slot = ""
        props: list[tuple[str, str]] = []
        for line in lines.rest:
            if line.startswith("\tSlotName: "):
                slot = line[11:]
            else:
                name, found, value = line.strip().partition(" = ")
                if found:
                    props.append((name, value))
        host = lines.first.partition(" executing on host: ")[2]
        return cls(host=host, slot_name=slot, props=tuple(props), **common)


@dataclass(slots=True, kw_only=True)
class NodeExecute(Execute):
    """Event 014: the program of a node of a parallel job runs; ``subproc`` is the number of the node."""

    number: ClassVar[JobEventType] = JobEventType.NODE_EXECUTE
    my_type: ClassVar[str] = "NodeExecuteEvent"

    def body(self) -> str:
        return f"Node {self.subproc}" + self._place()

    def attributes(self) -> Attributes:
        return [*Execute.attributes(self), ("Node", str(self.subproc))]


@dataclass(slots=True, kw_only=True)
class ExecutableError(JobEvent):
    """Event 002: the program cannot be executed. ``error_type`` 0: not executable, 1: badly linked."""

    number: ClassVar[JobEventType] = JobEventType.EXECUTABLE_ERROR
    my_type: ClassVar[str] = "ExecutableErrorEvent"

    error_type: int

    def body(self) -> str:
        texts = {0: "Job file not executable.", 1: "Job not properly linked for Condor."}
        return f"({self.error_type}) {texts.get(self.error_type, '[Bad error number.]')}\n"

    def attributes(self) -> Attributes:
        return [("ExecuteErrorType", str(self.error_type))]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        found = re.match(r"\((\d+)\)", lines.first)
        return cls(error_type=as_integer(found[1]) if found is not None else -1, **common)


@dataclass(slots=True, kw_only=True)
class Checkpointed(JobEvent):
    """Event 003: a checkpoint was made. Bytes are those sent for it."""

    number: ClassVar[JobEventType] = JobEventType.CHECKPOINTED
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
            ("RunLocalUsage", quote_string(str(self.run_local))),
            ("RunRemoteUsage", quote_string(str(self.run_remote))),
            ("SentBytes", real(self.sent_bytes)),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(
            run_remote=lines.usage("Run Remote Usage"),
            run_local=lines.usage("Run Local Usage"),
            sent_bytes=lines.bytes("Run Bytes Sent By Job For Checkpoint"),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobEvicted(JobEvent):
    """Event 004: the run was ended from outside. ``requeued``: it ended by itself, and the job goes back to the queue;
    then ``return_value`` or ``signal`` say how.

    ``resources`` are (name, ClassAd text) for the table, see ``resource_table``.
    """

    number: ClassVar[JobEventType] = JobEventType.JOB_EVICTED
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
            text += ending_lines(self.return_value, self.signal, self.core_file)
        if self.reason:
            text += ("\t" if self.requeued else "\tReason: ") + one_line(self.reason) + "\n"
        return text + resource_table(self.resources)

    def attributes(self) -> Attributes:
        made: Attributes = [
            ("Checkpointed", boolean(self.checkpointed)),
            ("RunLocalUsage", quote_string(str(self.run_local))),
            ("RunRemoteUsage", quote_string(str(self.run_remote))),
            ("SentBytes", real(self.sent_bytes)),
            ("ReceivedBytes", real(self.received_bytes)),
            ("TerminatedAndRequeued", boolean(self.requeued)),
        ]
        made += ending_attributes(self.return_value, self.signal, self.core_file)
        made += string("Reason", self.reason)
        if self.code:
            made.append(("ReasonCode", str(self.code)))
        if self.subcode:
            made.append(("ReasonSubCode", str(self.subcode)))
        return made

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        codes = re.search(r" Code (-?\d+) Subcode (-?\d+)", lines.first)
        first = lines.line(0)
        requeued = first == "(0) Job terminated and was requeued"
        reason = lines.match(r"^\tReason: (.*)")
        if requeued:  # the reason has no word in front: it is the first line that is none of the others
            reason = lines.match(r"^\t(?!\(|\t|Partitionable Resources :|   |[\d.]+  -  )(.*)")
        return cls(
            code=as_integer(codes[1]) if codes is not None else 0,
            subcode=as_integer(codes[2]) if codes is not None else 0,
            checkpointed=first == "(1) Job was checkpointed.",
            requeued=requeued,
            reason=reason[1] if reason is not None else "",
            **_run_usage(lines),
            **(ending(lines) if requeued else {}),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobTerminated(JobEvent):
    """Event 005: the job has ended, with ``return_value`` or by ``signal``. ``resources`` as in JobEvicted."""

    number: ClassVar[JobEventType] = JobEventType.JOB_TERMINATED
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
        return "Job terminated.\n" + self._end("Job")

    def _end(self, of: str) -> str:
        """The lines behind the first: the end, and what was used by the ``of`` (Job or Node)."""
        return (
            ending_lines(self.return_value, self.signal, self.core_file)
            + f"\t\t{self.run_remote}  -  Run Remote Usage\n"
            f"\t\t{self.run_local}  -  Run Local Usage\n"
            f"\t\t{self.total_remote}  -  Total Remote Usage\n"
            f"\t\t{self.total_local}  -  Total Local Usage\n"
            f"\t{self.sent_bytes:.0f}  -  Run Bytes Sent By {of}\n"
            f"\t{self.received_bytes:.0f}  -  Run Bytes Received By {of}\n"
            f"\t{self.total_sent_bytes:.0f}  -  Total Bytes Sent By {of}\n"
            f"\t{self.total_received_bytes:.0f}  -  Total Bytes Received By {of}\n" + resource_table(self.resources)
        )

    def attributes(self) -> Attributes:
        made: Attributes = list(self.resources)
        made += ending_attributes(self.return_value, self.signal, self.core_file)
        made += [
            ("RunLocalUsage", quote_string(str(self.run_local))),
            ("RunRemoteUsage", quote_string(str(self.run_remote))),
            ("TotalLocalUsage", quote_string(str(self.total_local))),
            ("TotalRemoteUsage", quote_string(str(self.total_remote))),
            ("SentBytes", real(self.sent_bytes)),
            ("ReceivedBytes", real(self.received_bytes)),
            ("TotalSentBytes", real(self.total_sent_bytes)),
            ("TotalReceivedBytes", real(self.total_received_bytes)),
        ]
        return made

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        of = lines.first.partition(" ")[0]
        return cls(
            total_remote=lines.usage("Total Remote Usage"),
            total_local=lines.usage("Total Local Usage"),
            total_sent_bytes=lines.bytes(f"Total Bytes Sent By {of}"),
            total_received_bytes=lines.bytes(f"Total Bytes Received By {of}"),
            resources=lines.resources(),
            **_run_usage(lines, of),
            **ending(lines),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class NodeTerminated(JobTerminated):
    """Event 015: a node of a parallel job has ended; ``subproc`` is the number of the node."""

    number: ClassVar[JobEventType] = JobEventType.NODE_TERMINATED
    my_type: ClassVar[str] = "NodeTerminatedEvent"

    def body(self) -> str:
        return f"Node {self.subproc} terminated.\n" + self._end("Node")

    def attributes(self) -> Attributes:
        # HTCondor gives both, the one that does not apply as -1.
        other = "TerminatedBySignal" if self.return_value is not None and self.return_value >= 0 else "ReturnValue"
        return [*JobTerminated.attributes(self), (other, "-1"), ("Node", str(self.subproc))]


def _leading(text: str) -> int:
    found = re.match(r"\s*(-?\d+)", text)
    return as_integer(found[1]) if found is not None else 0


@dataclass(slots=True, kw_only=True)
class ImageSize(JobEvent):
    """Event 006: the job has grown. Sizes in KB, memory usage in MB; -1 for unknown."""

    number: ClassVar[JobEventType] = JobEventType.IMAGE_SIZE
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

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(
            size_kb=_leading(lines.after("Image size of job updated: ")),
            memory_usage_mb=lines.number(r"(?<!\d)(\d+)  -  MemoryUsage of job", -1),
            resident_set_size_kb=lines.number(r"(?<!\d)(\d+)  -  ResidentSetSize of job", 0),
            proportional_set_size_kb=lines.number(r"(?<!\d)(\d+)  -  ProportionalSetSize of job", -1),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class ShadowException(JobEvent):
    """Event 007: the run failed on the side of the access point."""

    number: ClassVar[JobEventType] = JobEventType.SHADOW_EXCEPTION
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
            ("Message", quote_string(one_line(self.message))),
            ("SentBytes", real(self.sent_bytes)),
            ("ReceivedBytes", real(self.received_bytes)),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(
            message=lines.line(0),
            sent_bytes=lines.bytes("Run Bytes Sent By Job"),
            received_bytes=lines.bytes("Run Bytes Received By Job"),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobSuspended(JobEvent):
    """Event 010: the processes of the job were stopped."""

    number: ClassVar[JobEventType] = JobEventType.JOB_SUSPENDED
    my_type: ClassVar[str] = "JobSuspendedEvent"

    processes: int

    def body(self) -> str:
        return f"Job was suspended.\n\tNumber of processes actually suspended: {self.processes}\n"

    def attributes(self) -> Attributes:
        return [("NumberOfPIDs", str(self.processes))]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(processes=lines.number(r"actually suspended: (\d+)", 0), **common)


@dataclass(slots=True, kw_only=True)
class JobUnsuspended(JobEvent):
    """Event 011: the processes of the job continue."""

    number: ClassVar[JobEventType] = JobEventType.JOB_UNSUSPENDED
    my_type: ClassVar[str] = "JobUnsuspendedEvent"

    def body(self) -> str:
        return "Job was unsuspended.\n"


@dataclass(slots=True, kw_only=True)
class RemoteError(JobEvent):
    """Event 021: an error (or, not ``critical``, a message) from a daemon. ``message`` may have several lines."""

    number: ClassVar[JobEventType] = JobEventType.REMOTE_ERROR
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
            made.append(("ErrorMsg", quote_string(self.message)))
        if not self.critical:
            made.append(("CriticalError", "0"))
        if self.hold_code:
            made.append(("HoldReasonCode", str(self.hold_code)))
            made.append(("HoldReasonSubCode", str(self.hold_subcode)))
        return made

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        head = re.match(r"(?:Error|Message) from (.*?) on (.*):", lines.first[: lines.first.rfind(":") + 1])
        codes = lines.match(r"^\tCode (-?\d+) Subcode (-?\d+)")
        end = lines.rest.index(codes.string) if codes is not None else None
        message = [line[1:] if line.startswith("\t") else line for line in lines.rest[:end]]
        return cls(
            daemon=head[1] if head is not None else "",
            host=head[2] if head is not None else "",
            message="\n".join(message),
            hold_code=as_integer(codes[1]) if codes is not None else 0,
            hold_subcode=as_integer(codes[2]) if codes is not None else 0,
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobDisconnected(JobEvent):
    """Event 022: the startd is out of reach, and with it the run."""

    number: ClassVar[JobEventType] = JobEventType.JOB_DISCONNECTED
    my_type: ClassVar[str] = "JobDisconnectedEvent"

    reason: str
    startd_name: str
    startd_addr: str

    def body(self) -> str:
        return (
            "Job disconnected, attempting to reconnect\n"
            f"    {one_line(self.reason)[:LONGEST]}\n"
            f"    Trying to reconnect to {one_line(self.startd_name)} {one_line(self.startd_addr)}\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdAddr", quote_string(self.startd_addr)),
            ("StartdName", quote_string(self.startd_name)),
            ("DisconnectReason", quote_string(one_line(self.reason))),
            ("EventDescription", '"Job disconnected, attempting to reconnect"'),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        name, _, address = lines.line(1).removeprefix("Trying to reconnect to ").partition(" ")
        return cls(reason=lines.line(0), startd_name=name, startd_addr=address, **common)


@dataclass(slots=True, kw_only=True)
class JobReconnected(JobEvent):
    """Event 023: the run was found again."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RECONNECTED
    my_type: ClassVar[str] = "JobReconnectedEvent"

    startd_name: str
    startd_addr: str
    starter_addr: str

    def body(self) -> str:
        return (
            f"Job reconnected to {one_line(self.startd_name)}\n"
            f"    startd address: {one_line(self.startd_addr)}\n"
            f"    starter address: {one_line(self.starter_addr)}\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdAddr", quote_string(self.startd_addr)),
            ("StartdName", quote_string(self.startd_name)),
            ("StarterAddr", quote_string(self.starter_addr)),
            ("EventDescription", '"Job reconnected"'),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(
            startd_name=lines.after("Job reconnected to "),
            startd_addr=lines.line(0).removeprefix("startd address: "),
            starter_addr=lines.line(1).removeprefix("starter address: "),
            **common,
        )


@dataclass(slots=True, kw_only=True)
class JobReconnectFailed(JobEvent):
    """Event 024: the run was given up."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RECONNECT_FAILED
    my_type: ClassVar[str] = "JobReconnectFailedEvent"

    reason: str
    startd_name: str

    def body(self) -> str:
        return (
            "Job reconnection failed\n"
            f"    {one_line(self.reason)[:LONGEST]}\n"
            f"    Can not reconnect to {one_line(self.startd_name)}, rescheduling job\n"
        )

    def attributes(self) -> Attributes:
        return [
            ("StartdName", quote_string(self.startd_name)),
            ("Reason", quote_string(one_line(self.reason))),
            ("EventDescription", '"Job reconnect impossible: rescheduling job"'),
        ]

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        name = lines.line(1).removeprefix("Can not reconnect to ").removesuffix(", rescheduling job")
        return cls(reason=lines.line(0), startd_name=name, **common)


class Transfer(IntEnum):
    """The steps of event 040."""

    INPUT_QUEUED = 1
    INPUT_STARTED = 2
    INPUT_FINISHED = 3
    OUTPUT_QUEUED = 4
    OUTPUT_STARTED = 5
    OUTPUT_FINISHED = 6


#: The first line of event 040.
_TRANSFER_LINES = {
    Transfer.INPUT_QUEUED: "Entered queue to transfer input files",
    Transfer.INPUT_STARTED: "Started transferring input files",
    Transfer.INPUT_FINISHED: "Finished transferring input files",
    Transfer.OUTPUT_QUEUED: "Entered queue to transfer output files",
    Transfer.OUTPUT_STARTED: "Started transferring output files",
    Transfer.OUTPUT_FINISHED: "Finished transferring output files",
}
_TRANSFER_STEPS = {line: step for step, line in _TRANSFER_LINES.items()}


@dataclass(slots=True, kw_only=True)
class FileTransfer(JobEvent):
    """Event 040: a step of a transfer of files. ``queueing_delay`` in seconds, -1 for unknown."""

    number: ClassVar[JobEventType] = JobEventType.FILE_TRANSFER
    my_type: ClassVar[str] = "FileTransferEvent"

    step: Transfer
    queueing_delay: int = -1
    host: str = ""

    def body(self) -> str:
        text = f"{_TRANSFER_LINES[self.step]}\n"
        if self.queueing_delay != -1:
            text += f"\tSeconds spent in queue: {self.queueing_delay}\n"
        if self.host:
            text += f"\tTransferring to host: {one_line(self.host)}\n"
        return text

    def attributes(self) -> Attributes:
        made: Attributes = [("Type", str(int(self.step)))]
        if self.queueing_delay != -1:
            made.append(("QueueingDelay", str(self.queueing_delay)))
        return made + string("Host", self.host)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        step = _TRANSFER_STEPS.get(lines.first.strip())
        if step is None:
            return JobEvent(**common)
        host = lines.match(r"^\tTransferring to host: (.*)")
        return cls(
            step=step,
            queueing_delay=lines.number(r"^\tSeconds spent in queue: (-?\d+)", -1),
            host=host[1] if host is not None else "",
            **common,
        )


#: The line behind the type of event 047.
COMMON_FILES_WORDS = {
    "TransferQueued": "Entered queue to transfer common files",
    "TransferStarted": "Started transferring common files",
    "TransferFinished": "Finished transferring common files",
    "WaitStarted": "Started waiting for previous job to transfer common files",
    "WaitFinished": "Finished waitiing for previous job to transfer common files",
}


@dataclass(slots=True, kw_only=True)
class CommonFiles(JobEvent):
    """Event 047: a step of the transfer of common files. ``type`` is a word, as in COMMON_FILES_WORDS."""

    number: ClassVar[JobEventType] = JobEventType.COMMON_FILES
    my_type: ClassVar[str] = "CommonFilesEvent"

    type: str

    def body(self) -> str:
        words = COMMON_FILES_WORDS.get(self.type)
        return f"Common files event: {one_line(self.type)}\n" + (f"\t{words}\n" if words else "")

    def attributes(self) -> Attributes:
        return string("Type", self.type)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(type=lines.first.removeprefix("Common files event:").strip(), **common)
