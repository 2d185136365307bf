"""The starter's socket for sessions: who gets in, what is refused with which words, and what ends a session."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from apart import apart

from condor_py.client.wire import Client, WireError
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter.sessions import Door, Sessions
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes import process
from condor_py.machine.run.process import Streams
from condor_py.machine.run.session import MARK, SessionPlace, SessionRequest
from condor_py.model.messages import sessions as say

JOB = "7.3"


class Run:
    """A running job whose sessions are shell commands."""

    def __init__(self, **more: Any) -> None:
        self.job = SimpleNamespace(job_id=JOB)
        self.owner: Any = None
        self.stopped = self.program_is_over = self.dismissed = False
        self.directory = "/"
        self.executor = self
        self.meter = self
        self.ready = True
        self.pid = os.getpid()
        self.admitted = 0
        self.counted: list[tuple[float, float]] = []
        self.places: list[SessionPlace] = []
        self.fails: Exception | None = None
        vars(self).update(more)

    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "TMOUT": "33"}

    def admit(self) -> None:
        self.admitted += 1

    def session_ended(self, user: float, system: float) -> None:
        self.counted.append((user, system))

    def enter(self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Any) -> Any:
        if self.fails is not None:
            raise self.fails
        self.places.append(place)
        environment = {**place.environment, MARK: place.mark, **dict(request.variables)}
        command = [*request.shells[:1], "-c", request.command]
        return subprocess.Popen(
            command,
            env=environment,
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            start_new_session=True,
        )


class World:
    """A socket for sessions, its loop, and a tool that is connected to it."""

    def __init__(self, directory: Path, interactive: bool = False, **rule: Any) -> None:
        self.loop = Loop()
        self.events: list[str] = []
        self.log: list[str] = []
        door = Door(str(directory / "door"), "slot1@here", ClassAd("[Open = true; Closed = false]"), **rule)
        left, dismissed = lambda: self.events.append("left"), lambda: self.events.append("dismissed")
        self.sessions = Sessions(self.loop, door, dismissed, left, lambda: "15 1.00 9.0 -", self.log.append)
        self.run = Run()
        self.ad = ClassAd({"InteractiveJob": interactive, "Asks": True})
        self.path = door.path
        self.tool = Client(door.path)
        self.out = open(directory / "out", "w+b")  # noqa: SIM115

    def admit(self, **more: Any) -> None:
        self.run = Run(**more)
        self.sessions.admit(self.run, self.ad)  # type: ignore[arg-type]

    def until(self, condition: Callable[[], Any]) -> None:
        limit = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < limit
            self.loop.turn(0.01)

    def hears(self) -> Any:
        self.until(lambda: select.select([self.tool], [], [], 0)[0] or self.tool.has_message)
        return self.tool.hear(say.BY_VISITOR)

    def asks(self, job: str = JOB) -> Any:
        self.tool.send(say.AskFacts(job))
        return self.hears()

    def opens(self, command: str, files: tuple[int, ...] = (), terminal: bool = False) -> Any:
        null = os.open(os.devnull, os.O_RDWR)
        self.tool.send(
            say.Open(JOB, command, ("/bin/sh",), terminal, [("COLOUR", "blue")]),
            b"",
            files or (null, self.out.fileno(), null),
        )
        os.close(null)
        return self.hears()

    def said(self) -> str:
        self.out.seek(0)
        return self.out.read().decode()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize(
    ("state", "error", "retry"),
    [
        (None, "Job 7.3 is not running.", True),
        ({"job": SimpleNamespace(job_id="7.4")}, "Job 7.3 is not running.", True),
        ({"stopped": True}, "Rejecting request, because the job is finished.", False),
        ({"program_is_over": True}, "Rejecting request, because the job is finished.", False),
        ({"ready": False}, "Rejecting request, because the job execution environment is not yet ready.", True),
    ],
)
def test_a_job_that_cannot_be_entered_is_told_with_the_reason(
    world: World, state: dict[str, Any] | None, error: str, retry: bool
) -> None:
    if state is not None:
        world.admit(**state)
    assert world.asks() == say.NotNow(error, retry)
    assert world.opens("exit 0") == say.NotNow(error, retry)
    assert not world.sessions.any_open


def test_the_use_so_far_is_told_to_whoever_may_enter(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.tool.send(say.AskUse(JOB))
    assert world.hears() == say.NotNow("Job 7.3 is not running.", True)
    world.admit(ready=False)
    world.tool.send(say.AskUse(JOB))
    assert world.hears() == say.UseSoFar("15 1.00 9.0 -")
    monkeypatch.setattr(world.sessions, "_may_enter", lambda uid, run: False)
    world.tool.send(say.AskUse(JOB))
    assert "not authorized" in world.hears().error


def test_a_suspended_job_can_be_entered_later(world: World) -> None:
    world.admit()
    world.sessions.suspend()
    assert world.asks() == say.NotNow("This slot is currently suspended.", True)
    world.admit()
    assert isinstance(world.asks(), say.Facts)
    assert world.run.admitted == 1


@pytest.mark.parametrize(
    ("enabled", "enters"),
    [
        ("true", True),
        ("MY.Open", True),
        ("TARGET.Asks", True),
        ("MY.Closed", False),
        ("undefined", False),
        ("((", False),
    ],
)
def test_the_expression_of_the_configuration_decides(tmp_path: Path, enabled: str, enters: bool) -> None:
    world = World(tmp_path, enabled=enabled)
    world.admit()
    refusal = say.NotNow("Rejecting request, because ENABLE_SSH_TO_JOB=false", False)
    answer = world.asks()
    assert isinstance(answer, say.Facts) if enters else answer == refusal


@pytest.mark.skipif(os.geteuid() != 0, reason="root takes on other accounts")
@pytest.mark.parametrize("enters", ["owner", "super user", "neither"])
def test_the_owner_and_super_users_may_enter(open_path: Path, enters: str) -> None:
    import pwd

    other = pwd.getpwnam("nobody")
    world = World(open_path, super_users=("nobody",) if enters == "super user" else ("root",))
    world.admit(owner=SimpleNamespace(uid=other.pw_uid if enters == "owner" else 4242))
    os.chmod(open_path / "door", 0o777)
    os.seteuid(other.pw_uid)
    try:
        world.tool = Client(str(open_path / "door"))
    finally:
        os.seteuid(0)
    answer = world.asks()
    if enters == "neither":
        assert answer == say.NotNow(f"nobody is not authorized for access to the starter for job {JOB}", False)
    else:
        assert isinstance(answer, say.Facts)


def test_the_facts_are_those_of_the_welcome(tmp_path: Path) -> None:
    for interactive in (False, True):
        world = World(tmp_path, interactive)
        world.admit()
        facts = world.asks()
        assert (facts.slot, facts.idle) == ("slot1@here", "33")
        assert list(facts.pids)[:1] == ([] if interactive else [os.getpid()])
        world.sessions.close()
    world = World(tmp_path)
    world.admit(pid=0)
    assert list(world.asks().pids) == []
    world.admit(dismissed=True)
    assert list(world.asks().pids) == []


@apart
def _a_session(world: World) -> None:
    world.admit()
    assert world.opens("echo $COLOUR $TMOUT; exit 7") == say.Opened(os.geteuid())
    assert world.sessions.any_open
    assert world.hears() == say.SessionEnded(7)
    assert world.said() == "blue 33\n"
    assert not world.sessions.any_open
    assert world.events == ["left"]
    assert [len(used) for used in world.run.counted] == [2]
    assert world.log[0].startswith(f"Session 1 of uid {os.geteuid()} in job {JOB}, pid=")
    assert world.log[1:] == ["Session 1 ended, status=7"]
    assert world.run.places[0].mark == f"{os.getpid()}.1"
    assert world.opens("kill -9 $$") == say.Opened(os.geteuid())
    assert world.hears() == say.SessionEnded(137)
    assert world.run.places[1].mark == f"{os.getpid()}.2"
    assert world.events == ["left", "left"]


def test_a_command_runs_in_the_job_and_its_status_comes_back(world: World) -> None:
    _a_session(world)
    assert not world.sessions.any_open


def test_an_interactive_job_is_there_for_its_session_alone(tmp_path: Path) -> None:
    @apart
    def entered() -> None:
        world = World(tmp_path, interactive=True)
        owner = os.geteuid() or 4242
        world.admit(owner=SimpleNamespace(uid=owner))
        assert world.opens("exit 0") == say.Opened(owner)
        assert world.events == ["dismissed"]
        assert world.hears() == say.SessionEnded(0)
        assert world.events == ["dismissed", "left"]

    entered()


def test_what_cannot_be_a_session_is_refused(world: World) -> None:
    world.admit()
    null = os.open(os.devnull, os.O_RDWR)
    before = len(os.listdir("/proc/self/fd"))
    answer = world.opens("exit 0", (null, null))
    assert answer == say.NotNow("a request that cannot be understood: 2 open files", False)
    answer = world.opens("exit 0", (null, null), terminal=True)
    assert answer.error.startswith("a request that cannot be understood: ")
    world.admit(fails=OSError(2, "no such shell"))
    text = f"Cannot start a session for job {JOB}: [Errno 2] no such shell"
    assert world.opens("exit 0") == say.NotNow(text, False)
    assert not world.sessions.any_open
    assert len(os.listdir("/proc/self/fd")) <= before + 1, "open files of refused requests are closed"
    os.close(null)


def test_what_a_session_leaves_behind_goes_with_it(world: World) -> None:
    @apart
    def left() -> None:
        world.admit()
        world.opens("setsid sleep 1000 & env -i sleep 1000 & sleep 1000 & echo $! ; exit 0")
        assert world.hears() == say.SessionEnded(0)
        assert [pid for pid in process.descendants(os.getpid()) if process.alive(pid)] == []

    left()


def test_the_end_of_a_session_takes_no_process_of_the_job_with_it(world: World) -> None:
    """The end of a program that is over is not collected either: the run has to learn it."""

    @apart
    def other() -> None:
        world.admit()
        ended, lives = subprocess.Popen(["sh", "-c", "exit 3"]), subprocess.Popen(["sleep", "1000"])
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        world.opens("sleep 1000 & exit 0")
        assert world.hears() == say.SessionEnded(0)
        assert process.alive(lives.pid)
        assert os.waitstatus_to_exitcode(os.waitpid(ended.pid, 0)[1]) == 3
        lives.kill()

    other()


def test_a_second_session_keeps_the_job_that_is_over(world: World) -> None:
    @apart
    def two() -> None:
        world.admit()
        world.opens("sleep 1000")
        world.run.program_is_over = True
        second = world.opens("exit 1")
        assert second == say.Opened(os.geteuid())
        assert world.run.places[1].pids == ()
        assert world.hears() == say.SessionEnded(1)
        assert world.sessions.any_open
        assert world.events == []

    two()


def test_the_end_of_the_run_takes_its_sessions_with_it(world: World) -> None:
    @apart
    def lost() -> None:
        world.admit()
        world.opens("sleep 1000")
        world.sessions.dismiss()
        assert world.hears() == say.SessionLost()
        assert not world.sessions.any_open
        assert world.asks() == say.NotNow(f"Job {JOB} is not running.", True)
        assert world.events == []

    lost()


def test_a_session_that_was_killed_with_the_job_is_lost(world: World) -> None:
    @apart
    def killed() -> None:
        world.admit()
        world.opens("sleep 1000")
        (child,) = process.children(os.getpid())
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert world.hears() == say.SessionLost()
        assert not world.sessions.any_open

    killed()


@pytest.mark.parametrize("deaf", [False, True])
def test_a_tool_that_goes_hangs_up(world: World, deaf: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.starter.sessions._HANG_UP_PATIENCE", 0.2 if deaf else 60.0)

    @apart
    def gone() -> None:
        world.tool = Client(world.path)  # one that no other process has
        world.admit()
        world.opens("trap '' HUP; echo ready; while :; do sleep 1000; done" if deaf else "echo ready; exec sleep 1000")
        world.until(lambda: world.said() == "ready\n")
        began = time.monotonic()
        world.tool.close()
        world.until(lambda: not world.sessions.any_open)
        signal_ = signal.SIGKILL if deaf else signal.SIGHUP
        assert world.log[-1] == f"Session 1 ended, status=-{int(signal_)}"
        assert not deaf or time.monotonic() - began > 0.1
        assert world.events == ["left"]

    gone()


def test_a_terminal_that_its_tool_leaves_raw_is_given_back(world: World) -> None:
    @apart
    def raw() -> None:
        world.tool = Client(world.path)
        world.admit()
        (master, slave), (ours, users) = pty.openpty(), pty.openpty()
        before = termios.tcgetattr(users)
        assert world.opens("echo $COLOUR", (slave, users), terminal=True) == say.Opened(os.geteuid())
        assert world.hears() == say.SessionEnded(0)
        assert os.read(master, 100) == b"blue\r\n"
        tty.setraw(users)
        world.tool.close()
        world.until(lambda: termios.tcgetattr(users)[3] == before[3])
        os.close(ours)

    raw()


def test_a_socket_that_is_closed_takes_nobody(world: World) -> None:
    world.admit()
    assert isinstance(world.asks(), say.Facts)
    world.sessions.close()
    with pytest.raises(WireError):
        Client(world.path, timeout=1).receive()
