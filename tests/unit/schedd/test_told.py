"""What the schedd tells others of its jobs: records of runs, and its demand."""

from __future__ import annotations

from world import World

from condor_py.schedd import demand
from condor_py.schedd.effects import RunRecord
from condor_py.schedd.events import LogsWanted


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
    told = {wanted.name: wanted.job_prio for wanted in demand.demand(world.core.books)}
    assert told == {"alice@example.net": -3, "bob@example.net": 7}
