"""SLOT_TYPE_<N>_BACKFILL in a pool: jobs on backfill slots give way, and the tools tell them apart."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def configure(pool: PersonalPool) -> None:
    for number, who in ((1, "WantPrimary"), (2, "WantBackfill")):
        pool.knob(f"NUM_SLOTS_TYPE_{number}", "1")
        pool.knob(f"SLOT_TYPE_{number}_PARTITIONABLE", "true")
        pool.knob(f"SLOT_TYPE_{number}_START", f"TARGET.{who} =?= true")
    pool.knob("SLOT_TYPE_2_BACKFILL", "true")
    pool.knob("SLOT_TYPE_2_PREEMPT", 'size(ResourceConflict ?: "") > 0')
    pool.knob("WANT_SUSPEND", "false")
    pool.knob("MAXJOBRETIREMENTTIME", "0")
    pool.knob("POLLING_INTERVAL", "1")
    pool.knob("STARTD_DETECT_GPUS", "-properties $(GPU_DISCOVERY_EXTRA)")
    pool.knob("GPU_DISCOVERY_EXTRA", "-sim:4,3")  # three pretended GPUs, without ``use feature : GPUs``


def job(wish: str, cpus: int) -> str:
    return f"executable = /bin/sleep\narguments = 600\nrequest_cpus = {cpus}\nrequest_gpus = 1\n+{wish} = true\nqueue\n"


def slot(pool: PersonalPool, name: str, *attributes: str) -> list[str]:
    done = pool.tool("condor_status", "-constraint", f'split(Name, "@")[0] == "{name}"', "-af:,", *attributes)
    return done.stdout.strip().split(", ")


def totals(text: str) -> list[str]:
    """The last line of condor_status: all, owner, claimed, unclaimed ... backfill, backfill idle."""
    return text.splitlines()[-1].split()[1:]


def test_backfill_slots(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    configure(pool)
    pool.start()
    assert slot(pool, "slot1", "GPUs", "Cpus", "BackfillSlot") == ["3", "4", "undefined"]
    assert slot(pool, "slot2", "GPUs", "Cpus", "BackfillSlot") == ["3", "4", "true"]
    assert pool.tool("condor_who", "-startd", "-snapshot", "-long").stdout.count('MyType = "Slot.Config"') == 2

    pool.submit(job("WantBackfill", 2))
    pool.submit(job("WantBackfill", 1))
    wait_for(lambda: pool.status_of("1.0") == pool.status_of("2.0") == 2, "jobs on backfill slots")
    wait_for(lambda: slot(pool, "slot2", "Cpus", "GPUs") == ["1", "1"], "what they have is not offered again")
    assert slot(pool, "slot1", "Cpus", "GPUs") == ["4", "3"], "the primary slot does not notice"
    assert totals(pool.tool("condor_status").stdout) == ["4", "0", "2", "2", "0", "0", "0", "0", "0"]
    assert totals(pool.tool("condor_status", "-compact").stdout) == ["3", "0", "0", "1", "0", "0", "0", "2", "0"]

    pool.submit(job("WantPrimary", 3))
    wait_for(lambda: pool.status_of("3.0") == 2, "the primary job has its place at once")
    wait_for(lambda: pool.status_of("1.0") == 1 or pool.status_of("2.0") == 1, "a job on a backfill slot is evicted")
    wait_for(lambda: slot(pool, "slot2", "GPUs") == ["1"], "and does not come back while its place is taken")
    assert sorted((pool.status_of("1.0"), pool.status_of("2.0"))) == [1, 2]
    wait_for(lambda: "ResourceConflict" not in pool.tool("condor_status", "-long").stdout, "nobody has too much")
    pool.tool("condor_rm", "3")
    wait_for(lambda: pool.status_of("1.0") == pool.status_of("2.0") == 2, "both run again")
