"""Draining the whole startd, and shutting it down (manual: condor_drain; seconds and cpu-seconds)."""

from __future__ import annotations

from condor_py.core.slots import evaluation, expressions, lifecycle, patience
from condor_py.core.slots.effects import DrainReply, Exit, RememberDrain, Reread
from condor_py.core.slots.events import Shutdown
from condor_py.core.slots.machineads import Pair
from condor_py.core.slots.patience import graceful_left
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Eviction, Slot
from condor_py.core.slots.transitions import DRAINED_IDLE, DRAINED_RETIRING, IDLE, RETIRING, SUSPENDED, Judgement
from condor_py.lang.classad import is_valid
from condor_py.model.messages.machine import CancelDrain, Drain
from condor_py.model.states import VacateCode

ALREADY_DRAINING = 10001
NO_SUCH_REQUEST = 10002
CHECK_FAILED = 10003
DRAINED_TEXT = "Startd was draining"
SHUTDOWN_TEXT = "Startd was shutdown"


def on_drain(pool: Pool, event: Drain) -> None:
    """Starts a drain, unless one is on or the check refuses."""
    refusal = _refusal(pool, event)
    if refusal is not None:
        pool.emit(refusal)
        return
    drain = pool.drain
    drain.requests += 1
    drain.active = True
    drain.how = event.how
    drain.reason = event.reason or "by command"
    drain.request_id = str(drain.requests)
    drain.on_completion = event.on_completion
    drain.start = event.start or pool.settings.draining_start if event.how == "graceful" else ""
    drain.last_start = int(pool.now)
    drain.counted_until = pool.now
    remember(pool)
    pool.emit(DrainReply(True, drain.request_id))
    pool.log(None, f"Initiating {event.how} draining.")
    if event.how == "graceful":
        left = graceful_left(pool)
        if left > 0:
            pool.log(
                None,
                f"Coordinating retirement of draining slots; retirement of all draining slots ends in {int(left)}s.",
            )
    for slot in pool.claimed():
        _drain_claim(pool, slot, event)
    evaluation.look_at_all(pool)
    pool.publish()


def _drained() -> Eviction:
    return Eviction(VacateCode.DRAINING, DRAINED_TEXT, cause="drain", reversible=True)


def _drain_claim(pool: Pool, slot: Slot, event: Drain) -> None:
    if event.how == "graceful":
        evaluation.retire(pool, slot, _drained())
    else:
        lifecycle.evict(pool, slot, _drained(), fast=event.how == "fast")


def _refusal(pool: Pool, event: Drain) -> DrainReply | None:
    if pool.drain.active:
        return DrainReply(False, "", ALREADY_DRAINING, "Draining already in progress.")
    if event.start and not is_valid(event.start):
        return DrainReply(False, "", CHECK_FAILED, "Draining START expression does not parse.")
    if not event.check:
        return None
    for slot in pool.every_slot():
        value: object = None
        if is_valid(event.check):
            ad = pool.make_ad(slot).copy()
            ad.set_texts(drain_forecast(pool))
            value = expressions.evaluate(event.check, ad, None)
        if not isinstance(value, bool):  # a number is none
            text = f"Draining check expression does not evaluate to a bool on {slot.name}."
            return DrainReply(False, "", CHECK_FAILED, text)
        if not value:
            return DrainReply(False, "", CHECK_FAILED, f"Draining check expression is false on {slot.name}.")
    return None


def on_cancel(pool: Pool, event: CancelDrain) -> None:
    """Ends the drain; without one there is nothing to do, which is no error."""
    wanted = event.request_id
    if wanted and not (pool.drain.active and wanted == pool.drain.request_id):
        pool.emit(DrainReply(False, "", NO_SUCH_REQUEST, f"No matching draining request id {wanted}."))
        return
    request_id = pool.drain.request_id if pool.drain.active else ""
    pool.emit(DrainReply(True, request_id))
    if pool.drain.active:
        stop(pool)


def stop(pool: Pool) -> None:
    """Draining is over: drained slots return to their owner, and jobs that retired only for the drain continue."""
    drain = pool.drain
    count_idle(pool)
    drain.active = False
    drain.start = ""
    drain.last_stop = int(pool.now)
    remember(pool)
    for slot in pool.claimed():
        claim = slot.the_claim
        claim.accepted_while_draining = False
        if claim.retiring is not None and claim.retiring.cause == "drain" and slot.place in (RETIRING, SUSPENDED, IDLE):
            claim.retiring = None
    evaluation.look_at_all(pool)
    pool.publish()


