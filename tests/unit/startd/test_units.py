"""Resources whose units differ: inventories, slot types and jobs that are particular about them; and consumption."""

from __future__ import annotations

import pytest
from startd_bench import FACTS, Bench, fx, job_ad
from startd_bench import settings as startd_settings

from condor_py.model.errors import ConfigError
from condor_py.model.settings.startd import MachineResource, SlotPolicy, SlotType
from condor_py.startd.inventory import parse
from condor_py.startd.layout import machine_resources, plan

TEXT = """DetectedGPUs="GPU-aaaa, GPU-bbbb, GPU-cccc"
CUDADriverVersion=12.2
Common=[ DriverVersion=12.20; MaxSupportedVersion=12020; ]
GPU_aaaa=[ id="GPU-aaaa"; Capability=8.6; DeviceName="A"; ]
GPU_bbbb=[ id="GPU-bbbb"; Capability=7.0; DeviceName="B"; ]
GPU_cccc=[ id="GPU-cccc"; Capability=8.0; DeviceName="C"; ]
"""
GPUS = parse("GPUs", TEXT, "KNOB")


def machine(*types: SlotType) -> Bench:
    return Bench(startd_settings(types=types or (SlotType(1),), resources=(GPUS,)))


def test_an_inventory_of_devices() -> None:
    assert GPUS.ids == ("GPU-aaaa", "GPU-bbbb", "GPU-cccc")
    assert GPUS.attrs == (("CUDADriverVersion", "12.2"),)
    assert dict(GPUS.properties)["GPU-bbbb"] == (
        ("Id", '"GPU-bbbb"'),
        ("Capability", "7.0"),
        ("DeviceName", '"B"'),
        ("DriverVersion", "12.2"),
        ("MaxSupportedVersion", "12020"),
    )


def test_an_inventory_that_only_counts() -> None:
    found = parse("Widgets", 'DetectedWidgets = 3\nWidgetKind = "big"\n', "KNOB")
    assert (found.quantity, found.ids, found.attrs) == (3, (), (("WidgetKind", '"big"'),))
    assert parse("Widgets", "", "KNOB").quantity == 0


@pytest.mark.parametrize("text", ["nonsense", "A = (", "DetectedGPUs = { 1 }"])
def test_an_inventory_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ConfigError, match="KNOB"):
        parse("GPUs", text, "KNOB")


def test_slot_types_choose_their_devices() -> None:
    types = (
        SlotType(1, 1, True, "cpus=50%\nmemory=50%\nGPUs = 2"),
        SlotType(2, 1, True, "cpus=50%\nmemory=50%\nGPUs = 1 : Capability < 8.0"),
    )
    ads = machine(*types).ads()
    first, second = ads["slot1@vm"], ads["slot2@vm"]
    assert first.eval_str("AssignedGPUs") == "GPU-aaaa,GPU-cccc"
    assert first.text("AvailableGPUs") == "{ GPUs_GPU_aaaa,GPUs_GPU_cccc }"
    assert (first.text("GPUs_DriverVersion"), first.text("GPUs_Capability")) == ("12.2", None)
    assert second.eval_str("AssignedGPUs") == "GPU-bbbb"
    assert second.text("GPUs_GPU_bbbb") == (
        '[ Id = "GPU-bbbb"; Capability = 7.0; DeviceName = "B"; DriverVersion = 12.2; MaxSupportedVersion = 12020 ]'
    )
    assert (second.text("GPUs_Capability"), second.text("GPUs_DeviceName")) == ("7.0", '"B"')
    assert second.eval_str("DetectedGPUs") == "GPU-aaaa, GPU-bbbb, GPU-cccc"
    assert second.text("CUDADriverVersion") == "12.2"
    assert ads["vm"].text("DetectedGPUs") == "{ GPUs_GPU_aaaa,GPUs_GPU_bbbb,GPUs_GPU_cccc }"


def test_a_device_by_its_id_and_one_that_is_not_there() -> None:
    types = (SlotType(1, 1, True, 'cpus=1, GPUs = 1 : "GPU-cccc"'), SlotType(2, 1, True, "cpus=1, GPUs=1:Capability>9"))
    made = startd_settings(types=types, resources=(GPUS,))
    found = plan(made, machine_resources(made, FACTS)).slots
    assert dict(found[0].ids)["GPUs"] == ("GPU-cccc",)
    assert found[1].broken == "Not enough GPUs (1.00 short)"


