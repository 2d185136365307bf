"""Who gets how many slots, in a real pool with real jobs: shares, groups, ceilings, limits, preemption, and what is
charged for it. ``accounting_group_user`` makes the submitters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser

import pytest
from lending import take_jobs_away
from pool import PersonalPool, wait_for

#: One worker runs all tests: their pool is made once.
pytestmark = pytest.mark.xdist_group("static slots")

SLEEP = "executable = /bin/sleep\narguments = 1000\nlog = job.log\nrequest_disk = 1M\n"


@contextmanager
def forgetting(pool: PersonalPool) -> Iterator[None]:
    """At the end the jobs are gone, and the pool knows no submitter but the account of the tests."""
    yield
    take_jobs_away(pool)
    wait_for(lambda: not pool.read_queue().clusters(), "the queue is empty")
    for name in pool.tool("condor_userprio", "-allusers", "-af", "Name").stdout.split():
        if "@" in name and not name.startswith(f"{getuser()}@"):
            pool.tool("condor_userprio", "-delete", name)


@pytest.fixture
def static(static_pool: PersonalPool) -> Iterator[PersonalPool]:
    """A pool of static slots, whose negotiator gives none before ``begin``."""
    static_pool.configure("NEGOTIATOR_SLOT_CONSTRAINT = false\n")
    with forgetting(static_pool):
        yield static_pool


def begin(pool: PersonalPool, slots: int, **knobs: str) -> None:
    """From now on so many slots are given to the jobs that there are."""
    knobs = {"NEGOTIATOR_SLOT_CONSTRAINT": f"SlotID <= {slots}", "NEGOTIATOR_CYCLE_DELAY": "0", **knobs}
    pool.configure("".join(f"{name} = {value}\n" for name, value in knobs.items()))
    pool.tool("condor_reschedule")


def demand(pool: PersonalPool, user: str, jobs: int, *lines: str) -> int:
    """Jobs of a submitter; the cluster number."""
    more = "".join(f"{line}\n" for line in lines)
    return pool.submit(f"{SLEEP}accounting_group_user = {user}\n{more}queue {jobs}\n")


def running(pool: PersonalPool) -> Counter[str]:
    """Running jobs by submitter (``group.user`` where there is a group)."""
    rows = pool.queue("JobStatus", "AccountingGroup")
    return Counter(group for status, group in rows if status == "2")


def settles(pool: PersonalPool, **shares: int) -> None:
    """Waits until everybody runs what he should; ``__`` in a name stands for the dot behind a group."""
    wanted = Counter({name.replace("__", "."): count for name, count in shares.items()})
    wait_for(lambda: running(pool) == wanted, f"{dict(wanted)} run, and not {dict(running(pool))}", 60)


def test_slots_are_shared_by_the_inverse_ratio_of_priorities(static: PersonalPool) -> None:
    pool = static
    for user, factor in (("ada", 1000), ("bob", 2000), ("cyd", 4000)):
        pool.tool("condor_userprio", "-setfactor", f"{user}@example.net", str(factor))
        demand(pool, user, 14)
    begin(pool, 14)
    settles(pool, ada=8, bob=4, cyd=2)
    pool.tool("condor_rm", "-constraint", 'AcctGroupUser == "ada" && JobStatus == 1')
    pool.tool("condor_rm", "-constraint", 'AcctGroupUser == "ada"')
    wait_for(lambda: sum(running(pool).values()) == 14, "what ada leaves is used by the others")
    assert running(pool)["ada"] == 0


def test_quotas_of_groups(static: PersonalPool) -> None:
    pool = static
    knobs = {"GROUP_NAMES": "physics, chemistry", "GROUP_QUOTA_physics": "8", "GROUP_QUOTA_chemistry": "4"}
    for group in ("physics", "chemistry"):
        demand(pool, "ada", 10, f"accounting_group = {group}")
    begin(pool, 12, **knobs)
    settles(pool, physics__ada=8, chemistry__ada=4)


def test_surplus_goes_to_groups_that_accept_it(static: PersonalPool) -> None:
    pool = static
    knobs = {
        "GROUP_NAMES": "physics, physics.hep, physics.lep, chemistry", "GROUP_QUOTA_physics": "8",
        "GROUP_QUOTA_physics.hep": "6", "GROUP_QUOTA_physics.lep": "2", "GROUP_QUOTA_chemistry": "4",
        "GROUP_ACCEPT_SURPLUS_physics.hep": "true", "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "false",
    }  # fmt: skip
    demand(pool, "ada", 12, "accounting_group = physics.hep")
    demand(pool, "bob", 1, "accounting_group = physics.lep")
    demand(pool, "cyd", 12, "accounting_group = chemistry")
    begin(pool, 12, **knobs)
    settles(pool, **{"physics.hep__ada": 7, "physics.lep__bob": 1, "chemistry__cyd": 4})


def test_a_ceiling_is_not_passed(static: PersonalPool) -> None:
    pool = static
    pool.tool("condor_userprio", "-setceiling", "ada@example.net", "2")
    demand(pool, "ada", 6)
    demand(pool, "bob", 3)
    begin(pool, 6)
    settles(pool, ada=2, bob=3)
    pool.tool("condor_userprio", "-setceiling", "ada@example.net", "-1")
    pool.tool("condor_reschedule")
    settles(pool, ada=3, bob=3)


def test_jobs_that_share_a_licence_wait_for_it(static: PersonalPool) -> None:
    pool = static
    demand(pool, "ada", 4, "concurrency_limits = licence")
    begin(pool, 4, LICENCE_LIMIT="2")
    settles(pool, ada=2)
    wait_for(
        lambda: "concurrency limit licence reached" in pool.tool("condor_q", "-af", "LastRejMatchReason").stdout,
        "the others know why they wait",
    )
    pool.tool("condor_rm", "-constraint", "JobStatus == 2")
    settles(pool, ada=2)


def test_a_claim_goes_on_only_with_the_same_limits(static: PersonalPool) -> None:
    pool = static
    short = "executable = /bin/true\nlog = job.log\naccounting_group_user = ada\n"
    pool.submit(f"{short}priority = 3\nqueue 2\n")
    without = pool.submit(f"{short}priority = 2\nconcurrency_limits = licence\nqueue\n")
    pool.submit(f"{short}priority = 1\nqueue 2\n")
    begin(pool, 1, LICENCE_LIMIT="0")
    wait_for(lambda: pool.queue("ClusterId", "JobStatus") == [[str(without), "1"]], "all but it have run")


def test_a_better_priority_preempts(static: PersonalPool) -> None:
    pool = static
    pool.tool("condor_userprio", "-setprio", "ada@example.net", "50")
    demand(pool, "ada", 4)
    policy = "RemoteUserPrio > SubmitterUserPrio * 1.2 && SubmitterUserResourcesInUse < 2"
    begin(pool, 4, PREEMPTION_REQUIREMENTS=policy, PREEMPTION_REQUIREMENTS_STABLE="false")
    settles(pool, ada=4)
    wait_for(lambda: [number for number, _ in pool.events("job.log")].count(1) == 4, "their programs run")
    demand(pool, "bob", 4)
    settles(pool, ada=2, bob=2)
    wait_for(lambda: [number for number, _ in pool.events("job.log")].count(4) == 2, "two of ada's are evicted")
    assert pool.queue("NumJobStarts", "JobStatus").count(["1", "1"]) == 2, "both will be run again"


def test_a_slot_prefers_its_owner(static: PersonalPool) -> None:
    pool = static
    demand(pool, "ada", 2)
    begin(pool, 2, RANK='TARGET.AcctGroupUser =?= "boss"')
    settles(pool, ada=2)
    demand(pool, "boss", 1)
    settles(pool, ada=1, boss=1)


def test_nice_users_take_what_is_left(static: PersonalPool) -> None:
    pool = static
    pool.submit(f"{SLEEP}nice_user = true\nqueue 4\n")
    demand(pool, "ada", 3)
    begin(pool, 4)
    wait_for(lambda: sum(running(pool).values()) == 4, "all slots are used")
    assert running(pool)["ada"] == 3


def test_use_is_charged_across_a_crash(own_pool: PersonalPool) -> None:
    pool = own_pool
    demand(pool, "ada", 1)
    settles(pool, ada=1)

    def usage() -> float:
        asked = ("-allusers", "-negotiator", "-af", "Name", "WeightedAccumulatedUsage")
        done = pool.tool("condor_userprio", *asked, check=False)  # the negotiator may not be back yet
        rows = dict(line.split() for line in done.stdout.splitlines())
        return float(rows.get("ada@example.net", "0").replace("undefined", "0"))

    pool.tool("condor_reschedule")
    wait_for(lambda: pool.tool("condor_reschedule") and usage() >= 1, "something is charged")
    for victim in ("negotiator", "schedd"):
        before = usage()
        pool.kill(victim)
        wait_for(pool.ready, f"the {victim} comes back")
        wait_for(
            lambda enough=before + 2: pool.tool("condor_reschedule", check=False) and usage() >= enough,
            "it is charged further",
        )
    pool.tool("condor_rm", "-all")
    wait_for(lambda: pool.queue("ProcId") == [], "the job leaves")
    wait_for(lambda: "\tada@example.net" not in pool.tool("condor_status", "-claimed").stdout, "the claim ends")


def test_a_consumption_policy_carves_and_charges(stopped_pool: PersonalPool) -> None:
    """Jobs take whole gigabytes, and memory is what counts."""
    pool = stopped_pool
    for name, value in {
        "CONSUMPTION_POLICY": "true", "CONSUMPTION_MEMORY": "quantize(target.RequestMemory, {1024})",
        "SLOT_WEIGHT": "floor(Memory / 1024)", "MEMORY": "8192", "NUM_CPUS": "8",
    }.items():  # fmt: skip
        pool.knob(name, value)
    demand(pool, "ada", 9, "request_memory = 1500")
    pool.start()
    settles(pool, ada=4)
    slots = ("condor_status", "-constraint", "DynamicSlot", "-af", "Memory", "Cpus", "SlotWeight")
    wait_for(lambda: pool.tool(*slots).stdout == "2048 1 2\n" * 4, lambda: f"four slots: {pool.tool(*slots).stdout}")
    pool.tool("condor_reschedule")
    used = ("condor_userprio", "-allusers", "-negotiator", "-af", "Name", "WeightedResourcesUsed")
    wait_for(lambda: "ada@example.net 8" in pool.tool(*used).stdout, "eight gigabytes are charged")


def test_who_waits_for_a_slot_that_is_being_vacated_makes_nobody_else_wait(static: PersonalPool) -> None:
    """The job that loses its slot takes its time; meanwhile another user's start is negotiated."""
    pool = static
    pool.tool("condor_userprio", "-setprio", "ada@example.net", "50")
    begin(
        pool,
        2,
        PREEMPTION_REQUIREMENTS="RemoteUserPrio > SubmitterUserPrio * 1.2",
        NEGOTIATOR_INTERVAL="600",
        START='SlotID == 1 || TARGET.AcctGroupUser == "cyd"',
    )
    stays = "trap : TERM; touch stays; while true; do sleep 1; done"
    stubborn = f"executable = /bin/sh\narguments = \"-c '{stays}'\"\nlog = job.log\n"
    pool.submit(f"{stubborn}accounting_group_user = ada\nqueue\n")
    settles(pool, ada=1)
    wait_for((pool.work / "stays").exists, "no soft signal ends ada's job")
    demand(pool, "bob", 1)
    wait_for(lambda: "Preempting" in pool.tool("condor_status", "-af", "State").stdout, "ada's job is asked to leave")
    demand(pool, "cyd", 1)
    wait_for(lambda: running(pool)["cyd"] == 1, "cyd's job starts")
    assert running(pool)["ada"] == 1


@pytest.mark.parametrize("allowed", ["True", "False"])
def test_user_priority_preempts_on_a_partitionable_slot(pool: PersonalPool, allowed: str) -> None:
    pool.configure(
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\nNEGOTIATOR_INTERVAL = 600\n"
        f"ALLOW_PSLOT_PREEMPTION = {allowed}\n"
    )
    with forgetting(pool):
        pool.tool("condor_userprio", "-setprio", "ada@example.net", "50")
        demand(pool, "ada", 2, "request_cpus = 2")
        settles(pool, ada=2)
        demand(pool, "bob", 1, "request_cpus = 2")
        wait_for(lambda: running(pool)["bob"] == 1, "bob's better priority gives him a slot")


def test_several_small_jobs_make_room_for_one_that_the_machine_prefers(pool: PersonalPool) -> None:
    pool.configure(
        "PREEMPTION_REQUIREMENTS = False\nNEGOTIATOR_INTERVAL = 600\nALLOW_PSLOT_PREEMPTION = True\n"
        "RANK = TARGET.RequestCpus\n"
    )
    with forgetting(pool):
        demand(pool, "ada", 4)
        settles(pool, ada=4)
        demand(pool, "bob", 1, "request_cpus = 4")
        settles(pool, bob=1)
