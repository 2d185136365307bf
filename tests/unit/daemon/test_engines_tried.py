"""When engines of containers are tried again."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Callback, Loop, Timer
from condor_py.daemons.startd import containers
from condor_py.daemons.startd.containers import ContainerSetup, Engines, in_execute
from condor_py.model.settings.containers import ContainerAbilities, DockerSettings, DockerTest

SETUP = ContainerSetup(DockerSettings(command="/bin/sh"), DockerTest(look_interval=1200))


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory with a short name; the usual place for temporary files is the usual one in the end."""
    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        yield Path(path)
    tempfile.tempdir = usual


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


def test_the_files_of_a_trial_that_died_are_removed(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        (Path(tempfile.mkdtemp()) / "image.tar").touch()
        os.kill(os.getpid(), signal.SIGKILL)

    (short / "dir_1").mkdir()
    monkeypatch.setattr(containers, "find_out", die)
    loop, told = Loop(), list[str]()
    engines = Engines(loop, told.append, lambda found: None)
    engines.use(SETUP._replace(executes=(str(short),)))
    while not told:
        loop.turn(1)
    assert told == ["cannot find out about containers: the child died"]
    assert os.listdir(short) == ["dir_1"]


def test_a_trial_removes_what_others_have_left_and_its_own_files(short: Path) -> None:
    """Not those of one that still runs: it outlives its startd."""
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        dead = subprocess.run(["/bin/sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
        for pid in (dead, other.pid):
            (short / f"trial_{pid}" / "docker_test.x").mkdir(parents=True)
        seen = in_execute((str(short),), lambda: (tempfile.mkdtemp(prefix="vm_test."), sorted(os.listdir(short))))()
        other.kill()
    assert seen[0].startswith(f"{short}/trial_{os.getpid()}/vm_test.")
    assert seen[1] == sorted([f"trial_{os.getpid()}", f"trial_{other.pid}"])
    assert os.listdir(short) == [f"trial_{other.pid}"]


def test_a_trial_works_where_its_directory_cannot_be_made(short: Path) -> None:
    assert in_execute((f"{short}/nowhere",), lambda: 7)() == 7


def test_a_trial_has_its_files_in_an_execute_with_a_long_name(short: Path) -> None:
    """Elsewhere nothing would remove them."""
    execute = short / ("x" * 90)
    execute.mkdir()
    assert in_execute((str(execute),), tempfile.mkdtemp)().startswith(f"{execute}/trial_{os.getpid()}/")
