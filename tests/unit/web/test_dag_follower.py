"""The server's knowledge of DAGs: a reader for each that a page shows, and how many there are."""

from __future__ import annotations

import os
import pwd
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from condor_py.cli.web.dag import follower
from condor_py.cli.web.dag.follower import Followed, Followers
from condor_py.cli.web.dag.reader import Order

DIAMOND = "JOB A a.sub\nJOB B b.sub\nJOB C b.sub\nJOB D d.sub\nPARENT A CHILD B C\nPARENT B C CHILD D\n"
ME = pwd.getpwuid(os.geteuid()).pw_name


def wait_for(condition: Callable[[], object]) -> None:
    """Return when a condition holds."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def followers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Followers]:
    """Followers whose readers have all the time that a busy machine takes."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setattr(follower, "_PATIENCE", 300.0)
    before = threading.enumerate()
    made = Followers(lambda: None)
    yield made
    made.close()
    for thread in threading.enumerate():
        if thread not in before:
            thread.join(60)


def order(folder: Path, cluster: int = 1) -> Order:
    return Order(["-Dag", "t.dag"], str(folder), cluster, ME, "", "")


def submitted(cluster: int, node: str) -> str:
    return f"000 ({cluster:03d}.000.000) 2026-11-22 07:00:01 Job submitted from host: <a>\n    DAG Node: {node}\n...\n"


def test_a_dag_is_followed_while_it_runs(followers: Followers, tmp_path: Path) -> None:
    (tmp_path / "t.dag").write_text(DIAMOND)
    log = tmp_path / "t.dag.nodes.log"
    log.write_text(submitted(2, "A"))
    assert followers.known(1) is None
    found = followers.of(order(tmp_path))
    wait_for(lambda: found.estimate or found.problem)
    assert found.problem == ""
    assert found.graph is not None
    assert (found.graph["names"], found.edition) == (["A", "B", "C", "D"], 1)
    assert [node.state for node in found.nodes] == ["Q", "W", "W", "W"]
    assert followers.of(order(tmp_path)) is followers.known(1) is found
    before = found.version
    with log.open("a") as file:
        file.write("001 (002.000.000) 2026-11-22 07:00:02 Job executing on host: <a>\n...\n")
    wait_for(lambda: found.nodes[0].state == "R")
    assert found.since[0] > before >= found.since[1]
    assert (found.nodes[0].cluster, found.nodes[1].cluster) == (2, 0)
    followers.close()
    wait_for(lambda: found.problem)
    assert followers.known(1) is None


def test_a_dag_that_cannot_be_read_says_why(followers: Followers, tmp_path: Path) -> None:
    found = followers.of(order(tmp_path))
    wait_for(lambda: found.problem)
    assert "t.dag" in found.problem
    assert found.graph is None


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("print('no json', flush=True); import time; time.sleep(3600)",
         "The program that reads the DAG has said nothing that can be read"),
        ("print('[]', flush=True); import time; time.sleep(3600)",
         "The program that reads the DAG has said nothing that can be read"),
        ("pass", "The program that reads the DAG has ended; a DAG that is too large does that"),
    ],
)  # fmt: skip
def test_a_reader_that_goes_wrong_is_ended(
    followers: Followers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setattr(follower, "_START", f"{program} # {{!r}}")
    found = followers.of(order(tmp_path))
    wait_for(lambda: found.problem)
    assert found.problem == why
    wait_for(lambda: followers._readings[1].is_over)


def test_a_reader_that_ends_before_it_has_its_order_is_cleared_away(
    followers: Followers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order could not be written, and closing the pipe tried it once more: the thread died of that."""
    monkeypatch.setattr(follower, "_START", "pass # {!r}")
    real = follower.limit_reader

    def limit_reader(pid: int) -> None:
        real(pid)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    monkeypatch.setattr(follower, "limit_reader", limit_reader)
    found = followers.of(order(tmp_path))
    wait_for(lambda: followers._readings[1]._process.returncode is not None)
    assert found.problem == "The program that reads the DAG has ended; a DAG that is too large does that"
    process = followers._readings[1]._process
    assert process.stdin is not None
    assert process.stdout is not None
    wait_for(lambda: process.stdin.closed and process.stdout.closed)


@pytest.mark.parametrize(
    ("knob", "why"),
    [
        ("_PATIENCE", "This DAG could not be read within 0 seconds"),
        ("_IDLE", "The DAG is not followed any more"),
    ],
)
def test_a_reader_that_is_not_needed_or_hangs_is_ended(
    followers: Followers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knob: str, why: str
) -> None:
    monkeypatch.setattr(follower, "_START", "import time; time.sleep(3600) # {!r}")
    monkeypatch.setattr(follower, "_LOOK", 0.01)
    monkeypatch.setattr(follower, knob, 0.0)
    found = followers.of(order(tmp_path))
    wait_for(lambda: found.problem)
    assert found.problem == why


class Reading:
    """A reader that does nothing."""

    def __init__(self, asked: Order, followed: Followed) -> None:
        self.cluster, self.followed, self.begun = asked.cluster, followed, time.monotonic()
        self.is_over = self.stopped = False

    def stop(self) -> None:
        self.stopped = True


def test_the_dag_that_no_page_has_asked_for_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "Reading", Reading)
    followers = Followers(lambda: None)
    for cluster in range(8):
        followers.of(order(tmp_path, cluster))
    kept = dict(followers._readings)
    followers.of(order(tmp_path, 0))
    followers.of(order(tmp_path, 8))
    assert sorted(followers._readings) == [0, 2, 3, 4, 5, 6, 7, 8]
    assert [cluster for cluster, reading in kept.items() if reading.stopped] == [1]
    followers.close()
    assert all(reading.stopped for reading in kept.values())


def test_a_reader_that_has_ended_is_started_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "Reading", Reading)
    followers = Followers(lambda: None)
    first = followers.of(order(tmp_path))
    followers._readings[1].is_over = True
    assert followers.of(order(tmp_path)) is first, "not at once"
    followers._readings[1].begun -= 11
    second = followers.of(order(tmp_path))
    assert second is not first
    followers._readings[1].begun -= 11
    assert followers.of(order(tmp_path)) is second, "as it has not ended"
