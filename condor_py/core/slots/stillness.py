"""Whether time alone could change anything here. A machine nobody works on, whose policy asks neither it nor the clock,
need not be looked at every POLLING_INTERVAL: a look with each update, and before whatever happens next, shows the same.
"""

from __future__ import annotations

from condor_py.core.slots import latches
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Slot
from condor_py.core.slots.transitions import OWNER, UNCLAIMED

_SETTLED = (OWNER, UNCLAIMED)
#: D_LOAD and D_KEYBOARD with this level tell of every look.
_EVERY_LOOK = 2


def next_look(pool: Pool) -> float:
    """Seconds until the next look at the machine, which is at most POLLING_INTERVAL late for any change of policy."""
    interval = float(pool.settings.polling_interval)
    if not is_still(pool):
        return interval
    return max(interval, pool.published + pool.settings.update_interval - pool.now)


def is_still(pool: Pool) -> bool:
    """Whether what is so stays so until something happens. What has a time of its own (a match, a rest, HIBERNATE) is
    no matter of looks: ``Startd.next_wakeup`` tells of that."""
    settings = pool.settings
    return not (
        pool.claims
        or pool.drain.active
        or pool.shutdown is not None
        or pool.goes_to_sleep
        or pool.works_for_itself
        or settings.noclaim_shutdown > 0
        or max(settings.log_load, settings.log_idle) >= _EVERY_LOOK
        or any(latches.counts(name) for name in settings.latched)
        or not all(_is_settled(slot) for slot in pool.every_slot())
    )


def _is_settled(slot: Slot) -> bool:
    policy = slot.policy
    return slot.place in _SETTLED and not slot.children and not policy.settings.hook_keyword and not policy.needs_polls
