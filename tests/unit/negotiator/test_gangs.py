"""Parallel jobs in the cycle: all nodes are matched or none is; free slots are kept for one that waits for more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from negotiator_pool import NOW, claimed, job_ad, partitionable, slot

from condor_py.core.accounts import Accountant, edits
from condor_py.core.match import Carried, Cycle, Request, Snapshot, SubmitterDemand, negotiate
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.plan import Plan
from condor_py.model.settings.negotiator import (
    AccountantSettings,
    ConcurrencySettings,
    GroupSettings,
    NegotiatorSettings,
)

_ASKER = -1_000_000


def gang(cluster: int, *counts: int, one_group: bool = False, **attributes: object) -> Request:
    """A parallel job with so many nodes of each proc."""
    askers = iter(JobId(cluster, _ASKER - number) for number in range(sum(counts)))
    parts = [
        Request(cluster * 10 + n, [next(askers) for _ in range(c)], job_ad(**attributes)) for n, c in enumerate(counts)
    ]
    first, *others = parts
    return Request(first.autocluster, first.jobs, first.ad, tuple(others), one_group)


def plain(cluster: int, count: int) -> Request:
    return Request(cluster * 10, [JobId(cluster, proc) for proc in range(count)], job_ad())


class Cycles:
    """Cycles that follow each other over the same slots."""

    def __init__(self, *slots: ClassAd, **settings: object) -> None:
        self.slots = slots
        self.settings = NegotiatorSettings(**settings)  # type: ignore[arg-type]
        self.accountant = Accountant(AccountantSettings())
        self.carried = Carried()

    def cycle(self, *demands: tuple[str, list[Request]], after: int = 0, gangs: Sequence[Sequence[str]] = ()) -> Cycle:
        wanted = [SubmitterDemand(name, requests, idle_weight=9.0) for name, requests in demands]
        running = [[f"{name}@vm" for name in names] for names in gangs]
        snapshot = Snapshot(NOW + after, self.slots, wanted, gangs=running)
        return negotiate(snapshot, self.accountant, self.settings, self.carried)

    def run(self, *demands: tuple[str, list[Request]], after: int = 0) -> Plan:
        return self.cycle(*demands, after=after).plan


def clusters(plan: Plan) -> list[int]:
    return sorted(match.job.cluster for match in plan.matches)


def test_all_nodes_or_none() -> None:
    """What does not fit takes nothing, and blocks no job; parts of a slot and the limits in use are given back."""
    pool = Cycles(partitionable(1, 4, 4096), concurrency=ConcurrencySettings(limits=(("x", 2.0),)))
    plan = pool.run(("a@x", [gang(1, 5), gang(2, 3, ConcurrencyLimits="x"), gang(3, 1, 2), plain(4, 2)]))
    assert clusters(plan) == [3, 3, 3, 4]
    assert sum(match.weight for match in plan.matches) == 4
    assert {rejection.job.cluster for rejection in plan.rejections} >= {1, 2}
    assert not [line for line in plan.log if "Matched 1." in line]
    assert [line for line in plan.log if "Matched 3.0 node 2 a@x" in line]
    reasons = {rejection.job.cluster: rejection.reason for rejection in plan.rejections}
    assert reasons[1] == "the slots of this pool cannot hold all 5 nodes of the parallel job at once"
    assert reasons[2] == "concurrency limit x reached"


def test_a_share_that_is_too_small_does_not_keep_a_job_waiting() -> None:
    pool = Cycles(*(slot(number) for number in range(1, 5)))
    plan = pool.run(("a@x", [gang(1, 3)]), ("b@x", [plain(2, 4)]))
    assert clusters(plan) == [1, 1, 1, 2]


def test_slots_of_one_group() -> None:
    slots = [slot(number, ParallelSchedulingGroup="ab"[number % 2]) for number in range(1, 6)]
    assert clusters(Cycles(*slots).run(("a@x", [gang(1, 4, one_group=True)]))) == []
    plan = Cycles(*slots).run(("a@x", [gang(1, 3, one_group=True)]))
    assert sorted(match.slot for match in plan.matches) == ["slot1@vm", "slot3@vm", "slot5@vm"]


def test_free_slots_are_kept_for_a_while() -> None:
    """Others get them again after UNUSED_CLAIM_TIMEOUT; a job that never fits has none kept."""
    pool = Cycles(slot(1), slot(2), claimed(slot(3), "b@x"), unused_claim_timeout=600)
    wanted = ("a@x", [gang(1, 9), gang(2, 3)]), ("b@x", [plain(3, 2)])
    plan = pool.run(*wanted)
    assert (clusters(plan), plan.reserved) == ([], 2)
    assert clusters(pool.run(*wanted, after=599)) == []
    plan = pool.run(*wanted, after=600)
    assert (clusters(plan), plan.reserved) == ([3, 3], 0)
    assert clusters(pool.run(*wanted, after=1200)) == []
    pool.slots = (slot(1), slot(2), slot(3))
    assert clusters(pool.run(*wanted, after=1201)) == [2, 2, 2]


def test_free_slots_may_be_kept_without_end_or_not_at_all() -> None:
    wanted = ("a@x", [gang(2, 3)]), ("b@x", [plain(3, 2)])
    slots = slot(1), slot(2), claimed(slot(3), "b@x")
    pool = Cycles(*slots, unused_claim_timeout=0)
    for after in (0, 599, 1_000_000):
        done = pool.cycle(*wanted, after=after)
        assert (clusters(done.plan), done.plan.reserved) == ([], 2), after
    plan = Cycles(*slots, unused_claim_timeout=-1).run(*wanted)
    assert (clusters(plan), plan.reserved) == ([3, 3], 0)


def test_a_job_that_waits_holds_back_those_of_its_submitter_behind_it() -> None:
    """Not other submitters, and not ordinary jobs, which DEDICATED_SCHEDULER_USE_FIFO does not concern."""
    slots = slot(1), slot(2), claimed(slot(3), "c@x")
    wanted = ("a@x", [gang(1, 9), gang(2, 3), gang(3, 1)]), ("b@x", [gang(4, 1)])
    plan = Cycles(*slots, unused_claim_timeout=-1).run(*wanted)
    assert clusters(plan) == [4]
    reasons = {rejection.job.cluster: rejection.reason for rejection in plan.rejections}
    assert reasons[2] == "not all of the 3 nodes of the parallel job find a free slot yet"
    assert reasons[3] == "the nodes of the parallel job 2 get their slots first (DEDICATED_SCHEDULER_USE_FIFO)"
    assert clusters(Cycles(*slots, unused_claim_timeout=-1).run(("a@x", [gang(2, 3), plain(5, 1)]))) == [5]
    assert clusters(Cycles(*slots, unused_claim_timeout=-1, fifo=False).run(*wanted)) == [3, 4]


def test_an_ordinary_job_without_a_slot_lets_no_parallel_job_of_its_kind_pass_unseen() -> None:
    """It has the same autocluster: the parallel job still holds back those behind it."""
    large = Request(20, [JobId(1, 0)], job_ad(RequestCpus=3))
    pool = Cycles(partitionable(1, 2, 4096, TotalSlotCpus=4), unused_claim_timeout=-1)
    assert clusters(pool.run(("a@x", [large, gang(2, 1, RequestCpus=3), gang(3, 1)]))) == []


def node(number: int, cpus: int, prio: int, user: str = "b@x", **more: object) -> ClassAd:
    """The dynamic slot of a node of a running parallel job."""
    ad = slot(1, Name=f"slot1_{number}@vm", DynamicSlot=True, Cpus=cpus, JobPrio=prio, **more)
    return claimed(ad, user)


def displaced(pool: Cycles, *demands: tuple[str, list[Request]], gangs: list[list[str]], after: int = 0) -> Plan:
    return pool.cycle(*demands, after=after, gangs=gangs).plan


def preempting(*slots: ClassAd, rank: str = "0.0", **more: object) -> Cycles:
    rules = {"gang_preemption_requirements": "MY.JobPrio < TARGET.JobPrio", "gang_preemption_rank": rank}
    return Cycles(*slots, **{**rules, **more})


def test_a_running_parallel_job_makes_room_for_a_better_one() -> None:
    """All of its slots are left, although the new job needs fewer; the submitter may be the same."""
    slots = partitionable(1, 1, 4096, TotalSlotCpus=5), node(1, 2, 0), node(2, 2, 0)
    running = [["slot1_1", "slot1_2"]]
    for user in "a@x", "b@x":
        plan = displaced(preempting(*slots), (user, [gang(2, 3, JobPrio=5)]), gangs=running)
        assert clusters(plan) == [2, 2, 2]
        assert {(match.slot, match.victims) for match in plan.matches} == {("slot1@vm", ("slot1_1@vm", "slot1_2@vm"))}
        assert [line for line in plan.log if "Preempting b@x" in line and "slot1_2@vm" in line]
        assert not plan.rejections
    for user, prio in ("a@x", 0), ("b@x", 0):
        assert not displaced(preempting(*slots), (user, [gang(2, 3, JobPrio=prio)]), gangs=running).matches
    assert not displaced(
        Cycles(*slots, gang_preemption_requirements="true"), ("a@x", [gang(2, 3)]), gangs=running
    ).matches
    assert not displaced(preempting(*slots), ("a@x", [gang(2, 3, JobPrio=5)]), gangs=[]).matches


def test_as_few_make_room_as_it_takes_the_highest_rank_first() -> None:
    """Whole slots, too; those that are too small, or whose rank is no number, are spared."""
    slots = [claimed(slot(n, JobPrio=n, Memory=64 if n == 1 else 1024), f"user{n}@x") for n in range(1, 6)]
    pool = preempting(*slots, rank="ifThenElse(JobPrio == 2, undefined, -JobPrio)")
    plan = displaced(pool, ("a@x", [gang(9, 2, JobPrio=5)]), gangs=[[f"slot{n}"] for n in range(1, 6)])
    assert sorted(match.slot for match in plan.matches) == ["slot3@vm", "slot4@vm"]
    assert {match.victims for match in plan.matches} == {("slot3@vm", "slot4@vm")}


def test_what_is_free_besides_is_for_others_but_not_what_becomes_free() -> None:
    slots = partitionable(1, 2, 4096, TotalSlotCpus=8), node(1, 6, 0)
    plan = displaced(preempting(*slots), ("a@x", [gang(2, 7, JobPrio=5)]), ("b@x", [plain(3, 8)]), gangs=[["slot1_1"]])
    assert clusters(plan) == [2] * 7 + [3]


def test_a_submitter_that_has_lost_its_slots_waits_before_it_preempts() -> None:
    """NEGOTIATOR_CYCLE_DELAY: rules that allow both ways do not stop all work."""
    pool = preempting(claimed(slot(1), "b@x"), gang_preemption_requirements="true", cycle_delay=20)
    assert clusters(displaced(pool, ("a@x", [gang(1, 1)]), gangs=[["slot1"]])) == [1]
    pool.slots = (claimed(slot(1), "a@x"),)
    plan = displaced(pool, ("b@x", [gang(2, 1)]), gangs=[["slot1"]])
    assert not plan.matches
    assert "NEGOTIATOR_CYCLE_DELAY" in plan.rejections[0].reason
    assert clusters(displaced(pool, ("b@x", [gang(2, 1)]), gangs=[["slot1"]], after=20)) == [2]


def test_quotas_and_limits_count_for_those_that_preempt() -> None:
    """What makes room is room in its group's quota; a limit that is reached stays reached, and nothing has changed."""
    slots = slot(1), claimed(slot(2), "b@x", ConcurrencyLimits="x")
    pool = preempting(
        *slots, concurrency=ConcurrencySettings(limits=(("x", 1.0),)), gang_preemption_requirements="true"
    )
    limited = gang(2, 2, ConcurrencyLimits="x")
    plan = displaced(pool, ("a@x", [limited, plain(3, 2)]), gangs=[["slot2"]])
    assert [(match.job.cluster, match.slot, match.victims) for match in plan.matches] == [(3, "slot1@vm", ())]


