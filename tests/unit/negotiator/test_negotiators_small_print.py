"""Small print of negotiation: values at the very edge, what is left out, what is told and what is not."""

from __future__ import annotations

import pytest
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, partitionable, slot, weights
from watched_cycles import Watched

from condor_py.core.match import Snapshot, negotiate
from condor_py.core.match.consumption import slot_weight, weight_text
from condor_py.core.match.forecast import forecast
from condor_py.core.match.groups import Group, Remainders, allocate_surplus, assign_quotas
from condor_py.core.match.offline import missed
from condor_py.core.match.recording import Recorder
from condor_py.core.match.session import Session
from condor_py.core.match.slot import Slot, holder
from condor_py.core.match.tally import Clocks, Tally
from condor_py.core.match.trial import without_culprits
from condor_py.core.match.values import as_truth, number_text
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.plan import Rejection
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

A, B = "alice@x", "bob@x"


# values


def test_large_numbers_are_written_as_reals() -> None:
    assert [number_text(value) for value in (1e18, -1e18, 999999999999999744.0)] == [
        "1e+18", "-1e+18", "999999999999999744",
    ]  # fmt: skip


def test_who_would_be_preempted() -> None:
    ad = ClassAd()
    assert holder(ad) == ""
    for name in ("RemoteUser", "AccountingGroup", "PreemptingUser", "PreemptingAccountingGroup"):
        ad[name] = name.lower()
        assert holder(ad) == name.lower(), "the last of them says most"
        ad[f"slot2_{name}"] = "other"
        assert holder(ad, "slot2_") == "other"
    ad["PreemptingAccountingGroup"] = 5
    assert holder(ad) == "preemptinguser", "what is no name is nobody"


def test_what_of_a_slot_is_free() -> None:
    assert Slot(0, slot(1, Cpus=0), 1.0).free, "a whole slot is free whatever it has"
    assert not Slot(0, partitionable(1, 0, 9), 1.0).free
    assert not Slot(0, claimed(slot(1), A), 1.0).free
    taken = Slot(0, slot(1), 1.0)
    taken.taken = True
    assert not taken.free


@pytest.mark.parametrize("text", ["undefined", '"x"', ""])
def test_a_slot_weight_that_is_no_number_is_one(text: str) -> None:
    ad = slot(1)
    del ad["SlotWeight"]
    assert slot_weight(ad, NegotiatorSettings(slot_weight=text)) == 1.0


def test_whose_expression_weighs_a_slot() -> None:
    ad = slot(1, 3.0)
    assert weight_text(ad, NegotiatorSettings(slot_weight="Cpus")) == "3.0"
    assert weight_text(ad, NegotiatorSettings(slot_weight="Cpus", force_slot_weight=True)) == "Cpus"
    assert weight_text(ad, NegotiatorSettings(slot_weight="", force_slot_weight=True)) == "1"


def test_what_is_no_number_is_not_true() -> None:
    assert [as_truth(value) for value in (None, "x", 0, 0.0, False, 1, 0.5, True)] == [False] * 5 + [True] * 3


def test_small_slots_count_for_the_least_that_a_match_can_weigh() -> None:
    settings = NegotiatorSettings()
    for least in (0.5, 1.0):
        pool = Pool([slot(1, least), slot(2, 2.0), slot(3, 0.0)], settings)
        session = Session(pool.snapshot(), pool.accountant, settings, Tally(settings, Clocks()))
        assert session.min_weight == least


# machines that sleep


def test_a_machine_without_a_number_or_another_first_slot_is_told_alone() -> None:
    job = ClassAd.from_text_items([("Requirements", "true")])
    rejected = [Rejection(JobId(1, 0), A, 1, "no match found")]

    def told(**attributes: object) -> dict[str, dict[str, int]]:
        ad = ClassAd.from_text_items([("MyType", '"Machine"'), ("Requirements", "true")])
        for name, value in attributes.items():
            ad[name] = value
        return missed(rejected, {1: job}, [ad], 5)

    own = {"MachineLastMatchTime": 5, "MachineMatchCount": 1}
    assert told(Name="slot2@far") == {"slot2@far": own}
    assert told(Name="far", SlotID=2) == {"far": own}
    assert told(Name="slot2@far", SlotID=2) == {"slot2@far": own, "slot1@far": {"slot2_MachineLastMatchTime": 5}}
    assert told(Name="far", SlotID=2, OfflinePrimarySlotName="near") == {
        "far": own, "near": {"slot2_MachineLastMatchTime": 5},
    }  # fmt: skip


# cycles that fail


def test_of_a_long_fault_the_beginning_is_told() -> None:
    pool = Pool([slot(1)])

    def fail(part: Snapshot) -> object:
        if part.submitters:
            raise ValueError("x" * 500)
        return None

    verdict = without_culprits(pool.snapshot(demand(A, (1, job_ad()))), fail)
    reason = "ValueError: " + "x" * (200 - len("ValueError: "))
    assert [one.reason for one in verdict.rejections] == [f"The negotiator could not judge this job: {reason}"]
    assert verdict.log[0].endswith(f": {reason}")


# quotas


