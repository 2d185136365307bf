"""What the pages keep of the pool: reasons that were found, files that are followed, logins, and lines of children."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool
from visits import Clock

from condor_py.cli.top.look import Known
from condor_py.cli.waiting.alike import Alike
from condor_py.cli.web import judged, live, login, userfiles, work, works
from condor_py.cli.web.judged import Judged
from condor_py.cli.web.live import _LONG, Watch
from condor_py.cli.web.userfiles import JobFile
from condor_py.model.ids import JobId
from condor_py.model.record import DESTROY_AD, Change
from condor_py.store.job_queue import JobQueue

# ---- reasons ---------------------------------------------------------------------------------------------------------


class Queue:
    """Clusters of one job in these states, which take some time to be judged."""

    def __init__(self, patch: pytest.MonkeyPatch, states: dict[int, int], takes: float = 0.0) -> None:
        self.clusters = {number: {Known(status, "ann", "ann"): 1} for number, status in states.items()}
        self.view = SimpleNamespace(procs=lambda number: [0])
        self.clock = Clock()
        self.judged: list[int] = []
        self._takes = takes
        patch.setattr(judged, "alike", self._alike)
        self.kept = Judged(self.clock)

    def _alike(self, view: object, groups: Iterator[tuple[int, list[int]]], around: object) -> Iterator[Alike]:
        for number, procs in groups:
            self.clock.now += self._takes
            self.judged.append(number)
            yield Alike(number, procs, False, [], self.clock.now)  # type: ignore[arg-type]

    def look(self) -> list[int]:
        """The clusters of which something is known."""
        return [one.cluster for one in self.kept.look(self, lambda: None, int(self.clock.now))]  # type: ignore[arg-type]


def test_idle_and_held_jobs_are_judged_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, {1: 1, 2: 2, 3: 5, 4: 4, 5: 7})
    queue.clusters[6] = {Known(1, "ann", "ann"): 0}
    assert (queue.look(), queue.kept.looks, queue.kept.made, queue.kept.left) == ([1, 3], 1, 1000, 0)
    queue.clock.now += 0.9
    assert (queue.look(), queue.kept.looks) == ([1, 3], 1)
    queue.clusters[7] = {Known(1, "ann", "ann"): 1}
    assert (queue.look(), queue.kept.left) == ([1, 3], 1), "it is not judged yet"
    queue.clock.now += 0.1
    assert (queue.look(), queue.kept.looks, queue.kept.made, queue.kept.left) == ([1, 3, 7], 2, 1001, 0)
    queue.kept.took(0.05)
    queue.clock.now += 5.9
    queue.look()
    assert queue.kept.looks == 2, "what it takes to show them counts a hundred times"
    del queue.clusters[3]
    queue.clock.now += 0.1
    assert (queue.look(), queue.kept.looks) == ([1, 7], 3)


def test_of_a_long_queue_the_clusters_of_which_least_is_known_are_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look takes 0.4 seconds, and a tenth of the time while some are not judged, else a hundredth."""
    queue = Queue(monkeypatch, dict.fromkeys(range(1, 6), 1), 0.25)
    assert (queue.look(), queue.kept.left) == ([1, 2], 3)
    queue.clock.now = 1004.9
    queue.look()
    assert queue.judged == [1, 2]
    queue.clock.now = 1005.0
    assert (queue.look(), queue.kept.left) == ([1, 2, 3, 4], 1)
    queue.clock.now = 1010.0
    assert (queue.look(), queue.judged[4:], queue.kept.left) == ([1, 2, 3, 4, 5], [5, 1], 0)
    queue.clock.now = 1059.9
    queue.look()
    assert len(queue.judged) == 6
    queue.clock.now = 1060.0
    queue.look()
    assert queue.judged[6:] == [2, 3]


def test_a_cluster_that_takes_long_is_judged_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, {1: 1, 2: 1}, 9.0)
    assert (queue.look(), queue.kept.left) == ([1], 1)
    exact = Queue(monkeypatch, {1: 1, 2: 1}, judged.BUDGET)
    exact.clock.now = 0.0
    assert exact.look() == [1]


# ---- one moment of the queue -----------------------------------------------------------------------------------------