def test_the_best_slot_of_a_job_counts_and_jobs_that_do_not_help_are_spared() -> None:
    def held(number: int, order: int, memory: int = 1024) -> ClassAd:
        return claimed(slot(number, Order=order, JobPrio=0, Memory=memory), f"user{number}@x")

    slots = held(1, 1), held(2, 3), held(3, 2), held(4, 9, memory=64), held(5, 0), held(6, 8)
    running = [["slot1"], ["slot2"], ["slot3"], ["slot4", "slot99"], ["slot5", "slot6"]]
    wanted = ("a@x", [gang(9, 2, JobPrio=5)])
    plan = displaced(preempting(*slots, rank="Order"), wanted, gangs=running[:4])
    assert {match.victims for match in plan.matches} == {("slot2@vm", "slot3@vm")}
    plan = displaced(preempting(*slots, rank="Order"), ("a@x", [gang(9, 1, JobPrio=5)]), gangs=running[:4])
    assert {match.victims for match in plan.matches} == {("slot2@vm",)}
    plan = displaced(preempting(*slots, rank="Order"), wanted, gangs=running)
    assert {match.victims for match in plan.matches} == {("slot5@vm", "slot6@vm")}
    assert not displaced(preempting(*slots, gang_preemption_requirements=""), wanted, gangs=running).matches


