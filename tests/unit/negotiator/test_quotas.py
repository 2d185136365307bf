"""Quotas alone: what is handed down a tree of groups, met by demand, dealt as surplus, and cut to whole slots."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.core.accounts import ROOT, GroupTree
from condor_py.core.match.groups import Group, Remainders, assign_quotas, build_tree, fair_share
from condor_py.model.settings.negotiator import GroupSettings, NegotiatorSettings

#: name: (quota, of which a value below 1 is dynamic; wanted; whether it accepts surplus)
Given = Mapping[str, tuple[float, float, bool]]


def tree(given: Given, wanted_by_root: float = 0.0) -> dict[str, Group]:
    made = tuple(
        GroupSettings(name, quota, dynamic=quota < 1, accept_surplus=accepts)
        for name, (quota, _, accepts) in given.items()
    )
    groups = build_tree(GroupTree(given), NegotiatorSettings(groups=made))
    for name, group in groups.items():
        group.wanted = wanted_by_root if name == ROOT else given[name][1]
    return groups


def allocated(given: Given, pool: float, oversubscription: bool = False) -> dict[str, float]:
    groups = tree(given)
    assign_quotas(groups[ROOT], pool, oversubscription)
    fair_share(groups[ROOT])
    return {name: round(group.allocated, 6) for name, group in groups.items() if name != ROOT}


def test_dynamic_quotas_that_add_up_to_more_than_all_are_scaled_down() -> None:
    assert allocated({"a": (0.9, 99, False), "b": (0.6, 99, False)}, 15) == {"a": 9.0, "b": 6.0}


def test_dynamic_quotas_are_parts_of_what_static_ones_leave() -> None:
    assert allocated({"a": (5.0, 99, False), "b": (0.5, 99, False)}, 25) == {"a": 5.0, "b": 10.0}


def test_a_pool_of_nothing_has_nothing_to_hand_out() -> None:
    assert allocated({"a": (5.0, 9, True), "b": (0.5, 9, True)}, 0, oversubscription=True) == {"a": 0.0, "b": 0.0}


def test_what_a_subtree_does_not_want_goes_to_its_neighbours_once() -> None:
    given = {"a": (10.0, 0, True), "a.x": (5.0, 6, True), "a.y": (5.0, 1, True), "b": (10.0, 30, True)}
    assert allocated(given, 20) == {"a": 0.0, "a.x": 6.0, "a.y": 1.0, "b": 13.0}


def test_a_child_that_refuses_surplus_keeps_to_its_quota_and_asks_for_no_more() -> None:
    given = {"a": (6.0, 99, False), "b": (6.0, 1, True), "c": (6.0, 8, True)}
    assert allocated(given, 18) == {"a": 6.0, "b": 1.0, "c": 8.0}


def test_surplus_goes_by_quota_first_and_evenly_among_those_without_one() -> None:
    assert allocated({"a": (2.0, 99, True), "b": (4.0, 99, True), "c": (0.0, 99, True)}, 12) == {
        "a": 4.0,
        "b": 8.0,
        "c": 0.0,
    }
    assert allocated({"a": (2.0, 3, True), "b": (0.0, 99, True), "c": (0.0, 99, True)}, 11) == {
        "a": 3.0,
        "b": 4.0,
        "c": 4.0,
    }


def test_what_is_left_after_one_is_content_is_dealt_again_and_no_more() -> None:
    assert allocated({"a": (1.0, 1.2, True), "b": (1.0, 9, True), "c": (2.0, 0, True)}, 4) == {
        "a": 1.2,
        "b": 2.8,
        "c": 0.0,
    }


def test_the_surplus_of_a_group_is_for_itself_too() -> None:
    given = {"a": (10.0, 9, True), "a.x": (6.0, 2, True), "a.y": (2.0, 9, True)}
    assert allocated(given, 10) == {"a": 4.0, "a.x": 2.0, "a.y": 4.0}


NAMES = ("a", "b", "c", "a.x", "a.y", "a.x.p")
quotas = st.one_of(st.integers(0, 8).map(float), st.sampled_from((0.25, 0.5, 0.75)))
trees = st.fixed_dictionaries({name: st.tuples(quotas, st.integers(0, 12).map(float), st.booleans()) for name in NAMES})


@settings(derandomize=True, max_examples=80, deadline=None)
@given(trees, st.integers(1, 30).map(float), st.integers(0, 5).map(float))
def test_nothing_is_dealt_twice_and_nothing_is_lost(given: Given, pool: float, wanted_by_root: float) -> None:
    groups = tree(given, wanted_by_root)
    wanted = {name: group.wanted for name, group in groups.items()}
    assign_quotas(groups[ROOT], pool, oversubscription=False)
    assert sum(group.quota for group in groups.values()) == pytest.approx(pool)
    left = fair_share(groups[ROOT])
    assert left + sum(group.allocated for group in groups.values()) == pytest.approx(pool)
    for name, group in groups.items():
        assert group.allocated >= min(wanted[name], group.quota) - 1e-9
        assert group.wanted == pytest.approx(wanted[name] - group.allocated)
        accepting = group.parent is None or group.settings.accept_surplus
        assert accepting or group.allocated <= group.quota + 1e-9 or group.children
    for child in groups[ROOT].children:
        assert left < 1e-9 or not child.settings.accept_surplus or child.wanted < 1e-9


@settings(derandomize=True, max_examples=80, deadline=None)
@given(trees, st.integers(1, 30).map(float), st.dictionaries(st.sampled_from(NAMES), st.integers(1, 99)))
def test_whole_slots_are_made_of_all_fractions(given: Given, pool: float, turns: dict[str, int]) -> None:
    groups = tree(given)
    assign_quotas(groups[ROOT], pool, oversubscription=False)
    fair_share(groups[ROOT])
    before = {name: group.allocated for name, group in groups.items()}
    missing = {name: group.wanted for name, group in groups.items()}
    left = Remainders(turns).recover(groups[ROOT])
    assert left + sum(group.allocated for group in groups.values()) == pytest.approx(sum(before.values()))
    for name, group in groups.items():
        assert group.allocated == pytest.approx(round(group.allocated))
        assert group.allocated >= math.floor(before[name] + 1e-9) - 1e-9
        assert group.allocated + group.wanted == pytest.approx(round(before[name] + missing[name]))
        assert group.wanted >= 0
    willing = [group for group in groups[ROOT].children if group.settings.accept_surplus and group.wanted >= 1]
    assert left < 1 + 1e-9 or not willing


def whole(given: Given, pool: float, turns: Mapping[str, float]) -> dict[str, float]:
    groups = tree(given)
    assign_quotas(groups[ROOT], pool, oversubscription=False)
    fair_share(groups[ROOT])
    Remainders(turns).recover(groups[ROOT])
    return {name: group.allocated for name, group in groups.items() if name != ROOT}


def test_the_odd_slot_goes_to_whoever_waited_longest_then_to_the_larger() -> None:
    equal = {"a": (0.5, 9, True), "b": (0.5, 9, True)}
    assert whole(equal, 5, {"a": 10, "b": 20}) == {"a": 3.0, "b": 2.0}
    assert whole(equal, 5, {"a": 20, "b": 10}) == {"a": 2.0, "b": 3.0}
    assert whole({"a": (0.25, 9, True), "b": (0.75, 9, True)}, 6, {}) == {"a": 1.0, "b": 5.0}
    assert whole({"a": (0.5, 4, True), "b": (0.5, 9, True)}, 5, {}) == {"a": 2.0, "b": 3.0}


def test_a_subtree_has_waited_as_long_as_the_one_in_it_that_waited_longest() -> None:
    given = {"a": (0.5, 0, True), "a.x": (0.5, 9, True), "a.y": (0.5, 9, True), "b": (0.5, 9, True)}
    assert whole(given, 5, {"a.x": 30, "a.y": 5, "b": 10}) == {"a": 0.0, "a.x": 1.0, "a.y": 2.0, "b": 2.0}
    assert whole(given, 5, {"a.x": 30, "a.y": 25, "b": 10})["b"] == 3.0


def test_who_refuses_surplus_gets_no_slot_of_others_fractions() -> None:
    given = {"a": (0.5, 9, False), "b": (0.5, 9, True)}
    assert whole(given, 5, {"a": 1, "b": 99}) == {"a": 2.0, "b": 3.0}
