"""Changes that are made in memory before they are written: the queue in memory stays that of the file."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.requests import edit
from condor_py.core.jobs.rights import Caller
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.schedd.batches import Batches
from condor_py.daemons.schedd.shared import Inbox
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.record import NEW_AD, SET, Change
from condor_py.model.selection import Selection
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store import adlog
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue

JOBS = 10


class FullDisk(RealFs):
    """A disk on which an account has no room left."""

    full = False

    def write(self, handle: int, data: bytes) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(handle, data)


class Daemon:
    """As much of the schedd as its batches need."""

    def __init__(self, path: Path, disk: RealFs) -> None:
        self.queue = JobQueue(str(path), fs=disk)
        #: What those who write histories are told.
        self.told: list[str] = []
        self.core = Schedd(self.queue, ScheddSettings(), 1000)
        #: Calls that are due later, and what is in the log.
        self.due: list[Callable[[], None]] = []
        self.log: list[str] = []
        loop: Any = SimpleNamespace(after=lambda seconds, call: self.due.append(call), soon=self._nothing)
        self.inbox = Inbox(loop, self.core)
        shared: Any = SimpleNamespace(
            loop=loop, log=self.log.append, queue=self.queue, core=self.core, inbox=self.inbox
        )
        self.faults: list[Exception] = []
        wall: Any = SimpleNamespace(
            turn=lambda what, call, *words: call(*words), fault=lambda error, what: self.faults.append(error)
        )
        self.departures = SimpleNamespace(
            ready=False,
            at_hand=False,
            take=list,
            pause=lambda: self.told.append("pause"),
            resume=lambda: self.told.append("resume"),
        )
        parts: Any = SimpleNamespace(
            clients=SimpleNamespace(
                settled=self._nothing, not_written=lambda: self.told.append("numbers are taken back")
            ),
            departures=self.departures,
            factories=SimpleNamespace(notice=self._nothing, due=lambda: False),
            judging=SimpleNamespace(follow_updates=self._nothing),
            locations=SimpleNamespace(settle=self._nothing),
            rewrites=SimpleNamespace(follow_departures=self._nothing),
            leftovers=SimpleNamespace(follow_departures=self._nothing),
        )
        self.batches = Batches(shared, wall, parts, self._nothing)

    def _nothing(self, *words: Any) -> None:
        pass

    def edits(self, prio: str, jobs: int, answers: list[str]) -> Callable[[int], None]:
        """Somebody changes the priority of the first ``jobs``."""
        chosen = Selection(tuple(JobId(1, proc) for proc in range(jobs)))

        def run(moment: int) -> None:
            _, entries = edit(self.queue, Caller("alice", True), chosen, [("JobPrio", prio)])
            self.inbox.commit_for_client(
                entries, lambda: answers.append("done"), hold_now=True, refuse=lambda why: answers.append(why)
            )

        return run


def filled(path: Path) -> None:
    queue = JobQueue(str(path))
    with queue.transaction() as tx:
        tx.new_ad("01.-1", "Job", "Machine")
        tx.set("01.-1", "JobStatus", "5")
        for proc in range(JOBS):
            tx.new_ad(f"1.{proc}", "Job", "Machine")
            tx.set(f"1.{proc}", "JobPrio", "0")
    queue.close()


def prios(queue: JobQueue) -> list[int]:
    return [ad.eval_int("JobPrio", -1) for _, ad in queue.jobs()]


def in_file(path: Path) -> list[int]:
    queue = JobQueue(str(path), readonly=True)
    queue.refresh()
    return prios(queue)


def test_changes_of_many_jobs_that_come_late_are_the_last(tmp_path: Path) -> None:
    path, disk, answers = tmp_path / "job_queue.log", FullDisk(), list[str]()
    filled(path)
    daemon = Daemon(path, disk)
    daemon.batches.run()
    disk.full = True
    daemon.told.clear()
    daemon.inbox.collect(daemon.edits("7", JOBS, answers))
    daemon.batches.run()
    assert daemon.told == ["numbers are taken back", "pause"], "no history is written before the queue is"
    assert len(answers) == 1
    assert "no space left" in answers[0]
    with JobQueue(str(path)).transaction() as tx:  # root's tool, which may use the last blocks of the disk
        tx.extend([Change(SET, "1.3", "JobPrio", "9")])
    disk.full = False
    daemon.batches.mark_dirty()
    daemon.batches.run()
    assert daemon.told == ["numbers are taken back", "pause", "resume"]
    assert prios(daemon.queue) == in_file(path) == [7] * JOBS


def test_numbers_that_come_late_are_not_given_away_again(tmp_path: Path) -> None:
    """A client has got cluster 2 of a disk that was full then, as others have, who made more clusters."""
    path, disk = tmp_path / "job_queue.log", FullDisk()
    filled(path)
    daemon = Daemon(path, disk)
    daemon.batches.run()
    disk.full = True
    number = Change(SET, "0.0", "NextClusterNum", "3")
    daemon.inbox.collect(lambda _: daemon.inbox.commit_for_client([number], lambda: None, hold_now=True))
    daemon.batches.run()
    for expected in (2, 3, 4):
        with JobQueue(str(path)).transaction() as tx:
            assert tx.alloc_cluster() == expected
    disk.full = False
    daemon.batches.mark_dirty()
    daemon.batches.run()
    assert daemon.queue.next_cluster == JobQueue(str(path), readonly=True).next_cluster == 5


def test_changes_of_many_jobs_follow_those_of_one_in_the_same_batch(tmp_path: Path) -> None:
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()
    for prio, jobs in (("5", 2), ("7", JOBS), ("8", 1)):
        daemon.inbox.collect(daemon.edits(prio, jobs, answers))
    daemon.batches.run()
    daemon.batches.run()
    assert answers == ["done"] * 3
    assert prios(daemon.queue) == in_file(path) == [8] + [7] * (JOBS - 1)


def test_who_waits_for_news_waits_until_removed_jobs_have_left(tmp_path: Path) -> None:
    daemon, answers = Daemon(tmp_path / "job_queue.log", RealFs()), list[str]()
    daemon.departures.at_hand = True
    daemon.batches.answer_late(lambda: answers.append("first"))
    daemon.batches.run()
    assert answers == []
    daemon.batches.answer_late(lambda: answers.append("second"))
    daemon.batches.run()  # others remove jobs all the time
    assert answers == ["first"]
    daemon.departures.at_hand = False
    daemon.batches.run()
    assert answers == ["first", "second"]


def test_however_often_a_commit_fails_one_attempt_is_due_and_one_line_is_logged(tmp_path: Path) -> None:
    """Each turn of the loop that failed had an attempt of its own due, and those again: 80 a second after a while."""
    path, disk, answers = tmp_path / "job_queue.log", FullDisk(), list[str]()
    filled(path)
    daemon = Daemon(path, disk)
    daemon.batches.run()
    disk.full = True
    for _ in range(20):
        daemon.inbox.collect(daemon.edits("7", JOBS, answers))
        daemon.batches.run()
    assert len(daemon.due) == 1
    assert [line for line in daemon.log if "nothing is acknowledged" in line] == daemon.log
    assert len(daemon.log) == 1
    daemon.due.pop()()
    daemon.batches.run()
    assert len(daemon.due) == 1
    disk.full = False
    daemon.due.pop()()
    daemon.batches.run()
    assert daemon.due == []
    assert daemon.log[1:] == [f"{path}: it is written again, with what has waited"]
    assert in_file(path) == [7] * JOBS
    disk.full = True
    daemon.inbox.collect(daemon.edits("8", JOBS, answers))
    daemon.batches.run()
    assert len(daemon.log) == 3, "it had worked meanwhile"


def test_who_asks_while_the_queue_cannot_be_locked_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()

    def is_read_only(*words: object) -> None:
        raise StoreError("the file system is read-only")

    with monkeypatch.context() as patch:
        patch.setattr(daemon.queue, "transaction", is_read_only)
        daemon.inbox.collect(daemon.edits("7", JOBS, answers))
        daemon.inbox.collect(lambda moment: daemon.inbox.commit_for_client([], lambda: answers.append("read")))
        daemon.batches.run()
    assert answers == ["the file system is read-only", "read"]
    daemon.due.pop()()
    daemon.batches.run()
    assert in_file(path) == [7] * JOBS


def test_a_commit_that_fails_in_any_way_is_tried_again_and_answers_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()

    def fails(**_: Any) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as short:
        short.setattr(daemon.queue, "transaction", fails)
        daemon.inbox.collect(daemon.edits("7", JOBS, answers))
        daemon.batches.answer_late(lambda: answers.append("late"))
        daemon.batches.run()
    assert len(daemon.faults) == 1
    assert "late" in answers
    assert len(answers) == 2
    assert "Too many open files: nothing is acknowledged" in daemon.log[0]
    (again,) = daemon.due
    again()
    daemon.batches.run()
    assert in_file(path) == prios(daemon.queue)


def test_effects_that_fail_take_no_answers_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon, answers, logged = Daemon(tmp_path / "job_queue.log", RealFs()), list[str](), list[str]()
    monkeypatch.setattr(daemon.batches, "_guard", FaultGuard(logged.append))

    def fails(effects: Any) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(daemon.batches, "_carry_out", fails)
    daemon.batches.answer_late(lambda: answers.append("late"))
    daemon.batches.run()
    assert answers == ["late"]
    assert "RecursionError" in logged[0]


def test_a_record_that_no_log_can_hold_keeps_no_other_from_it(tmp_path: Path) -> None:
    """No user's change was written any more: all were tried again with it, each second."""
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()
    bad: Any = Change(SET, "1.0", "HoldReason", None)  # type: ignore[arg-type]
    daemon.inbox.collect(lambda _: daemon.core.state.out.queue([bad]))
    daemon.inbox.collect(daemon.edits("7", JOBS, answers))
    for _ in range(3):
        daemon.batches.mark_dirty()
        daemon.batches.run()
    assert len(daemon.faults) == 1
    assert answers == ["done"]
    assert in_file(path) == [7] * JOBS
    assert daemon.log == ["ERROR the log of the queue cannot hold some records, which are left out: 1"]
    assert daemon.due == []


