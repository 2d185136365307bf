"""The reasons why a job waits: one list, for all tools and the web page (not in HTCondor).

``finding.why_it_waits`` makes the list from the job, the slots and the negotiator's accounts. ``reasons`` has its
words, ``alike`` finds the reasons of a whole queue, ``terminal`` the jobs that will never run. ``abilities.cannot_run``
and ``slots.blocked`` are usable alone: what no slot of the pool has, and what the nearest slot is short of.
"""

from condor_py.cli.waiting.abilities import cannot_run, may_lack
from condor_py.cli.waiting.finding import (
    Around,
    around_pool,
    held_because,
    limited_records,
    schedd_ad,
    slots_of,
    why_it_waits,
)
from condor_py.cli.waiting.reasons import Expected, Holder, Reason, amount
from condor_py.cli.waiting.slots import blocked, emptied

__all__ = [
    "Around",
    "Expected",
    "Holder",
    "Reason",
    "amount",
    "around_pool",
    "blocked",
    "cannot_run",
    "emptied",
    "held_because",
    "limited_records",
    "may_lack",
    "schedd_ad",
    "slots_of",
    "why_it_waits",
]
