"""The policy of condor_defrag."""

from __future__ import annotations

import pytest

from condor_py.core.slots.defrag import Defrag, machine_of
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.defrag import DefragSettings

NOW = 1_800_000_000.0
WHOLE = "Cpus == TotalSlotCpus"
HOUR = DefragSettings("DEFRAG@vm", interval=3600, machines_per_hour=1.0, cancel_requirements=WHOLE)


def slot(name: str, **texts: str) -> ClassAd:
    base = {
        "Name": f'"{name}"', "PartitionableSlot": "true", "Cpus": "1", "TotalSlotCpus": "4", "SlotID": "1",
        "ExpectedMachineGracefulDrainingBadput": "100", "ExpectedMachineGracefulDrainingCompletion": "1800000060",
        "ExpectedMachineQuickDrainingBadput": "10", "ExpectedMachineQuickDrainingCompletion": "1800000001",
    }  # fmt: skip
    return ClassAd.from_text_items({**base, **texts}.items())


def policy(**more: object) -> Defrag:
    return Defrag(
        DefragSettings(
            **{"name": "DEFRAG@vm", "interval": 3600, "machines_per_hour": 1.0, "cancel_requirements": WHOLE, **more}
        ),
        NOW,
    )  # type: ignore[arg-type]


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


# the log of a look


def test_a_look_is_told_of() -> None:
    found = policy(machines_per_hour=2.0)
    mine = slot("slot1@c", Draining="true", DrainReason='"Defrag DEFRAG@vm"', Cpus="4")
    assert found.poll(NOW, [slot("slot1@a"), slot("slot1@b", Cpus="4"), mine]).lines == (
        "There are currently 1 draining and 2 whole machines.",
        "Lifetime whole machines arrived: 0",
        "Cancelled draining of 1 whole machines.",
        "Looking for 2 machines to drain.",
        "Drained 1 machines (wanted to drain 2 machines).",
    )


def test_arrivals_are_told_of() -> None:
    """One whole machine after ten minutes, two after twenty more."""
    found = policy()
    found.poll(NOW, [slot("slot1@a", Cpus="4")])
    ads = [slot("slot1@a", Cpus="4"), slot("slot1@b", Cpus="4")]
    assert found.poll(NOW + 600, ads).lines[1:4] == (
        "Arrival rate is 6 machines/hour",
        "Lifetime whole machines arrived: 1",
        "Lifetime mean arrival rate: 6 machines / hour",
    )
    ads += [slot("slot1@c", Cpus="4"), slot("slot1@d", Cpus="4")]
    lines = found.poll(NOW + 1800, ads).lines
    assert lines[1:4] == (
        "Arrival rate is 6 machines/hour",
        "Lifetime whole machines arrived: 3",
        "Lifetime mean arrival rate: 3.6 machines / hour",
    )
    ad = shown(found)
    assert float(ad["MeanDrainedArrival"]) == pytest.approx(3 / 3000)
    assert float(ad["MeanDrainedArrivalSD"]) == pytest.approx(((1 / 600 - 1 / 1000) ** 2 / 3) ** 0.5)
    assert found.poll(NOW + 2000, ads).lines[1] == "Lifetime whole machines arrived: 3"


def test_a_draining_machine_that_is_claimed_again_has_arrived_too() -> None:
    found = policy()
    found.poll(NOW, [slot("slot1@a", Cpus="4")])
    found.poll(NOW + 60, [slot("slot1@b", Draining="true", DrainReason='"Defrag DEFRAG@vm"')])
    assert found.poll(NOW + 660, [slot("slot1@b")]).lines[1] == "Arrival rate is 5.45455 machines/hour"


@pytest.mark.parametrize(
    ("interval", "hourly", "moments", "wanted"),
    [
        (3600, 2.5, [0], [2]),
        (600, 6.0, [0], [1]),
        (600, 7.0, [3000, 3600, 4200], [1, 2, 1]),
        (600, 7.0, [3000, 4200], [1, 2]),  # the full hour was missed by ten minutes
        (600, 3.0, [3000, 5400], [0, 2]),
        (7200, 1.0, [3000, 3600], [2, 2]),
        (600, 0.25, [82800, 86400], [0, 6]),
        (600, 0.25, [82800, 86400 + 43200], [0, 3]),
    ],
)
def test_how_many_machines_are_drained(interval: int, hourly: float, moments: list[int], wanted: list[int]) -> None:
    """Seconds of a day in UTC; what the interval cannot express is made up at the full hour and at midnight."""
    found = policy(interval=interval, machines_per_hour=hourly)
    midnight = NOW - NOW % 86400
    machines = [slot(f"slot1@m{number}") for number in range(9)]
    assert [len(found.poll(midnight + moment, machines).drain) for moment in moments] == wanted


