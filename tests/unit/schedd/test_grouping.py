"""Jobs that say the same are acted on together: what comes of it is what would come of each by itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from world import World

from condor_py.core.jobs.actions import perform
from condor_py.core.jobs.requests import act, edit, select
from condor_py.core.jobs.rights import Caller
from condor_py.model.record import NEW_AD, SET, Alike, Change, one_by_one
from condor_py.model.selection import Selection
from condor_py.store.job_queue import JobQueue

ALICE = Caller("alice")


@pytest.mark.parametrize("holds", ["1", "ProcId"])
@pytest.mark.parametrize("action", ["hold", "release", "remove", "vacate"])
def test_jobs_that_say_the_same_are_acted_on_as_each_by_itself(tmp_path: Path, action: str, holds: str) -> None:
    dice = random.Random(action)
    queue = JobQueue(str(tmp_path / "q.log"))
    with queue.transaction() as tx:
        tx.new_ad("01.-1", "Job", "Machine")
        for name, text in (("Owner", '"alice"'), ("HoldReason", '"of the cluster"'), ("NumHolds", holds)):
            tx.set("01.-1", name, text)
        for proc in range(300):
            tx.extend([Change(NEW_AD, f"1.{proc}", "Job", "Machine")])
            tx.set(f"1.{proc}", "JobStatus", dice.choice("1245"))
            tx.set(f"1.{proc}", "ProcId", str(proc))
            if dice.random() < 0.9:
                tx.set(f"1.{proc}", "NumHolds", dice.choice("01"))
            if dice.random() < 0.2:
                tx.set(f"1.{proc}", "Owner", '"bob"')
            tx.set(f"1.{proc}", "LeaveJobInQueue", "false" if dice.random() < 0.8 else "ProcId > 150")
    queue.close()
    caller = Caller("alice")
    results, entries = act(queue, caller, action, Selection(constraint="true"), None, None, 7)
    wanted, expected = {}, set()
    for job, ad in queue.jobs():
        if not caller.may_change(ad):
            wanted[job] = 5
            continue
        code, changes = perform(action, job, ad, actor="alice", reason=None, subcode=None, now=7)
        expected.update(changes)
        if code != 2:
            wanted[job] = int(code)
    assert results == wanted
    assert set(one_by_one(entries)) == expected
    assert any(type(entry) is Alike for entry in entries) == (holds == "1")


def entries_of(world: World, action: str = "hold") -> list[tuple[str, ...]]:
    """The jobs of each record that an action on all jobs makes: several are written as one."""
    _, entries = act(world.queue, ALICE, action, Selection(constraint="true"), None, None, 7)
    return [tuple(entry.keys) if isinstance(entry, Alike) else (entry.key,) for entry in entries]


@pytest.mark.parametrize(("procs", "records"), [(7, 0), (8, 1)])
def test_few_jobs_are_written_one_by_one(procs: int, records: int) -> None:
    world = World()
    jobs = world.submit(1, procs)
    together = [keys for keys in entries_of(world) if len(keys) > 1]
    assert together == [tuple(map(str, jobs))] * records
    _, edited = edit(world.queue, ALICE, Selection(constraint="true"), [("JobPrio", "3")])
    assert len(edited) == (1 if records else procs)


@pytest.mark.parametrize(
    "name", ["NumHolds", "NumHoldsByReason", "HoldReason", "HoldReasonSubCode", "ReleaseReason", "LeaveJobInQueue"]
)
def test_jobs_that_differ_in_what_is_written_are_written_apart(name: str) -> None:
    world = World()
    world.submit(1, 20)
    world.written([Change(SET, f"1.{proc}", name, "7") for proc in range(10, 20)])
    found = {keys for keys in entries_of(world) if len(keys) > 1}
    assert {len(keys) for keys in found} == {10}
    assert len(found) == 2


def test_jobs_whose_ads_compute_what_decides_are_looked_at_one_by_one() -> None:
    """Of two jobs with the same expression one may be held and the other not."""
    world = World()
    world.submit(1, 20, NumHolds="ProcId")
    world.submit(2, 20)
    world.written([Change(SET, f"2.{proc}", "NumHolds", "ProcId") for proc in range(20)])
    assert {len(keys) for keys in entries_of(world)} == {1}
    _, entries = act(world.queue, ALICE, "hold", Selection(constraint="true"), None, None, 7)
    holds = {change.key: change.value for change in one_by_one(entries) if change.name == "NumHolds"}
    assert holds == {f"{cluster}.{proc}": str(proc + 1) for cluster in (1, 2) for proc in range(20)}


def test_jobs_of_other_people_among_many_are_refused() -> None:
    world = World()
    mine, theirs = world.submit(1, 9), world.submit(2, 9, Owner='"bob"')
    results, entries = act(world.queue, ALICE, "remove", Selection(constraint="true"), None, None, 7)
    assert [results[job] for job in (*mine, *theirs)] == [1] * 9 + [5] * 9
    assert {change.key for change in one_by_one(entries)} == {str(job) for job in mine}


@pytest.mark.parametrize(
    "constraint",
    ["(true)", "false", "JobStatus == 2", "NumHolds > 0", "(Size >= 2) || ProcId == 7", "Size =?= undefined",
     'size("x") == ProcId', "MY.Size == 2", "ClusterId == 1 && Owner == \"alice\"", "JobStatus"],
)  # fmt: skip
def test_a_constraint_means_the_jobs_for_which_it_is_true(tmp_path: Path, constraint: str) -> None:
    dice = random.Random(constraint)
    queue = JobQueue(str(tmp_path / "q.log"))
    with queue.transaction() as tx:
        for cluster in (1, 2):
            tx.new_ad(f"0{cluster}.-1", "Job", "Machine")
            for name, text in (("Owner", '"alice"'), ("ClusterId", str(cluster)), ("NumHolds", "ProcId % 3")):
                tx.set(f"0{cluster}.-1", name, text)
            for proc in range(60):
                key = f"{cluster}.{proc}"
                tx.extend([Change(NEW_AD, key, "Job", "Machine")])
                tx.set(key, "ProcId", str(proc))
                tx.set(key, "JobStatus", dice.choice("12"))
                if dice.random() < 0.7:
                    tx.set(key, "Size", dice.choice(("1", "2", "ProcId", "undefined", '"2"')))
    queue.close()
    among = [job for job, _ in queue.jobs() if dice.random() < 0.9]
    results, _ = act(queue, ALICE, "hold", Selection(constraint=constraint, among=tuple(among)), None, None, 7)
    assert list(results) == [job for job, _ in select(queue, constraint, tuple(among))]
