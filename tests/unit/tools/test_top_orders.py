"""Orders of jobs in condor_top by each column, both ways, and tables that scroll with the cursor."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.cli.top.look import LiveJobs
from condor_py.cli.top.rows import Wanted
from condor_py.cli.top.state import Cursor, _settled
from condor_py.client.pool import Pool
from condor_py.client.queue_follower import QueueFollower
from condor_py.model.ids import JobId

NOW = 1795888800


@pytest.fixture
def jobs(spool: Spool) -> LiveJobs:
    """Four jobs that differ in everything."""
    for cluster, owner, status, cpus, memory, since, slot, command in (
        (1, "bob", "1", "4", "100", 10, "", "d"), (2, "ann", "2", "1", "400", 40, "slot2", "c"),
        (3, "dan", "5", "3", "300", 20, "", "b"), (4, "cyd", "2", "2", "200", 30, "slot1", "a"),
    ):  # fmt: skip
        begun = {"ShadowBday": str(NOW - since), "RemoteHost": f'"{slot}@lab"'} if slot else {}
        spool.add(cluster, 1, owner, JobStatus=status, RequestCpus=cpus, RequestMemory=memory, ImageSize="409600",
                  QDate=str(NOW - since), Cmd=f'"/bin/{command}"', **begun)  # fmt: skip
    return LiveJobs(QueueFollower(Pool()), NOW)


@pytest.mark.parametrize(
    ("column", "order"),
    [("ID", [1, 2, 3, 4]), ("OWNER", [2, 1, 4, 3]), ("ST", [2, 4, 3, 1]), ("TIME", [2, 4, 3, 1]),
     ("CPUS", [1, 3, 4, 2]), ("SLOT", [1, 3, 4, 2]), ("CMD", [4, 3, 2, 1])],
)  # fmt: skip
def test_orders(jobs: LiveJobs, column: str, order: list[int]) -> None:
    def found(backwards: bool) -> list[int]:
        return [job.cluster for job in jobs.ordered(Wanted(column=column, backwards=backwards))]

    assert found(False) == order
    backwards = found(True)
    assert sorted(backwards) == [1, 2, 3, 4]
    keys = [jobs.status(JobId(cluster, 0)) for cluster in backwards]
    if column == "ST":
        assert keys == [1, 5, 2, 2]
    else:
        assert backwards[0] == order[-1] or column == "SLOT"


def test_orders_are_kept_until_a_job_moves(jobs: LiveJobs, spool: Spool) -> None:
    wanted = Wanted(column="ST")
    first = jobs.ordered(wanted)
    spool.set("1.0", "JobPrio", "7")
    jobs.look(NOW)
    assert jobs.ordered(wanted) is first
    spool.set("1.0", "JobStatus", "2")
    jobs.look(NOW)
    assert [job.cluster for job in jobs.ordered(wanted)] == [1, 2, 4, 3]


@pytest.mark.parametrize(
    ("cursor", "count", "height", "after"),
    [
        (Cursor(None, 0, 0), 0, 5, (0, 0)),
        (Cursor(None, 3, 0), 10, 5, (3, 0)),
        (Cursor(None, 4, 0), 10, 5, (4, 0)),
        (Cursor(None, 5, 0), 10, 5, (5, 1)),
        (Cursor(None, 9, 0), 10, 5, (9, 5)),
        (Cursor(None, 99, 0), 10, 5, (9, 5)),
        (Cursor(None, 2, 8), 10, 5, (2, 2)),
        (Cursor(None, 6, 8), 10, 5, (6, 5)),
        (Cursor(JobId(7, 0), 2, 0), 10, 5, (7, 3)),
        (Cursor(JobId(77, 0), 2, 0), 10, 5, (2, 0)),
        (Cursor(JobId(7, 0), 0, 0), 10, 5, (0, 0)),
        (Cursor(None, 3, 3), 4, 9, (3, 0)),
    ],
)
def test_a_table_scrolls_with_its_cursor(cursor: Cursor, count: int, height: int, after: tuple[int, int]) -> None:
    found = [JobId(number, 0) for number in range(count)]
    settled = _settled(cursor, found, height)
    assert (settled.at, settled.top) == after
    assert settled.key == (found[after[0]] if found else None)
