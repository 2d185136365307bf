"""Expressions that cost much: they are paid by the account of the jobs, and nobody else waits for them."""

from __future__ import annotations

from time import process_time

import pytest
from costly_steps import costly
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.core.match import Carried, SubmitterDemand, negotiate
from condor_py.core.match.explain import OUT_OF_STEPS
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import Allowance, exhausted
from condor_py.model.settings.negotiator import NegotiatorSettings


def hostile(attribute: str, count: int = 400) -> SubmitterDemand:
    return demand("mallory@x", *((1, costly(n, attribute)) for n in range(1, count + 1)), cluster=1)


@pytest.mark.parametrize(
    ("attribute", "settings"),
    [
        ("Requirements", NegotiatorSettings()),
        ("Rank", NegotiatorSettings()),
        ("RequestMemory", NegotiatorSettings()),
        ("ConcurrencyLimits", NegotiatorSettings()),
        ("Size", NegotiatorSettings(job_constraint="Size > 0")),
        ("Size", NegotiatorSettings(pre_job_rank="TARGET.Size")),
    ],
)
@pytest.mark.parametrize("slots", [[slot(1), slot(2)], [partitionable(1, 2, 4000)]])
@pytest.mark.promise("S37")
def test_a_user_with_costly_expressions_delays_nobody(
    slots: list[ClassAd], attribute: str, settings: NegotiatorSettings
) -> None:
    pool = Pool(slots, settings)
    before = process_time()
    plan = pool.negotiate(hostile(attribute), demand("bob@x", (1, job_ad(Owner="bob", Size=1)), cluster=2))
    assert process_time() - before < 2.0
    assert "bob@x" in {match.submitter for match in plan.matches}
    assert OUT_OF_STEPS in {rejection.reason for rejection in plan.rejections}


def test_preemption_requirements_are_paid_by_whose_job_they_ask_about() -> None:
    slots = [claimed(slot(n), "carol@x") for n in range(1, 5)]
    settings = NegotiatorSettings(preemption_requirements='TARGET.Size > 0 || TARGET.Owner == "bob"')
    pool = Pool(slots, settings)
    before = process_time()
    plan = pool.negotiate(hostile("Size"), demand("bob@x", (1, job_ad(Owner="bob", Size=1)), cluster=2))
    assert process_time() - before < 2.0
    assert [match.submitter for match in plan.matches] == ["bob@x"]


def test_many_submitters_of_one_owner_have_one_budget() -> None:
    """Whoever may name accounting groups may have any number of submitters."""
    pool = Pool([slot(1)])
    many = [demand(f"g{n}.mallory@x", (1, costly(n, "Requirements")), cluster=n) for n in range(1, 101)]
    before = process_time()
    pool.negotiate(*many)
    assert process_time() - before < 2.0


def test_the_next_cycle_goes_on_where_the_steps_ended() -> None:
    """One of many kinds of jobs fits; whoever has so many that they cost too much for a cycle gets it all the same."""
    settings = NegotiatorSettings()
    pool = Pool([slot(1)], settings)
    ads = [costly(n, "Requirements") for n in range(1, 10)]
    wanted = demand("mallory@x", *((1, ad) for ad in ads), (1, job_ad(Owner="mallory")))
    carried = Carried()
    for _ in range(20):
        done = negotiate(pool.snapshot(wanted), pool.accountant, settings, carried)
        if done.plan.matches:
            break
        assert done.again == 1
        assert list(done.tally.out_of_time) == ["mallory@x"]
    assert len(done.plan.matches) == 1


def test_an_expression_of_the_usual_kind_costs_little() -> None:
    """Thousands of kinds of jobs are looked at in one cycle."""
    pool = Pool([slot(n) for n in range(1, 5)])
    ads = [job_ad(Owner="bob", RequestMemory=5000 + n) for n in range(2000)]
    plan = pool.negotiate(demand("bob@x", *((1, ad) for ad in ads), (1, job_ad(Owner="bob"))))
    assert len(plan.matches) == 1


def test_a_value_that_steps_did_not_suffice_for_is_nobody_elses() -> None:
    """Both users ask the same, but only one has steps left for it."""
    pool = Pool([slot(1)])
    many = [(1, costly(n, "Requirements")) for n in range(1, 20)]
    plan = pool.negotiate(
        demand("mallory@x", *many, (1, costly(0, "Requirements", depth=12)), cluster=1),
        demand("bob@x", (1, costly(1, "Requirements", owner="bob", depth=12)), cluster=2),
    )
    assert [match.submitter for match in plan.matches] == ["bob@x"]


def test_an_allowance_pays_for_what_is_evaluated_inside_of_it() -> None:
    ad = costly(1, "Requirements", depth=10)
    outer, inner = Allowance(10_000), Allowance(100_000)
    with outer:
        with inner:
            assert ad.evaluate("Requirements") is True
        assert outer.left == 10_000
        with outer:
            ad.evaluate("Requirements")
        assert exhausted() == outer.used_up
    assert 0 < 100_000 - inner.left == 10_000 - outer.left
    assert not exhausted()
    with Allowance(100) as nothing:
        assert nothing is None
        assert ad.eval_bool("Requirements", False) is False
        assert exhausted()