def remember(pool: Pool) -> None:
    """Asks for the state of draining to be kept."""
    pool.emit(RememberDrain(pool.drain.remembered(pool.facts.boot_time)))


def count_idle(pool: Pool) -> None:
    """Adds the cpus that stood idle since the last count because of the drain."""
    drain = pool.drain
    if not drain.active:
        return
    seconds = max(0.0, pool.now - drain.counted_until)
    drain.counted_until = pool.now
    idle = sum(slot.free.cpus for slot in pool.slots if slot.state is DRAINED_IDLE[0])
    drain.unclaimed += idle * seconds


def check(pool: Pool) -> None:
    """Sees whether a drain is complete, and whether a startd that shuts down may leave."""
    if pool.drain.active:
        count_idle(pool)
        _close_start(pool)
        _check_complete(pool)
    busy = pool.claims or pool.works_for_itself
    if pool.shutdown is not None and not busy and not pool.exited:
        pool.exited = True
        pool.log(None, "All resources are free, exiting.")
        pool.emit(Exit(restart=False))


def _close_start(pool: Pool) -> None:
    """Retire the jobs that -start admitted, and admit no more, once the jobs that the drain waits for are gone."""
    if not pool.drain.start:
        return
    if any(not slot.the_claim.accepted_while_draining for slot in pool.claimed()):
        return
    pool.drain.start = ""
    for slot in pool.claimed():
        evaluation.retire(pool, slot, _drained())
    pool.publish()


def _check_complete(pool: Pool) -> None:
    retiring = [slot for slot in pool.every_slot() if slot.place == DRAINED_RETIRING]
    if len(retiring) < sum(1 for _ in pool.every_slot()) or not retiring:
        return
    for slot in retiring:
        pool.decide(slot, DRAINED_IDLE, Judgement.DRAIN_COMPLETE, "draining is complete")
        pool.move(slot, DRAINED_IDLE)
    pool.publish()
    action = pool.drain.on_completion
    if action in ("resume", "reconfig"):
        if action == "reconfig":
            pool.emit(Reread())
        stop(pool)
    elif action in ("exit", "restart"):
        pool.drain.active = False
        pool.drain.last_stop = int(pool.now)
        remember(pool)
        pool.exited = True
        pool.emit(Exit(restart=action == "restart", stay_away=action == "exit"))


def on_shutdown(pool: Pool, event: Shutdown) -> None:
    """No new claims. A second, faster shutdown overtakes the first."""
    pool.shutdown = event.how
    pool.log(None, f"shutdown {event.how}")
    ending = Eviction(VacateCode.STARTD_SHUTDOWN, SHUTDOWN_TEXT, cause="shutdown")
    for slot in pool.claimed():
        if event.how == "fast":
            lifecycle.evict(pool, slot, ending, fast=True)
            continue
        slot.the_claim.retire_peacefully = event.how == "peaceful"
        evaluation.retire(pool, slot, ending)
    evaluation.look_at_all(pool)
    pool.publish()


def drain_forecast(pool: Pool) -> list[Pair]:
    """Attributes with the ends of a drain that began now, and the cpu-seconds of work that it would throw away."""
    now = pool.now
    graceful_end = quick_end = now
    graceful = quick = 0.0
    for slot in pool.every_slot():
        run = slot.run
        if run is None or run.waiting:
            continue
        spent, left = run.run_time(now), patience.retirement_left(pool, slot)
        vacate = patience.vacate_time(pool, slot)
        graceful_end = max(graceful_end, now + max(left, vacate))
        quick_end = max(quick_end, now + vacate)
        graceful += slot.total.cpus * (spent + max(left, vacate))
        quick += slot.total.cpus * (spent + vacate)
    return [
        ("ExpectedMachineGracefulDrainingCompletion", str(int(graceful_end))),
        ("ExpectedMachineGracefulDrainingBadput", str(int(graceful))),
        ("ExpectedMachineQuickDrainingCompletion", str(int(quick_end))),
        ("ExpectedMachineQuickDrainingBadput", str(int(quick))),
    ]
