"""The moves that a slot may make: (state, activity) to (state, activity). Everything else is a bug.

Drawn after the state diagram of the manual (Policy Configuration for Execution Points), with the activity
Cleaning.
"""

from __future__ import annotations

from condor_py.model.states import Activity, SlotState

Place = tuple[SlotState, Activity]

OWNER: Place = (SlotState.OWNER, Activity.IDLE)
UNCLAIMED: Place = (SlotState.UNCLAIMED, Activity.IDLE)
IDLE: Place = (SlotState.CLAIMED, Activity.IDLE)
BUSY: Place = (SlotState.CLAIMED, Activity.BUSY)
RETIRING: Place = (SlotState.CLAIMED, Activity.RETIRING)
SUSPENDED: Place = (SlotState.CLAIMED, Activity.SUSPENDED)
CLEANING: Place = (SlotState.CLAIMED, Activity.CLEANING)
VACATING: Place = (SlotState.PREEMPTING, Activity.VACATING)
KILLING: Place = (SlotState.PREEMPTING, Activity.KILLING)
DRAINED_RETIRING: Place = (SlotState.DRAINED, Activity.RETIRING)
DRAINED_IDLE: Place = (SlotState.DRAINED, Activity.IDLE)

_EVICTION = (VACATING, KILLING)
MOVES: dict[Place, frozenset[Place]] = {
    OWNER: frozenset((UNCLAIMED, IDLE, DRAINED_RETIRING)),
    UNCLAIMED: frozenset((OWNER, IDLE, DRAINED_RETIRING)),
    IDLE: frozenset((BUSY, *_EVICTION)),
    BUSY: frozenset((CLEANING, RETIRING, SUSPENDED, *_EVICTION)),
    RETIRING: frozenset((BUSY, CLEANING, SUSPENDED, *_EVICTION)),
    SUSPENDED: frozenset((BUSY, RETIRING, CLEANING, *_EVICTION)),
    CLEANING: frozenset((IDLE,)),
    VACATING: frozenset((KILLING, OWNER)),
    KILLING: frozenset((OWNER,)),
    DRAINED_RETIRING: frozenset((DRAINED_IDLE, OWNER, IDLE)),
    DRAINED_IDLE: frozenset((OWNER,)),
}

#: Places in which a job's processes may exist; in all others there is no run.
WITH_JOB = frozenset((BUSY, RETIRING, SUSPENDED, VACATING, KILLING))
#: Places in which a slot has a claim.
WITH_CLAIM = frozenset((IDLE, BUSY, RETIRING, SUSPENDED, CLEANING, VACATING, KILLING))


def describe(old: Place, new: Place) -> str:
    """The StartLog line of a move."""
    if old[0] is new[0]:
        return f"Changing activity: {old[1].value} -> {new[1].value}"
    if old[1] is new[1]:
        return f"Changing state: {old[0].value} -> {new[0].value}"
    return f"Changing state and activity: {old[0].value}/{old[1].value} -> {new[0].value}/{new[1].value}"