def test_a_page_is_of_one_moment_though_jobs_leave_meanwhile(spool: Spool) -> None:
    """The last job of a batch leaves while its row is made."""
    spool.add(1, 1)
    spool.add(2, 1)
    watch = Watch()
    with watch.still():
        groups = list(watch.batches.groups.values())
        queue = JobQueue(watch.pool.paths.job_queue_log)
        with queue.transaction() as transaction:
            transaction.extend([Change(DESTROY_AD, "2.0"), Change(DESTROY_AD, "02.-1")])
        queue.close()
        rows = [watch.batches.folded(group, watch.jobs).counters() for group in groups]
        assert (len(rows), sorted(watch.jobs.clusters)) == (2, [1, 2])
    assert sorted(watch.jobs.clusters) == [1]
    assert [group.first for group in watch.batches.groups.values()] == [1]


# ---- files that are followed -----------------------------------------------------------------------------------------


def test_a_followed_file_is_a_change_when_it_changes(spool: Spool, tmp_path: Path) -> None:
    watch = Watch()
    watch.changed()
    path = tmp_path / "lock"
    path.write_text("1")
    watch.follow("daemons", str(path))
    watch.follow("daemons", str(path))
    assert (watch.changed(), watch.version["daemons"]) == (set(), 0)
    path.write_text("12")
    assert (watch.changed(), watch.version["daemons"]) == ({"daemons"}, 1)
    assert watch.changed() == set()
    path.unlink()
    assert watch.changed() == {"daemons"}
    watch.tell("dag")
    watch.tell("dag")
    assert (watch.changed(), watch.changed()) == ({"dag"}, set())
    assert watch.version == {"queue": 0, "slots": 0, "accounts": 0, "history": 0, "dag": 1, "daemons": 2}


def test_sixty_four_files_of_a_subject_are_followed(spool: Spool, tmp_path: Path) -> None:
    watch = Watch()
    for number in range(65):
        (tmp_path / str(number)).write_text("x")
        watch.follow("dag", str(tmp_path / str(number)))
    watch.changed()
    (tmp_path / "0").write_text("xx")
    assert watch.changed() == set()
    for number in (1, 64):
        (tmp_path / str(number)).write_text("xx")
        assert watch.changed() == {"dag"}


def test_each_subject_has_its_files(spool: Spool) -> None:
    watch = Watch()
    ads = Path(watch.pool.paths.ads)
    ads.mkdir(parents=True, exist_ok=True)
    watch.changed()
    for name, subjects in (
        ("STARTD", {"slots"}), ("ACCOUNTING", {"accounts"}), ("SUBMITTERS", {"accounts"}), ("MASTER", {"daemons"}),
        ("SCHEDD", {"daemons"}), ("NEGOTIATOR", {"daemons"}), ("DEFRAG", {"daemons"}), ("CREDD", set()),
    ):  # fmt: skip
        (ads / f"{name}.ads").write_text("x")
        assert watch.changed() == subjects, name
    for path, subject in ((watch.pool.paths.history, "history"), (watch.pool.paths.job_queue_log, "queue")):
        Path(path).write_text("x")
        assert watch.changed() == {subject}


@pytest.mark.parametrize(("took", "rest"), [(0.1, 0.0), (0.25, 2.5), (3.0, 30.0)])
def test_a_long_look_is_followed_by_a_rest_ten_times_as_long(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, took: float, rest: float
) -> None:
    watch = Watch()
    clock = Clock()
    clock.now = 0.0
    monkeypatch.setattr(live, "_LONG", _LONG)
    monkeypatch.setattr(time, "monotonic", clock)
    watch._look(SimpleNamespace(look=lambda now: setattr(clock, "now", took)), 5)  # type: ignore[arg-type]
    assert watch._rests_until == rest


# ---- logins and children ---------------------------------------------------------------------------------------------


def test_the_newest_logins_are_kept() -> None:
    table: dict[str, object] = dict.fromkeys("abcde")
    login._keep_newest(table, 5)
    assert list(table) == list("abcde")
    login._keep_newest(table, 3)
    assert list(table) == list("cde")


