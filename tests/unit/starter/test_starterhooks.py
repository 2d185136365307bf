"""Hooks of a job: what they are given, what their output and their end decide, and hooks that cannot run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter.starterhooks import JobHooks, Prepared, hooks_for, last_usage
from condor_py.lang.classad import ClassAd
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.starter import StarterHooks, StarterSettings

REPORT = ExitReport("c", "7.3", 1, pid=41, exit_code=3, exec_time=1000.75, end_time=1010.5)


class World:
    """One run with hooks that are shell scripts."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.loop = Loop()
        self.log: list[str] = []
        self.run = SimpleNamespace(
            report=REPORT,
            owner=None,
            suspended=False,
            place=SimpleNamespace(sandbox=SimpleNamespace(scratch=str(top))),
            environment=lambda: {"PATH": os.environ["PATH"], "OF": "the job"},
        )
        self.ended: list[Any] = []

    def script(self, name: str, text: str, mode: int = 0o755) -> str:
        path = self.top / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(mode)
        return str(path)

    def hooks(self, **paths: Any) -> JobHooks:
        job = ClassAd("[ClusterId = 7; JobPid = 1]")
        return JobHooks(self.loop, self.log.append, StarterHooks("MINE", **paths), self.run, job)  # type: ignore[arg-type]

    def until(self, condition: Callable[[], Any]) -> None:
        limit = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < limit
            self.loop.turn(0.01)

    def prepared(self, transferred: bool = True, **paths: Any) -> Prepared:
        self.ended.clear()
        self.hooks(**paths).prepare(transferred=transferred, then=self.ended.append)
        self.until(lambda: self.ended)
        (found,) = self.ended
        assert isinstance(found, Prepared)
        return found

    def lines(self, name: str) -> list[str]:
        return (self.top / name).read_text().splitlines()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_each_transfer_has_its_hook(world: World) -> None:
    said = 'echo "Said = \\"$0 $1 $2 $OF\\""; echo "not a line"; echo "Bad = ((("; pwd > where'
    before, after = world.script("before", said), world.script("after", said)
    paths = {"prepare_before_transfer": before, "prepare": after, "prepare_arguments": "one 'two words'"}
    for transferred, path, name in ((False, before, "PREPARE_JOB_BEFORE_TRANSFER"), (True, after, "PREPARE_JOB")):
        found = world.prepared(transferred, **paths)
        assert found == Prepared(0, "", (("Said", f'"{path} one two words the job"'),))
        assert found.ok
        assert world.log[-1] == f"{name} ({path}) invoked."
    assert world.lines("where") == [str(world.top)]
    world.run.place.sandbox.scratch = str(world.top / "not there yet")
    assert world.prepared(prepare=world.script("root", "pwd | sed 's/.*/At = \"&\"/'")).changes == (("At", '"/"'),)


def test_without_a_hook_the_job_goes_on(world: World) -> None:
    assert world.prepared(prepare_before_transfer="/none") == Prepared(0, "")
    assert world.prepared(transferred=False, prepare="/none") == Prepared(0, "")
    hooks = world.hooks()
    hooks.exited({}, lambda: world.ended.append("over"))
    hooks.update({})
    hooks.stop()
    assert world.ended[-1] == "over"
    assert world.log == []


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("exit 0", 0, ""),
        ("exit 3", 3, "PREPARE_JOB (hook) failed (exited with status 3): <no message>"),
        ("echo 'HookStatusCode = 0'; exit 3", 0, ""),
        ("echo 'HookStatusCode = -1'; exit 3", 3, "PREPARE_JOB (hook) failed (exited with status 3): <no message>"),
        (
            "echo 'HookStatusCode = 7'; echo 'HookStatusMessage = \"bad\"'", 7,
            "PREPARE_JOB (hook) failed (reported status 007): bad",
        ),
        (
            "echo 'HookStatusMessage = \"fine\"'", 0,
            "PREPARE_JOB (hook) succeeded (exited with status 0): fine",
        ),
        ("kill -9 $$", -9, "PREPARE_JOB (hook) failed (died with signal 9 (Killed)): <no message>"),
        ("yes 'A = 1' | head -c 20000000", 1, "PREPARE_JOB (hook) failed (printed more than "),
    ],
)  # fmt: skip
def test_the_end_of_a_hook_decides(world: World, script: str, status: int, message: str) -> None:
    found = world.prepared(prepare=world.script("hook", script))
    assert (found.status, found.failed) == (status, False)
    assert found.message == message if "more than" not in message else found.message.startswith(message)
    assert found.ok is (status == 0)


@pytest.mark.parametrize(
    ("status", "failed", "ok", "holds"),
    [
        *((0, False, True, True), (0, True, False, True), (1, False, False, True)),
        *((299, False, False, True), (300, False, False, False), (-9, False, False, False)),
    ],
)
def test_what_follows_of_a_decision(status: int, failed: bool, ok: bool, holds: bool) -> None:
    calls: list[tuple[Any, ...]] = []
    run = SimpleNamespace(refuse=lambda *told: calls.append(told), give_up=lambda *told: calls.append(told))
    found = Prepared(status, "why", failed=failed)
    assert (found.ok, found.holds) == (ok, holds)
    found.end(run)  # type: ignore[arg-type]
    assert [len(call) for call in calls] == [3 if holds else 1]
    assert "why" in calls[0]


