"""What condor_master tells of the daemons that it has started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.master import startup
from condor_py.daemons.master.startup import StartReport, StartWatch


@dataclass
class Started:
    name: str
    pid: int = 7
    failures: int = 0
    wanted: bool = True
    status: int = 0


class World:
    """Daemons, and which of them serve."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.loop = Loop()
        self.serving: set[str] = set()
        self.reports: list[StartReport] = []

    def log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def watch(self, *daemons: Started) -> None:
        logs = {daemon.name: str(self.log(daemon.name)) for daemon in daemons}
        StartWatch(self.loop, daemons, lambda name, pid: name in self.serving, logs, self._told)

    def _told(self, report: StartReport) -> None:
        self.reports.append(report)
        self.loop.stop()

    def report(self) -> StartReport:
        self.loop.run()
        (found,) = self.reports
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_nothing_is_said_when_all_serve(world: World) -> None:
    world.watch(Started("SCHEDD"), Started("STARTD"))
    world.serving.add("SCHEDD")
    world.loop.after(0.2, lambda: world.serving.add("STARTD"))
    assert world.report() == StartReport()


def test_one_that_dies_twice_is_named_with_the_last_error_of_its_log(world: World) -> None:
    world.log("STARTD").write_text('11/24/26 00:00:00 ERROR "of long ago"\n')
    startd = Started("STARTD", pid=0, failures=2, status=1)
    world.watch(startd)
    with world.log("STARTD").open("a") as log:
        log.write('11/24/26 00:00:01 ERROR Traceback (most\n11/24/26 00:00:01 ERROR "ValueError: no "such" thing"\n')
    assert world.report() == StartReport(
        (f'condor_startd does not start: ValueError: no "such" thing; see {world.log("STARTD")}',), failed=True
    )


def test_one_that_is_killed_has_no_last_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "memory_limit", lambda read: None)
    world.watch(Started("SCHEDD", pid=0, failures=2, status=-9), Started("STARTD"))
    world.serving.add("STARTD")
    lines = (f"condor_schedd does not start: died due to SIGKILL; see {world.log('SCHEDD')}",)
    assert world.report() == StartReport(lines, failed=True)


def test_where_memory_is_limited_a_kill_names_the_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "memory_limit", lambda read: 70 << 20)
    world.watch(Started("SCHEDD", pid=0, failures=2, status=-9), Started("STARTD", pid=0, failures=2, status=1))
    killed, ended = world.report().lines
    assert "died due to SIGKILL (the control group has 70 MB of memory); see" in killed
    assert "exited with status 1; see" in ended


def test_one_that_died_once_is_waited_for(world: World) -> None:
    schedd = Started("SCHEDD", failures=1)
    world.watch(schedd)
    world.loop.after(0.2, lambda: world.serving.add("SCHEDD"))
    assert world.report() == StartReport()


def test_one_that_takes_too_long_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "_PATIENCE", 0.0)
    world.watch(Started("SCHEDD"))
    lines = (f"condor_schedd does not serve yet after 0 seconds; see {world.log('SCHEDD')}",)
    assert world.report() == StartReport(lines, failed=True)


def test_one_that_wanted_to_go_has_not_failed(world: World) -> None:
    world.watch(Started("STARTD", pid=0, wanted=False, status=99))
    lines = (f"condor_startd has stopped until condor_on; see {world.log('STARTD')}",)
    assert world.report() == StartReport(lines)
