"""Jobs on claims: started, watched, stopped and ended. This is the hot path: nothing here looks at every slot."""

from __future__ import annotations

import math

from condor_py.core.slots import dataslots, epevents, granting, lifecycle
from condor_py.core.slots.effects import RunOver
from condor_py.core.slots.events import Activate, StarterGone
from condor_py.core.slots.meters import run_pairs
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Claim, Eviction, Run, Slot, StarterState
from condor_py.core.slots.transitions import BUSY, IDLE, KILLING, RETIRING, SUSPENDED, VACATING, Judgement
from condor_py.lang.classad import ClassAd, is_valid, quote_string
from condor_py.model.event_types import JobEventType
from condor_py.model.messages.claims import ClaimLost, ContinueClaim, Deactivate, SuspendClaim
from condor_py.model.messages.runs import Ready, RunEnded, RunStarted, RunUpdate, Sample, SuspendJob
from condor_py.model.report import ExitReport
from condor_py.model.signals import signal_text
from condor_py.model.states import Activity, JobStatus, SlotState, VacateCode

#: A claim whose starter dies this often before it takes a job is given up.
MAX_STARTER_FAILURES = 3


def on_activate(pool: Pool, event: Activate) -> None:
    """Starts the job, or keeps it until the claim's starter is ready."""
    pool.counters.add("ActivationRequests", pool.now)
    slot = pool.claims.get(event.claim)
    reason = _refusal(pool, slot, event.job_ad)
    common: tuple[str, ...] | None = ()
    if slot is not None and not reason:
        reason = dataslots.refusal(pool, slot) if event.stages else ""
        common = dataslots.paths(pool, slot, event.common)
    if common is None:
        reason = "The common files of the job are not there any more"
    if reason or slot is None or common is None:
        pool.log(slot, f"activate_claim refused: {reason}")
        pool.emit(RunEnded(ExitReport(event.claim, event.job, event.run, error=reason)))
        return
    claim = slot.the_claim
    if event.stages:
        dataslots.make(pool, slot)
    claim.run = Run(event.job, event.run, event.job_ad, pool.now, common=common)
    with pool.paying(event.job_ad):
        claim.rank = granting.rank_of(pool, slot, event.job_ad)
    if claim.starter is StarterState.READY:
        granting.begin(pool, slot)
    else:
        granting.start_starter(pool, slot)


def _refusal(pool: Pool, slot: Slot | None, job: ClassAd) -> str:
    if slot is None:
        return "ClaimId not found"
    if slot.place in (VACATING, KILLING):
        return "Not in claimed state"
    if slot.run is not None or slot.place != IDLE:
        return "Slot is not idle"
    if pool.shutdown is not None:
        return "STARTD is shutting down"
    return granting.willing(pool, slot, job) or granting.too_big(pool, slot, job)


def may_reactivate(pool: Pool, claim_id: str) -> bool:
    """Whether a claim would take its job once more, after a checkpoint (CHECK_REACTIVATE_AFTER_CHECKPOINT)."""
    slot = pool.claims.get(claim_id)
    if slot is None or slot.run is None:
        return False
    if _too_old(pool, slot.the_claim):
        return False
    return slot.place in (BUSY, SUSPENDED) and not granting.willing(pool, slot, slot.run.ad)


def on_starter_ready(pool: Pool, event: Ready) -> None:
    """A job that waited for this starter begins."""
    slot = pool.claims.get(event.claim)
    if slot is None:
        return
    pool.failed_claims = 0
    pool.starters_work()
    slot.the_claim.starter = StarterState.READY
    slot.the_claim.starter_pid = event.pid
    if slot.run is not None and slot.run.waiting and slot.place == IDLE:
        granting.begin(pool, slot)


def on_started(pool: Pool, event: RunStarted) -> None:
    """The job's process exists."""
    slot = pool.claims.get(event.claim)
    run = slot.run if slot is not None else None
    if slot is not None and run is not None:
        run.pid = event.pid
        _color(pool, slot, run)


