"""condor_q -forecast: when jobs will start."""

from __future__ import annotations

from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.negotiator import SubmitterDemand, run
from condor_py.negotiator.forecast import Forecast, forecast


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
    plan = run(Pool(machines).snapshot(*wanted), Pool(machines).accountant, Pool(machines).settings).plan
    found = look(Pool(machines), *wanted)
    assert {job for job, start in found.starts.items() if start == NOW} == {match.job for match in plan.matches}


def test_what_should_have_ended_ends_now() -> None:
    """And what ended is free, also for those who preempt nobody."""
    pool = Pool([claimed(slot(1), "b@x")], NegotiatorSettings(consider_preemption=False))
    found = look(pool, demand("a@x", (1, job_ad())), slot1=-300)
    assert list(found.starts.values()) == [NOW + 1]
