"""The clock has gone on while nothing here did: the machine was asleep, or its clock was set.

Nobody has had that time. A job that ran across it ran as long as before, a lease has as much left as before, and who
was asked to end has as long for it.
"""

from __future__ import annotations

from condor_py.startd.events import ClockJumped
from condor_py.startd.pool import Pool
from condor_py.startd.state import Run
from condor_py.startd.transitions import MATCHED


def on_jump(pool: Pool, event: ClockJumped) -> None:
    """Moves everything that waits for a time by what was left out."""
    seconds = event.seconds
    pool.log(None, f"The clock went on by {seconds:.0f} seconds while this machine did not: they are not counted")
    if pool.lease_from is not None:
        pool.lease_from += seconds
    pool.claimed_at += seconds
    for client in pool.clients.values():
        client.started += seconds
    for slot in pool.every_slot():
        if slot.place == MATCHED:
            slot.entered_state += seconds
        if slot.run is not None:
            _move(slot.run, seconds)
    pool.publish()


def _move(run: Run, seconds: float) -> None:
    if run.suspended_at is None:
        run.suspended_total += seconds
    if run.kill_at is not None:
        run.kill_at += seconds
    if run.give_up_at is not None:
        run.give_up_at += seconds