@pytest.mark.parametrize("kind", ["missing", "not executable", "arguments", "no program"])
def test_a_hook_that_cannot_run_holds_the_job(world: World, kind: str) -> None:
    path, arguments = str(world.top / "missing"), ""
    if kind == "not executable":
        path = world.script("plain", "", 0o644)
    elif kind == "arguments":
        path, arguments = world.script("hook", ""), "'open"
    elif kind == "no program":
        path = world.script("hook", "")
        Path(path).write_text("#!/nowhere/sh\n")
    found = world.prepared(prepare=path, prepare_arguments=arguments)
    if kind == "no program" and not found.failed:
        assert not found.ok
        return
    assert (found.failed, found.ok, found.message) == (True, False, f"failed to execute PREPARE_JOB ({path})")
    said = "MINE_HOOK_PREPARE_JOB_ARGS" if kind == "arguments" else f"the hook {path}"
    assert len(world.log) == 1
    assert said in world.log[0]
    assert world.log[0].startswith("ERROR: ")


def test_an_update_tells_how_the_job_is(world: World) -> None:
    path = world.script("update", "cat > part; mv part seen; echo oops >&2; echo done >&2")
    world.hooks(update=path).update({"ImageSize_RAW": "77", "RemoteUserCpu": "1.5"})
    assert world.log == [f"UPDATE_JOB_INFO ({path}) invoked."]
    world.until(lambda: len(world.log) > 1)
    assert world.log[1:] == [f"hook {path} printed to stderr: oops\ndone"]
    assert world.lines("seen") == [
        "ClusterId = 7", "ImageSize = 77", "JobPid = 41", "JobStartDate = 1000", 'JobState = "Running"',
        "RemoteUserCpu = 1.5",
    ]  # fmt: skip


def test_an_update_tells_of_a_suspended_job(world: World) -> None:
    world.run.suspended = True
    world.hooks(update=world.script("update", "cat > part; mv part seen")).update({})
    world.until((world.top / "seen").exists)
    assert 'JobState = "Suspended"' in world.lines("seen")


@pytest.mark.parametrize(
    ("report", "reason", "lines"),
    [
        (REPORT, "exit", ["ExitBySignal = false", "ExitCode = 3", "JobDuration = 9.75"]),
        (REPORT.but(exit_code=None), "exit", ["ExitBySignal = false", "ExitCode = 0", "JobDuration = 9.75"]),
        (REPORT.but(vacated=True), "evict", ["ExitBySignal = false", "ExitCode = 3", "JobDuration = 9.75"]),
        (
            REPORT.but(exit_code=None, exit_signal=9, end_time=900.0), "exit",
            ["ExitBySignal = true", 'ExitReason = "died on signal 9 (Killed)"', "ExitSignal = 9", "JobDuration = 0.0"],
        ),
    ],
)  # fmt: skip
def test_the_last_hook_hears_of_the_end(world: World, report: ExitReport, reason: str, lines: list[str]) -> None:
    path = world.script("last", "echo $1 > why; cat > seen")
    world.run.report = report
    world.hooks(exit=path).exited({"NumPids": "0"}, lambda: world.ended.append("over"))
    assert world.log == [f'JOB_EXIT ({path}) invoked with reason: "{reason}"']
    assert world.ended == []
    world.until(lambda: world.ended)
    assert world.lines("why") == [reason]
    found = world.lines("seen")
    assert [line for line in found if line.startswith(("Exit", "JobDur"))] == lines
    assert 'JobState = "Exited"' in found
    assert "NumPids = 0" in found


@pytest.mark.parametrize("limit", [1, 0])
def test_a_last_hook_that_hangs_is_killed_in_time(world: World, limit: int) -> None:
    path = world.script("last", "echo > here; exec sleep 1000")
    hooks = world.hooks(exit=path, exit_timeout=limit)
    hooks.exited({}, lambda: world.ended.append("over"))
    assert world.ended == []
    if not limit:
        world.until(lambda: (world.top / "here").exists())
        assert world.ended == []
        hooks.stop()
    began = time.monotonic()
    world.until(lambda: world.ended)
    assert world.ended == ["over"]
    assert time.monotonic() - began < 30


def test_a_last_hook_that_cannot_run_is_not_waited_for(world: World) -> None:
    world.hooks(exit=str(world.top / "none")).exited({}, lambda: world.ended.append("over"))
    assert world.ended == ["over"]
    assert "the hook" in world.log[0]


@pytest.mark.parametrize(
    ("forced", "default", "job", "keyword"),
    [
        ("", "", "", None),
        ("", "", 'HookKeyword = "B"', "B"),
        ("", "A", 'HookKeyword = "B"', "B"),
        ("A", "", 'HookKeyword = "B"', "A"),
        ("", "A", 'HookKeyword = "none"', "A"),
        ("", "A", "", "A"),
    ],
)
def test_a_job_has_the_hooks_of_its_keyword(forced: str, default: str, job: str, keyword: str | None) -> None:
    hooks = StarterHooks("A", prepare="/a"), StarterHooks("B", prepare="/b")
    settings = StarterSettings("/e", hooks=hooks, job_hook_keyword=forced, default_job_hook_keyword=default)
    found = hooks_for(settings, ClassAd(f"[{job}]"))
    assert (None if found is None else found.keyword) == keyword


def test_the_last_use_of_a_job_is_that_of_an_update() -> None:
    used = Usage(max_rss_kb=5, image_kb=6, user_cpu=1.234, sys_cpu=2.345, disk_kb=7)
    run = SimpleNamespace(report=REPORT.but(usage=used))
    assert last_usage(run) == {  # type: ignore[arg-type]
        "ResidentSetSize": "5", "ImageSize": "6", "MemoryUsage": "((ResidentSetSize + 1023) / 1024)",
        "RemoteUserCpu": "1.23", "RemoteSysCpu": "2.35", "DiskUsage": "7", "NumPids": "0",
    }  # fmt: skip
