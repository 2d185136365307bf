"""What cycles do at their limits: own slots, steps, ceilings, shares that are too small, and records of all that."""

from __future__ import annotations

import pytest
from costly_steps import costly
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot
from watched_cycles import Watched

from condor_py.core.match import Carried, negotiate
from condor_py.core.match.explain import LIMIT_EXCEEDED, NO_MATCH, OUT_OF_STEPS
from condor_py.core.match.forecast import forecast
from condor_py.core.match.recording import MOST_SUBMITTERS, Recorder
from condor_py.core.match.snapshot import Promise
from condor_py.model.ids import JobId
from condor_py.model.plan import Preemption
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

A, B = "alice@example.net", "bob@example.net"
OPEN = NegotiatorSettings(preemption_requirements="true")


# own slots


@pytest.mark.parametrize("mine", [1, 2])
def test_nobody_preempts_himself_even_where_only_his_own_slot_is_left(mine: int) -> None:
    holders = {mine: A, 3 - mine: B}
    pool = Pool([claimed(slot(number), user) for number, user in sorted(holders.items())], OPEN)
    pool.user(A, rup=0.5)
    pool.user(B, rup=500.0)
    plan = pool.negotiate(demand(A, (5, job_ad())))
    assert [match.victims for match in plan.matches] == [(f"slot{3 - mine}@vm",)]


def test_own_dynamic_slots_make_no_room() -> None:
    settings = OPEN.changed(allow_pslot_preemption=True)

    def matches(holder: str) -> int:
        child = claimed(slot(9, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), holder)
        pool = Pool([partitionable(1, 1, 4000), child], settings)
        pool.user(A, rup=0.5)
        pool.user(B, rup=500.0)
        return len(pool.negotiate(demand(A, (1, job_ad(RequestCpus=2)))).matches)

    assert (matches(B), matches(A)) == (1, 0)


def test_a_slot_that_does_not_say_how_many_cpus_it_has_left_is_free() -> None:
    ad = partitionable(1, 1, 4000, Requirements=("true",), SlotWeight=("1",))
    pool = Pool([ad])
    assert len(pool.negotiate(demand(A, (3, job_ad(RequestMemory=1)))).matches) == 1


# promises


def test_a_promise_takes_no_more_than_there_is() -> None:
    """The job was promised four cores, but other jobs of the slot have some of them: what is left is not negative."""
    pool = Pool([partitionable(1, 2, 4000), slot(2)])
    promise = Promise(B, "slot1@vm", (), 4.0, (("Cpus", 4.0), ("Memory", 100.0), ("Tokens", 3.0)))
    done = negotiate(
        pool.snapshot(demand(A, (9, job_ad())))._replace(promises=[promise]), pool.accountant, pool.settings
    )
    assert [match.slot for match in done.plan.matches] == ["slot2@vm"]
    left = next(one for one in done.slots if one.name == "slot1@vm").ad
    assert [left.eval_int(name, -1) for name in ("Cpus", "Memory", "Tokens")] == [0, 3900, 0]


# steps


def test_whose_steps_are_used_up_is_told_in_log_figures_and_reasons() -> None:
    pool = Pool([slot(1), slot(2)])
    mine = demand("mallory@x", *((1, costly(n, "Requirements")) for n in range(1, 60)), cluster=1)
    carried = Carried()
    done = negotiate(pool.snapshot(mine), pool.accountant, pool.settings, carried)
    assert sum("took all steps of this cycle" in line for line in done.plan.log) == 1
    assert list(done.tally.out_of_time) == ["mallory@x"]
    assert done.again == 1
    assert carried.resume["mallory@x"] > 1
    assert {one.reason for one in done.plan.rejections} <= {OUT_OF_STEPS, NO_MATCH}
    assert OUT_OF_STEPS in {one.reason for one in done.plan.rejections}


def test_a_request_that_no_turn_came_to_uses_steps_too() -> None:
    """All slots are gone before his turn; why he gets nothing is worked out as far as his steps reach."""
    pool = Pool([slot(1)])
    pool.user("mallory@x", rup=5000.0)
    mine = demand("mallory@x", *((1, costly(n, "Requirements")) for n in range(1, 60)), cluster=1)
    carried = Carried()
    done = negotiate(
        pool.snapshot(demand(A, (1, job_ad(Owner="a")), cluster=99), mine), pool.accountant, pool.settings, carried
    )
    assert OUT_OF_STEPS in {one.reason for one in done.plan.rejections}
    assert "mallory@x" in carried.resume
    assert list(done.tally.out_of_time) == ["mallory@x"]


@pytest.mark.parametrize(("count", "then"), [(1, 1), (2, 2)])
def test_the_next_cycle_begins_behind_a_request_that_used_up_all_steps_by_itself(count: int, then: int) -> None:
    pool = Pool([slot(number, Cpus=number, Memory=1000 + number) for number in range(1, 60)])
    wanted = [(1, costly(n, "Requirements")) for n in range(1, count + 1)]
    carried = Carried()
    negotiate(pool.snapshot(demand("mallory@x", *wanted, cluster=1)), pool.accountant, pool.settings, carried)
    assert carried.resume == {"mallory@x": then}


