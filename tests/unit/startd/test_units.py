"""Which devices a job gets: those that require_gpus admits, each entry of a repeated one once."""

from __future__ import annotations

from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots.inventory import parse
from condor_py.core.slots.resources import fitting_units
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.startd import MachineResource, SlotType

GPUS = MachineResource(
    "GPUs", 2.0, ids=("old", "new"),
    properties=(("old", (("Capability", "6.0"),)), ("new", (("Capability", "8.0"),))),
)  # fmt: skip


def test_a_demand_may_use_attributes_of_its_job() -> None:
    job = ClassAd.from_text_items([("GPUsMinCapability", "7.0"), ("RequireGPUs", "Capability >= GPUsMinCapability")])
    assert fitting_units(GPUS, ("old", "new"), "Capability >= GPUsMinCapability", job) == ("new",)
    assert fitting_units(GPUS, ("old", "new"), "Capability >= 6.0") == ("old", "new")
    assert fitting_units(GPUS, ("old", "new"), '"old"') == ("old",)
    assert fitting_units(GPUS, ("old", "new"), "") == ("old", "new")


SHARED = MachineResource("GPUs", 4.0, ids=("a", "a", "b", "b"), detected=True)


def test_each_entry_of_a_repeated_device_goes_to_a_slot_of_its_own() -> None:
    """condor_gpu_discovery -repeat: jobs share a GPU."""
    bench = Bench(settings(resources=(SHARED,)))
    claims = [bench.claim(ad=job_ad(RequestGPUs="1")) for _ in range(4)]
    ads = bench.ads()
    assert [ads[f"slot1_{n}@vm"].eval_str("AssignedGPUs") for n in (1, 2, 3, 4)] == ["a", "a", "b", "b"]
    assert ads["slot1@vm"].text("AvailableGPUs") == "{  }"
    for claim, left in ((claims[1], "{ GPUs_a }"), (claims[3], "{ GPUs_a,GPUs_b }")):
        bench.do(ev.ReleaseClaim(claim))
        assert bench.ads()["slot1@vm"].text("AvailableGPUs") == left


def test_static_slots_share_a_repeated_device() -> None:
    ads = Bench(settings(types=(SlotType(1, 4),), resources=(SHARED,))).ads()
    assert [ads[f"slot{n}@vm"].eval_str("AssignedGPUs") for n in (1, 2, 3, 4)] == ["a", "a", "b", "b"]
    assert [ads[f"slot{n}@vm"].eval_int("GPUs") for n in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_units_that_go_offline_are_no_job_s_from_then_on() -> None:
    gpus = MachineResource("GPUs", 3.0, ids=("a", "b", "c"), detected=True, offline=("x",))
    bench = Bench(settings(types=(SlotType(1, 1, True, "GPUs=2"), SlotType(2, 1, False)), resources=(gpus,)))
    first = bench.claim(ad=job_ad(RequestGPUs="1"))
    static = bench.running("slot2@vm", job_ad(RequestGPUs="1"))
    assert bench.ads()["vm"].eval_str("OfflineGPUs") == "x"
    bench.do(ev.Reconfig(bench.startd._pool.settings.changed(offline=(("gpus", ("a", "c", "other")),))))
    ads = bench.ads()
    assert ads["vm"].eval_str("OfflineGPUs") == "x,a,c"
    assert (ads["vm"].eval_int("TotalGPUs"), ads["vm"].eval_str("DetectedGPUs")) == (1, "a, b, c, x")
    assert {name: ad.eval_int("GPUs") for name, ad in ads.items() if name != "vm"} == {
        "slot1@vm": 1, "slot1_1@vm": 0, "slot2@vm": 0,
    }  # fmt: skip
    assert ads["slot1_1@vm"].eval_str("AssignedGPUs") == "a"
    bench.end(static)
    bench.do(ev.Activate(static, "2.0", 1, job_ad(RequestGPUs="1")))
    assert "GPUs (1.00 short)" in (bench.only(fx.RunEnded).report.error or "")
    bench.do(ev.ReleaseClaim(first))
    bench.claim(ad=job_ad(RequestGPUs="1"))
    assert bench.ads()["slot1_1@vm"].eval_str("AssignedGPUs") == "b"
    bench.do(ev.Reconfig(bench.startd._pool.settings.changed(offline=())))
    assert bench.ads()["slot1@vm"].eval_int("GPUs") == 1


def test_an_inventory_names_units_that_are_offline() -> None:
    text = 'DetectedCogs = "c0, c1, c2"\nOfflineCogs = "c1, other"\nc1 = [ Size = 1 ]\nc2 = [ Size = 2 ]\n'
    found = parse("Cogs", text, "KNOB", ("c0",))
    assert (found.ids, found.quantity, found.offline, found.attrs) == (("c0", "c2"), 2.0, ("c1",), ())
    assert [unit for unit, _ in found.properties] == ["c0", "c1", "c2"]
    assert parse("Cogs", 'DetectedCogs = "c0, c1"', "KNOB", ("c0",)).ids == ("c1",)
    assert parse("Cogs", "DetectedCogs = 5\nOfflineCogs = 2", "KNOB").quantity == 3.0
