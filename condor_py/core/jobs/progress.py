"""What a running job's starter tells meanwhile: usage, checkpoints, that its output is on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents, moves, policing, transfers
from condor_py.core.jobs.actions import plus, set_text
from condor_py.core.jobs.events import RunDelayed, RunNotice, RunUpdate
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.lifecycle import memory_records
from condor_py.lang.classad import ClassAd
from condor_py.model.events import Transfer
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

#: What is only ever told to have grown.
_PEAKS = ("ResidentSetSize_RAW", "ImageSize_RAW")


def _record_transfer(core: Books, event: RunUpdate, ad: ClassAd) -> None:
    """A record of what plugins did for a run (kind INPUT, OUTPUT or CHECKPOINT), with a few attributes of the job."""
    kind = event.attributes["TransferClass"].strip('"')
    more = dict(core.settings.transfer_attributes).get(kind, ())
    names = ("ClusterId", "ProcId", "Owner", "RemoteHost", *more)
    core.record_run(kind, event.job, ad, names, tuple(event.attributes.items()))


def updated(core: Books, event: RunUpdate | RunDelayed) -> None:
    """Takes an update of a run that is ours."""
    job, given = event.job, event.attributes
    ad = core.jobs.job(job)
    if ad is None or core.run_of(job, event.claim_id, event.run) is None:
        return
    if isinstance(event, RunDelayed):
        core.out.apply(ad, [set_text(job, name, text) for name, text in given.items()])
        return
    if "TransferClass" in given:
        _record_transfer(core, event, ad)
        return
    policing.note_update(core, job)
    if "CheckpointNumber" in given and given["CheckpointNumber"] != ad.local_text("CheckpointNumber"):
        for step in transfers.OUTPUT_STEPS:
            jobevents.transfer(core, job, ad, step)
        core.out.apply(ad, [plus(job, ad, "NumOutputTransferStarts")])
        given = {name: text for name, text in given.items() if name != "FailedCheckpoint"}
        if "NewlyCommittedTime" in given:
            seconds = int(given.pop("NewlyCommittedTime"))
            given["CommittedTime"] = str(ad.eval_int("CommittedTime", 0) + seconds)
            given["ActivationExecutionDuration"] = str(seconds)
    core.out.apply(ad, [set_text(job, name, text) for name, text in given.items() if name not in _PEAKS])
    queued = given.get("TransferQueued") == "true"
    if "TransferringInput" in given:
        jobevents.transfer(core, job, ad, Transfer.INPUT_QUEUED if queued else Transfer.INPUT_STARTED)
        core.out.apply(ad, [set_text(job, "JobCurrentStartTransferInputDate", str(core.now))])
    elif "TransferringOutput" in given:
        if status_of(ad) == JobStatus.RUNNING:
            moves.move(core, job, ad, JobStatus.TRANSFERRING_OUTPUT)
        jobevents.transfer(core, job, ad, Transfer.OUTPUT_QUEUED if queued else Transfer.OUTPUT_STARTED)
        core.out.apply(ad, [set_text(job, "JobCurrentStartTransferOutputDate", str(core.now))])
    else:
        resident, image = (int(given.get(name, "0")) for name in _PEAKS)
        before = jobevents.size_of(ad)
        core.out.apply(ad, memory_records(job, ad, resident, image, core.settings.rounding))
        jobevents.grown(core, job, ad, before)


def noticed(core: Books, event: RunNotice) -> None:
    """What the starter wants the user to read: event 021."""
    ad = core.jobs.job(event.job)
    if ad is None or core.run_of(event.job, event.claim_id, event.run) is None:
        return
    jobevents.complained(core, event.job, ad, event.text, critical=event.critical)
