"""What the keys of condor_top do."""

from __future__ import annotations

import pytest
from top_world import job, snapshot, type_keys

from condor_py.cli.top.state import (
    JOBS_PANEL,
    SLOTS_PANEL,
    USERS_PANEL,
    Act,
    Look,
    Quit,
    State,
    chosen,
    entries,
)
from condor_py.model.ids import JobId

FIVE = snapshot(*(job(number) for number in range(1, 6)))


@pytest.mark.parametrize(("keys", "cluster"), [
    ((), 1), (("down",), 2), (("j", "j", "k"), 2), (("up",), 1), (("end",), 5), (("end", "home"), 1), (("pgdn",), 5),
    (("end", "down"), 5),
])  # fmt: skip
def test_the_cursor_moves_and_stays_in_the_table(keys: tuple[str, ...], cluster: int) -> None:
    state, _ = type_keys(State(), FIVE, *keys)
    assert chosen(state) == JobId(cluster, 0)


def test_the_cursor_follows_its_job_when_others_leave() -> None:
    state, _ = type_keys(State(), FIVE, "down", "down")
    state, _ = type_keys(state, snapshot(job(3), job(5)))
    assert chosen(state) == JobId(3, 0)


def test_the_cursor_stays_in_its_place_when_its_own_job_leaves() -> None:
    state, _ = type_keys(State(), FIVE, "end")
    state, _ = type_keys(state, snapshot(job(1), job(2)))
    assert chosen(state) == JobId(2, 0)
    state, _ = type_keys(state, snapshot())
    assert chosen(state) is None


@pytest.mark.parametrize(("key", "action"), [("h", "hold"), ("r", "release"), ("x", "remove")])
def test_an_action_is_asked_about_first(key: str, action: str) -> None:
    state, orders = type_keys(State(), FIVE, "down", key)
    assert orders == []
    assert f"{action.capitalize()} job 2.0? (y/n)" in state.message
    assert type_keys(state, FIVE, "y")[1] == [Act(action, (JobId(2, 0),))]


@pytest.mark.parametrize("key", ["n", "enter", "esc", "q", "x", "space"])
def test_everything_but_yes_is_no(key: str) -> None:
    state, orders = type_keys(State(), FIVE, "x", key)
    assert orders == []
    assert state.mode == ""
    assert state.message == "Nothing was done."


def test_the_question_is_about_the_job_that_was_there_when_it_was_asked() -> None:
    state, _ = type_keys(State(), FIVE, "x")
    assert type_keys(state, snapshot(job(4), job(5)), "y")[1] == [Act("remove", (JobId(1, 0),))]


def test_jobs_of_others_are_refused() -> None:
    state, orders = type_keys(State(), snapshot(job(1, owner="bob")), "x", "y")
    assert orders == []
    state, _ = type_keys(State(), snapshot(job(1, owner="bob")), "x")
    assert state.message == "Job 1.0 belongs to bob: you cannot remove it."


def test_administrators_are_told_whose_job_it_is() -> None:
    seen = snapshot(job(1, owner="bob"), superuser=True)
    state, _ = type_keys(State(), seen, "h")
    assert state.message == "Hold job 1.0 of bob? (y/n)"
    assert type_keys(state, seen, "y")[1] == [Act("hold", (JobId(1, 0),))]


def test_tagged_jobs_are_treated_together() -> None:
    state, _ = type_keys(State(), FIVE, "space", "down", "space", "h")
    assert state.message == "Hold 2 jobs? (y/n)"
    state, orders = type_keys(state, FIVE, "y")
    assert orders == [Act("hold", (JobId(1, 0), JobId(3, 0)))]
    assert not state.tagged


def test_one_job_of_somebody_else_among_the_tagged_ones_stops_all() -> None:
    seen = snapshot(job(1), job(2, owner="bob"))
    state, orders = type_keys(State(), seen, "space", "space", "x", "y")
    assert orders == []
    assert state.mode == ""


def test_a_tag_goes_with_its_job() -> None:
    state, _ = type_keys(State(), FIVE, "space")
    assert not type_keys(state, snapshot(job(2)))[0].tagged


def test_nothing_is_done_where_no_job_is_chosen() -> None:
    assert type_keys(State(), snapshot(), "x", "y")[1] == []
    state, orders = type_keys(State(panel=SLOTS_PANEL), FIVE, "x")
    assert (orders, state.mode) == ([], "")
    assert "table of jobs" in state.message


def test_the_filter_works_while_it_is_typed() -> None:
    seen = snapshot(job(1, command="train"), job(2, command="sleep"))
    state, _ = type_keys(State(), seen, "/", "t", "r", "q")
    assert (state.filter, state.mode) == ("trq", "filter")
    state, _ = type_keys(state, seen, "backspace", "enter")
    assert entries(JOBS_PANEL, state, seen) == [JobId(1, 0)]
    state, _ = type_keys(state, seen, "esc")
    assert len(entries(JOBS_PANEL, state, seen)) == 2


def test_the_filter_is_for_slots_and_users_too() -> None:
    state = State(filter="bob")
    assert [row.name for row in entries(USERS_PANEL, state, FIVE)] == ["bob"]
    assert entries(SLOTS_PANEL, state, FIVE) == []


def test_only_my_jobs() -> None:
    seen = snapshot(job(1), job(2, owner="bob"))
    state, _ = type_keys(State(), seen, "u")
    assert entries(JOBS_PANEL, state, seen) == [JobId(1, 0)]
    state, _ = type_keys(state, seen, "u")
    assert len(entries(JOBS_PANEL, state, seen)) == 2


def test_slots_are_sorted_by_number_and_then_as_chosen() -> None:
    state = State(panel=SLOTS_PANEL)
    assert [row.name for row in entries(SLOTS_PANEL, state, FIVE)] == ["slot1_1", "slot1_2", "slot1_10"]
    state, _ = type_keys(state, FIVE, "S")
    assert [row.name for row in entries(SLOTS_PANEL, state, FIVE)] == ["slot1_10", "slot1_2", "slot1_1"]


def test_users_are_sorted_by_what_they_use_and_then_as_chosen() -> None:
    state = State(panel=USERS_PANEL)
    assert [row.name for row in entries(USERS_PANEL, state, FIVE)] == ["alice", "bob"]
    state, _ = type_keys(state, FIVE, "s", "s", "s", "s")
    assert [row.name for row in entries(USERS_PANEL, state, FIVE)] == ["bob", "alice"]


def test_tab_goes_round() -> None:
    state, _ = type_keys(State(), FIVE, "tab")
    assert state.panel == USERS_PANEL
    assert type_keys(state, FIVE, "btab")[0].panel == JOBS_PANEL


def test_help_goes_with_any_key_and_does_nothing_else() -> None:
    state, orders = type_keys(State(), FIVE, "?", "q")
    assert (state.mode, orders) == ("", [])


def test_quit_and_look() -> None:
    assert type_keys(State(), FIVE, "g")[1] == [Look()]
    assert type_keys(State(), FIVE, "q")[1] == [Quit()]


def test_the_pause_between_looks_has_limits() -> None:
    state, _ = type_keys(State(), FIVE, *["-"] * 9)
    assert state.delay == 0.5
    state, _ = type_keys(state, FIVE, *["+"] * 20)
    assert state.delay == 3600


def test_a_key_that_means_nothing_says_where_help_is() -> None:
    state, orders = type_keys(State(), FIVE, "w")
    assert orders == []
    assert state.message == "? tells what the keys do."
