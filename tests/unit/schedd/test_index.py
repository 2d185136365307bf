"""The order of idle jobs."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.core.jobs.index import IdleIndex, IdleJob
from condor_py.model.ids import JobId

JOBS = st.dictionaries(
    st.tuples(st.integers(1, 6), st.integers(0, 6)),
    st.tuples(st.sampled_from(["a", "b"]), st.integers(1, 3), st.integers(-2, 2)),
    max_size=25,
)


def fill(jobs: dict[tuple[int, int], tuple[str, int, int]]) -> IdleIndex:
    index = IdleIndex()
    for (cluster, proc), (submitter, autocluster, prio) in jobs.items():
        index.put((JobId(cluster, proc),), IdleJob(submitter, autocluster, (0, 0, -prio, 0, 0), 1.0))
    return index


@settings(max_examples=400)
@given(JOBS, st.integers(1, 30))
def test_requests_are_in_order_and_group_only_neighbours(
    jobs: dict[tuple[int, int], tuple[str, int, int]], limit: int
) -> None:
    index = fill(jobs)
    for submitter in ("a", "b"):
        mine = {job: value for job, value in jobs.items() if value[0] == submitter}
        in_order = sorted(mine, key=lambda job: (-mine[job][2], job))
        wanted = [
            job
            for number, job in enumerate(in_order)
            if sum(mine[other][1] == mine[job][1] for other in in_order[:number]) < limit
        ]
        groups = list(index.requests(submitter, limit))
        assert [tuple(job) for group in groups for job in group.jobs] == wanted
        assert all(one.autocluster != two.autocluster for one, two in pairwise(groups))
        assert index.count(submitter) == len(mine)
        assert index.weight(submitter) == len(mine)


@settings(max_examples=400)
@given(JOBS, st.sets(st.integers(1, 3)))
def test_best_is_the_first_of_the_accepted(
    jobs: dict[tuple[int, int], tuple[str, int, int]], accepted: set[int]
) -> None:
    index = fill(jobs)
    fitting = {job: value for job, value in jobs.items() if value[0] == "a" and value[1] in accepted}
    wanted = min(fitting, key=lambda job: (-fitting[job][2], job), default=None)
    assert index.best("a", lambda number: number in accepted) == wanted


@pytest.mark.parametrize("size", [1, 31, 32, 90])
def test_jobs_that_are_put_together_stand_as_if_put_one_after_the_other(size: int) -> None:
    index, jobs = filled(100, 3, random.Random(size))
    other, _ = filled(100, 3, random.Random(size))
    moved, place = random.Random(size).sample([*jobs, JobId(1, 500)], size), IdleJob("alice", 1, (0, 0, 1, 0, 0), 2.0)
    index.put(moved, place)
    for job in moved:
        other.put((job,), place)
    index.validate()
    orders = [[job for group in one.requests("alice", 100) for job in group.jobs] for one in (index, other)]
    assert orders[0] == orders[1]
    assert index.weight("alice") == other.weight("alice")


@settings(max_examples=400)
@given(JOBS)
def test_discarding_all_leaves_nothing(jobs: dict[tuple[int, int], tuple[str, int, int]]) -> None:
    index = fill(jobs)
    for cluster, proc in jobs:
        index.discard((JobId(cluster, proc),))
    assert len(index) == 0
    assert list(index.submitters()) == []


def test_many_jobs_of_one_kind_leave_room_for_others() -> None:
    index = IdleIndex()
    for proc in range(5000):
        index.put((JobId(1, proc),), IdleJob("a", 1, (0, 0, 0, 0, 0), 1.0))
    index.put((JobId(2, 0),), IdleJob("a", 2, (0, 0, 0, 0, 0), 1.0))
    groups = list(index.requests("a", 100))
    assert [(group.autocluster, len(group.jobs)) for group in groups] == [(1, 100), (2, 1)]


def test_very_many_kinds_share_what_a_cycle_sees() -> None:
    index = IdleIndex()
    for proc in range(30_000):
        index.put((JobId(1, proc),), IdleJob("a", proc % 300, (0, 0, 0, 0, 0), 1.0))
    seen = [job for group in index.requests("a", 100) for job in group.jobs]
    assert len(seen) == 2000
    assert seen == [JobId(1, proc) for proc in range(2000)]


def filled(count: int, lists: int, dice: random.Random) -> tuple[IdleIndex, list[JobId]]:
    """An index whose jobs want from one to four cpus, in so many lists."""
    index, jobs = IdleIndex(), [JobId(1, proc) for proc in range(count)]
    for job in jobs:
        key = (0, 0, dice.randrange(3), 0, 0)
        index.put((job,), IdleJob("alice", job.proc % lists, key, float(1 + job.proc % 4)))
    return index, jobs


@pytest.mark.parametrize("size", [1, 31, 32, 33, 34, 90, 100])
def test_jobs_that_leave_together_leave_as_one_after_the_other(size: int) -> None:
    dice = random.Random(size)
    index, jobs = filled(100, 1, dice)
    other, _ = filled(100, 1, random.Random(size))
    gone = dice.sample(jobs, size)
    index.discard([*gone, JobId(9, 9)])
    for job in gone:
        other.discard((job,))
    index.validate()
    assert set(index.jobs()) == set(jobs) - set(gone)
    orders = [[job for group in one.requests("alice", 100) for job in group.jobs] for one in (index, other)]
    assert orders[0] == orders[1]
    assert index.weight("alice") == other.weight("alice")
    assert list(index.submitters()) == list(other.submitters())


def test_many_jobs_of_several_lists_leave_together() -> None:
    index, jobs = filled(600, 3, random.Random(4))
    for size in (150, 400, 50):
        gone, jobs = jobs[:size], jobs[size:]
        index.discard(gone)
        index.validate()
        assert set(index.jobs()) == set(jobs)
    assert list(index.submitters()) == []


def test_a_job_that_is_put_again_moves_to_its_new_place() -> None:
    index = IdleIndex()
    first, second = JobId(1, 0), JobId(1, 1)
    for job in (first, second):
        index.put((job,), IdleJob("a", 1, (0, 0, 0, 0, 0), 1.0))
    index.put((second,), IdleJob("a", 1, (0, 0, -1, 0, 0), 3.0))
    index.put((second,), IdleJob("a", 1, (0, 0, -1, 0, 0), 3.0))
    index.validate()
    assert (index.best("a", lambda _: True), index.count("a"), index.weight("a")) == (second, 2, 4.0)
    index.put((second,), IdleJob("b", 1, (0, 0, 0, 0, 0), 2.0))
    index.validate()
    assert (index.weight("a"), index.weight("b"), index.sizes("b")) == (1.0, 2.0, {1: 1})


def test_a_kind_gets_no_more_than_its_part_in_several_pieces() -> None:
    """Two kinds take turns in the order: each gives as many as a cycle may see of it, in pieces."""
    index = IdleIndex()
    for proc in range(60):
        index.put((JobId(1, proc),), IdleJob("a", proc // 10 % 2, (0, 0, 0, 0, 0), 1.0))
    found = [(group.autocluster, [job.proc for job in group.jobs]) for group in index.requests("a", 15)]
    tens = [list(range(begin, begin + 10)) for begin in (0, 10, 20, 30)]
    assert found == [(0, tens[0]), (1, tens[1]), (0, tens[2][:5]), (1, tens[3][:5])]


def test_a_cycle_sees_the_best_kinds_when_there_are_too_many_to_see_all() -> None:
    index = IdleIndex()
    for proc in range(1000):
        index.put((JobId(1, proc),), IdleJob("a", proc, (0, 0, 0, 0, 0), 1.0))
    groups = list(index.requests("a", 3))
    assert [group.autocluster for group in groups] == list(range(60))
    assert all(group.jobs for group in groups)


def test_jobs_in_order_are_a_sequence() -> None:
    index = IdleIndex()
    for proc in range(5):
        index.put((JobId(1, proc),), IdleJob("a", 1, (0, 0, 0, 0, 0), 1.0))
    (group,) = index.requests("a", 10)
    assert (len(group.jobs), group.jobs[-1], list(group.jobs[1:3])) == (5, JobId(1, 4), [JobId(1, 1), JobId(1, 2)])
