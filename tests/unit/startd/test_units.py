"""Which devices a job's require_gpus admits."""

from __future__ import annotations

from condor_py.core.slots.resources import fitting_units
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.startd import MachineResource

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
