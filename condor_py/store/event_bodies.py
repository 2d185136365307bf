"""Job events as text: the part behind the time stamp, up to and without the line ``...``. Free text loses its
newlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.model.events import (
    AttributeUpdate,
    Checkpointed,
    ClusterRemove,
    ClusterSubmit,
    CommonFiles,
    Completion,
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
    JobStatusKnown,
    JobStatusUnknown,
    JobSuspended,
    JobTerminated,
    JobUnsuspended,
    PostScriptTerminated,
    PreSkip,
    RemoteError,
    ShadowException,
    Submit,
)
from condor_py.store.event_parts import name_key, one_line, resource_table


def body(event: JobEvent) -> str:
    """The text of an event behind its head line's time stamp."""
    write = _BODIES.get(type(event))
    return "\n" if write is None else write(event)


def _indented(prefix: str, *texts: str) -> str:
    return "".join(f"{prefix}{one_line(text)[:8191]}\n" for text in texts if text)


def _submit(event: Submit) -> str:
    text = f"Job submitted from host: {one_line(event.host)}\n"
    text += _indented("    ", event.structured or event.log_notes, event.user_notes)
    if event.warnings:
        text += (
            "    WARNING: Committed job submission into the queue with the following warning(s): "
            f"{one_line(event.warnings)[:8110]}\n"
        )
    return text


def _execute(event: Execute) -> str:
    text = f"Job executing on host: {one_line(event.host)}\n"
    if event.slot_name:
        text += f"\tSlotName: {one_line(event.slot_name)}\n"
    return text + "".join(f"\t{name} = {value}\n" for name, value in sorted(event.props, key=name_key))


def _executable_error(event: ExecutableError) -> str:
    texts = {0: "Job file not executable.", 1: "Job not properly linked for Condor."}
    return f"({event.error_type}) {texts.get(event.error_type, '[Bad error number.]')}\n"


def _checkpointed(event: Checkpointed) -> str:
    return (
        "Job was checkpointed.\n"
        f"\t{event.run_remote}  -  Run Remote Usage\n"
        f"\t{event.run_local}  -  Run Local Usage\n"
        f"\t{event.sent_bytes:.0f}  -  Run Bytes Sent By Job For Checkpoint\n"
    )


def _termination_lines(return_value: int | None, signal: int | None, core_file: str) -> str:
    if return_value is not None:
        return f"\t(1) Normal termination (return value {return_value})\n"
    core = f"(1) Corefile in: {one_line(core_file)}" if core_file else "(0) No core file"
    return f"\t(0) Abnormal termination (signal {signal if signal is not None else -1})\n\t{core}\n"


def _job_evicted(event: JobEvicted) -> str:
    text = "Job was evicted."
    text += f" Code {event.code} Subcode {event.subcode}\n" if event.code else "\n"
    if event.requeued:
        text += "\t(0) Job terminated and was requeued\n"
    else:
        text += "\t(1) Job was checkpointed.\n" if event.checkpointed else "\t(0) CPU times\n"
    text += (
        f"\t\t{event.run_remote}  -  Run Remote Usage\n"
        f"\t\t{event.run_local}  -  Run Local Usage\n"
        f"\t{event.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
        f"\t{event.received_bytes:.0f}  -  Run Bytes Received By Job\n"
    )
    if event.requeued:
        text += _termination_lines(event.return_value, event.signal, event.core_file)
    if event.reason:
        text += ("\t" if event.requeued else "\tReason: ") + one_line(event.reason) + "\n"
    return text + resource_table(event.resources)


def _job_terminated(event: JobTerminated) -> str:
    return (
        "Job terminated.\n"
        + _termination_lines(event.return_value, event.signal, event.core_file)
        + f"\t\t{event.run_remote}  -  Run Remote Usage\n"
        f"\t\t{event.run_local}  -  Run Local Usage\n"
        f"\t\t{event.total_remote}  -  Total Remote Usage\n"
        f"\t\t{event.total_local}  -  Total Local Usage\n"
        f"\t{event.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
        f"\t{event.received_bytes:.0f}  -  Run Bytes Received By Job\n"
        f"\t{event.total_sent_bytes:.0f}  -  Total Bytes Sent By Job\n"
        f"\t{event.total_received_bytes:.0f}  -  Total Bytes Received By Job\n" + resource_table(event.resources)
    )


