"""Machines that sleep hear that a job would have liked them."""

from __future__ import annotations

from pathlib import Path

from condor_py.core.match.offline import missed
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.plan import Rejection
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.advertised import Advertised


def slot(number: int, machine: str = "far", memory: int = 1000) -> ClassAd:
    items = {
        "MyType": '"Machine"', "Name": f'"slot{number}@{machine}"', "SlotID": str(number), "Offline": "true",
        "Memory": str(memory), "Requirements": "TARGET.Owner != \"mallory\"", "ClassAdLifetime": "900",
    }  # fmt: skip
    return ClassAd.from_text_items(items.items())


def job(needs: int, owner: str = "alice") -> ClassAd:
    items = {"Requirements": f"TARGET.Memory >= {needs}", "Owner": f'"{owner}"'}
    return ClassAd.from_text_items(items.items())


def rejected(autocluster: int, fault: bool = False) -> Rejection:
    return Rejection(JobId(autocluster, 0), "alice@x", autocluster, "no match found", fault)


def test_a_rejected_job_wants_a_machine_that_sleeps() -> None:
    slots = [slot(1), slot(2, memory=4000), slot(3, "other", 200)]
    jobs = {1: job(2000), 2: job(100), 3: job(9000), 4: job(100, "mallory")}
    found = missed([rejected(1), rejected(2), rejected(3), rejected(4), rejected(2, fault=True)], jobs, slots, 5000)
    assert found == {
        "slot2@far": {"MachineLastMatchTime": 5000, "MachineMatchCount": 1},
        "slot1@far": {"slot2_MachineLastMatchTime": 5000, "slot1_MachineLastMatchTime": 5000,
                      "MachineLastMatchTime": 5000, "MachineMatchCount": 1},
    }  # fmt: skip
    assert missed([rejected(7)], jobs, slots, 5000) == {}


def test_a_machine_that_hears_of_it_again_and_again_is_counted() -> None:
    wanted = slot(1)
    wanted["MachineMatchCount"] = 4
    assert missed([rejected(2)], {2: job(1)}, [wanted], 1)["slot1@far"]["MachineMatchCount"] == 5


def test_it_is_written_down_with_the_offline_machines(tmp_path: Path) -> None:
    settings = RememberedSettings(log=str(tmp_path / "offline.log"), offline_seconds=100)
    store = AdStore(str(tmp_path / "ads"))
    Advertised(store, settings).update("STARTD", [slot(1), slot(2)], 1000, 900)
    Advertised(store, settings).merge("STARTD", {"slot2@far": {"MachineLastMatchTime": 1050}, "slot9@far": {}}, 1050)
    store.remove("ADVERTISED")  # as after a start of the machine
    first, second = Advertised(store, settings).read("STARTD", 1099)
    assert (first.eval_str("Name"), first.has("MachineLastMatchTime")) == ("slot1@far", False)
    assert (second.eval_int("MachineLastMatchTime"), second.eval_bool("Offline")) == (1050, True)
    assert Advertised(store, settings).read("STARTD", 1101) == [], (
        "OFFLINE_EXPIRE_ADS_AFTER counts from the advertising"
    )
