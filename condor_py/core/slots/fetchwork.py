"""Work that hooks fetch (manual: Hooks for Fetching Work): a slot asks a program for a job, takes or refuses what it
prints, and informs another program. Fetched jobs have no schedd; they are ranked against the job that runs."""

from __future__ import annotations

from condor_py.core.slots import claiming, evaluation, granting, lifecycle
from condor_py.core.slots.effects import FetchWork, ReplyFetch
from condor_py.core.slots.events import ClaimRequest, WorkFetched
from condor_py.core.slots.policy import View
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction, Slot, SlotKind, StarterState, Waiting
from condor_py.core.slots.transitions import (
    BENCHMARKING,
    BUSY,
    IDLE,
    KILLING,
    OWNER,
    RETIRING,
    SUSPENDED,
    UNCLAIMED,
    VACATING,
)
from condor_py.lang.classad import ClassAd, whole
from condor_py.model.settings.startd import FetchHooks

#: Seconds between two fetches where FetchWorkDelay is undefined.
DEFAULT_DELAY = 300
NO_RANK = "Fetched claim doesn't have sufficient rank, refusing."
_MAY_FETCH = (OWNER, UNCLAIMED, BENCHMARKING, IDLE, BUSY, RETIRING, SUSPENDED)
#: Requests that every job has; a static slot fills in what a fetched one leaves out.
_REQUESTS = ("RequestCpus", "RequestMemory", "RequestDisk")


def hooks_of(pool: Pool, slot: Slot) -> FetchHooks | None:
    """The programs for a slot; None when it fetches no work."""
    keyword = slot.policy.settings.hook_keyword
    return pool.settings.fetch_hooks_of(keyword) if keyword else None


def due(pool: Pool, slot: Slot) -> float | None:
    """Time of the slot's next fetch; None when it does not fetch, or when a fetch is under way."""
    if slot.fetch.busy or slot.place not in _MAY_FETCH or hooks_of(pool, slot) is None:
        return None
    if pool.shutdown is not None or pool.drain.active:
        return None
    # A dynamic slot asks only for what comes next on its claim: for all else its partitionable slot asks.
    if slot.kind is SlotKind.DYNAMIC and not (slot.place == IDLE and slot.claim and slot.claim.fetched):
        return None
    return slot.fetch.due


def consider(pool: Pool, slot: Slot) -> None:
    """Asks for work, if it is time, and START is not false for every job."""
    when = due(pool, slot)
    hooks = hooks_of(pool, slot)
    if when is None or hooks is None:
        return
    slot.fetch.due = slot.fetch.since + _delay(pool, slot)  # FetchWorkDelay may look at the state of the slot
    if pool.now < slot.fetch.due:
        return
    if slot.policy.truth("START", View(lambda: pool.make_ad(slot))) is False:
        slot.fetch.since = pool.now
        slot.fetch.due = pool.now + max(0, slot.fetch.delay)
        return
    slot.fetch.busy = True
    slot.fetch.spawned = int(pool.now)
    pool.emit(FetchWork(slot.name, hooks.fetch_work))


def _delay(pool: Pool, slot: Slot) -> float:
    delay = slot.policy.number("FETCHWORKDELAY", pool.view(slot))
    slot.fetch.delay = DEFAULT_DELAY if delay is None else whole(delay)
    return max(0, slot.fetch.delay)


def on_fetched(pool: Pool, event: WorkFetched) -> None:
    """Handle the output of a slot's hook; None for no output."""
    slot = pool.find(event.slot)
    if slot is None:
        return
    slot.fetch.busy = False
    slot.fetch.completed = int(pool.now)
    slot.fetch.since = pool.now
    slot.fetch.due = pool.now + _delay(pool, slot)
    claim = slot.claim
    idle = claim is not None and bool(claim.fetched) and slot.place == IDLE and claim.run is None
    taken = event.job is not None and _offer(pool, slot, event.job, idle)
    if idle and not taken:
        lifecycle.evict(pool, slot, lifecycle.RELEASED, fast=False)
    pool.publish()


def _offer(pool: Pool, slot: Slot, offered: ClassAd, idle: bool) -> bool:
    """Take the job or refuse it; the reply hook is informed either way."""
    keyword = slot.policy.settings.hook_keyword
    job = offered.copy()
    if slot.kind is not SlotKind.PARTITIONABLE:
        job.set_texts((name, "1") for name in _REQUESTS if not job.has(name))
    if not job.has("HookKeyword"):
        job.set_str("HookKeyword", keyword)
    reason = _refusal(pool, slot, job, idle)
    target = slot
    if not reason and slot.kind is SlotKind.PARTITIONABLE:
        found = claiming.fitting(pool, slot, job)
        if isinstance(found, str):
            reason = found
        else:
            job, amount = found
            target = pool.carve(slot, amount, job)
    if reason:
        pool.log(slot, reason)
        _reply(pool, slot, job, accept=False)
        return False
    _take(pool, target, job, idle)
    return True


def _refusal(pool: Pool, slot: Slot, job: ClassAd, idle: bool) -> str:
    if slot.place in (VACATING, KILLING) or slot.place not in _MAY_FETCH:
        return "Rejecting new fetchwork; still preempting the previous job."
    if slot.better is not None:
        return "Rejecting new fetchwork; the slot is promised already."
    reason = granting.willing(pool, slot, job)
    if not reason and slot.kind is not SlotKind.PARTITIONABLE:
        reason = granting.too_big(pool, slot, job)
    claim = slot.claim
    if reason or claim is None or idle:
        return reason
    rank = slot.policy.number("RANK", pool.view(slot, job)) or 0.0
    return "" if rank > claim.rank else NO_RANK


def _take(pool: Pool, slot: Slot, job: ClassAd, idle: bool) -> None:
    claim = slot.claim
    if idle:
        claim = slot.the_claim
        claim.ad = job
        granting.run_fetched(pool, slot, job)
        _reply(pool, slot, job, accept=True)
        if claim.starter is StarterState.READY:
            granting.begin(pool, slot)
        else:
            granting.start_starter(pool, slot)
        return
    owner = job.eval_str("Owner", "") or ""
    keyword = slot.policy.settings.hook_keyword
    request = ClaimRequest("", slot.name, owner, owner, job, fetched=keyword)
    if claim is None:
        pool.log(slot, "State change: Finished fetching work successfully")
        granting.grant(pool, slot, request, job)
        _reply(pool, slot, job, accept=True)
        return
    pool.log(slot, "State change: preempting claim based on machine rank of fetched work.")
    rank = slot.policy.number("RANK", pool.view(slot, job)) or 0.0
    slot.better = Waiting(request, rank)
    _reply(pool, slot, job, accept=True)
    ending = Eviction(granting.BETTER_RANK, granting.BY_RANK, cause="better", reversible=True)
    if slot.place == IDLE:
        lifecycle.evict(pool, slot, ending, fast=False)
    else:
        evaluation.retire(pool, slot, ending)


def _reply(pool: Pool, slot: Slot, job: ClassAd, *, accept: bool) -> None:
    hooks = hooks_of(pool, slot)
    if hooks is None or not hooks.reply_fetch:
        return
    claim_id = slot.claim.claim_id if accept and slot.claim is not None else ""
    pool.emit(ReplyFetch(hooks.reply_fetch, accept, job, pool.make_ad(slot), claim_id))
