"""Backfill slots have the machine a second time; what primary slots use is not theirs (as in HTCondor 25.14)."""

from __future__ import annotations

from startd_bench import FACTS, Bench, ev, job_ad, settings

from condor_py.model.settings.startd import MachineResource, SlotPolicy, SlotType

GPUS = MachineResource("GPUs", 3, ("GPU-a", "GPU-b", "GPU-c"))
CONFLICT = 'size(ResourceConflict ?: "") > 0'


def bench(**policy: str) -> Bench:
    """Two partitionable slots with 8 cpus, 16000 MB and 3 GPUs each."""
    given = SlotPolicy(want_suspend="false", **policy)
    types = (SlotType(1, policy=given), SlotType(2, policy=given, backfill=True))
    return Bench(settings(types=types, resources=(GPUS,)), FACTS)


def shown(made: Bench, slot: str, *names: str) -> list[object]:
    ad = made.ads()[f"{slot}@vm"]
    return [ad.eval_int(name) if name in ("Cpus", "Memory", "GPUs") else ad.eval_str(name) for name in names]


def run(made: Bench, slot: str, job: str, cpus: int, gpus: int = 0) -> str:
    """A job that runs on a slot; its claim."""
    ad = job_ad(RequestCpus=str(cpus), RequestGPUs=str(gpus))
    claim = made.claim(f"{slot}@vm", ad)
    made.run(claim, job=job, ad=ad)
    return claim


def test_both_kinds_of_slots_have_the_whole_machine() -> None:
    made = bench()
    assert shown(made, "slot1", "Cpus", "Memory", "GPUs", "AssignedGPUs") == [8, 16000, 3, "GPU-a,GPU-b,GPU-c"]
    assert shown(made, "slot2", "Cpus", "Memory", "GPUs", "AssignedGPUs") == [8, 16000, 3, "GPU-c,GPU-b,GPU-a"]
    ads = made.ads()
    assert ads["slot2@vm"].eval_bool("BackfillSlot") is True
    assert not ads["slot1@vm"].has("BackfillSlot")
    assert not ads["slot2@vm"].has("ResourceConflict")


def test_what_primary_jobs_use_is_not_offered() -> None:
    made = bench()
    run(made, "slot2", "1.0", 1, 1)
    assert "slot2_1: New backfill dSlot of type 2 allocated" in made.log
    run(made, "slot1", "2.0", 3, 1)
    assert shown(made, "slot1", "Cpus", "Memory", "GPUs") == [5, 16000 - 128, 2]
    assert shown(made, "slot2", "Cpus", "Memory", "GPUs") == [4, 16000 - 256, 1]
    ads = made.ads()
    assert ads["slot2@vm"].text("AvailableGPUs") == "{ GPUs_GPU_b }"
    assert ads["slot2_1@vm"].text("AvailableGPUs") == "{ GPUs_GPU_c }"
    daemon = ads["vm"]
    assert [daemon.eval_int(f"Total{kind}InUseCpus") for kind in ("", "Backfill")] == [3, 1]
    made.ask("slot2@vm", job_ad(RequestCpus="5"))
    assert any("Not enough Cpus (1.00 short)" in line for line in made.log)
    made.ask("slot2@vm", job_ad(RequestGPUs="2"))
    assert any("Not enough GPUs (1.00 short)" in line for line in made.log)


def test_who_has_the_unit_of_a_primary_job_is_in_conflict_first() -> None:
    """As HTCondor does: Cpus and the unit, on the slot with the unit; when that has gone the other may stay."""
    made = bench(preempt=CONFLICT)
    run(made, "slot2", "1.0", 2, 1)
    second = run(made, "slot2", "2.0", 4, 1)
    run(made, "slot1", "3.0", 4, 1)
    run(made, "slot1", "4.0", 2, 1)
    assert shown(made, "slot2_2", "ResourceConflict", "GPUs") == ["Cpus,GPUs,GPU-b", 0]
    assert shown(made, "slot2_1", "ResourceConflict", "GPUs") == [None, 1]
    made.wait(1)
    assert made.place("slot2_2") == "Preempting/Vacating"
    assert made.place("slot2_1") == "Claimed/Busy"
    made.end(second, "2.0")
    assert made.place("slot2_2") == "gone"
    made.wait(1)
    assert made.place("slot2_1") == "Claimed/Busy"
    assert shown(made, "slot2", "Cpus") == [0]


def test_without_a_policy_about_it_the_machine_is_overcommitted() -> None:
    made = bench()
    run(made, "slot2", "1.0", 8)
    claim = run(made, "slot1", "2.0", 6)
    made.wait(5)
    assert made.place("slot2_1") == "Claimed/Busy"
    assert shown(made, "slot2_1", "ResourceConflict") == ["Cpus"]
    made.end(claim, "2.0")
    made.do(ev.ReleaseClaim(claim))
    assert shown(made, "slot2_1", "ResourceConflict") == [None]


def test_static_slots_and_what_is_more_than_the_primary_slots_have() -> None:
    """What backfill slots have beyond the primary slots is in nobody's way."""
    types = (
        SlotType(1, 1, False, "cpus=2,ram=1000,disk=1%,auto"),
        SlotType(2, 2, False, "cpus=3,ram=2000,disk=10%,auto", backfill=True),
    )
    made = Bench(settings(types=types))
    for slot, job in (("slot2", "1.0"), ("slot3", "2.0"), ("slot1", "3.0")):
        run(made, slot, job, 1)
    ads = made.ads()
    assert ads["vm"].eval_int("ExcessBackfillCpus") == 4
    assert [ads[f"slot{n}@vm"].has("ResourceConflict") for n in (1, 2, 3)] == [False, True, False]
    assert "Cpus" in (ads["slot2@vm"].eval_str("ResourceConflict") or "")
