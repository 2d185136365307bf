"""The life of a container with a simulated engine and client: signals, looks, sessions, its end and what is made of
that. The same with a real engine is in test_executors.py."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from apart import apart

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import docker, trees
from condor_py.machine.run.docker import DockerExecutor, Within, container_name
from condor_py.machine.run.dockerclient import Client, start_client
from condor_py.machine.run.engine import Answer, Engine, one_line, remove_left, remove_orphans
from condor_py.machine.run.process import Streams
from condor_py.machine.run.session import MARK, SessionPlace, SessionRequest
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import VacateCode

NAME = "HTCJob7_3_slot1_PID9"


@dataclass
class Used:
    """The usage of a container."""

    processes: int = 0
    user_cpu: float = 0.0
    sys_cpu: float = 0.0
    rss_kb: int = 0
    image_kb: int = 0
    received: int = -1
    sent: int = -1


@dataclass
class Watch:
    """A container as its control group shows it."""

    pid: int = 0
    left: bool = False
    used: Used = field(default_factory=Used)
    asked: list[int] = field(default_factory=list)

    def first(self) -> int:
        return self.pid

    def abandoned(self, pid: int) -> bool:
        return self.left

    def usage(self, pid: int) -> Used:
        self.asked.append(pid)
        return self.used


@dataclass
class MadeClient:
    """The client of an engine; ``end`` is what waiting for it gives."""

    has_made: bool = True
    container: str = "abc123"
    complaint: str = ""
    last_words: str = ""
    pid: int = 0
    closed: int = 0

    def close(self) -> None:
        self.closed += 1


class TalkingEngine:
    """An engine that notes what it is asked; ``fails`` are the commands that it refuses."""

    argv = ("/bin/engine",)

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.fails: set[str] = set()
        self.states: list[dict[str, Any] | None] = []
        self.outside: dict[int, int] = {}
        self.environment: dict[str, str] = {"PATH": "/bin"}

    def ask(self, *words: str, patience: float = 0.0) -> Answer:
        self.asked.append(words)
        return Answer(1, "", "it is\nbusy") if words[0] in self.fails else Answer(0, "", "")

    def remove(self, name: str) -> Answer:
        return self.ask("rm", name)

    def state(self, name: str) -> dict[str, Any] | None:
        self.asked.append(("state", name))
        if not self.states:
            return None
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def ports(self, name: str) -> dict[int, int]:
        self.asked.append(("ports", name))
        return self.outside


class World:
    """An executor whose container runs."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, ad: dict[str, object] | None = None) -> None:
        self.said: list[str] = []
        self.sent: list[tuple[tuple[int, ...], int]] = []
        self.engine, self.client, self.watch = TalkingEngine(), MadeClient(), Watch()
        self.family = JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd())
        monkeypatch.setattr(self.family, "container", self._container)
        monkeypatch.setattr(self.family, "send", lambda pids, number: self.sent.append((tuple(pids), number)))
        self.watched: list[str] = []
        settings = DockerSettings("engine", trusts_local_images=True)
        self.run = DockerExecutor(
            settings,
            self.family,
            Within(ClassAd({"Memory": 100})),
            ClassAd({"DockerImage": "small", "User": "ann@here", **(ad or {})}),
            self.said.append,
        )
        self.run._engine = cast(Engine, self.engine)
        self.run._name, self.run._client, self.run._running = NAME, cast(Client, self.client), True
        self.run._notice = str(top / "oom")
        self.oom = top / "oom"

    def _container(self, name: str) -> Watch:
        self.watched.append(name)
        return self.watch

    def over(self, monkeypatch: pytest.MonkeyPatch, *states: dict[str, Any] | None, **ending: Any) -> docker.Ending:
        """The end of the client and the states of the container that the engine tells."""
        ended = replace(docker.Ending(0, None, False, 0.0, 0.0, 0), **ending)
        monkeypatch.setattr(docker, "collect", lambda client: ended)
        self.engine.states = list(states)
        return self.run.collect()

    def judged(self, **attributes: Any) -> ExitReport:
        return self.run.judge(ExitReport("claim", "7.3", 1).but(**attributes))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_the_name_of_a_container_has_no_odd_letters() -> None:
    assert container_name("7.3", "slot1_2@here.net", 9) == "HTCJob7_3_slot1_2_PID9"
    assert container_name("7.3", "a/b c-d.e@here", 9) == "HTCJob7_3_a_b_c-d.e_PID9"