def _color(pool: Pool, slot: Slot, run: Run) -> None:
    """TESTING_COLOR_FROM_JOB_AD: a job may tell the slots of its machine something (ColorAd)."""
    text = run.ad.text("ColorAd") if pool.settings.colors else None
    if text is None or not text.lstrip().startswith("[") or not is_valid(text):
        return
    color = ClassAd(text)
    color.set_text("SlotMergeConstraint", f"SlotID == {slot.slot_id}")
    inside = "; ".join(f"{name} = {value}" for name, value in color.text_items())
    pool.extras.color(slot.the_claim.public_id, ((f"colors_of_{slot.tag}", f"[ {inside} ]"),), slot.slot_id)
    pool.publish()


def on_update(pool: Pool, event: RunUpdate) -> None:
    """New usage of the job, shown in the slot's ad from now on."""
    if _note_usage(pool, event):
        pool.publish()


def on_sample(pool: Pool, event: Sample) -> None:
    """The same for the load of the slot alone; it is shown with the next update."""
    _note_usage(pool, event)


def _note_usage(pool: Pool, event: RunUpdate | Sample) -> bool:
    """Take usage of the job of a claim; False when it has none."""
    slot = pool.claims.get(event.claim)
    if slot is None or slot.run is None:
        return False
    slot.run.usage.update(event.attributes)
    _measure_load(slot, slot.run, pool.now)
    return True


def _measure_load(slot: Slot, run: Run, now: float) -> None:
    """Measure the number of cpus that the job kept busy since the last measurement."""
    try:
        cpu = sum(float(run.usage.get(name, "0")) for name in ("RemoteUserCpu", "RemoteSysCpu"))
    except ValueError:
        return
    since = run.cpu_seen_at or run.started
    if now > since:
        run.load = max(0.0, cpu - run.cpu_seen) / (now - since)
        slot.busy.add(since, now, run.load)
    run.cpu_seen, run.cpu_seen_at = cpu, now


def _run(pool: Pool, claim_id: str) -> Run | None:
    slot = pool.claims.get(claim_id)
    return slot.run if slot is not None else None


def on_ended(pool: Pool, event: RunEnded) -> None:
    """The run is over: the schedd is informed, and the claim is idle again, or gone if it was being evicted."""
    slot = pool.claims.get(event.claim)
    report = event.report
    run = slot.run if slot is not None else None
    if slot is None or run is None or run.waiting or (run.job, run.number) != (report.job, report.run):
        pool.log(slot, f"report of job {report.job} run {report.run} belongs to no run of this claim: passed on")
        pool.emit(event)
        return
    pool.log(slot, "Received final job ClassAd update from starter.")
    if not slot.the_claim.fetched:
        pool.emit(_evicted(event, run.ending) if run.ending is not None and report.vacated else event)
    run.usage.update(RemoteUserCpu=str(report.usage.user_cpu), RemoteSysCpu=str(report.usage.sys_cpu))
    _measure_load(slot, run, pool.now)
    if run.ending is None:
        epevents.tell(pool, slot, JobEventType.EP_DEACTIVATE_CLAIM, Force="true", JobDone="true", Success="true")
    record(pool, slot, run, report)
    lifecycle.end_run(pool, slot)
    pool.publish()
    if slot.place in (VACATING, KILLING):
        lifecycle.leave(pool, slot)
    else:
        idle(pool, slot)


def _evicted(event: RunEnded, ending: Eviction) -> RunEnded:
    """The end of a run that the startd caused, with its reason and the hold that WANT_HOLD asked for."""
    report = event.report
    if ending.hold_code:
        report = report.but(
            hold_code=ending.hold_code, hold_subcode=ending.hold_subcode, hold_reason=ending.hold_reason
        )
    return RunEnded(report, int(ending.code), ending.reason)