def test_tokens_of_all_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.model.settings.web import WebSettings

    monkeypatch.setattr(login, "_MOST_TOKENS", 3)
    monkeypatch.setattr(login, "_MOST_SESSIONS", 2)
    door = login.Doorkeeper(WebSettings(), lambda user: False, "", Clock())
    tokens = [door.token(user) for user in "abcd"]
    assert [door.owner_of(token) for token in tokens] == [None, "b", "c", "d"]
    keys = [door.enter(token) or "" for token in tokens[1:]]
    assert [door.session(key) is not None for key in keys] == [False, True, True]


def test_steps_are_told_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    clock = Clock()
    monkeypatch.setattr(work, "_say", said.append)
    monkeypatch.setattr(time, "monotonic", clock)
    steps = work.Steps()
    for now, count in ((1000.1, 256), (1000.25, 300), (1000.25, 512), (1000.4, 768), (1000.5, 1024), (1001.0, 1025)):
        clock.now = now
        steps.at(count)
    assert said == [{"steps": 512}, {"steps": 1024}]


class Pipe:
    """The output of a child that a test writes."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        os.set_blocking(reading, False)
        self.child: Any = object.__new__(works._Process)
        self.child._out, self.child._rest = reading, b""

    def write(self, data: bytes) -> None:
        os.write(self._writing, data)

    def close(self) -> None:
        os.close(self._writing)


def test_lines_of_a_child_come_as_a_whole() -> None:
    pipe = Pipe()
    assert pipe.child.news(0.0) == []
    pipe.write(b'{"steps": 1}\n{"ste')
    assert pipe.child.news(0.0) == [{"steps": 1}]
    pipe.write(b'ps": 2}\n{"result": {}}\n')
    assert pipe.child.news(60.0) == [{"steps": 2}, {"result": {}}], "a result is not waited for any longer"
    pipe.write(b'{"failed": "no"}\n')
    assert pipe.child.news(60.0) == [{"failed": "no"}]
    begun = time.monotonic()
    assert pipe.child.news(0.05) == []
    assert 0.05 <= time.monotonic() - begun < 30
    pipe.write(b'{"steps": 3}\n')
    pipe.close()
    assert pipe.child.news(0.0) == [{"steps": 3}]
    assert pipe.child.news(0.0) is None


def test_a_line_of_a_child_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "_LARGEST", 10)
    pipe = Pipe()
    pipe.write(b"0123456789")
    assert pipe.child.news(0.0) == []
    pipe.write(b"0")
    assert pipe.child.news(0.0) is None
    pipe.close()


# ---- files of jobs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("running", [True, False])
def test_a_running_job_writes_in_its_scratch_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: bool
) -> None:
    asked: list[Any] = []
    (tmp_path / "now").write_text("written now")
    (tmp_path / "end").write_text("written at the end")

    class Scratch:
        def stream(self, stream: str) -> str:
            return str(tmp_path / "now") if stream == "Out" else ""

    def find(execute: list[str], job: JobId, owner: str) -> Scratch:
        asked.append((execute, job, owner))
        return Scratch()

    monkeypatch.setattr(userfiles, "find", find)
    monkeypatch.setattr(userfiles, "as_owner", lambda owner, do: do())
    files = [
        JobFile(name, str(tmp_path / "end"), stream)
        for name, stream in (("output", "Out"), ("error", "Err"), ("x", ""))
    ]
    found = userfiles.look("ann", files, "output", JobId(7, 1), ["/execute"], running)
    assert [file["size"] for file in found["files"]] == ([11, 18, 18] if running else [18] * 3)
    assert found["tail"]["text"] == ("written now" if running else "written at the end")
    assert asked == ([(["/execute"], JobId(7, 1), "ann")] if running else [])
    assert userfiles.look("ann", files, "", JobId(7, 1), [], running)["tail"] is None
    monkeypatch.setattr(userfiles, "find", lambda *_: None)
    assert userfiles.look("ann", files, "x", JobId(7, 1), [], running)["tail"]["text"] == "written at the end"


def test_events_of_other_clusters_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(
        "".join(f"000 ({job}.000) 2026-01-02 03:04:05 of {job}\n...\n" for job in ("007.001", "008.001", "008.-01"))
    )
    assert [event["title"] for event in userfiles._events(str(tmp_path / "log"), JobId(7, 1))] == ["of 007.001"]
