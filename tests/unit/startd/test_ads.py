"""What the slots tell about themselves."""

from __future__ import annotations

import datetime

import pytest
from startd_bench import FACTS, START, Bench, ev, fx, job_ad, settings

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.report import Usage
from condor_py.model.settings.startd import MachineResource, SlotPolicy, SlotType


def test_partitionable_slot() -> None:
    bench = Bench()
    bench.running()
    bench.wait(20)
    ad = bench.ads()["slot1@vm"]
    texts = {
        name: ad.text(name)
        for name in (
            "SlotType",
            "PartitionableSlot",
            "Cpus",
            "Memory",
            "TotalSlotCpus",
            "TotalSlotDisk",
            "TotalCpus",
            "State",
            "NumDynamicSlots",
            "ChildName",
            "ChildCpus",
            "ChildState",
            "ChildRemoteOwner",
            "TotalSlots",
            "SlotWeight",
            "Requirements",
            "TotalTimeUnclaimedIdle",
            "OpSysAndVer",
            "KeyboardIdle",
            "GPUs",
            "MaxJobRetirementTime",
            "MachineMaxVacateTime",
            "CondorPlatform",
            "DSlotId",
        )
    }
    assert texts == {
        "SlotType": '"Partitionable"',
        "PartitionableSlot": "true",
        "Cpus": "7",
        "Memory": "15872",
        "TotalSlotCpus": "8",
        "TotalSlotDisk": "75600000.0",
        "TotalCpus": "8.0",
        "State": '"Unclaimed"',
        "NumDynamicSlots": "1",
        "ChildName": '{ "slot1_1@vm" }',
        "ChildCpus": "{ 1 }",
        "ChildState": '{ "Claimed" }',
        "ChildRemoteOwner": '{ "alice@example.net" }',
        "TotalSlots": "2",
        "SlotWeight": "Cpus",
        "Requirements": "Start && WithinResourceLimits",
        "TotalTimeUnclaimedIdle": "20",
        "OpSysAndVer": '"Debian12"',
        "KeyboardIdle": "1220",
        "GPUs": "0",
        "MaxJobRetirementTime": "0",
        "MachineMaxVacateTime": "10 * 60",
        "CondorPlatform": '"$CondorPlatform: X86_64-Debian_12 $"',
        "DSlotId": None,
    }


def test_child_lists_are_empty_without_children() -> None:
    ad = Bench().ads()["slot1@vm"]
    assert ad.text("ChildName") == "{  }"
    assert ad.eval_int("NumDynamicSlots") == 0


def test_busy_dynamic_slot() -> None:
    bench = Bench()
    claim = bench.running(ad=job_ad(ImageSize="100", MemoryUsage="((ResidentSetSize + 1023) / 1024)"))
    bench.wait(20)
    bench.do(
        ev.RunUpdate(
            claim,
            JobId(1, 0),
            1,
            {"ResidentSetSize_RAW": "5976", "imagesize": "4444", "RemoteUserCpu": "14.0", "RemoteSysCpu": "1.0"},
        )
    )
    ad = bench.ads()["slot1_1@vm"]
    texts = {
        name: ad.text(name)
        for name in (
            "DynamicSlot",
            "DSlotId",
            "ParentSlotId",
            "SlotID",
            "State",
            "Activity",
            "RemoteOwner",
            "RemoteUser",
            "JobId",
            "GlobalJobId",
            "JobStart",
            "JobPid",
            "StarterPid",
            "TotalJobRunTime",
            "TotalTimeClaimedBusy",
            "ImageSize",
            "ResidentSetSize",
            "MemoryUsage",
            "JobUniverse",
            "PublicClaimId",
            "VirtualMemory",
            "CondorLoadAvg",
            "RemoteNegotiatingGroup",
            "PartitionableSlot",
        )
    }
    assert texts == {
        "DynamicSlot": "true",
        "DSlotId": "1",
        "ParentSlotId": "1",
        "SlotID": "1",
        "State": '"Claimed"',
        "Activity": '"Busy"',
        "RemoteOwner": '"alice@example.net"',
        "RemoteUser": '"alice@example.net"',
        "JobId": '"1.0"',
        "GlobalJobId": '"vm#1.0#1"',
        "JobStart": str(int(START)),
        "JobPid": "5000",
        "StarterPid": "4711",
        "TotalJobRunTime": "20",
        "TotalTimeClaimedBusy": "20",
        "ImageSize": "4444",
        "ResidentSetSize": "5976",
        "MemoryUsage": "((ResidentSetSize + 1023) / 1024)",
        "JobUniverse": "5",
        "PublicClaimId": f'"<127.0.0.1:9618>#{int(START)}#1#..."',
        "VirtualMemory": "0",
        "CondorLoadAvg": "0.25",
        "RemoteNegotiatingGroup": '"<none>"',
        "PartitionableSlot": None,
    }
    assert ad.eval_int("MemoryUsage") == 6