def _too_old(pool: Pool, claim: Claim) -> bool:
    """Whether a claim takes no other job, by CLAIM_WORKLIFE."""
    worklife = pool.settings.claim_worklife
    return (worklife == 0 and bool(claim.runs)) or 0 < worklife < pool.now - claim.born


def idle(pool: Pool, slot: Slot) -> None:
    """Check a claim that has nothing to run: the owner, the age of the claim, drain and shutdown."""
    claim = slot.the_claim
    if slot.place != IDLE or claim.run is not None:
        return
    if claim.retiring is not None and claim.retiring.cause in ("drain", "shutdown", "better"):
        lifecycle.evict(pool, slot, claim.retiring, fast=False)
    elif claim.fetched and claim.runs:
        if pool.ask_for_work is not None:
            pool.ask_for_work(slot)  # at once, if FetchWorkDelay allows it
    elif _too_old(pool, claim):
        reason = "idle claim shutting down due to CLAIM_WORKLIFE"
        pool.decide(slot, (SlotState.PREEMPTING, Activity.IDLE), Judgement.WORKLIFE_OVER, reason)
        lifecycle.evict(pool, slot, lifecycle.RELEASED, fast=False)
    elif slot.policy.is_true("IS_OWNER", pool.view(slot)):
        pool.decide(slot, (SlotState.PREEMPTING, Activity.IDLE), Judgement.OWNER_IS_BACK, "IS_OWNER is true")
        lifecycle.evict(pool, slot, lifecycle.RELEASED, fast=False)
    else:
        claim.retiring = None


def on_starter_gone(pool: Pool, event: StarterGone) -> None:
    """A starter may die at any time; a job that ran under it is lost with its claim."""
    slot = pool.claims.get(event.claim)
    if slot is None:
        return
    claim, run = slot.the_claim, slot.run
    pool.log(None, f"Starter pid {claim.starter_pid} {_how(event.status)}")
    claim.starter = StarterState.NONE
    claim.starter_pid = 0
    if run is not None and not run.waiting:
        _lose(pool, slot, run, event.status)
    elif slot.place in (VACATING, KILLING):
        lifecycle.leave(pool, slot)
    elif run is not None:
        _try_again(pool, slot)


def _how(status: int) -> str:
    """Describe the end of a process with this wait status."""
    number = status & 0x7F
    if not number:
        return f"exited with status {status >> 8}"
    return f"died on signal {number} (signal {number} ({signal_text(number)}))"


def _lose(pool: Pool, slot: Slot, run: Run, status: int) -> None:
    """The job's starter died under it."""
    claim = slot.the_claim
    ending = run.ending or Eviction(VacateCode.RECONNECT_FAILED, "The starter of the job died")
    run.ending = ending
    record(pool, slot, run, None, status)
    lifecycle.end_run(pool, slot)
    claim.retiring = ending
    if not claim.fetched:
        # The schedd must learn of the lost job even if it gave the claim up itself.
        pool.emit(ClaimLost(claim.claim_id, int(ending.code), ending.reason))
    claim.released = True
    if slot.place == IDLE:
        pool.move(slot, KILLING)
    lifecycle.leave(pool, slot)


def _try_again(pool: Pool, slot: Slot) -> None:
    """The starter died before it took the job that waits for it."""
    claim = slot.the_claim
    claim.starter_failures += 1
    if claim.starter_failures < MAX_STARTER_FAILURES:
        granting.start_starter(pool, slot)
        return
    reason = f"Failed to start a starter {claim.starter_failures} times"
    pool.starters_fail()
    lifecycle.evict(pool, slot, Eviction(VacateCode.STARTER_ERROR, reason), fast=True)


