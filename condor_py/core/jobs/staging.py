"""Common files of jobs: staged once for the machine, in a data slot, and mapped into every job that needs them.

The first job that needs a catalog which no job has staged gives its slot for it: the slot becomes a data slot that
fetches the files, and the job is Blocked until it has another slot. Jobs that get a slot meanwhile keep it, Blocked as
well. The data slot is given back when no job has needed it for a while (KEEP_DATA_CLAIM_IDLE). A failure
leaves no job Blocked: they are idle again, and each job of a cluster whose files could not be staged fetches its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.core.jobs import jobevents, moves
from condor_py.core.jobs.actions import set_text
from condor_py.core.jobs.effects import RunRecord, ShadowNote, StageFiles
from condor_py.core.jobs.jobad import status_of, submitter_of
from condor_py.core.jobs.parts import Claim, ClaimInfo, Stage, is_local
from condor_py.lang.classad import ClassAd
from condor_py.model.catalogs import Catalog, catalogs_of
from condor_py.model.commonfiles import (
    CATALOGS,
    COMMON_FILES,
    DAG,
    ENCRYPTED,
    FINISHED,
    STARTED,
    asked_by,
    staging_id,
)
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Acknowledge
from condor_py.model.messages.runs import StagingStep
from condor_py.model.record import SET, Change
from condor_py.model.report import ExitReport
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: What a cluster has whose common files could not be staged: its jobs fetch them themselves.
FAILED = "CommonTransferFailed"
#: A staging that is lost so often, without a word why, has failed.
_MOST_LOSSES = 3
#: The least that HasCommonFilesTransfer must say.
_VERSION = 2
_DYNAMIC = re.compile(r"_\d+(?=@|\Z)")


def common(core: ScheddState, job: JobId, ad: ClassAd, claim: Claim) -> tuple[str, ...] | None:
    """The catalogs that are to be mapped into a job that starts on ``claim``, by key; () when it fetches whatever it
    needs itself. None when it cannot start yet: it is Blocked, and the claim is taken."""
    catalogs = _wanted(core, job, ad, claim)
    if not catalogs:
        return ()
    missing = tuple(one for one in catalogs if one.key not in core.stagings.providers)
    if missing:
        _stage(core, job, ad, claim, missing)
        return None
    if not all(core.stagings.has(one.key) for one in catalogs):
        _block(core, job, ad, claim.info.claim_id)
        claim.reserve(job)
        return None
    core.stagings.waiting.pop(job, None)
    claim.free()
    return tuple(one.key for one in catalogs)


def _wanted(core: ScheddState, job: JobId, ad: ClassAd, claim: Claim) -> tuple[Catalog, ...]:
    """The job's catalogs, if it may share them on this slot."""
    if ad.text(COMMON_FILES) is None and ad.text(CATALOGS) is None:
        return ()
    slot = claim.info.slot_ad
    if core.settings.forbid_common_files or is_local(claim.info.claim_id):
        return ()
    if slot.eval_int("HasCommonFilesTransfer", 0) < _VERSION or slot.eval_str("SlotType", "") != "Dynamic":
        return ()
    if _family(core, job, ad)[1].eval_int(FAILED, 0):
        return ()
    return _of(job, ad)


def _of(job: JobId, ad: ClassAd) -> tuple[Catalog, ...]:
    return catalogs_of(ad.eval_str, job.cluster, ad.eval_int(DAG, None), ad.eval_bool(ENCRYPTED, False))


def _family(core: ScheddState, job: JobId, ad: ClassAd) -> tuple[int, ClassAd]:
    """Cluster that shares the job's files: that of its DAGMan job, if present and of the same owner, else its own."""
    dag = ad.eval_int(DAG, 0)
    above = core.jobs.cluster(dag) if dag > 0 else None
    if above is not None and above.eval_str("Owner", "") == ad.eval_str("Owner", None):
        return dag, above
    return job.cluster, core.jobs.cluster(job.cluster) or ad


# -- jobs that wait ------------------------------------------------------------------------------------------------


def _block(core: ScheddState, job: JobId, ad: ClassAd, claim_id: str) -> None:
    core.idle.discard((job,))
    core.stagings.waiting[job] = claim_id
    if status_of(ad) != JobStatus.BLOCKED:
        moves.move(core, job, ad, JobStatus.BLOCKED)


def left(core: ScheddState, job: JobId) -> None:
    """A job waits no more: its claim is free for the next."""
    claim = core.claims.get(core.stagings.waiting.pop(job, ""))
    if claim is not None:
        claim.free()


