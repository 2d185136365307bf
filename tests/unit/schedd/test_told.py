"""What the schedd tells others of its jobs: records of runs, and its demand."""

from __future__ import annotations

import pytest
from world import World

from condor_py.core.jobs import demand
from condor_py.core.jobs.effects import Leave, RunRecord
from condor_py.core.jobs.events import Leaving, LogsWanted, PoliciesDue, Tick
from condor_py.core.jobs.jobad import submitter_of
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Deactivate
from condor_py.model.messages.runs import RunEnded
from condor_py.model.record import SET, Change
from condor_py.model.report import ExitReport, Usage


def test_the_record_of_a_start_has_what_spawn_job_attrs_names() -> None:
    """SPAWN_JOB_ATTRS: these attributes besides what such a record always has; ``all``: the whole ad."""
    found = {}
    for names in ((), ("MyTag", "NoSuch"), ("all",)):
        world = World(spawn_attributes=names)
        world.core.handle(LogsWanted(runs=True), world.now)
        world.connect()
        (job,) = world.submit(1, MyTag='"x"', Other="1")
        world.match(job)
        world.started(job)
        (record,) = [effect for effect in world.seen if isinstance(effect, RunRecord) and effect.kind == "SPAWN"]
        items = dict(record.items)
        found[names] = [items.get(name) for name in ("MyTag", "Other", "ClusterId")]
    assert found == {
        (): [None, None, "1"],
        ("MyTag", "NoSuch"): ['"x"', None, "1"],
        ("all",): ['"x"', "1", "1"],
    }


@pytest.mark.parametrize(
    ("told", "kept"),
    [("15 0.98 102 12.0; 30 1.00 130 -", True), ("", False), ('1 2 3 4"; Owner = "x', False), ("1;" * 9000, False)],
    ids=["sound", "none", "quote", "long"],
)
@pytest.mark.parametrize("outcome", [{"exit_code": 0}, {"vacated": True}])
def test_the_record_of_an_end_has_the_use_over_time(told: str, kept: bool, outcome: dict[str, object]) -> None:
    """The text of a starter is kept where it is sound. It is in no other record, and not in the queue."""
    world = World()
    world.core.handle(LogsWanted(runs=True), world.now)
    world.connect()
    (job,) = world.submit(1)
    world.match(job)
    world.started(job)
    world.ended(job, usage=Usage(record=told), **outcome)
    records = [effect for effect in world.seen if isinstance(effect, RunRecord)]
    found = [(record.kind, dict(record.items).get("UsageRecord")) for record in records]
    assert found[:2] == [("SPAWN", None), ("EPOCH", f'"{told}"' if kept else None)]
    assert not [change for change in world.committed if "UsageRecord" in str(change)]


def test_the_demand_tells_the_best_priority_of_each_users_jobs() -> None:
    """USE_GLOBAL_JOB_PRIOS compares them between users."""
    world = World()
    world.connect()
    for cluster, (owner, priority) in enumerate((("alice", -3), ("bob", 2), ("bob", 7), ("bob", 4)), 1):
        world.submit(
            cluster,
            Owner=f'"{owner}"',
            User=f'"{owner}@example.net"',
            JobPrio=str(priority),
            RequestMemory=str(cluster),
        )
    told = {wanted.name: wanted.job_prio for wanted in demand.demand(world.core.state)}
    assert told == {"alice@example.net": -3, "bob@example.net": 7}


def test_a_cycle_sees_so_many_jobs_of_a_kind() -> None:
    world = World()
    world.submit(1)
    entry = world.core.idle.get(JobId(1, 0))
    assert entry is not None
    for proc in range(1, 2100):
        job = JobId(1, proc)
        world.core.state.idle.put((job,), entry)
    (wanted,) = demand.demand(world.core.state)
    assert [len(request.jobs) for request in wanted.requests] == [2000]
    assert wanted.idle_weight == 2100


@pytest.mark.parametrize(
    ("items", "submitter"),
    [
        ({"Owner": "alice", "User": "bob@x"}, "alice@d"),
        ({"User": "bob@x"}, "bob@d"),
        ({}, "nobody@d"),
        ({"Owner": "alice", "AccountingGroup": "physics.alice"}, "physics.alice@d"),
    ],
)
def test_who_a_job_is_charged_to(items: dict[str, str], submitter: str) -> None:
    assert submitter_of(ClassAd(items), "d") == submitter


def ticking(**attributes: str) -> World:
    world = World(start_local_universe="false")
    world.connect()
    world.submit(1, **attributes)
    return world


def test_a_tick_is_wanted_while_anything_waits_for_one() -> None:
    """Jobs that cool down, jobs that are to start here, slots that are kept for a next job."""
    assert not ticking().core.ticks
    cooling = ticking(JobCoolDownExpiration="1010")
    assert cooling.core.ticks
    cooling.now = 1010
    cooling.handle(Tick())
    assert not cooling.core.ticks
    assert JobId(1, 0) in cooling.core.idle
    assert ticking(JobUniverse="12").core.ticks
    kept = ticking(KeepClaimIdle="20")
    kept.match(JobId(1, 0))
    kept.ended(JobId(1, 0), exit_code=0)
    assert kept.core.ticks


def test_one_that_cools_down_and_is_held_meanwhile_needs_no_tick() -> None:
    world = ticking(JobCoolDownExpiration="1010")
    world.written([Change(SET, "1.0", "JobStatus", "5")])
    world.handle(Tick())
    assert not world.core.ticks


def test_a_schedd_that_has_heard_of_nothing_answers_questions() -> None:
    core = World().core
    assert (core.state.now, core.ticks, core.needs_leases, core.policies_left, core.updates_left) == (
        1000, False, False, False, False,
    )  # fmt: skip
    assert (list(core.ocu_ads()), demand.demand(core.state), demand.promises(core.state)) == ([], [], [])


def test_a_job_whose_history_is_being_written_is_not_judged_any_more() -> None:
    world = World()
    world.connect()
    (job,) = world.submit(1, PeriodicHold="JobStatus == 4")
    world.match(job)
    run = world.core.runs[job]
    world.core.handle(RunEnded(ExitReport(run.claim_id, str(job), run.number, exit_code=0)), world.now)
    assert [type(effect) for effect in world.core.take()[1] if isinstance(effect, Leave)] == [Leave]
    world.core.handle(PoliciesDue(), world.now)
    assert world.status(job) == 4
    world.written([Change(SET, "1.0", "JobStatus", "3"), Change(SET, "1.0", "JobLeaveForced", "true")])
    assert not world.told(Leave), "it is on its way already"


def test_a_shutdown_is_peaceful_unless_it_is_fast() -> None:
    world = World()
    (job,) = world.submit(1, JobUniverse="12")
    assert world.status(job) == 2
    world.handle(Leaving())
    (stop,) = world.told(Deactivate)
    assert stop.graceful
