"""What submitters use outside of the pool counts for their priorities, and for nothing else."""

from __future__ import annotations

from negotiator_pool import Pool, demand, job_ad, slot, weights

from condor_py.core.accounts import Accountant
from condor_py.core.match.cycle import negotiate, prepare
from condor_py.core.match.snapshot import Snapshot
from condor_py.lang.classad import ClassAd
from condor_py.model.record import SET

DAY = 86400


def pass_time(pool: Pool, seconds: int, **used: float) -> None:
    """Time passes, while submitters use so much elsewhere."""
    prepare(Snapshot(pool.now, pool.slots, [], (), used), pool.accountant, pool.settings)
    pool.now += seconds
    prepare(Snapshot(pool.now, pool.slots, [], (), used), pool.accountant, pool.settings)


def test_whoever_runs_elsewhere_pays_for_it_with_his_priority() -> None:
    pool = Pool([slot(number) for number in range(1, 12)])
    pool.user("away@x")
    pool.user("here@x")
    pass_time(pool, DAY, **{"away@x": 10.0})
    assert pool.accountant.real_priority("away@x") == 5.25
    plan = pool.negotiate(demand("away@x", (11, job_ad())), demand("here@x", (11, job_ad())))
    assert weights(plan) == {"here@x": 10.0, "away@x": 1.0}


def test_a_cycle_without_news_of_it_leaves_it_as_it_was() -> None:
    pool = Pool([slot(1)])
    pass_time(pool, 0, **{"away@x": 3.0})
    prepare(Snapshot(pool.now, pool.slots, []), pool.accountant, pool.settings)
    assert pool.accountant.elsewhere() == {"away@x": 3.0}
    pass_time(pool, 0)
    assert pool.accountant.elsewhere() == {}
    assert pool.accountant.use("away@x") == 0.0


def test_it_takes_nothing_from_shares_limits_and_quotas_of_slots_here() -> None:
    pool = Pool([slot(1), slot(2)])
    pool.user("away@x", ceiling=2)
    snapshot = Snapshot(pool.now, pool.slots, [demand("away@x", (2, job_ad()))], (), {"away@x": 100.0})
    assert weights(negotiate(snapshot, pool.accountant, pool.settings).plan) == {"away@x": 2.0}
    assert pool.accountant.use("away@x") == 102.0


def test_it_survives_a_restart() -> None:
    pool = Pool([slot(1)])
    pass_time(pool, 0, **{"away@x": 3.0})
    written: dict[str, dict[str, str]] = {}
    for change in pool.accountant.take_log():
        if change.op == SET:
            written.setdefault(change.key, {})[change.name] = change.value
    resources = {
        key.removeprefix("Resource."): ClassAd.from_text_items(texts.items())
        for key, texts in written.items()
        if key.startswith("Resource.")
    }
    again = Accountant(pool.accountant.settings)
    again.load({}, resources, pool.now)
    assert again.elsewhere() == {"away@x": 3.0}
    assert again.held("away@x") == 1
