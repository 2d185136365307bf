"""MaxJobsRunning of users and projects: no more of their jobs start, and what runs goes on."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs.demand import demand
from condor_py.core.jobs.effects import Effect
from condor_py.core.jobs.events import ClientWrites, Planned, QueueChanged, UsersFound
from condor_py.core.jobs.quotas import Quotas
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate
from condor_py.model.plan import Plan
from condor_py.model.record import DELETE, SET, Change

BOB = {"Owner": '"bob"', "User": '"bob@example.net"'}


def limited(text: str) -> World:
    """A schedd whose user alice has a limit from the start."""
    world = World()
    world.queue.user.set_text("MaxJobsRunning", text)
    world.core.handle(UsersFound(world.queue.user_records), world.now)
    world.connect()
    return world


def edit(world: World, change: Change) -> list[Effect]:
    """condor_qusers -edit, done by the command itself."""
    world.queue.apply([change])
    world.core.handle(QueueChanged([change]), world.now)
    return world.turn()


def run(world: World, job: JobId) -> None:
    world.match(job)
    world.started(job)


def asked(world: World) -> list[JobId]:
    return [job for wanted in demand(world.core.state) for request in wanted.requests for job in request.jobs]


def test_no_more_jobs_are_asked_for_than_may_start() -> None:
    world = limited("2")
    mine = world.submit(1, 5)
    others = world.submit(2, 3, **BOB)
    assert asked(world) == [*mine[:2], *others]
    run(world, mine[0])
    assert asked(world) == [mine[1], *others]
    run(world, mine[1])
    assert asked(world) == others


def test_a_job_that_waits_for_a_limit_says_so() -> None:
    world = limited("1")
    first, second, third = world.submit(1, 3)
    (other,) = world.submit(2, **BOB)
    run(world, first)
    world.handle(Planned(Plan()))
    reasons = [world.queue.job(job).text("LastRejMatchReason") for job in (second, third, other)]  # type: ignore[union-attr]
    assert reasons == ['"alice@example.net has 1 running jobs, and the limit is 1 (MaxJobsRunning)"', None, None]


def test_the_next_job_of_the_user_follows_on_the_claim() -> None:
    world = limited("1")
    first, second = world.submit(1, 2)
    run(world, first)
    started = [effect.job for effect in world.ended(first, exit_code=0) if isinstance(effect, Activate)]
    assert started == [second]


def test_a_claim_that_comes_too_late_is_not_used_by_the_user() -> None:
    world = limited("1")
    first, second = world.submit(1, 2)
    world.match(first, second)
    assert list(world.core.runs) == [first]
    assert second in world.core.idle


def test_a_lower_limit_stops_no_job_and_a_higher_one_starts_more() -> None:
    world = World()
    world.connect()
    first, second, third = world.submit(1, 3)
    run(world, first)
    run(world, second)
    edit(world, Change(SET, "0.2", "MaxJobsRunning", "0"))
    assert (len(world.core.runs), asked(world)) == (2, [])
    edit(world, Change(SET, "0.2", "MaxJobsRunning", "3"))
    assert asked(world) == [third]
    edit(world, Change(SET, "0.2", "MaxJobsRunning", "1"))
    edit(world, Change(DELETE, "0.2", "MaxJobsRunning"))
    assert asked(world) == [third]
    world.core.validate()


def test_projects_have_limits_of_their_own_whatever_their_case() -> None:
    world = World()
    world.queue.user = ClassAd({"MyType": "Project", "Name": "Optics", "MaxJobsRunning": 1})
    world.core.handle(UsersFound(world.queue.user_records), world.now)
    world.connect()
    free = world.submit(1, 2)
    mine = world.submit(2, 2, ProjectName='"optics"')
    theirs = world.submit(3, 1, ProjectName='"OPTICS"', **BOB)
    assert asked(world) == [*free, mine[0]]
    run(world, mine[0])
    assert asked(world) == free
    assert theirs[0] in world.core.idle


def test_a_parallel_job_counts_once_however_many_nodes_it_has() -> None:
    world = limited("1")
    for cluster in (1, 2):
        world.submit(cluster, JobUniverse="11", MaxHosts="2", MinHosts="2")
    wanted = [part for one in demand(world.core.state) for request in one.requests for part in request.parts]
    nodes = [job for part in wanted for job in part.jobs]
    assert [job.cluster for job in nodes] == [1, 1]
    world.match(*nodes)
    assert (list(world.core.runs), asked(world)) == ([JobId(1, 0)], [])
    assert world.core.claims.busy == {("Owner", "alice@example.net"): 1}


@pytest.mark.parametrize("text", ["undefined", '"many"', "error", "1/0", "{1}", "ifThenElse(1,undefined,2)"])
def test_what_is_no_number_is_no_limit(text: str) -> None:
    quotas = Quotas()
    quotas.read([ClassAd.from_text_items([("User", '"alice@example.net"'), ("MaxJobsRunning", text)])])
    assert not quotas


def test_a_change_through_the_schedd_counts_at_once() -> None:
    world = World()
    world.connect()
    world.submit(1, 2)
    world.core.handle(ClientWrites([Change(SET, "0.2", "MaxJobsRunning", "1")]), world.now)
    world.turn()
    edit(world, Change(SET, "0.2", "Enabled", "1"))
    assert asked(world) == [JobId(1, 0)]
