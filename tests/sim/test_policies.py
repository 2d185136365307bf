"""Quotas, claims, preemption and accounting in virtual time, to the numbers that the manual's rules give."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings
from condor_py.model.settings.startd import SlotPolicy, SlotType
from condor_py.simulate import DOMAIN, Constant, Exponential, PoolSettings, Simulation, machine

ROOT = Path(__file__).resolve().parents[2]


def grouped(cores: int, *groups: GroupSettings, **negotiator: bool) -> Simulation:
    """A pool with accounting groups, checked after every step."""
    settings = replace(
        PoolSettings(),
        negotiator=NegotiatorSettings(groups=groups, **negotiator),
        accountant=AccountantSettings(group_names=tuple(group.name for group in groups)),
    )
    return Simulation(settings, machine(cores), check_every=5)


def worklife(seconds: int) -> PoolSettings:
    """CLAIM_WORKLIFE."""
    base = PoolSettings()
    return replace(
        base,
        startd=base.startd.changed(claim_worklife=seconds),
        schedd=base.schedd.changed(claim_worklife=seconds),
    )


def held_by_group(simulation: Simulation) -> dict[str, float]:
    """Slot weight in use by accounting group."""
    held: dict[str, float] = {}
    for submitter, weight in simulation.ledger.held_now().items():
        group = submitter.partition("@")[0].rpartition(".")[0] or "<none>"
        held[group] = held.get(group, 0.0) + weight
    return held


def most_by_group(simulation: Simulation) -> dict[str, float]:
    """Filled while the simulation runs: the most that each group held at any moment."""
    most: dict[str, float] = {}

    def look(now: Simulation) -> None:
        for group, weight in held_by_group(now).items():
            most[group] = max(weight, most.get(group, 0.0))

    simulation.after_step = look
    return most


def test_groups_get_their_quotas_and_never_more() -> None:
    """The manual's example: physics 20 and chemistry 10 of 30 slots, both with more jobs than that."""
    sim = grouped(30, GroupSettings("physics", 20), GroupSettings("chemistry", 10))
    most = most_by_group(sim)
    for user, group in (("ann", "physics"), ("ben", "physics"), ("cat", "chemistry")):
        sim.submit(user, 200, Exponential(900), group=group)
    sim.run(4 * 3600)
    assert most == {"physics": 20, "chemistry": 10}


def test_without_surplus_unused_quota_stays_idle() -> None:
    sim = grouped(30, GroupSettings("physics", 20), GroupSettings("chemistry", 10))
    most = most_by_group(sim)
    sim.submit("ann", 4, Constant(3600), group="physics")
    sim.submit("cat", 100, Constant(600), group="chemistry")
    sim.run(3600)
    assert most == {"physics": 4, "chemistry": 10}


def test_nested_quotas_cap_the_parent() -> None:
    """hep 15 and lep 5 below physics 20, all accepting surplus but physics: 20 is a hard cap."""
    sim = grouped(
        30,
        GroupSettings("physics", 20),
        GroupSettings("physics.hep", 15, accept_surplus=True),
        GroupSettings("physics.lep", 5, accept_surplus=True),
        GroupSettings("chemistry", 10),
        allow_quota_oversubscription=False,
    )
    most = most_by_group(sim)
    sim.submit("ann", 300, Constant(600), group="physics.hep")
    sim.submit("cat", 4, Constant(3600), group="chemistry")
    sim.run(3600)
    assert most == {"physics.hep": 20, "chemistry": 4}


@pytest.mark.parametrize(("seconds", "claims"), [(0, 8), (700, 3), (1200, 2), (-1, 1)])
def test_a_claim_is_used_again_until_its_worklife_is_over(seconds: int, claims: int) -> None:
    sim = Simulation(worklife(seconds), machine(1), check_every=1)
    sim.submit("ann", 8, Constant(300))
    sim.run()
    assert [line.what for line in sim.ledger.history].count("claim") == claims


def test_a_claim_serves_its_user_until_then_even_before_better_ones() -> None:
    sim = Simulation(worklife(1200), machine(1), check_every=1)
    sim.submit("ann", 8, Constant(300))
    sim.submit("ben", 1, Constant(300), at=10)
    sim.run()
    starts = [line.job for line in sim.ledger.history if line.what == "start"]
    assert starts.index("2.0") == 4, "four jobs of 300 s fill the claim"


def preempting(slots: tuple[SlotType, ...]) -> PoolSettings:
    """Users who used a fifth more than another may be preempted for him."""
    base = PoolSettings()
    rule = "RemoteUserPrio > SubmitterUserPrio * 1.2"
    return replace(
        base,
        startd=base.startd.changed(types=slots),
        negotiator=NegotiatorSettings(preemption_requirements=rule),
        accountant=AccountantSettings(halflife=3600.0),
    )


@pytest.mark.parametrize("slots", [(SlotType(0),), (SlotType(1, 8, False, "1/8"),)], ids=["partitionable", "static"])
def test_preemption_gives_the_slot_to_whom_it_was_taken_for(slots: tuple[SlotType, ...]) -> None:
    sim = Simulation(preempting(slots), machine(8), check_every=1)
    sim.submit("old", 16, Constant(7200))
    sim.submit("new", 4, Constant(600), at=3600)
    report = sim.run()
    assert report.finished == 20
    assert report.user("new").longest_wait < 120
    assert report.user("old").evicted >= 4
    assert "refused" not in {line.what for line in sim.ledger.history}


def test_retirement_is_respected_when_the_machine_is_drained() -> None:
    base = PoolSettings()
    rules = SlotPolicy(max_job_retirement_time="1200", machine_max_vacate_time="10")
    sim = Simulation(replace(base, startd=base.startd.changed(types=(SlotType(0, policy=rules),))), machine(4))
    sim.submit("ann", 2, Constant(900))
    sim.submit("ben", 2, Constant(3000))
    sim.at(600, sim.drain, "graceful")
    sim.at(4000, sim.cancel_drain)
    report = sim.run()
    assert report.user("ann").evicted == 0
    assert report.user("ben").evicted == 2
    vacated = [line.when for line in sim.ledger.history if line.what == "vacated"]
    assert all(1180 <= when <= 1205 for when in vacated)


def test_the_accountant_charges_what_claims_lasted() -> None:
    """Use is charged from match to the first cycle after the claim's end: at most one cycle a claim too much."""
    settings = replace(worklife(600), cycle_pause=5.0)
    sim = Simulation(settings, machine(8), seed=4, check_every=10)
    for number in range(4):
        sim.submit(f"user{number}", 60, Exponential(400), at=number * 1000.0, cpus=1 + number % 2)
    assert sim.run(30000).finished == 240
    table = sim.accountant.table
    claims: dict[str, int] = {}
    for line in sim.ledger.history:
        if line.what == "claim":
            claims[line.detail.split()[1]] = claims.get(line.detail.split()[1], 0) + 1
    for number in range(4):
        name = f"user{number}@{DOMAIN}"
        accounted = table.reals["WeightedAccumulatedUsage"][table.index[name]]
        late = accounted - sim.ledger.tallies[name].held
        assert -1.0 <= late <= 5.0 * (1 + number % 2) * claims[name]


def test_the_history_does_not_depend_on_the_process() -> None:
    program = (
        "from condor_py.simulate import *\n"
        "sim = Simulation(facts=machine(6), seed=3)\n"
        "for user in 'abcdef':\n"
        "    sim.submit(user, 30, Exponential(700), cpus=1 + ord(user) % 2)\n"
        "print(sim.run().digest)\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
