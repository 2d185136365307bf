"""Who may preempt when: nobody takes back at once what he lost, and nobody else waits for that."""

from __future__ import annotations

from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import Carried, Cycle, negotiate
from condor_py.core.match.carried import Loss
from condor_py.core.match.explain import LOST_A_SLOT
from condor_py.core.match.snapshot import Promise
from condor_py.model.settings.negotiator import NegotiatorSettings

ALWAYS = NegotiatorSettings(preemption_requirements="True")


class Cycles(Pool):
    """A pool whose preempted slots are the winners' at once."""

    def __init__(self, *holders: str) -> None:
        super().__init__([claimed(slot(n), who) for n, who in enumerate(holders, 1)], ALWAYS)
        self.carried = Carried()

    def after(self, seconds: int, *names: str) -> Cycle:
        """A cycle for users who want one more slot each."""
        self.now += seconds
        demands = [demand(name, (1, job_ad(Owner=name))) for name in names]
        done = negotiate(self.snapshot(*demands), self.accountant, self.settings, self.carried)
        for match in done.plan.matches:
            for ad in self.slots:
                if ad.eval_str("Name", "") in match.victims:
                    ad.set_str("RemoteUser", match.submitter)
        return done


def test_a_second_user_preempts_at_once() -> None:
    pool = Cycles("c@x", "c@x")
    assert len(pool.after(0, "a@x").plan.matches) == 1
    assert len(pool.after(1, "b@x").plan.matches) == 1


def test_who_has_preempted_may_preempt_again() -> None:
    pool = Cycles("c@x", "c@x")
    assert len(pool.after(0, "a@x").plan.matches) == 1
    assert len(pool.after(1, "a@x").plan.matches) == 1


def test_two_who_may_preempt_each_other_take_turns_slowly_and_are_told_of() -> None:
    pool = Cycles("b@x")
    exchanges = [
        len(pool.after(1, "a@x" if pool.slots[0].eval_str("RemoteUser", "") == "b@x" else "b@x").plan.matches)
        for _ in range(100)
    ]
    assert 3 <= sum(exchanges) <= 6
    done = pool.after(ALWAYS.cycle_delay, "a@x", "b@x")
    assert "      a@x and b@x preempt each other in turn: PREEMPTION_REQUIREMENTS allows both" in done.plan.log or (
        "      b@x and a@x preempt each other in turn: PREEMPTION_REQUIREMENTS allows both" in done.plan.log
    )


def test_who_waits_is_told_why_and_a_cycle_follows_when_he_may() -> None:
    pool = Cycles("b@x")
    pool.after(0, "a@x")
    done = pool.after(5, "b@x")
    assert [rejection.reason for rejection in done.plan.rejections] == [LOST_A_SLOT]
    assert done.again == ALWAYS.cycle_delay - 5
    assert len(pool.after(done.again, "b@x").plan.matches) == 1


def test_free_slots_are_nobodys_loss() -> None:
    pool = Cycles("b@x")
    pool.after(0, "a@x")
    pool.slots.append(slot(2))
    assert [match.slot for match in pool.after(1, "b@x").plan.matches] == ["slot2@vm"]


def test_a_clock_set_back_makes_nobody_wait() -> None:
    pool = Cycles("b@x")
    pool.after(0, "a@x")
    assert len(pool.after(-3600, "b@x").plan.matches) == 1


def test_what_is_promised_counts_for_whom_it_is_promised_to() -> None:
    """A slot that is being vacated for somebody is matched with nobody else, and is part of his use."""
    policy = "SubmitterUserResourcesInUse < 1"
    pool = Pool([claimed(slot(1), "c@x"), claimed(slot(2), "c@x")], NegotiatorSettings(preemption_requirements=policy))
    snapshot = pool.snapshot(demand("a@x", (1, job_ad())), demand("b@x", (1, job_ad())))
    promise = Promise("a@x", "slot1@vm", ("slot1@vm",), 1.0)
    plan = negotiate(snapshot._replace(promises=[promise]), pool.accountant, pool.settings).plan
    assert [(match.submitter, match.slot) for match in plan.matches] == [("b@x", "slot2@vm")]


def test_room_that_is_being_made_in_a_partitionable_slot_is_kept() -> None:
    """The first of the small jobs has left; another small one does not take its place before the large one."""
    pool = Pool([partitionable(1, 1, 1000)])
    snapshot = pool.snapshot(demand("c@x", (1, job_ad())))
    promise = Promise("a@x", "slot1@vm", ("slot1_1@vm", "slot1_2@vm"), 2.0, (("Cpus", 2.0), ("Memory", 128.0)))
    assert not negotiate(snapshot._replace(promises=[promise]), pool.accountant, pool.settings).plan.matches


def test_of_equals_who_waited_longest_is_first() -> None:
    for first, last in (("a@x", "b@x"), ("b@x", "a@x")):
        pool = Pool([slot(1)])
        for seconds, name in ((100, first), (50, last)):
            pool.user(name)
            pool.accountant.table.integers["LastUsageTime"][pool.accountant.table.index[name]] = pool.now - seconds
        for names in (("a@x", "b@x"), ("b@x", "a@x")):
            plan = pool.negotiate(*(demand(name, (1, job_ad())) for name in names))
            assert [match.submitter for match in plan.matches] == [first]


def test_only_those_who_take_from_each_other_are_told_of() -> None:
    pool = Cycles("a@x", "c@x")
    pool.user("a@x", rup=100.0)
    assert pool.after(0, "b@x").plan.matches[0].victims == ("slot1@vm",)
    pool.user("a@x", rup=0.5)
    pool.user("c@x", rup=100.0)
    done = pool.after(ALWAYS.cycle_delay, "a@x")
    assert done.plan.matches[0].victims == ("slot2@vm",)
    assert not any("preempt each other" in line for line in done.plan.log)


def test_who_lost_a_slot_makes_no_room_in_a_partitionable_one_either() -> None:
    settings = NegotiatorSettings(preemption_requirements="True", allow_pslot_preemption=True)
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), "b@x")
    pool = Pool([partitionable(1, 0, 8000), child], settings)
    carried = Carried(losses={"a@x": Loss(pool.now - 5, "b@x")})
    asked = pool.snapshot(demand("a@x", (1, job_ad(RequestCpus=2))))
    done = negotiate(asked, pool.accountant, settings, carried)
    assert [rejection.reason for rejection in done.plan.rejections] == [LOST_A_SLOT]
    assert done.again == settings.cycle_delay - 5
