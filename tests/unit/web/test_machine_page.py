"""The page of the machine: daemons and their use, disks, checks that run apart, and what only administrators see."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.cli.web.checks import Checks, Result
from condor_py.cli.web.page import Asked, Forbidden, NotHere, Viewer
from condor_py.cli.web.pages import machine
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes.process import ProcessStat
from condor_py.model.version import CONDOR_VERSION

FINDINGS = [{"severity": "warning", "knob": "MAXJOBS", "file": "/etc/condor/x", "line": 3, "message": "no such knob"}]


class World:
    """A watch of a pool in a directory, in which no daemon runs."""

    def __init__(self) -> None:
        self.pool = Pool()
        for path in (self.pool.paths.spool, self.pool.paths.log, self.pool.paths.execute):
            os.makedirs(path, exist_ok=True)
        self.ads_of: dict[str, list[ClassAd]] = {}

    def ads(self, kind: str) -> list[ClassAd]:
        return self.ads_of.get(kind, [])

    def slots(self) -> list[ClassAd]:
        return []

    def tell(self, subject: str) -> None:
        """Nobody listens."""

    def follow(self, subject: str, path: str) -> None:
        """Nobody listens."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    started: list[list[str]] = []

    def start(self: Checks, name: str, command: list[str], patience: float) -> Result:
        started.append(list(command))
        output = f"noise\n{json.dumps(FINDINGS)}\n1 warning\n" if name == "lint" else "spool: nothing is wrong\n"
        self._results[name] = Result(output, 0, 100.0)
        return self.last(name)

    monkeypatch.setattr(Checks, "start", start)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    made = World()
    made.started = started  # type: ignore[attr-defined]
    return made


def view(world: World, administrator: bool = True, **parameters: str) -> Any:
    made = machine.view(world, Asked(Viewer("root", administrator), parameters, (), 1000))  # type: ignore[arg-type]
    json.dumps(made)
    return made


def test_daemons_that_do_not_run_are_down(world: World) -> None:
    rows = {row["name"]: row for row in view(world)["daemons"]}
    assert {name: row["state"] for name, row in rows.items()} == {
        "MASTER": "down", "SCHEDD": "down", "NEGOTIATOR": "down", "STARTD": "down", "condor_web": "running",
    }  # fmt: skip
    assert rows["condor_web"]["pid"] == os.getpid()
    assert 0 <= time.time() - rows["condor_web"]["since"] < 36000
    assert rows["condor_web"]["memory"] > 5
    assert rows["condor_web"]["version"] in CONDOR_VERSION


def test_a_daemon_that_runs_has_the_version_of_its_ad(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(world.pool.paths.daemon_lock("SCHEDD")).parent.mkdir(parents=True, exist_ok=True)
    Path(world.pool.paths.daemon_lock("SCHEDD")).write_text(f"{os.getppid()}\n")
    version = '"$CondorVersion: 25.14.0 2026-11-20 BuildID: condor_py-0.3.0 $"'
    world.ads_of["SCHEDD"] = [ClassAd.from_text_items([("CondorVersion", version)])]
    schedd = next(row for row in view(world)["daemons"] if row["name"] == "SCHEDD")
    assert (schedd["state"], schedd["pid"], schedd["version"]) == ("running", os.getppid(), "0.3.0")


def test_the_share_of_a_core_is_that_of_the_time_between_two_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr("condor_py.cli.web.pages.machine.time.monotonic", lambda: clock.now)
    usage: dict[int, machine._Usage] = {}

    def look(cpu: float, start: int = 7) -> float | None:
        return machine._share(ProcessStat(1, "S", 0, 0, 0, cpu, 0.0, 0.0, 0.0, start, 0, 0), usage)

    assert look(5.0) is None
    clock.now += 2
    assert look(6.0) == 0.5
    clock.now += 0.1
    assert look(9.0) == 0.5  # too soon to tell
    assert look(0.1, start=8) is None  # another process of the same number


def test_one_row_for_directories_of_one_disk(world: World) -> None:
    (disk,) = view(world)["disks"]
    assert disk["names"] == ["SPOOL", "EXECUTE", "LOG"]
    assert 0 < disk["free"] < disk["total"]
    os.rmdir(world.pool.paths.execute)
    assert [one["problem"] for one in view(world)["disks"] if one["problem"]] == ["No such file or directory"]


def test_lint_is_run_once_for_a_configuration(world: World) -> None:
    assert view(world)["lint"]["findings"] == FINDINGS
    view(world)
    assert world.started == [["condor_config_val", "-lint", "-json"]]  # type: ignore[attr-defined]
    assert view(world, administrator=False)["lint"] == {
        "running": False, "when": 100.0, "counts": {"error": 0, "warning": 1, "note": 0}, "findings": [], "problem": "",
    }  # fmt: skip


def test_damaged_files_are_named(world: World) -> None:
    Path(world.pool.paths.spool, "job_queue.log.damaged").write_text("x" * 10)
    os.symlink("/etc/passwd", Path(world.pool.paths.spool, "link.damaged"))
    assert [(one["file"], one["bytes"]) for one in view(world)["store"]["damaged"]] == [("job_queue.log.damaged", 10)]


def test_a_wish_for_a_check_counts_once(world: World) -> None:
    """The page is fetched again whenever something changes, at the same address."""
    for wish in ("1000", "1000", "900", "5000", "0"):
        view(world, check=wish)
    assert sum(command[0] == "condor_store_check" for command in world.started) == 1  # type: ignore[attr-defined]
    assert view(world)["store"]["sound"]
    with pytest.raises(Forbidden):
        view(world, administrator=False, check="1000")


def test_logs_are_for_administrators(world: World) -> None:
    Path(world.pool.paths.log, "SchedLog").write_bytes(b"first\n" * 20000 + b"esc \x1b[2J\x00 \xff last\n")
    found = view(world, log="SCHEDD")
    assert [one["name"] for one in found["logs"]] == ["SCHEDD"]
    assert found["log"]["lines"][0] == "esc ?[2J? \ufffd last"
    assert len(found["log"]["lines"]) == machine.LINES
    hidden = view(world, administrator=False, log="SCHEDD")
    assert hidden["logs"] == []
    assert hidden["log"] is None
    for name in ("../../etc/passwd", "NOTHING", "schedd"):
        with pytest.raises(NotHere):
            view(world, log=name)


def test_a_log_that_is_a_link_or_pipe_is_not_read(world: World) -> None:
    os.symlink("/etc/passwd", Path(world.pool.paths.log, "SchedLog"))
    os.mkfifo(Path(world.pool.paths.log, "MasterLog"))
    for name in ("SCHEDD", "MASTER"):
        with pytest.raises(NotHere, match="cannot be read"):
            view(world, log=name)


def test_a_check_that_cannot_be_run_says_so() -> None:
    done: list[int] = []
    checks = Checks(lambda: done.append(1))
    checks._run("x", ["condor_version"], 60.0)
    assert checks.last("x").code == 0
    assert "CondorVersion" in checks.last("x").output
    checks._run("x", ["condor_version"], 0.0)
    assert "took longer" in checks.last("x").output
    assert len(done) == 2