def test_a_job_makes_room_once() -> None:
    """Neither another parallel job nor an ordinary one may preempt it as well, in this cycle or while it leaves."""
    pool = preempting(claimed(slot(1, JobPrio=0), "v@x"), slot(2), preemption_requirements="true")
    wanted = ("a@x", [gang(1, 2, JobPrio=5)]), ("c@x", [gang(2, 1, JobPrio=5)]), ("d@x", [plain(3, 1)])
    assert clusters(displaced(pool, *wanted, gangs=[["slot1"]])) == [1, 1]
    assert clusters(displaced(pool, ("a@x", [gang(1, 2)]), gangs=[["slot1"]])) == [], "its JobPrio is not higher"


def test_a_group_that_makes_room_for_itself_stays_within_its_quota() -> None:
    slots = [claimed(slot(n, JobPrio=0), "g.b@x") for n in (1, 2)]
    pool = preempting(*slots, slot(3), slot(4), groups=(GroupSettings("g", 2.0),))
    pool.accountant = Accountant(AccountantSettings(group_names=("g",)))
    running = [["slot1", "slot2"]]
    plan = displaced(pool, ("g.a@x", [gang(1, 2, JobPrio=5)]), gangs=running)
    assert [match.victims for match in plan.matches] == [("slot1@vm", "slot2@vm")] * 2
    assert not displaced(pool, ("g.a@x", [gang(1, 3, JobPrio=5)]), gangs=running).matches


