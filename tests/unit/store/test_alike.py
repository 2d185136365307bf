"""The same changes of many jobs as one entry: the log and the image are those of the records one by one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, NEW_AD, SET, Alike, Change, one_by_one
from condor_py.schedd.actions import perform
from condor_py.schedd.index import IdleIndex, IdleJob
from condor_py.schedd.requests import Caller, Selection, act
from condor_py.store.adlog import check_writable, format_entries, format_records
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import raw_items

_TEXTS = ("1", '"a b"', "Foo + 1", "undefined", '"é"')


def _entries(dice: random.Random) -> list[Change | Alike]:
    """Changes of jobs of two clusters, some of them alike, with names in several spellings."""
    found: list[Change | Alike] = []
    for _ in range(dice.randrange(1, 6)):
        changes = []
        for _ in range(dice.randrange(1, 5)):
            name = dice.choice(("Foo", "foo", "Args", "Own"))
            deletes = dice.random() < 0.3
            changes.append(Change(DELETE, "", name) if deletes else Change(SET, "", name, dice.choice(_TEXTS)))
        keys = dice.sample([f"{c}.{p}" for c in (1, 2) for p in range(4)], dice.randrange(1, 8))
        entry = Alike(tuple(keys), tuple(changes))
        found += [entry] if dice.random() < 0.7 else list(entry.each())
    return found


def _queue(path: Path) -> JobQueue:
    queue = JobQueue(str(path))
    with queue.transaction() as tx:
        for cluster in (1, 2):
            tx.new_ad(f"0{cluster}.-1", "Job", "Machine")
            tx.set(f"0{cluster}.-1", "Args", '"of the cluster"')
            for proc in range(3):  # 1.3 and 2.3 are not there
                tx.extend([Change(NEW_AD, f"{cluster}.{proc}", "Job", "Machine")])
                tx.set(f"{cluster}.{proc}", "FOO", str(proc))
    return queue


@pytest.mark.parametrize("seed", range(12))
def test_file_and_image_are_those_of_single_records(tmp_path: Path, seed: int) -> None:
    entries = _entries(random.Random(seed))
    assert format_entries(entries) == format_records(list(one_by_one(entries)))
    together, single = _queue(tmp_path / "a.log"), _queue(tmp_path / "b.log")
    again = JobQueue(str(tmp_path / "a.log"), readonly=True)
    with together.transaction() as tx:
        tx.extend(entries)
    with single.transaction() as tx:
        tx.extend(one_by_one(entries))
    again.refresh()
    for queue in (together, single, again):
        queue.close()
    for other in (single, again):
        assert {key: sorted(raw_items(ad)) for key, ad in together.ads.items()} == {
            key: sorted(raw_items(ad)) for key, ad in other.ads.items()
        }


@pytest.mark.parametrize("bad", [Change(SET, "", "Foo", "a\nb"), Change(SET, "", "Fo o", "1"), Change(DELETE, "", "")])
def test_what_no_log_can_hold_is_refused(bad: Change) -> None:
    with pytest.raises(ValueError):
        check_writable([Change(SET, "1.0", "Foo", "1"), Alike(("1.0", "1.1"), (bad,))])


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


def test_many_idle_jobs_leave_the_index_as_one_after_the_other() -> None:
    index, dice = IdleIndex(), random.Random(4)
    jobs = [JobId(cluster, proc) for cluster in range(1, 4) for proc in range(200)]
    for job in jobs:
        index.put(job, IdleJob("alice", job.cluster % 2, (0, 0, dice.randrange(3), 0, 0, *job), 1.0))
    for size in (150, 400, 50):
        gone, jobs = jobs[:size], jobs[size:]
        index.discard_many([*gone, JobId(9, 9)])
        index.validate()
        assert set(index.jobs()) == set(jobs)
    assert list(index.submitters()) == []
