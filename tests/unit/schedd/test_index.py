"""The order of idle jobs."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from condor_py.model.ids import JobId
from condor_py.schedd.index import IdleIndex, IdleJob

JOBS = st.dictionaries(
    st.tuples(st.integers(1, 6), st.integers(0, 6)),
    st.tuples(st.sampled_from(["a", "b"]), st.integers(1, 3), st.integers(-2, 2)),
    max_size=25,
)


def fill(jobs: dict[tuple[int, int], tuple[str, int, int]]) -> IdleIndex:
    index = IdleIndex()
    for (cluster, proc), (submitter, autocluster, prio) in jobs.items():
        index.put(JobId(cluster, proc), IdleJob(submitter, autocluster, (0, 0, -prio, 0, 0, cluster, proc), 1.0))
    return index


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


@given(JOBS, st.sets(st.integers(1, 3)))
def test_best_is_the_first_of_the_accepted(
    jobs: dict[tuple[int, int], tuple[str, int, int]], accepted: set[int]
) -> None:
    index = fill(jobs)
    fitting = {job: value for job, value in jobs.items() if value[0] == "a" and value[1] in accepted}
    wanted = min(fitting, key=lambda job: (-fitting[job][2], job), default=None)
    assert index.best("a", lambda number: number in accepted) == wanted


@given(JOBS)
def test_discarding_all_leaves_nothing(jobs: dict[tuple[int, int], tuple[str, int, int]]) -> None:
    index = fill(jobs)
    for cluster, proc in jobs:
        index.discard(JobId(cluster, proc))
    assert len(index) == 0
    assert list(index.submitters()) == []


def test_many_jobs_of_one_kind_leave_room_for_others() -> None:
    index = IdleIndex()
    for proc in range(5000):
        index.put(JobId(1, proc), IdleJob("a", 1, (0, 0, 0, 0, 0, 1, proc), 1.0))
    index.put(JobId(2, 0), IdleJob("a", 2, (0, 0, 0, 0, 0, 2, 0), 1.0))
    groups = list(index.requests("a", 100))
    assert [(group.autocluster, len(group.jobs)) for group in groups] == [(1, 100), (2, 1)]


def test_very_many_kinds_share_what_a_cycle_sees() -> None:
    index = IdleIndex()
    for proc in range(30_000):
        index.put(JobId(1, proc), IdleJob("a", proc % 300, (0, 0, 0, 0, 0, 1, proc), 1.0))
    seen = [job for group in index.requests("a", 100) for job in group.jobs]
    assert len(seen) == 2000
    assert seen == [JobId(1, proc) for proc in range(2000)]
