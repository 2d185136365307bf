"""condor_now in the schedd core: who may, what happens in which order, and what when it does not work."""

from __future__ import annotations

import pytest
from world import Deactivate, ReleaseClaim, World

from condor_py.core.jobs.effects import CallNegotiator
from condor_py.core.jobs.events import ClaimRefused, ClaimReleased, RunNow, StartdLost
from condor_py.core.jobs.immediate import CannotReassign
from condor_py.core.jobs.rights import Caller
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim
from condor_py.model.record import SET, Change

ALICE = Caller("alice")


def scene(running: int = 2) -> tuple[World, JobId, list[JobId]]:
    """Running jobs of alice, and one idle of hers that nothing was found for."""
    world = World()
    world.connect()
    victims = world.submit(1, procs=running)
    world.match(*victims)
    for job in victims:
        world.started(job)
    (job,) = world.submit(2, RequestCpus="2", Requirements="TARGET.Cpus >= 2")
    return world, job, victims


def begin(world: World, job: JobId, victims: list[JobId], caller: Caller = ALICE) -> None:
    world.core.handle(RunNow(caller, job, victims), world.now)
    world.turn()


def asked(world: World) -> list[RequestClaim]:
    return [effect for effect in world.seen if isinstance(effect, RequestClaim)]


def test_the_slots_of_the_victims_go_to_the_job() -> None:
    world, job, victims = scene()
    before = len(asked(world))
    begin(world, job, victims)
    assert [stop.code for stop in world.told(Deactivate) if isinstance(stop, Deactivate)] == [1022, 1022]
    calls = len(world.told(CallNegotiator))
    world.ended(victims[0], vacated=True, exit_signal=15)
    assert not world.told(ReleaseClaim)
    world.ended(victims[1], vacated=True, exit_signal=15)
    released = world.told(ReleaseClaim)
    assert len(released) == 2
    assert len(asked(world)) == before
    for effect in released:
        assert isinstance(effect, ReleaseClaim)
        world.core.handle(ClaimReleased(effect.claim), world.now)
        world.turn()
    (request,) = asked(world)[before:]
    assert (request.slot, request.job, request.submitter) == ("slot1@vm", job, "alice@example.net")
    assert len(world.told(CallNegotiator)) == calls
    world.grant(request)
    assert world.status(job) == 2
    assert [world.status(victim) for victim in victims] == [1, 1]
    world.turn()
    assert len(world.told(CallNegotiator)) > calls


def test_a_job_that_is_refused_is_idle_like_any_other() -> None:
    world, job, victims = scene(1)
    before = len(asked(world))
    begin(world, job, victims)
    world.ended(victims[0], vacated=True, exit_signal=15)
    (released,) = world.told(ReleaseClaim)
    assert isinstance(released, ReleaseClaim)
    world.core.handle(ClaimReleased(released.claim), world.now)
    world.turn()
    (request,) = asked(world)[before:]
    world.handle(ClaimRefused(request.id, "too small"))
    assert job in world.core.idle
    assert not world.core.state.reassignments


def test_a_job_that_was_held_meanwhile_gives_the_slots_up() -> None:
    world, job, victims = scene(1)
    begin(world, job, victims)
    world.written([Change(SET, str(job), "JobStatus", "5")])
    assert not world.core.state.reassignments
    world.ended(victims[0], vacated=True, exit_signal=15)
    assert world.status(victims[0]) == 1
    assert len(world.told(ReleaseClaim)) == 1


@pytest.mark.parametrize(
    ("job", "victims", "caller", "words"),
    [
        (JobId(9, 0), [JobId(1, 0)], ALICE, "no such job (now-job)"),
        (JobId(2, 0), [JobId(9, 0)], ALICE, "no such job (vacate-job)"),
        (JobId(1, 0), [JobId(1, 1)], ALICE, "the now-job must be idle"),
        (JobId(2, 0), [JobId(2, 0)], ALICE, "vacate-job must be running"),
        (JobId(2, 0), [JobId(1, 0)], Caller("bob"), "you must own the now-job"),
    ],
)
def test_who_may_not(job: JobId, victims: list[JobId], caller: Caller, words: str) -> None:
    world, _, _ = scene()
    with pytest.raises(CannotReassign) as refused:
        begin(world, job, victims, caller)
    assert str(refused.value) == words
    assert not world.core.state.reassignments
    assert not world.told(Deactivate)


def test_a_job_out_of_reach_has_no_slot_to_give() -> None:
    world, job, victims = scene()
    world.handle(StartdLost())
    with pytest.raises(CannotReassign, match="no match for vacate-job ID"):
        begin(world, job, victims)


def test_several_jobs_get_slots_each_when_its_own_are_free() -> None:
    """One that is held meanwhile, and one whose victims still run, do not keep the third from it."""
    world, first, victims = scene(3)
    second, third = (world.submit(cluster, RequestCpus="2")[0] for cluster in (3, 4))
    for job, victim in zip((first, second, third), victims, strict=True):
        begin(world, job, [victim])
    before = len(asked(world))
    world.ended(victims[2], vacated=True, exit_signal=15)
    world.written([Change(SET, str(first), "JobStatus", "5")])
    (effect,) = world.told(ReleaseClaim)
    world.handle(ClaimReleased(effect.claim))
    assert [request.job for request in asked(world)[before:]] == [third]
