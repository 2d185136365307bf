"""Jobs on their way out: who removed many of them waits for none of their history records, and all get one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.client.lateevents import Entry, LateEvents
from condor_py.core.jobs.effects import Leave
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd import departures, records
from condor_py.daemons.schedd.departures import Departures
from condor_py.daemons.schedd.records import JobRecords, recorded_jobs
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.history import HistoryError
from condor_py.store.job_queue import JobQueue

REMOVED, COMPLETED = 3, 4
MANY = 1_000


class Way:
    """Departures in a loop, which notes the jobs of each of its turns in which some may leave the queue."""

    def __init__(self, directory: Path, late: LateEvents | None = None) -> None:
        self.loop, self.log = Loop(), list[str]()
        self.records = JobRecords(str(directory / "history"), self.log.append)
        cleaner: Any = SimpleNamespace(left=lambda job, ad, then: then())
        late = late or LateEvents(self.log.append)
        self.departures = Departures(self.loop, self.records, str(directory), self.log.append, cleaner, late)
        self.left: list[list[JobId]] = []
        self.loop.on_batch_end(self.take)

    def take(self) -> None:
        if self.departures.ready:
            self.left.append(self.departures.take())

    def leave(self, jobs: list[JobId], status: int) -> None:
        ads = [ad(job, status) for job in jobs]
        self.departures.add(Leave(tuple(jobs[:1]), tuple(ads[:1]), status))
        if jobs[1:]:
            self.departures.add(Leave(tuple(jobs[1:]), tuple(ads[1:]), status))

    def turns_until(self, done: Callable[[], bool]) -> None:
        for _ in range(1_000):
            if done():
                return
            self.loop.turn(0.1)
        raise AssertionError(self.left)

    def all_left(self) -> list[JobId]:
        return [job for some in self.left for job in some]


@pytest.fixture
def way(tmp_path: Path) -> Way:
    return Way(tmp_path)


def ad(job: JobId, status: int) -> ClassAd:
    items = [("ClusterId", str(job.cluster)), ("ProcId", str(job.proc)), ("JobStatus", str(status)), ("Owner", '"ann"')]
    return ClassAd.from_text_items(items)


def in_history(directory: Path) -> list[JobId]:
    found = re.findall(
        r"^\*\*\*.* ClusterId = (\d+) ProcId = (\d+) ", (directory / "history").read_text(), re.MULTILINE
    )
    return [JobId(int(cluster), int(proc)) for cluster, proc in found]


def test_many_removed_jobs_leave_in_order_when_what_others_want_is_done(way: Way, tmp_path: Path) -> None:
    jobs = [JobId(7, proc) for proc in range(MANY)]
    seen: list[int] = []

    def piece() -> None:
        seen.append(len(way.all_left()))
        if len(seen) < 20:
            way.loop.when_idle(piece)

    way.loop.when_idle(piece)
    way.leave(jobs[: MANY // 2], REMOVED)
    way.leave(jobs[MANY // 2 :], REMOVED)
    way.turns_until(lambda: len(way.all_left()) == MANY)
    assert way.all_left() == jobs == in_history(tmp_path)
    assert seen[-1] <= 1  # the first leaves as one that was removed alone
    assert len(way.left) > 3


def test_a_few_removed_jobs_leave_in_the_next_turn_whatever_others_want(way: Way) -> None:
    def busy() -> None:
        way.loop.when_idle(busy)
        way.loop.soon(lambda: None)

    busy()
    way.leave([JobId(7, proc) for proc in range(50)], REMOVED)
    way.leave([JobId(8, proc) for proc in range(50)], REMOVED)
    way.loop.turn(0.1)
    way.loop.turn(0.1)
    assert len(way.all_left()) == 100


def test_who_has_ended_leaves_with_the_next_batch_or_alone_after_a_moment(way: Way, tmp_path: Path) -> None:
    way.leave([JobId(7, 0)], COMPLETED)
    way.turns_until(lambda: (tmp_path / "history").exists())
    assert not way.left, "no batch of its own"
    assert way.departures.take() == [JobId(7, 0)], "any other takes it along"
    way.leave([JobId(7, 1)], COMPLETED)
    way.turns_until(lambda: way.left == [[JobId(7, 1)]])


def test_who_is_removed_by_force_does_not_wait_for_the_log_of_a_dag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as the events are on disk elsewhere; the other job of the DAG waits, as condor_dagman looks for it."""
    monkeypatch.setattr(departures, "_RETRY", 0.001)
    late, log, forced, other = LateEvents(lambda text: None), ("/none/nodes.log", "ann"), JobId(7, 0), JobId(7, 1)
    late.keep_in(str(tmp_path / "late"), 0.0)
    late.keep(log, [Entry(job, 9, "009\n...\n") for job in (forced, other)], "permission denied", 0.0)
    late.pin([log])
    way = Way(tmp_path, late)
    ads = ad(forced, REMOVED), ad(other, REMOVED)
    ads[0].set_text("JobLeaveForced", "true")
    way.departures.add(Leave((forced, other), ads, REMOVED))
    for _ in range(10):
        way.loop.turn(0.002)
    assert not way.left, "events that are nowhere else would be lost"
    late.store(10.0)
    way.turns_until(lambda: way.left == [[forced]])
    late.written(log, 2, 20.0)
    way.turns_until(lambda: way.all_left() == [forced, other])