def tree(**quotas: tuple[float, float]) -> Group:
    """A root of 9 with groups of (static quota, demand)."""
    root = Group("<none>", GroupSettings("<none>", accept_surplus=True))
    for name, (quota, wanted) in quotas.items():
        child = Group(name, GroupSettings(name, quota=quota, accept_surplus=True), root)
        child.wanted = child.subtree_wanted = wanted
        root.children.append(child)
    root.subtree_wanted = sum(wanted for _, wanted in quotas.values())
    return root


def test_a_group_without_a_quota_gets_none_of_it() -> None:
    root = tree(a=(0.0, 1.0), b=(0.0, 1.0))
    assign_quotas(root, 9.0, False)
    assert [group.quota for group in root.subtree()] == [9.0, 0.0, 0.0]


def test_nobody_is_dealt_more_than_he_wants_in_any_round() -> None:
    root = tree(a=(3.0, 1.0), b=(3.0, 3.5), c=(3.0, 10.0))
    for child in root.children:
        child.subtree_quota = 3.0
    assert allocate_surplus(root, 9.0) == 0.0
    assert [child.allocated for child in root.children] == [1.0, 3.5, 4.5]
    assert [child.wanted for child in root.children] == [0.0, 0.0, 5.5]
    assert root.subtree_wanted == 5.5


def test_a_single_slot_that_is_wanted_is_made_of_fractions_once() -> None:
    root = tree(a=(0.0, 0.5), b=(0.0, 0.5))
    for child in root.children:
        child.allocated = 0.5
    remainders = Remainders({"a": 5.0, "b": 9.0})
    assert remainders.recover(root) == 0.0
    assert [child.allocated for child in root.children] == [1.0, 0.0]
    assert root.subtree_wanted == sum(child.wanted for child in root.children) == 1.0
    assert remainders.served == {"a"}


def test_use_elsewhere_is_no_use_of_a_group_here() -> None:
    groups = (GroupSettings("physics", quota=2.0), GroupSettings("chemistry", quota=2.0))
    pool = Pool(
        [slot(number) for number in range(4)],
        NegotiatorSettings(groups=groups),
        AccountantSettings(group_names=("physics", "chemistry")),
    )
    wanted = [demand("physics.a@x", (9, job_ad())), demand("chemistry.b@x", (9, job_ad()))]
    snapshot = Snapshot(pool.now, pool.slots, wanted, (), {"physics.a@x": 1.0})
    assert weights(negotiate(snapshot, pool.accountant, pool.settings).plan) == {
        "physics.a@x": 2.0,
        "chemistry.b@x": 2.0,
    }


# forecasts


def test_a_slot_that_was_busy_is_idle_when_its_job_has_ended() -> None:
    pool = Pool([claimed(slot(1, Start=('Activity == "Idle"',)), B)])
    told = forecast(
        pool.snapshot(demand(A, (1, job_ad()))),
        pool.accountant,
        pool.settings,
        lambda job: 60.0,
        {"slot1@vm": NOW + 120},
    )
    assert list(told.starts.values()) == [NOW + 120]


def test_of_very_many_who_never_start_some_are_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.core.match.forecast._MOST_REASONS", 2)
    pool = Pool([slot(1)])
    hopeless = [(1, job_ad(RequestCpus=number)) for number in range(10, 14)]
    told = forecast(
        pool.snapshot(demand(A, (1, job_ad()), *hopeless)), pool.accountant, pool.settings, lambda job: 60.0, {}, most=1
    )
    assert len(told.reasons) == 2


# records


def test_a_stretch_is_told_of_once() -> None:
    pool = Watched([slot(1)])
    pool.cycle(demand(A, (1, job_ad(RequestCpus=9))))
    pool.now += 60
    record = pool.recorder.take(pool.now, 60)
    assert record is not None
    assert (record.begin, record.end) == (NOW, NOW + 60)
    pool.now += 30
    assert pool.recorder.take(pool.now, 60) is None
    pool.now += 30
    again = pool.recorder.take(pool.now, 60)
    assert again is not None
    assert (again.begin, again.end, again.known) == (NOW + 60, NOW + 120, 60)


def test_a_recorder_without_cycles_has_nothing_to_tell() -> None:
    pool = Pool([slot(1)])
    recorder = Recorder(pool.accountant)
    assert [recorder.take(NOW + seconds, 1) for seconds in (0, 1, 1000)] == [None, None, None]


def test_who_was_there_for_no_second_is_not_told_of() -> None:
    pool = Watched([slot(1)])
    pool.cycle(demand(A, (1, job_ad(RequestCpus=9))))
    pool.cycle(demand(B, (1, job_ad(RequestCpus=9))))
    pool.now += 10
    assert list(pool.record().submitters) == [B]


def test_what_is_free_is_what_nobody_claims_for_himself() -> None:
    pool = Watched([slot(1), slot(2, State="Owner"), slot(3, State="Drained"), partitionable(4, 0, 9)])
    pool.cycle(demand(A, (1, job_ad(RequestCpus=9))))
    pool.now += 10
    record = pool.record()
    assert (record.free, record.drained) == (10.0, 10.0)


def test_what_somebody_uses_at_the_end_is_told() -> None:
    pool = Watched([slot(1), slot(2)])
    pool.cycle(demand(A, (2, job_ad())), demand(B, (1, job_ad(RequestCpus=9))))
    pool.now += 10
    record = pool.record()
    assert {name: part.use for name, part in record.submitters.items()} == {A: 2.0, B: 0.0}
