"""Small print of the startd: virtual machines side by side, sleeping machines, inventories, figures of the machine."""

from __future__ import annotations

import pytest
from startd_bench import FACTS, START, Bench, ev, fx, job_ad, settings

from condor_py.core.slots import inventory
from condor_py.core.slots.power import choose, offline_ads
from condor_py.core.slots.state import LoadWindow
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.power import RoosterSettings
from condor_py.model.settings.virtual import VmAbilities


def machine(memory: int, **attributes: str) -> ClassAd:
    return job_ad(JobUniverse="13", JobVMMemory=str(memory), RequestMemory=str(memory), **attributes)


def able(**fields: object) -> Bench:
    bench = Bench()
    bench.do(ev.MachinesFound(VmAbilities("kvm", 1000, 3)._replace(**fields)))
    return bench


# virtual machines


def test_memory_of_machines_that_run_is_not_there_for_others_and_counts_once() -> None:
    bench = able()
    claim = bench.claim(ad=machine(600))
    bench.run(claim, ad=machine(600))
    assert bench.place("slot1_1") == "Claimed/Busy", "what was claimed for it is not in its own way"
    bench.ask(ad=machine(401))
    assert bench.only(fx.ClaimRefused).reason == "400 MB are left for virtual machines (VM_MEMORY), it wants 401"
    bench.ask(ad=machine(400))
    assert bench.has(fx.ClaimGranted)


def test_addresses_are_those_of_virtual_machines() -> None:
    bench = able()
    plain = bench.running()
    bench.do(ev.RunUpdate(plain, JobId(1, 0), 1, {"VM_MACAddr": '"52:54:00:00:00:09"'}))
    assert bench.ads()["slot1@vm"].text("VM_All_Guest_Macs") is None
    bench.ask(ad=machine(100, VM_CkptMac='"52:54:00:00:00:09"'))
    assert bench.has(fx.ClaimGranted)


def test_what_a_machine_has_and_what_the_hardware_helps() -> None:
    for helps, told in ((True, "true"), (False, None)):
        bench = able(hardware_vt=helps)
        assert bench.ads()["slot1@vm"].text("VM_HardwareVT") == told
    bench.running(ad=machine(100, RequestCpus="2"))
    assert bench.ads()["slot1_1@vm"].text("JobVM_VCPUS") == "2"
    bench.running(ad=machine(100, RequestCpus="2", JobVM_VCPUS="1"))
    assert bench.ads()["slot1_2@vm"].text("JobVM_VCPUS") == "1"


# machines that sleep


def test_machines_are_told_apart_by_the_names_of_their_slots_where_they_have_none() -> None:
    ads = [ClassAd({"Name": name, "Speed": speed}) for name, speed in (("a", "x"), ("b", 5), ("a", 9), ("c", -1))]
    woken = choose(ads, RoosterSettings(300, "true", "TARGET.Speed", "x"))
    assert [(ad.get("Name"), ad.get("Speed")) for ad in woken.ads] == [("a", 9), ("b", 5), ("c", -1)]
    ads = [ClassAd({"Name": "low", "Speed": -1}), ClassAd({"Name": "none"}), ClassAd({"Name": "high", "Speed": 0.5})]
    woken = choose(ads, RoosterSettings(300, "true", "TARGET.Speed", "x"))
    assert [ad.get("Name") for ad in woken.ads] == ["high", "none", "low"], "no number counts as 0"


def test_a_machine_that_sleeps_looks_idle_in_every_respect() -> None:
    busy = {
        "Name": "slot1@vm", "SlotID": 1, "State": "Claimed", "Activity": "Busy", "EnteredCurrentState": 5,
        "EnteredCurrentActivity": 5, "CpuBusyTime": 5, "LoadAvg": 1.5, "CondorLoadAvg": 1.5, "TotalLoadAvg": 1.5,
        "TotalCondorLoadAvg": 1.5, "KeyboardIdle": 3, "ConsoleIdle": 3, "CpuIsBusy": True, "MyCurrentTime": 1,
        "LastHeardFrom": 1,
    }  # fmt: skip
    dynamic, daemon = ClassAd({**busy, "DynamicSlot": True}), ClassAd({"Name": "vm"})
    (told,) = offline_ads([ClassAd(busy), dynamic, daemon], START + 0.5)
    found = {name: told.get(name) for name in (*busy, "Offline")}
    assert found.pop("KeyboardIdle") == found.pop("ConsoleIdle")
    assert found.pop("Offline") is True
    assert found == {
        "SlotID": 1, "State": "Unclaimed", "Activity": "Idle", "EnteredCurrentState": 0, "EnteredCurrentActivity": 0,
        "CpuBusyTime": 0, "LoadAvg": 0.0, "CondorLoadAvg": 0.0, "TotalLoadAvg": 0.0, "TotalCondorLoadAvg": 0.0,
        "CpuIsBusy": False, "MyCurrentTime": int(START), "LastHeardFrom": int(START), "Name": "slot1@vm",
    }  # fmt: skip


# the machine


def test_an_inventory_of_named_units() -> None:
    units = 'Common = [ Zeta = 1; Alpha = 2 ]\na = [ Id = "A"; Beta = 3; Alpha = 4 ]\n'
    text = f'DetectedGpus = "a,, b,"\n{units}Version = 12\n'
    found = inventory.parse("Gpus", text, "KNOB")
    assert (found.quantity, found.ids, found.attrs, found.detected) == (2.0, ("a", "b"), (("Version", "12"),), True)
    assert found.properties == (
        ("a", (("Id", '"A"'), ("Alpha", "4"), ("Beta", "3"), ("Zeta", "1"))),
        ("b", (("Id", '"b"'), ("Alpha", "2"), ("Zeta", "1"))),
    )


def test_load_of_spans_within_each_other_lasts_as_long_as_the_longer() -> None:
    window = LoadWindow()
    window.add(0.0, 10.0, 1.0)
    window.add(0.0, 4.0, 1.0)
    assert window.average(60.0) == pytest.approx(14 / 60)
    assert window.average(69.0) > 0.0
    assert window.average(70.0) == 0.0


def test_what_the_machine_tells_of_disk_and_network() -> None:
    plain = Bench().ads()["slot1@vm"]
    assert (plain.text("DetectedDisk"), plain.text("PrivateNetworkName")) == (str(FACTS.disk_kb), '"vm"')
    facts = FACTS._replace(disk_total_kb=99_000_000)
    told = Bench(settings(private_network="inside"), facts).ads()["slot1@vm"]
    assert (told.text("DetectedDisk"), told.text("PrivateNetworkName")) == ("99000000", '"inside"')


def test_why_a_request_is_refused_is_what_stands_against_every_request() -> None:
    bench = Bench()
    bench.do(ev.Drain())
    bench.ask(ad=job_ad(RequestCpus="99"))
    assert bench.only(fx.ClaimRefused).reason == "Slot is draining"
    assert bench.log[-1].endswith("Request refused: Slot is draining")


def test_a_startd_that_shuts_down_leaves_once() -> None:
    bench = Bench()
    bench.do(ev.Shutdown("graceful"))
    bench.wait(1)
    bench.wait(1)
    assert sum(isinstance(effect, fx.Exit) for effect in bench.all_effects) == 1
    assert bench.log.count("All resources are free, exiting.") == 1
