"""Backfill work: what the machine computes while nobody wants its slots (manual: the Backfill state).

One client (BOINC) serves all slots: the first slot that enters Backfill starts it, and it is stopped when the last
one leaves. A partitionable slot takes part while nothing has been cut from it.
"""

from __future__ import annotations

from condor_py.startd import granting
from condor_py.startd.effects import StartBackfill, StopBackfill
from condor_py.startd.events import BackfillGone, BackfillStarted
from condor_py.startd.pool import Pool
from condor_py.startd.state import BackfillClient, Slot
from condor_py.startd.transitions import (
    BACKFILL_BUSY,
    BACKFILL_IDLE,
    BACKFILL_KILLING,
    MATCHED,
    OWNER,
    WITH_BACKFILL,
    Judgement,
    Place,
)


def consider(pool: Pool, slot: Slot) -> None:
    """An Unclaimed slot begins backfill work when START_BACKFILL is true."""
    if not pool.settings.backfill or slot.children or slot.broken:
        return
    if slot.policy.is_true("START_BACKFILL", pool.view(slot)):
        pool.decide(slot, BACKFILL_IDLE, Judgement.BACKFILL, "START_BACKFILL is TRUE")
        pool.move(slot, BACKFILL_IDLE)
        pool.publish()
        _pursue(pool, slot)


def look_at(pool: Pool, slot: Slot) -> None:
    """Whether the slot has to leave Backfill; if not, its client runs or is started."""
    if slot.place == BACKFILL_KILLING:
        return
    view = pool.view(slot)
    if slot.policy.is_true("EVICT_BACKFILL", view):
        pool.log(slot, "State change: EVICT_BACKFILL is TRUE")
        leave(pool, slot, OWNER)
    elif pool.drain.active or pool.shutdown is not None or slot.policy.is_true("IS_OWNER", view):
        leave(pool, slot, OWNER)
    elif slot.place == BACKFILL_IDLE:
        _pursue(pool, slot)


def _pursue(pool: Pool, slot: Slot) -> None:
    if pool.backfill is BackfillClient.RUNNING:
        pool.log(slot, f"State change: BOINC client running for {slot.tag}")
        pool.move(slot, BACKFILL_BUSY)
    elif pool.backfill is BackfillClient.NONE:
        pool.backfill = BackfillClient.STARTING
        pool.emit(StartBackfill())


def leave(pool: Pool, slot: Slot, then: Place) -> None:
    """Ends the slot's part of the backfill work; ``then`` is where the slot goes (a request that waits goes first).
    The client lives on while another slot needs it."""
    slot.after_backfill = then
    if slot.place == BACKFILL_KILLING:
        return
    if slot.place == BACKFILL_BUSY:
        pool.move(slot, BACKFILL_KILLING)
    others = any(s is not slot and s.place in (BACKFILL_BUSY, BACKFILL_IDLE) for s in pool.slots)
    running = pool.backfill in (BackfillClient.RUNNING, BackfillClient.STARTING)
    if not others and running:
        pool.backfill = BackfillClient.STOPPING
        pool.emit(StopBackfill())
    if slot.place == BACKFILL_IDLE or others:
        _out(pool, slot)


def _out(pool: Pool, slot: Slot) -> None:
    """The slot leaves the state Backfill."""
    if slot.place == BACKFILL_KILLING:
        pool.move(slot, BACKFILL_IDLE)
    pool.publish()
    if slot.better is not None and granting.take_over(pool, slot):
        return
    pool.move(slot, MATCHED if slot.after_backfill == MATCHED else OWNER)


def on_started(pool: Pool, event: BackfillStarted) -> None:
    """The client runs, or could not be started, which is tried again with the next look at the slots."""
    if pool.backfill is BackfillClient.STARTING:
        pool.backfill = BackfillClient.RUNNING if event.ok else BackfillClient.NONE
    if pool.backfill is BackfillClient.RUNNING:
        for slot in pool.slots:
            if slot.place == BACKFILL_IDLE:
                _pursue(pool, slot)
        pool.publish()


def on_gone(pool: Pool, event: BackfillGone) -> None:
    """The client has ended with everything that it started: slots that had to leave go on, the others wait for a new
    one."""
    if pool.backfill is BackfillClient.NONE:
        return  # there was none
    pool.backfill = BackfillClient.NONE
    pool.log(None, f"BOINC client exited with status {event.status}")
    for slot in [slot for slot in pool.slots if slot.place in WITH_BACKFILL]:
        if slot.place == BACKFILL_BUSY:
            pool.move(slot, BACKFILL_IDLE)
        elif slot.place == BACKFILL_KILLING:
            _out(pool, slot)
    pool.publish()
