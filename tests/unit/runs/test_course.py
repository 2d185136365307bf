"""The core of a starter, event by event: what it wants to be done, and where it stands then."""

from __future__ import annotations

import pytest

from condor_py.core.runs import events as on
from condor_py.core.runs.core import Course, broken
from condor_py.core.runs.effects import Do, Effect, Refuse, Report, Signal, Step, Stopped, Wait
from condor_py.core.runs.facts import Deferral, KillRules, RunFacts
from condor_py.core.runs.phases import IllegalMove, Phase
from condor_py.model.states import HoldCode, VacateCode

NOW = 1000.0
FACTS = RunFacts("7.3", kill=KillRules(15, 2, 1))
SOFT, USER, HARD = on.SoftKill("c"), on.SoftKill("c", VacateCode.USER_HOLD), on.HardKill("c")
#: What leads to each phase, from the one before.
PREPARED = [on.Done(Step.MAKE_SCRATCH)]
FETCHING = [*PREPARED, on.Done(Step.ASK_HOOK)]
RUNNING = [*FETCHING, on.Done(Step.FETCH), on.Done(Step.ASK_HOOK_AGAIN), on.Done(Step.EXECUTE)]
DRAINING = [*RUNNING, on.ProgramEnded()]
LINGERING = [*DRAINING, on.Drained(in_use=True)]
SAVING = [*DRAINING, on.Drained(at_checkpoint=True)]
PAUSED = [*SAVING, on.Done(Step.SAVE)]
EXITING = [*DRAINING, on.Drained()]
LEAVING = [*EXITING, on.Done(Step.CONCLUDE)]
FINISH = [Do.END_SERVICES, Step.CONCLUDE]


def tell(course: Course, event: on.Event, now: float = NOW) -> list[Effect]:
    effects = course.handle(event, now)
    assert broken(course) == []
    return effects


def at(way: list[on.Event], facts: RunFacts = FACTS) -> Course:
    """A starter with a job that came this way."""
    course = Course()
    tell(course, on.Begin(facts))
    for event in way:
        tell(course, event)
    return course


def story(course: Course, *events: on.Event) -> list[list[Effect]]:
    return [tell(course, event) for event in events]


# -- the ordinary way -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "effects"),
    [
        ([SOFT, on.ProgramEnded(), on.Drained()], [[Stopped(), Signal(15)], [Step.DRAIN], FINISH]),
        ([HARD], [[Do.END_SESSIONS, Stopped(), Do.KILL]]),
        ([on.SuspendJob("c"), SOFT], [[Do.SUSPEND], [Stopped(), Do.CONTINUE, Signal(15)]]),
        ([on.ProgramEnded(), on.Drained(in_use=True), on.SessionsEnded()], [[Step.DRAIN], [], FINISH]),
    ],
)
def test_a_job_whose_program_was_started_without_the_core(events: list[on.Event], effects: list[list[Effect]]) -> None:
    course = Course()
    assert tell(course, on.Underway(FACTS)) == []
    assert course.phase is Phase.RUNNING
    assert story(course, *events) == effects


def test_an_ordinary_job() -> None:
    course = Course()
    assert story(course, on.Begin(RunFacts()), *LEAVING, on.Done(Step.CLEAR)) == [
        [Step.MAKE_SCRATCH],
        [Step.ASK_HOOK],
        [Step.FETCH],
        [Step.ASK_HOOK_AGAIN],
        [Step.EXECUTE],
        [Do.WATCH],
        [Step.DRAIN],
        FINISH,
        [Step.CLEAR],
        [Report()],
    ]
    assert course.phase is Phase.IDLE


def test_the_next_job_of_the_claim_knows_nothing_of_the_last() -> None:
    course = at(RUNNING)
    story(
        course, on.SuspendJob("c"), SOFT, on.ProgramEnded(), on.Drained(), on.Done(Step.CONCLUDE), on.Done(Step.CLEAR)
    )
    tell(course, on.Begin(RunFacts()))
    assert (course.stopped, course.suspended) == (False, False)
    for event in RUNNING:
        effects = tell(course, event)
    assert effects == [Do.WATCH]


def test_a_starter_has_one_job() -> None:
    with pytest.raises(IllegalMove, match=r"^DEFERRED may not follow IDLE -> DEFERRED -> PREPARING$"):
        at([]).handle(on.Begin(RunFacts()), NOW)