def _image_size(event: ImageSize) -> str:
    text = f"Image size of job updated: {event.size_kb}\n"
    if event.memory_usage_mb >= 0:
        text += f"\t{event.memory_usage_mb}  -  MemoryUsage of job (MB)\n"
    if event.resident_set_size_kb >= 0:
        text += f"\t{event.resident_set_size_kb}  -  ResidentSetSize of job (KB)\n"
    if event.proportional_set_size_kb >= 0:
        text += f"\t{event.proportional_set_size_kb}  -  ProportionalSetSize of job (KB)\n"
    return text


def _shadow_exception(event: ShadowException) -> str:
    return (
        f"Shadow exception!\n\t{one_line(event.message)}\n"
        f"\t{event.sent_bytes:.0f}  -  Run Bytes Sent By Job\n"
        f"\t{event.received_bytes:.0f}  -  Run Bytes Received By Job\n"
    )


def _generic(event: Generic) -> str:
    return one_line(event.info) + "\n"


def _job_aborted(event: JobAborted) -> str:
    return "Job was aborted.\n" + (f"\t{one_line(event.reason)}\n" if event.reason else "")


def _job_suspended(event: JobSuspended) -> str:
    return f"Job was suspended.\n\tNumber of processes actually suspended: {event.processes}\n"


def _job_unsuspended(event: JobUnsuspended) -> str:
    return "Job was unsuspended.\n"


def _job_held(event: JobHeld) -> str:
    reason = one_line(event.reason) or "Reason unspecified"
    return f"Job was held.\n\t{reason}\n\tCode {event.code} Subcode {event.subcode}\n"


def _job_released(event: JobReleased) -> str:
    return "Job was released.\n" + (f"\t{one_line(event.reason)}\n" if event.reason else "")


def _remote_error(event: RemoteError) -> str:
    kind = "Error" if event.critical else "Message"
    text = f"{kind} from {one_line(event.daemon)} on {one_line(event.host)}:\n"
    text += "".join(f"\t{line}\n" for line in event.message.replace("\r", " ").split("\n") if line)
    if event.hold_code:
        text += f"\tCode {event.hold_code} Subcode {event.hold_subcode}\n"
    return text


def _job_disconnected(event: JobDisconnected) -> str:
    return (
        "Job disconnected, attempting to reconnect\n"
        f"    {one_line(event.reason)[:8191]}\n"
        f"    Trying to reconnect to {one_line(event.startd_name)} {one_line(event.startd_addr)}\n"
    )


def _job_reconnected(event: JobReconnected) -> str:
    return (
        f"Job reconnected to {one_line(event.startd_name)}\n"
        f"    startd address: {one_line(event.startd_addr)}\n"
        f"    starter address: {one_line(event.starter_addr)}\n"
    )


def _job_reconnect_failed(event: JobReconnectFailed) -> str:
    return (
        "Job reconnection failed\n"
        f"    {one_line(event.reason)[:8191]}\n"
        f"    Can not reconnect to {one_line(event.startd_name)}, rescheduling job\n"
    )


def _job_ad_information(event: JobAdInformation) -> str:
    lines = (f"{name} = {value}\n" for name, value in sorted(event.items, key=name_key))
    return "Job ad information event triggered.\n" + "".join(lines)


def _job_status_unknown(event: JobStatusUnknown) -> str:
    return "The job's remote status is unknown\n"


def _job_status_known(event: JobStatusKnown) -> str:
    return "The job's remote status is known again\n"


def _attribute_update(event: AttributeUpdate) -> str:
    name, value = one_line(event.name), one_line(event.value)
    if event.old_value is None:
        return f"Setting job attribute {name} to {value}\n"
    return f"Changing job attribute {name} from {one_line(event.old_value)} to {value}\n"