# ---- signals ------------------------------------------------------------------------------------------------


def test_signals_go_to_the_container(world: World) -> None:
    world.run.signal(15)
    world.run.signal(0)
    world.run.kill()
    assert world.engine.asked == [("kill", "--signal", "15", NAME), ("kill", "--signal", "9", NAME)]


def test_what_is_over_takes_no_signal(world: World) -> None:
    world.run._running = False
    world.run.signal(15)
    world.run.kill()
    assert world.engine.asked == []


@pytest.mark.parametrize(
    ("state", "removed"),
    [({"Status": "exited"}, False), ({"Status": "stopped"}, False), ({"Status": "created"}, True), (None, True)],
)
@pytest.mark.parametrize("number", [15, 9])
def test_a_container_that_takes_no_signal_is_removed_unless_it_has_just_ended(
    world: World, state: dict[str, Any] | None, removed: bool, number: int
) -> None:
    world.engine.fails.add("kill")
    world.engine.states = [state]
    if number == 9:
        world.run.kill()
    else:
        world.run.signal(number)
    assert world.said == [f"/bin/engine kill {NAME}: it is busy"]
    assert (("rm", NAME) in world.engine.asked) == removed


@apart
def test_a_container_that_is_being_made_is_not_made(tmp_path: Path) -> None:
    """The client and what it has started are killed, and what they have made meanwhile is removed."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for kills in (True, False):
            world = World(tmp_path, monkeypatch)
            world.client.has_made = False
            child = subprocess.Popen(["/bin/sh", "-c", "sleep 1000 & wait"], start_new_session=True)
            world.run.pid = child.pid
            if kills:
                world.run.kill()
            else:
                world.run.signal(15)
            assert child.wait() == -signal.SIGKILL
            assert [words for words in world.engine.asked if words[0] != "state"] == [("rm", NAME)]


def test_a_container_freezes_and_thaws(world: World) -> None:
    """How many processes that are, at least one: it succeeded."""
    assert (world.run.suspend(), world.run.resume()) == (1, 1)
    world.watch.used.processes = 3
    world.run._last = None
    assert (world.run.suspend(), world.run.resume()) == (3, 3)
    assert {words for words in world.engine.asked if words[0] != "state"} == {("pause", NAME), ("unpause", NAME)}
    world.engine.fails |= {"pause", "unpause"}
    assert (world.run.suspend(), world.run.resume()) == (0, 0)
    assert world.said == [f"/bin/engine {verb} {NAME}: it is busy" for verb in ("pause", "unpause")]


# ---- looks --------------------------------------------------------------------------------------------------


def test_the_first_process_is_found_in_the_control_group(world: World) -> None:
    world.watch.pid = 77
    world.watch.used = Used(processes=2, received=10, sent=20)
    assert world.run.traffic == (-1, -1), "nothing is known yet"
    assert world.run.usage().processes == 2
    assert (world.run.traffic, world.watch.asked, world.watched) == ((10, 20), [77], ["abc123"])
    assert world.run.ready
    world.run.usage()
    assert world.watched == ["abc123"], "it is found once"
    assert world.engine.asked == [], "and the engine is not asked"


def test_the_last_use_stays_known(world: World) -> None:
    world.watch.used = Used(processes=2, received=10)
    world.run.usage()
    world.watch.used = Used(processes=0)
    assert world.run.usage().received == 10
    assert world.run.traffic == (10, -1)
    world.watch.used = Used(processes=1, received=11)
    assert world.run.usage().received == 11


def test_an_engine_is_asked_for_the_first_process_after_a_while(world: World) -> None:
    world.engine.states = [{"Pid": 55}]
    world.run._begun = time.monotonic() + 3600  # as if no time could pass
    world.run.usage()
    assert (world.engine.asked, world.watch.asked) == ([], [0]), "it is busy with starting the container"
    world.run._begun = time.monotonic() - 1
    world.run.usage()
    assert (world.engine.asked, world.watch.asked) == ([("state", NAME)], [0, 55])
    for state in (None, {}, {"Pid": None}, {"Pid": 0}):
        world.run._root_pid = 0
        world.engine.states = [state]
        world.run.usage()
        assert world.watch.asked[-1] == 0


def test_nothing_is_looked_for_before_there_is_a_container(world: World) -> None:
    world.client.has_made = False
    world.watch.pid = 77
    world.run.usage()
    assert (world.watched, world.watch.asked) == ([""], [0])
    world.client.has_made = True
    world.run.usage()
    assert (world.watched, world.watch.asked) == (["", "abc123"], [0, 77])


@pytest.mark.promise("S66")
def test_directories_are_compared_when_the_first_process_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    monkeypatch.setattr(world.run, "_check_directories", lambda: looks.append(world.run._root_pid))
    world.watch.pid = 77
    for _ in range(3):
        world.run.usage()
    assert looks == [77], "once"


def test_a_container_that_is_over_is_not_looked_for(world: World) -> None:
    world.watch.pid, world.run._running = 77, False
    world.run.usage()
    assert world.watch.asked == [0]


def test_a_container_that_its_engine_has_left_is_given_up(world: World) -> None:
    world.watch.pid, world.run.pid = 77, 66
    world.run.usage()
    assert world.sent == []
    world.watch.left = True
    world.run.usage()
    assert world.sent == [((77, 66), signal.SIGKILL)]
    assert world.said == [f"The engine's program that kept container {NAME} is gone: the container is removed"]
    world.run._running = False
    world.run.usage()
    assert len(world.sent) == 1


def test_the_state_of_a_container_tells_whether_sessions_may_come(world: World) -> None:
    world.engine.states = [{"Running": True}]
    assert world.run.ready
    world.client.has_made = False
    assert not world.run.ready
    world.run._root_pid = 7
    assert world.run.ready


def test_the_services_of_a_container_are_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ad = {"ContainerServiceNames": "www, ssh", "www_ContainerPort": 80, "ssh_ContainerPort": 22}
    world = World(tmp_path, monkeypatch, ad)
    assert world.run.news() == {}
    assert world.engine.asked == [], "before the container runs nothing is known"
    world.run._root_pid = 7
    assert world.run.news() == {}
    world.engine.outside = {80: 49153, 99: 1}
    assert world.run.news() == {"www_HostPort": "49153"}
    assert world.engine.asked == [("ports", NAME)] * 2
    world.run.news()
    assert len(world.engine.asked) == 2
    world.run._running = False
    assert world.run.news() == {"www_HostPort": "undefined"}
    assert world.run.news() == {}


def test_a_container_without_services_has_no_news(world: World) -> None:
    world.run._root_pid = 7
    assert world.run.news() == {}
    assert world.engine.asked == []


def test_the_engine_sees_to_the_limits(world: World) -> None:
    assert not world.run.over_limit()
    assert world.run.uncounted((1.0, 2.0)) == (0.0, 0.0)
    assert world.run.counts_ended


# ---- sessions -----------------------------------------------------------------------------------------------


@apart
def test_a_session_is_a_client_of_the_engine(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        world = World(tmp_path, monkeypatch)
        world.engine.argv = ("/bin/echo",)
        place = SessionPlace("/in/side", {"OF": "job"}, (7,), "slot1@here", "9.1")
        out = tmp_path / "out"

        def words(request: SessionRequest, stdin: int = -1) -> str:
            with out.open("w") as file:
                null = os.open(os.devnull, os.O_RDWR)
                streams = Streams(null if stdin < 0 else stdin, file.fileno(), file.fileno())
                child = world.run.enter(request, place, streams, None)
            child.wait()
            return out.read_text()

        variables = f"--env TERM=vt --env _CONDOR_SLOT_NAME=slot1@here --env {MARK}=9.1 --workdir /in/side {NAME}"
        request = SessionRequest("ls *", ("bash",), False, (("TERM", "vt"),))
        assert words(request) == f"exec --interactive {variables} /bin/sh -c ls *\n"
        login = SessionRequest("", ("zsh", "sh"), True, (("TERM", "vt"),))
        master, slave = os.openpty()
        found = words(login, slave)
        os.close(master)
        assert found.startswith(f"exec --interactive --tty {variables} /bin/sh -c ")
        assert found.endswith(" sh zsh sh\n")
        with pytest.raises(OSError, match="no tool daemon"):
            world.run.enter(SessionRequest("", (), False, words=("gdb",)), place, Streams(0, 1, 2), None)
        world.run.admit()
        world.run.dismiss()


# ---- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "code", "number"),
    [(0, 0, None), (3, 3, None), (128, 128, None), (129, None, 1), (137, None, 9), (255, 255, None), (254, None, 126)],
)
def test_the_end_of_a_container_is_what_its_engine_tells(
    world: World, monkeypatch: pytest.MonkeyPatch, told: int, code: int | None, number: int | None
) -> None:
    ending = world.over(monkeypatch, {"ExitCode": told, "Status": "exited"}, exit_code=5)
    world.run.signal(15)
    assert ("kill", "--signal", "15", NAME) not in world.engine.asked, "it is over"
    assert (ending.exit_code, ending.exit_signal, ending.core_dumped) == (code, number, number is not None)
    assert not world.run.refused
    report = ExitReport("claim", "7.3", 1)
    assert world.run.judge(report) == report


def test_a_client_tells_the_end_that_its_engine_does_not_know(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.over(monkeypatch, {}, exit_code=130).exit_signal == 2
    assert world.over(monkeypatch, None, exit_code=4).exit_code == 4
    killed = world.over(monkeypatch, {}, exit_code=None, exit_signal=9)
    assert (killed.exit_code, killed.exit_signal) == (None, 9)


def test_the_use_of_a_container_that_is_over(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ending = world.over(monkeypatch, {"ExitCode": 0})
    assert (ending.user_cpu, ending.sys_cpu, ending.max_rss_kb) == (0.0, 0.0, 0)
    world.watch.used = Used(processes=1, user_cpu=1.5, sys_cpu=0.5, rss_kb=300)
    world.run.usage()
    ending = world.over(monkeypatch, {"ExitCode": 0})
    assert (ending.user_cpu, ending.sys_cpu, ending.max_rss_kb) == (1.5, 0.5, 300)


def test_the_engine_is_waited_for_until_it_knows_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    running = {"Running": True}
    assert world.over(monkeypatch, running, running, {"Running": False, "ExitCode": 3}).exit_code == 3
    assert world.engine.asked == [
        ("state", NAME), ("wait", NAME), ("state", NAME), ("wait", NAME), ("state", NAME),
    ]  # fmt: skip
    assert world.said == []


def test_an_engine_that_never_knows_the_end_is_not_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker, "_SETTLING", 0.0)
    world.over(monkeypatch, {"Running": True, "ExitCode": 0}, exit_code=0)
    assert world.said == [f"The client of container {NAME} has ended, and the container has not"]
    assert world.run.refused
    report = world.judged()
    assert (report.error, report.vacate_code) == ("Cannot inspect exited container", VacateCode.CONTAINER_ERROR)
    assert world.judged(error="no disk").error == "no disk"


def test_a_client_that_was_killed_is_not_the_end_of_its_container(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.over(monkeypatch, {"Running": True}, exit_code=None, exit_signal=9)
    assert world.engine.asked == [("state", NAME)], "nothing is waited for"
    assert world.run.refused


def test_a_container_that_was_not_made_holds_its_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.client.has_made = False
    world.client.complaint = "Error: no\nsuch thing"
    world.over(monkeypatch, {"ExitCode": 0}, exit_code=125)
    assert world.engine.asked == []
    assert world.run.refused
    report = world.judged()
    assert (report.hold_code, report.hold_subcode, report.hold_reason) == (35, 0, "Error: no such thing")
    world.client.complaint = ""
    world.over(monkeypatch, exit_code=125)
    assert world.judged().hold_reason == "The container was not made"
    for known in ({"hold_code": 6}, {"vacated": True}):
        assert world.judged(**known).hold_reason == ""


def test_a_container_whose_making_was_killed_is_no_fault_of_its_job(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.client.has_made = False
    world.client.complaint = "half a"
    world.over(monkeypatch, exit_code=None, exit_signal=9)
    report = world.judged()
    assert (report.hold_code, report.vacate_code) == (0, VacateCode.CONTAINER_ERROR)
    assert report.error == "The engine was killed as it made the container"
    world.over(monkeypatch, exit_code=None, exit_signal=15)
    assert world.judged().hold_reason == "half a"


@pytest.mark.parametrize(
    ("words", "reason"),
    [("Error: runc cannot\n", "runc cannot"), ("", "the engine did not start its container"), ("odd", "odd")],
)
def test_a_container_that_was_only_made_holds_its_job(
    world: World, monkeypatch: pytest.MonkeyPatch, words: str, reason: str
) -> None:
    world.client.last_words = words
    world.over(monkeypatch, {"Status": "created", "ExitCode": 0}, exit_code=127)
    report = world.judged()
    assert (report.hold_code, report.hold_subcode) == (6, 0)
    assert report.hold_reason == f"Error running docker job: {reason}"


def test_the_error_of_the_engine_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.client.last_words = "later"
    world.over(monkeypatch, {"Status": "created", "Error": "no such\nfile"}, exit_code=127)
    assert world.judged().hold_reason == "Error running docker job: no such file"


def test_a_container_that_took_too_much_memory_holds_its_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for oom, told in ((True, {"ExitCode": 137}), (False, {"ExitCode": 137, "OOMKilled": True})):
        if oom:
            world.oom.touch()
        world.over(monkeypatch, told)
        report = world.judged()
        assert (report.hold_code, report.hold_subcode) == (34, 102)
        assert report.hold_reason == "Docker job has gone over memory limit of 100 Mb"
        world.oom.unlink(missing_ok=True)
    world.over(monkeypatch, {"ExitCode": 137, "OOMKilled": False})
    assert not world.run.refused


def test_a_directory_inside_that_became_another_one_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.run._directories = {"/iwd": (1, 2), "/tmp": (1, 3)}
    world.over(monkeypatch, {"ExitCode": 137})
    for path, what in (("/iwd", "initial working directory"), ("/tmp", "directory")):
        world.run._swapped = path
        report = world.judged()
        assert (report.hold_code, report.hold_subcode) == (14, 0)
        assert report.hold_reason == f"Cannot access {what} {path}: it became another one"


def test_nothing_is_refused_before_the_end(world: World) -> None:
    assert not world.run.refused
    report = ExitReport("claim", "7.3", 1)
    assert world.run.judge(report) is report


def test_a_container_is_removed_with_the_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.over(monkeypatch, {"ExitCode": 0})
    world.engine.asked.clear()
    world.run.close()
    world.run.close()
    assert world.engine.asked == [("rm", NAME)], "once"
    assert world.client.closed == 1


def test_a_container_that_cannot_be_removed_is_removed_later(world: World) -> None:
    world.engine.fails.add("rm")
    world.engine.states = [{"Status": "exited"}]
    world.run.close()
    assert world.said == [f"/bin/engine rm {NAME}: it is busy"]
    world.engine.states = [None]
    world.run.close()
    world.run.close()
    removals = [words for words in world.engine.asked if words[0] == "rm"]
    assert (len(removals), len(world.said)) == (2, 1), "the engine does not know it any more: that will do"


@apart
def test_an_image_was_in_use_until_the_end(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        marks: list[tuple[str, str]] = []
        for trusts, state in ((False, {"ExitCode": 0}), (False, {}), (True, {"ExitCode": 0})):
            world = World(tmp_path, monkeypatch, {"User": f"ann@{len(state)}"})
            world.run._settings = DockerSettings("engine", trusts_local_images=trusts)
            monkeypatch.setattr(world.run._images, "mark", lambda *words: marks.append(words))
            world.over(monkeypatch, state)
            world.run.end()
            assert ("rm", NAME) in world.engine.asked
            world.run.end()
        assert marks == [("small:latest", "ann@1")], "only what was brought for a user, and ran"


# ---- the client ---------------------------------------------------------------------------------------------

CLIENT = """\
#!/bin/sh
case $1 in
    create) [ -e made ] || { echo no room >&2; exit 4; }; echo pulling; cat made ;;
    start) echo out; echo err >&2; exit 7 ;;
    die) kill -9 $$ ;;
