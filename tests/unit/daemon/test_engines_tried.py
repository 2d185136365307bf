"""When engines of containers are tried again."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Callback, Loop, Timer
from condor_py.daemons.startd import containers
from condor_py.daemons.startd.containers import ContainerSetup, Engines
from condor_py.model.settings.containers import ContainerAbilities, DockerSettings, DockerTest

SETUP = ContainerSetup(DockerSettings(command="/bin/sh"), DockerTest(look_interval=1200))


class Trials:
    """A loop that notes for how long something is put off, and engines that are tried at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pauses: list[float] = []
        self.works = False
        self.next: Callback = lambda: None
        monkeypatch.setattr(containers, "Errand", lambda loop, work, done, **_: done((self.found, []), ""))
        self.engines = Engines(self, lambda line: None, lambda found: None)  # type: ignore[arg-type]

    @property
    def found(self) -> ContainerAbilities:
        return ContainerAbilities(docker="29.1.0") if self.works else ContainerAbilities(docker_broken="no daemon")

    def after(self, seconds: float, callback: Callback) -> Timer:
        self.pauses.append(seconds)
        self.next = callback
        return Timer(callback)


def test_a_broken_engine_is_tried_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = Trials(monkeypatch)
    trials.engines.use(SETUP)
    for _ in range(5):
        trials.next()
    assert trials.pauses == [60.0, 120.0, 240.0, 480.0, 600.0, 600.0]
    trials.engines.use(SETUP)
    assert trials.pauses[-1] == 60.0, "condor_reconfig says that something has changed"
    trials.works = True
    trials.next()
    assert trials.pauses[-1] == 1200.0, "how much space its images take"
    trials.works = False
    trials.engines.look()
    assert trials.pauses[-1] == 60.0, "it has just broken"


def test_the_files_of_a_trial_that_died_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        (tmp_path / "docker_test.x").mkdir()
        (tmp_path / "docker_test.x" / "image.tar").touch()
        (tmp_path / "singularity_test.y").mkdir()
        os.kill(os.getpid(), signal.SIGKILL)

    (tmp_path / "dir_1").mkdir()
    monkeypatch.setattr(containers, "find_out", die)
    loop, told = Loop(), list[str]()
    engines = Engines(loop, told.append, lambda found: None)
    engines.use(replace(SETUP, executes=(str(tmp_path),)))
    while not told:
        loop.turn(1)
    assert told == ["cannot find out about containers: the child died"]
    assert os.listdir(tmp_path) == ["dir_1"]
