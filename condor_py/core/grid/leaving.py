"""The ends of an attempt: its output is brought back, it is cancelled, or it is held."""

from __future__ import annotations

from condor_py.core.grid.actions import Cancel, Clean, StageOut
from condor_py.core.grid.events import CancelFailed, Cancelled, Ending, StagedOut, StageFailed
from condor_py.core.grid.phases import Phase
from condor_py.core.grid.resources import again_later, order
from condor_py.core.grid.state import GridState, Job
from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import GridStep
from condor_py.model.states import HoldCode

#: What a job has only while there is something of it elsewhere.
_OF_ATTEMPT = ("GridJobId", "GridJobStatus", "GridJobWaitReason")


def cancel(core: GridState, job: Job, verdict: str = "") -> None:
    """The remote system is to end it; with a ``verdict`` it is held then."""
    job.verdict = verdict
    for remote_id in job.others:
        core.emit(Cancel(job.id, job.resource, job.name, remote_id))
    core.move(job, Phase.CANCEL)
    order(core, job)


def cancelled(core: GridState, event: Cancelled) -> None:
    """The remote system has ended it."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.CANCEL or event.remote_id != job.remote_id:
        return
    if job.verdict:
        hold(core, job, job.verdict, int(HoldCode.STARTD_HELD_JOB), 0)
    else:
        clear(core, job)


def cancel_failed(core: GridState, event: CancelFailed) -> None:
    """The order did not reach the remote system: send it again. A job that has left the queue waits for nothing."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.CANCEL or event.remote_id != job.remote_id:
        return
    if job.gone:
        clear(core, job)
    else:
        again_later(core, job)


def clear(core: GridState, job: Job) -> None:
    """Nothing of it is left on the remote system; the queue records that."""
    _over(core, job, GridStep.LET_GO)


def hold(core: GridState, job: Job, reason: str, code: int, subcode: int) -> None:
    """The job cannot continue. If its owner has held or removed it meanwhile, that counts instead."""
    if job.wanted:
        _over(core, job, GridStep.HOLD, reason, code, subcode)
    else:
        _over(core, job, GridStep.LET_GO)


def _over(core: GridState, job: Job, step: GridStep, reason: str = "", code: int = 0, subcode: int = 0) -> None:
    core.move(job, Phase.CLEAR_REQUEST)
    core.drop_ad(job)
    if job.gone:
        core.emit(Clean(job.resource, job.name, job.remote_id))
        core.forget(job)
        return
    core.wait(job, core.report(job, step, None, _OF_ATTEMPT, reason=reason, code=code, subcode=subcode))


def bring(core: GridState, job: Job, ad: ClassAd, ending: Ending) -> None:
    """Its output goes to its owner."""
    core.emit(StageOut(job.id, job.resource, job.name, ad, ending))


def stage_failed(core: GridState, event: StageFailed) -> None:
    """Input or output could not be moved."""
    job = core.jobs.get(event.job)
    if job is not None and job.phase in (Phase.TRANSFER_INPUT, Phase.TRANSFER_OUTPUT):
        hold(core, job, event.reason, event.code, event.subcode)


def staged_out(core: GridState, event: StagedOut) -> None:
    """The output is with its owner: the queue records the end. A job that was held or removed meanwhile has not
    ended."""
    job = core.jobs.get(event.job)
    if job is None or job.phase is not Phase.TRANSFER_OUTPUT or job.ending is None:
        return
    if not job.wanted:
        clear(core, job)
        return
    core.move(job, Phase.DONE_SAVE)
    attributes = _result(job.ending)
    attributes["BytesSent"], attributes["BytesRecvd"] = f"{event.bytes}.0", f"{job.moved[0]}.0"
    core.wait(job, core.report(job, GridStep.ENDED, attributes, when=job.ending.ended))


def _result(ending: Ending) -> dict[str, str]:
    """Return the end of a program as attributes of its job."""
    attributes = dict(ending.changes or {})
    attributes["GridJobStatus"] = '"COMPLETED"'
    by_signal = ending.exit_signal is not None
    attributes["ExitBySignal"] = str(by_signal).lower()
    attributes["ExitSignal" if by_signal else "ExitCode"] = str(
        ending.exit_signal if by_signal else ending.exit_code or 0
    )
    attributes["RemoteUserCpu"], attributes["RemoteSysCpu"] = (
        repr(round(x, 6)) for x in (ending.user_cpu, ending.sys_cpu)
    )
    if ending.max_rss_kb:
        attributes["ResidentSetSize"] = str(ending.max_rss_kb)
    if ending.began:
        attributes["JobCurrentStartExecutingDate"] = str(int(ending.began))
    return attributes