def test_a_job_requires_a_kind_of_device() -> None:
    bench = machine()
    bench.ask(ad=job_ad(RequestGPUs="1", RequireGPUs="Capability < 8.0"))
    assert bench.only(fx.ClaimGranted).slot_ad.eval_str("AssignedGPUs") == "GPU-bbbb"
    bench.ask(ad=job_ad(RequestGPUs="1", RequireGPUs="Capability < 8.0"))
    assert bench.only(fx.ClaimRefused).reason == "Not enough GPUs (1.00 short)"
    bench.ask(ad=job_ad(RequestGPUs="2"))
    assert bench.only(fx.ClaimGranted).slot_ad.eval_str("AssignedGPUs") == "GPU-aaaa,GPU-cccc"
    ads = bench.ads()
    assert ads["slot1@vm"].text("AvailableGPUs") == "{  }"
    assert ads["slot1_1@vm"].text("AvailableGPUs") == "{ GPUs_GPU_bbbb }"
    assert ads["slot1_1@vm"].text("GPUs_DeviceName") == '"B"'


def test_resources_with_ids_but_no_properties() -> None:
    widgets = MachineResource("wid", 3, ("w0", "w1", "w2"))
    types = (SlotType(1, 1, True, "75%"), SlotType(2, 1, False, "25%"))
    bench = Bench(startd_settings(types=types, resources=(widgets,)))
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_str("Assignedwid"), ad.text("Availablewid")) == ("w0,w1", "{ wid_w0,wid_w1 }")
    bench.claim(ad=job_ad(RequestWid="1"))
    assert bench.ads()["slot1@vm"].text("Childwid") == "{ 1 }"


# -- consumption policies


def consuming(**consumption: str) -> Bench:
    pairs = {
        "Cpus": "quantize(target.RequestCpus,{1})",
        "Memory": "quantize(target.RequestMemory,{128})",
        "Disk": "quantize(target.RequestDisk,{1024})",
        "GPUs": "ifthenelse(target.RequestGPUs =?= undefined,0,target.RequestGPUs)",
        **consumption,
    }
    policy = SlotPolicy(consumption=tuple(pairs.items()))
    return Bench(startd_settings(types=(SlotType(1, policy=policy),)))


def test_a_consumption_policy_is_shown() -> None:
    bench = consuming(Cpus="TARGET.RequestCpus + 1")
    ad = bench.ads()["slot1@vm"]
    assert ad.text("ConsumptionCpus") == "TARGET.RequestCpus + 1"
    assert ad.eval_int("NumClaims") == 8
    limits = ad.text("WithinResourceLimits") or ""
    assert limits.startswith(
        "(ifThenElse(TARGET._cp_orig_RequestCpus =!= undefined,TARGET.RequestCpus <= MY.Cpus,"
        "MY.ConsumptionCpus <= MY.Cpus) && ifThenElse(TARGET._cp_orig_RequestDisk =!= undefined,"
    )


def test_a_match_takes_what_the_policy_says() -> None:
    bench = consuming(Cpus="TARGET.RequestCpus * 2", Memory="TARGET.RequestMemory / 2")
    claim = bench.claim(ad=job_ad(RequestCpus="2", RequestMemory="1000"))
    ads = bench.ads()
    assert (ads["slot1_1@vm"].eval_int("Cpus"), ads["slot1_1@vm"].eval_int("Memory")) == (4, 500)
    assert (ads["slot1@vm"].eval_int("Cpus"), ads["slot1@vm"].eval_int("NumClaims")) == (4, 7)
    bench.run(claim, ad=job_ad(RequestCpus="2", RequestMemory="1000"))
    assert bench.place("slot1_1") == "Claimed/Busy", "the claim takes the job although it asks for more memory"


@pytest.mark.parametrize("amount", ["-1", '"much"', "undefined"])
def test_a_policy_that_gives_no_amount_gives_no_slot(amount: str) -> None:
    bench = consuming(Cpus=amount)
    bench.ask()
    assert bench.has(fx.ClaimRefused)


def test_a_policy_may_take_nothing_of_a_resource() -> None:
    bench = consuming(Cpus="0", Disk="0", Memory="TARGET.RequestMemory")
    bench.claim()
    assert bench.ads()["slot1_1@vm"].eval_int("Cpus") == 0
    bench.ask(ad=job_ad(RequestMemory="0"))
    assert bench.has(fx.ClaimRefused), "but not of all"