def test_what_the_claim_brought_goes_with_it() -> None:
    bench = Bench(settings(types=(SlotType(1, 1, partitionable=False),)))
    before = {name for name, _ in bench.ads()["slot1@vm"].text_items()}
    claim = bench.running()
    during = {name for name, _ in bench.ads()["slot1@vm"].text_items()}
    assert {"RemoteOwner", "JobId", "PublicClaimId"} <= during - before
    bench.end(claim)
    idle = {name for name, _ in bench.ads()["slot1@vm"].text_items()}
    assert "RemoteOwner" in idle
    assert "JobId" not in idle
    bench.do(ev.ReleaseClaim(claim))
    after = {name for name, _ in bench.ads()["slot1@vm"].text_items()}
    assert after == before


def test_custom_attributes() -> None:
    attrs = (("MyCustom", '"hello"'), ("Fast", "MY.Cpus > 4"), ("Arch", ""), ("Broken", "(("))
    bench = Bench(settings({"attrs": attrs}))
    ad = bench.ads()["slot1@vm"]
    assert ad.text("MyCustom") == '"hello"'
    assert ad.text("Fast") == "MY.Cpus > 4"
    assert not ad.has("Arch")
    assert not ad.has("Broken")


def test_reconfig_changes_policy_and_attributes_but_not_the_layout() -> None:
    bench = Bench(settings({"attrs": (("Colour", '"red"'),)}))
    bench.now += 60
    changed = settings(types=(SlotType(0, 2, policy=SlotPolicy(start="false")),))
    bench.do(ev.Reconfig(changed))
    ads = bench.ads()
    assert set(ads) == {"slot1@vm", "vm"}
    assert ads["slot1@vm"].text("Start") == "false"
    assert not ads["slot1@vm"].has("Colour")
    assert ads["slot1@vm"].eval_int("DaemonLastReconfigTime") == int(bench.now)


def test_slot_and_job_attributes_are_copied() -> None:
    bench = Bench(settings(slot_attrs=("State",), job_attrs=("Department",)))
    bench.running(ad=job_ad(Department='"physics"'))
    ads = bench.ads()
    assert ads["slot1@vm"].eval_str("slot1_1_State") == "Claimed"
    assert ads["slot1_1@vm"].eval_str("slot1_State") == "Unclaimed"
    assert ads["slot1_1@vm"].eval_str("Department") == "physics"


def test_load_that_is_not_ours_fills_slot_after_slot() -> None:
    types = (SlotType(1, 3, partitionable=False, share="cpus=1"),)
    bench = Bench(settings(types=types), FACTS._replace(load_avg=1.5))
    assert [bench.ads()[f"slot{n}@vm"].eval_real("LoadAvg") for n in (1, 2, 3)] == [1.0, 0.5, 0.0]
    bench.claim("slot1@vm")
    assert [bench.ads()[f"slot{n}@vm"].eval_real("LoadAvg") for n in (1, 2, 3)] == [0.0, 1.0, 0.5]


def test_load_beyond_the_idle_cpus_goes_to_dynamic_slots() -> None:
    bench = Bench(facts=FACTS._replace(load_avg=6.0))
    for _ in range(2):
        bench.claim(ad=job_ad(RequestCpus="2"))
    ads = bench.ads()
    assert [ads[f"{n}@vm"].eval_real("LoadAvg") for n in ("slot1", "slot1_1", "slot1_2")] == [4.0, 2.0, 0.0]


def test_load_of_our_own_jobs_is_that_of_the_last_minute() -> None:
    bench = Bench(facts=FACTS._replace(load_avg=2.0))
    claim = bench.running()
    for seconds, cpu in ((30, "15.0"), (30, "42.0")):
        bench.wait(seconds, load_avg=2.0)
        bench.do(ev.RunUpdate(claim, JobId(1, 0), 1, {"RemoteUserCpu": cpu, "RemoteSysCpu": "0.0"}))
    ads = bench.ads()
    assert ads["slot1_1@vm"].eval_real("CondorLoadAvg") == pytest.approx(0.7)
    assert ads["slot1@vm"].eval_real("TotalCondorLoadAvg") == pytest.approx(0.7)
    assert ads["slot1@vm"].eval_real("LoadAvg") == pytest.approx(1.3)
    assert ads["slot1_1@vm"].eval_real("CpusUsage") == pytest.approx(0.9)