def test_a_group_that_nobody_is_in_takes_no_turn() -> None:
    groups = (GroupSettings("g", 2.0), GroupSettings("h", 2.0))
    pool = Pool(
        [slot(n) for n in range(4)], NegotiatorSettings(groups=groups), AccountantSettings(group_names=("g", "h"))
    )
    done = negotiate(pool.snapshot(demand("g.a@x", (9, job_ad()), running=0.0)), pool.accountant, pool.settings)
    turns = [line for line in done.plan.log if "negotiateWithGroup" in line]
    assert len(turns) == done.tally.pies == 1


# shares


def test_who_is_passed_over_because_his_share_is_too_small_hears_of_it() -> None:
    pool = Pool([slot(number, 4.0, Cpus=4) for number in range(5)])
    names = (A, B, "carl@example.net")
    wanted = [demand(name, (9, job_ad()), cluster=10 * number) for number, name in enumerate(names, 1)]
    done = negotiate(pool.snapshot(*wanted), pool.accountant, pool.settings)
    skipped = [line for line in done.plan.log if "skipped as pieLeft < minSlotWeight" in line]
    assert {line.split()[2] for line in skipped} == set(names)
    assert set(done.tally.share_limit) == set(names)
    assert sum(match.weight for match in done.plan.matches) == 20.0
    assert {one.reason for one in done.plan.rejections} == {LIMIT_EXCEEDED}


def test_limits_of_a_round_in_steps() -> None:
    """With a rate, the groups' limits rise together by it; what a group uses already does not count again."""
    groups = (GroupSettings("g", 6.0), GroupSettings("h", 2.0))
    settings = NegotiatorSettings(groups=groups, round_robin_rate=2.0, consider_preemption=False)
    slots = [claimed(slot(number), "g.a@x") for number in (1, 2)] + [slot(number) for number in range(3, 9)]
    pool = Pool(slots, settings, AccountantSettings(group_names=("g", "h")))
    plan = pool.negotiate(
        demand("g.a@x", (9, job_ad()), cluster=1, running=2.0), demand("h.b@x", (9, job_ad()), cluster=2)
    )
    assert [match.submitter[0] for match in plan.matches] == ["h", "g", "g", "h", "g", "g"]


# forecasts


def test_a_forecast_that_looks_at_some_jobs_only_says_what_the_others_lack_on_an_empty_machine() -> None:
    pool = Pool([slot(1)])
    wanted = demand(A, (2, job_ad()), (1, job_ad(RequestCpus=64)), (1, job_ad(RequestMemory=64)))
    found = forecast(pool.snapshot(wanted), pool.accountant, pool.settings, lambda job: 600.0, {}, most=1)
    assert found.starts == {JobId(wanted.requests[0].jobs[0].cluster, 0): NOW}
    assert found.reasons == {(A, 2): NO_MATCH}


# records


def test_a_recorder_that_has_seen_nothing_yet_begins_with_the_first_question() -> None:
    pool = Pool([slot(1)])
    recorder = Recorder(pool.accountant)
    assert recorder.take(NOW, 60) is None
    snapshot = pool.snapshot(demand(A, (1, job_ad())))
    recorder.observe(negotiate(snapshot, pool.accountant, pool.settings), snapshot)
    assert recorder.take(NOW + 58, 60) is None
    record = recorder.take(NOW + 59, 60)
    assert record is not None
    assert (record.begin, record.end) == (NOW, NOW + 59)


def test_who_used_slots_and_left_the_queue_is_in_the_record_of_his_group() -> None:
    groups = (GroupSettings("g", 4.0),)
    accounting = AccountantSettings(group_names=("g",))
    pool = Watched([slot(number) for number in range(4)], NegotiatorSettings(groups=groups), accounting)
    pool.cycle(demand("g.a@x", (2, job_ad()), cluster=1), demand("g.b@x", (2, job_ad()), cluster=5))
    pool.slots = [claimed(ad, "g.a@x" if number < 2 else "g.b@x") for number, ad in enumerate(pool.slots)]
    pool.now += 50
    pool.cycle(demand("g.a@x", cluster=1, running=2.0), demand("g.b@x", cluster=5, running=2.0))
    pool.record()
    pool.now += 50
    pool.cycle(demand("g.a@x", cluster=1, running=2.0))
    pool.now += 50
    record = pool.record()
    assert record.groups["g"].used == sum(one.used for one in record.submitters.values()) > 0
    assert record.submitters["g.b@x"].used > 0


def test_the_largest_record_keeps_those_who_used_or_wanted_most() -> None:
    pool = Watched([slot(1)])
    numbers = range(1, MOST_SUBMITTERS + 4)
    pool.cycle(*(demand(f"u{one}@x", (1, job_ad(RequestCpus=one)), cluster=one) for one in numbers))
    pool.now += 10
    kept = set(pool.record().submitters)
    assert len(kept) == MOST_SUBMITTERS
    assert {f"u{number}@x" for number in range(10, MOST_SUBMITTERS + 4)} <= kept


# what comes first


def test_free_slots_come_before_those_of_others() -> None:
    pool = Pool([claimed(slot(1), B), slot(2)], OPEN)
    pool.user(B, rup=500.0)
    plan = pool.negotiate(demand(A, (2, job_ad())))
    assert [match.preemption for match in plan.matches] == [Preemption.NONE, Preemption.PRIORITY]
    assert not any(one.reason == LIMIT_EXCEEDED for one in plan.rejections)
