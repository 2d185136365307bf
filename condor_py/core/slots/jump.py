"""The clock and what happens here do not go together: the machine was asleep, or its clock was set.

Nobody has had the time by which the clock went on alone. A job that ran across it ran as long as before, a lease has as
much left as before, and who was asked to end has as long for it. Where the clock was set back all that was is as long
ago as before, and what is to come is as far away.
"""

from __future__ import annotations

from condor_py.core.slots.events import ClockJumped
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Latch, Run, Slot
from condor_py.core.slots.transitions import MATCHED


def on_jump(pool: Pool, event: ClockJumped) -> None:
    """Moves everything that waits for a time by what was left out, or taken back."""
    seconds = event.seconds
    if pool.lease_from is not None:
        pool.lease_from += seconds
    pool.claimed_at += seconds
    for client in pool.clients.values():
        client.started += seconds
    if seconds > 0:
        pool.log(None, f"The clock went on by {seconds:.0f} seconds while this machine did not: they are not counted")
        for slot in pool.every_slot():
            _pass_over(slot, seconds)
    else:
        pool.log(None, f"The clock was set back by {-seconds:.0f} seconds: what was is as long ago as before")
        _set_back(pool, seconds)
        for slot in pool.every_slot():
            _set_slot_back(slot, seconds)
    pool.publish()


def _pass_over(slot: Slot, seconds: float) -> None:
    if slot.place == MATCHED:
        slot.entered_state += seconds
    run = slot.run
    if run is not None:
        if run.suspended_at is None:
            run.suspended_total += seconds
        _move_deadlines(run, seconds)


def _move_deadlines(run: Run, seconds: float) -> None:
    if run.kill_at is not None:
        run.kill_at += seconds
    if run.give_up_at is not None:
        run.give_up_at += seconds


def _set_back(pool: Pool, seconds: float) -> None:
    """What concerns the whole machine."""
    pool.published += seconds
    pool.power.next_check += seconds
    pool.drain.counted_until += seconds
    pool.last_benchmark += int(seconds)
    if pool.rests_until:
        pool.rests_until += seconds
    for client in pool.clients.values():
        client.rests_until += seconds


def _set_slot_back(slot: Slot, seconds: float) -> None:
    slot.entered_state += seconds
    slot.entered_activity += seconds
    slot.fetch.since += seconds
    slot.fetch.due += seconds
    slot.busy.move(seconds)
    slot.latches = {name: Latch(latch.value, latch.since + int(seconds)) for name, latch in slot.latches.items()}
    if slot.claim is not None:
        slot.claim.born += seconds
    run = slot.run
    if run is not None:
        run.started += seconds
        run.cpu_seen_at += seconds
        if run.suspended_at is not None:
            run.suspended_at += seconds
        _move_deadlines(run, seconds)
