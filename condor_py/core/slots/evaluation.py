"""The look at the policy: the order of its questions is that of the manual's state diagram, first hit wins."""

from __future__ import annotations

from condor_py.core.slots import (
    backfill,
    claiming,
    epevents,
    expressions,
    guard,
    lifecycle,
    patience,
    running,
    settling,
)
from condor_py.core.slots.events import Vacate
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction, Slot
from condor_py.core.slots.transitions import (
    BUSY,
    IDLE,
    KILLING,
    MATCHED,
    OWNER,
    RETIRING,
    SUSPENDED,
    VACATING,
    WITH_BACKFILL,
    Judgement,
)
from condor_py.lang.classad import whole
from condor_py.model.states import HoldCode, VacateCode

PREEMPT_REASON = "PREEMPT expression evaluated to True"


def look_at_all(pool: Pool) -> None:
    """Timers and policy of every slot."""
    pool.touch()
    if pool.refresh is not None:
        pool.refresh()
    for slot in list(pool.every_slot()):
        guard.take(pool, slot, look_at, pool, slot)


def look_at(pool: Pool, slot: Slot) -> None:
    """Timers and policy of one slot."""
    _judge(pool, slot)
    if slot.policy.settings.hook_keyword and pool.ask_for_work is not None:
        pool.ask_for_work(slot)


def _judge(pool: Pool, slot: Slot) -> None:
    if slot.claim is None:
        settling.settle(pool, slot)
        return
    claiming.check_lease(pool, slot)
    lifecycle.check_timers(pool, slot)
    if slot.place in (BUSY, RETIRING, SUSPENDED):
        _with_job(pool, slot)
    elif slot.place == IDLE:
        running.idle(pool, slot)
    elif slot.place == VACATING and slot.policy.is_true("KILL", pool.view(slot)):
        pool.decide(slot, KILLING, Judgement.KILL, "KILL is TRUE")
        pool.move(slot, KILLING)
        lifecycle.hard_kill(pool, slot)


def _with_job(pool: Pool, slot: Slot) -> None:
    claim, run = slot.the_claim, slot.the_run
    if run.ending is not None:
        return
    if claim.retiring is not None and patience.retirement_over(pool, slot):
        _end_of_retirement(pool, slot, claim.retiring)
        return
    view = pool.view(slot)
    want_suspend = slot.policy.is_true("WANT_SUSPEND", view)
    preempting = claim.retiring is not None and claim.retiring.cause == "PREEMPT"
    asks_preempt = (
        slot.place == SUSPENDED
        or (slot.place == BUSY and not want_suspend)
        or (slot.place == RETIRING and not preempting and not want_suspend)
    )
    if asks_preempt and slot.policy.is_true("PREEMPT", view):
        pool.decide(slot, RETIRING, Judgement.PREEMPT, "PREEMPT is TRUE")
        retire(pool, slot, Eviction(VacateCode.PREEMPT, PREEMPT_REASON, cause="PREEMPT"))
        return
    if slot.place == RETIRING and claim.retiring is None:
        pool.decide(slot, BUSY, Judgement.SIMPLE, "unretiring because no preempting claim exists")
        pool.move(slot, BUSY)
    if slot.place in (BUSY, RETIRING) and want_suspend and slot.policy.is_true("SUSPEND", view):
        pool.decide(slot, SUSPENDED, Judgement.SUSPEND, "SUSPEND is TRUE")
        running.suspend(pool, slot)
    elif slot.place == SUSPENDED and not run.suspended_by_command and slot.policy.is_true("CONTINUE", view):
        retiring = claim.retiring is not None
        judgement = Judgement.CONTINUE_RETIRING if retiring else Judgement.CONTINUE
        pool.decide(slot, RETIRING if retiring else BUSY, judgement, "CONTINUE is TRUE")
        running.resume(pool, slot)


