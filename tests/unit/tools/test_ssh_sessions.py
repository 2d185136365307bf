"""A session of condor_ssh_to_job from the first question to its end: whom it asks, what it says, how it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.cli.ssh_to_job import session
from condor_py.cli.ssh_to_job.session import Wish, attach
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages import sessions as say
from condor_py.model.messages.codec import Refused

JOB = JobId(7, 0)
SCHEDD, STARTER = "/run/schedd", "/run/starter"
FOUND = say.Door(STARTER, "slot1@vm.example.net", "7.1")
FACTS = say.Facts("slot1@vm.example.net", [11, 12], "")


class World:
    """A schedd and a starter that answer from a list each, and the streams of a session."""

    def __init__(self) -> None:
        self.schedd: list[Any] = [FOUND]
        self.starter: list[Any] = [FACTS, say.Opened(5)]
        self.asked: list[Any] = []
        self.removed: list[tuple[str, tuple[JobId, ...]]] = []
        self.code: int | None = 3
        self.has_terminal = False
        self.theirs: Sequence[int] = ()
        self.closed_for: list[int] = []
        self.pool = cast(
            Pool,
            SimpleNamespace(paths=SimpleNamespace(socket=lambda name: f"/run/{name}", local_dir="/pool"), act=self.act),
        )

    def act(self, action: str, wanted: Any, reason: str) -> Any:
        self.removed.append((reason, wanted.ids))
        return SimpleNamespace(results=dict.fromkeys(wanted.ids, 1))

    def close_theirs(self, uid: int) -> None:
        self.closed_for.append(uid)

    def serve(self, client: object, wakeup: int) -> int | None:
        return self.code

    @contextmanager
    def streams(self, terminal: bool | None, is_command: bool) -> Iterator[World]:
        yield self

    def attach(self, **wish: Any) -> int:
        return attach(self.pool, JOB, Wish(**wish))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()

    class Client:
        """A connection whose answers are there at once; an error in their place ends it."""

        has_message = True

        def __init__(self, path: str, timeout: float | None) -> None:
            self._answers = made.schedd if path == SCHEDD else made.starter
            if not self._answers or self._answers[0] == "nobody":
                self._answers[:1] = []
                raise WireError("nobody is there")

        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is to be closed."""

        def fileno(self) -> int:
            return 0

        def send(self, request: object, descriptors: Sequence[int] = ()) -> None:
            made.asked.append(request)

        def hear(self, messages: object) -> Any:
            answer = self._answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

    monkeypatch.setattr(session, "Client", Client)
    monkeypatch.setattr(session, "_PAUSE", 0.0)
    monkeypatch.setattr("condor_py.cli.ssh_to_job.relay.streams_for", made.streams)
    monkeypatch.setattr("select.poll", lambda: SimpleNamespace(register=lambda *_: None, poll=lambda: [(0, 1)]))
    for name in ("TERM", "DISPLAY", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    return made


def test_a_login_shell_is_welcomed(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    assert world.attach(shells=("bash",), node=2) == 3
    assert world.asked == [
        say.Locate(JOB, False, 2), say.AskFacts("7.1"), say.Open("7.1", "", ["bash"], False, []),
    ]  # fmt: skip
    assert world.closed_for == [5]
    said = capfd.readouterr()
    assert said.out == "Welcome to slot1@vm.example.net!\nYour condor job is running with pid(s) 11 12.\n"
    assert said.err == ""


def test_a_command_is_not_welcomed_and_a_terminal_is_taken_leave_of(
    world: World, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "vt100")
    world.starter, world.has_terminal, world.code = [say.Opened(5)], True, 0
    assert world.attach(command="date") == 0
    assert world.asked[1:] == [say.Open("7.1", "date", [], True, [["TERM", "vt100"]])]
    assert capfd.readouterr() == ("", "Connection to condor-job.vm.example.net closed.\n")


def test_time_limits_and_jobs_without_processes_are_told(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    world.starter[0] = say.Facts("slot1@vm", [], "600")
    world.attach()
    assert capfd.readouterr().out == ("Welcome to slot1@vm!\nYou will be logged out after 600 seconds of inactivity.\n")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, []),
        ({"DISPLAY": ":1", "XAUTHORITY": "/x"}, [["DISPLAY", ":1"], ["XAUTHORITY", "/x"]]),
        ({"DISPLAY": ":1"}, [["DISPLAY", ":1"], ["XAUTHORITY", "/home/ann/.Xauthority"]]),
        ({"TERM": "vt100"}, []),
    ],
)
def test_the_display_is_handed_on_where_that_is_wished(
    world: World, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], told: list[list[str]]
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    world.attach(display=True)
    assert world.asked[-1].variables == told
    world.schedd, world.starter = [FOUND], [FACTS, say.Opened(5)]
    world.attach()
    assert world.asked[-1].variables == []


