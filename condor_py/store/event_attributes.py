"""Job events as ads: the attributes of each beyond those that every event has, as (name, ClassAd text)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.lang.classad import quote_string as quote
from condor_py.lang.classad.nodes import storage_key
from condor_py.model.events import (
    AttributeUpdate,
    Checkpointed,
    ClusterRemove,
    ClusterSubmit,
    CommonFiles,
    DataflowJobSkipped,
    ExecutableError,
    Execute,
    FactoryPaused,
    FactoryResumed,
    FileTransfer,
    Generic,
    GridResourceDown,
    GridResourceUp,
    GridSubmit,
    ImageSize,
    JobAborted,
    JobAdInformation,
    JobDisconnected,
    JobEvent,
    JobEvicted,
    JobHeld,
    JobReconnected,
    JobReconnectFailed,
    JobReleased,
    JobSuspended,
    JobTerminated,
    PostScriptTerminated,
    PreSkip,
    RemoteError,
    ShadowException,
    Submit,
)
from condor_py.store.event_parts import one_line

Attributes = list[tuple[str, str]]


def attributes(event: JobEvent) -> Attributes:
    """An event's own attributes."""
    tell = _ATTRIBUTES.get(type(event))
    return [] if tell is None else tell(event)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _real(value: float) -> str:
    return f"{value:.16G}" if value != int(value) else f"{value:.1f}"


def _string(name: str, value: str) -> Attributes:
    """An attribute that is there only when it says something."""
    return [(name, quote(one_line(value)))] if value else []


def _submit(event: Submit) -> Attributes:
    return (
        _string("SubmitHost", event.host)
        + _string("LogNotes", event.log_notes)
        + _string("UserNotes", event.user_notes)
        + _string("Warnings", event.warnings)
        + ([("StructuredNotes", event.structured)] if event.structured else [])
    )


def _execute(event: Execute) -> Attributes:
    made = _string("ExecuteHost", event.host) + _string("SlotName", event.slot_name)
    if event.props:
        inner = "; ".join(f"{name} = {value}" for name, value in sorted(event.props, key=storage_key))
        made.append(("ExecuteProps", f"[ {inner} ]"))
    return made


def _executable_error(event: ExecutableError) -> Attributes:
    return [("ExecuteErrorType", str(event.error_type))]


def _checkpointed(event: Checkpointed) -> Attributes:
    return [
        ("RunLocalUsage", quote(str(event.run_local))),
        ("RunRemoteUsage", quote(str(event.run_remote))),
        ("SentBytes", _real(event.sent_bytes)),
    ]


def _termination_attributes(return_value: int | None, signal: int | None, core_file: str) -> Attributes:
    made: Attributes = [("TerminatedNormally", _bool(return_value is not None))]
    if return_value is not None:
        made.append(("ReturnValue", str(return_value)))
    elif signal is not None:
        made.append(("TerminatedBySignal", str(signal)))
    return made + _string("CoreFile", core_file)


def _job_evicted(event: JobEvicted) -> Attributes:
    made: Attributes = [
        ("Checkpointed", _bool(event.checkpointed)),
        ("RunLocalUsage", quote(str(event.run_local))),
        ("RunRemoteUsage", quote(str(event.run_remote))),
        ("SentBytes", _real(event.sent_bytes)),
        ("ReceivedBytes", _real(event.received_bytes)),
        ("TerminatedAndRequeued", _bool(event.requeued)),
    ]
    made += _termination_attributes(event.return_value, event.signal, event.core_file)
    made += _string("Reason", event.reason)
    if event.code:
        made.append(("ReasonCode", str(event.code)))
    if event.subcode:
        made.append(("ReasonSubCode", str(event.subcode)))
    return made


def _job_terminated(event: JobTerminated) -> Attributes:
    made: Attributes = list(event.resources)
    made += _termination_attributes(event.return_value, event.signal, event.core_file)
    made += [
        ("RunLocalUsage", quote(str(event.run_local))),
        ("RunRemoteUsage", quote(str(event.run_remote))),
        ("TotalLocalUsage", quote(str(event.total_local))),
        ("TotalRemoteUsage", quote(str(event.total_remote))),
        ("SentBytes", _real(event.sent_bytes)),
        ("ReceivedBytes", _real(event.received_bytes)),
        ("TotalSentBytes", _real(event.total_sent_bytes)),
        ("TotalReceivedBytes", _real(event.total_received_bytes)),
    ]
    return made


def _image_size(event: ImageSize) -> Attributes:
    pairs = (
        ("Size", event.size_kb),
        ("MemoryUsage", event.memory_usage_mb),
        ("ResidentSetSize", event.resident_set_size_kb),
        ("ProportionalSetSize", event.proportional_set_size_kb),
    )
    return [(name, str(value)) for name, value in pairs if value >= 0]


def _shadow_exception(event: ShadowException) -> Attributes:
    return [
        ("Message", quote(one_line(event.message))),
        ("SentBytes", _real(event.sent_bytes)),
        ("ReceivedBytes", _real(event.received_bytes)),
    ]


def _generic(event: Generic) -> Attributes:
    return _string("Info", event.info)


def _job_aborted(event: JobAborted) -> Attributes:
    return _string("Reason", event.reason)


def _job_suspended(event: JobSuspended) -> Attributes:
    return [("NumberOfPIDs", str(event.processes))]


