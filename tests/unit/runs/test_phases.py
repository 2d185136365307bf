"""The phases of a starter: every move, and what an order to stop means in each phase."""

from __future__ import annotations

import itertools

import pytest

from condor_py.core.runs.phases import IllegalMove, Order, Phase, Phases, Stop

#: A way to each phase.
WAYS = {
    Phase.IDLE: "",
    Phase.STAGING: "STAGING",
    Phase.DEFERRED: "DEFERRED",
    Phase.PREPARING: "DEFERRED PREPARING",
    Phase.FETCHING: "DEFERRED PREPARING FETCHING",
    Phase.RUNNING: "DEFERRED PREPARING FETCHING PREPARING RUNNING",
    Phase.DRAINING: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING",
    Phase.LINGERING: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING LINGERING",
    Phase.SAVING: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING SAVING",
    Phase.PAUSED: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING SAVING PAUSED",
    Phase.EXITING: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING EXITING",
    Phase.LEAVING: "DEFERRED PREPARING FETCHING PREPARING RUNNING DRAINING EXITING LEAVING",
}

MOVES = {
    ("IDLE", "STAGING"), ("IDLE", "DEFERRED"),
    ("STAGING", "IDLE"),
    ("DEFERRED", "PREPARING"), ("DEFERRED", "IDLE"),
    ("PREPARING", "FETCHING"), ("PREPARING", "RUNNING"), ("PREPARING", "IDLE"),
    ("FETCHING", "PREPARING"), ("FETCHING", "IDLE"),
    ("RUNNING", "DRAINING"),
    ("DRAINING", "LINGERING"), ("DRAINING", "SAVING"), ("DRAINING", "EXITING"),
    ("LINGERING", "EXITING"),
    ("SAVING", "PAUSED"), ("SAVING", "EXITING"),
    ("PAUSED", "RUNNING"), ("PAUSED", "EXITING"),
    ("EXITING", "LEAVING"),
    ("LEAVING", "IDLE"),
}  # fmt: skip


def at(phase: Phase) -> Phases:
    phases = Phases()
    for name in WAYS[phase].split():
        phases.move(Phase[name])
    assert phases.now is phase
    return phases


@pytest.mark.parametrize(("before", "after"), list(itertools.product(Phase, Phase)))
def test_only_these_phases_follow_each_other(before: Phase, after: Phase) -> None:
    phases = at(before)
    if (before.name, after.name) in MOVES:
        phases.move(after)
        assert phases.now is after
    else:
        with pytest.raises(IllegalMove):
            phases.move(after)
        assert phases.now is before


def test_an_illegal_move_tells_how_the_starter_came_there() -> None:
    with pytest.raises(IllegalMove, match=r"^RUNNING may not follow IDLE -> DEFERRED -> PREPARING -> FETCHING$"):
        at(Phase.FETCHING).move(Phase.RUNNING)


def test_the_story_of_a_job_that_pauses_for_ever_stays_short() -> None:
    phases = at(Phase.RUNNING)
    for _ in range(1000):
        for phase in (Phase.DRAINING, Phase.SAVING, Phase.PAUSED, Phase.RUNNING):
            phases.move(phase)
    with pytest.raises(IllegalMove) as caught:
        phases.move(Phase.IDLE)
    assert len(str(caught.value)) < 400


def stop(phase: Phase) -> list[str]:
    """What a soft order, one of the user and a hard one cause."""
    return [" ".join(action.name for action in at(phase).stop(order)) for order in Order]


def test_a_job_that_was_never_started_is_given_back() -> None:
    assert stop(Phase.DEFERRED) == ["ABANDON", "ABANDON", "ABANDON KILL_HOOK"]
    assert stop(Phase.PREPARING) == ["GIVE_UP KILL_HOOK ABANDON"] * 3
    assert stop(Phase.FETCHING) == ["KILL_CHILD ABANDON CLEAN"] * 3


def test_a_program_gets_its_signal_or_is_killed() -> None:
    assert stop(Phase.RUNNING) == ["SIGNAL", "SIGNAL", "KILL"]


@pytest.mark.parametrize("phase", [Phase.DRAINING, Phase.LINGERING, Phase.PAUSED])
def test_the_run_of_an_ended_program_is_over_with_any_order(phase: Phase) -> None:
    assert stop(phase) == ["SIGNAL FINISH", "SIGNAL FINISH", "KILL FINISH"]


def test_a_checkpoint_is_let_finish_unless_its_time_is_over() -> None:
    assert stop(Phase.SAVING) == ["SIGNAL", "SIGNAL", "KILL KILL_CHILD FINISH"]


def test_output_is_let_finish_unless_the_user_does_not_want_it_or_its_time_is_over() -> None:
    assert stop(Phase.EXITING) == ["", "", "KILL_HOOK"]
    assert stop(Phase.LEAVING) == ["", "KILL_CHILD ABANDON CLEAN", "KILL_CHILD ABANDON CLEAN KILL_HOOK"]


def test_orders_to_a_starter_without_a_job() -> None:
    assert stop(Phase.IDLE) == ["", "", "KILL_HOOK"]
    assert stop(Phase.STAGING) == ["END_STAGING"] * 3


@pytest.mark.parametrize(("phase", "order"), list(itertools.product(Phase, Order)))
def test_every_order_leads_where_the_starter_may_go(phase: Phase, order: Order) -> None:
    actions = at(phase).stop(order)
    if Stop.FINISH in actions:
        at(phase).move(Phase.EXITING)
    if Stop.ABANDON in actions:
        at(phase).move(Phase.IDLE)


def test_a_job_has_processes_from_its_start_to_its_end() -> None:
    having = {phase.name for phase in Phase if at(phase).with_program}
    assert having == {"RUNNING", "DRAINING", "LINGERING", "SAVING", "PAUSED"}
