"""Slot types: how the machine is divided."""

from __future__ import annotations

import pytest
from startd_bench import FACTS, Bench, fx, job_ad, settings

from condor_py.core.slots.layout import AUTO, Kind, Share, machine_resources, parse_shares, plan
from condor_py.model.errors import ConfigError
from condor_py.model.facts import SlotVolume
from condor_py.model.settings.startd import MachineResource, SlotType


def sizes(*types: SlotType, **fields: object) -> list[tuple[float, int, str]]:
    """(cpus, memory, why broken) of each slot of a machine of 8 cpus and 16000 MB."""
    made_of = settings(types=types, **fields)
    found = plan(made_of, machine_resources(made_of, FACTS))
    return [(slot.amount.cpus, slot.amount.memory, slot.broken) for slot in found.slots]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auto", {"": AUTO}),
        ("25%", {"": Share(Kind.FRACTION, 0.25)}),
        ("1/4", {"": Share(Kind.FRACTION, 0.25)}),
        ("cpus=2, mem=1/8", {"": AUTO, "cpus": Share(Kind.AMOUNT, 2), "memory": Share(Kind.FRACTION, 0.125)}),
        (
            "c=1 ram=2G swap=25%",
            {
                "": AUTO,
                "cpus": Share(Kind.AMOUNT, 1),
                "memory": Share(Kind.AMOUNT, 2048),
                "swap": Share(Kind.FRACTION, 0.25),
            },
        ),
        (
            "cpus = 1\ndisk = 10M\n50%",
            {
                "": Share(Kind.FRACTION, 0.5),
                "cpus": Share(Kind.AMOUNT, 1),
                "disk": Share(Kind.AMOUNT, 10240),
            },
        ),
        (
            "CPUs=min, GPUs=2 : Capability >= 8.0",
            {
                "": AUTO,
                "cpus": Share(Kind.FRACTION, 1 / 128),
                "gpus": Share(Kind.AMOUNT, 2, "Capability >= 8.0"),
            },
        ),
        ("widgets=25%", {"": AUTO}),
    ],
)
def test_share_text(text: str, expected: dict[str, Share]) -> None:
    assert parse_shares(text, ("GPUs",), "SLOT_TYPE_1") == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cpus=lots", "SLOT_TYPE_1: 'lots' is not auto, min, a percentage, a fraction or a number"),
        ("widgets=2", "SLOT_TYPE_1: there is no resource 'widgets' on this machine; remove 'widgets=2'"),
    ],
)
def test_bad_share_names_knob_and_word(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_shares(text, (), "SLOT_TYPE_1")
    assert str(caught.value) == complaint


def test_one_slot_has_it_all() -> None:
    assert sizes(SlotType(0)) == [(8.0, 16000, "")]


def test_number_of_slots_divides_evenly() -> None:
    assert sizes(SlotType(0, 4)) == [(2.0, 4000, "")] * 4
    assert sizes(SlotType(0, 3)) == [(2.0, 5333, "")] * 3


def test_explicit_shares_first_then_the_rest_evenly() -> None:
    """Measured: 8000 of 16000 explicit, 1000 explicit, two auto: 3500 each."""
    found = sizes(
        SlotType(1, 1, share="cpus=4, mem=8000"),
        SlotType(2, 1, share="cpus=1, mem=1000"),
        SlotType(3, 2, share="auto"),
    )
    assert found == [(4.0, 8000, ""), (1.0, 1000, ""), (1.0, 3500, ""), (1.0, 3500, "")]


def test_types_by_percentage() -> None:
    assert sizes(SlotType(1, 1, share="75%"), SlotType(2, 1, False, "25%")) == [
        (6.0, 12000, ""),
        (2.0, 4000, ""),
    ]


def test_slot_that_does_not_fit_is_broken() -> None:
    found = sizes(SlotType(1, 1, share="cpus=6"), SlotType(2, 1, share="cpus=6"))
    assert found[1] == (2.0, 8000, "Not enough Cpus (4.00 short)")
    bench = Bench(settings(types=(SlotType(1, 1, share="cpus=6"), SlotType(2, 1, share="cpus=6"))))
    ads = bench.ads()
    assert [ads["slot2@vm"].text(name) for name in ("Cpus", "Memory", "TotalSlotCpus")] == ["0", "0", "2"]
    assert ads["slot2@vm"].eval_str("SlotBrokenReason") == "Not enough Cpus (4.00 short)"
    assert ads["slot2@vm"].eval_str("Requirements") == "Not enough Cpus (4.00 short)"
    assert ads["vm"].text("BrokenReasons") == "{ slot2BrokenReason }"
    assert "ERROR: Can't allocate 1st slot of type 2" in bench.log
    bench.ask("slot2@vm")
    assert bench.only(fx.ClaimRefused).reason == "Not enough Cpus (4.00 short)"


def test_only_the_first_slot_of_a_type_that_does_not_fit_is_there() -> None:
    """As 25.14 on a machine of 4 cpus and 8000 MB (measured)."""
    types = (SlotType(1, 1, False, "cpus=3, memory=50%"), SlotType(2, 2, False, "cpus=3, memory=25%"))
    bench = Bench(settings(types=types, num_cpus=4, memory_mb=8000))
    assert [(name, ad.text("TotalSlotMemory")) for name, ad in bench.ads().items()] == [
        ("slot1@vm", "4000"),
        ("slot2@vm", "2000"),
        ("vm", None),
    ]
    assert bench.ads()["vm"].text("BrokenReasons") == "{ slot2BrokenReason,slot_type2BrokenReason }"
    left = f"Swap: 16384000, Disk: {FACTS.disk_kb}, GPUs: 0"
    assert bench.log[:6] == [
        "ERROR: Can't allocate 1st slot of type 2",
        "\tRequesting: Cpus: 3.00, Memory: 2000, Swap: auto, Disk: auto, GPUs: auto",
        f"\tAvailable:  Cpus: 1, Memory: 4000, {left}",
        "ERROR: Can't allocate 2nd slot of type 2",
        "\tRequesting: Cpus: 3.00, Memory: 2000, Swap: auto, Disk: auto, GPUs: auto",
        f"\tAvailable:  Cpus: 0, Memory: 2000, {left}",
    ]
    assert "slot2: New broken Slot of type 2 allocated" in bench.log


def test_more_slots_than_cpus_are_broken_not_hung() -> None:
    found = sizes(SlotType(0, 10))
    assert [cpus for cpus, _, _ in found] == [1.0] * 8 + [0.0] * 2


def test_failure_modes() -> None:
    types = (SlotType(1, 1, share="cpus=6"), SlotType(2, 1, share="cpus=6"))
    assert sizes(*types, failure_mode="CLEAR") == []
    made_of = settings(types=types, failure_mode="ABORT")
    assert plan(made_of, machine_resources(made_of, FACTS)).fatal
    assert Bench(made_of).startd.failed


def test_reserved_and_told_amounts() -> None:
    made_of = settings(num_cpus=4, memory_mb=8000, reserved_memory_mb=1000, reserved_disk_kb=600_000)
    machine = machine_resources(made_of, FACTS)
    assert (machine.cpus, machine.memory, machine.disk) == (4.0, 7000, 75_000_000)
    bench = Bench(made_of)
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_int("Cpus"), ad.eval_int("DetectedCpus"), ad.text("TotalCpus")) == (4, 8, "4.0")


