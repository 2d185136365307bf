"""A schedd that starts while jobs run, and hears from the startd what became of them."""

from __future__ import annotations

import pytest
from world import Deactivate, Leave, ReleaseClaim, World

from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import Planned, QueueTaken, StartdLost
from condor_py.core.jobs.parts import ClaimInfo
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import RunSuspended, RunUpdate
from condor_py.model.plan import Match, Plan
from condor_py.model.record import DESTROY_AD, SET, Change
from condor_py.model.states import VacateCode


def restarted(executing: bool = True, logged: tuple[int, ...] | None = (0, 1)) -> tuple[World, JobId, ClaimInfo]:
    """A new schedd on the queue of one that died while a job ran; and what the startd says of the claim."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    if executing:
        world.started(job)
    claim = world.core.claims[world.core.runs[job].claim_id].info
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.seen.clear()
    world.core.handle(QueueTaken({} if logged is None else {job: logged}, ()), world.now)
    world.turn()
    return world, job, ClaimInfo(claim.claim_id, claim.slot, claim.submitter, claim.slot_ad, str(job), 1)


@pytest.mark.parametrize(
    ("executing", "logged", "events"),
    [
        (True, (0, 1), [22, 23]),
        (True, (0,), [1, 22, 23]),
        (True, (0, 1, 24), [1, 22, 23]),
        (True, (0, 1, 7), [1, 22, 23]),
        (False, (0,), [22, 23]),
    ],
)
def test_a_run_goes_on(executing: bool, logged: tuple[int, ...], events: list[int]) -> None:
    """The start of the program is told where the log lacks it, and only if the program did start."""
    world, job, claim = restarted(executing, logged)
    assert world.events(job) == []
    world.connect(claim)
    assert (world.status(job), world.events(job)) == (2, events)
    assert not world.told(Deactivate, ReleaseClaim)
    if not executing:
        world.started(job)
        assert world.events(job)[-1] == 1
    world.ended(job, exit_code=0)
    assert (world.status(job), world.events(job)[-1]) == (None, 5)


@pytest.mark.parametrize("logged", [(0,), (0, 1, 4)])
def test_a_start_that_only_the_schedd_that_died_had_heard_of_is_told(logged: tuple[int, ...]) -> None:
    """The program ended before the next schedd came: of its start only the report tells."""
    world, job, claim = restarted(False, logged)
    world.connect(claim)
    world.ended(job, exit_code=0, pid=4711)
    assert world.events(job) == [22, 23, 1, 5]
    world, job, claim = restarted(False, logged)
    world.connect(claim)
    world.ended(job, error="no scratch directory", start_time=0.0, exec_time=0.0)
    assert 1 not in world.events(job), "a program that was never executed did not start"


@pytest.mark.parametrize("executing", [True, False])
@pytest.mark.parametrize(("logged", "missing"), [((0,), [1, 4]), ((0, 22, 23), [1, 4]), ((0, 1), [4]), ((0, 1, 4), [])])
def test_a_run_that_ended_just_before_the_next_one_began_is_told(
    executing: bool, logged: tuple[int, ...], missing: list[int]
) -> None:
    """The schedd died before it told of the end of one and the start of the other, which were of one batch."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    world.ended(job, vacated=True, exit_signal=9)
    run = world.core.runs[job]
    assert (world.status(job), run.number) == (2, 2)
    if executing:
        world.started(job)
    slot = world.core.claims[run.claim_id].info
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.seen.clear()
    world.core.handle(QueueTaken({job: logged}, ()), world.now)
    world.turn()
    assert world.events(job) == missing
    world.connect(ClaimInfo(run.claim_id, slot.slot, slot.submitter, slot.slot_ad, str(job), 2))
    assert world.events(job) == [*missing, *([1] if executing else []), 22, 23]
    if not executing:
        world.started(job)
    world.ended(job, exit_code=0)
    assert world.events(job)[len(missing) :].count(1) == 1


@pytest.mark.parametrize(
    ("logged", "missing"),
    [
        ((0,), [22, 24]),
        ((0, 22), [24]),
        ((0, 1), [22, 24]),
        ((0, 1, 22), [24]),
        ((0, 1, 22, 23), [22, 24]),
        ((0, 1, 22, 24), []),
    ],
)
def test_a_run_that_was_given_up_just_before_the_schedd_died_is_told_once(
    logged: tuple[int, ...], missing: list[int]
) -> None:
    """Its program may have run, and will run again: the log says why."""
    world, job, _ = restarted(executing=1 in logged, logged=logged[:2])
    world.connect()
    assert world.status(job) == 1
    for known, told in ((logged, missing), ((*logged, *missing), [])):
        world.core = Schedd(world.queue, world.core.settings, world.now)
        world.seen.clear()
        world.core.handle(QueueTaken({job: known}, ()), world.now)
        world.turn()
        assert world.events(job) == told
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.seen.clear()
    world.core.handle(QueueTaken({job: (0, 13)}, (), {job}.__contains__), world.now)
    world.turn()
    assert world.events(job) == [], "the beginning of a long log was not read"