@pytest.mark.parametrize("step", [Step.MAKE_SCRATCH, Step.ASK_HOOK, Step.FETCH, Step.ASK_HOOK_AGAIN, Step.EXECUTE])
def test_a_step_of_the_start_that_fails_ends_the_run(step: Step) -> None:
    course = at(RUNNING[: [done.step for done in RUNNING if isinstance(done, on.Done)].index(step)])
    assert course.awaits is step
    assert tell(course, on.Done(step, ok=False)) == [Do.TELL_NOT_STARTED, Report()]
    assert course.phase is Phase.IDLE


@pytest.mark.parametrize("late", [on.Done(Step.FETCH), on.Drained(), on.SessionsEnded(), on.Tick(), on.ProgramEnded()])
def test_what_nobody_waits_for_any_more_changes_nothing(late: on.Event) -> None:
    for way in ([], EXITING, LEAVING):
        course = at(way)
        phase, awaits = course.phase, course.awaits
        assert tell(course, late) == []
        assert (course.phase, course.awaits) == (phase, awaits)


# -- its time -------------------------------------------------------------------------------------


def test_a_job_waits_for_its_time() -> None:
    course = Course()
    assert tell(course, on.Begin(RunFacts("7.3", Deferral(1060)))) == [Wait(60.0)]
    assert course.phase is Phase.DEFERRED
    assert tell(course, on.Tick(), 1060.0) == [Step.MAKE_SCRATCH]


def test_the_time_of_a_job_is_that_of_the_clock_whatever_happens_to_it() -> None:
    course = Course()
    tell(course, on.Begin(RunFacts("7.3", Deferral(NOW + 8 * 3600, 60))))
    assert tell(course, on.Tick(), NOW - 3600) == [Wait(9 * 3600)], "somebody set the clock back"
    assert tell(course, on.Tick(), NOW + 8 * 3600 - 20) == [Wait(20.0)], "it was woken just before"
    assert tell(course, on.Tick(), NOW + 8 * 3600 + 2) == [Step.MAKE_SCRATCH]


def test_a_job_whose_time_was_slept_through_is_held() -> None:
    course = Course()
    tell(course, on.Begin(RunFacts("7.3", Deferral(NOW + 600, 60))))
    missed = Refuse(HoldCode.MISSED_DEFERRAL_TIME, "Job 7.3 missed its execution time.")
    assert tell(course, on.Tick(), NOW + 8 * 3600) == [missed, Do.CANCEL_WAIT, Report()]
    assert course.phase is Phase.IDLE


def test_a_job_that_missed_its_time_is_held() -> None:
    course = Course()
    assert tell(course, on.Begin(RunFacts("7.3", Deferral(900, 60)))) == [
        Refuse(HoldCode.MISSED_DEFERRAL_TIME, "Job 7.3 missed its execution time."),
        Do.CANCEL_WAIT,
        Report(),
    ]
    assert course.phase is Phase.IDLE


@pytest.mark.parametrize(("order", "more"), [(SOFT, []), (USER, []), (HARD, [Do.KILL_HOOK])])
def test_a_job_that_waits_for_its_time_can_be_stopped(order: on.Event, more: list[Effect]) -> None:
    course = Course()
    tell(course, on.Begin(RunFacts("7.3", Deferral(1060))))
    assert tell(course, order) == [Do.CANCEL_WAIT, Report(stopped=True), *more]
    assert tell(course, on.Tick()) == []


# -- stopping -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "number"), [(VacateCode.PREEMPT, 15), (VacateCode.REMOVED, 2), (VacateCode.USER_HOLD, 1), (0, 15)]
)
def test_a_running_program_gets_the_signal_of_the_reason(code: int, number: int) -> None:
    course = at(RUNNING)
    assert tell(course, on.SoftKill("c", code)) == [Stopped(), Signal(number)]
    assert course.stopped
    assert tell(course, on.ProgramEnded()) == [Step.DRAIN]
    assert tell(course, on.Drained(in_use=True)) == FINISH, "sessions do not keep the slot of a stopped job"


def test_output_is_wanted_of_a_job_that_was_removed_with_it() -> None:
    assert tell(at(RUNNING), on.SoftKill("c", VacateCode.REMOVED_WITH_OUTPUT)) == [Stopped(True), Signal(2)]


def test_a_job_is_killed_at_once() -> None:
    course = at(RUNNING)
    assert tell(course, HARD) == [Do.END_SESSIONS, Stopped(), Do.KILL]
    assert course.phase is Phase.RUNNING, "until its program is gone"


