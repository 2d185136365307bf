"""The looks of a starter at its job: when they come, and what the startd, the schedd and a hook get."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.starter.looks import Looks, told_of
from condor_py.model.settings.starter import StarterSettings


class Timer:
    """A timer that a test fires."""

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.waits = seconds, call, True

    def cancel(self) -> None:
        self.waits = False


class World:
    """A run in a scratch directory; ``told`` is what its looks lead to."""

    def __init__(self, scratch: Path, interval: float = 9.0, **settings: Any) -> None:
        self.timers: list[Timer] = []
        self.told: list[Any] = []
        self.news: dict[str, str] = {}
        self.delayed: dict[str, str] = {}
        executor = SimpleNamespace(
            first_looks=(0.5, 20.0), look_interval=interval, over_limit=lambda: False, counts_ended=False
        )
        sandbox = SimpleNamespace(over_disk=lambda: False, scratch=str(scratch), encrypted=False)
        self.run: Any = SimpleNamespace(
            executor=executor, place=SimpleNamespace(sandbox=sandbox), sample=lambda: {"A": "1"},
            news=lambda: self.news, job=SimpleNamespace(is_machine=False),
        )  # fmt: skip
        guard = SimpleNamespace(turn=lambda name, work, *words: work(*words))
        tell = SimpleNamespace(
            sample=lambda attributes: self.told.append(("sample", attributes)),
            attributes=lambda run, attributes: self.told.append(("update", attributes)),
            delayed=lambda run, attributes: self.told.append(("delayed", attributes)),
        )
        recorder = SimpleNamespace(
            begin=lambda: self.told.append("begin"), look=lambda run, sample: self.told.append(("look", sample))
        )
        chirp = SimpleNamespace(take_delayed=lambda: self.delayed)
        parts: list[Any] = [self, guard, StarterSettings("/e", **settings), tell, chirp, recorder]
        self.looks = Looks(*parts, lambda: self.told.append("over"))

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def fire(self, number: int) -> list[Any]:
        """Let a timer go off; what that tells."""
        self.told.clear()
        self.timers[number].call()
        return self.told

    @property
    def seconds(self) -> list[float]:
        return [timer.seconds for timer in self.timers]


def test_the_first_update_comes_when_the_first_look_has(tmp_path: Path) -> None:
    """A short job has no timer but one. Looks and updates then go on for themselves, and end together."""
    world = World(tmp_path, initial_update_interval=30, update_interval=300)
    world.looks.begin(world.run, None)
    assert (world.told, world.seconds) == (["begin"], [0.5])
    assert world.fire(0) == [("sample", {"A": "1"}), ("look", {"A": "1"})]
    assert world.seconds == [0.5, 29.5, 9.0]
    world.fire(2)
    assert world.seconds == [0.5, 29.5, 9.0, 9.0]
    told = {"A": "1", "MemoryUsage": "((ResidentSetSize+1023)/1024)", "ExecuteDirWasEncrypted": "false"}
    assert world.fire(1) == [("update", told), ("delayed", {})]
    assert world.seconds[4:] == [300.0]
    world.fire(4)
    assert world.seconds[5:] == [300.0]
    world.looks.end()
    assert [timer.waits for timer in world.timers[3:]] == [False, True, False]


@pytest.mark.parametrize(("initial", "first"), [(0, 1.0), (1, 1.0), (2, 1.5)])
def test_an_update_never_comes_at_once(tmp_path: Path, initial: int, first: float) -> None:
    world = World(tmp_path, initial_update_interval=initial)
    world.looks.begin(world.run, None)
    world.fire(0)
    assert world.seconds[1] == first


def test_looks_are_a_second_apart_at_least(tmp_path: Path) -> None:
    world = World(tmp_path, interval=0.0)
    world.looks.begin(world.run, None)
    world.fire(0)
    assert world.seconds[2] == 1


def test_what_is_new_is_told_at_the_next_look(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.looks.begin(world.run, None)
    world.news = {"Fresh": "1"}
    assert world.fire(0)[-1] == ("update", {"Fresh": "1"})
    world.news = {}
    assert [kind for kind, _ in world.fire(2)] == ["sample", "look"]


@pytest.mark.parametrize(
    ("is_machine", "settings", "memory"),
    [
        (False, {"memory_usage_metric": "1 + 1"}, "1 + 1"),
        (False, {"memory_usage_metric": ""}, None),
        (True, {"memory_usage_metric": "1 + 1", "memory_usage_metric_vm": "2 + 2"}, "2 + 2"),
        (True, {"memory_usage_metric": "1 + 1", "memory_usage_metric_vm": ""}, None),
    ],
)
def test_an_update_has_use_output_and_what_the_job_wants_in_its_ad(
    tmp_path: Path, is_machine: bool, settings: dict[str, str], memory: str | None
) -> None:
    world = World(tmp_path, **settings)
    world.run.job.is_machine = is_machine
    world.run.executor.counts_ended = True
    world.delayed = {"ChirpA": "7"}
    hooked: list[dict[str, str]] = []
    hooks: Any = SimpleNamespace(update=hooked.append)
    world.looks.begin(world.run, hooks)
    world.fire(0)
    update, delayed = world.fire(1)
    expected = {"A": "1", "CgroupEnforced": "true", "ExecuteDirWasEncrypted": "false"} | (
        {} if memory is None else {"MemoryUsage": memory}
    )
    assert (update, delayed, hooked) == (("update", expected), ("delayed", {"ChirpA": "7"}), [expected])


def test_the_times_of_the_output_are_those_of_its_files(tmp_path: Path) -> None:
    world = World(tmp_path)
    plain = {"ExecuteDirWasEncrypted": "false"}
    assert told_of(world.run) == plain
    for name, when in (("_condor_stdout", 1_000_000_000.9), ("_condor_stderr", 1_100_000_000.2)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (5, when))
    assert told_of(world.run) == plain | {"StdoutMtime": "1000000000", "StderrMtime": "1100000000"}
    (tmp_path / "_condor_stdout").unlink()
    (tmp_path / "_condor_stdout").symlink_to("_condor_stderr")
    assert int(told_of(world.run)["StdoutMtime"]) > 1_200_000_000, "a link is not followed"
