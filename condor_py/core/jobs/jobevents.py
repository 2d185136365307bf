"""The events of a job that its log tells: made of what the core knows, one function an event, and queued as effects.

Functions that say something return nothing; ``tell`` drops what no log wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.jobad import follows, is_gang
from condor_py.core.jobs.lifecycle import resource_names
from condor_py.lang import events
from condor_py.lang.classad import ClassAd, value_text
from condor_py.lang.events import CpuUsage, Items, JobEvent, Transfer
from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport, Usage

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

# The table of resources at the end of a run's event: what was used, asked for and given of each.

#: Resources that every slot has.
_BUILT_IN = frozenset(("cpus", "disk", "memory"))
_Cell = float | str | None


def resource_table(ad: ClassAd) -> Items:
    """The cells that say something, as attributes (``resource_table`` of ``lang/events`` makes the table of them)."""
    attrs = ad.attrs
    units = _units(tuple([attrs[key].name for key in _given(tuple(attrs))]))
    cpus, disk, memory = (ad.eval_int(f"{name}Provisioned", None) for name in ("Cpus", "Disk", "Memory"))
    table: list[tuple[str, str]] = []
    _add(table, "Cpus", cpus, ad.eval_int("RequestCpus", None), ad.eval_real("CpusUsage", None))
    _add(table, "Disk", disk, ad.eval_int("RequestDisk", None), ad.eval_int("DiskUsage_RAW", None))
    _add(table, "Memory", memory, ad.eval_int("RequestMemory", None), ad.eval_int("MemoryUsage", None))
    _add(table, "TimeExecute", None, None, ad.eval_int("ActivationExecutionDuration", None))
    _add(table, "TimeSlotBusy", None, None, ad.eval_int("ActivationDuration", None))
    for name in units:
        request = _whole(ad.eval_real(f"Request{name}", None))
        allocated = _whole(ad.eval_real(f"{name}Provisioned", None))
        _add(table, name, allocated, request, _used(ad, name), ad.text(f"Assigned{name}"))
    for name in units:
        _add(table, f"{name}Memory", None, None, _used(ad, f"{name}Memory"))
    return tuple(table)


@lru_cache(maxsize=256)
def _given(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the lower-case names of attributes that say how much of a resource a job was given."""
    return tuple([key for key in keys if key.endswith("provisioned")])


