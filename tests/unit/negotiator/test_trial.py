"""A cycle that fails is run again without the slots and requests that it fails with."""

from __future__ import annotations

from negotiator_pool import Pool, demand, job_ad, slot

from condor_py.core.match import Snapshot, negotiate
from condor_py.core.match.cycle import match_slots
from condor_py.core.match.trial import without_culprits


def failing(*_: object) -> None:
    raise OverflowError("cannot convert float infinity to integer")


def test_a_cycle_that_fails_is_run_without_the_request_it_fails_over() -> None:
    pool = Pool([slot(1), slot(2)])
    snapshot = pool.snapshot(demand("alice@example.net", (1, job_ad(Bad=1))), demand("bob@example.net", (1, job_ad())))

    def run(part: Snapshot) -> object:
        if any(request.ad.has("Bad") for wanted in part.submitters for request in wanted.requests):
            failing()
        return match_slots(part, pool.accountant, pool.settings).plan

    verdict = without_culprits(snapshot, run)
    plan = negotiate(verdict.snapshot, pool.accountant, pool.settings).plan
    assert [match.submitter for match in plan.matches] == ["bob@example.net"]
    assert [rejection.submitter for rejection in verdict.rejections] == ["alice@example.net"]
    assert verdict.rejections[0].fault
    assert verdict.log == (
        "ERROR request 1 of alice@example.net is left out, it cannot be judged: "
        "OverflowError: cannot convert float infinity to integer",
    )


def test_a_slot_that_nobody_can_judge_is_left_out_alone() -> None:
    pool = Pool([slot(1), slot(2, Bad=1), slot(3)])
    wanted = demand("alice@example.net", (1, job_ad()), (2, job_ad(RequestMemory=200)))
    verdict = without_culprits(
        pool.snapshot(wanted), lambda part: failing() if any(ad.has("Bad") for ad in part.slots) else None
    )
    assert [ad["Name"] for ad in verdict.snapshot.slots] == ["slot1@vm", "slot3@vm"]
    assert list(verdict.snapshot.submitters) == [wanted]
    assert verdict.rejections == ()
    assert [line.partition(" is left out")[0] for line in verdict.log] == ["ERROR slot slot2@vm"]