def test_a_job_of_the_schedd_that_does_not_mind_its_signal_is_killed() -> None:
    course = at(RUNNING, RunFacts(kill=KillRules(patience=7.0)))
    assert tell(course, SOFT) == [Wait(7.0), Stopped(), Signal(15)]
    assert tell(course, USER) == [Stopped(), Signal(15)], "its time runs from the first order"
    assert tell(course, on.Tick()) == [Do.END_SESSIONS, Stopped(), Do.KILL]


def test_a_removal_without_a_limit_is_a_signal_alone_until_another_order_comes() -> None:
    course = at(RUNNING, RunFacts(kill=KillRules(patience=7.0, limits_removal=False)))
    assert tell(course, on.SoftKill("c", VacateCode.REMOVED)) == [Stopped(), Signal(15)]
    assert Wait(7.0) in tell(course, SOFT), "the schedd is shut down"


def test_the_end_of_a_patient_run_stops_its_clock() -> None:
    course = at(RUNNING, RunFacts(kill=KillRules(patience=7.0)))
    story(course, SOFT, on.ProgramEnded(), on.Drained(), on.Done(Step.CONCLUDE))
    assert tell(course, on.Done(Step.CLEAR)) == [Do.CANCEL_WAIT, Report()]
    assert tell(course, on.Tick()) == []


def test_output_that_takes_too_long_is_given_up_when_the_patience_is_over() -> None:
    course = at(RUNNING, RunFacts(kill=KillRules(patience=7.0)))
    story(course, SOFT, on.ProgramEnded(), on.Drained(), on.Done(Step.CONCLUDE))
    assert tell(course, on.Tick()) == [Do.KILL_CHILD, Report(stopped=True), Do.CLEAN, Do.KILL_HOOK]


@pytest.mark.parametrize("order", [SOFT, USER, HARD])
def test_a_run_that_has_no_program_yet_is_given_back(order: on.Event) -> None:
    assert tell(at(PREPARED), order) == [Do.GIVE_UP, Do.KILL_HOOK, Report(stopped=True)]
    assert tell(at(FETCHING), order) == [Do.KILL_CHILD, Report(stopped=True), Do.CLEAN]


def test_a_program_that_ended_by_itself_was_not_stopped_by_an_order_to_its_sessions() -> None:
    course = at(LINGERING)
    assert tell(course, SOFT) == FINISH
    assert not course.stopped
    assert tell(at(LINGERING), HARD) == [Do.END_SESSIONS, Do.KILL, *FINISH]


def test_a_program_that_was_dismissed_for_sessions_is_stopped_with_them() -> None:
    course = at(RUNNING)
    assert story(course, on.Dismiss(), on.Dismiss()) == [[Do.DISMISS], []]
    story(course, on.ProgramEnded(), on.Drained(in_use=True))
    assert tell(course, SOFT) == [Stopped(), *FINISH]


def test_sessions_keep_the_slot_until_the_last_one_has_ended() -> None:
    assert tell(at(LINGERING), on.SessionsEnded()) == FINISH
    assert tell(at(RUNNING), on.SessionsEnded()) == []


def test_a_dismissed_program_that_is_still_there_ends_with_the_last_session() -> None:
    course = at([*RUNNING, on.Dismiss()])
    assert tell(course, on.SessionsEnded()) == [Do.KILL]
    assert not course.stopped


def test_a_job_over_its_limit_is_killed_and_its_sessions_see_it() -> None:
    assert tell(at(RUNNING), on.OverLimit()) == [Stopped(), Do.KILL]
    assert tell(at(LINGERING), on.OverLimit()) == [Do.KILL]
    assert tell(at(LEAVING), on.OverLimit()) == []


def test_a_job_over_its_limit_does_not_go_on_after_its_checkpoint() -> None:
    assert tell(at(PAUSED), on.OverLimit()) == [Stopped(), Do.KILL, *FINISH]


# -- standing still -------------------------------------------------------------------------------


def test_a_job_stands_still_and_goes_on() -> None:
    assert story(at(RUNNING), on.SuspendJob("c"), on.ContinueJob("c")) == [[Do.SUSPEND], [Do.CONTINUE]]