def test_custom_resources_are_counted_and_named() -> None:
    resources = (MachineResource("Tokens", 16), MachineResource("wafers", 3, ("w0", "w1", "w2")))
    bench = Bench(settings(resources=resources))
    bench.claim(ad=job_ad(RequestTokens="5", RequestWafers="2"))
    bench.claim(ad=job_ad(RequestWafers="1"))
    ads = bench.ads()
    assert ads["slot1@vm"].eval_int("Tokens") == 11
    assert ads["slot1@vm"].eval_int("TotalTokens") == 16
    assert ads["slot1@vm"].eval_str("MachineResources") == "Cpus Memory Disk Swap GPUs Tokens wafers"
    assert ads["slot1@vm"].eval_int("Detectedwafers") == 3
    assert ads["slot1_1@vm"].eval_str("Assignedwafers") == "w0,w1"
    assert ads["slot1_2@vm"].eval_str("Assignedwafers") == "w2"
    assert ads["slot1_2@vm"].eval_int("wafers") == 1
    assert "MY.Tokens >= TARGET.RequestTokens" in (ads["slot1@vm"].text("WithinResourceLimits") or "")


def test_no_slots_at_all_and_why() -> None:
    types = (SlotType(1, 1, True, "cpus=4"), SlotType(2, 1, False, "cpus=6"))
    bench = Bench(settings(types=types, failure_mode="CLEAR"))
    ads = bench.ads()
    assert list(ads) == ["vm"]
    assert ads["vm"].text("BrokenReasons") == "{ slot_type2BrokenReason }"
    assert ads["vm"].eval_str("slot_type2BrokenReason") == "Could not create required number of type2 slots"


def test_each_file_system_is_divided_among_its_own_slots() -> None:
    made_of = settings(types=(SlotType(1, 4, False, "auto"),))
    volumes = (SlotVolume(2, "7", 90_000), SlotVolume(4, "7", 90_000))
    found = plan(made_of, machine_resources(made_of, FACTS), volumes)
    assert not found.errors
    half = FACTS.disk_kb // 2
    assert [slot.amount.disk for slot in found.slots] == [half, 45_000, half, 45_000]


def test_units_of_a_custom_resource_go_to_the_first_slots() -> None:
    """As 25.14 deals them: none is left over."""
    bench = Bench(settings(types=(SlotType(1, 3, share="auto"),), resources=(MachineResource("Tokens", 4),)))
    assert [bench.ads()[f"slot{n}@vm"].eval_int("Tokens") for n in (1, 2, 3)] == [2, 1, 1]


def test_everything_that_is_lacking_is_told() -> None:
    found = sizes(SlotType(1, 1, share="75%"), SlotType(2, 1, share="50%"))
    assert found[1][2].startswith("Not enough Cpus (2.00 short) Memory (4000 short) Disk (")


def test_ids_are_listed_where_a_program_found_them() -> None:
    told = MachineResource("A", 2, ("a0", "a1"))
    found = MachineResource("B", 2, ("b0", "b1"), detected=True)
    ad = Bench(settings(resources=(told, found))).ads()["slot1@vm"]
    assert (ad.text("DetectedA"), ad.text("DetectedB")) == ("2", '"b0, b1"')


def test_a_slot_may_have_all_of_a_small_disk() -> None:
    made_of = settings(disk_kb=500)
    (slot,) = plan(made_of, machine_resources(made_of, FACTS)).slots
    assert (slot.amount.disk, slot.broken) == (500, "")