def on_deactivate(pool: Pool, event: Deactivate) -> None:
    """The schedd takes the job back; the slot stays what it is until the job has ended, and the claim stays."""
    slot = pool.claims.get(event.claim)
    if slot is None or slot.run is None:
        pool.log(slot, "Called deactivate_claim() without a job, ignored")
        return
    ending = Eviction(event.code, event.reason)
    if slot.run.waiting:
        lifecycle.refuse_waiting(pool, slot, event.reason)
        return
    if slot.place == SUSPENDED:
        lifecycle.resume_processes(pool, slot)
        pool.move(slot, RETIRING if slot.the_claim.retiring is not None else BUSY)
    force = "false" if event.graceful else "true"
    epevents.tell(pool, slot, JobEventType.EP_DEACTIVATE_CLAIM, Force=force, Success="true")
    if event.graceful:
        pool.log(slot, "Called deactivate_claim()")
        lifecycle.soft_kill(pool, slot, ending)
    else:
        pool.log(slot, "Called deactivate_claim_forcibly()")
        lifecycle.hard_kill(pool, slot, ending)


def on_suspend(pool: Pool, event: SuspendClaim) -> None:
    """condor_suspend: stays suspended whatever CONTINUE says."""
    slot = pool.claims.get(event.claim)
    if slot is not None and slot.run is not None and slot.place in (BUSY, RETIRING, SUSPENDED):
        pool.log(slot, "State change: received SUSPEND_CLAIM command")
        suspend(pool, slot)
        slot.run.suspended_by_command = True


def suspend(pool: Pool, slot: Slot) -> None:
    """Stops the job's processes."""
    run = slot.the_run
    if run.waiting or run.suspended_at is not None or run.kill_at is not None:
        return
    run.suspended_at = pool.now
    pool.move(slot, SUSPENDED)
    pool.emit(SuspendJob(slot.the_claim.claim_id))
    pool.publish()


def on_continue(pool: Pool, event: ContinueClaim) -> None:
    """condor_continue."""
    slot = pool.claims.get(event.claim)
    if slot is not None and slot.place == SUSPENDED:
        pool.log(slot, "State change: received CONTINUE_CLAIM command")
        resume(pool, slot)


def resume(pool: Pool, slot: Slot) -> None:
    """Lets a suspended job run, or retire when its claim is in retirement."""
    lifecycle.resume_processes(pool, slot)
    pool.move(slot, RETIRING if slot.the_claim.retiring is not None else BUSY)
    pool.publish()


def record(pool: Pool, slot: Slot, run: Run, report: ExitReport | None, status: int = 0) -> None:
    """Asks for the record of a run that has just ended. Without a ``report`` its starter died, of wait ``status``."""
    if pool.quiet:
        return
    ad = run.ad.copy()
    pairs = list(run.usage.items())
    if run.meters.first:
        pairs += run_pairs(run.meters, pool.extras.samples(pool.make_ad(slot), slot.slot_id))
    ending = run.ending
    pairs += [
        ("CompletionDate", str(int(pool.now))),
        ("RemoteWallClockTime", str(max(0, math.floor(pool.now) - math.floor(run.started)))),
        ("StarterExitStatus", str(status)),
        ("JobStatus", str(int(JobStatus.REMOVED if status & 0x7F else JobStatus.COMPLETED))),
        ("RemoteHost", quote_string(slot.name)),
        ("BadputCausedByDraining", _word(ending is not None and ending.cause == "drain")),
        ("BadputCausedByPreemption", _word(ending is not None and ending.cause in ("PREEMPT", "better"))),
    ]
    ad.set_texts(pairs)
    if report is not None:
        _add_exit(ad, report)
    if ending is not None and (report is None or report.vacated):
        ad.set_text("VacateReason", quote_string(ending.reason))
        ad.set_int("VacateReasonCode", int(ending.code))
        ad.set_int("VacateReasonSubCode", 0)
    pool.emit(RunOver(ad))


def _add_exit(ad: ClassAd, report: ExitReport) -> None:
    if report.exit_signal is not None:
        ad.set_text("ExitBySignal", "true")
        ad.set_int("ExitSignal", report.exit_signal)
    elif report.exit_code is not None:
        ad.set_text("ExitBySignal", "false")
        ad.set_int("ExitCode", report.exit_code)


def _word(value: bool) -> str:
    return "true" if value else "false"
