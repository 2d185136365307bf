"""Which job a claim takes next, and until when it is kept for one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from world import Activate, ReleaseClaim, RequestClaim, World

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.events import ClaimReleased, Planned, QueueTaken, RunNow, Tick
from condor_py.core.jobs.rights import Caller
from condor_py.lang.events import JobTerminated
from condor_py.model.ids import JobId
from condor_py.model.plan import Match, Plan
from condor_py.model.record import SET, Change


def over(world: World, job: JobId, **outcome: object) -> None:
    """The job's run, to its end."""
    world.started(job)
    world.ended(job, exit_code=0, **outcome)


def taken(world: World) -> list[str]:
    return [str(effect.job) for effect in world.told(Activate) if isinstance(effect, Activate)]


@pytest.mark.parametrize(("requirements", "next_jobs"), [("TARGET.RequestMemory > 100", []), ("true", ["2.0"])])
def test_the_slot_has_to_want_the_next_job_too(requirements: str, next_jobs: list[str]) -> None:
    world = World()
    world.slot_more = {"Requirements": requirements}
    world.connect()
    (first,) = world.submit(1)
    world.submit(2, RequestMemory="64")
    world.match(first)
    over(world, first)
    assert taken(world) == ["1.0", *next_jobs]
    assert len(world.told(ReleaseClaim)) == 1 - len(next_jobs)


@pytest.mark.parametrize(
    ("rank", "memory", "next_jobs"),
    [
        ("TARGET.RequestMemory", "99", []),
        ("TARGET.RequestMemory", "100", ["2.0"]),
        ("TARGET.RequestMemory", "101", ["2.0"]),
        ("TARGET.NoSuch", "99", ["2.0"]),
    ],
)
def test_a_claim_takes_no_job_that_its_slot_ranks_lower(rank: str, memory: str, next_jobs: list[str]) -> None:
    """CurrentRank is the rank of the job that the slot was claimed for."""
    world = World()
    world.slot_more = {"Rank": rank, "CurrentRank": "100.0"}
    world.connect()
    (first,) = world.submit(1, RequestMemory="100")
    world.submit(2, RequestMemory=memory)
    world.match(first)
    over(world, first)
    assert taken(world) == ["1.0", *next_jobs]


@pytest.mark.parametrize(("limit", "next_jobs"), [(2000, ["2.0"]), (1001, [])])
def test_time_in_requirements_is_the_time_that_was_handed_in(limit: int, next_jobs: list[str]) -> None:
    world = World()
    world.connect()
    (first,) = world.submit(1)
    world.submit(2, Requirements=f"time() < {limit} && CurrentTime < {limit}")
    world.match(first)
    world.now = 1001
    over(world, first)
    assert taken(world) == ["1.0", *next_jobs]


def test_a_claim_past_its_worklife_is_not_kept() -> None:
    world = World(claim_worklife=10)
    world.connect()
    (job,) = world.submit(1, KeepClaimIdle="20")
    world.match(job)
    world.now += 15
    over(world, job)
    assert len(world.told(ReleaseClaim)) == 1


