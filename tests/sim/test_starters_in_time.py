"""Simulated jobs take the time of real ones: until they mind a kill signal, until the hour they were deferred to."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from condor_py.model.ids import JobId
from condor_py.model.settings.startd import SlotPolicy, SlotType
from condor_py.model.states import HoldCode, JobStatus
from condor_py.simulate import START, Constant, PoolSettings, Simulation, machine


def pool(**policy: str) -> Simulation:
    base = PoolSettings()
    rules = SlotPolicy(machine_max_vacate_time="100", **policy)
    settings = replace(base, startd=base.startd.changed(types=(SlotType(0, policy=rules),)))
    return Simulation(settings, machine(1), check_every=1)


def times(simulation: Simulation, what: str) -> list[float]:
    """When that happened, in seconds after the start."""
    return [line.when for line in simulation.ledger.history if line.what == what]


@pytest.mark.parametrize(
    ("stop_seconds", "attributes", "gone"),
    [
        (0.0, {}, 600),
        (20.0, {}, 620),
        (inf, {}, 700),
        (inf, {"JobMaxVacateTime": "7"}, 607),
        (20.0, {"KillSig": '"SIGKILL"'}, 600),
        (20.0, {"KillSig": '"0"'}, 700),
    ],
)
def test_a_vacated_job_is_gone_when_it_minds_its_signal_or_its_time_is_over(
    stop_seconds: float, attributes: dict[str, str], gone: float
) -> None:
    simulation = pool()
    simulation.submit("ann", 1, Constant(3600), stop_seconds=stop_seconds, attributes=attributes)
    simulation.at(600, simulation.vacate)
    simulation.run(900)
    (vacated,) = times(simulation, "vacated")
    assert gone <= vacated <= gone + 6, "the startd looks every five seconds"


def test_a_job_that_ends_while_it_minds_its_signal_ends_at_its_own_time() -> None:
    simulation = pool()
    simulation.submit("ann", 1, Constant(610), stop_seconds=50.0)
    simulation.at(600, simulation.vacate)
    simulation.run(900)
    (started, *_), (vacated, *_) = times(simulation, "start"), times(simulation, "vacated")
    assert vacated == started + 610


def test_a_job_retires_before_it_gets_its_signal() -> None:
    simulation = pool(max_job_retirement_time="1000")
    simulation.submit("ann", 1, Constant(3600), stop_seconds=20.0)
    simulation.at(600, simulation.drain)
    simulation.run(2000)
    (vacated,) = times(simulation, "vacated")
    assert 920 <= vacated <= 930, "its vacate time is the end of its retirement"


def test_a_deferred_job_keeps_its_slot_and_runs_at_its_hour() -> None:
    simulation = pool()
    simulation.submit("ann", 1, Constant(60), attributes={"DeferralTime": str(START + 1000)})
    simulation.run()
    assert times(simulation, "start") == [1000]
    assert times(simulation, "end") == [1060]


def test_a_job_that_missed_its_hour_is_held() -> None:
    simulation = pool()
    attributes = {"DeferralTime": str(START + 100), "DeferralWindow": "60"}
    simulation.submit("ann", 1, Constant(60), at=500, attributes=attributes)
    simulation.run(900)
    ad = simulation.queue.job(JobId(1, 0))
    assert ad is not None
    assert ad.eval_int("JobStatus", 0) == JobStatus.HELD
    assert ad.eval_int("HoldReasonCode", 0) == HoldCode.MISSED_DEFERRAL_TIME
    assert times(simulation, "start") == []


def test_a_suspended_job_does_not_get_on() -> None:
    passed = f"(time() - {START})"
    simulation = pool(want_suspend="true", suspend=f"{passed} > 100 && {passed} < 400", continue_=f"{passed} >= 400")
    simulation.submit("ann", 1, Constant(300))
    simulation.run(2000)
    (started,), (ended,) = times(simulation, "start"), times(simulation, "end")
    assert 595 <= ended - started <= 605