def test_slots_are_kept_for_one_job_at_a_time_and_the_next_cycle_is_due() -> None:
    pool = Cycles(slot(1), slot(2), claimed(slot(3), "c@x"), unused_claim_timeout=600)
    wanted = ("a@x", [gang(1, 3)]), ("b@x", [gang(2, 3)])
    done = pool.cycle(*wanted)
    assert (done.plan.reserved, done.again) == (1, 600)
    assert "    Keeping 2 free slots for the parallel job 1, which wants 3" in done.plan.log
    assert pool.cycle(*wanted, after=100).again == 500
    assert pool.cycle(*wanted, after=-5).again == 600, "a clock that was set back"


def test_what_part_of_a_job_took_is_given_back() -> None:
    """Limits, and the weight that counts for a ceiling; the rules of ordinary jobs preempt none for it."""
    pool = Cycles(partitionable(1, 2, 4096, TotalSlotCpus=4), concurrency=ConcurrencySettings(limits=(("x", 2.0),)))
    limited = Request(50, [JobId(5, 0), JobId(5, 1)], job_ad(ConcurrencyLimits="x"))
    pool.settings = NegotiatorSettings(concurrency=pool.settings.concurrency, unused_claim_timeout=-1)
    assert clusters(pool.run(("a@x", [gang(1, 3, ConcurrencyLimits="x"), limited]))) == [5, 5]
    pool = Cycles(*(slot(number) for number in range(1, 4)))
    edits.set_ceiling(pool.accountant, "a@x", 2)
    plan = pool.run(("a@x", [gang(1, 3), gang(2, 2)]))
    assert clusters(plan) == [2, 2]
    assert plan.rejections[0].reason == "submitter ceiling reached"
    held = claimed(slot(1), "b@x")
    assert not Cycles(held, preemption_requirements="true").run(("a@x", [gang(1, 1)])).matches


def test_slots_of_no_group_are_not_one_group() -> None:
    slots = [slot(1, ParallelSchedulingGroup="a"), slot(2, ParallelSchedulingGroup="a"), slot(3), slot(4), slot(5)]
    plan = Cycles(*slots).run(("a@x", [gang(1, 3, one_group=True)]))
    assert not plan.matches
    assert "cannot hold all 3 nodes" in plan.rejections[0].reason
    assert len(Cycles(*slots).run(("a@x", [gang(1, 2, one_group=True)])).matches) == 2


@pytest.mark.parametrize(
    ("attributes", "ever"),
    [
        ({"TotalSlotMemory": 4096, "Memory": 128}, True),
        ({"TotalSlotMemory": 4096, "Memory": 128, "MachineResources": "Cpus Memory"}, True),
        ({"Memory": 128}, False),
        ({"TotalSlotPets": 2, "Pets": 0}, True),
        ({"TotalSlotPets": 2, "Pets": 0, "MachineResources": "Cpus Memory"}, False),
        ({"TotalSlotPets": 0, "Pets": 2, "Memory": 128}, False),
    ],
)
def test_what_is_in_use_of_a_slot_may_be_free_one_day(attributes: dict[str, object], ever: bool) -> None:
    """All resources that the slot names, and only those that have a total."""
    slot_ad = partitionable(1, 4, 4096, **{"MachineResources": "Cpus Memory Pets", "Pets": 2, **attributes})
    wanted = {"RequestPets": 1, "Requirements": ("TARGET.Pets >= RequestPets && TARGET.Memory >= RequestMemory",)}
    pool = Cycles(slot_ad, unused_claim_timeout=-1)
    reason = pool.run(("a@x", [gang(1, 2, **wanted)])).rejections[0].reason
    assert ("find a free slot yet" in reason) == ever


def test_slots_are_kept_in_the_group_that_could_hold_the_job() -> None:
    slots = [slot(1, ParallelSchedulingGroup="a"), slot(2, ParallelSchedulingGroup="b")]
    slots += [claimed(slot(n, ParallelSchedulingGroup="b"), "c@x") for n in (3, 4)]
    plan = Cycles(*slots).run(("a@x", [gang(1, 3, one_group=True)]), ("b@x", [plain(2, 2)]))
    assert (plan.reserved, [match.slot for match in plan.matches]) == (1, ["slot1@vm"])
