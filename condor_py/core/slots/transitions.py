"""The moves that a slot may make: (state, activity) to (state, activity). Everything else is a bug.

The table bears the numbers of the manual's state diagram (Policy Configuration for Execution Points), 1 to 37; moves
without a number are those that the program makes and the diagram does not draw: the activity Cleaning, commands that
skip retirement, and dynamic slots that are born to be claimed.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from condor_py.model.states import Activity, SlotState

Place = tuple[SlotState, Activity]


class Judgement(Enum):
    """Result of checking the policy, by the numbers in HTCondor's StartLog."""

    SIMPLE = 1
    RETIREMENT_OVER = 2
    RETIREMENT_OVER_AND_PREEMPT = 3
    PREEMPT = 5
    CONTINUE_RETIRING = 6
    SUSPEND = 7
    CONTINUE = 8
    BETTER_CLAIM = 9
    BETTER_CLAIM_FOR_IDLE = 10
    OWNER_IS_BACK = 11
    WORKLIFE_OVER = 12
    KILL = 14
    OWNER = 15
    BACKFILL = 16
    DRAINING = 17
    EVICT_BACKFILL = 18
    DRAIN_STOPPED = 19
    DRAIN_COMPLETE = 20


Move = tuple[Place, Place]

OWNER: Place = (SlotState.OWNER, Activity.IDLE)
UNCLAIMED: Place = (SlotState.UNCLAIMED, Activity.IDLE)
BENCHMARKING: Place = (SlotState.UNCLAIMED, Activity.BENCHMARKING)
MATCHED: Place = (SlotState.MATCHED, Activity.IDLE)
IDLE: Place = (SlotState.CLAIMED, Activity.IDLE)
BUSY: Place = (SlotState.CLAIMED, Activity.BUSY)
RETIRING: Place = (SlotState.CLAIMED, Activity.RETIRING)
SUSPENDED: Place = (SlotState.CLAIMED, Activity.SUSPENDED)
CLEANING: Place = (SlotState.CLAIMED, Activity.CLEANING)
VACATING: Place = (SlotState.PREEMPTING, Activity.VACATING)
KILLING: Place = (SlotState.PREEMPTING, Activity.KILLING)
BACKFILL_IDLE: Place = (SlotState.BACKFILL, Activity.IDLE)
BACKFILL_BUSY: Place = (SlotState.BACKFILL, Activity.BUSY)
BACKFILL_KILLING: Place = (SlotState.BACKFILL, Activity.KILLING)
DRAINED_RETIRING: Place = (SlotState.DRAINED, Activity.RETIRING)
DRAINED_IDLE: Place = (SlotState.DRAINED, Activity.IDLE)

#: The moves of the manual's diagram, by its numbers.
NUMBERED: dict[int, tuple[Move, ...]] = {
    1: ((OWNER, UNCLAIMED),),
    2: ((UNCLAIMED, OWNER), (BENCHMARKING, OWNER)),
    3: ((UNCLAIMED, BENCHMARKING),),
    4: ((BENCHMARKING, UNCLAIMED),),
    5: ((UNCLAIMED, IDLE), (BENCHMARKING, IDLE)),
    6: ((UNCLAIMED, MATCHED), (BENCHMARKING, MATCHED)),
    7: ((UNCLAIMED, BACKFILL_IDLE),),
    8: ((MATCHED, OWNER),),
    9: ((MATCHED, IDLE),),
    10: ((IDLE, VACATING), (IDLE, KILLING)),
    11: ((IDLE, BUSY),),
    12: ((BUSY, CLEANING), (CLEANING, IDLE)),
    13: ((BUSY, RETIRING),),
    14: ((BUSY, SUSPENDED),),
    15: ((SUSPENDED, BUSY),),
    16: ((SUSPENDED, RETIRING),),
    17: ((SUSPENDED, VACATING), (SUSPENDED, KILLING)),
    18: ((RETIRING, VACATING), (RETIRING, KILLING)),
    19: ((RETIRING, BUSY),),
    20: ((RETIRING, SUSPENDED),),
    21: ((VACATING, KILLING),),
    22: ((VACATING, OWNER),),
    23: ((VACATING, IDLE),),
    24: ((KILLING, IDLE),),
    25: ((KILLING, OWNER),),
    26: ((BACKFILL_IDLE, BACKFILL_BUSY),),
    27: ((BACKFILL_BUSY, BACKFILL_IDLE),),
    28: ((BACKFILL_BUSY, BACKFILL_KILLING),),
    29: ((BACKFILL_KILLING, BACKFILL_IDLE),),
    30: ((BACKFILL_IDLE, OWNER),),
    31: ((BACKFILL_IDLE, IDLE),),
    32: ((BACKFILL_IDLE, MATCHED),),
    33: ((DRAINED_RETIRING, DRAINED_IDLE),),
    34: ((DRAINED_IDLE, OWNER),),
    35: ((DRAINED_RETIRING, OWNER),),
    36: ((OWNER, DRAINED_RETIRING),),
    37: ((UNCLAIMED, DRAINED_RETIRING), (BENCHMARKING, DRAINED_RETIRING)),
}
#: Moves that the diagram does not have.
UNNUMBERED: tuple[Move, ...] = (
    (OWNER, IDLE),  # a dynamic slot is claimed when it is made
    (DRAINED_RETIRING, IDLE),  # condor_drain -start lets a job in
    (BUSY, VACATING),  # condor_vacate, quick draining
    (BUSY, KILLING),  # the same, fast
    (RETIRING, CLEANING),
    (SUSPENDED, CLEANING),
)


def _moves() -> dict[Place, frozenset[Place]]:
    found: dict[Place, set[Place]] = {}
    for old, new in (*(move for moves in NUMBERED.values() for move in moves), *UNNUMBERED):
        found.setdefault(old, set()).add(new)
    return {old: frozenset(new) for old, new in found.items()}


#: Where a slot may go from each place.
MOVES: dict[Place, frozenset[Place]] = _moves()

#: Places in which a slot has a claim.
WITH_CLAIM = frozenset((IDLE, BUSY, RETIRING, SUSPENDED, CLEANING, VACATING, KILLING))
#: Places in which the machine does backfill work, or is about to.
WITH_BACKFILL = frozenset((BACKFILL_IDLE, BACKFILL_BUSY, BACKFILL_KILLING))


@cache
def describe(old: Place, new: Place) -> str:
    """The StartLog line of a move."""
    if old[0] is new[0]:
        return f"Changing activity: {old[1].value} -> {new[1].value}"
    if old[1] is new[1]:
        return f"Changing state: {old[0].value} -> {new[0].value}"
    return f"Changing state and activity: {old[0].value}/{old[1].value} -> {new[0].value}/{new[1].value}"
