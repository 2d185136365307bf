"""The events of a job: the content of its event log. The schedd's core makes them, ``store`` writes and reads them.

Free text may have newlines, which a log cannot hold: the writer replaces them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import ClassVar, NamedTuple

from condor_py.model.event_types import JobEventType

#: Pairs of a name and ClassAd text.
Items = tuple[tuple[str, str], ...]


class CpuUsage(NamedTuple):
    """CPU time in seconds; only whole seconds are written."""

    user: float = 0.0
    system: float = 0.0

    def __str__(self) -> str:
        return f"Usr {_duration(int(self.user))}, Sys {_duration(int(self.system))}"


#: No CPU time at all.
NO_CPU = CpuUsage()


@lru_cache(maxsize=4096)
def _duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    return f"{days} {hours:02d}:{rest // 60:02d}:{rest % 60:02d}"


@dataclass(slots=True, kw_only=True)
class JobEvent:
    """The fields that all events have. ``time`` is Unix seconds with fraction; proc -1 means the whole cluster."""

    number: ClassVar[JobEventType] = JobEventType.NONE
    my_type: ClassVar[str] = "FutureEvent"

    cluster: int
    proc: int
    time: float
    subproc: int = 0


@dataclass(slots=True, kw_only=True)
class Submit(JobEvent):
    """000. ``log_notes`` and ``user_notes`` are submit_event_notes and submit_event_user_notes; ``structured``, a
    ClassAd with what else tells jobs apart, takes the place of the former."""

    number: ClassVar[JobEventType] = JobEventType.SUBMIT
    my_type: ClassVar[str] = "SubmitEvent"

    host: str
    log_notes: str = ""
    user_notes: str = ""
    warnings: str = ""
    structured: str = ""


@dataclass(slots=True, kw_only=True)
class Execute(JobEvent):
    """001. ``props`` are (name, ClassAd text) of the slot: CondorScratchDir, Cpus, Disk, GPUs, Memory."""

    number: ClassVar[JobEventType] = JobEventType.EXECUTE
    my_type: ClassVar[str] = "ExecuteEvent"

    host: str
    slot_name: str = ""
    props: Items = ()


@dataclass(slots=True, kw_only=True)
class ExecutableError(JobEvent):
    """002. ``error_type`` 0: not executable, 1: badly linked."""

    number: ClassVar[JobEventType] = JobEventType.EXECUTABLE_ERROR
    my_type: ClassVar[str] = "ExecutableErrorEvent"

    error_type: int


@dataclass(slots=True, kw_only=True)
class Checkpointed(JobEvent):
    """003. Bytes are those sent for the checkpoint."""

    number: ClassVar[JobEventType] = JobEventType.CHECKPOINTED
    my_type: ClassVar[str] = "CheckpointedEvent"

    run_remote: CpuUsage = NO_CPU
    run_local: CpuUsage = NO_CPU
    sent_bytes: float = 0.0


@dataclass(slots=True, kw_only=True)
class JobEvicted(JobEvent):
    """004. ``requeued`` means the job ended and goes back to the queue; then return_value or signal say how.

    ``resources`` are (name, ClassAd text) for the table, see ``store.event_parts.resource_table``.
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


@dataclass(slots=True, kw_only=True)
class JobTerminated(JobEvent):
    """005. ``return_value`` for a normal end, else ``signal``. ``resources`` as in JobEvicted."""

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


@dataclass(slots=True, kw_only=True)
class ImageSize(JobEvent):
    """006. Sizes in KB, memory usage in MB; -1 where unknown."""

    number: ClassVar[JobEventType] = JobEventType.IMAGE_SIZE
    my_type: ClassVar[str] = "JobImageSizeEvent"

    size_kb: int
    memory_usage_mb: int = -1
    resident_set_size_kb: int = -1
    proportional_set_size_kb: int = -1


@dataclass(slots=True, kw_only=True)
class ShadowException(JobEvent):
    """007."""

    number: ClassVar[JobEventType] = JobEventType.SHADOW_EXCEPTION
    my_type: ClassVar[str] = "ShadowExceptionEvent"

    message: str
    sent_bytes: float = 0.0
    received_bytes: float = 0.0


