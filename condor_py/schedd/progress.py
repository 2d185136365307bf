"""What a running job's starter tells meanwhile: usage, checkpoints, that its output is on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.model.events import Transfer
from condor_py.model.states import JobStatus
from condor_py.schedd import finish, jobevents, moves, notify, policing, review, staging
from condor_py.schedd.actions import delete, plus, set_text
from condor_py.schedd.events import RunDelayed, RunNotice, RunStarted, RunUpdate
from condor_py.schedd.jobad import status_of
from condor_py.schedd.lifecycle import executing_records, input_records, memory_records
from condor_py.schedd.state import is_local

if TYPE_CHECKING:
    from condor_py.schedd.books import Books

#: What is only ever told to have grown.
_PEAKS = ("ResidentSetSize_RAW", "ImageSize_RAW")


def _record_transfer(core: Books, event: RunUpdate, ad: ClassAd) -> None:
    """A record of what plugins did for a run (kind INPUT, OUTPUT or CHECKPOINT), with a few attributes of the job."""
    kind = event.attributes["TransferClass"].strip('"')
    more = dict(core.settings.transfer_attributes).get(kind, ())
    names = ("ClusterId", "ProcId", "Owner", "RemoteHost", *more)
    core.record_run(kind, event.job, ad, names, event.attributes.items())


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
        for step in finish.OUTPUT_STEPS:
            jobevents.transfer(core, job, ad, step)
        core.out.apply(ad, [plus(job, ad, "NumOutputTransferStarts")])
        given = {name: text for name, text in given.items() if name != "FailedCheckpoint"}
        if "NewlyCommittedTime" in given:
            seconds = int(given.pop("NewlyCommittedTime"))
            given["CommittedTime"] = str(ad.eval_int("CommittedTime", 0) + seconds)
            given["ActivationExecutionDuration"] = str(seconds)
    core.out.apply(ad, [set_text(job, name, text) for name, text in given.items() if name not in _PEAKS])
    if "TransferringInput" in given:
        jobevents.transfer(core, job, ad, Transfer.INPUT_STARTED)
        core.out.apply(ad, [set_text(job, "JobCurrentStartTransferInputDate", str(core.now))])
        return
    if "TransferringOutput" in given:
        if status_of(ad) == JobStatus.RUNNING:
            moves.move(core, job, ad, JobStatus.TRANSFERRING_OUTPUT)
        jobevents.transfer(core, job, ad, Transfer.OUTPUT_STARTED)
        core.out.apply(ad, [set_text(job, "JobCurrentStartTransferOutputDate", str(core.now))])
        return
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


def started(core: Books, event: RunStarted) -> None:
    """The program of a run was executed; to be told once."""
    run = core.run_of(event.job, event.claim_id, event.run)
    ad = core.jobs.job(event.job)
    if run is None or ad is None or run.executing:
        return
    run.executing = True
    if ad.local_text("NumJobCoolDowns") is not None:
        core.out.apply(ad, [delete(event.job, "NumJobCoolDowns"), delete(event.job, "JobCoolDownExpiration")])
    core.counters.started += 1
    claim = core.claims[run.claim_id]
    core.out.apply(ad, executing_records(event.job, ad, event))
    if run.common:
        staging.mapped(core, event.job, ad)
    core.out.apply(ad, input_records(event.job, ad, event.transfer))
    finish.transfer_events(core, event.job, ad, finish.INPUT_STEPS, event.transfer)
    if is_local(event.claim_id):
        jobevents.executing(core, event.job, ad, "", ClassAd(), "", event.when)
    else:
        jobevents.executing(core, event.job, ad, claim.info.slot, claim.info.slot_ad, event.scratch, event.when)
    notify.started(core, event.job, ad)
    if verb := ad.eval_str("RunCommand", None):
        review.command(core, event.job, ad, verb)