def test_what_an_ended_job_leaves_in_the_load_is_not_the_owners() -> None:
    bench = Bench(facts=FACTS._replace(load_avg=1.0))
    claim = bench.running()
    bench.wait(60, load_avg=1.0)
    bench.end(claim, usage=Usage(user_cpu=60.0))
    bench.do(ev.ReleaseClaim(claim))
    ads = bench.ads()
    assert "slot1_1@vm" not in ads
    assert ads["slot1@vm"].eval_real("CondorLoadAvg") == pytest.approx(1.0)
    assert ads["slot1@vm"].eval_real("LoadAvg") == pytest.approx(1.0)
    bench.wait(30, load_avg=0.6)
    assert bench.ads()["slot1@vm"].eval_real("CondorLoadAvg") == pytest.approx(0.5)
    bench.wait(31, load_avg=0.4)
    assert bench.ads()["slot1@vm"].eval_real("CondorLoadAvg") == 0.0


def test_the_load_is_never_more_than_that_of_the_machine() -> None:
    bench = Bench(facts=FACTS._replace(load_avg=0.5))
    claim = bench.running()
    bench.wait(60, load_avg=0.5)
    bench.do(ev.Sample(claim, {"RemoteUserCpu": "60", "RemoteSysCpu": "0"}))
    assert bench.ads()["slot1_1@vm"].eval_real("CondorLoadAvg") == 0.5


def test_drain_forecast() -> None:
    bench = Bench(settings({"max_job_retirement_time": "5000", "machine_max_vacate_time": "600"}))
    bench.running(ad=job_ad(RequestCpus="3"))
    bench.wait(20)
    ad = bench.ads()["slot1@vm"]
    assert ad.eval_int("ExpectedMachineQuickDrainingBadput") == 3 * 620
    assert ad.eval_int("ExpectedMachineGracefulDrainingBadput") == 3 * 5000
    assert ad.eval_int("ExpectedMachineGracefulDrainingCompletion") == int(START) + 5000


def test_retirement_by_an_expression_of_the_slot() -> None:
    """Such an expression needs the very ad that it is shown in."""
    bench = Bench(settings({"max_job_retirement_time": "MY.Cpus * 1000"}))
    bench.running(ad=job_ad(RequestCpus="2"))
    bench.wait(10)
    ads = bench.ads()
    assert ads["slot1_1@vm"].eval_int("RetirementTimeRemaining") == 1990
    assert ads["slot1@vm"].text("ChildRetirementTimeRemaining") == "{ 1990 }"


def test_daemon_ad() -> None:
    bench = Bench()
    bench.running(ad=job_ad(RequestCpus="2"))
    ad = bench.ads()["vm"]
    assert (ad.eval_str("MyType"), ad.eval_str("Machine"), ad.eval_int("TotalSlots")) == (
        "StartD",
        "vm",
        2,
    )
    assert (ad.eval_int("TotalInUseCpus"), ad.eval_int("DetectedMemory")) == (2, 16000)


def test_ad_for_the_job_has_the_policy() -> None:
    bench = Bench(settings({"preempt": "MY.LoadAvg > 99"}))
    claim = bench.running()
    ad = bench.startd.slot_ad(claim, bench.now)
    assert ad is not None
    assert ad.text("PREEMPT") == "MY.LoadAvg > 99"
    assert ad.text("WANT_VACATE") == "true"
    assert ad.eval_int("CLAIM_WORKLIFE") == 1200
    assert "secret" not in str(ad)
    assert bench.startd.slot_ad("nobody", bench.now) is None


def test_since_when_a_slot_is_in_its_state_and_activity() -> None:
    """What condor_status -state shows: the state is as old as the claim, the activity as its last change."""
    bench = Bench()
    bench.wait(50)
    claim = bench.claim()
    bench.wait(30)
    bench.run(claim)
    bench.wait(7)
    ads = bench.ads()
    parent, child = ads["slot1@vm"], ads["slot1_1@vm"]
    names = ("EnteredCurrentState", "EnteredCurrentActivity")
    assert [parent.eval_int(name) for name in names] == [START, START]
    assert [child.eval_int(name) for name in names] == [START + 50, START + 80]
    assert parent.text("ChildEnteredCurrentState") == f"{{ {int(START) + 50} }}"
    assert parent.text("ChildRemoteUser") == '{ "alice@example.net" }'
    static = Bench(settings(types=(SlotType(1, policy=SlotPolicy(), partitionable=False),)))
    static.wait(50)
    static.claim()
    assert [static.ads()["slot1@vm"].eval_int(name) for name in names] == [START + 50, START + 50]