@dataclass(slots=True, kw_only=True)
class Generic(JobEvent):
    """008: free text."""

    number: ClassVar[JobEventType] = JobEventType.GENERIC
    my_type: ClassVar[str] = "GenericEvent"

    info: str


@dataclass(slots=True, kw_only=True)
class JobAborted(JobEvent):
    """009."""

    number: ClassVar[JobEventType] = JobEventType.JOB_ABORTED
    my_type: ClassVar[str] = "JobAbortedEvent"

    reason: str = ""


@dataclass(slots=True, kw_only=True)
class JobSuspended(JobEvent):
    """010."""

    number: ClassVar[JobEventType] = JobEventType.JOB_SUSPENDED
    my_type: ClassVar[str] = "JobSuspendedEvent"

    processes: int


@dataclass(slots=True, kw_only=True)
class JobUnsuspended(JobEvent):
    """011."""

    number: ClassVar[JobEventType] = JobEventType.JOB_UNSUSPENDED
    my_type: ClassVar[str] = "JobUnsuspendedEvent"


@dataclass(slots=True, kw_only=True)
class JobHeld(JobEvent):
    """012. Codes are HoldReasonCode and HoldReasonSubCode."""

    number: ClassVar[JobEventType] = JobEventType.JOB_HELD
    my_type: ClassVar[str] = "JobHeldEvent"

    reason: str = ""
    code: int = 0
    subcode: int = 0


@dataclass(slots=True, kw_only=True)
class JobReleased(JobEvent):
    """013."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RELEASED
    my_type: ClassVar[str] = "JobReleaseEvent"

    reason: str = ""


@dataclass(slots=True, kw_only=True)
class RemoteError(JobEvent):
    """021: an error (or, not ``critical``, a message) from a daemon. ``message`` may have several lines."""

    number: ClassVar[JobEventType] = JobEventType.REMOTE_ERROR
    my_type: ClassVar[str] = "RemoteErrorEvent"

    daemon: str
    host: str
    message: str
    critical: bool = True
    hold_code: int = 0
    hold_subcode: int = 0


@dataclass(slots=True, kw_only=True)
class JobDisconnected(JobEvent):
    """022."""

    number: ClassVar[JobEventType] = JobEventType.JOB_DISCONNECTED
    my_type: ClassVar[str] = "JobDisconnectedEvent"

    reason: str
    startd_name: str
    startd_addr: str


@dataclass(slots=True, kw_only=True)
class JobReconnected(JobEvent):
    """023."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RECONNECTED
    my_type: ClassVar[str] = "JobReconnectedEvent"

    startd_name: str
    startd_addr: str
    starter_addr: str


@dataclass(slots=True, kw_only=True)
class JobReconnectFailed(JobEvent):
    """024."""

    number: ClassVar[JobEventType] = JobEventType.JOB_RECONNECT_FAILED
    my_type: ClassVar[str] = "JobReconnectFailedEvent"

    reason: str
    startd_name: str


@dataclass(slots=True, kw_only=True)
class GridResourceUp(JobEvent):
    """025: the resource of a grid job answers again."""

    number: ClassVar[JobEventType] = JobEventType.GRID_RESOURCE_UP
    my_type: ClassVar[str] = "GridResourceUpEvent"

    resource: str


@dataclass(slots=True, kw_only=True)
class GridResourceDown(JobEvent):
    """026: the resource of a grid job does not answer."""

    number: ClassVar[JobEventType] = JobEventType.GRID_RESOURCE_DOWN
    my_type: ClassVar[str] = "GridResourceDownEvent"

    resource: str


@dataclass(slots=True, kw_only=True)
class GridSubmit(JobEvent):
    """027: a remote system has taken a job, under ``job_id`` (GridJobId)."""

    number: ClassVar[JobEventType] = JobEventType.GRID_SUBMIT
    my_type: ClassVar[str] = "GridSubmitEvent"

    resource: str
    job_id: str


@dataclass(slots=True, kw_only=True)
class JobAdInformation(JobEvent):
    """028. ``items`` are all attributes (name, ClassAd text); ``store.event_log.ad_information`` makes them."""

    number: ClassVar[JobEventType] = JobEventType.JOB_AD_INFORMATION
    my_type: ClassVar[str] = "JobAdInformationEvent"

    items: Items


