"""Event logs on file systems that do not answer, or are slow: helpers write them, and nobody else waits."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hanging import HangingDirectory

from condor_py.client.userlog import UserLogs
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.jobevents import submit_event
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.schedd import logwriters
from condor_py.daemons.schedd.logwriters import LogWriters
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobEvent, JobReleased
from condor_py.machine.probes.mounts import Mount
from condor_py.model.ids import JobId
from condor_py.model.settings.userlog import UserLogSettings
from condor_py.store.event_log import EventReader
from condor_py.store.job_queue import JobQueue
from condor_py.store.late_file import LateFiles
from condor_py.store.records import NewProc, submit_records

OWNER = "nobody"


def told(ad: ClassAd, event: JobEvent) -> UserEvent:
    return UserEvent(ad, event, (event.proc,))


class Writing:
    """Event logs with helpers in a loop. ``now`` is the clock of what waits."""

    def __init__(self, folder: Path) -> None:
        self.loop = Loop()
        self.loop.watch_children()
        self.complaints: list[str] = []
        self.writers = LogWriters(self.loop)
        self.logs = UserLogs(UserLogSettings(), self.complaints.append, self.writers)
        self.now = 1000.0
        self.logs.late.keep_in(str(folder / "late"), self.now)

    def tell(self, path: Path, *procs: int, owner: str = OWNER) -> None:
        """An event of each of these procs."""
        ad = ClassAd({"Owner": owner, "Iwd": "/", "UserLog": str(path)})
        for proc in procs:
            event = JobReleased(cluster=7, proc=proc, time=5.0, reason="because")
            self.logs.add(told(ad, event))
        self.logs.flush()

    def until(self, done: Callable[[], bool]) -> None:
        for _ in range(1_000):
            if done():
                return
            self.now += 1.0
            self.logs.retry()
            self.loop.turn(0.1)
        raise AssertionError(self.complaints)

    def close(self) -> None:
        self.writers.finish()
        self.loop.close()


@pytest.fixture
def writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writing]:
    made = Writing(tmp_path)
    monkeypatch.setattr("condor_py.client.userlog.monotonic", lambda: made.now)
    monkeypatch.setattr(logwriters, "_LAST_PATIENCE", 0.0)
    yield made
    made.close()


def jobs(path: str | Path) -> list[int]:
    return [event.proc for event in EventReader(str(path)).all()]


def test_a_local_log_is_written_at_once(open_path: Path, writing: Writing) -> None:
    open_path.chmod(0o777)
    writing.tell(open_path / "job.log", 1, 2)
    assert jobs(open_path / "job.log") == [1, 2]
    assert (open_path / "job.log").owner() == OWNER
    assert not writing.logs.late


def test_others_do_not_wait_for_a_file_system_that_does_not_answer(
    open_path: Path, writing: Writing, hanging: HangingDirectory
) -> None:
    open_path.chmod(0o777)
    hanging.hang()
    for proc in range(3):
        writing.tell(hanging.path / "job.log", proc)
        writing.tell(open_path / "job.log", proc)
        writing.logs.retry()
    assert jobs(open_path / "job.log") == [0, 1, 2]
    assert writing.logs.late.jobs() == {JobId(7, proc) for proc in range(3)}, "these stay in the queue"
    writing.until(lambda: not writing.logs.late.jobs())
    writing.until(lambda: any("does not answer" in text for text in writing.complaints))
    assert len(writing.complaints) == 1
    hanging.answer()
    writing.until(lambda: not writing.logs.late)
    assert jobs(hanging.path / "job.log") == [0, 1, 2]


@pytest.mark.parametrize("through", ["link", "directory"])
def test_a_link_does_not_lead_the_schedd_there(
    open_path: Path, writing: Writing, hanging: HangingDirectory, through: str
) -> None:
    (hanging.path / "job.log").touch()
    (hanging.path / "job.log").chmod(0o666)
    hanging.hang()
    if through == "link":
        (open_path / "job.log").symlink_to(hanging.path / "job.log")
    else:
        (open_path / "dir").symlink_to(hanging.path)
    path = open_path / ("job.log" if through == "link" else "dir/job.log")
    writing.tell(path, 1)
    assert writing.logs.late
    hanging.answer()
    writing.until(lambda: not writing.logs.late)
    assert jobs(hanging.path / "job.log") == [1]


def test_a_helper_that_is_killed_loses_nothing_and_writes_nothing_twice(
    writing: Writing, hanging: HangingDirectory
) -> None:
    log = hanging.path / "job.log"
    hanging.slow(50)
    for proc in range(12):
        writing.tell(log, proc)
        for helper in writing.writers._helpers.values():
            if helper.lives:
                with suppress(ProcessLookupError):  # it has ended, and nobody has told us yet
                    os.kill(helper.pid, signal.SIGKILL)
        writing.loop.turn(0.05)
    hanging.answer()
    writing.until(lambda: not writing.logs.late)
    assert jobs(log) == list(range(12))


@pytest.mark.parametrize("state", ["hung", "slow"])
def test_what_waits_when_the_schedd_is_killed_is_written_by_the_next_one(
    tmp_path: Path, hanging: HangingDirectory, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    """Once, whatever the helper of the first one is at."""
    log = hanging.path / "job.log"
    if state == "hung":
        hanging.hang()
    else:
        hanging.slow(100)

    def begin() -> Writing:
        made = Writing(tmp_path)
        monkeypatch.setattr("condor_py.client.userlog.monotonic", lambda: made.now)
        return made

    child = os.fork()
    if not child:  # a schedd
        first = begin()
        first.tell(log, 1, 2)
        first.logs.late.store(first.now, all_of_them=True)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    second = begin()
    second.logs.retry()
    hanging.answer()
    second.until(lambda: not second.logs.late)
    assert jobs(log) == [1, 2]
    assert not list((tmp_path / "late").iterdir())
    second.close()


def test_events_behind_those_that_have_waited_are_on_disk_at_once(
    tmp_path: Path, writing: Writing, hanging: HangingDirectory
) -> None:
    """The next schedd cannot read a log that hangs, and does not know what it lacks."""
    hanging.hang()
    writing.tell(hanging.path / "job.log", 1)
    writing.now += 2.5
    writing.tell(hanging.path / "job.log", 2)
    assert writing.logs.late.jobs() == set(), "both may leave the queue"
    (kept,) = LateFiles(str(tmp_path / "late")).read()
    assert (kept[0], [event.job.proc for event in kept[1]]) == (OWNER, [1, 2])
    hanging.answer()
    writing.until(lambda: not writing.logs.late)


def test_a_user_with_many_file_systems_has_few_helpers(
    writing: Writing, hanging: HangingDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logwriters, "_MOST", 2)
    points = iter(f"/mount/{number}" for number in range(100))
    monkeypatch.setattr(writing.writers._mounts, "of", lambda path: Mount(path, False))
    hanging.hang()
    logs = [hanging.path / f"{next(points).rpartition('/')[2]}.log" for _ in range(5)]
    for number, log in enumerate(logs):
        writing.tell(log, number)
    writing.tell(hanging.path / "root.log", 9, owner="root")
    assert len(writing.writers._helpers) == 3
    hanging.answer()
    writing.until(lambda: not writing.logs.late)
    assert [jobs(log) for log in logs] == [[number] for number in range(5)]


def test_a_schedd_that_starts_waits_for_such_logs_no_longer_than_it_may(
    tmp_path: Path, open_path: Path, writing: Writing, hanging: HangingDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"), uid_domain="example.net")
    paths = {1: open_path / "job.log", 2: hanging.path / "job.log"}
    (hanging.path / "job.log").write_text("000 (002.000.000) 2026-11-21 07:15:18 x\n...\n")
    paths[1].write_text("000 (001.000.000) 2026-11-21 07:15:18 x\n...\n")
    with queue.transaction() as transaction:
        for cluster, path in paths.items():
            ad = {"Owner": f'"{OWNER}"', "Iwd": '"/"', "UserLog": f'"{path}"'}
            transaction.extend(submit_records(cluster, list(ad.items()), [NewProc(0, [], 5, "x")]))
    writing.writers._left = 120.0  # a machine that is busy is no file system that hangs
    logged = writing.logs.logged(queue)
    assert [logged.get(JobId(cluster, 0)) for cluster in paths] == [(0,), (0,)]
    hanging.hang()
    writing.writers._left = 0.2
    logged = writing.logs.logged(queue)
    assert [logged.get(JobId(cluster, 0)) for cluster in paths] == [(0,), None]
    assert "does not answer" in writing.complaints[-1]


def test_the_directory_of_a_log_is_made_by_a_helper(
    open_path: Path, writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_path.chmod(0o777)
    made: list[object] = []  # by this process: what a helper makes is noted in the helper's memory
    mkdir = os.mkdir
    monkeypatch.setattr(os, "mkdir", lambda path, *words, **more: (made.append(path), mkdir(path, *words, **more))[1])
    ad = ClassAd({"Owner": OWNER, "Iwd": str(open_path), "UserLog": "new/job.log"})
    writing.logs.add(told(ad, submit_event(JobId(7, 1), ad, "<127.0.0.1:9618>", 5.0)))
    writing.logs.flush()
    assert writing.logs.late
    writing.until(lambda: not writing.logs.late)
    assert jobs(open_path / "new" / "job.log") == [1]
    assert (open_path / "new").owner() == OWNER
    assert made == []
