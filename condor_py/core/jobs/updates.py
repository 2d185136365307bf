"""Updates of running jobs by their starters: sizes, usage, transfers, checkpoints and messages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from condor_py.core.jobs import begun, jobevents, moves, policing
from condor_py.core.jobs.actions import plus, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.lifecycle import memory_records
from condor_py.core.jobs.parts import Node
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import Transfer
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunDelayed, RunNotice, RunUpdate
from condor_py.model.record import Change
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: Sizes of which the job's ad keeps the largest.
_PEAKS = ("ResidentSetSize_RAW", "ImageSize_RAW")
_CPU = ("RemoteUserCpu", "RemoteSysCpu")


def _record_transfer(core: ScheddState, event: RunUpdate, ad: ClassAd) -> None:
    """A record of what plugins did for a run (kind INPUT, OUTPUT or CHECKPOINT), with a few attributes of the job."""
    kind = event.attributes["TransferClass"].strip('"')
    more = dict(core.settings.transfer_attributes).get(kind, ())
    names = ("ClusterId", "ProcId", "Owner", "RemoteHost", *more)
    core.record_run(kind, event.job, ad, names, tuple(event.attributes.items()))


def updated(core: ScheddState, event: RunUpdate | RunDelayed) -> None:
    """Handle an update of a run that is ours."""
    job, given = event.job, event.attributes
    ad, node = core.jobs.job(job), core.gangs.of_claim(event.claim)
    if node is not None and isinstance(event, RunUpdate) and _CPU[0] in given and event.run == node.run:
        given = _of_all_nodes(core, node, given)
    if ad is None or core.run_of(job, event.claim, event.run) is None:
        return
    if isinstance(event, RunDelayed):
        core.out.apply(ad, [set_text(job, name, text) for name, text in given.items()])
        return
    if "TransferClass" in given:
        _record_transfer(core, event, ad)
        return
    policing.note_update(core, job)
    if "CheckpointNumber" in given and given["CheckpointNumber"] != ad.local_text("CheckpointNumber"):
        given = _checkpointed(core, job, ad, given)
    core.out.apply(ad, [set_text(job, name, text) for name, text in given.items() if name not in _PEAKS])
    queued = given.get("TransferQueued") == "true"
    if "TransferringInput" in given:
        jobevents.transfer(core, job, ad, Transfer.INPUT_QUEUED if queued else Transfer.INPUT_STARTED)
        core.out.apply(ad, _begun(job, "Input", "In", queued, core.now))
    elif "TransferringOutput" in given:
        if status_of(ad) == JobStatus.RUNNING:
            moves.move(core, job, ad, JobStatus.TRANSFERRING_OUTPUT)
        jobevents.transfer(core, job, ad, Transfer.OUTPUT_QUEUED if queued else Transfer.OUTPUT_STARTED)
        core.out.apply(ad, _begun(job, "Output", "Out", queued, core.now))
    else:
        _note_sizes(core, job, ad, given)


def _begun(job: JobId, direction: str, short: str, queued: bool, now: int) -> Iterator[Change]:
    """A transfer begins, or waits for its turn."""
    yield set_text(job, f"JobCurrentStartTransfer{direction}Date", str(now))
    if queued:
        yield set_text(job, f"Transfer{short}Queued", str(now))


def _checkpointed(core: ScheddState, job: JobId, ad: ClassAd, given: Mapping[str, str]) -> dict[str, str]:
    """Report the transfer of a checkpoint. Return the attributes that the update gives the job."""
    for step in begun.OUTPUT_STEPS:
        jobevents.transfer(core, job, ad, step)
    core.out.apply(ad, [plus(job, ad, "NumOutputTransferStarts")])
    given = {name: text for name, text in given.items() if name != "FailedCheckpoint"}
    if "NewlyCommittedTime" in given:
        seconds = int(given.pop("NewlyCommittedTime"))
        given["CommittedTime"] = str(ad.eval_int("CommittedTime", 0) + seconds)
        given["ActivationExecutionDuration"] = str(seconds)
    return given


def noticed(core: ScheddState, event: RunNotice) -> None:
    """Write a message of the starter to the user: event 021."""
    ad = core.jobs.job(event.job)
    if ad is None or core.run_of(event.job, event.claim, event.run) is None:
        return
    jobevents.complained(core, event.job, ad, event.text, critical=event.critical)


def _note_sizes(core: ScheddState, job: JobId, ad: ClassAd, given: Mapping[str, str]) -> None:
    """Record the sizes of a job, with event 006 if it has grown."""
    resident, image = (int(given.get(name, "0")) for name in _PEAKS)
    before = jobevents.size_of(ad)
    core.out.apply(ad, memory_records(job, ad, resident, image, core.settings.rounding))
    jobevents.grown(core, job, ad, before)


def _of_all_nodes(core: ScheddState, node: Node, given: dict[str, str]) -> dict[str, str]:
    """Return the update of a node with the CPU time of all nodes of its parallel job instead of its own. The update of
    a node other than 0 is applied here: the sizes of the job are those of its largest node."""
    gang, lead = core.gangs.of(node.job.cluster), core.jobs.job(JobId(node.job.cluster, 0))
    if gang is None or lead is None:
        return given
    user, system = (float(given.get(name, "0")) for name in _CPU)
    node.use(user, system)
    total_user = sum(each.cpu[0] for each in gang.nodes)
    total_system = sum(each.cpu[1] for each in gang.nodes)
    cpu = {_CPU[0]: repr(round(total_user, 2)), _CPU[1]: repr(round(total_system, 2))}
    if node.number:
        core.out.apply(lead, [set_text(gang.lead, name, text) for name, text in cpu.items()])
        _note_sizes(core, gang.lead, lead, given)
        policing.note_update(core, gang.lead)
    return {**given, **cpu}
