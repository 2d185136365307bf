"""condor_q -forecast: when jobs will start."""

from __future__ import annotations

from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import SubmitterDemand, match_slots
from condor_py.core.match.forecast import Forecast, _without, forecast
from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import NegotiatorSettings


def minutes(pool: Pool, *demands: SubmitterDemand, run_time: float = 600.0, **ends: float) -> list[float]:
    """Minutes from now at which the jobs start, in the order of their ids."""
    found = look(pool, *demands, run_time=run_time, **ends)
    return [(found.starts[job] - NOW) / 60 for job in sorted(found.starts)]


def look(pool: Pool, *demands: SubmitterDemand, run_time: float = 600.0, **ends: float) -> Forecast:
    """The first proc of a cluster takes twice as long as the others."""
    moments = {f"{name}@vm": NOW + seconds for name, seconds in ends.items()}

    def takes(job: JobId) -> float:
        return run_time if job.proc else 2 * run_time

    return forecast(pool.snapshot(*demands), pool.accountant, pool.settings, takes, moments)


def test_jobs_start_now_or_when_those_before_them_end() -> None:
    assert minutes(Pool([slot(1), slot(2)]), demand("a@x", (5, job_ad()))) == [0, 0, 10, 20, 20]


def test_a_partitionable_slot_is_filled_again_and_again() -> None:
    pool = Pool([partitionable(1, 4, 8000)])
    assert minutes(pool, demand("a@x", (5, job_ad(RequestCpus=2)))) == [0, 0, 10, 20, 20]


def test_what_runs_is_not_dealt_out_again_and_every_resource_comes_back() -> None:
    within = "MY.Cpus >= TARGET.RequestCpus && MY.GPUs >= TARGET.RequestGPUs"
    ad = partitionable(1, 8, 8000, MachineResources="Cpus Memory Disk GPUs", GPUs=2, WithinResourceLimits=(within,))
    assert minutes(Pool([ad]), demand("a@x", (5, job_ad(RequestGPUs=1)))) == [0, 0, 10, 20, 20]


def test_who_waits_for_a_running_job_starts_when_it_ends() -> None:
    pool = Pool([claimed(slot(1), "b@x")])
    assert minutes(pool, demand("a@x", (1, job_ad())), slot1=300) == [5]


def test_a_dynamic_slot_that_ends_makes_room_for_a_large_job() -> None:
    child = claimed(slot(1, Name="slot1_1@vm", Cpus=2, DynamicSlot=True), "b@x")
    pool = Pool([partitionable(1, 2, 8000), child])
    assert minutes(pool, demand("a@x", (1, job_ad(RequestCpus=4))), slot1_1=120) == [2]


def test_who_can_never_start_is_told_why() -> None:
    found = look(Pool([slot(1)]), demand("a@x", (1, job_ad(RequestCpus=4)), (2, job_ad())))
    assert len(found.starts) == 2
    assert found.reasons == {("a@x", 1): "no match found"}


def test_the_better_priority_is_served_first() -> None:
    pool = Pool([slot(1)])
    pool.user("a@x", rup=50.0)
    pool.user("b@x", rup=1.0)
    found = look(pool, demand("a@x", (1, job_ad()), cluster=1), demand("b@x", (1, job_ad()), cluster=2))
    assert found.starts[JobId(2, 0)] == NOW
    assert found.starts[JobId(1, 0)] == NOW + 1200


def test_what_starts_now_is_what_the_negotiator_would_start_now() -> None:
    machines = [slot(1), slot(2), partitionable(3, 3, 3000)]
    wanted = [demand("a@x", (4, job_ad())), demand("b@x", (4, job_ad(RequestCpus=2)), cluster=9)]
    plan = match_slots(Pool(machines).snapshot(*wanted), Pool(machines).accountant, Pool(machines).settings).plan
    found = look(Pool(machines), *wanted)
    assert {job for job, start in found.starts.items() if start == NOW} == {match.job for match in plan.matches}


def test_what_should_have_ended_ends_now() -> None:
    """And what ended is free, also for those who preempt nobody."""
    pool = Pool([claimed(slot(1), "b@x")], NegotiatorSettings(consider_preemption=False))
    found = look(pool, demand("a@x", (1, job_ad())), slot1=-300)
    assert list(found.starts.values()) == [NOW + 1]


def test_who_is_preempted_does_not_end_the_job_that_took_his_slot() -> None:
    """He would have ended after five minutes; whoever preempted him has the slot for twenty."""
    pool = Pool([claimed(slot(1), "b@x")], NegotiatorSettings(preemption_requirements='RemoteUser == "b@x"'))
    assert minutes(pool, demand("a@x", (2, job_ad())), slot1=300) == [0, 20]


def test_room_that_is_made_in_a_partitionable_slot_is_used_again() -> None:
    settings = NegotiatorSettings(preemption_requirements='RemoteUser == "b@x"', allow_pslot_preemption=True)
    children = [claimed(slot(1, Name=f"slot1_{n}@vm", Cpus=2, DynamicSlot=True), "b@x") for n in (1, 2)]
    pool = Pool([partitionable(1, 0, 8000), *children], settings)
    found = minutes(pool, demand("a@x", (3, job_ad(RequestCpus=4))), slot1_1=300, slot1_2=9000)
    assert found == [0, 20, 30]


