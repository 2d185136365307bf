"""Time limits, figures of a cycle, and what goes with a match to the claimed slot."""

from __future__ import annotations

import pytest
from negotiator_pool import Pool, demand, job_ad, partitionable, slot

from condor_py.core.match import Cycle, SubmitterDemand, negotiate
from condor_py.core.match.tally import Clocks
from condor_py.daemons.negotiator.daemon import CycleHistory
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings


class Ticking:
    """A clock on which every look takes a second."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 1.0
        return self.seconds


def timed(settings: NegotiatorSettings, *demands: SubmitterDemand, slots: int = 40) -> Cycle:
    pool = Pool([slot(n) for n in range(1, slots + 1)], settings)
    return negotiate(pool.snapshot(*demands), pool.accountant, settings, clocks=Clocks(Ticking(), Ticking()))


def one_user() -> SubmitterDemand:
    return demand("a@x", (30, job_ad()))


def test_without_limits_reached_everything_is_matched() -> None:
    done = timed(NegotiatorSettings(), one_user())
    assert len(done.plan.matches) == 30
    assert not done.tally.out_of_time


def test_a_submitter_may_use_so_much_time_and_no_more() -> None:
    done = timed(NegotiatorSettings(max_time_per_submitter=10), one_user())
    assert 5 <= len(done.plan.matches) <= 10
    assert list(done.tally.out_of_time) == ["a@x"]
    assert any("MAX_TIME_PER_USER is 10 secs" in line for line in done.plan.log)


def test_a_schedd_may_use_so_much_time_and_no_more() -> None:
    settings = NegotiatorSettings(max_time_per_schedd=10)
    done = timed(settings, one_user(), demand("b@x", (30, job_ad()), cluster=7))
    assert 5 <= len(done.plan.matches) <= 10
    assert list(done.tally.schedds_out_of_time) == ["<127.0.0.1:9618>"]


def test_a_cycle_ends_in_time() -> None:
    done = timed(NegotiatorSettings(max_time_per_cycle=20), one_user())
    assert 5 <= len(done.plan.matches) <= 20
    assert any("MAX_TIME_PER_CYCLE of 20 secs exceeded" in line for line in done.plan.log)


def test_a_slow_spin_goes_on_in_the_next_one() -> None:
    done = timed(NegotiatorSettings(max_time_per_spin=4, max_time_per_submitter=100), one_user())
    assert len(done.plan.matches) == 30
    assert done.tally.spins > 5


@pytest.mark.parametrize("limit", ["cycle", "submitter", "schedd", "spin"])
def test_no_time_at_all_matches_nothing_and_ends(limit: str) -> None:
    done = timed(NegotiatorSettings(**{f"max_time_per_{limit}": 0}), one_user())
    assert not done.plan.matches


def test_figures_of_a_cycle() -> None:
    big = job_ad(RequestCpus=2)
    demands = demand("a@x", (3, job_ad()), (2, big)), demand("b@x", (9, job_ad()))
    tally = timed(NegotiatorSettings(), *demands, slots=8).tally
    assert (tally.slots, tally.candidates, tally.pies, tally.rounds) == (8, 8, 1, 0)
    assert tally.idle == {"a@x": 5, "b@x": 9}
    assert tally.considered == 8 + tally.rejections
    assert tally.rejections >= 2
    assert "b@x" in tally.share_limit
    assert tally.phase_time[1] > 0
    assert tally.phase_time[3] > tally.phase_time[2] > 0


def test_depth_first_fills_one_machine_before_the_next() -> None:
    def order(depth_first: bool) -> list[str]:
        machines = [partitionable(n, 4, 8000) for n in (1, 2, 3)]
        settings = NegotiatorSettings(depth_first=depth_first, pre_job_rank="Cpus", post_job_rank="-SlotID")
        pool = Pool(machines, settings)
        return [match.slot.partition("@")[0] for match in pool.negotiate(demand("a@x", (8, job_ad()))).matches]

    assert order(True) == ["slot1"] * 4 + ["slot2"] * 4
    assert order(False)[:3] == ["slot1", "slot2", "slot3"]


def test_match_expressions_are_seen_by_jobs() -> None:
    settings = NegotiatorSettings(match_exprs=(("NegotiatorMatchExprName", '"mine"'),))
    pool = Pool([slot(1)], settings)
    picky = job_ad(Requirements=('TARGET.NegotiatorMatchExprName == "mine"',))
    assert len(pool.negotiate(demand("a@x", (1, picky))).matches) == 1


def test_a_match_tells_the_groups() -> None:
    groups = (GroupSettings("physics", 2.0), GroupSettings("chemistry", 0.0, autoregroup=True))
    settings = NegotiatorSettings(groups=groups)
    pool = Pool([slot(n) for n in (1, 2, 3)], settings, AccountantSettings(group_names=("physics", "chemistry")))
    plan = pool.negotiate(demand("physics.a@x", (1, job_ad())), demand("chemistry.b@x", (1, job_ad()), cluster=9))
    told = {match.submitter: (match.own_group, match.group, match.autoregroup) for match in plan.matches}
    assert told == {
        "physics.a@x": ("physics", "physics", False),
        "chemistry.b@x": ("chemistry", "<none>", True),
    }


def test_without_groups_a_match_tells_none() -> None:
    match = Pool([slot(1)]).negotiate(demand("a@x", (1, job_ad()))).matches[0]
    assert (match.own_group, match.group, match.autoregroup) == ("", "<none>", False)


def test_who_had_no_time_is_told_so() -> None:
    none = timed(NegotiatorSettings(max_time_per_submitter=0), one_user()).plan
    assert [one.reason for one in none.rejections] == ["the negotiator ran out of time"]
    assert "  0 seconds spent on this user, MAX_TIME_PER_USER is 0 secs" in none.log
    schedd = timed(NegotiatorSettings(max_time_per_schedd=0), one_user()).plan
    assert "  0 seconds spent on this schedd (<127.0.0.1:9618>), MAX_TIME_PER_SCHEDD is 0 secs" in schedd.log
    spin = timed(NegotiatorSettings(max_time_per_spin=0), one_user()).plan
    assert [one.reason for one in spin.rejections] == ["the negotiator ran out of time"]
    assert "    Reached deadline for a@x ... stopping" in spin.log


def test_processor_time_is_counted_by_phase() -> None:
    tally = timed(NegotiatorSettings(), one_user()).tally
    assert len(tally.phase_time) == len(tally.phase_cpu) == 4
    assert min(tally.phase_cpu[1:]) > 0


def test_floors_are_served_in_a_spin_before_the_first() -> None:
    pool = Pool([slot(n) for n in range(1, 9)])
    pool.user("a@x", factor=1e6, floor=3)
    log = pool.negotiate(demand("a@x", (9, job_ad())), demand("b@x", (9, job_ad()), cluster=9)).log
    assert [line for line in log if line.startswith("Phase 4.1")] == ["Phase 4.1:  Negotiating with schedds ..."] * 2


def test_slots_that_the_constraint_leaves_out_are_not_counted() -> None:
    cycle = timed(NegotiatorSettings(slot_constraint="SlotID > 2"), one_user(), slots=8)
    history = CycleHistory(1)
    history.add(cycle, 10, 11, (0.5, 0.5))
    figures = dict(history.attributes())
    names = [f"LastNegotiationCycle{word}Slots0" for word in ("Total", "Trimmed", "Candidate")]
    assert [figures[name] for name in names] == [6, 6, 6]
