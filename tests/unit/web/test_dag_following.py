"""DAGs that are followed: which file a reader begins with, what it gets of the server, and which readers end."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.cli.web.dag import follower, reader
from condor_py.cli.web.dag.follower import Followed, Followers, Reading
from condor_py.cli.web.dag.reader import Order, options_of
from condor_py.model.settings.dagman import DagmanSettings


@pytest.mark.parametrize(
    ("words", "files", "found"),
    [
        ("-AutoRescue 1", (), ""), ("-AutoRescue 1", ("1", "2"), "t.dag.rescue002"), ("-AutoRescue 0", ("1", "2"), ""),
        ("-AutoRescue 1 -DoRescueFrom 1", ("1", "2"), "t.dag.rescue001"), ("-DoRescueFrom 7", (), "t.dag.rescue007"),
        ("-AutoRescue 1 -DoRescueFrom 0", ("1",), "t.dag.rescue001"),
    ],
)  # fmt: skip
def test_the_file_that_a_dag_continues_from(tmp_path: Path, words: str, files: tuple[str, ...], found: str) -> None:
    for number in files:
        (tmp_path / f"t.dag.rescue00{number}").write_text("")
    options = options_of(["-Dag", "t.dag", *words.split()])
    assert reader._progress_file(options, DagmanSettings(), str(tmp_path)) == found
    options.texts["RescueFile"] = "named"
    assert reader._progress_file(options, DagmanSettings(), str(tmp_path)) == "named"
    options.texts["SaveFile"] = "/saved/point"
    assert reader._progress_file(options, DagmanSettings(), str(tmp_path)) == "/saved/point"


def test_number_and_size_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("12345")
    assert reader._file(str(tmp_path / "log")) == (os.stat(tmp_path / "log").st_ino, 5)
    assert reader._file(str(tmp_path / "none")) == (0, 0)


@pytest.mark.parametrize("handle", [-1, 3])
def test_a_reader_waits_for_its_log_or_for_its_end(monkeypatch: pytest.MonkeyPatch, handle: int) -> None:
    asked: list[Any] = []
    ready = [[0], [3], []]

    def select(handles: list[int], *others: Any) -> Any:
        asked.append((handles, others[-1]))
        return ready.pop(0), [], []

    monkeypatch.setattr(reader, "select", SimpleNamespace(select=select))
    watch: Any = SimpleNamespace(handle=handle)
    assert [reader._wait(watch) for _ in range(3)] == [True, False, False]
    expected = ([0], reader._PAUSE) if handle < 0 else ([0, 3], reader._LOOK)
    assert asked == [expected] * 3
    ready += [[0], []]
    assert [reader._is_closed(5.0) for _ in range(2)] == [True, False]
    assert asked[3:] == [([0], 5.0)] * 2


class Started:
    """Readers that are started but are no programs; what they are started with."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.environment: dict[str, str] = {}
        self.options: dict[str, Any] = {}
        self.ended: set[int] = set()
        self._pids = iter(range(4_200_000, 4_300_000))
        patch.setattr(subprocess, "Popen", self._start)
        patch.setattr(threading, "Thread", lambda **_: SimpleNamespace(start=lambda: None))
        patch.setattr(os, "killpg", lambda pid, number: self.ended.add(pid))

    def _start(self, command: list[str], env: dict[str, str], **options: Any) -> Any:
        self.environment, self.options = env, options
        pid = next(self._pids)
        return SimpleNamespace(pid=pid, poll=lambda: 0 if pid in self.ended else None)


def order(cluster: int) -> Order:
    return Order(["-Dag", "a.dag"], "/home/ann", cluster, "ann", "", "")


def test_a_reader_gets_little_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started(monkeypatch)
    known = {"CONDOR_CONFIG": "ONLY_ENV", "PATH": "/bin", "TZ": "UTC", "LANG": "C", "_CONDOR_LOCAL_DIR": "/x"}
    monkeypatch.setattr(os, "environ", {**known, "SECRET": "1", "HOME": "/root", "CONDOR": "x"})
    Reading(order(5), Followed(lambda: None))
    assert started.environment == known
    assert started.options["start_new_session"] is True
    assert (started.options["stderr"], started.options["stdin"]) == (subprocess.DEVNULL, subprocess.PIPE)


def test_the_readers_asked_for_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started(monkeypatch)
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(follower, "MOST", 3)
    followers = Followers(lambda: None)
    first = {}
    for cluster in (1, 2, 3):
        first[cluster] = followers.of(order(cluster))
        clock.now += 1.0
    assert followers.of(order(1)) is first[1]
    followers.of(order(4))
    assert followers.known(2) is None, "that one was asked for longest ago"
    assert followers.known(1) is first[1]
    assert len(started.ended) == 1
    followers.close()
    assert len(started.ended) == 4
    assert followers.known(1) is None


@pytest.mark.parametrize(("after", "same"), [(0.0, True), (-0.1, True), (0.1, False)])
def test_a_reader_that_has_ended_is_started_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch, after: float, same: bool
) -> None:
    started = Started(monkeypatch)
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    followers = Followers(lambda: None)
    before = followers.of(order(1))
    clock.now += follower._AGAIN + after
    assert followers.of(order(1)) is before, "it works"
    started.ended.update(range(4_200_000, 4_200_009))
    assert (followers.of(order(1)) is before) is same
