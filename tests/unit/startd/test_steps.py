"""Jobs whose expressions cost much: their owner pays for them, and the startd goes on with everybody else's."""

from __future__ import annotations

from time import process_time

import pytest
from startd_bench import FACTS, Bench, ev, fx, job_ad, settings

from condor_py.lang.classad import ClassAd

#: Doubles 44 times: more steps than any evaluation may take.
DOUBLING = {f"A{n}": f"A{n - 1} + A{n - 1}" for n in range(1, 45)}


def costly(**attributes: str) -> ClassAd:
    """A job of mallory's with A44, which takes as long as an evaluation may."""
    return job_ad(A0="1", Owner='"mallory"', **DOUBLING, **attributes)


#: Room for everybody.
LARGE = FACTS._replace(cpus=64)


def used(before: float) -> float:
    return process_time() - before


@pytest.mark.parametrize("attribute", ["RequestMemory", "RequestGPUs", "RequestVirtualMemory"])
def test_requests_for_claims_of_one_owner_cost_no_more_than_he_may_spend(attribute: str) -> None:
    bench = Bench(facts=LARGE)
    before = process_time()
    for _ in range(20):
        bench.ask(ad=costly(**{attribute: "A44"}))
    assert used(before) < 2.0
    bench.claim(ad=job_ad(Owner='"bob"'))


@pytest.mark.parametrize("knob", ["start", "rank"])
def test_expressions_of_the_slot_that_ask_the_job_are_paid_by_its_owner(knob: str) -> None:
    bench = Bench(settings({knob: "ifThenElse(TARGET.A44 =?= 1, false, true)"}), LARGE)
    before = process_time()
    for _ in range(20):
        bench.ask(ad=costly())
    assert used(before) < 2.0
    bench.claim(ad=job_ad(Owner='"bob"'))


@pytest.mark.parametrize("knob", ["want_suspend", "preempt", "max_job_retirement_time", "kill"])
def test_the_look_at_running_jobs_costs_no_more_than_their_owner_may_spend(knob: str) -> None:
    bench = Bench(settings({knob: "TARGET.A44 > 0"}), LARGE)
    for _ in range(7):
        bench.running(
            ad=costly(MaxJobRetirementTime="A44", JobLeaseDuration="A44", ConcurrencyLimits='strcat("x", A44)')
        )
        bench.now += 1
    claim = bench.running(ad=job_ad(Owner='"bob"'))
    before = process_time()
    bench.wait(5)
    bench.startd.next_wakeup()
    bench.ads()
    bench.do(ev.ScheddGone())
    bench.startd.next_wakeup()
    assert used(before) < 2.0
    bench.end(claim)


def test_who_spends_too_much_does_not_keep_the_slot_from_its_owner() -> None:
    """PREEMPT asks the job and the load: the job's part has no value, that of the machine counts."""
    bench = Bench(settings({"preempt": "TARGET.A44 < 0 || TotalLoadAvg > 5", "want_suspend": "false"}))
    bench.running(ad=costly(JobLeaseDuration="A44"))
    bench.wait(5)
    assert bench.place("slot1_1") == "Claimed/Busy"
    bench.wait(5, load_avg=9.0)
    assert not bench.has(fx.ClaimLost)
    assert bench.place("slot1_1") == "Preempting/Vacating"


def test_start_is_not_true_for_a_job_that_it_has_no_steps_for() -> None:
    """Without the job's part the expression would take everybody."""
    bench = Bench(settings({"start": "TARGET.A44 =!= 3"}))
    bench.ask(ad=costly())
    assert "START is not true" in bench.only(fx.ClaimRefused).reason