@pytest.mark.parametrize(("transfer", "when"), [((0.0, 0.0), 1001.5), ((1001.6, 1003.25), 1003.25)])
def test_a_job_has_ended_when_its_output_was_there(transfer: tuple[float, float], when: float) -> None:
    """Not when the schedd heard of it."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    world.now = 1010
    world.ended(job, exit_code=0, end_time=1001.5, output_transfer=transfer)
    ends = [effect.event for effect in world.told(UserEvent) if isinstance(effect.event, JobTerminated)]
    assert [end.time for end in ends] == [when]


def test_leases_are_kept_from_the_request_for_a_claim_until_the_startd_has_it_back() -> None:
    """Without claims the schedd gives no signs of life, and an idle startd sleeps."""
    world = World()
    world.connect()
    (job,) = world.submit(1)
    assert not world.core.needs_leases
    effects = world.handle(Planned(Plan((Match(job, "alice@example.net", "slot1@vm", 1.0),))))
    assert world.core.needs_leases
    (request,) = [effect for effect in effects if isinstance(effect, RequestClaim)]
    world.grant(request)
    assert world.core.needs_leases
    over(world, job)
    (released,) = [effect for effect in world.told(ReleaseClaim) if isinstance(effect, ReleaseClaim)]
    assert world.core.needs_leases
    world.handle(ClaimReleased(released.claim))
    assert not world.core.needs_leases


def test_a_claim_without_a_worklife_is_used_for_ever() -> None:
    world = World(claim_worklife=-1)
    world.connect()
    (first,) = world.submit(1)
    world.match(first)
    world.submit(2)
    over(world, first)
    assert taken(world) == ["1.0", "2.0"]


def test_a_slow_pace_keeps_a_claim_for_jobs_that_wait_and_none_that_is_too_old() -> None:
    """JOB_START_DELAY: the next start is in 30 seconds."""
    for worklife, waiting, kept in ((-1, True, True), (-1, False, False), (10, True, False)):
        world = World(job_start_count=1, job_start_delay=30, claim_worklife=worklife)
        world.connect()
        (first,) = world.submit(1)
        world.match(first)
        if waiting:
            world.submit(2)
        world.now += 15
        over(world, first)
        assert (not world.told(ReleaseClaim)) is kept, (worklife, waiting)
        assert taken(world) == ["1.0"]
        assert world.core.ticks is kept


def test_other_slots_go_on_while_one_is_reserved() -> None:
    """condor_now: only the slots that it was promised are not for the next job."""
    world = World()
    world.connect()
    victim, other = world.submit(1, 2)
    (wanted,) = world.submit(2, RequestCpus="2", Requirements="TARGET.Cpus >= 2")
    world.match(victim, other)
    world.handle(RunNow(Caller("alice"), wanted, [victim]))
    world.submit(3)
    over(world, other)
    assert taken(world)[2:] == ["3.0"]
    world.ended(victim, vacated=True)
    assert taken(world)[3:] == []


@pytest.mark.parametrize(("limits", "next_jobs"), [('"b"', []), ('"A"', ["2.0"])])
def test_a_claim_that_was_taken_back_is_for_jobs_of_the_same_limits(limits: str, next_jobs: list[str]) -> None:
    """CLAIM_RECYCLING_CONSIDER_LIMITS: the limits are those that it was given for, by a schedd that is no more, too."""
    world = World(claim_recycling_consider_limits=True)
    world.connect()
    (first,) = world.submit(1, ConcurrencyLimits='"a"')
    world.match(first)
    world.started(first)
    claim = world.core.claims[world.core.runs[first].claim_id].info
    world.core = Schedd(world.queue, world.core.settings, world.now)
    world.handle(QueueTaken({first: (0, 1)}, ()))
    world.connect(replace(claim, job=str(first), run=1))
    world.submit(2, ConcurrencyLimits=limits)
    world.ended(first, exit_code=0)
    assert taken(world) == ["1.0", *next_jobs]


def test_a_number_of_runs_that_nobody_can_have_had() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, NumShadowStarts=str(2**63 - 1))
    world.match(job)
    assert world.core.runs[job].number == 2**62 + 1
    (job,) = world.submit(2, NumShadowStarts="-7")
    world.match(job)
    assert world.core.runs[job].number == 1


def test_a_cluster_that_was_edited_as_a_whole_fits_as_it_is_now() -> None:
    world = World()
    world.connect()
    (first,) = world.submit(1)
    world.submit(2)
    world.match(first)
    world.written([Change(SET, "02.-1", "RequestMemory", "4096")])
    over(world, first)
    assert taken(world) == ["1.0"]
    assert len(world.told(ReleaseClaim)) == 1


@pytest.mark.parametrize(("keep", "kept"), [("0", False), ("1", True), ("-5", False)])
def test_a_claim_is_kept_for_the_seconds_that_its_job_says(keep: str, kept: bool) -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, KeepClaimIdle=keep)
    world.match(job)
    over(world, job)
    assert (not world.told(ReleaseClaim)) is kept
    world.now += 1
    world.handle(Tick())
    assert len(world.told(ReleaseClaim)) == 1