def _cluster_submit(event: ClusterSubmit) -> str:
    text = f"Cluster submitted from host: {one_line(event.host)}\n"
    return text + _indented("    ", event.structured or event.log_notes, event.user_notes)


def _cluster_remove(event: ClusterRemove) -> str:
    if event.completion <= Completion.ERROR:
        state = f"Error {int(event.completion)}"
    elif event.completion == Completion.COMPLETE:
        state = "Complete"
    else:
        state = "Paused" if event.completion >= Completion.PAUSED else "Incomplete"
    text = f"Cluster removed\n\tMaterialized {event.next_proc} jobs from {event.next_row} items.\t{state}\n"
    return text + _indented("\t", event.notes)


def _factory_paused(event: FactoryPaused) -> str:
    text = "Job Materialization Paused\n"
    if event.reason or event.pause_code:
        text += f"\t{one_line(event.reason)}\n"
    if event.pause_code:
        text += f"\tPauseCode {event.pause_code}\n"
    if event.hold_code:
        text += f"\tHoldCode {event.hold_code}\n"
    return text


def _factory_resumed(event: FactoryResumed) -> str:
    return "Job Materialization Resumed\n" + _indented("\t", event.reason)


TRANSFER_WORDS = ("Entered queue to transfer", "Started transferring", "Finished transferring")


def _file_transfer(event: FileTransfer) -> str:
    step = event.step - 1
    text = f"{TRANSFER_WORDS[step % 3]} {'input' if step < 3 else 'output'} files\n"
    if event.queueing_delay != -1:
        text += f"\tSeconds spent in queue: {event.queueing_delay}\n"
    if event.host:
        text += f"\tTransferring to host: {one_line(event.host)}\n"
    return text


COMMON_FILES_WORDS = {
    "TransferQueued": "Entered queue to transfer common files",
    "TransferStarted": "Started transferring common files",
    "TransferFinished": "Finished transferring common files",
    "WaitStarted": "Started waiting for previous job to transfer common files",
    "WaitFinished": "Finished waitiing for previous job to transfer common files",
}


def _common_files(event: CommonFiles) -> str:
    words = COMMON_FILES_WORDS.get(event.type)
    return f"Common files event: {one_line(event.type)}\n" + (f"\t{words}\n" if words else "")


def _dataflow_job_skipped(event: DataflowJobSkipped) -> str:
    return "Dataflow job was skipped.\n" + (f"\t{one_line(event.reason)}\n" if event.reason else "")


def _post_script_terminated(event: PostScriptTerminated) -> str:
    how = (
        f"(1) Normal termination (return value {event.return_value})"
        if event.return_value is not None
        else f"(0) Abnormal termination (signal {event.signal if event.signal is not None else -1})"
    )
    named = f"    DAG Node: {one_line(event.node)}\n" if event.node else ""
    return f"POST Script terminated.\n\t{how}\n{named}"


def _pre_skip(event: PreSkip) -> str:
    return f"PRE script return value is PRE_SKIP value\n    DAG Node: {one_line(event.node)}\n"


def _grid_resource(event: GridResourceUp | GridResourceDown) -> str:
    head = "Grid Resource Back Up" if isinstance(event, GridResourceUp) else "Detected Down Grid Resource"
    return f"{head}\n    GridResource: {_named(event.resource)}\n"


def _grid_submit(event: GridSubmit) -> str:
    resource = f"    GridResource: {_named(event.resource)}\n"
    return f"Job submitted to grid resource\n{resource}    GridJobId: {_named(event.job_id)}\n"


def _named(text: str) -> str:
    return one_line(text)[:8191] or "UNKNOWN"


_BODIES: dict[type[JobEvent], Callable[[Any], str]] = {
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
    JobUnsuspended: _job_unsuspended,
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
    JobStatusUnknown: _job_status_unknown,
    JobStatusKnown: _job_status_known,
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
