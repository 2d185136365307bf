"""What draining the machine would cost if it began now."""

from __future__ import annotations

from condor_py.core.slots import patience
from condor_py.core.slots.machineads import Pair
from condor_py.core.slots.pool import Pool


def drain_forecast(pool: Pool) -> list[Pair]:
    """When a drain that began now would end, and the cpu-seconds of work that it would throw away."""
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
