"""The policy of condor_defrag."""

from __future__ import annotations

import pytest

from condor_py.classad import ClassAd
from condor_py.model.settings.defrag import DefragSettings
from condor_py.startd.defrag import Defrag, machine_of

NOW = 1_800_000_000.0
HOUR = DefragSettings("DEFRAG@vm", interval=3600, machines_per_hour=1.0)


def slot(name: str, **texts: str) -> ClassAd:
    base = {
        "Name": f'"{name}"', "PartitionableSlot": "true", "Cpus": "1", "TotalSlotCpus": "4", "SlotID": "1",
        "ExpectedMachineGracefulDrainingBadput": "100", "ExpectedMachineGracefulDrainingCompletion": "1800000060",
        "ExpectedMachineQuickDrainingBadput": "10", "ExpectedMachineQuickDrainingCompletion": "1800000001",
    }  # fmt: skip
    return ClassAd.from_text_items({**base, **texts}.items())


def policy(**more: object) -> Defrag:
    return Defrag(DefragSettings(**{"name": "DEFRAG@vm", "interval": 3600, "machines_per_hour": 1.0, **more}), NOW)  # type: ignore[arg-type]


def shown(found: Defrag, now: float = NOW) -> dict[str, str]:
    return dict(found.pairs(now))


def test_drains_the_machine_that_costs_least() -> None:
    cheap = slot("slot1@b", ExpectedMachineGracefulDrainingBadput="5")
    plan = policy().poll(NOW, [slot("slot1@a"), cheap, slot("slot1@c")])
    assert [order.name for order in plan.drain] == ["slot1@b"]
    assert plan.drain[0].check == (
        "ExpectedMachineGracefulDrainingCompletion <= 1800001260 && ExpectedMachineGracefulDrainingBadput <= 1206"
    )
    assert plan.cancel == ()


def test_quick_draining_is_checked_by_its_own_cost() -> None:
    plan = policy(schedule="quick").poll(NOW, [slot("slot1@a")])
    assert plan.drain[0].check == (
        "ExpectedMachineQuickDrainingCompletion <= 1800001201 && ExpectedMachineQuickDrainingBadput <= 1212"
    )


@pytest.mark.parametrize(
    "ad",
    [
        slot("slot1@a", PartitionableSlot="false"),
        slot("slot1@a", Offline="true"),
        slot("slot1@a", Draining="true", DrainReason='"somebody"'),
        slot("slot1@a", Cpus="4"),
        slot("slot1@a", Memory="5"),
    ],
    ids=["static", "off line", "draining", "whole", "not required"],
)
def test_who_is_left_alone(ad: ClassAd) -> None:
    assert policy(requirements="Memory =?= undefined").poll(NOW, [ad]).drain == ()


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"machines_per_hour": 0.0}, "number to drain in next 3600s is calculated to be 0.000."),
        ({"max_concurrent": 0}, "DEFRAG_MAX_CONCURRENT_DRAINING=0"),
        ({"max_whole": 0}, "DEFRAG_MAX_WHOLE_MACHINES=0"),
        ({"max_concurrent": 1}, "DEFRAG_MAX_CONCURRENT_DRAINING=1 and there are 1 draining machines."),
        ({"max_whole": 1}, "DEFRAG_MAX_WHOLE_MACHINES=1 and there are 1 whole machines."),
    ],
)
def test_limits(more: dict[str, object], reason: str) -> None:
    mine = slot("slot1@b", Draining="true", DrainReason='"Defrag DEFRAG@vm"')
    plan = policy(**more).poll(NOW, [slot("slot1@a"), mine, slot("slot1@c", Cpus="4")])
    assert plan.drain == ()
    assert plan.lines[-1] == f"Doing nothing, because {reason}"


def test_one_request_a_machine() -> None:
    ads = [slot("slot1@a"), slot("slot2@a"), slot("slot1@b")]
    assert [order.name for order in policy(machines_per_hour=5.0).poll(NOW, ads).drain] == ["slot1@a", "slot1@b"]


def test_a_draining_of_ours_ends_when_the_machine_is_whole() -> None:
    mine = slot("slot1@a", Draining="true", DrainReason='"Defrag DEFRAG@vm"', Cpus="4")
    other = slot("slot1@b", Draining="true", DrainReason='"maintenance"', Cpus="4")
    plan = policy().poll(NOW, [mine, other])
    assert plan.cancel == ("slot1@a",)
    assert policy(cancel_requirements="").poll(NOW, [mine]).cancel == ()


def test_a_rate_below_one_an_interval_is_made_up_at_the_full_hour() -> None:
    found = policy(interval=600, machines_per_hour=2.0)
    start = NOW - NOW % 3600 + 3000  # ten minutes before a full hour
    assert found.poll(start, [slot("slot1@a")]).drain == ()
    assert len(found.poll(start + 600, [slot("slot1@a"), slot("slot1@b"), slot("slot1@c")]).drain) == 2
    assert found.poll(start + 1200, [slot("slot1@a")]).drain == ()


def test_a_rate_below_one_an_hour_is_made_up_at_midnight() -> None:
    found = policy(interval=600, machines_per_hour=1 / 24)
    midnight = NOW - NOW % 86400 + 86400
    machines = [slot(f"slot1@{name}") for name in "abc"]
    drained = [len(found.poll(midnight + seconds, machines).drain) for seconds in (-4200, -3600, -600, 0, 600, 3600)]
    assert drained == [0, 0, 0, 1, 0, 0]


def test_statistics() -> None:
    found = policy(interval=600, machines_per_hour=6.0)
    found.poll(NOW, [slot("slot1@a"), slot("slot1@b", Draining="true", DrainReason='"Defrag DEFRAG@vm"')])
    found.drained("slot1@a", NOW, True)
    found.drained("slot1@c", NOW, False)
    found.cancelled("slot1@d", NOW + 1)
    ad = shown(found)
    assert (ad["MachinesDraining"], ad["MachinesDrainingPeak"], ad["WholeMachines"]) == ("1", "1", "0")
    assert (ad["DrainSuccesses"], ad["DrainFailures"], ad["RecentDrainFailures"]) == ("1", "1", "1")
    assert ad["RecentDrainsList"].startswith('{ [ when = 1800000000; who = "slot1@c"; what = "graceful" ],[')
    assert ad["RecentCancelsList"] == '{ [ when = 1800000001; who = "slot1@d" ] }'
    found.poll(NOW + 600, [slot("slot1@b", Cpus="4")])
    found.poll(NOW + 1200, [slot("slot1@b")])
    found.poll(NOW + 1800, [slot("slot1@b", Cpus="4")])
    late = shown(found, NOW + 7000)
    assert (late["MachinesDraining"], late["MachinesDrainingPeak"], late["WholeMachinesPeak"]) == ("0", "1", "1")
    assert (late["DrainedMachines"], late["RecentDrainSuccesses"], late["StatsLifetime"]) == ("1", "0", "7000")
    assert float(late["MeanDrainedArrival"]) == pytest.approx(1 / 1200)


def test_cost_of_the_pool() -> None:
    found = policy()
    costs = {"DaemonStartTime": "1000", "LastHeardFrom": "2000", "TotalCpus": "4.0"}
    found.poll(NOW, [slot("slot1@a", TotalMachineDrainingBadput="400", **costs)])
    assert shown(found)["AvgDrainingBadput"] == "0.1"
    assert shown(found)["AvgDrainingUnclaimed"] == "0.0"


def test_machine_of_a_slot() -> None:
    assert machine_of("slot1_2@vm.example.net") == "vm.example.net"
    assert machine_of("vm") == "vm"