def test_what_the_machine_lacks_for_a_moment_takes_no_record_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()

    def fails(*words: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as short:
        short.setattr(adlog, "format_entries", fails)
        daemon.inbox.collect(daemon.edits("7", JOBS, answers))
        daemon.batches.run()
    (again,) = daemon.due
    again()
    daemon.batches.run()
    assert in_file(path) == [7] * JOBS


def test_what_is_written_counts_also_when_it_cannot_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was written again each second, until the disk was full, and its clients heard that it was not."""
    path, answers = tmp_path / "job_queue.log", list[str]()
    filled(path)
    daemon = Daemon(path, RealFs())
    daemon.batches.run()
    records = [Change(NEW_AD, "1.10", "Job", "Machine"), Change(SET, "1.10", "JobPrio", "3")]

    def fails(entries: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as short:
        short.setattr(daemon.queue, "_apply", fails)
        daemon.inbox.collect(lambda _: daemon.inbox.commit_for_client(records, lambda: answers.append("done")))
        daemon.batches.run()
    size = path.stat().st_size
    daemon.batches.run()
    assert answers == ["done"]
    assert path.stat().st_size == size
    assert prios(daemon.queue) == in_file(path) == [0] * JOBS + [3]
    assert daemon.due == []
    assert "Cannot allocate memory): the file is read again" in daemon.log[0]
