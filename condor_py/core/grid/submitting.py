"""From the line in front of a resource to its queue."""

from __future__ import annotations

from condor_py.core.grid import following, holding, leaving, resources
from condor_py.core.grid.actions import StageIn, Submit
from condor_py.core.grid.books import Books, Job, Resource
from condor_py.core.grid.events import AdCame, StagedIn, SubmitFailed, Submitted
from condor_py.core.grid.naming import grid_job_id, name_of
from condor_py.core.grid.phases import Phase
from condor_py.lang.classad import quote_string
from condor_py.model.gridsteps import GridStep


def admit(core: Books) -> None:
    """Begins with the jobs that wait, as many as their resources take."""
    for resource in core.resources.values():
        while resource.waiting and not resource.down_since and _takes_more(core, resource):
            job = core.jobs.get(resource.waiting.popleft())
            if job is not None and job.phase is Phase.UNSUBMITTED and job.resource == resource.name:
                begin(core, job)


def _takes_more(core: Books, resource: Resource) -> bool:
    if len(resource.pending) >= core.settings.max_pending_submits:
        return False
    return len(resource.there) < core.settings.submitted_limit(resource.type, resource.name)


def begin(core: Books, job: Job) -> None:
    """A job's turn has come: the queue gets the name that it will have elsewhere, before anybody else does."""
    if job.name:  # somebody had begun, and the look has shown that he did not get far
        core.move(job, Phase.SAVE_SANDBOX_ID)
    else:
        job.attempt += 1
        core.rename(job, name_of(core.settings.pool, job.global_id, job.attempt))
        core.move(job, Phase.SAVE_SANDBOX_ID)
        told = quote_string(grid_job_id(job.resource, job.name, ""))
        number = core.report(job, GridStep.UPDATE, {"GridJobId": told, "GridAttempt": str(job.attempt)})
        core.wait(job, number)
    core.ask_ad(job)


def ad_came(core: Books, event: AdCame) -> None:
    """The ad that a step needs."""
    job = core.jobs.get(event.job)
    if job is None:
        return
    job.asked = False
    if event.ad is None:
        job.gone = True
    if job.phase is Phase.SAVE_SANDBOX_ID:
        job.ad, job.edited = event.ad, False
        go_on(core, job)
    elif job.phase is Phase.TRANSFER_OUTPUT:
        if event.ad is None or job.ending is None:
            leaving.clear(core, job)
        else:
            leaving.bring(core, job, event.ad, job.ending)
    elif job.phase in (Phase.SUBMITTED, Phase.HELD) and event.ad is not None and holding.can(job):
        holding.edited(core, job, event.ad)


def go_on(core: Books, job: Job) -> None:
    """The name is in the queue and the ad is here: the input goes."""
    if job.waits_for or (job.ad is None and not job.gone):
        return
    if not job.wanted or job.ad is None:
        leaving.clear(core, job)
        return
    core.move(job, Phase.TRANSFER_INPUT)
    core.emit(StageIn(job.id, job.resource, job.name, job.ad))


def staged_in(core: Books, event: StagedIn) -> None:
    """The input is there."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.TRANSFER_INPUT:
        return
    if not job.wanted or job.ad is None:
        leaving.clear(core, job)
        return
    job.moved = (event.bytes, event.files)
    core.move(job, Phase.SUBMIT)
    core.emit(Submit(job.id, job.resource, job.name, job.ad))


def submitted(core: Books, event: Submitted) -> None:
    """The remote system has it."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.SUBMIT:
        return
    core.keep_ad(job)
    following.has(core, job, event.remote_id)
    following.catch_up(core, job)
    if job.edited and holding.can(job):  # whatever has become of it meanwhile: only one that is there is edited
        holding.edit(core, job)


def submit_failed(core: Books, event: SubmitFailed) -> None:
    """The remote system did not take it, or did not answer."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.SUBMIT:
        return
    job.ad = None
    if not event.away and event.certain:
        leaving.hold(core, job, event.reason, event.code, event.subcode)
        return
    core.move(job, Phase.START)
    if not event.away:
        job.refusal = event.reason, event.code, event.subcode
        resources.look_now(core, job.resource)
    else:
        resources.down(core, core.resource(job.resource), event.reason)
    following.catch_up(core, job)  # its program has begun, whatever the remote system says
