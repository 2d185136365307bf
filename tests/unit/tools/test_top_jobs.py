"""The jobs of condor_top: of a queue that changes, as a queue that is read anew shows them."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from tool_runner import Spool

from condor_py.cli.top.columns import JOBS
from condor_py.cli.top.look import LiveJobs
from condor_py.cli.top.rows import Wanted
from condor_py.client.pool import open_pool
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue
from condor_py.store.stored_ad import StoredAd

NOW = 1795300000
COLUMNS = [column.title for column in JOBS]


def live() -> LiveJobs:
    return LiveJobs(QueueFollower(open_pool()), NOW)


def change(spool: Spool, key: str, name: str, text: str) -> None:
    with JobQueue(str(spool.path)).transaction() as transaction:
        transaction.set(key, name, text)


def everything(jobs: LiveJobs) -> list[object]:
    wanted = [
        Wanted(column, backwards, text) for column in COLUMNS for backwards in (False, True) for text in ("", "1")
    ]
    ids = jobs.ordered(Wanted("ID"))
    return [[list(jobs.ordered(each)) for each in wanted], [jobs.row(job) for job in ids], jobs.counts()]


def test_running_jobs_come_first_and_then_held_ones(spool: Spool) -> None:
    spool.add(1, JobStatus="1")
    spool.add(2, JobStatus="5", HoldReason='"no luck"')
    spool.add(3, JobStatus="2", ShadowBday=str(NOW - 7), RemoteHost='"slot1_2@lab"', RequestCpus="3")
    jobs = live()
    assert jobs.ordered(Wanted()) == [JobId(3, 0), JobId(2, 0), JobId(1, 0)]
    row = jobs.row(JobId(3, 0))
    assert row is not None
    assert (row.seconds, row.slot, row.cpus, row.command) == (7, "slot1_2", 3, "sleep 60")
    held = jobs.row(JobId(2, 0))
    assert held is not None
    assert held.note == "held: no luck"
    assert jobs.counts() == {1: 1, 2: 1, 5: 1}


def test_what_is_wanted(spool: Spool) -> None:
    spool.add(1, 2)
    spool.add(2, owner="zoe", JobBatchName='"Training"')
    jobs = live()
    assert jobs.ordered(Wanted(text="zoe")) == [JobId(2, 0)]
    assert jobs.ordered(Wanted(text="training")) == [JobId(2, 0)]
    assert jobs.ordered(Wanted(text="1.1")) == [JobId(1, 1)]
    assert jobs.ordered(Wanted(owner="zoe")) == [JobId(2, 0)]
    assert jobs.ordered(Wanted(owner="zoe", text="1.1")) == []
    assert jobs.owner(JobId(2, 0)) == "zoe"


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_sorts_as_it_shows(column: str, spool: Spool) -> None:
    for number, (cpus, memory) in enumerate([(2, 10), (1, 30), (3, 20)], 1):
        spool.add(
            number, RequestCpus=str(cpus), RequestMemory=str(memory), QDate=str(NOW - 10 * cpus), Cmd=f'"/{cpus}"'
        )
    jobs = live()
    found = {job: jobs.row(job) for job in jobs.ordered(Wanted("ID"))}
    shape = next(each for each in JOBS if each.title == column)
    wanted = sorted(found, key=lambda job: shape.key(found[job]), reverse=shape.falls)
    assert list(jobs.ordered(Wanted(column))) == wanted


def test_a_queue_that_changes_is_followed(spool: Spool) -> None:
    spool.add(1, 40)
    spool.add(2, 3, owner="zoe")
    jobs = live()
    random.seed(18)
    for step in range(30):
        kind = random.choice(["state", "state", "owner", "new", "gone", "cluster"])
        if kind == "new":
            spool.add(10 + step, random.randint(1, 3))
        elif kind == "gone":
            with JobQueue(str(spool.path)).transaction() as transaction:
                transaction.destroy(f"1.{step}")
        elif kind == "cluster":
            change(spool, "02.-1", "JobStatus", str(random.choice([1, 2, 5])))
        else:
            name, text = ("JobStatus", "5") if kind == "state" else ("AccountingGroup", '"group_a.zoe"')
            change(spool, f"1.{35 + step % 5}", name, text)
        jobs.look(NOW)
        assert everything(jobs) == everything(live())


def test_the_ads_of_jobs_that_are_not_shown_are_not_read(spool: Spool) -> None:
    spool.add(1, 300)
    spool.set("1.7", "JobStatus", "5")
    jobs = live()
    spool.set("1.8", "JobStatus", "5")
    jobs.look(NOW)
    for column in COLUMNS:
        shown = jobs.ordered(Wanted(column, text="sleep"))[:5]
        assert all(jobs.row(job) for job in shown)
    assert jobs.counts() == {1: 298, 5: 2}
    unread = [ad for ad in jobs.view.table.ads.values() if isinstance(ad, StoredAd) and ad.lines is not None]
    assert len(unread) >= 300 - 5 * len(COLUMNS) - 2


def test_little_is_kept_of_each_job(spool: Spool) -> None:
    count = 3000
    spool.add(1, count)
    follower = QueueFollower(open_pool())
    LiveJobs(follower, NOW)  # what is made once
    tracemalloc.start()
    jobs = LiveJobs(follower, NOW)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert jobs.counts() == {1: count}
    assert kept < 80 * count


def test_a_queue_that_was_rewritten_is_followed(spool: Spool) -> None:
    spool.add(1, 3)
    jobs = live()
    queue = JobQueue(str(spool.path))
    with queue.transaction() as transaction:
        transaction.set("1.1", "JobStatus", "5")
    queue.compact(0)
    jobs.look(NOW)
    assert jobs.counts() == {1: 2, 5: 1}


def test_one_picture_ends_its_last_line(spool: Spool) -> None:
    spool.add(1, 3)
    assert spool.run("condor_top", "-once").out.endswith("sleep 60\n")
