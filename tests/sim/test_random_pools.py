"""Pools with random layouts, policies, quotas and interruptions: the invariants hold whatever happens."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings
from condor_py.model.settings.startd import SlotPolicy, SlotType, StartdSettings
from condor_py.simulate import START, Constant, Exponential, LogNormal, PoolSettings, Simulation, Uniform, machine

HOURS = 3600.0


def policy(random: Random) -> SlotPolicy:
    """Retirement, preemption and suspension of all kinds."""
    return SlotPolicy(
        max_job_retirement_time=random.choice(["0", "600", "3600"]),
        machine_max_vacate_time=random.choice(["600", "10"]),
        preempt=random.choice(["false", "false", "TotalJobRuntime > 3000 && false", "(time() % 7200) < 60"]),
        want_vacate=random.choice(["true", "false"]),
        want_suspend=random.choice(["false", "false", "true"]),
        suspend="(time() % 3600) < 300",
        continue_="(time() % 3600) >= 300",
        rank=random.choice(["0.0", "0.0", 'TARGET.Owner == "user1"']),
    )


def layout(random: Random) -> tuple[SlotType, ...]:
    """Partitionable, static, or both."""
    rules = policy(random)
    static = SlotType(1, 4, False, "1/8", rules)
    return random.choice(
        [
            (SlotType(0, policy=rules),),
            (static, SlotType(2, 1, True, "50%", rules)),
            (replace(static, count=8),),
        ]
    )


def pool(random: Random) -> tuple[PoolSettings, bool]:
    """Settings, and whether there are accounting groups."""
    base = PoolSettings()
    startd: StartdSettings = base.startd.changed(
        types=layout(random), claim_worklife=random.choice([0, 600, 1200, -1]), polling_interval=60
    )
    grouped = random.random() < 0.4
    negotiator = NegotiatorSettings(
        preemption_requirements=random.choice(["False", "False", "RemoteUserPrio > SubmitterUserPrio * 1.2", "True"]),
        consider_preemption=random.random() < 0.8,
        groups=(
            GroupSettings("physics", 5, accept_surplus=random.random() < 0.5),
            GroupSettings("chem", 0.4, dynamic=True, autoregroup=random.random() < 0.3),
        )
        if grouped
        else (),
    )
    settings = replace(
        base,
        startd=startd,
        schedd=base.schedd.changed(claim_worklife=startd.claim_worklife),
        negotiator=negotiator,
        accountant=AccountantSettings(
            halflife=random.choice([600.0, 86400.0]), group_names=("physics", "chem") if grouped else ()
        ),
        cycle_pause=random.choice([0.0, 1.0, 60.0]),
        interval=300.0,
    )
    return settings, grouped


def interrupt(simulation: Simulation, random: Random) -> None:
    """What administrators and users do at bad moments."""
    when = random.uniform(0, 5 * HOURS)
    job = JobId(random.randint(1, 5), random.randint(0, 5))
    user = f"user{random.randint(0, 4)}"
    deeds = (
        (simulation.drain, random.choice(["graceful", "quick", "fast"]), "resume"),
        (simulation.vacate, random.choice([None, "slot1@vm"])),
        (simulation.vacate, None, False),
        (simulation.remove, job),
        (simulation.set_prio, job, random.randint(-5, 5)),
        (simulation.set_factor, user, random.choice([1.0, 5000.0])),
        (simulation.set_ceiling, user, random.choice([-1, 1, 3])),
    )
    deed, *arguments = random.choice(deeds)
    simulation.at(when, deed, *arguments)


def deferral(random: Random) -> dict[str, str]:
    """Now and then a time of its own, met or missed."""
    if random.random() < 0.85:
        return {}
    return {"DeferralTime": str(START + random.randint(0, 20_000)), "DeferralWindow": random.choice(["0", "7200"])}


def scenario(seed: int) -> Simulation:
    random = Random(seed)
    settings, grouped = pool(random)
    simulation = Simulation(settings, machine(8), seed=seed, check_every=3)
    for _ in range(random.randint(3, 15)):
        group = random.choice(["physics", "chem"]) if grouped and random.random() < 0.6 else ""
        simulation.submit(
            f"user{random.randint(0, 4)}",
            random.randint(1, 15),
            random.choice([Constant(300), Exponential(900), Uniform(1, 2000), LogNormal(300)]),
            at=random.uniform(0, 5 * HOURS),
            cpus=random.choice([1, 1, 1, 2, 3]),
            prio=random.randint(-2, 2),
            group=group,
            nice=not group and random.random() < 0.2,
            stop_seconds=random.choice([0.0, 0.0, 5.0, 300.0, float("inf")]),
            attributes=deferral(random),
        )
    for _ in range(random.randint(0, 8)):
        interrupt(simulation, random)
    return simulation


@pytest.mark.parametrize("seed", range(14))
def test_the_books_add_up(seed: int) -> None:
    report = scenario(seed).run(8 * HOURS)
    assert report.finished > 0


@pytest.mark.parametrize("seed", [3, 7])
def test_random_pools_replay(seed: int) -> None:
    first, second = scenario(seed), scenario(seed)
    assert first.run(4 * HOURS) == second.run(4 * HOURS)
    assert first.ledger.history == second.ledger.history