def test_units_of_a_resource_say_what_they_are_like() -> None:
    """Each unit has an ad of its own, and the slot has what all of its units agree in."""
    gpus = MachineResource(
        "GPUs", 3.0, ids=("a", "b", "c"),
        properties=(
            ("a", (("Id", '"a"'), ("Capability", "8.0"), ("Memory", "100"))),
            ("b", (("Id", '"b"'), ("Capability", "8.0"), ("Memory", "200"))),
            ("c", (("Id", '"c"'), ("Capability", "8.0"), ("Memory", "200"))),
        ),
    )  # fmt: skip
    bench = Bench(settings(resources=(gpus,)))
    bench.running(ad=job_ad(RequestGPUs="1"))
    ads = bench.ads()
    parent, child = ads["slot1@vm"], ads["slot1_1@vm"]
    assert parent.text("AvailableGPUs") == "{ GPUs_b,GPUs_c }"
    assert child.text("AvailableGPUs") == "{ GPUs_a }"
    one = parent.evaluate("GPUs_a")
    assert isinstance(one, ClassAd)
    assert (one.eval_str("Id"), one.eval_real("Capability"), one.eval_int("Memory")) == ("a", 8.0, 100)
    assert (parent.text("GPUs_Capability"), parent.text("GPUs_Memory"), parent.text("GPUs_Id")) == ("8.0", None, None)
    assert (child.text("GPUs_Capability"), child.text("GPUs_Memory"), child.text("GPUs_b")) == ("8.0", "100", None)


def test_name_of_the_startd_stands_in_the_slot_names() -> None:
    ads = Bench(settings(startd_name="second@vm")).ads()
    assert "slot1@second@vm" in ads
    assert ads["slot1@second@vm"].eval_str("Machine") == "vm"


def test_counters_forget_after_twenty_minutes() -> None:
    bench = Bench()
    claim = bench.running()
    bench.end(claim)
    bench.wait(1300)
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_int("JobStarts"), ad.eval_int("RecentJobStarts")) == (1, 0)


@pytest.mark.parametrize("name", ["Name", "MyAddress", "UpdateSequenceNumber", "MyCurrentTime"])
def test_every_ad_has(name: str) -> None:
    for ad in Bench().startd.ads(START):
        assert ad.has(name) or ad.eval_str("MyType") == "StartD"


def test_ads_are_published_again_after_the_update_interval() -> None:
    bench = Bench(settings(update_interval=60))
    bench.ads()
    bench.wait(59)
    assert not bench.has(fx.Publish)
    bench.wait(1)
    assert bench.has(fx.Publish)
    bench.ads()
    bench.wait(59)
    assert not bench.has(fx.Publish)


@pytest.mark.parametrize("offset", [0, 3600, -28800, 20700])
def test_clock_is_local_time(offset: int) -> None:
    zone = datetime.timezone(datetime.timedelta(seconds=offset))
    bench = Bench(facts=FACTS._replace(utc_offset=offset))
    local = datetime.datetime.fromtimestamp(bench.now, zone)
    ad = bench.ads()["slot1@vm"]
    assert ad.eval_int("ClockMin") == local.hour * 60 + local.minute
    assert ad.eval_int("ClockDay") == local.isoweekday() % 7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PrivateNetworkName", '"vm"'),
        ("NumPids", "0"),
        ("HasOsUser", "true"),
        ("HasVM", "false"),
        ("MonitorSelfAge", "7"),
        ("UpdatesTotal", "1"),
        ("UpdatesHistory", f'"{"0" * 32}"'),
        (
            "AddressV1",
            '"{[ p=\\"primary\\"; a=\\"127.0.0.1\\"; port=9618; n=\\"Internet\\"; ], '
            '[ p=\\"IPv4\\"; a=\\"127.0.0.1\\"; port=9618; n=\\"Internet\\"; ]}"',
        ),
    ],
)
def test_what_htcondor_shows_of_daemon_and_updates(name: str, text: str) -> None:
    bench = Bench()
    ads = bench.startd.ads(bench.now, (("MonitorSelfAge", "7"),))
    assert ads[0].text(name) == text


def test_attributes_that_are_no_expressions_are_left_out_and_told() -> None:
    bench = Bench(settings({"attrs": (("Room", "second floor"), ("Floor", "2"))}))
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("Room"), ad.text("Floor")) == (None, "2")
    assert any(line.startswith("CONFIGURATION PROBLEM: Room = second floor") for line in bench.log)
