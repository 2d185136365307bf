"""Rewrites of the queue's log out of turn: when most of the jobs that it tells of have left."""

from __future__ import annotations

import errno
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.schedd.upkeep import Judging, LogRewrites
from condor_py.store.fs import RealFs
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import Compaction

#: Bytes of a job in the log.
LONG = 4000


class Daemon:
    """As much of the schedd as its rewrites need."""

    def __init__(self, path: Path, fs: RealFs | None = None, log: Callable[[str], None] | None = None) -> None:
        self.queue = JobQueue(str(path), fs=fs)
        self.known: set[int] = set()
        self.steps: list[Callable[[], None]] = []
        shared: Any = SimpleNamespace(
            loop=SimpleNamespace(after=lambda seconds, call: self.steps.append(call)),
            log=log or self.failed,
            queue=self.queue,
            core=SimpleNamespace(settings=SimpleNamespace(max_job_queue_log_rotations=0), known=self.known),
            inbox=SimpleNamespace(news=lambda event: None),
        )
        self.rewrites = LogRewrites(shared)

    def failed(self, why: str) -> None:
        raise AssertionError(why)

    def batch(self) -> bool:
        """The end of a batch and all that comes of it; whether the log was rewritten."""
        before = self.queue.size
        self.rewrites.follow_departures()
        while self.steps:
            self.steps.pop(0)()
        return self.queue.size < before

    def come(self, jobs: range) -> None:
        with self.queue.transaction() as tx:
            self.known.update(jobs)
            if jobs[0] == 0:
                tx.new_ad("01.-1", "Job", "Machine")
            for proc in jobs:
                tx.new_ad(f"1.{proc}", "Job", "Machine")
                tx.set(f"1.{proc}", "Args", f'"{proc:0{LONG}}"')

    def leave(self, jobs: range) -> None:
        with self.queue.transaction() as tx:
            self.known.difference_update(jobs)
            for proc in jobs:
                tx.destroy(f"1.{proc}")


def test_the_log_is_rewritten_when_most_of_its_jobs_have_left(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "job_queue.log")
    daemon.come(range(1000))
    assert daemon.queue.size > 1000 * LONG
    assert not daemon.batch(), "all of it is of jobs that are there"
    daemon.leave(range(999))
    daemon.come(range(1000, 1300))  # it grows further
    assert daemon.batch()
    assert 301 * LONG < daemon.queue.size < 302 * (LONG + 200)
    reader = JobQueue(str(tmp_path / "job_queue.log"), readonly=True)
    assert [job.proc for job, _ in reader.jobs()] == [999, *range(1000, 1300)]
    reader.close()


def test_the_log_is_rewritten_while_they_leave_and_is_short_when_all_have_left(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "job_queue.log")
    daemon.come(range(2000))
    rewrites = int(daemon.batch())
    for begin in range(0, 2000, 100):
        daemon.leave(range(begin, begin + 100))
        rewrites += daemon.batch()
    assert 1 <= rewrites <= 8
    assert daemon.queue.size < 1 << 20


def test_a_short_log_is_left_alone(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "job_queue.log")
    daemon.come(range(200))
    daemon.leave(range(199))
    assert not daemon.batch()
    assert daemon.queue.size > 200 * LONG


def test_a_log_in_which_jobs_come_and_leave_stays_short(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "job_queue.log")
    rewrites = 0
    for begin in range(0, 2000, 50):
        daemon.come(range(begin, begin + 50))
        daemon.leave(range(begin, begin + 49))
        rewrites += daemon.batch()
        assert daemon.queue.size < 3 << 19
    assert 5 <= rewrites <= 9


def test_a_queue_of_long_jobs_is_not_rewritten_again_and_again(tmp_path: Path) -> None:
    """Each rewrite doubles the size at which the next one is thought of."""
    daemon = Daemon(tmp_path / "job_queue.log")
    looks: list[int] = []
    for begin in range(0, 2000, 10):
        daemon.come(range(begin, begin + 10))
        daemon.come(range(begin + 10, begin + 11))
        daemon.leave(range(begin + 10, begin + 11))  # so that a rewrite makes it shorter
        if daemon.batch():
            looks.append(daemon.queue.size)
    assert all(later > 1.9 * earlier for earlier, later in pairwise(looks))
    assert len(looks) <= 4


class _Full(RealFs):
    """A disk on which no new file can be made."""

    def create(self, path: str, mode: int = 0o600) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_rewrite_that_fails_is_not_tried_with_each_batch(tmp_path: Path) -> None:
    filled = Daemon(tmp_path / "job_queue.log")
    filled.come(range(1000))
    filled.leave(range(999))
    logged: list[str] = []
    daemon = Daemon(tmp_path / "job_queue.log", _Full(), logged.append)
    daemon.known.add(999)
    for _ in range(5):
        daemon.batch()
    assert len(logged) == 1


@pytest.mark.parametrize("step", ["step", "finish"])
def test_a_rewrite_that_fails_in_any_way_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The log grew for ever: one seemed to go on."""

    def fails(*words: Any) -> None:
        raise RecursionError("too deep")

    logged: list[str] = []
    daemon = Daemon(tmp_path / "job_queue.log", log=logged.append)
    daemon.come(range(1000))
    daemon.leave(range(999))
    with monkeypatch.context() as broken:
        broken.setattr(Compaction, step, fails)
        assert not daemon.batch()
    assert "RecursionError" in logged[0]
    assert [path.name for path in tmp_path.glob("job_queue.log*") if "tmp" in path.name] == []
    daemon.rewrites.begin()
    assert daemon.batch()


def test_a_look_at_the_policies_that_fails_is_not_the_last() -> None:
    looks: list[Callable[[int], None]] = []

    def fails(*words: Any) -> None:
        raise RecursionError("too deep")

    shared: Any = SimpleNamespace(
        loop=None, core=SimpleNamespace(known={1}, handle=fails), inbox=SimpleNamespace(collect=looks.append)
    )
    judging = Judging(shared)
    judging.begin()
    judging.begin()
    assert len(looks) == 1
    with pytest.raises(RecursionError):
        looks[0](1_000)
    judging.begin()
    assert len(looks) == 2


def test_a_look_at_what_starters_reported_that_fails_is_tried_again_after_a_pause() -> None:
    """No update counted any more until the schedd was started again."""
    looks: list[Callable[[int], None]] = []
    later: list[tuple[float, Callable[[int], None]]] = []

    def fails(*words: Any) -> None:
        raise RecursionError("too deep")

    core = SimpleNamespace(handle=fails, updates_left=1)
    inbox = SimpleNamespace(later=looks.append, after=lambda seconds, look: later.append((seconds, look)))
    judging = Judging(SimpleNamespace(loop=None, core=core, inbox=inbox))  # type: ignore[arg-type]
    judging.follow_updates()
    with pytest.raises(RecursionError):
        looks.pop()(1_000)
    judging.follow_updates()
    assert looks == [], "the next batch would fail as well, and one would follow the other"
    ((pause, again),) = later
    assert pause > 0
    core.handle, core.updates_left = lambda *words: None, 0
    again(1_010)
    core.updates_left = 1
    judging.follow_updates()
    assert len(looks) == 1