@lru_cache(maxsize=256)
def _units(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of further resources with rows of their own, from the names of the attributes of what was given."""
    names = [name.removesuffix("Provisioned") for name in given if name.endswith("Provisioned")]
    return "GPUs", *(name for name in names if name.lower() not in _BUILT_IN and name != "GPUs")


def _add(
    table: list[tuple[str, str]],
    name: str,
    allocated: _Cell,
    request: _Cell,
    usage: _Cell,
    assigned: _Cell = None,
) -> None:
    """A row of the table."""
    if allocated is not None:
        table.append((name, str(allocated)))
    if request is not None:
        table.append((f"Request{name}", str(request)))
    if usage is not None:
        table.append((f"{name}Usage", str(usage)))
    if assigned is not None:
        table.append((f"Assigned{name}", str(assigned)))


def _used(ad: ClassAd, name: str) -> float | None:
    """Use of a resource that device monitors measured: the average, else the peak."""
    average = ad.eval_real(f"{name}AverageUsage", None)
    return ad.eval_real(f"{name}Usage", None) if average is None else average


def _whole(value: float | None) -> float | None:
    """An integer where it is one."""
    return int(value) if value is not None and value == int(value) else value


_SCALARS = (bool, int, float, str)
#: Lower-case names of what decides where the submit event of a job goes and what it says,
SUBMIT_NAMES = (
    "userlog", "userlogusexml", "iwd", "dagmannodeslog", "dagmannodesmask", "owner", "osuser", "qdate",
    "submiteventnotes", "submiteventusernotes", "submiteventwarnings", "dagnodename", "jobbatchname",
)  # fmt: skip
#: and of what has it tell of any other attributes.
TELLING_MORE = ("submiteventnotesattrs", "jobadinformationattrs")


def wanted(core: ScheddState, ad: ClassAd) -> bool:
    """Whether a log takes the events of a job: its own, that of its workflow, or the global one (EVENT_LOG)."""
    return core.logs.all_jobs or ad.text("UserLog") is not None or ad.text("DAGManNodesLog") is not None


def tell(core: ScheddState, ad: ClassAd, event: JobEvent) -> None:
    """Queues an event; the ad tells which logs it goes to."""
    if wanted(core, ad):
        core.out.emit(UserEvent(ad, event, (event.proc,)))


def _tell_schedd_too(core: ScheddState, ad: ClassAd, event: JobEvent) -> None:
    """Queue an event that the log of the schedd tells, too, also of jobs without a log."""
    core.out.emit(UserEvent(ad, event, (event.proc,)))


def _ids(core: ScheddState, job: JobId, when: float | None = None) -> dict[str, Any]:
    """Fields that every event has. ``when`` is Unix seconds, None or 0 for now."""
    return {"cluster": job.cluster, "proc": job.proc, "time": when or core.now}


# -- entering the queue and leaving it --------------------------------------------------------------------------------


def submitted(core: ScheddState, job: JobId, ad: ClassAd, when: float | None = None) -> None:
    """000; proc 0 alone has it of the procs of a parallel job."""
    if wanted(core, ad) and not follows(job, ad):
        tell(core, ad, submit_event(job, ad, core.settings.schedd_address, when or core.now))


def submit_event(job: JobId, ad: ClassAd, host: str, when: float) -> events.Submit:
    """The event 000 of a job. ``host`` is the address of the schedd, ``when`` Unix seconds."""
    notes = ad.eval_str("SubmitEventNotes", "")
    return events.Submit(
        cluster=job.cluster,
        proc=job.proc,
        time=when,
        host=host,
        log_notes=notes,
        user_notes=ad.eval_str("SubmitEventUserNotes", ""),
        warnings=ad.eval_str("SubmitEventWarnings", ""),
        structured=_structured(ad, notes),
    )


def _structured(ad: ClassAd, notes: str) -> str:
    """Content of a submit event beyond the job's id: the batch, the node of a DAG, SubmitEventNotesAttrs.

    It takes the place of ``submit_event_notes``. On purpose not as in HTCondor: the name of the batch alone does not,
    for the notes would be lost, by which programs (htmap) tell their jobs apart.
    """
    names = (*split_names(ad.eval_str("SubmitEventNotesAttrs", None)), "DAGNodeName", "JobBatchName")
    found = [(name, ad.evaluate(name)) for name in names]
    items = [(name, f"{name} = {value_text(value)}") for name, value in found if type(value) in _SCALARS]
    if notes and [name for name, _ in items] == ["JobBatchName"]:
        return ""
    return f"[ {'; '.join(text for _, text in items)} ]" if items else ""


def split_names(text: str | None) -> tuple[str, ...]:
    """The words of a list with commas or blanks."""
    return tuple((text or "").replace(",", " ").split())


def cluster_submitted(core: ScheddState, cluster: int, ad: ClassAd) -> None:
    """035: a cluster of late materialization."""
    if wanted(core, ad):
        notes = ad.eval_str("SubmitEventNotes", "")
        event = events.ClusterSubmit(
            **_ids(core, JobId(cluster, -1)),
            host=core.settings.schedd_address,
            log_notes=notes,
            user_notes=ad.eval_str("SubmitEventUserNotes", ""),
            structured=_structured(ad, notes),
        )
        tell(core, ad, event)


def aborted(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """009, with the RemoveReason."""
    _tell_schedd_too(core, ad, events.JobAborted(**_ids(core, job), reason=ad.eval_str("RemoveReason", "")))


def held(core: ScheddState, job: JobId, ad: ClassAd, reason: str, code: int, subcode: int) -> None:
    """012."""
    _tell_schedd_too(core, ad, events.JobHeld(**_ids(core, job), reason=reason, code=code, subcode=subcode))


def released(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """013, with the ReleaseReason."""
    _tell_schedd_too(core, ad, events.JobReleased(**_ids(core, job), reason=ad.eval_str("ReleaseReason", "")))


def attribute_changed(core: ScheddState, job: JobId, ad: ClassAd, name: str, value: str, old_value: str) -> None:
    """033; values are ClassAd text."""
    tell(core, ad, events.AttributeUpdate(**_ids(core, job), name=name, value=value, old_value=old_value))


def generic(core: ScheddState, job: JobId, ad: ClassAd, info: str) -> None:
    """008: a line of the user's own."""
    tell(core, ad, events.Generic(**_ids(core, job), info=info))


# -- a run and its end ------------------------------------------------------------------------------------------------


def executing(
    core: ScheddState,
    job: JobId,
    ad: ClassAd,
    slot: str,
    slot_ad: ClassAd,
    scratch: str = "",
    when: float | None = None,
) -> None:
    """001: the program runs in the directory ``scratch`` of a slot."""
    if wanted(core, ad):
        props = _props(ad, slot_ad, scratch)
        host = core.settings.schedd_address
        tell(core, ad, events.Execute(**_ids(core, job, when), host=host, slot_name=slot, props=props))


def node_executing(
    core: ScheddState, job: JobId, node: int, ad: ClassAd, slot: str, slot_ad: ClassAd, scratch: str, when: float
) -> None:
    """014: a node of a parallel job runs in the directory ``scratch`` of a slot."""
    if wanted(core, ad):
        props = _props(ad, slot_ad, scratch)
        host = core.settings.schedd_address
        tell(
            core, ad, events.NodeExecute(**_ids(core, job, when), subproc=node, host=host, slot_name=slot, props=props)
        )


def node_terminated(core: ScheddState, job: JobId, node: int, ad: ClassAd, report: ExitReport) -> None:
    """015: a node of a parallel job has ended by itself."""
    if wanted(core, ad):
        cpu = CpuUsage(report.usage.user_cpu, report.usage.sys_cpu)
        sent, received = float(report.usage.bytes_sent), float(report.usage.bytes_received)
        event = events.NodeTerminated(
            **_ids(core, job, report.end_time), subproc=node, return_value=report.exit_code,
            signal=report.exit_signal, run_remote=cpu, total_remote=cpu, sent_bytes=sent, received_bytes=received,
            total_sent_bytes=sent, total_received_bytes=received,
        )  # fmt: skip
        tell(core, ad, event)


def executing_elsewhere(core: ScheddState, job: JobId, ad: ClassAd, host: str, when: float | None = None) -> None:
    """001 of a job that runs where this schedd has no slot; ``host`` says where."""
    tell(core, ad, events.Execute(**_ids(core, job, when), host=host))


def _props(ad: ClassAd, slot: ClassAd, scratch: str) -> Items:
    """Properties of the slot in event 001: its resources, and what the job requests (ulog_execute_attrs)."""
    props = list(_slot_properties(slot))
    known, wanted_names = dict(props), split_names(ad.eval_str("UserLogExecuteEventAttrs", None))
    props += [(name, text) for name in wanted_names if (text := slot.text(name)) is not None and name not in known]
    if scratch:
        props.append(("CondorScratchDir", f'"{scratch}"'))
    return tuple(props)


def _slot_properties(slot: ClassAd) -> Iterator[tuple[str, str]]:
    """Amount of each resource of the slot, and properties of its units."""
    for name in resource_names(slot):
        text, listed = slot.text(name), slot.text(f"Available{name}")
        if text is not None:
            yield name, text
        if listed is None:
            continue
        units = slot.evaluate(f"Available{name}")
        if isinstance(units, list) and units:
            yield f"Available{name}", listed
            for unit in listed.strip("{ }").split(","):
                if (about := slot.text(unit.strip())) is not None:
                    yield unit.strip(), about


class Size(NamedTuple):
    """Content of event 006: sizes in KB, memory in MB."""

    size_kb: int
    memory_usage_mb: int
    resident_set_size_kb: int


def size_of(ad: ClassAd) -> Size:
    """The size of a job as its ad has it."""
    rss = ad.eval_int("ResidentSetSize_RAW", 0)
    return Size(ad.eval_int("ImageSize_RAW", 0), (rss + 1023) // 1024, rss)


def grown(core: ScheddState, job: JobId, ad: ClassAd, before: Size, when: float | None = None) -> None:
    """006, if the job's size is not what it was ``before``."""
    size = size_of(ad)
    if size != before:
        tell(core, ad, events.ImageSize(**_ids(core, job, when), **size._asdict()))


def suspended(core: ScheddState, job: JobId, ad: ClassAd, processes: int) -> None:
    """010."""
    tell(core, ad, events.JobSuspended(**_ids(core, job), processes=processes))


def unsuspended(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """011."""
    tell(core, ad, events.JobUnsuspended(**_ids(core, job)))


def transfer(core: ScheddState, job: JobId, ad: ClassAd, step: Transfer, when: float | None = None) -> None:
    """040; the begin of the input, or of its wait, tells where to. Parallel jobs have none: each node has its own
    transfers."""
    if is_gang(ad):
        return
    waited = _seconds_in_queue(ad, step, core.now)
    is_told = step is Transfer.INPUT_QUEUED or (step is Transfer.INPUT_STARTED and waited < 0)
    host = core.settings.schedd_address if is_told else ""
    tell(core, ad, events.FileTransfer(**_ids(core, job, when), step=step, queueing_delay=waited, host=host))


#: The attributes that tell since when a transfer waited that begins.
_QUEUED = {Transfer.INPUT_STARTED: "TransferInQueued", Transfer.OUTPUT_STARTED: "TransferOutQueued"}


def _seconds_in_queue(ad: ClassAd, step: Transfer, now: int) -> int:
    """Return how long a transfer of the present run that begins has waited for its turn; -1 where it has not."""
    since = ad.eval_int(_QUEUED[step], 0) if step in _QUEUED else 0
    return max(0, now - since) if since and since >= ad.eval_int("JobCurrentStartDate", 0) else -1


def common_files(core: ScheddState, job: JobId, ad: ClassAd, step: str, when: float) -> None:
    """047: a step of the staging of a catalog; ``job`` is the number of the staging."""
    tell(core, ad, events.CommonFiles(**_ids(core, job, when), type=step))


def complained(
    core: ScheddState, job: JobId, ad: ClassAd, message: str, code: int = 0, subcode: int = 0, *, critical: bool = True
) -> None:
    """021: what the starter wants the user to read; the codes are those of the hold that follows, 0 for none."""
    host = ad.eval_str("RemoteHost", "")
    event = events.RemoteError(
        **_ids(core, job), daemon="starter", host=host, message=message, critical=critical, hold_code=code,
        hold_subcode=subcode,
    )  # fmt: skip
    tell(core, ad, event)


def _place(ad: ClassAd) -> str:
    """The slot of a run that is out of reach, or was given up."""
    return ad.eval_str("RemoteHost", "") or ad.eval_str("LastRemoteHost", "")


def disconnected(core: ScheddState, job: JobId, ad: ClassAd, reason: str) -> None:
    """022."""
    name, address = _place(ad), core.settings.schedd_address
    tell(core, ad, events.JobDisconnected(**_ids(core, job), reason=reason, startd_name=name, startd_addr=address))


def reconnected(core: ScheddState, job: JobId, ad: ClassAd, slot: str) -> None:
    """023."""
    address = core.settings.schedd_address
    event = events.JobReconnected(**_ids(core, job), startd_name=slot, startd_addr=address, starter_addr=address)
    tell(core, ad, event)


def reconnect_failed(core: ScheddState, job: JobId, ad: ClassAd, reason: str) -> None:
    """024."""
    name = _place(ad)
    tell(core, ad, events.JobReconnectFailed(**_ids(core, job), reason=reason, startd_name=name))


def skipped(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """046."""
    tell(core, ad, events.DataflowJobSkipped(**_ids(core, job)))


def evicted(
    core: ScheddState,
    job: JobId,
    ad: ClassAd,
    usage: Usage | None,
    vacated: tuple[int, int, str],
    *,
    requeued: bool = False,
    table: bool = True,
) -> None:
    """004. ``vacated`` are code, subcode and reason; ``usage`` is that of the run, where it is known; ``table`` tells
    of the slot's resources. ``requeued``: the program has ended, and the job is to run again."""
    if wanted(core, ad):
        code, subcode, reason = vacated
        return_value, signal = _exit(ad)
        event = events.JobEvicted(
            **_ids(core, job),
            code=code,
            subcode=subcode,
            reason=reason,
            requeued=requeued,
            return_value=return_value,
            signal=signal,
            run_remote=_cpu(ad, "Remote"),
            **_run_bytes(ad, usage),
            resources=resource_table(ad) if table else (),
        )
        tell(core, ad, event)


def shadow_exception(core: ScheddState, job: JobId, ad: ClassAd, usage: Usage, reason: str) -> None:
    """007."""
    tell(core, ad, events.ShadowException(**_ids(core, job), message=reason, **_run_bytes(ad, usage)))


def terminated(
    core: ScheddState,
    job: JobId,
    ad: ClassAd,
    usage: Usage | None = None,
    *,
    core_dumped: bool = False,
    table: bool = True,
    when: float | None = None,
) -> events.JobTerminated | None:
    """The event 005 of a job, to be told; None when no log wants it. Arguments as in ``evicted``."""
    if not wanted(core, ad):
        return None
    return_value, signal = _exit(ad)
    return events.JobTerminated(
        **_ids(core, job, when),
        return_value=return_value,
        signal=signal,
        core_file=ad.eval_str("JobCoreFileName", "") if core_dumped else "",
        run_remote=_cpu(ad, "Remote"),
        total_remote=_cpu(ad, "CumulativeRemote"),
        **_run_bytes(ad, usage),
        total_sent_bytes=ad.eval_real("BytesSent", 0.0),
        total_received_bytes=ad.eval_real("BytesRecvd", 0.0),
        resources=resource_table(ad) if table else (),
    )


def grid_submitted(core: ScheddState, job: JobId, ad: ClassAd, when: float | None = None) -> None:
    """027."""
    resource, job_id = ad.eval_str("GridResource", ""), ad.eval_str("GridJobId", "")
    tell(core, ad, events.GridSubmit(**_ids(core, job, when), resource=resource, job_id=job_id))


def grid_resource(core: ScheddState, job: JobId, ad: ClassAd, *, up: bool) -> None:
    """025 and 026."""
    kind = events.GridResourceUp if up else events.GridResourceDown
    tell(core, ad, kind(**_ids(core, job), resource=ad.eval_str("GridResource", "")))


def completed(core: ScheddState, ad: ClassAd, event: events.JobTerminated | None) -> None:
    """005, made by ``terminated``."""
    if event is not None:
        tell(core, ad, event)


def _exit(ad: ClassAd) -> tuple[int | None, int | None]:
    """Exit code and signal of a job, one of them None."""
    if ad.eval_bool("ExitBySignal", False):
        return None, ad.eval_int("ExitSignal", None)
    return ad.eval_int("ExitCode", None), None


def _cpu(ad: ClassAd, prefix: str) -> CpuUsage:
    return CpuUsage(ad.eval_real(f"{prefix}UserCpu", 0.0), ad.eval_real(f"{prefix}SysCpu", 0.0))


def _run_bytes(ad: ClassAd, usage: Usage | None) -> dict[str, Any]:
    """Bytes of the last run: of its ``usage``, else those of all runs, which the ad has."""
    if usage is not None:
        return {"sent_bytes": float(usage.bytes_sent), "received_bytes": float(usage.bytes_received)}
    sent, received = ad.eval_real("BytesSent", 0.0), ad.eval_real("BytesRecvd", 0.0)
    return {"sent_bytes": sent, "received_bytes": received}
