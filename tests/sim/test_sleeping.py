"""A machine that sleeps in virtual time: hours asleep, energy, and how much later jobs begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.simulate import Constant, Simulation, machine
from condor_py.simulate.report import span
from condor_py.simulate.scenario import BadScenario, read_scenario
from condor_py.simulate.simulation import compared
from condor_py.simulate.sleeping import SleepPolicy, energy

HOUR = 3600.0
IDLE = 'ifThenElse(State == "Unclaimed" && (time() - NumDynamicSlotsTime) > 1800, "S3", "NONE")'
POLICY = SleepPolicy(IDLE, wake_seconds=40.0, awake=0, asleep_watts=10.0, idle_watts=100.0, busy_watts=300.0)


def day(policy: SleepPolicy | None) -> Simulation:
    """Two jobs of an hour on two cores, ten hours after the start."""
    simulation = Simulation(facts=machine(2), sleep=policy)
    simulation.submit("ann", 2, Constant(HOUR), at=10 * HOUR)
    return simulation


def test_it_sleeps_before_and_after_the_jobs() -> None:
    asleep, awake = day(POLICY), day(None)
    report, other = asleep.run(24 * HOUR), awake.run(24 * HOUR)
    assert asleep.sleeper is not None
    rest = asleep.sleeper.rest(asleep.now)
    assert rest.sleeps == 2
    assert 21.5 * HOUR < rest.asleep < 22.1 * HOUR, "half an hour idle at the start and after the jobs"
    assert report.user("ann").finished == 2
    assert 40 <= report.user("ann").mean_wait - other.user("ann").mean_wait < 45
    found = compared(asleep, report, other)
    assert found.kwh_awake == pytest.approx(2.4 + 0.2, rel=0.01), "idle all day, and busy for an hour"
    assert found.kwh == pytest.approx(0.1 * (24 - 21.9) + 0.2 + 0.01 * 21.9, rel=0.05)
    assert found.lines(span)[0].startswith("Asleep 21.")


def test_a_policy_that_forgets_the_jobs_evicts_them() -> None:
    simulation = day(SleepPolicy('"S3"', awake=0, interval=600))
    report = simulation.run(12 * HOUR)
    assert report.user("ann").evicted > 0
    told = compared(simulation, report, day(None).run(12 * HOUR)).lines(span)
    assert told[-1] == f"{report.user('ann').evicted} runs were evicted by it, 2 jobs fewer were finished"


def test_a_policy_that_never_lets_it_sleep_is_told() -> None:
    simulation = day(SleepPolicy('"S9"'))
    told = compared(simulation, simulation.run(12 * HOUR), day(None).run(12 * HOUR)).lines(span)
    assert told[0].startswith("Asleep 0.0 of 12.0 hours")
    assert told[-1] == "HIBERNATE never named a state (S1 to S5) on all slots at once"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"hibernat": "x"}, "there is no hibernat"), ({}, "hibernate = None is no expression"),
        ({"hibernate": '"S3"', "wake_seconds": "x"}, "wake_seconds must be a number, not x"),
        ({"hibernate": '"S3"', "interval": 0}, "interval must be more than 0"),
    ],
)  # fmt: skip
def test_power_that_is_not_understood(entry: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        SleepPolicy.read(entry)


def test_energy() -> None:
    assert energy(POLICY, 1000 * HOUR, 1000 * HOUR, 0.0) == pytest.approx(10.0)
    assert energy(POLICY, 1000 * HOUR, 0.0, 1.0) == pytest.approx(300.0)


def test_what_a_pool_has_done_is_done_once_more(tmp_path: Path) -> None:
    (tmp_path / "lab.trace").write_text(
        "1700000600 ben 100.0 2\n# a comment\n1700000000 ann 50.0 1\n1700000000 ann 50.0 1\n"
        "1700000000 ann 0.0 1\n1700003600 cid 10 undefined\n"
    )
    scenario = tmp_path / "s.toml"
    scenario.write_text('cores = 4\ntrace = "lab.trace"\n')
    report = read_scenario(str(scenario))[0].run()
    assert [(user.name, user.submitted, user.finished) for user in report.users] == [
        ("ann", 2, 2), ("ben", 1, 1), ("cid", 1, 1)
    ]  # fmt: skip
    assert report.user("ben").held == pytest.approx(200, abs=10)
    (tmp_path / "lab.trace").write_text("now ann 50.0 1\n")
    with pytest.raises(BadScenario, match="line 1: QDate, Owner, RemoteWallClockTime and RequestCpus are needed"):
        read_scenario(str(scenario))
    scenario.write_text('[power]\nhibernate = "(("\n')
    with pytest.raises(BadScenario, match="is no expression"):
        read_scenario(str(scenario))
    scenario.write_text('trace = "none"\n')
    with pytest.raises(BadScenario, match="No such file"):
        read_scenario(str(scenario))
