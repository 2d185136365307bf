"""Time that a job may still have: retirement and vacate times (manual: MAXJOBRETIREMENTTIME, MachineMaxVacateTime)."""

from __future__ import annotations

from condor_py.core.slots import expressions
from condor_py.core.slots.policy import NOBODY, View
from condor_py.core.slots.pool import Pool
from condor_py.core.slots.state import Claim, Run, Slot

#: Means "as long as it takes", in seconds.
ENDLESS = 2147483647
_KNOB = "MAXJOBRETIREMENTTIME"


def retirement_left(pool: Pool, slot: Slot, view: View | None = None) -> float:
    """Seconds of retirement that the running job has left; 0 without a job. ``view`` when the ads are at hand."""
    run = slot.run
    if run is None or run.waiting or slot.data:
        return 0.0
    if slot.policy.settled(_KNOB) and not run.ad.has("MaxJobRetirementTime"):
        offered = _offered_by_machine(slot, slot.the_claim, NOBODY)
    else:
        with pool.paying(slot):
            offered = _offered(slot, slot.the_claim, run, view or pool.view(slot))
    begun = run.started % 1  # whole seconds of the clock count, as in JobStart: the polls come on them
    return max(0.0, offered - int(run.run_time(pool.now) + begun))


def _offered(slot: Slot, claim: Claim, run: Run, view: View) -> float:
    """Seconds of retirement that the job may have, from its start."""
    offered = _offered_by_machine(slot, claim, view)
    if run.ad.has("MaxJobRetirementTime"):
        wanted = expressions.number(run.ad, "MaxJobRetirementTime", view.slot)
        if wanted is not None:
            offered = min(offered, wanted)
    return offered


def _offered_by_machine(slot: Slot, claim: Claim, view: View) -> float:
    """Retirement time that the machine offers, in seconds; the job may want less."""
    offered = slot.policy.number(_KNOB, view) or 0.0
    return ENDLESS if claim.retire_peacefully and offered != -1 else offered


def vacate_time(pool: Pool, slot: Slot) -> float:
    """Seconds between soft and hard kill: the machine's, less if the job wants less, more out of its retirement."""
    run = slot.the_run
    machine = float(run.vacate_pledge)
    for attribute in ("JobMaxVacateTime", "KillSigTimeout"):
        if run.ad.has(attribute):
            wanted = expressions.number(run.ad, attribute, None) or 0.0
            break
    else:
        return machine
    if wanted <= machine:
        return max(0.0, wanted)
    left = retirement_left(pool, slot)
    return wanted if left >= wanted else max(left, machine)


def graceful_left(pool: Pool) -> float:
    """Seconds until every job that was there before a graceful drain has used up its retirement."""
    if not pool.drain.active or pool.drain.how != "graceful":
        return 0.0
    older = [slot for slot in pool.claimed() if not slot.the_claim.accepted_while_draining]
    return max((retirement_left(pool, slot) for slot in older), default=0.0)


def retirement_over(pool: Pool, slot: Slot) -> bool:
    """True when the eviction must begin now, so that a job that uses its whole vacate time ends with its
    retirement.

    While draining, a job that the present START would take may run until the last of the older jobs has to end.
    """
    left = retirement_left(pool, slot)
    if pool.drain.active:
        if slot.run is None or (left > 0 and slot.the_claim.accepted_while_draining):
            left = graceful_left(pool)
        elif left > 0 and pool.drain.start:
            view = pool.view(slot)
            if expressions.as_bool(expressions.evaluate(pool.drain.start, view.slot, view.job)):
                left = graceful_left(pool)
    if left <= 0:
        return True
    vacate = vacate_time(pool, slot)
    if vacate < left:
        return False
    pool.log(
        slot,
        f"Evicting job with {int(left)}s of retirement time remaining in order to accommodate this job's max "
        f"vacate time of {int(vacate)}s.",
    )
    return True
