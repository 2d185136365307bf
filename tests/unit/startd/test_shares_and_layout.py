"""How a machine is divided: shares as they are written, and what slots come of them."""

from __future__ import annotations

from typing import Any

import pytest
from startd_bench import FACTS

from condor_py.core.slots import layout
from condor_py.core.slots.layout import AUTO, Kind, Share, parse_shares
from condor_py.model.errors import ConfigError
from condor_py.model.settings.startd import MachineResource, SlotType, StartdSettings


def amount(value: float) -> Share:
    return Share(Kind.AMOUNT, value)


def fraction(value: float) -> Share:
    return Share(Kind.FRACTION, value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {"": AUTO}),
        ("1/4", {"": fraction(0.25)}),
        ("25%", {"": fraction(0.25)}),
        ("12.5 %,", {"": fraction(0.125)}),
        ("min", {"": fraction(1 / 128)}),
        ("automatic", {"": AUTO}),
        ("cpus=2, memory = 1/2 ,, 10%", {"": fraction(0.1), "cpus": amount(2), "memory": fraction(0.5)}),
        ("c=2 ram=100 d=3", {"": AUTO, "cpus": amount(2), "memory": amount(100), "disk": amount(3)}),
        ("cpus=1\n\nmem=2", {"": AUTO, "cpus": amount(1), "memory": amount(2)}),
        ("memory=1g swap=1m disk=1.5k", {"": AUTO, "memory": amount(1024), "swap": amount(1024), "disk": amount(1.5)}),
        ("memory=.5g", {"": AUTO, "memory": amount(512)}),
        ("gpus=1", {"": AUTO, "gpus": amount(1)}),
        ("g=2", {"": AUTO, "gpus": amount(2)}),
        ("FPGAs=0 FPGAs=auto FPGAs=10%", {"": AUTO}),
        (
            'gpus=1:Name == "a,)" && Capability > 7.0, cpus=2',
            {"": AUTO, "gpus": Share(Kind.AMOUNT, 1, 'Name == "a,)" && Capability > 7.0'), "cpus": amount(2)},
        ),
        ('gpus=1:member(Id, {"a","b"}), cpus=2', {
            "": AUTO, "gpus": Share(Kind.AMOUNT, 1, 'member(Id, {"a","b"})'), "cpus": amount(2)
        }),
    ],
)  # fmt: skip
def test_shares_as_they_are_written(text: str, found: dict[str, Share]) -> None:
    assert parse_shares(text, ("GPUs",), "SLOT_TYPE_1") == found


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("cpus=x", "SLOT_TYPE_1: 'x' is not auto, min, a percentage, a fraction or a number"),
        ("1/0", "'1/0' is not auto"),
        ("FPGAs=1", "SLOT_TYPE_1: there is no resource 'FPGAs' on this machine; remove 'FPGAs=1'"),
        ("gpus=1:((", "SLOT_TYPE_1: the constraint of gpus is no expression: (("),
    ],
)
def test_shares_that_are_none(text: str, wrong: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_shares(text, ("GPUs",), "SLOT_TYPE_1")
    assert wrong in str(error.value)


def plan(*types: SlotType, **fields: Any) -> layout.Layout:
    """On a machine of 8 cpus, 1000 MB and 80,000 KB."""
    facts = FACTS._replace(memory_mb=1000, disk_kb=80_000, swap_kb=0)
    settings = StartdSettings(types=types, **fields)
    return layout.plan(settings, layout.machine_resources(settings, facts))


def sizes(found: layout.Layout) -> list[tuple[float, int, int]]:
    return [(one.amount.cpus, one.amount.memory, one.amount.disk) for one in found.slots]


@pytest.mark.parametrize(
    ("types", "found"),
    [
        ((SlotType(1, 1),), [(8.0, 1000, 80000)]),
        ((SlotType(1, 3),), [(2.0, 333, 26666)] * 3),
        ((SlotType(1, 2, share="25%"), SlotType(2, 1)), [(2.0, 250, 20000)] * 2 + [(4.0, 500, 40000)]),
        ((SlotType(1, 1, share="cpus=3"), SlotType(2, 1)), [(3.0, 500, 40000), (5.0, 500, 40000)]),
        ((SlotType(1, 1, share="cpus=3, 10%"), SlotType(2, 1)), [(3.0, 100, 8000), (5.0, 900, 72000)]),
        ((SlotType(1, 1, share="cpus=1 memory=1 disk=0"), SlotType(2, 1)), [(1.0, 1, 1024), (7.0, 999, 78976)]),
        ((SlotType(1, 1), SlotType(2, 1, backfill=True)), [(8.0, 1000, 80000)] * 2),
        (
            (SlotType(1, 1, share="cpus=6"), SlotType(2, 1, backfill=True, share="cpus=7")),
            [(6.0, 1000, 80000), (7.0, 1000, 80000)],
        ),
        ((SlotType(1, 10, share="cpus=1, auto"),), [(1.0, 125, 10000)] * 8),
    ],
)
def test_what_slots_get(types: tuple[SlotType, ...], found: list[tuple[float, int, int]]) -> None:
    assert sizes(plan(*types)) == found


def test_what_the_machine_has_is_found_or_said() -> None:
    facts = FACTS._replace(memory_mb=1000, disk_kb=8000, swap_kb=500)
    found = layout.machine_resources(StartdSettings(), facts)
    assert (found.cpus, found.memory, found.disk, found.swap) == (8.0, 1000, 8000, 1_024_500)
    said = StartdSettings(
        num_cpus=3, memory_mb=600, disk_kb=100, reserved_memory_mb=700, reserved_disk_kb=40, reserved_swap_kb=500
    )
    found = layout.machine_resources(said, facts)
    assert (found.cpus, found.memory, found.disk, found.swap) == (3.0, 0, 60, 1_024_000)


def test_slots_that_do_not_fit_are_told_of() -> None:
    found = plan(SlotType(1, 2, share="cpus=3, 1/4"), SlotType(2, 3, share="cpus=2, memory=900, disk=2000"))
    wanted = "\tRequesting: Cpus: 2.00, Memory: 900, Swap: auto, Disk: 2000, GPUs: auto"
    nothing = "\tAvailable:  Cpus: 0, Memory: 0, Swap: 512000, Disk: 38000, GPUs: 0"
    assert found.errors == (
        f"ERROR: Can't allocate 1st slot of type 2\n{wanted}\n"
        "\tAvailable:  Cpus: 2, Memory: 500, Swap: 512000, Disk: 40000, GPUs: 0",
        f"ERROR: Can't allocate 2nd slot of type 2\n{wanted}\n{nothing}",
        f"ERROR: Can't allocate 3rd slot of type 2\n{wanted}\n{nothing}",
    )
    assert (found.failed, found.fatal) == ((2,), False)
    assert [one.broken for one in found.slots] == ["", "", "Not enough Memory (400 short)"]
    assert sizes(found)[2] == (2.0, 500, 2000)


@pytest.mark.parametrize(("mode", "slots", "fatal"), [("CONTINUE", 2, False), ("CLEAR", 0, False), ("ABORT", 0, True)])
def test_what_follows_from_a_slot_that_does_not_fit(mode: str, slots: int, fatal: bool) -> None:
    found = plan(SlotType(1, 1, share="cpus=5"), SlotType(2, 2, share="cpus=5"), failure_mode=mode)
    assert (len(found.slots), found.fatal, found.failed) == (slots, fatal, (2,))
    assert len(found.errors) == (2 if mode == "CONTINUE" else 1)


def test_who_comes_late_to_what_is_shared_out_finds_nothing() -> None:
    found = plan(SlotType(1, 1, share="cpus=8"), SlotType(2, 2))
    assert [one.broken for one in found.slots] == ["", "Not enough Cpus (1.00 short)", "Not enough Cpus (1.00 short)"]
    assert [error.split("\n")[0] for error in found.errors] == [
        "ERROR: Can't allocate slot id 2 (slot type 2) during auto allocation of resources",
        "ERROR: Can't allocate slot id 3 (slot type 2) during auto allocation of resources",
    ]
    assert sizes(found)[1][0] == 0.0


GPUS = MachineResource(
    "GPUs", 4.0, ids=("a", "b", "c", "d"), properties=(("c", (("Capability", "9.0"),)), ("a", (("Capability", "5.0"),)))
)


def units(found: layout.Layout) -> list[tuple[str, ...]]:
    return [dict(one.ids).get("GPUs", ()) for one in found.slots]


def test_who_is_particular_about_units_chooses_first_and_backfill_slots_from_the_end() -> None:
    types = (SlotType(1, 2, share="cpus=1, gpus=1, 1/8"), SlotType(2, 1, share="cpus=1, gpus=1:Capability > 4.0, 1/8"))
    assert units(plan(*types, resources=(GPUS,))) == [("b",), ("c",), ("a",)]
    assert units(plan(types[0], SlotType(3, 1, share="gpus=2", backfill=True), resources=(GPUS,))) == [
        ("a",),
        ("b",),
        ("d", "c"),
    ]


def test_a_slot_without_units_that_meet_its_demand_is_broken() -> None:
    found = plan(SlotType(1, 1, share="gpus=3:Capability > 4.0,"), resources=(GPUS,))
    assert [one.broken for one in found.slots] == ["Not enough GPUs (1.00 short)"]
    assert sizes(found) == [(0.0, 0, 0)]
    assert found.errors[0].startswith("ERROR: Can't allocate 1st slot of type 1\n")