@dataclass(slots=True, kw_only=True)
class JobStatusUnknown(JobEvent):
    """029."""

    number: ClassVar[JobEventType] = JobEventType.JOB_STATUS_UNKNOWN


@dataclass(slots=True, kw_only=True)
class JobStatusKnown(JobEvent):
    """030."""

    number: ClassVar[JobEventType] = JobEventType.JOB_STATUS_KNOWN


@dataclass(slots=True, kw_only=True)
class AttributeUpdate(JobEvent):
    """033. Values as ClassAd text; ``old_value`` None when the attribute was not there."""

    number: ClassVar[JobEventType] = JobEventType.ATTRIBUTE_UPDATE
    my_type: ClassVar[str] = "AttributeUpdateEvent"

    name: str
    value: str
    old_value: str | None = None


@dataclass(slots=True, kw_only=True)
class ClusterSubmit(JobEvent):
    """035: a cluster with late materialisation; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.CLUSTER_SUBMIT
    my_type: ClassVar[str] = "ClusterSubmitEvent"

    host: str
    log_notes: str = ""
    user_notes: str = ""
    structured: str = ""


class Completion(IntEnum):
    """The progress of a factory."""

    ERROR = -1
    INCOMPLETE = 0
    COMPLETE = 1
    PAUSED = 2


@dataclass(slots=True, kw_only=True)
class ClusterRemove(JobEvent):
    """036; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.CLUSTER_REMOVE
    my_type: ClassVar[str] = "ClusterRemoveEvent"

    next_proc: int
    next_row: int
    completion: int = Completion.COMPLETE
    notes: str = ""


@dataclass(slots=True, kw_only=True)
class FactoryPaused(JobEvent):
    """037; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.FACTORY_PAUSED
    my_type: ClassVar[str] = "FactoryPausedEvent"

    reason: str = ""
    pause_code: int = 0
    hold_code: int = 0


@dataclass(slots=True, kw_only=True)
class FactoryResumed(JobEvent):
    """038; proc is -1."""

    number: ClassVar[JobEventType] = JobEventType.FACTORY_RESUMED
    my_type: ClassVar[str] = "FactoryResumedEvent"

    reason: str = ""


class Transfer(IntEnum):
    """The steps of event 040."""

    INPUT_QUEUED = 1
    INPUT_STARTED = 2
    INPUT_FINISHED = 3
    OUTPUT_QUEUED = 4
    OUTPUT_STARTED = 5
    OUTPUT_FINISHED = 6


@dataclass(slots=True, kw_only=True)
class FileTransfer(JobEvent):
    """040. ``queueing_delay`` in seconds, -1 when unknown."""

    number: ClassVar[JobEventType] = JobEventType.FILE_TRANSFER
    my_type: ClassVar[str] = "FileTransferEvent"

    step: Transfer
    queueing_delay: int = -1
    host: str = ""


@dataclass(slots=True, kw_only=True)
class CommonFiles(JobEvent):
    """047. ``type`` is a word, as in ``store.event_bodies.COMMON_FILES_WORDS``."""

    number: ClassVar[JobEventType] = JobEventType.COMMON_FILES
    my_type: ClassVar[str] = "CommonFilesEvent"

    type: str


@dataclass(slots=True, kw_only=True)
class DataflowJobSkipped(JobEvent):
    """046."""

    number: ClassVar[JobEventType] = JobEventType.DATAFLOW_JOB_SKIPPED
    my_type: ClassVar[str] = "DataflowJobSkippedEvent"

    reason: str = ""


@dataclass(slots=True, kw_only=True)
class PostScriptTerminated(JobEvent):
    """016: the end of a POST script of ``node``, by exit code or by signal. condor_dagman writes it."""

    number: ClassVar[JobEventType] = JobEventType.POST_SCRIPT_TERMINATED
    my_type: ClassVar[str] = "PostScriptTerminatedEvent"

    node: str = ""
    return_value: int | None = None
    signal: int | None = None


@dataclass(slots=True, kw_only=True)
class PreSkip(JobEvent):
    """034: the PRE script of ``node`` ended with its PRE_SKIP code. condor_dagman writes it."""

    number: ClassVar[JobEventType] = JobEventType.PRESKIP
    my_type: ClassVar[str] = "PreSkipEvent"

    node: str = ""