def retire(pool: Pool, slot: Slot, ending: Eviction) -> None:
    """Let the job of a claim run for its retirement time, which may be over at once. PREEMPT cannot be taken back."""
    claim = slot.the_claim
    if slot.place in (VACATING, KILLING):
        return
    known = claim.retiring
    if known is None or known.reversible or (known.cause != "PREEMPT" and not ending.reversible):
        known = claim.retiring = ending  # what can be taken back does not take the place of what cannot
    epevents.vacated(pool, slot, ending.code, ending.reason, kill=False)
    if slot.place == SUSPENDED and ending.cause == "PREEMPT":
        lifecycle.resume_processes(pool, slot)
    if slot.run is None or slot.run.waiting:
        lifecycle.evict(pool, slot, ending, fast=False)
        return
    if slot.place in (BUSY, SUSPENDED) and slot.run.suspended_at is None:
        pool.move(slot, RETIRING)
        pool.publish()
    if slot.run.ending is None and patience.retirement_over(pool, slot):
        _end_of_retirement(pool, slot, known)


def _end_of_retirement(pool: Pool, slot: Slot, ending: Eviction) -> None:
    fast, reason = False, "claim retirement ended/expired"
    view = pool.view(slot)
    now_true = slot.policy.is_true("PREEMPT", view)  # a job that drains may be one to hold, too
    judgement = Judgement.RETIREMENT_OVER_AND_PREEMPT if now_true else Judgement.RETIREMENT_OVER
    number = f"Preempting/{slot.activity.value} {judgement.value}"
    pool.log(slot, f"eval_policy state should be: {number} {reason}")
    preempted = now_true or ending.cause == "PREEMPT"
    if preempted:
        fast = not slot.policy.is_true("WANT_VACATE", view)
        pool.log(slot, f"State change: WANT_VACATE is {'FALSE' if fast else 'TRUE'}")
    pool.log(slot, f"State change: {reason}.")
    lifecycle.evict(pool, slot, ending, fast)
    if preempted:
        _ask_for_hold(pool, slot, ending)


def _ask_for_hold(pool: Pool, slot: Slot, ending: Eviction) -> None:
    """WANT_HOLD: the preempted job is to be held, with WANT_HOLD_REASON and WANT_HOLD_SUBCODE."""
    view = pool.view(slot)
    policy = slot.policy
    wanted = policy.is_true("WANT_HOLD", view)
    pool.log(slot, f"State change: WANT_HOLD is {'TRUE' if wanted else 'FALSE'}")
    if not wanted:
        return
    reason = expressions.text_of(policy.value("WANT_HOLD_REASON", view))
    ending.hold_code = HoldCode.STARTD_HELD_JOB
    ending.hold_subcode = whole(policy.number("WANT_HOLD_SUBCODE", view) or 0)
    ending.hold_reason = reason or (
        "The startd put this job on hold.  (At preemption time, WANT_HOLD evaluated to true: "
        f"WANT_HOLD = {policy.text('WANT_HOLD')})"
    )


def on_vacate(pool: Pool, event: Vacate) -> None:
    """condor_vacate, or room for a better claim."""
    ending = Eviction(event.code, event.reason, cause="better" if event.retire else "command")
    for slot in _named(pool, event.slot):
        if slot.claim is None:
            _vacate_unclaimed(pool, slot)
            continue
        pool.log(slot, f"State change: received VACATE_CLAIM{'' if event.graceful else '_FAST'} command")
        if event.graceful:
            retire(pool, slot, ending)
        else:
            epevents.vacated(pool, slot, ending.code, ending.reason, kill=True)
            lifecycle.evict(pool, slot, ending, fast=True)


def _vacate_unclaimed(pool: Pool, slot: Slot) -> None:
    if slot.place == MATCHED:
        pool.log(slot, "State change: received VACATE_CLAIM command")
        pool.move(slot, OWNER)
        pool.publish()
    elif slot.place in WITH_BACKFILL:
        pool.log(slot, "State change: received VACATE_CLAIM command")
        backfill.leave(pool, slot, OWNER)


def _named(pool: Pool, name: str | None) -> list[Slot]:
    if name is None:
        return list(pool.every_slot())
    slot = pool.find(name)
    return [] if slot is None else [slot, *slot.children]