@pytest.mark.parametrize("way", [[], PREPARED, FETCHING])
def test_a_job_that_is_suspended_before_its_program_runs_starts_standing_still(way: list[on.Event]) -> None:
    course = at(way)
    assert tell(course, on.SuspendJob("c")) == []
    for event in RUNNING[len(way) :]:
        effects = tell(course, event)
    assert effects == [Do.WATCH, Do.SUSPEND]


def test_a_job_that_may_go_on_before_its_program_runs_does_not_stand_still() -> None:
    course = at(FETCHING)
    assert story(course, on.SuspendJob("c"), on.ContinueJob("c"), *RUNNING[len(FETCHING) :])[-1] == [Do.WATCH]


def test_a_program_that_stands_still_goes_on_to_see_its_signal() -> None:
    course = at(RUNNING)
    tell(course, on.SuspendJob("c"))
    assert tell(course, SOFT) == [Stopped(), Do.CONTINUE, Signal(15)]
    assert not course.suspended


def test_a_suspended_program_goes_on_after_its_checkpoint_standing_still() -> None:
    course = at(PAUSED)
    tell(course, on.SuspendJob("c"))
    assert story(course, on.Done(Step.ASK_TO_GO_ON), on.Done(Step.RESUME))[-1] == [Do.WATCH, Do.SUSPEND]


# -- checkpoints ----------------------------------------------------------------------------------


def test_a_program_goes_on_after_its_checkpoint() -> None:
    assert story(at(DRAINING), *PAUSED[len(DRAINING) :], on.Done(Step.ASK_TO_GO_ON), on.Done(Step.RESUME)) == [
        [Step.SAVE],
        [Step.ASK_TO_GO_ON],
        [Step.RESUME],
        [Do.WATCH],
    ]


def test_a_run_gives_way_at_its_checkpoint() -> None:
    assert tell(at(PAUSED), on.Done(Step.ASK_TO_GO_ON, ok=False)) == [Do.GIVE_WAY, *FINISH]


def test_a_program_that_cannot_go_on_ends_its_run() -> None:
    assert story(at(PAUSED), on.Done(Step.ASK_TO_GO_ON), on.Done(Step.RESUME, ok=False))[-1] == FINISH


def test_a_checkpoint_that_cannot_be_kept_ends_the_run() -> None:
    assert tell(at(SAVING), on.Done(Step.SAVE, ok=False)) == FINISH


def test_a_checkpoint_is_let_finish_and_then_the_stopped_run_ends() -> None:
    assert story(at(SAVING), SOFT, on.Done(Step.SAVE)) == [[Stopped()], FINISH]
    assert tell(at(SAVING), HARD) == [Do.END_SESSIONS, Stopped(), Do.KILL, Do.KILL_CHILD, *FINISH]


def test_a_paused_run_that_is_stopped_did_not_end_by_itself() -> None:
    course = at(PAUSED)
    assert tell(course, SOFT) == [Stopped(), *FINISH]
    assert tell(course, on.Done(Step.ASK_TO_GO_ON)) == [], "the answer comes too late"


def test_a_stopped_program_that_wants_a_checkpoint_does_not_go_on() -> None:
    assert story(at(RUNNING), SOFT, on.ProgramEnded(), on.Drained(at_checkpoint=True))[-1] == FINISH


# -- data slots, and the end ----------------------------------------------------------------------


def test_a_data_slot() -> None:
    course = Course()
    assert story(course, on.BeginStaging(), SOFT, on.StagingEnded()) == [[Do.STAGE], [Do.END_STAGING], [Report()]]
    assert course.phase is Phase.IDLE
    assert tell(course, on.StagingEnded()) == []


@pytest.mark.parametrize("way", [PREPARED, FETCHING, EXITING, LEAVING])
def test_a_starter_leaves_without_a_program_to_kill(way: list[on.Event]) -> None:
    assert tell(at(way), on.StopStarter("c")) == [Do.CANCEL_WAIT, Do.KILL_HOOK, Do.KILL_CHILD, Do.LEAVE]


@pytest.mark.parametrize("way", [RUNNING, DRAINING, LINGERING, SAVING, PAUSED])
def test_a_starter_that_leaves_kills_its_job_and_hears_nothing_any_more(way: list[on.Event]) -> None:
    course = at(way)
    assert tell(course, on.StopStarter("c"))[-3:] == [Do.END_SESSIONS, Do.KILL, Do.LEAVE]
    assert story(course, on.StopStarter("c"), on.ProgramEnded(), HARD) == [[], [], []]
