"""Jobs that the remote system has: its reports about them, and the notices of their wrappers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from condor_py.core.grid import holding, leaving, resources
from condor_py.core.grid.actions import Cancel
from condor_py.core.grid.events import Began, Ended, Looked, Seen, Stand
from condor_py.core.grid.naming import grid_job_id
from condor_py.core.grid.phases import Phase
from condor_py.core.grid.state import GridState, Job
from condor_py.lang.classad import quote_string
from condor_py.model.gridjobs import GridStep
from condor_py.model.states import HoldCode

#: Signals by which batch systems end jobs: HUP, INT, KILL, USR1, USR2, TERM, XCPU, XFSZ.
_THEIRS = frozenset((1, 2, 9, 10, 12, 15, 24, 25))
#: Seconds for which the remote system may not know a job, or say that it is over, until its end is reported, or that it
#: waits while it runs; and for which one that has ended by a signal may seem to run.
_PATIENCE = 10
_ENDING_PATIENCE = 60
#: Why the remote system lets a job wait, where that is out of the ordinary. Our own word.
WAIT_REASON = "GridJobWaitReason"
LOST = "Job disappeared from the batch system, and nothing tells how it ended"


def has(core: GridState, job: Job, remote_id: str) -> None:
    """The remote system has a job, under this id."""
    job.remote_id, job.refusal = remote_id, None
    core.move(job, Phase.SUBMITTED)
    job.told = "IDLE"
    attributes = {
        "GridJobId": quote_string(grid_job_id(job.resource, job.name, remote_id, core.now)),
        "GridJobStatus": quote_string(job.told),
        "LastRemoteStatusUpdate": str(core.now),
    }
    core.report(job, GridStep.SUBMITTED, attributes, when=float(core.now))
    resources.follow(core, core.resource(job.resource))


def catch_up(core: GridState, job: Job) -> None:
    """Handle the events that arrived while the job was being submitted."""
    early, job.early = job.early, ()
    for one in early:
        if isinstance(one, Began):
            began(core, one)
        else:
            ended(core, one)
    if not job.wanted:
        holding.unwanted(core, job)


def began(core: GridState, event: Began) -> None:
    """The wrapper has started the program."""
    job = core.jobs.get(event.job)
    if job is None:
        return
    if job.phase is Phase.SUBMIT:
        job.early += (event,)
    elif job.phase is Phase.START:
        has(core, job, event.remote_id)
        if not job.wanted:
            holding.unwanted(core, job)
    if job.phase is not Phase.SUBMITTED:
        return
    job.begun = True
    if event.remote_id:
        _let_others_go(core, job, event.remote_id)
    if event.again:
        _waits(core, job)
    _runs(core, job, event.when, event.host)


def _let_others_go(core: GridState, job: Job, remote_id: str) -> None:
    """It was submitted twice, and this one has begun; the wrapper sees to it that only one ever does."""
    for other in sorted({job.remote_id, *job.others} - {remote_id}):
        core.emit(Cancel(job.id, job.resource, job.name, other))
    job.others = ()
    if remote_id == job.remote_id:
        return
    job.remote_id = remote_id
    grid_job_id_text = quote_string(grid_job_id(job.resource, job.name, remote_id, core.now))
    core.report(job, GridStep.UPDATE, {"GridJobId": grid_job_id_text})


def _waits(core: GridState, job: Job) -> None:
    """It does not run any more, and may run again."""
    if job.running:
        job.running, job.told = False, str(Stand.WAITS)
        core.report(job, GridStep.IDLE, {"GridJobStatus": quote_string(job.told)})


def _runs(core: GridState, job: Job, when: float, host: str = "") -> None:
    if job.running:
        return
    job.running, job.told = True, "RUNNING"
    attributes = {"GridJobStatus": quote_string(job.told), "LastRemoteStatusUpdate": str(core.now)}
    if host:
        attributes["RemoteHost"] = quote_string(host)
    job.waits = ""
    core.report(job, GridStep.RUNNING, attributes, (WAIT_REASON,), when=when)


def ended(core: GridState, event: Ended) -> None:
    """The program has ended. A signal may be how the remote system ends a job: then it is asked first."""
    job = core.jobs.get(event.job)
    if job is None:
        return
    if job.phase is Phase.SUBMIT:
        job.early += (event,)
    if job.phase is not Phase.SUBMITTED:
        return
    _let_others_go(core, job, job.remote_id)
    job.ending = event.ending
    if event.ending.failure:
        code = int(HoldCode.FAILED_TO_CREATE_PROCESS)
        leaving.hold(core, job, event.ending.failure, code, event.ending.failure_errno)
        return
    _runs(core, job, event.ending.began)
    if event.ending.exit_signal in _THEIRS or (event.ending.exit_code or 0) - 128 in _THEIRS:
        core.move(job, Phase.PROBE_ENDED)
        job.missed_since = core.now
        resources.look_now(core, job.resource)
    else:
        _take_output(core, job)


def _take_output(core: GridState, job: Job) -> None:
    core.move(job, Phase.TRANSFER_OUTPUT)
    if job.ad is not None and job.ending is not None:
        leaving.bring(core, job, job.ad, job.ending)
    else:
        core.ask_ad(job)


def looked(core: GridState, event: Looked) -> None:
    """Handle the states of all jobs of a resource. Jobs that were not there yet when the query began are skipped."""
    resource = core.resource(event.resource)
    number = resource.look
    soon = False
    for owner in list(resource.followed):
        job = core.jobs[owner]
        if job.first_look <= number:
            soon |= _SEEN[job.phase](core, job, event.jobs.get(job.name, ()))
        elif job.phase is not Phase.SUBMITTED:
            soon = True
    resources.answered(core, resource)
    if soon:
        resources.look_soon(core, event.resource)


def _start_seen(core: GridState, job: Job, seen: Sequence[Seen]) -> bool:
    """Handle the states of a job that may have been submitted before a restart."""
    if seen:
        has(core, job, seen[0].remote_id)
        if not job.wanted:
            holding.unwanted(core, job)
            return False
        return _submitted_seen(core, job, seen)
    if job.refusal is not None:
        leaving.hold(core, job, *job.refusal)
    elif job.wanted:
        core.move(job, Phase.UNSUBMITTED)
    else:
        leaving.clear(core, job)
    return False


def _submitted_seen(core: GridState, job: Job, seen: Sequence[Seen]) -> bool:
    """Whether the next look should be soon."""
    mine = next((one for one in seen if one.remote_id == job.remote_id), seen[0] if seen else None)
    others = [one.remote_id for one in seen if one is not mine and one.stand in (Stand.WAITS, Stand.HELD)]
    if job.begun or not job.wanted:
        for remote_id in others:
            core.emit(Cancel(job.id, job.resource, job.name, remote_id))
    else:  # any of them may be about to begin
        job.others = tuple(others)
    if mine is None or mine.stand is Stand.OVER:
        return _missed(core, job)
    if mine.stand is Stand.WAITS and job.running and not _lasts(core, job):
        return True
    job.missed_since = 0
    if mine.stand is Stand.STOPPED:
        leaving.hold(core, job, mine.reason, int(HoldCode.STARTD_HELD_JOB), 0)
    elif mine.stand is Stand.HELD and holding.can(job):
        holding.held_there(core, job, mine)
    elif mine.stand is Stand.HELD:
        leaving.cancel(core, job, mine.reason or "held remotely with no hold reason")
    else:
        _stands(core, job, mine)
    return False


def _missed(core: GridState, job: Job) -> bool:
    """The report of its end may still be on its way."""
    if not _lasts(core, job):
        return True
    leaving.hold(core, job, LOST, int(HoldCode.STARTD_HELD_JOB), 0)
    return False


def _lasts(core: GridState, job: Job) -> bool:
    """Whether looks have contradicted the wrapper's notices for so long that they are believed. The answer to a look
    may be older than the notice, and a batch system that was restarted shows jobs as it had saved them, until its nodes
    have reported."""
    job.missed_since = job.missed_since or core.now
    return core.now - job.missed_since >= _PATIENCE


def _stands(core: GridState, job: Job, seen: Seen) -> None:
    if seen.stand in (Stand.RUNS, Stand.SUSPENDED):
        _runs(core, job, float(core.now))
    else:
        _waits(core, job)
    changes = dict(seen.changes or {})
    if job.told != (word := seen.word or str(seen.stand)):
        job.told = word
        changes["GridJobStatus"] = quote_string(job.told)
    waits = seen.reason if seen.stand is Stand.WAITS else ""
    gone = (WAIT_REASON,) if job.waits and not waits else ()
    if waits and job.waits != waits:
        changes[WAIT_REASON] = quote_string(waits)
    job.waits = waits
    if changes or gone:
        changes["LastRemoteStatusUpdate"] = str(core.now)
        core.report(job, GridStep.UPDATE, changes, gone)


def _ended_seen(core: GridState, job: Job, seen: Sequence[Seen]) -> bool:
    """It has ended by a signal: the remote system says whether it was its own."""
    mine = next((one for one in seen if one.remote_id == job.remote_id), None)
    if mine is not None and mine.stand is Stand.STOPPED:
        leaving.hold(core, job, mine.reason, int(HoldCode.STARTD_HELD_JOB), 0)
    elif mine is not None and mine.stand is not Stand.OVER and core.now - job.missed_since < _ENDING_PATIENCE:
        return True
    else:
        _take_output(core, job)
    return False


_SEEN: dict[Phase, Callable[[GridState, Job, Sequence[Seen]], bool]] = {
    Phase.START: _start_seen,
    Phase.SUBMITTED: _submitted_seen,
    Phase.PROBE_ENDED: _ended_seen,
}