esac
"""


def client(top: Path, *create: str) -> tuple[Client, int]:
    """A client that has ended, and its status."""
    program = top / "engine"
    program.write_text(CLIENT)
    program.chmod(0o755)
    null = os.open(os.devnull, os.O_RDWR)
    with (top / "out").open("w") as stdout, (top / "err").open("w") as stderr:
        streams = Streams(null, stdout.fileno(), stderr.fileno())
        made = start_client(create, (str(program), "start"), {"PATH": "/bin:/usr/bin"}, streams, str(top))
    os.close(null)
    return made, os.waitstatus_to_exitcode(os.waitpid(made.pid, 0)[1])


def test_a_client_tells_the_id_of_its_container(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("abc123\n")
    made, code = client(tmp_path, str(tmp_path / "engine"), "create")
    assert (code, made.has_made, made.container) == (7, True, "abc123")
    assert ((tmp_path / "out").read_text(), (tmp_path / "err").read_text()) == ("out\n", "err\n")
    assert (made.last_words, made.errors) == ("err\n", str(tmp_path / "err"))
    made.close()
    assert made.said == -1
    made.close()


def test_an_id_that_is_none_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("not/an/id\n")
    made, code = client(tmp_path, str(tmp_path / "engine"), "create")
    assert (code, made.has_made, made.container) == (7, True, "")
    made.close()


def test_a_client_keeps_why_there_is_no_container(tmp_path: Path) -> None:
    made, code = client(tmp_path, str(tmp_path / "engine"), "create")
    assert (code, made.has_made, made.container, made.complaint) == (125, False, "", "no room\n")
    assert (tmp_path / "err").read_text() == "", "what the engine says is not the job's"
    made.close()


def test_a_client_ends_as_the_engine_did_that_was_killed(tmp_path: Path) -> None:
    made, code = client(tmp_path, str(tmp_path / "engine"), "die")
    assert (code, made.has_made) == (-signal.SIGKILL, False)
    made.close()


def test_a_client_whose_engine_is_gone_says_so(tmp_path: Path) -> None:
    made, code = client(tmp_path, "/no/engine", "create")
    assert (code, made.complaint) == (125, "No such file or directory: /no/engine")
    made.close()


def test_a_client_that_cannot_be_forked_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fails)
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    with pytest.raises(BlockingIOError):
        start_client(("/bin/true",), ("/bin/true",), {}, Streams(0, 1, 2), str(tmp_path))
    assert os.listdir("/proc/self/fd") == before


def test_a_client_starts_whose_standard_error_has_a_longer_path_than_the_kernel_tells(tmp_path: Path) -> None:
    """Links may lead there. A client that is forked and not known would run its container unnoticed."""
    directory = os.open(tmp_path, os.O_PATH)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=directory)
        inner = os.open("d" * 250, os.O_PATH, dir_fd=directory)
        os.close(directory)
        directory = inner
    errors = os.open("err", os.O_WRONLY | os.O_CREAT, dir_fd=directory)
    with pytest.raises(OSError, match="File name too long"):
        os.readlink(f"/proc/self/fd/{errors}")
    null = os.open(os.devnull, os.O_RDWR)
    made = start_client(("/bin/true",), ("/bin/true",), {}, Streams(null, null, errors), str(tmp_path))
    assert os.waitpid(made.pid, 0)[1] == 0
    assert (made.has_made, made.errors, made.last_words) == (True, "", "")
    made.close()
    for descriptor in (null, errors, directory):
        os.close(descriptor)
    trees.remove(str(tmp_path / ("d" * 250)))


def test_the_last_lines_of_a_client_are_its_words(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("abc123\n")
    made, _ = client(tmp_path, str(tmp_path / "engine"), "create")
    (tmp_path / "err").write_bytes(b"1\n2\n\xff3\n4\n5")
    assert made.last_words == "\ufffd3\n4\n5"
    (tmp_path / "err").unlink()
    assert made.last_words == ""
    made.close()


# ---- the engine ---------------------------------------------------------------------------------------------


def engine_that(top: Path, script: str) -> str:
    program = top / "docker"
    program.write_text(f"#!/bin/sh\ntop={top}\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_an_engine_gets_few_of_our_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONFIG", "CONTAINER_HOST", "TMPDIR")
    for name in (*names, "LD_PRELOAD_NOT", "SECRET"):
        monkeypatch.setenv(name, f"of {name}")
    monkeypatch.delenv("PATH")
    engine = Engine("/bin/engine")
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert engine.environment == {"PATH": path, **{name: f"of {name}" for name in names}}
    monkeypatch.setenv("PATH", "/own")
    assert Engine("/bin/engine").environment["PATH"] == "/own"


def test_an_engine_may_be_run_with_sudo(tmp_path: Path) -> None:
    assert Engine("sudo /usr/bin/docker").argv == ("/usr/bin/sudo", "/usr/bin/docker")
    assert Engine("/opt/my engine").argv == ("/opt/my engine",)
    assert not Engine("sudo /no/docker").is_there()
    assert not Engine("/no/docker").is_there()
    assert Engine(engine_that(tmp_path, "")).is_there()


def test_the_answer_of_an_engine(tmp_path: Path) -> None:
    engine = Engine(engine_that(tmp_path, 'printf "out\\377"; printf "err\\377" >&2; pwd; exit 3'))
    answer = engine.ask("ps")
    assert (answer.code, answer.out, answer.err) == (3, "out\ufffd/\n", "err\ufffd")
    assert answer.line == "err\ufffd"
    assert Answer(1, "only\n out", "").line == "only out"
    assert len(one_line("x" * 1000)) == 511


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ('{"Running": true}', {"Running": True}), ("[1]", None), ("null", None), ("no json", None), ("", None),
        ('{"a": 1}; exit 1', None),
    ],
)  # fmt: skip
def test_the_state_of_a_container(tmp_path: Path, said: str, state: dict[str, Any] | None) -> None:
    said, _, fate = said.partition("; ")
    engine = Engine(engine_that(tmp_path, f"echo \"$*\" >$top/calls; printf '%s' '{said}'; {fate or ':'}"))
    assert engine.state("name") == state
    assert (tmp_path / "calls").read_text() == "inspect --type container --format {{json .State}} name\n"


def test_the_ports_of_a_container(tmp_path: Path) -> None:
    doors = (
        '{"80/tcp": [{"HostPort": "49153"}], "22/tcp": null, "x/tcp": [{"HostPort": "1"}], "23/tcp": [{}], '
        '"24/tcp": [{"HostPort": "odd"}], "25/udp": [{"HostPort": "1"}, {"HostPort": "2"}], "26/tcp": []}'
    )
    engine = Engine(engine_that(tmp_path, f"echo \"$*\" >$top/calls; printf '%s' '{doors}'"))
    assert engine.ports("name") == {80: 49153, 25: 2}
    asked = "inspect --type container --format {{json .NetworkSettings.Ports}} name\n"
    assert (tmp_path / "calls").read_text() == asked
    assert Engine(engine_that(tmp_path, "exit 1")).ports("name") == {}


def test_containers_that_dead_starters_left_are_removed(tmp_path: Path) -> None:
    script = '[ "$3" = --external ] && exit 125; echo "$*" >>$top/calls; [ "$1" = ps ] && printf "one\\ntwo\\n"; :'
    command = engine_that(tmp_path, script)
    assert remove_left(command, "/execute") == ["one", "two"]
    ours = "ps --all --filter label=org.htcondorproject=True --filter label=condor_py.execute=/execute"
    removals = ["kill one", "rm -f -v one", "kill two", "rm -f -v two"]
    assert (tmp_path / "calls").read_text().splitlines() == [f"{ours} --format {{{{.ID}}}}", *removals]
    (tmp_path / "calls").unlink()
    assert remove_left(command, "/execute", 12) == ["one", "two"]
    wanted = f"{ours} --filter name=_PID12$ --format {{{{.ID}}}}"
    assert (tmp_path / "calls").read_text().splitlines() == [wanted, *removals]
    (tmp_path / "calls").unlink()
    remove_orphans(command, ["/execute", "/other"], 1)
    other = ours.replace("/execute", "/other")
    shown = "--format {{.ID}} {{.Names}}"
    assert (tmp_path / "calls").read_text().splitlines() == [f"{ours} {shown}", f"{other} {shown}"]
    assert remove_left(engine_that(tmp_path, "echo one; exit 1"), "/execute") == []


def test_what_podman_had_not_finished_for_a_dead_starter_is_removed(tmp_path: Path) -> None:
    """It has no labels, and other pools may have the same."""
    alive, *dead = [f"HTCJob1_{proc}_slot1_PID{pid}" for proc, pid in enumerate((os.getppid(), 4194305, 4194307))]
    unfinished = f"{alive}\\n{dead[0]}\\n{dead[1]}\\nsomebodys_PID4194305\\n"
    script = (
        f'echo "$*" >>$top/calls; [ "$1" = ps ] || exit 0; [ "$3" != --external ] || printf "{unfinished}"; '
        '[ "$3" = --filter ] || printf "HTCJob1_2_slot1_PID4194306\\n"'
    )
    command = engine_that(tmp_path, script)
    assert remove_left(command, "/execute") == dead
    assert f"rm -f -v {dead[0]}" in (tmp_path / "calls").read_text().splitlines()
    assert remove_left(command, "/execute", 4194307) == dead[1:]