def test_a_slot_that_holds_a_job_is_not_free_for_another() -> None:
    pool = Pool([slot(1)], NegotiatorSettings(consider_preemption=False))
    assert minutes(pool, demand("a@x", (3, job_ad()))) == [0, 20, 30]


def test_what_has_ended_is_unclaimed_and_idle() -> None:
    start = 'State == "Unclaimed" && Activity == "Idle"'
    assert minutes(Pool([slot(1, Start=(start,))]), demand("a@x", (2, job_ad()))) == [0, 20]


def test_a_dynamic_slot_of_a_machine_that_is_not_seen_is_a_slot() -> None:
    child = claimed(slot(1, Name="slot1_1@vm", DynamicSlot=True), "b@x")
    assert minutes(Pool([child]), demand("a@x", (1, job_ad())), slot1_1=120) == [2]


def test_a_slot_is_not_part_of_another_by_its_name_alone() -> None:
    held = claimed(slot(2, Name="slot1_1@vm"), "b@x")
    pool = Pool([slot(1, Start=("false",)), held])
    assert minutes(pool, demand("a@x", (1, job_ad())), slot1_1=120) == [2]


def test_who_has_reached_his_ceiling_goes_on_when_his_jobs_end() -> None:
    machine = partitionable(1, 4, 8000)
    del machine["MachineResources"]
    pool = Pool([machine])
    pool.user("a@x", ceiling=2)
    assert minutes(pool, demand("a@x", (4, job_ad()))) == [0, 0, 10, 20]


def test_what_ends_at_the_same_moment_is_dealt_at_once() -> None:
    """The large job of the better user goes before the small one, which could have had the first half."""
    children = [claimed(slot(1, Name=f"slot1_{n}@vm", Cpus=2, DynamicSlot=True), "c@x") for n in (1, 2)]
    pool = Pool([partitionable(1, 0, 8000), *children])
    pool.user("a@x", rup=1.0)
    pool.user("b@x", rup=900.0)
    large, small = demand("a@x", (1, job_ad(RequestCpus=4)), cluster=1), demand("b@x", (1, job_ad()), cluster=2)
    assert minutes(pool, large, small, slot1_1=120, slot1_2=120) == [2, 22]


def test_slots_end_in_the_order_of_time_and_not_of_names() -> None:
    pool = Pool([claimed(slot(n), "b@x") for n in (1, 2, 3)])
    assert minutes(pool, demand("a@x", (3, job_ad())), slot1=900, slot2=300, slot3=600) == [5, 10, 15]


def test_a_job_takes_a_second_at_least() -> None:
    found = look(Pool([slot(1)]), demand("a@x", (3, job_ad())), run_time=0.0)
    assert sorted(start - NOW for start in found.starts.values()) == [0, 1, 2]


def test_a_forecast_looks_no_farther_than_it_has_to_or_may() -> None:
    pool, wanted = Pool([slot(1)]), demand("a@x", (2, job_ad()))
    assert look(pool, demand("a@x", (1, job_ad()))).until == NOW
    for horizon, started in ((1200, 2), (1199, 1)):
        found = forecast(pool.snapshot(wanted), pool.accountant, pool.settings, lambda job: 1200.0, {}, horizon)
        assert (len(found.starts), found.until) == (started, NOW + (1200 if started == 2 else 0))
        assert bool(found.reasons) == (started == 1)


def test_what_has_started_weighs_among_what_runs() -> None:
    """Four jobs of two cores each, half of which have started, beside one that ran before."""
    before = demand("a@x", (4, job_ad(RequestCpus=2)), running=2.0)._replace(running=1)
    after = _without(before, set(before.requests[0].jobs[:2]))
    assert (after.idle, after.idle_weight, after.running, after.running_weight) == (2, 4.0, 3, 6.0)
    assert _without(after, set(after.requests[0].jobs)).idle == 0


def test_who_holds_a_slot_then_is_known_as_its_owner() -> None:
    """After five minutes a slot ends that fits nobody; the policy lets nobody preempt alice."""
    settings = NegotiatorSettings(preemption_requirements='RemoteOwner =!= "a@x"')
    pool = Pool([slot(1), claimed(slot(2, Start=("false",)), "d@x")], settings)
    pool.user("a@x", rup=1.0)
    pool.user("c@x", rup=2.0)
    wanted = demand("a@x", (1, job_ad()), cluster=1), demand("c@x", (1, job_ad()), cluster=2)
    assert minutes(pool, *wanted, slot2=300) == [0, 20]


def test_a_machine_without_a_list_of_its_resources_gets_the_usual_ones_back() -> None:
    machine = partitionable(1, 2, 8000)
    del machine["MachineResources"]
    assert minutes(Pool([machine]), demand("a@x", (4, job_ad()))) == [0, 0, 10, 20]


def test_a_job_of_a_group_leaves_its_slot_free() -> None:
    held = claimed(slot(1), "g.b@x", AccountingGroup="g.b@x", PreemptingUser="c@x", PreemptingAccountingGroup="g.c@x")
    assert minutes(Pool([held]), demand("a@x", (1, job_ad())), slot1=300) == [5]
