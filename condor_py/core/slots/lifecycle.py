"""Ends of claims: eviction, the escalation from soft to hard kill, and the steps after the last process has ended."""

from __future__ import annotations

from condor_py.core.slots import granting, patience, settling
from condor_py.core.slots.effects import EvictFetched, KillStarter
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction, Run, Slot, StarterState
from condor_py.core.slots.transitions import BUSY, CLEANING, IDLE, KILLING, OWNER, RETIRING, SUSPENDED, VACATING
from condor_py.model.messages.claims import ClaimLost
from condor_py.model.messages.runs import ContinueJob, HardKill, RunEnded, SoftKill, StopStarter
from condor_py.model.report import ExitReport
from condor_py.model.states import VacateCode

#: What is counted besides JobPreemptions.
_PREEMPTIONS = {
    int(VacateCode.BETTER_RANK): "JobRankPreemptions",
    int(VacateCode.BETTER_USER): "JobUserPrioPreemptions",
}
RELEASED = Eviction(VacateCode.CLAIM_RELEASED, "Claim was released")


def resume_processes(pool: Pool, slot: Slot) -> None:
    """Lets a suspended job run again (its state in the state only; the caller moves the slot)."""
    run = slot.the_run
    if run.suspended_at is None:
        return
    run.suspended_total += pool.now - run.suspended_at
    run.suspended_at = None
    run.suspended_by_command = False
    pool.emit(ContinueJob(slot.the_claim.claim_id))


def soft_kill(pool: Pool, slot: Slot, ending: Eviction) -> None:
    """Asks the job to end and sets the hour at which it is killed. A job already asked keeps its reason and its
    hour."""
    run = slot.the_run
    run.ending = run.ending or ending
    if run.kill_at is not None or run.give_up_at is not None:
        return
    vacate = patience.vacate_time(pool, slot)
    resume_processes(pool, slot)
    run.kill_at = pool.now + vacate
    pool.emit(SoftKill(slot.the_claim.claim_id, int(run.ending.code)))


def hard_kill(pool: Pool, slot: Slot, ending: Eviction | None = None) -> None:
    """Kills the job; the starter has KILLING_TIMEOUT to obey."""
    run = slot.the_run
    if ending is not None and run.ending is None:
        run.ending = ending
    run.kill_at = None
    if run.give_up_at is not None:
        return
    run.give_up_at = pool.now + pool.settings.killing_timeout
    pool.emit(HardKill(slot.the_claim.claim_id))


def check_timers(pool: Pool, slot: Slot) -> None:
    """Turns a soft kill into a hard one, and a hard one into the end of the starter, when its time has come."""
    run = slot.run
    if run is None:
        return
    if run.kill_at is not None and pool.now >= run.kill_at:
        pool.log_starter(slot, "max vacate time expired.  Escalating to a fast shutdown of the job.")
        hard_kill(pool, slot)
    elif run.give_up_at is not None and pool.now >= run.give_up_at:
        claim = slot.the_claim
        said = "is not responding to the request to hardkill its job"
        pool.log_starter(slot, f"starter (pid {claim.starter_pid}) {said}")
        run.give_up_at = pool.now + pool.settings.killing_timeout
        pool.emit(KillStarter(claim.claim_id))


def evict(pool: Pool, slot: Slot, ending: Eviction, fast: bool) -> None:
    """Ends a claim: its job, if there is one, gets the soft kill (or the hard one when ``fast``)."""
    claim = slot.the_claim
    if claim.run is not None and claim.run.waiting:
        refuse_waiting(pool, slot, ending.reason)
    claim.retiring = ending
    pool.publish()
    if slot.place in (VACATING, KILLING):
        if fast and slot.place == VACATING:
            pool.move(slot, KILLING)
            hard_kill(pool, slot, ending)
        return
    if claim.run is not None and pool.drain.active and ending.cause == "drain":
        pool.drain.badput += slot.total.cpus * claim.run.run_time(pool.now)
    if claim.run is not None:
        _tell_hook(pool, slot)
        pool.counters.add("JobPreemptions", pool.now)
        if ending.code in _PREEMPTIONS:
            pool.counters.add(_PREEMPTIONS[ending.code], pool.now)
    pool.move(slot, KILLING if fast else VACATING)
    if claim.run is None:
        leave(pool, slot)
    elif fast:
        resume_processes(pool, slot)
        hard_kill(pool, slot, ending)
    else:
        soft_kill(pool, slot, ending)


def _tell_hook(pool: Pool, slot: Slot) -> None:
    """EVICT_CLAIM: the hook that fetched the job is informed that it has to go."""
    claim = slot.the_claim
    hooks = pool.settings.fetch_hooks_of(claim.fetched) if claim.fetched else None
    if hooks is not None and hooks.evict_claim:
        pool.emit(EvictFetched(hooks.evict_claim, claim.ad, pool.make_ad(slot), claim.claim_id))


def refuse_waiting(pool: Pool, slot: Slot, reason: str) -> None:
    """Take back a run that still waits for its starter."""
    claim = slot.the_claim
    if claim.run is None or not claim.run.waiting:
        return
    if not claim.fetched:
        pool.emit(RunEnded(ExitReport(claim.claim_id, claim.run.job, claim.run.number, error=reason)))
    claim.run = None


def end_run(pool: Pool, slot: Slot) -> Run:
    """Take the run off the claim and add up its times; the slot goes to Claimed/Idle unless it is Preempting."""
    claim, run = slot.the_claim, slot.the_run
    claim.run_time += run.run_time(pool.now)
    claim.suspend_time += run.suspend_time(pool.now)
    if slot.place in (BUSY, RETIRING, SUSPENDED):
        pool.move(slot, CLEANING)
    claim.run = None
    if slot.place == CLEANING:
        pool.move(slot, IDLE)
    return run


def leave(pool: Pool, slot: Slot) -> None:
    """Preempting with nothing left to run: the claim is gone. The slot goes to the better claim that waits for it,
    else it returns to its owner."""
    claim = pool.drop_claim(slot)
    ending = claim.retiring or RELEASED
    if claim.starter is not StarterState.NONE:
        pool.emit(StopStarter(claim.claim_id))
    if not claim.released:
        pool.emit(ClaimLost(claim.claim_id, int(ending.code), ending.reason, idle=True))
    pool.publish()
    if slot.better is not None:
        pool.log(slot, "State change: preempting claim exists - going to Claimed state")
        if granting.take_over(pool, slot):
            return
    pool.log(slot, "State change: No preempting claim, returning to owner")
    waiting, slot.better = slot.better, None
    pool.move(slot, OWNER)
    settling.settle(pool, slot)
    if waiting is not None:
        pool.again.append(waiting.request)