def _unblock(core: ScheddState, jobs: Iterable[JobId]) -> None:
    """Blocked jobs are idle again; with the claims that they keep they are tried at once."""
    for job in jobs:
        left(core, job)
        ad = core.jobs.job(job)
        if ad is not None and status_of(ad) == JobStatus.BLOCKED:
            moves.to_idle(core, job, ad)


def _needs(core: ScheddState, job: JobId, keys: Iterable[str]) -> bool:
    ad = core.jobs.job(job)
    if ad is None:
        return False
    own = {one.key for one in _of(job, ad)}
    return not own.isdisjoint(keys)


# -- data slots ----------------------------------------------------------------------------------------------------


def _stage(core: ScheddState, job: JobId, ad: ClassAd, claim: Claim, catalogs: tuple[Catalog, ...]) -> None:
    """The claim becomes a data slot for ``catalogs``."""
    claim_id = claim.info.claim_id
    keys = tuple(one.key for one in catalogs)
    core.stagings.stages[claim_id] = Stage(claim_id, job, keys, needed_at=core.now)
    core.stagings.providers.update(dict.fromkeys(keys, claim_id))
    _block(core, job, ad, "")
    claim.reserve(staging_id(job))
    core.record_run("SPAWN", staging_id(job), ad, core.spawn_names)
    core.out.emit(ShadowNote(staging_id(job), f"Request to run on {_data_slot(claim.info.slot)} was ACCEPTED"))
    core.out.emit(StageFiles(claim_id, job, catalogs))


def _data_slot(name: str) -> str:
    """Name of a slot while it is a data slot."""
    return re.sub(r"\A\D*", "data", name)


def _asker(core: ScheddState, claim_id: str) -> tuple[JobId, ClassAd] | None:
    """The job that gave its slot for a data slot, as long as it is in the queue."""
    stage = core.stagings.stages.get(claim_id)
    job = None if stage is None else stage.asked_by
    ad = None if job is None else core.jobs.job(job)
    return None if job is None or ad is None else (job, ad)


def step(core: ScheddState, event: StagingStep) -> None:
    """A catalog begins to come, or has come or failed to: event COMMON_FILES, and a record of what was moved."""
    if (asker := _asker(core, event.claim)) is None:
        return
    job, ad = asker
    number = staging_id(job)
    jobevents.common_files(core, number, ad, event.step, event.when)
    if event.step == STARTED:
        lines = ["Starting common files transfer.", "Sending (job setup) guidance with command StageCommonFiles"]
    else:
        lines = [f"Finished common files transfer: {'success' if event.ok else 'failure'}."]
        if event.ok:
            lines.append(f"Staging successful, calling ready({event.path})")
    for line in lines:
        core.out.emit(ShadowNote(number, line))
    if event.step == FINISHED and core.logs.runs and event.attributes:
        items = {"ClusterId": str(job.cluster), "ProcId": str(number.proc), "NumShadowStarts": "1"}
        items.update({name: text for name in ("Owner", "GlobalJobId") if (text := ad.text(name)) is not None})
        items.update(event.attributes)
        core.out.emit(RunRecord("COMMON", number, 0, ad.eval_str("Owner", ""), tuple(items.items())))


def came(core: ScheddState, claim_id: str) -> list[tuple[JobId, ClassAd, Claim]]:
    """All catalogs of a data slot are there: who waits for them with a claim, and can start."""
    stage = core.stagings.stages.get(claim_id)
    if stage is None:
        return []
    stage.staged, stage.needed_at = True, core.now
    for key in stage.keys:
        core.stagings.losses.pop(key, None)
    found = []
    for job, kept_id in core.stagings.waiting.items():
        kept, ad = core.claims.get(kept_id), core.jobs.job(job)
        if kept is not None and ad is not None and _needs(core, job, stage.keys):
            found.append((job, ad, kept))
    return found


def ask_again(core: ScheddState, claim_id: str) -> None:
    """The job that gave its slot, which has all its files now, asks for another with what the data slot does not
    need."""
    asker = _asker(core, claim_id)
    if asker is None or core.stagings.waiting.get(asker[0]) != "":
        return
    job, ad = asker
    slot = _DYNAMIC.sub("", core.claims[claim_id].info.slot)
    del core.stagings.waiting[job]
    if status_of(ad) == JobStatus.BLOCKED:
        moves.move(core, job, ad, JobStatus.IDLE)
        core.ask_slot(job, slot, submitter_of(ad, core.settings.submitter_domain))


def is_of_staging(report: ExitReport) -> bool:
    """Whether a report is of a data slot, and of no job."""
    return ".-" in report.job