def test_who_has_ended_does_not_wait_for_those_who_were_removed(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(departures, "_TOGETHER", 0.0)
    way.leave([JobId(7, proc) for proc in range(5 * MANY)], REMOVED)
    way.leave([JobId(8, 0)], COMPLETED)
    way.turns_until(lambda: len(way.all_left()) == 5 * MANY + 1)
    assert way.all_left().index(JobId(8, 0)) < 4 * MANY


def test_a_daemon_that_ends_writes_all_of_them_a_piece_at_a_time(way: Way, tmp_path: Path) -> None:
    jobs = [JobId(7, proc) for proc in range(3 * MANY)]
    way.leave(jobs, REMOVED)
    way.departures.write_all(way.take)
    assert way.all_left() == in_history(tmp_path)
    assert set(way.all_left()) == set(jobs)
    assert max(map(len, way.left)) <= MANY + 1


def test_many_that_end_together_are_written_a_piece_at_a_time(way: Way, tmp_path: Path) -> None:
    """A schedd that starts looks through so many records for those of jobs that are in the queue still."""
    jobs = [JobId(7, proc) for proc in range(3 * MANY)]
    way.leave(jobs, COMPLETED)
    way.turns_until(lambda: len(way.all_left()) == len(jobs))
    assert way.all_left() == jobs == in_history(tmp_path)
    assert max(map(len, way.left)) <= MANY
    way.leave([JobId(8, proc) for proc in range(3 * MANY)], COMPLETED)
    way.departures.write_all(way.take)
    assert len(in_history(tmp_path)) == 6 * MANY
    assert max(map(len, way.left)) <= MANY


def test_no_history_is_written_while_the_queue_cannot_be(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(departures, "_RETRY", 0.01)
    way.departures.pause()
    way.leave([JobId(7, 0), JobId(7, 1)], COMPLETED)
    way.leave([JobId(8, proc) for proc in range(MANY)], REMOVED)
    for _ in range(10):
        way.loop.turn(0.01)
    way.departures.write_all(way.take)
    assert not way.all_left()
    assert not (tmp_path / "history").exists()
    way.departures.resume()
    way.turns_until(lambda: len(way.all_left()) == MANY + 2)
    assert sorted(in_history(tmp_path)) == sorted(way.all_left())


def test_what_cannot_be_written_stays_and_is_tried_again(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, whole = [JobId(7, proc) for proc in range(MANY)], way.records.left
    full = [True]

    def left(ads: Any, now: int) -> None:
        if full[0] and in_the_way(ads):
            raise HistoryError("no room", 0)
        whole(ads, now)

    def in_the_way(ads: Any) -> bool:
        return any(one.eval_int("ProcId", 0) == MANY // 2 for one in ads)

    monkeypatch.setattr(departures, "_RETRY", 0.01)
    monkeypatch.setattr(way.records, "left", left)
    way.leave(jobs, REMOVED)
    way.turns_until(lambda: len(way.log) > 1)
    assert JobId(7, MANY // 2) not in way.all_left()
    assert len(way.log) < 10
    full[0] = False
    way.turns_until(lambda: len(way.all_left()) >= MANY)
    assert sorted(way.all_left()) == jobs == sorted(in_history(tmp_path))


def test_a_history_that_is_none_any_more_keeps_the_jobs_and_says_so(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(departures, "_RETRY", 0.01)
    (tmp_path / "history").write_text("notes of somebody\n")
    way.leave([JobId(7, 0), JobId(7, 1)], COMPLETED)
    way.turns_until(lambda: len(way.log) > 2)
    assert "is no history file" in way.log[0]
    assert not way.all_left()
    (tmp_path / "history").unlink()
    way.turns_until(lambda: way.all_left() == [JobId(7, 0), JobId(7, 1)])
    assert in_history(tmp_path) == way.all_left()


@pytest.mark.parametrize("step", ["_records.left", "_late.jobs", "_cleaner.left"])
def test_a_job_that_fails_in_any_way_is_tried_again_and_keeps_no_other(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    owner, name = step.split(".")
    whole, bad = getattr(getattr(way.departures, owner), name), JobId(7, 1)
    fails, jobs = [True], [JobId(7, 0), bad, JobId(7, 2)]

    def left(ads: Any, *words: Any) -> Any:
        is_bad = ads == bad if isinstance(ads, JobId) else any(one.eval_int("ProcId", 0) == 1 for one in ads)
        if fails[0] and is_bad:
            raise RecursionError("too deep")
        return whole(ads, *words)

    def late(**words: Any) -> Any:
        if fails[0]:
            raise OSError(122, "Disk quota exceeded")
        return whole(**words)

    monkeypatch.setattr(departures, "_RETRY", 0.01)
    monkeypatch.setattr(getattr(way.departures, owner), name, late if owner == "_late" else left)
    ads = [ad(job, REMOVED) for job in jobs]
    if owner == "_cleaner":
        for one in ads:
            one.set_str("CheckpointDestination", "file:///there")
    way.departures.add(Leave(tuple(jobs), tuple(ads), REMOVED))
    others = 0 if owner == "_late" else 2
    way.turns_until(lambda: len(way.log) > 2 and len(way.all_left()) == others)
    assert way.log[0].startswith("ERROR while jobs leave: job 7.")
    if others:
        assert sorted(way.all_left()) == [JobId(7, 0), JobId(7, 2)]
        assert all("job 7.1 stays in the queue until it works: " in line for line in way.log)
    fails[0] = False
    way.turns_until(lambda: len(way.all_left()) == len(jobs))
    assert sorted(way.all_left()) == jobs == sorted(in_history(tmp_path))


def test_files_that_cannot_be_removed_keep_no_job_and_write_no_history_twice(
    way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clear(*words: Any) -> None:
        raise UnicodeError("a name that nobody can read")

    monkeypatch.setattr(departures, "_RETRY", 0.01)
    monkeypatch.setattr(departures, "clear_room", clear)
    spooled = ad(JobId(7, 0), COMPLETED)
    spooled.set_int("StageInStart", 1)
    way.departures.add(Leave((JobId(7, 0),), (spooled,), COMPLETED))
    way.turns_until(lambda: way.all_left() == [JobId(7, 0)])
    assert in_history(tmp_path) == [JobId(7, 0)]
    assert "UnicodeError" in way.log[0]


def test_a_per_job_history_that_fails_in_any_way_writes_no_record_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*words: Any) -> None:
        raise UnicodeError("a name that nobody can read")

    monkeypatch.setattr(records, "write_per_job", write)
    told: list[str] = []
    written = JobRecords(str(tmp_path / "history"), told.append)
    written.configure(HistorySettings(per_job_directory=str(tmp_path)))
    written.left([ad(JobId(7, 0), COMPLETED)], 1_000)
    assert in_history(tmp_path) == [JobId(7, 0)]
    assert "UnicodeError" in told[0]


def test_a_full_disk_makes_one_attempt_at_a_time(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each removed job asks for an attempt of its own."""
    tries: list[int] = []

    def left(ads: Any, now: int) -> None:
        tries.append(len(ads))
        raise HistoryError("no room", 0)

    monkeypatch.setattr(departures, "_RETRY", 0.0)
    monkeypatch.setattr(way.records, "left", left)
    for proc in range(5):
        way.leave([JobId(7, proc)], REMOVED)
        way.loop.turn(0)
    way.turns_until(lambda: bool(tries) and tries[-1] == 5)
    tries.clear()
    for _ in range(20):
        way.loop.turn(0.001)
    assert len(tries) <= 20


def test_a_schedd_that_starts_knows_whose_history_is_written(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    texts = ('"pool#7.0"', '"pool#7.1"', 'strcat("pool#", "7.2")', '"pool\\"7.3"', None, "undefined", '"a" is "b"')
    with queue.transaction() as tx:
        tx.new_ad("07.-1", "Job", "Machine")
        for proc, text in enumerate(texts):
            tx.new_ad(f"7.{proc}", "Job", "Machine")
            if text is not None:
                tx.set(f"7.{proc}", "GlobalJobId", text)
    for some in (queue, JobQueue(str(tmp_path / "job_queue.log"), readonly=True)):
        assert recorded_jobs(some, {"pool#7.1", "other"}) == {JobId(7, 1)}
        assert recorded_jobs(some, {"pool#7.2", 'pool"7.3'}) == {JobId(7, 2), JobId(7, 3)}
        assert recorded_jobs(some, {"7.4", "7.5", "7.6", "7.0"}) == {JobId(7, 4), JobId(7, 5), JobId(7, 6)}