@pytest.mark.parametrize("what", ["another run", "another claim", "another job", "a job that left"])
def test_what_the_queue_does_not_mean_is_ended_and_its_claim_goes_back(what: str) -> None:
    world, job, ours = restarted()
    claim_id, name, run = ours.claim_id, ours.job, ours.run
    match what:
        case "another run":
            run = 2
        case "another claim":
            claim_id = "<addr>#1#99#secret"
        case "another job":
            name = str(world.submit(2)[0])
        case _:
            name = "77.0"
    world.connect(ClaimInfo(claim_id, ours.slot, ours.submitter, ours.slot_ad, name, run))
    (end,) = [effect for effect in world.told(Deactivate) if isinstance(effect, Deactivate)]
    assert (end.claim, end.graceful, end.code) == (claim_id, False, VacateCode.CLAIM_RELEASED)
    assert [effect.claim for effect in world.told(ReleaseClaim) if isinstance(effect, ReleaseClaim)] == [claim_id]
    assert (world.status(job), world.events(job)) == (1, [22, 24])


@pytest.mark.parametrize(("action", "event"), [("hold", 12), ("remove", 9)])
def test_what_a_tool_did_meanwhile_reaches_the_run(action: str, event: int) -> None:
    world, job, claim = restarted()
    ad = world.queue.job(job)
    assert ad is not None
    world.written(perform(action, job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
    assert world.events(job) == [], "nothing is said before it is known what runs"
    world.connect(claim)
    (end,) = [effect for effect in world.told(Deactivate) if isinstance(effect, Deactivate)]
    assert (end.claim, end.graceful) == (claim.claim_id, True)
    world.ended(job, vacated=True, exit_signal=15)
    assert world.events(job)[-2:] == [4, event]


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize(
    ("logged", "recorded", "events"),
    [([0], False, [9]), ([0, 9], False, []), ([0, 9], True, []), ([0, 1], False, [9])],
)
def test_a_removed_job_leaves_and_is_told_once(
    logged: list[int], recorded: bool, events: list[int], marked: bool
) -> None:
    """Whether or not the queue was told of its event before the schedd died: the log decides."""
    world = World()
    (job,) = world.submit(1)
    ad = world.queue.job(job)
    assert ad is not None
    world.queue.apply(perform("remove", job, ad, actor="alice", reason=None, subcode=None, now=world.now)[1])
    if marked:
        world.queue.apply([Change(SET, str(job), "JobAbortEventLogged", "1")])
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.seen.clear()
    world.core.handle(QueueTaken({job: logged}, {job} if recorded else ()), world.now)
    world.turn()
    assert (world.status(job), world.events(job)) == (None, events)
    assert len(world.told(Leave)) == (0 if recorded else 1), "the history has it once"


def test_a_running_job_whose_ad_is_gone_is_killed() -> None:
    """Somebody has taken the job out of the queue, by whatever means."""
    world = World()
    world.connect()
    running, idle = world.submit(1, 2)
    world.match(running)
    world.started(running)
    world.written([Change(DESTROY_AD, str(running)), Change(DESTROY_AD, str(idle))])
    (end,) = [effect for effect in world.told(Deactivate) if isinstance(effect, Deactivate)]
    assert end.graceful is False
    assert idle not in world.core.idle
    world.ended(running, vacated=True, exit_signal=9)
    assert not world.core.runs
    assert len(world.told(ReleaseClaim)) == 1, "the slot is free for others"


def test_the_startd_suspends_by_its_own_policy() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    run = world.core.runs[job]

    def says(processes: int | None, number: int = run.number) -> None:
        world.handle(RunSuspended(run.claim_id, job, number, processes))

    says(3, number=9)
    assert world.status(job) == 2, "of another run"
    world.now += 10
    says(3)
    says(3)
    assert world.status(job) == 7
    world.now += 60
    says(None)
    says(None)
    assert (world.status(job), world.events(job)) == (2, [0, 1, 10, 11])
    ad = world.queue.job(job)
    assert ad is not None
    assert (ad.eval_int("TotalSuspensions"), ad.eval_int("CumulativeSuspensionTime")) == (1, 60)


@pytest.mark.parametrize("first", ["output", "suspended"])
def test_a_job_that_was_suspended_goes_on_with_sending_its_output(first: str) -> None:
    """Whether it was stopped while it sent its output, or its program ended while it was stopped."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    run = world.core.runs[job]
    events = [
        RunUpdate(run.claim_id, job, run.number, {"TransferringOutput": "true"}),
        RunSuspended(run.claim_id, job, run.number, 1),
    ]
    for event in events if first == "output" else reversed(events):
        world.handle(event)
    assert world.status(job) == 7
    world.handle(RunSuspended(run.claim_id, job, run.number, None))
    assert world.status(job) == 6
    world.ended(job, exit_code=0)
    assert world.status(job) is None
    assert world.events(job)[-1] == 5


def test_a_start_that_was_never_logged_is_not_told_of_a_later_run() -> None:
    """The run was given up; the next one has its event 001, once, whatever happens to the startd."""
    world, job, _ = restarted(True, (0,))
    world.connect()
    world.match(job)
    world.started(job)
    run = world.core.runs[job]
    slot = world.core.claims[run.claim_id].info
    world.handle(StartdLost())
    world.connect(ClaimInfo(run.claim_id, slot.slot, slot.submitter, slot.slot_ad, str(job), run.number))
    assert world.status(job) == 2
    assert world.events(job).count(1) == 1


def test_a_start_is_not_told_where_nobody_has_looked_into_the_log() -> None:
    world, _, claim = restarted(True, None)
    world.connect(claim)
    assert world.events(JobId(1, 0)) == [22, 23]


@pytest.mark.parametrize(
    ("status", "attributes", "logged", "events"),
    [
        (5, {"NumHolds": "1"}, (0,), [12]),
        (5, {}, (0,), []),
        (5, {"NumHolds": "1", "Managed": '"External"'}, (0,), [12]),
        (4, {"LeaveJobInQueue": "true"}, (0,), [5]),
        (4, {"LeaveJobInQueue": "true", "NumJobStarts": "1"}, (0,), [1, 5]),
        (1, {"NumJobStarts": "1"}, (0,), [1, 4]),
        (1, {"NumJobStarts": "2"}, (0, 1, 22, 24), [1, 4]),
        (1, {"NumJobStarts": "2"}, (0, 1, 4, 22, 24), []),
        (1, {"NumJobStarts": "2"}, (0, 1, 4, 1, 4), []),
        (1, {"NumJobStarts": "5"}, (0, 1, 4), []),
        (1, {"NumJobStarts": "3"}, (0, 1), [4, 1, 4, 1, 4]),
        (4, {"LeaveJobInQueue": "true", "NumJobStarts": "2"}, (0,), [1, 4, 1, 5]),
        (4, {"LeaveJobInQueue": "true", "NumJobStarts": "2"}, (0, 1, 5), []),
        (5, {"NumHolds": "2", "NumJobStarts": "1"}, (0, 12, 13), [1, 12]),
        (5, {"NumHolds": "1", "NumJobStarts": "1"}, (0, 1, 12), []),
        (1, {"NumVacatesByReason": "[ ReconnectFailed = 3 ]"}, (0, 1, 22, 24), [22, 24, 22, 24]),
        (1, {"NumVacatesByReason": "[ ReconnectFailed = 2 ]"}, (0, 1, 22), [24, 22, 24]),
        (1, {"NumVacatesByReason": "[ ReconnectFailed = 90 ]"}, (0,), [22, 24] * 3),
        (4, {"LeaveJobInQueue": "true", "NumVacatesByReason": "[ ReconnectFailed = 1 ]"}, (0, 1, 5), []),
    ],
)
def test_what_a_new_schedd_makes_up_for(
    status: int, attributes: dict[str, str], logged: tuple[int, ...], events: list[int]
) -> None:
    """A hold that was counted, the start and the end of a run that were of one batch, and all runs that were given up,
    unless the end has been told."""
    world = World()
    world.queue.apply(world.cluster(1, 1, status, **attributes))
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.handle(QueueTaken({JobId(1, 0): logged}, ()))
    assert world.events(JobId(1, 0)) == events


def test_jobs_for_which_slots_were_asked_wait_again_when_the_startd_is_gone() -> None:
    world = World()
    world.connect()
    first, second = world.submit(1, 2)
    plan = Plan(tuple(Match(job, "alice@example.net", "slot1@vm", 1.0) for job in (first, second)))
    world.handle(Planned(plan))
    assert len(world.core.idle) == 0
    world.handle(StartdLost())
    assert set(world.core.idle.jobs()) == {first, second}