def ended(core: ScheddState, report: ExitReport) -> None:
    """Takes the report of a data slot."""
    core.out.emit(Acknowledge(report.claim_id, report.job, report.run))
    stage = core.stagings.stages.get(report.claim_id)
    if stage is None:
        return
    why = report.hold_reason or report.error
    if (asker := _asker(core, report.claim_id)) is not None:
        job, ad = asker
        if report.hold_code and not stage.staged:
            _failed(core, job, ad)
        if why:
            core.out.emit(ShadowNote(staging_id(job), f"common file transfer failed, aborting job: {why}"))
        core.out.emit(ShadowNote(staging_id(job), _exiting(112 if report.hold_code else 107)))
        core.record_run("EPOCH", staging_id(job), ad)
    gone(core, report.claim_id)
    core.give_back(core.claims[report.claim_id])


def _exiting(status: int) -> str:
    return f"**** condor_shadow (condor_SHADOW) EXITING WITH STATUS {status}"


def run_over(core: ScheddState, job: JobId, status: int = 100) -> None:
    """Tells SHADOW_LOG that a run with common files is over."""
    core.out.emit(ShadowNote(job, _exiting(status)))


def _failed(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """From now on every job that would share these files fetches its own, and is held if that fails as well."""
    cluster, above = _family(core, job, ad)
    above.set_text(FAILED, "1")
    core.out.queue([Change(SET, f"0{cluster}.-1", FAILED, "1")])


def lost(core: ScheddState, claim_id: str) -> None:
    """A claim is gone without a word: one that a job waited on, or a data slot, which the startd took, or whose starter
    died."""
    _unblock(core, [job for job, kept in core.stagings.waiting.items() if kept == claim_id])
    stage = core.stagings.stages.get(claim_id)
    if stage is None:
        return
    if (asker := _asker(core, claim_id)) is not None:
        job, ad = asker
        core.out.emit(ShadowNote(staging_id(job), _exiting(107)))
        if not stage.staged:
            losses = [core.stagings.losses.get(key, 0) + 1 for key in stage.keys]
            core.stagings.losses.update(zip(stage.keys, losses, strict=True))
            if max(losses) >= _MOST_LOSSES:
                _failed(core, job, ad)
    gone(core, claim_id)


def gone(core: ScheddState, claim_id: str) -> None:
    """A data slot is gone: no job gets its files or waits for them any more."""
    stage = core.stagings.stages.pop(claim_id, None)
    if stage is None:
        return
    for key in stage.keys:
        if core.stagings.providers.get(key) == claim_id:
            del core.stagings.providers[key]
    waiting = core.stagings.waiting
    _unblock(core, [job for job in waiting if _needs(core, job, stage.keys)])


def look(core: ScheddState) -> None:
    """Data slots that no job has needed for a while are given back."""
    for stage in list(core.stagings.stages.values()):
        if not stage.staged or _is_needed(core, stage):
            stage.needed_at = core.now
        elif core.now - stage.needed_at >= core.settings.keep_data_claim_idle:
            _give_back(core, stage)


def _give_back(core: ScheddState, stage: Stage) -> None:
    if stage.asked_by is not None:
        core.out.emit(ShadowNote(staging_id(stage.asked_by), _exiting(107)))
    gone(core, stage.claim_id)
    core.give_back(core.claims[stage.claim_id])


def _is_needed(core: ScheddState, stage: Stage) -> bool:
    keys = set(stage.keys)
    if any(not keys.isdisjoint(run.common) for run in core.runs.values()):
        return True
    waiting = (*core.stagings.waiting, *core.claims.asked.values())
    return any(_needs(core, job, keys) for job in waiting)


def reset(core: ScheddState) -> None:
    """The startd is out of reach: what it has staged is not to be counted on."""
    waiting = list(core.stagings.waiting)
    core.stagings.stages.clear()
    core.stagings.providers.clear()
    _unblock(core, waiting)


def adopt(core: ScheddState, info: ClaimInfo, claim: Claim) -> None:
    """Takes a data slot over from a former schedd. One that had not staged everything yet goes back."""
    if not info.staged or any(key in core.stagings.providers for key in info.staged):
        core.give_back(claim)
        return
    asker = asked_by(JobId(*map(int, info.job.split(".")))) if info.job else None
    claim.reserve(staging_id(asker) if asker is not None else JobId(0, 0))
    core.stagings.stages[info.claim_id] = Stage(info.claim_id, asker, info.staged, staged=True, needed_at=core.now)
    core.stagings.providers.update(dict.fromkeys(info.staged, info.claim_id))


def mapped(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    """Notes in a job's ad when its common files were mapped, for the records of its run."""
    core.out.apply(ad, [set_text(job, "CommonFilesMappedTime", str(core.now))])