@pytest.mark.parametrize(("most", "drains"), [(-1, True), (0, False), (1, False), (2, True)])
def test_limits_of_what_is_there(most: int, drains: bool) -> None:
    ads = [
        slot("slot1@a"),
        slot("slot1@b", Draining="true", DrainReason='"Defrag DEFRAG@vm"'),
        slot("slot1@c", Cpus="4"),
    ]
    assert bool(policy(max_concurrent=most, max_whole=-1).poll(NOW, ads).drain) == drains
    assert bool(policy(max_concurrent=-1, max_whole=most).poll(NOW, ads).drain) == drains


def test_a_rank_that_is_no_number_is_nought_and_of_equals_the_first_name_goes_first() -> None:
    ads = [
        slot("slot1@d", Rank="-1"),
        slot("slot1@c", Rank='"x"'),
        slot("slot1@b", Rank="true"),
        slot("slot1@a", Rank="1.5"),
    ]
    plan = policy(rank="Rank", machines_per_hour=9.0).poll(NOW, ads)
    assert [order.name for order in plan.drain] == ["slot1@a", "slot1@b", "slot1@c", "slot1@d"]


def test_a_machine_that_does_not_say_what_draining_costs_may_cost_little() -> None:
    bare = slot("slot1@a")
    for name in ("ExpectedMachineGracefulDrainingBadput", "ExpectedMachineGracefulDrainingCompletion"):
        del bare[name]
    check = policy().poll(NOW, [bare]).drain[0].check
    assert check == "ExpectedMachineGracefulDrainingCompletion <= 1200 && ExpectedMachineGracefulDrainingBadput <= 1200"


def test_costs_are_weighted_by_cores_and_told_by_the_first_slot_of_a_machine() -> None:
    since = {"DaemonStartTime": "1000", "LastHeardFrom": "2000", "SlotID": "1"}
    ads = [
        slot("slot1@a", **since, TotalCpus="4.0", TotalMachineDrainingBadput="400"),
        slot("slot1@b", **since, TotalCpus="12.0", TotalMachineDrainingUnclaimedTime="1200"),
        slot("slot1@c", **since, TotalCpus="100.0"),
        slot("slot1@d", **{**since, "SlotID": "2"}, TotalCpus="100.0", TotalMachineDrainingBadput="1"),
        slot("slot1_1@d", **since, DynamicSlot="true", TotalCpus="100.0", TotalMachineDrainingBadput="1"),
        slot("slot1@e", **{**since, "LastHeardFrom": "1000"}, TotalCpus="100.0", TotalMachineDrainingBadput="1"),
        slot("slot1@f", SlotID="1", TotalCpus="100.0", TotalMachineDrainingBadput="1"),
        slot("slot1@g", DaemonStartTime="5", SlotID="1", TotalCpus="100.0", TotalMachineDrainingBadput="1"),
        slot("slot1@h", **since, TotalMachineDrainingBadput="0"),
    ]
    found = policy()
    found.poll(NOW, ads)
    assert float(shown(found)["AvgDrainingBadput"]) == pytest.approx(0.4 / 16)
    assert float(shown(found)["AvgDrainingUnclaimed"]) == pytest.approx(1.2 / 16)


def test_what_is_recent_counts_by_the_interval() -> None:
    found = policy(interval=600)
    for name, ok in (("a", True), ("b", False)):
        found.drained(name, NOW, ok)
        found.cancelled(name, NOW)
    recent = {now: shown(found, NOW + now) for now in (0, 1200, 100_000)}
    assert [ad["RecentDrainSuccesses"] for ad in recent.values()] == ["1", "1", "0"]
    assert (recent[0]["StatsLifetime"], recent[1200]["RecentStatsLifetime"]) == ("0", "1200")
    assert recent[100_000]["RecentStatsLifetime"] == recent[100_000]["RecentStatsLifetime"]
    assert recent[0]["RecentCancelsList"].index('"b"') < recent[0]["RecentCancelsList"].index('"a"')
