"""Exported jobs wait until they are taken back, with what became of them."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs import external
from condor_py.core.jobs.effects import Leave
from condor_py.core.jobs.events import Planned
from condor_py.core.jobs.rights import Caller
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim, WithdrawClaim
from condor_py.model.plan import Match, Plan
from condor_py.model.record import SET, Change
from condor_py.model.settings.submit_policy import EditRules

ALICE, BOB = Caller("alice"), Caller("bob")


def exported(world: World, *clusters: int) -> list[JobId]:
    """The jobs of the clusters go away."""
    jobs, records = external.export(world.queue, ALICE, clusters)
    world.written(records)
    return jobs


def taken_back(world: World, *told: external.JobChanges) -> list[JobId]:
    """Somebody tells what became of them."""
    jobs, records = external.take_back(world.queue, ALICE, told, EditRules(), world.now)
    world.written(records)
    return jobs


def test_an_exported_job_is_not_started_until_it_is_taken_back() -> None:
    world = World()
    world.connect()
    first, second = world.submit(1, 2)
    assert exported(world, 1, 99) == [first, second]
    assert exported(world, 1) == []
    assert first not in world.core.idle
    assert not [effect for effect in world.match(first) if isinstance(effect, RequestClaim)]
    jobs, records = external.unexport(world.queue, ALICE, [1])
    world.written(records)
    assert jobs == [first, second]
    assert first in world.core.idle
    ad = world.queue.job(first)
    assert ad is not None
    assert not ad.has("Managed")
    assert not ad.has("ManagedManager")


def test_a_slot_that_was_asked_for_is_given_up() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1)
    world.core.handle(Planned(Plan((Match(job, "alice@example.net", "slot1@vm", 1.0),))), world.now)
    assert [type(effect) for effect in world.turn()] == [RequestClaim]
    exported(world, 1)
    assert len(world.told(WithdrawClaim)) == 1


def test_a_job_that_is_done_elsewhere_leaves_the_queue() -> None:
    world = World()
    (job,) = world.submit(1)
    exported(world, 1)
    told = [
        ("JobStatus", "4"), ("ExitCode", "3"), ("Note", '"was there"'), ("Owner", '"mallory"'), ("Iwd", '"/elsewhere"'),
        ("RemoteHost", '"x"'), ("Bad", "1 +"),
    ]  # fmt: skip
    ad = world.queue.job(job)
    assert ad is not None
    assert taken_back(world, (job, told), (JobId(7, 0), [("JobStatus", "4")])) == [job]
    found = [ad.text(name) for name in ("JobStatus", "ExitCode", "Note", "Owner", "RemoteHost", "Bad", "Managed")]
    assert found == ["4", "3", '"was there"', '"alice"', None, None, None]
    assert ad.text("Iwd") != '"/elsewhere"'
    world.turn()
    assert [effect.jobs[0] for effect in world.told(Leave)] == [job]


@pytest.mark.parametrize(("status", "then"), [("2", 1), ("5", 5), ("9", 1), ("7", 1), ("1", 1)])
def test_only_states_that_can_be_come_back(status: str, then: int) -> None:
    world = World()
    (job,) = world.submit(1)
    exported(world, 1)
    taken_back(world, (job, [("JobStatus", status), ("HoldReason", '"there"')]))
    assert world.status(job) == then
    assert (job in world.core.idle) is (then == 1)
    assert world.events(job) == ([0, 12] if then == 5 else [0])


def test_what_happened_here_meanwhile_stands() -> None:
    world = World()
    (job,) = world.submit(1)
    exported(world, 1)
    world.written([Change(103, str(job), "JobStatus", "5")])
    assert taken_back(world, (job, [("JobStatus", "4")])) == []
    assert world.status(job) == 5


def test_jobs_that_run_stay_here() -> None:
    world = World()
    world.connect()
    running, waiting = world.submit(1, 2)
    world.match(running)
    assert (world.status(running), world.status(waiting)) == (2, 1)
    assert exported(world, 1) == [waiting]


def test_nobody_exports_what_belongs_to_others() -> None:
    world = World()
    world.submit(1)
    with pytest.raises(CondorError, match="User not authorized to export given jobs"):
        external.export(world.queue, BOB, [1])
    exported(world, 1)
    with pytest.raises(CondorError, match="User not authorized to unexport given jobs"):
        external.unexport(world.queue, BOB, [1])
    with pytest.raises(CondorError, match="User not authorized to import given jobs"):
        external.take_back(world.queue, BOB, [(JobId(1, 0), [])], EditRules(), 1000)
    with pytest.raises(CondorError, match="No valid clusters to export"):
        external.export(world.queue, ALICE, [5])


def test_only_exported_jobs_are_taken_back_and_the_others_do_not_keep_them_from_it() -> None:
    """What the job router has, or nobody, stays as it is; so does one that is no more."""
    world = World()
    here, routed = world.submit(1)[0], world.submit(2)[0]
    held = world.submit(3)[0]
    (away,) = world.submit(4)
    world.written(
        [
            Change(SET, str(routed), name, f'"{text}"')
            for name, text in (("Managed", "External"), ("ManagedManager", "r"))
        ]
    )
    exported(world, 3, 4)
    world.written([Change(SET, str(held), "JobStatus", "5")])
    told = [("ExitCode", "3"), ("RemoteHost", '"x"'), ("Note", "1")]
    assert taken_back(world, *((job, told) for job in (JobId(9, 9), here, routed, held, away))) == [away]
    assert [world.queue.procs[job].text("Note") for job in (here, routed, held, away)] == [None, None, None, "1"]


def test_what_may_not_be_edited_is_passed_over_and_what_stands_behind_it_is_not() -> None:
    world = World()
    (job,) = world.submit(1)
    exported(world, 1)
    rules = EditRules(secure=frozenset({"secret"}), refuse_secure=True)
    told = [("Secret", "1"), ("ClusterId", "7"), ("JobPrio", "0"), ("Note", "1")]
    _, records = external.take_back(world.queue, ALICE, [(job, told)], rules, 1234)
    assert [(record.name, record.value) for record in records] == [
        ("Note", "1"),
        ("Managed", ""),
        ("ManagedManager", ""),
    ]


def test_the_change_of_state_is_dated() -> None:
    world = World()
    (job,) = world.submit(1)
    exported(world, 1)
    _, records = external.take_back(world.queue, ALICE, [(job, [("jobstatus", "3")])], EditRules(), 1234)
    written = {record.name: record.value for record in records if record.value}
    assert written == {"LastJobStatus": "1", "JobStatus": "3", "EnteredCurrentStatus": "1234"}
    _, records = external.take_back(world.queue, ALICE, [(job, [("JobStatus", "1")])], EditRules(), 1234)
    assert {record.name for record in records} == {"Managed", "ManagedManager"}


def test_exports_of_several_users_at_once_are_refused() -> None:
    world = World()
    world.submit(1)
    world.submit(2, Owner='"bob"')
    with pytest.raises(CondorError, match="Cannot export for more than one user"):
        external.export(world.queue, Caller("root", True), [1, 2])
