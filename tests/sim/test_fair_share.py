"""Seeded simulations of the daemons' own cores: what fair share promises, over days of virtual time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.simulate import Constant, Exponential, PoolSettings, Simulation, Uniform, machine


def busy(seed: int = 1, cores: int = 10, **accountant: float) -> Simulation:
    """A pool whose priorities forget within an hour and whose claims are short, so that shares show quickly."""
    base = PoolSettings()
    settings = replace(
        base,
        accountant=AccountantSettings(**{"halflife": 3600.0, **accountant}),
        startd=base.startd.changed(claim_worklife=0),
        schedd=base.schedd.changed(claim_worklife=0),
    )
    return Simulation(settings, machine(cores), seed=seed, check_every=25)


def test_equal_users_get_equal_shares() -> None:
    sim = busy()
    for user in ("ann", "ben"):
        sim.submit(user, 700, Constant(300))
    report = sim.run(36000)
    assert report.user("ann").got == pytest.approx(report.user("ben").got, rel=0.03)
    assert report.utilisation > 0.97


def test_shares_follow_the_inverse_of_the_factors() -> None:
    """At steady state use / factor is what priority equalises: a factor twice as large means half the machine."""
    sim = busy(cores=12)
    for user in ("ann", "ben"):
        sim.submit(user, 700, Constant(600))
    sim.at(1, sim.set_factor, "ann", 1000.0)
    sim.at(1, sim.set_factor, "ben", 4000.0)
    report = sim.run(36000)
    # EUP = factor * use and share ~ 1 / EUP give use ~ 1 / sqrt(factor).
    assert report.user("ann").got / report.user("ben").got == pytest.approx(2.0, rel=0.15)


def test_a_newcomer_is_not_starved() -> None:
    sim = busy()
    sim.submit("old", 700, Constant(300))
    sim.submit("new", 20, Constant(300), at=9000)
    report = sim.run(18000)
    assert report.user("new").finished == 20
    assert report.user("new").longest_wait < 3600


def test_nice_users_take_what_is_left() -> None:
    sim = busy()
    sim.submit("nice", 800, Constant(300), nice=True)
    sim.submit("ann", 700, Constant(300), at=1800)
    report = sim.run(20000)
    assert report.user("ann").got > 0.8


def test_a_share_smaller_than_a_slot_has_its_part() -> None:
    """Priorities of 8 x 1000 and 0.5 x 127000 are shares of 7.1 and 0.9 of eight slots."""
    sim = busy(cores=8)
    sim.at(0, sim.set_factor, "ann", 1000.0)
    sim.at(0, sim.set_factor, "ben", 127_000.0)
    for user in ("ann", "ben"):
        sim.submit(user, 600, Constant(300))
    assert sim.run(15000).user("ben").got > 0.07


def test_a_ceiling_is_never_exceeded() -> None:
    sim = busy()
    sim.at(0, sim.set_ceiling, "ann", 3)
    sim.submit("ann", 500, Exponential(600), at=10)
    highest = 0

    def look(simulation: Simulation) -> None:
        nonlocal highest
        highest = max(highest, len(simulation.schedd.runs))

    sim.after_step = look
    sim.run(20000)
    assert highest == 3


def test_every_job_is_through_and_usage_is_conserved() -> None:
    """run() without an end returns when the queue is empty; the invariants (usage among them) were checked on the
    way.
    """
    sim = busy(seed=5)
    for number in range(12):
        sim.submit(f"user{number % 4}", 40, Uniform(1, 2000), at=number * 500.0, cpus=1 + number % 3)
    report = sim.run()
    assert report.finished == report.submitted == 480
    assert len(sim.queue) == 0


def test_priorities_inside_a_user_decide_the_order() -> None:
    sim = busy(cores=1)
    order: list[JobId] = []
    submissions = [sim.submit("ann", 1, Constant(100), prio=prio) for prio in (0, 5, -3, 10)]

    def look(simulation: Simulation) -> None:
        for job in simulation.schedd.runs:
            if job not in order:
                order.append(job)

    sim.after_step = look
    sim.run()
    clusters = [job.cluster for job in order]
    wanted = sorted(submissions[1:], key=lambda submission: -submission.prio)
    assert clusters[1:] == [submission.cluster for submission in wanted] or clusters == [
        submission.cluster for submission in sorted(submissions, key=lambda submission: -submission.prio)
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_seed_gives_the_same_history(seed: int) -> None:
    def history() -> tuple[int, int]:
        sim = busy(seed=seed)
        for user in ("ann", "ben", "cat"):
            sim.submit(user, 40, Exponential(900), at=100.0)
        sim.at(5000, sim.drain, "quick", "resume")
        sim.at(9000, sim.vacate)
        report = sim.run()
        return report.digest, report.cycles

    assert history() == history()


def test_a_drain_empties_the_machine_and_loses_no_job() -> None:
    sim = busy()
    sim.submit("ann", 50, Constant(1000))
    sim.at(1500, sim.drain, "fast")
    sim.at(3000, sim.cancel_drain)
    report = sim.run()
    assert report.finished == 50
    assert report.user("ann").evicted > 0


def test_many_users_for_days() -> None:
    sim = Simulation(PoolSettings(), machine(16), seed=7, keep_history=False)
    for number in range(25):
        for day in range(2):
            sim.submit(f"user{number:02d}", 8, Exponential(1800), at=day * 86400 + number * 60.0)
    report = sim.run()
    assert report.finished == report.submitted == 400
    assert max(user.longest_wait for user in report.users) < 86400, "nobody starves"