def _job_held(event: JobHeld) -> Attributes:
    return [
        *_string("HoldReason", event.reason),
        ("HoldReasonCode", str(event.code)),
        ("HoldReasonSubCode", str(event.subcode)),
    ]


def _job_released(event: JobReleased) -> Attributes:
    return _string("Reason", event.reason)


def _remote_error(event: RemoteError) -> Attributes:
    made = _string("Daemon", event.daemon) + _string("ExecuteHost", event.host)
    if event.message:
        made.append(("ErrorMsg", quote(event.message)))
    if not event.critical:
        made.append(("CriticalError", "0"))
    if event.hold_code:
        made.append(("HoldReasonCode", str(event.hold_code)))
        made.append(("HoldReasonSubCode", str(event.hold_subcode)))
    return made


def _job_disconnected(event: JobDisconnected) -> Attributes:
    return [
        ("StartdAddr", quote(event.startd_addr)),
        ("StartdName", quote(event.startd_name)),
        ("DisconnectReason", quote(one_line(event.reason))),
        ("EventDescription", '"Job disconnected, attempting to reconnect"'),
    ]


def _job_reconnected(event: JobReconnected) -> Attributes:
    return [
        ("StartdAddr", quote(event.startd_addr)),
        ("StartdName", quote(event.startd_name)),
        ("StarterAddr", quote(event.starter_addr)),
        ("EventDescription", '"Job reconnected"'),
    ]


def _job_reconnect_failed(event: JobReconnectFailed) -> Attributes:
    return [
        ("StartdName", quote(event.startd_name)),
        ("Reason", quote(one_line(event.reason))),
        ("EventDescription", '"Job reconnect impossible: rescheduling job"'),
    ]


def _job_ad_information(event: JobAdInformation) -> Attributes:
    return list(event.items)


def _attribute_update(event: AttributeUpdate) -> Attributes:
    return [("Attribute", quote(event.name)), ("Value", quote(one_line(event.value)))]


def _cluster_submit(event: ClusterSubmit) -> Attributes:
    return _string("SubmitHost", event.host) + ([("StructuredNotes", event.structured)] if event.structured else [])


def _cluster_remove(event: ClusterRemove) -> Attributes:
    return [
        *_string("Notes", event.notes),
        ("NextProcId", str(event.next_proc)),
        ("NextRow", str(event.next_row)),
        ("Completion", str(int(event.completion))),
    ]


def _factory_paused(event: FactoryPaused) -> Attributes:
    return [
        *_string("Reason", event.reason),
        ("PauseCode", str(event.pause_code)),
        ("HoldCode", str(event.hold_code)),
    ]


def _factory_resumed(event: FactoryResumed) -> Attributes:
    return _string("Reason", event.reason)


def _file_transfer(event: FileTransfer) -> Attributes:
    made: Attributes = [("Type", str(int(event.step)))]
    if event.queueing_delay != -1:
        made.append(("QueueingDelay", str(event.queueing_delay)))
    return made + _string("Host", event.host)


def _common_files(event: CommonFiles) -> Attributes:
    return _string("Type", event.type)


def _dataflow_job_skipped(event: DataflowJobSkipped) -> Attributes:
    return _string("Reason", event.reason)


def _post_script_terminated(event: PostScriptTerminated) -> Attributes:
    normal = event.return_value is not None
    made: Attributes = [("TerminatedNormally", "true" if normal else "false")]
    if normal:
        made.append(("ReturnValue", str(event.return_value)))
    elif event.signal is not None:
        made.append(("TerminatedBySignal", str(event.signal)))
    return made + _string("DAGNodeName", event.node)


def _pre_skip(event: PreSkip) -> Attributes:
    return _string("SkipEventLogNotes", f"DAG Node: {event.node}")


def _grid_resource(event: GridResourceUp | GridResourceDown) -> Attributes:
    return _string("GridResource", event.resource)


def _grid_submit(event: GridSubmit) -> Attributes:
    return _string("GridResource", event.resource) + _string("GridJobId", event.job_id)


_ATTRIBUTES: dict[type[JobEvent], Callable[[Any], Attributes]] = {
    Submit: _submit,
    Execute: _execute,
    ExecutableError: _executable_error,
    Checkpointed: _checkpointed,
    JobEvicted: _job_evicted,
    JobTerminated: _job_terminated,
    ImageSize: _image_size,
    ShadowException: _shadow_exception,
    Generic: _generic,
    JobAborted: _job_aborted,
    JobSuspended: _job_suspended,
    JobHeld: _job_held,
    JobReleased: _job_released,
    RemoteError: _remote_error,
    JobDisconnected: _job_disconnected,
    JobReconnected: _job_reconnected,
    JobReconnectFailed: _job_reconnect_failed,
    GridResourceUp: _grid_resource,
    GridResourceDown: _grid_resource,
    GridSubmit: _grid_submit,
    JobAdInformation: _job_ad_information,
    AttributeUpdate: _attribute_update,
    ClusterSubmit: _cluster_submit,
    ClusterRemove: _cluster_remove,
    FactoryPaused: _factory_paused,
    FactoryResumed: _factory_resumed,
    FileTransfer: _file_transfer,
    CommonFiles: _common_files,
    DataflowJobSkipped: _dataflow_job_skipped,
    PostScriptTerminated: _post_script_terminated,
    PreSkip: _pre_skip,
}
