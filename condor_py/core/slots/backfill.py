"""Backfill work: what the machine computes while no job wants its slots (manual: the Backfill state).

One client (BACKFILL_SYSTEM = BOINC) serves all slots: the first slot that enters Backfill starts it, and it is stopped
when the last one leaves. With COMMAND each slot has a client of its own, which rests a while after it has ended, longer
each time that it ends badly. A partitionable slot takes part while nothing has been cut from it.
"""

from __future__ import annotations

from condor_py.core.slots import granting
from condor_py.core.slots.effects import StartBackfill, StopBackfill
from condor_py.core.slots.events import BackfillGone, BackfillStarted
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import BackfillClient, ClientState, Slot
from condor_py.core.slots.transitions import (
    BACKFILL_BUSY,
    BACKFILL_IDLE,
    BACKFILL_KILLING,
    MATCHED,
    OWNER,
    WITH_BACKFILL,
    Judgement,
    Place,
)
from condor_py.model.settings.startd import StartdSettings

#: A client that has run so long has not failed: seconds.
_LONG = 3600.0
_MOST_DOUBLINGS = 30


def consider(pool: Pool, slot: Slot) -> None:
    """An Unclaimed slot begins backfill work when START_BACKFILL is true."""
    if not _has_work(pool, slot) or slot.children or slot.broken:
        return
    if slot.policy.is_true("START_BACKFILL", pool.view(slot)):
        pool.decide(slot, BACKFILL_IDLE, Judgement.BACKFILL, "START_BACKFILL is TRUE")
        pool.move(slot, BACKFILL_IDLE)
        pool.publish()
        slot.client = slot.name if pool.settings.backfill_command is not None else ""
        _pursue(pool, slot)


def _has_work(pool: Pool, slot: Slot) -> bool:
    """Whether there is anything for this slot to do."""
    command = pool.settings.backfill_command
    return pool.settings.backfill and (command is None or bool(command.line(slot.slot_id)))


def on_reconfig(pool: Pool, before: StartdSettings) -> None:
    """Clients that are not wanted any more, or not as they are, end; slots come back if they shall."""
    now = pool.settings
    if (now.backfill, now.backfill_command) == (before.backfill, before.backfill_command):
        return
    for client in pool.clients.values():
        client.failures, client.rests_until = 0, 0.0
    for slot in _slots(pool):
        pool.log(slot, "State change: the backfill system is another one")
        leave(pool, slot, OWNER)


def _slots(pool: Pool, client: str | None = None) -> list[Slot]:
    """The slots in state Backfill; of one client, or all."""
    return [s for s in pool.slots if s.place in WITH_BACKFILL and (client is None or s.client == client)]


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
    client = pool.clients.setdefault(slot.client, BackfillClient())
    if client.state is ClientState.RUNNING:
        pool.log(slot, f"State change: {_name(slot.client)} running for {slot.tag}")
        pool.move(slot, BACKFILL_BUSY)
    elif client.state is ClientState.NONE and pool.now >= client.rests_until:
        client.state, client.started = ClientState.STARTING, pool.now
        pool.emit(StartBackfill(slot.client))


def _name(client: str) -> str:
    return "backfill command" if client else "BOINC client"


def leave(pool: Pool, slot: Slot, then: Place) -> None:
    """Ends the slot's part of the backfill work; ``then`` is where the slot goes (a request that waits goes first).
    The client lives on while another slot needs it."""
    slot.after_backfill = then
    if slot.place == BACKFILL_KILLING:
        return
    if slot.place == BACKFILL_BUSY:
        pool.move(slot, BACKFILL_KILLING)
    client = pool.clients.setdefault(slot.client, BackfillClient())
    others = any(s is not slot for s in _slots(pool, slot.client))
    if not others and client.state in (ClientState.RUNNING, ClientState.STARTING):
        client.state = ClientState.STOPPING
        pool.emit(StopBackfill(slot.client))
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
    """The client runs, or could not be started, which is tried again with a later look at the slots."""
    client = pool.clients.setdefault(event.slot, BackfillClient())
    if client.state is ClientState.STARTING:
        client.state = ClientState.RUNNING if event.ok else ClientState.NONE
        if not event.ok:
            _rest(pool, event.slot, client, failed=True)
    if client.state is ClientState.RUNNING:
        for slot in _slots(pool, event.slot):
            if slot.place == BACKFILL_IDLE:
                _pursue(pool, slot)
        pool.publish()


def on_gone(pool: Pool, event: BackfillGone) -> None:
    """The client has ended with everything that it started: slots that had to leave continue, the others wait for a new
    client."""
    client = pool.clients.get(event.slot)
    if client is None or client.state is ClientState.NONE:
        return  # there was none
    stopped, client.state = client.state is ClientState.STOPPING, ClientState.NONE
    pool.log(None, f"{_name(event.slot)} {f'of {event.slot} ' if event.slot else ''}exited with status {event.status}")
    if not stopped:
        _rest(pool, event.slot, client, failed=event.status != 0 and pool.now - client.started < _LONG)
    for slot in _slots(pool, event.slot):
        if slot.place == BACKFILL_BUSY:
            pool.move(slot, BACKFILL_IDLE)
        elif slot.place == BACKFILL_KILLING:
            _out(pool, slot)
    pool.publish()


def _rest(pool: Pool, name: str, client: BackfillClient, *, failed: bool) -> None:
    """The command of a slot waits before it starts again: twice as long after each failure."""
    command = pool.settings.backfill_command
    if not name or command is None:
        return
    client.failures = min(client.failures + 1, _MOST_DOUBLINGS) if failed else 0
    wait = min(command.wait * 2 ** max(0, client.failures - 1), max(command.wait, command.longest_wait))
    client.rests_until = pool.now + wait
    if failed:
        pool.log(None, f"The backfill command of {name} failed; it is tried again in {wait:g} seconds")
