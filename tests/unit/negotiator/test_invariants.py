"""What holds for every plan, over random pools."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot

from condor_py.cli.q.analysis.counts import Situation, count_slots
from condor_py.cli.q.analysis.slots import Slots
from condor_py.core.match import Snapshot, SubmitterDemand, charge, match_slots, prepare
from condor_py.core.match.consumption import Consumer, slot_weight
from condor_py.core.match.session import Session, parse_limits
from condor_py.core.match.slot import Slot
from condor_py.core.match.tally import Clocks, Tally
from condor_py.lang.classad import ClassAd, symmetric_match
from condor_py.model.ids import JobId
from condor_py.model.plan import Plan, Preemption
from condor_py.model.settings.negotiator import ConcurrencySettings, NegotiatorSettings

EXAMPLES = settings(max_examples=400)

USERS = ("a@x", "b@x", "c@x", "nice-user.d@x")

static_slot = st.tuples(
    st.just("static"), st.integers(1, 4), st.sampled_from([512, 1024, 4096]), st.sampled_from([None, 1.0, 2.5])
)
held_slot = st.tuples(st.just("held"), st.integers(1, 4), st.sampled_from(USERS), st.sampled_from([0.0, 5.0]))
whole_machine = st.tuples(st.just("partitionable"), st.integers(1, 16), st.sampled_from([1000, 4000, 16000]), st.none())
slots = st.lists(st.one_of(static_slot, whole_machine, held_slot), max_size=8)

job = st.fixed_dictionaries(
    {"RequestCpus": st.integers(1, 5), "RequestMemory": st.sampled_from([1, 128, 400, 1000, 3000])},
    optional={
        "ConcurrencyLimits": st.sampled_from(["lic", "lic:2,db.x", "db.y:0.5"]),
        "Rank": st.sampled_from([("TARGET.Memory",), ("SlotID",)]),
        "Requirements": st.sampled_from([("TARGET.Memory > 600",), ("TARGET.SlotID =!= 2",)]),
    },
)
requests = st.lists(st.tuples(st.integers(1, 30), job), max_size=4)
users = st.dictionaries(
    st.sampled_from(USERS),
    st.tuples(requests, st.sampled_from([0.5, 3.0, 40.0]), st.sampled_from([-1, -1, 3, 7]), st.sampled_from([0, 0, 2])),
)
knobs = st.fixed_dictionaries(
    {
        "preemption_requirements": st.sampled_from(["False", "True", "RemoteUserPrio > SubmitterUserPrio * 1.2"]),
        "consider_preemption": st.booleans(),
        "use_slot_weights": st.booleans(),
    }
)
LIMITS = ConcurrencySettings((("lic", 6.0),), (("db", 3.0),), 100.0)


def build(parts: list[tuple[Any, ...]]) -> list[ClassAd]:
    ads = []
    for number, (kind, cpus, third, fourth) in enumerate(parts, 1):
        if kind == "static":
            ads.append(slot(number, fourth, Cpus=cpus, Memory=third))
        elif kind == "held":
            ads.append(claimed(slot(number, Cpus=cpus), third, rank=fourth, Rank=("TARGET.RequestCpus",)))
        else:
            ads.append(partitionable(number, cpus, third))
    return ads


def scene(parts: list[tuple[Any, ...]], wanted: dict[str, Any], given_knobs: dict[str, Any]) -> tuple[Pool, Snapshot]:
    pool = Pool(build(parts), NegotiatorSettings(concurrency=LIMITS, **given_knobs))
    demands = []
    for number, (name, (asked, rup, ceiling, floor)) in enumerate(wanted.items()):
        pool.user(name, rup=rup, ceiling=ceiling, floor=floor)
        ads = [(count, job_ad(**attributes)) for count, attributes in asked]
        demands.append(demand(name, *ads, cluster=1 + 100 * number))
    snapshot = Snapshot(NOW, pool.slots, demands)
    prepare(snapshot, pool.accountant, pool.settings)
    return pool, snapshot


def job_ads(snapshot: Snapshot) -> dict[JobId, tuple[SubmitterDemand, ClassAd]]:
    return {
        job: (submitter, request.ad)
        for submitter in snapshot.submitters
        for request in submitter.requests
        for job in request.jobs
    }


def check_slots(pool: Pool, snapshot: Snapshot, plan: Plan) -> dict[str, Slot]:
    """Every match fits what is left of its slot; the slots as they are afterwards."""
    left = {str(ad["Name"]): Slot(i, ad, slot_weight(ad, pool.settings)) for i, ad in enumerate(pool.slots)}
    consumer = Consumer(pool.settings)
    ads = job_ads(snapshot)
    for match in plan.matches:
        target, (submitter, ad) = left[match.slot], ads[match.job]
        assert submitter.name == match.submitter
        assert not target.taken
        assert symmetric_match(ad, target.ad)
        assert (match.preemption is Preemption.NONE) == (not target.remote)
        if target.partitionable:
            piece = consumer.of(target, ad)
            assert piece is not None
            assert piece.weight == match.weight
            target.carve(piece.amounts)
            for resource in ("Cpus", "Memory", "Disk"):
                assert (target.ad.eval_real(resource) or 0.0) >= 0
        else:
            assert match.weight == target.weight
            target.taken = True
    return left


def check_order_of_jobs(snapshot: Snapshot, plan: Plan) -> None:
    """Jobs of a request are matched from the front, each once."""
    assert max(Counter(match.job for match in plan.matches).values(), default=0) <= 1
    matched = {match.job for match in plan.matches}
    for submitter in snapshot.submitters:
        for request in submitter.requests:
            flags = [job in matched for job in request.jobs]
            assert flags == sorted(flags, reverse=True)
    assert not matched & {rejection.job for rejection in plan.rejections}


def check_limits(pool: Pool, snapshot: Snapshot, plan: Plan) -> Counter[str]:
    """Ceilings and concurrency limits hold; units in use."""
    units: Counter[str] = Counter()
    ads = job_ads(snapshot)
    for match in plan.matches:
        for name, count in parse_limits(ads[match.job][1].eval_str("ConcurrencyLimits", "") or ""):
            units[name] += count  # type: ignore[assignment]
    assert units["lic"] <= 6
    assert units["db.x"] <= 3
    assert units["db.y"] <= 3
    for submitter in snapshot.submitters:
        ceiling = pool.accountant.ceiling(submitter.name)
        new = sum(match.weight for match in plan.matches if match.submitter == submitter.name)
        if ceiling >= 0 and new:
            assert pool.accountant.use(submitter.name) + new <= ceiling + 1e-6
    return units


def check_work_conserving(
    pool: Pool, snapshot: Snapshot, plan: Plan, left: dict[str, Slot], units: Counter[str]
) -> None:
    """No free slot is left over that a waiting request could have had."""
    matched = {match.job for match in plan.matches}
    consumer = Consumer(pool.settings)
    for submitter in snapshot.submitters:
        new = sum(match.weight for match in plan.matches if match.submitter == submitter.name)
        ceiling = pool.accountant.ceiling(submitter.name)
        room = float("inf") if ceiling < 0 else ceiling - pool.accountant.use(submitter.name) - new
        for request in submitter.requests:
            limits = parse_limits(request.ad.eval_str("ConcurrencyLimits", "") or "")
            maxima = {"lic": 6.0, "db.x": 3.0, "db.y": 3.0}
            if all(job in matched for job in request.jobs):
                continue
            if any(units[name] + count > maxima[name] for name, count in limits):
                continue
            for target in left.values():
                if not target.free or not symmetric_match(request.ad, target.ad):
                    continue
                weight = target.weight
                if target.partitionable:
                    piece = consumer.of(target, request.ad)
                    if piece is None:
                        continue
                    weight = piece.weight
                assert weight > room, f"{target.name} is left, {submitter.name} waits for it"


@EXAMPLES
@given(slots, users, knobs)
def test_every_plan(parts: list[tuple[Any, ...]], wanted: dict[str, Any], given_knobs: dict[str, Any]) -> None:
    pool, snapshot = scene(parts, wanted, given_knobs)
    plan = match_slots(snapshot, pool.accountant, pool.settings).plan
    left = check_slots(pool, snapshot, plan)
    check_order_of_jobs(snapshot, plan)
    units = check_limits(pool, snapshot, plan)
    check_work_conserving(pool, snapshot, plan, left, units)
    assert match_slots(snapshot, pool.accountant, pool.settings).plan == plan
    charge(plan, snapshot, pool.accountant)
    for submitter in snapshot.submitters:
        new = sum(match.weight for match in plan.matches if match.submitter == submitter.name)
        held = sum(use for ad in pool.slots if (use := _held(ad, submitter.name, pool)) is not None)
        preempted = sum(
            _held(ad, submitter.name, pool) or 0.0
            for ad in pool.slots
            for match in plan.matches
            if ad["Name"] in match.victims
        )
        assert abs(pool.accountant.use(submitter.name) - (held - preempted + new)) < 1e-6


def _held(ad: ClassAd, user: str, pool: Pool) -> float | None:
    return slot_weight(ad, pool.settings) if ad.get("RemoteUser") == user else None


def test_like_pairs_are_evaluated_once() -> None:
    """200 like slots and 10 kinds of jobs: the Requirements of 10 pairs, for 200 matches."""
    pool = Pool([slot(number) for number in range(1, 201)])
    asked = demand("a@x", *((20, job_ad(Kind=kind, RequestMemory=kind)) for kind in range(1, 11)))
    snapshot = Snapshot(NOW, pool.slots, [asked])
    session = Session(snapshot, pool.accountant, pool.settings, Tally(pool.settings, Clocks()))
    from condor_py.core.match.slices import Pie

    Pie(session, session.members, session.total_weight).run()
    assert len(session.matches) == 200
    assert session.matchmaker.fits.evaluations == 10
    assert session.matchmaker.job_rank.evaluations == 1


@EXAMPLES
@given(slots, users, knobs)
def test_the_explanation_agrees_with_the_cycle(
    parts: list[tuple[Any, ...]], wanted: dict[str, Any], given_knobs: dict[str, Any]
) -> None:
    """What condor_q -better-analyze counts and what the cycle recorded never contradict the outcome."""
    pool, snapshot = scene(parts, wanted, given_knobs)
    plan = match_slots(snapshot, pool.accountant, pool.settings).plan
    taken = {match.job: match for match in plan.matches}
    refused = {rejection.job: rejection.reason for rejection in plan.rejections}
    for submitter in snapshot.submitters:
        for request in submitter.requests:
            ad = request.ad.flat_copy()
            ad.set_str("User", submitter.name)
            ad.set_str("Owner", submitter.name)
            counts = count_slots(ad, Situation(Slots(snapshot.slots)), "whole")
            waiting = [job for job in request.jobs if job not in taken]
            for job in request.jobs[: len(request.jobs) - len(waiting)]:
                matching = counts.mine + counts.better if taken[job].victims else counts.willing
                assert taken[job].slot in matching
            if waiting:
                assert request.autocluster in {rejection.autocluster for rejection in plan.rejections}
                if not (counts.mine or counts.better or counts.willing):
                    assert refused[waiting[0]] not in ("PREEMPTION_REQUIREMENTS == False", "submitter limit exceeded")
            else:
                assert not any(job in refused for job in request.jobs)
