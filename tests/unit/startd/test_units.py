"""Which devices a job gets: those that require_gpus admits, each entry of a repeated one once."""

from __future__ import annotations

from startd_bench import Bench, ev, job_ad, settings

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