@pytest.mark.parametrize("remove", [True, False])
def test_a_session_that_is_lost(world: World, capfd: pytest.CaptureFixture[str], remove: bool) -> None:
    world.starter, world.code = [say.Opened(5)], None
    assert world.attach(command="date", remove=remove) == 255
    lost = "Connection to condor-job.vm.example.net closed by remote host.\n"
    assert capfd.readouterr().err == lost + ("Job 7.0 marked for removal\n" if remove else "")
    assert world.removed == ([("The session of job 7.0 ended", (JOB,))] if remove else [])


def test_a_session_that_ends_by_itself_leaves_the_job(world: World) -> None:
    assert world.attach(remove=True) == 3
    assert world.removed == []


@pytest.mark.parametrize("answer", [say.NotNow("Job 7.0 is held"), Refused("Job 7.0 is held")])
def test_a_job_that_has_no_session_says_why(world: World, answer: object) -> None:
    world.schedd = [answer]
    with pytest.raises(CondorError, match=r"^Job 7\.0 is held$"):
        world.attach(retry=True)
    world.schedd, world.starter = [FOUND], [answer]
    with pytest.raises(CondorError, match=r"^Job 7\.0 is held$"):
        world.attach(retry=True)


def test_a_job_that_may_have_one_later(world: World) -> None:
    later = say.NotNow("Job 7.0 is idle", retry=True)
    world.schedd = [later]
    with pytest.raises(CondorError) as caught:
        world.attach()
    assert str(caught.value) == "Job 7.0 is idle\n(Use -auto-retry to keep trying periodically.)"
    world.schedd, world.starter = [FOUND], []
    with pytest.raises(CondorError) as caught:
        world.attach()
    assert str(caught.value) == (
        "The starter of job 7.0 cannot be reached: nobody is there\n(Use -auto-retry to keep trying periodically.)"
    )


def test_waiting_is_told_once(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    world.schedd = [say.NotNow("idle", retry=True), say.Waiting(), say.Waiting(), FOUND, "nobody", FOUND]
    world.starter = [WireError("gone"), FACTS, say.Opened(5)]
    assert world.attach(retry=True) == 3
    assert capfd.readouterr().err == "Waiting for job to start...\n"
    assert [one for one in world.asked if isinstance(one, say.Locate)] == [say.Locate(JOB, True, -1)] * 3


def test_progress_is_told_where_that_is_wished(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    world.schedd = [say.NotNow("idle", retry=True), FOUND]
    world.attach(retry=True, debug=True)
    assert capfd.readouterr().err == (
        "Waiting for job to start...\ncondor_ssh_to_job: idle\n"
        "condor_ssh_to_job: job 7.0 is in slot1@vm.example.net, its starter at /run/starter\n"
    )


def test_a_pool_without_a_schedd(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.cli.idle_pool.with_remedy", lambda text, pool: f"{text}: start it")
    world.schedd = ["nobody"]
    with pytest.raises(CondorError) as caught:
        world.attach(retry=True)
    assert str(caught.value) == ("ERROR: Can't find address of local schedd: condor_schedd is not running: start it")


def test_a_signal_removes_the_job_where_that_is_wished(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    world.serve = lambda client, wakeup: os.kill(os.getpid(), 15)  # type: ignore[method-assign, assignment, return-value]
    assert world.attach(remove=True) == 1
    assert world.removed == [("The session of job 7.0 ended", (JOB,))]
    assert capfd.readouterr().err == (
        "Interrupted by signal 15 (SIGTERM), removing job 7.0...\nJob 7.0 marked for removal\n"
    )
