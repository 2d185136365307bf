"""Invariants of a pool that must hold after every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.simulate.simulation import Simulation

#: Sums of six-decimal numbers may differ by this much, in weight-seconds a cycle.
_ROUNDING = 1e-5


class BrokenSimulation(CondorError):
    """An invariant does not hold; names the moment, the seed and what is wrong."""


def check(simulation: Simulation) -> None:
    """BrokenSimulation when the state of the pool is inconsistent."""
    try:
        simulation.schedd.validate()
        simulation.startd.validate()
        found = simulation.starters.broken()
        assert not found, found
        _jobs(simulation)
        _slots(simulation)
        _claims(simulation)
        _usage(simulation)
    except (AssertionError, CondorError) as error:
        moment = simulation.now - simulation.start
        raise BrokenSimulation(f"seed {simulation.seed}, {moment:.0f} s after the start: {error}") from error


def _jobs(simulation: Simulation) -> None:
    """Every job submitted is idle, cooling down, held, running or gone, and only one of these."""
    core = simulation.schedd
    kinds = ("idle", "cooling", "asked", "running", "held", "gone")
    counted = dict.fromkeys(kinds, 0)
    for job, ad in simulation.queue.jobs():
        status = ad.eval_int("JobStatus", 0)
        waits = job in core.idle, job in core.state.waiting.cooling and job not in core.runs, core.claims.asks_for(job)
        places = [*waits, job in core.runs, status == JobStatus.HELD]
        gone = status in (JobStatus.COMPLETED, JobStatus.REMOVED) and job not in core.runs
        assert sum(places) + gone == 1 or (status == JobStatus.HELD and job in core.runs), (
            f"job {job} with status {status} is in {sum(places) + gone} places: {places}"
        )
        counted[kinds[places.index(True) if any(places) else -1]] += 1
    tallies = simulation.ledger.tallies.values()
    submitted = sum(tally.submitted for tally in tallies)
    left = sum(tally.finished + tally.removed for tally in tallies)
    assert submitted == len(simulation.queue) + left, f"{submitted} jobs submitted, {left} left, {counted} in the queue"


def _slots(simulation: Simulation) -> None:
    """No slot gives more than it has: what dynamic slots hold and what is free make the whole."""
    sizes: dict[int, dict[str, float]] = {}
    for ad in simulation.slot_ads():
        number = ad.eval_int("SlotID", 0)
        if ad.eval_bool("PartitionableSlot", False):
            total = sizes.setdefault(number, {"Cpus": 0.0, "Memory": 0.0})
            for name in total:
                free = ad.eval_real(name, 0.0)
                assert free >= 0, f"{ad.eval_str('Name')} has {free} {name}"
                total[name] += free - ad.eval_real(f"TotalSlot{name}", 0.0)
        elif ad.eval_bool("DynamicSlot", False):
            total = sizes.setdefault(number, {"Cpus": 0.0, "Memory": 0.0})
            for name in total:
                total[name] += ad.eval_real(name, 0.0)
    for number, total in sizes.items():
        for name, difference in total.items():
            assert abs(difference) < 1e-9, f"slot{number}: {name} differs from the whole by {difference}"


def _claims(simulation: Simulation) -> None:
    """Startd, schedd and ledger know the same claims; a run of the schedd is the run of the startd."""
    startd = {info.claim_id: info for info in simulation.startd.claims()}
    assert startd.keys() == simulation.ledger.claims.keys(), "claims of the startd are not those that were granted"
    assert startd.keys() == simulation.schedd.claims.keys(), "claims of the startd are not those of the schedd"
    for run in simulation.schedd.runs.values():
        info = startd[run.claim_id]
        assert info.job == str(run.job), f"{run.job} runs on {info.slot_name}, which runs {info.job or 'nothing'}"


def _usage(simulation: Simulation) -> None:
    """The accountant counted what it held charged, second by second."""
    table = simulation.accountant.table
    used, uncharged = table.reals["WeightedAccumulatedUsage"], table.reals["WeightedUnchargedTime"]
    allowed = _ROUNDING * (1 + simulation.cycles)
    for name, expected in simulation.ledger.charged.items():
        row = table.index[name]
        found = used[row] + uncharged[row]
        assert abs(found - expected) <= allowed + 1e-9 * expected, f"{name} used {expected}, accounted are {found}"
