"""What runs beside the program of a job: sessions and tool daemons, and the executor that starts them. Programs are not
started here but described: test_session.py and test_executors.py start them."""

from __future__ import annotations

import errno
import gc
import os
import resource
import signal
import stat
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import processes, session, tooldaemon
from condor_py.machine.run.executor import Execution, Executor
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import ToolDaemon, read_job
from condor_py.machine.run.namespaces import Namespaces
from condor_py.machine.run.process import StartError, Streams, Within
from condor_py.machine.run.processes import Cover, ProcessExecutor
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.session import (
    MARK,
    SessionPlace,
    SessionRequest,
    command_line,
    limits_of,
    niceness_of,
    session_environment,
    start_inside,
    start_session,
)
from condor_py.machine.run.spawning import Launch
from condor_py.model.report import ExitReport

ANN = Account("ann", 2001, 2002, "/home/ann", (2002,))
PLACE = SessionPlace("/job", {"OF": "job", "DISPLAY": ":0"}, (7, 8), "slot1@here", "9.1")
STREAMS = Streams(10, 11, 12)


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Launch, tuple[int, int, int]]]:
    """What sessions would have started."""
    found: list[tuple[Launch, tuple[int, int, int]]] = []

    def start(launch: Launch, *streams: int) -> str:
        found.append((launch, cast(Any, streams)))
        return "session"

    monkeypatch.setattr(session, "start", start)
    return found


# ---- sessions -----------------------------------------------------------------------------------------------


def test_the_environment_of_a_session() -> None:
    request = SessionRequest("", (), True, (("TERM", "vt"), ("MINE", "1")))
    assert session_environment(PLACE, request, "/bin/zsh", ANN) == {
        "OF": "job", "PATH": "/usr/local/bin:/usr/bin:/bin", "SHELL": "/bin/zsh", "USER": "ann", "LOGNAME": "ann",
        "HOME": "/home/ann", "TERM": "vt", "MINE": "1", "_CONDOR_SLOT_NAME": "slot1@here", "_CONDOR_JOB_PIDS": "7 8",
        MARK: "9.1",
    }  # fmt: skip
    own = PLACE._replace(environment={"PATH": "/own", "HOME": "/own/home", "USER": "x"})
    found = session_environment(own, request._replace(variables=(("DISPLAY", ":9"),)), "/bin/sh", ANN)
    assert (found["PATH"], found["HOME"], found["USER"], found["DISPLAY"]) == ("/own", "/own/home", "ann", ":9")


@pytest.mark.parametrize(
    ("owner", "ours", "path"),
    [
        (None, 0, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        (None, 5, "/usr/local/bin:/usr/bin:/bin"),
        (ANN, 0, "/usr/local/bin:/usr/bin:/bin"),
        (Account("root", 0, 0, "/root", ()), 5, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ],
)
def test_root_finds_more_programs(monkeypatch: pytest.MonkeyPatch, owner: Account | None, ours: int, path: str) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ours)
    found = session_environment(PLACE, SessionRequest("", (), False), "/bin/sh", owner)
    assert found["PATH"] == path
    assert ("USER" in found) == (owner is not None)


def test_the_command_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command_line(SessionRequest("", (), True), "/bin/zsh") == ("/bin/zsh", ["-zsh"])
    assert command_line(SessionRequest("", (), False, words=("gdb", "-p")), "/bin/zsh") == ("gdb", ["gdb", "-p"])
    for bash, shell in ((True, "/bin/bash"), (False, "/bin/sh")):
        monkeypatch.setattr(os, "access", lambda path, mode, bash=bash: bash)
        assert command_line(SessionRequest("ls *", (), True), "/bin/zsh") == (shell, [shell, "-c", "ls *"])


def test_a_session_is_started_in_the_directory_of_the_job(launches: list[Any]) -> None:
    called: list[str] = []
    request = SessionRequest("true", ("/bin/sh",), False)
    assert start_session(request, PLACE, STREAMS, None, lambda: called.append("prepared")) == "session"  # type: ignore[comparison-overlap]
    launch, streams = launches[0]
    assert (launch.directory, launch.umask, streams) == ("/job", 0o022, (10, 11, 12))
    assert launch.argv[1:] == ["-c", "true"]
    assert launch.environment[MARK] == "9.1"
    launch.enter()
    assert called == ["prepared"]
    tool = SessionRequest("", (), False, words=("/t/gdb", "-p"))
    start_session(tool, PLACE, STREAMS, ANN, lambda: None)
    launch, _ = launches[1]
    assert (launch.program, launch.argv, launch.environment) == ("/t/gdb", ["/t/gdb", "-p"], PLACE.environment)
    assert launch.user is ANN


def test_a_terminal_is_taken_before_the_rights_are_given_up(
    launches: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []
    monkeypatch.setattr(session.fcntl, "ioctl", lambda *words: done.append(words))
    for number, start in enumerate((
        lambda request: start_session(request, PLACE, STREAMS, None, lambda: done.append("prepared")),
        lambda request: start_inside(request, PLACE, STREAMS, None, os.getpid(), lambda: done.append("prepared")),
    )):  # fmt: skip
        for terminal in (True, False):
            start(SessionRequest("true", ("/bin/sh",), terminal))
            launches[-1][0].enter()
        assert done == [(0, 0x540E, 0), "prepared", "prepared"], number
        done.clear()


def test_a_session_of_others_is_entered_by_a_program(launches: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_ways_in", lambda pid: ["--user", "--net"])
    begin = ["/usr/bin/nsenter", "--target=5", "--user", "--net", "--preserve-credentials", "--wd=/job", "--"]
    start_session(SessionRequest("", ("/bin/sh",), True), PLACE, STREAMS, None, lambda: None, 5)
    start_session(SessionRequest("ls", ("/bin/sh",), True), PLACE, STREAMS, None, lambda: None, 5)
    login, command = (launch for launch, _ in launches)
    assert (login.program, login.argv) == ("/usr/bin/nsenter", [*begin, "/bin/sh", "-l"])
    assert command.argv[: len(begin)] == begin
    assert command.argv[-2:] == ["-c", "ls"]


def test_a_session_inside_has_what_the_process_there_has(launches: list[Any]) -> None:
    child = subprocess.Popen(["/bin/sleep", "1000"], env={"INNER": "1=2", "TERM": "old"})
    try:
        while b"sleep" not in Path(f"/proc/{child.pid}/cmdline").read_bytes():
            pass
        request = SessionRequest("ls", ("zsh",), True, (("TERM", "vt"),))
        start_inside(request, PLACE, STREAMS, ANN, child.pid, lambda: None)
        start_inside(request._replace(command=""), PLACE, STREAMS, ANN, child.pid, lambda: None)
        with pytest.raises(OSError, match="no tool daemon runs in a container") as caught:
            start_inside(request._replace(words=("gdb",)), PLACE, STREAMS, ANN, child.pid, lambda: None)
    finally:
        child.kill()
        child.wait()
    assert caught.value.errno == errno.EOPNOTSUPP
    (command, streams), (login, _) = launches
    here = f"/proc/{child.pid}/cwd"
    begin = ("/usr/bin/nsenter", f"--target={child.pid}", "--preserve-credentials", f"--wd={here}", "--", "/bin/sh")
    assert command.argv == (*begin, "-c", "ls")
    assert login.argv[:7] == (*begin, "-c")
    assert login.argv[8:] == ("sh", "zsh")
    assert command.environment == {"INNER": "1=2", "TERM": "vt", "_CONDOR_SLOT_NAME": "slot1@here", MARK: "9.1"}
    assert (command.program, command.directory, command.user) == ("/usr/bin/nsenter", "/", ANN)
    assert (command.umask, streams) == (0o022, (10, 11, 12))
    with pytest.raises(OSError, match="No such file"):
        start_inside(request, PLACE, STREAMS, ANN, 1 << 30, lambda: None)


def test_only_namespaces_that_are_not_ours_are_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session._ways_in(os.getpid()) == []
    monkeypatch.setattr(os, "readlink", lambda path: path.replace("self", "5") if path.endswith("/ipc") else path)
    assert session._ways_in(5) == ["--user", "--mount", "--pid", "--net"]


def test_a_program_that_is_gone_has_our_limits() -> None:
    assert limits_of(1 << 30) == {}
    assert niceness_of(1 << 30) == os.getpriority(os.PRIO_PROCESS, 0)
    assert limits_of(os.getpid()) == {}
    child = subprocess.Popen(["/bin/sh", "-c", "ulimit -S -c 0; ulimit -S -n 20; echo; exec sleep 1000"], stdout=-1)
    assert child.stdout is not None
    child.stdout.read(1)
    try:
        found = limits_of(child.pid)
        assert found[resource.RLIMIT_NOFILE][0] == 20
        assert resource.RLIMIT_AS not in found
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


# ---- tool daemons -------------------------------------------------------------------------------------------


@dataclass
class Enters:
    """An executor that notes who comes."""

    pid: int = 0
    error: Exception | None = None
    came: list[tuple[SessionRequest, SessionPlace, tuple[str, ...], Account | None]] = field(default_factory=list)

    def enter(self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None) -> Any:
        if self.error is not None:
            raise self.error
        names = tuple(os.readlink(f"/proc/self/fd/{each}") for each in (streams.stdin, streams.stdout, streams.stderr))
        for each in (streams.stdin, streams.stdout, streams.stderr):
            assert os.get_blocking(each)
        self.came.append((request, place, names, owner))
        return "tool"


def execution(top: Path, transfer: str = "YES") -> Execution:
    (top / "scratch").mkdir(exist_ok=True)
    (top / "iwd").mkdir(exist_ok=True)
    ad = {"ClusterId": 7, "ProcId": 3, "Iwd": str(top / "iwd"), "Cmd": "run", "ShouldTransferFiles": transfer}
    place = Place("slot1@here", "there", Sandbox(str(top)), "", {})
    job = read_job(ClassAd(ad), "here")
    return Execution(job, place, job.directory(str(top / "scratch")), None)


@pytest.mark.parametrize(("transfer", "where"), [("YES", "scratch"), ("NO", "iwd")])
def test_a_tool_daemon_finds_the_program_of_the_job(tmp_path: Path, transfer: str, where: str) -> None:
    run, enters = execution(tmp_path, transfer), Enters(os.getpid())
    tool = ToolDaemon("sub/tool" if transfer == "YES" else "tool", ("-a", "b"), "in", "out", "")
    for name in ("tool", "in"):
        (tmp_path / where / name).touch()
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    assert tooldaemon.start_tool(tool, run, cast(Executor, enters), {"A": "1"}) == "tool"  # type: ignore[comparison-overlap]
    assert os.listdir("/proc/self/fd") == before
    request, place, streams, owner = enters.came[0]
    top = f"{tmp_path}/{where}"
    assert (request.words, request.terminal, request.command) == ((f"{top}/tool", "-a", "b"), False, "")
    assert place.environment == {"A": "1", "TDP_LASS_ADDRESS": "ENV", "TDP_AP_PID": str(os.getpid())}
    assert (place.directory, place.slot, place.mark, place.pids) == (run.directory, "slot1@here", "", ())
    assert streams == (f"{top}/in", f"{top}/out", os.devnull)
    assert owner is None
    executable = bool((tmp_path / where / "tool").stat().st_mode & stat.S_IXUSR)
    assert executable == (transfer == "YES"), "what was transferred may have lost that"


@pytest.mark.parametrize(
    ("missing", "code", "text"),
    [
        ("tool", 6, "Failed to execute '{}/tool': (errno=2: 'No such file or directory')"),
        ("in", 8, "Error from slot1@here: Failed to open '{}/in' as standard input: No such file"),
        ("out", 7, "Error from slot1@here: Failed to open '{}/out' as standard output: Is a directory"),
    ],
)
def test_what_a_tool_daemon_lacks_holds_the_job(tmp_path: Path, missing: str, code: int, text: str) -> None:
    run, enters = execution(tmp_path), Enters(5)
    for name in ("tool", "in"):
        if name != missing:
            (tmp_path / "scratch" / name).touch()
    if missing == "out":
        (tmp_path / "scratch" / "out").mkdir()
    gc.collect()
    before = os.listdir("/proc/self/fd")
    with pytest.raises(StartError) as caught:
        tooldaemon.start_tool(ToolDaemon("tool", (), "in", "out", "err"), run, cast(Executor, enters), {})
    assert caught.value.code == code
    assert str(caught.value).startswith(text.format(tmp_path / "scratch"))
    assert os.listdir("/proc/self/fd") == before


def test_a_tool_daemon_that_cannot_be_executed(tmp_path: Path) -> None:
    run = execution(tmp_path)
    (tmp_path / "scratch" / "tool").touch()
    tool = ToolDaemon("tool", ("x",), "", "", "")
    for error, kind, text in (
        (OSError(errno.ENOEXEC, "Exec format error"), StartError, "with arguments x: (errno=8: 'Exec format error')"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), OSError, "Resource temporarily unavailable"),
        (subprocess.SubprocessError("chdir: no"), OSError, "chdir: no"),
    ):
        with pytest.raises(kind) as caught:
            tooldaemon.start_tool(tool, run, cast(Executor, Enters(5, error)), {})
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("status", "pid"),
    [("Name:\tx\nNSpid:\t55\t2\n", 2), ("NSpid:\t55\n", 55), ("NSpid:\todd\n", 5), ("Name:\t\xff\n", 5)],
)
def test_the_number_of_the_program_inside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: str, pid: int
) -> None:
    (tmp_path / "status").write_bytes(status.encode("latin-1"))
    monkeypatch.setattr(tooldaemon, "open", lambda path, **named: (tmp_path / "status").open(**named), raising=False)
    assert tooldaemon._inner_pid(5) == pid
    (tmp_path / "status").unlink()
    assert tooldaemon._inner_pid(5) == 5


# ---- the executor -------------------------------------------------------------------------------------------


class Family:
    """The processes of a slot: ``calls`` is what was done to them."""

    counts_ended = True

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.living = {20, 21}
        self.too_much = False

    def descendants(self, pid: int) -> set[int]:
        assert pid == os.getpid()
        return set(self.living)

    def send(self, pids: Any, number: int) -> int:
        self.calls.append((sorted(pids), number))
        return len(set(pids))

    def usage(self, pids: Any) -> Any:
        return sorted(pids)

    def prepare(self, ad: ClassAd) -> None:
        self.calls.append("prepare")

    def within(self, ad: ClassAd) -> Within:
        return Within(niceness=3, address_space=1 << 40)

    def again(self) -> None:
        self.calls.append("again")

    def join(self) -> None:
        self.calls.append("join")

    def too_big(self) -> bool:
        return self.too_much

    def uncounted(self, counted: Any) -> Any:
        return counted

    def judge(self, report: ExitReport) -> ExitReport:
        return report.but(error="judged")


@dataclass
class Space:
    """A namespace of processes."""

    first: int = 30
    calls: list[str] = field(default_factory=list)

    def go_on(self) -> None:
        self.calls.append("go on")

    def close(self) -> None:
        self.calls.append("close")

    @contextmanager
    def around(self) -> Any:
        self.calls.append("in")
        yield
        self.calls.append("out")


class World:
    """An executor whose programs are not started; ``launched`` has what surrounds them."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, cover: Cover | None = None) -> None:
        self.family, self.space = Family(), Space()
        self.launched: list[Within] = []
        self.programs: list[Any] = []
        made = ProcessExecutor(cast(Any, self.family), ClassAd(), lambda execution: cover, 2.5)
        self.executor = made
        self.execution = execution(top)
        monkeypatch.setattr(processes, "launch", self._launch)

    def _launch(self, job: Any, place: Any, cwd: str, environment: Any, owner: Any, within: Within) -> Any:
        self.launched.append(within)
        return self.programs.pop(0) if self.programs else SimpleNamespace(pid=20, returncode=None)

    def start(self) -> ProcessExecutor:
        self.executor.prepare(self.execution)
        self.executor.start(self.execution, {})
        return self.executor


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_orders_reach_the_program_or_its_family(world: World) -> None:
    executor = world.executor
    executor.signal(15)
    executor.dismiss()
    assert world.family.calls == [], "nothing runs yet"
    world.start()
    assert executor.pid == 20
    world.family.calls.clear()
    executor.signal(15)
    assert (executor.suspend(), executor.resume()) == (2, 2)
    executor.dismiss()
    assert world.family.calls == [
        ([20], 15), ([20, 21], signal.SIGSTOP), ([20, 21], signal.SIGCONT), ([20, 21], signal.SIGTERM),
    ]  # fmt: skip
    assert executor.usage() == [20, 21]  # type: ignore[comparison-overlap]
    assert (executor.counts_ended, executor.ready, executor.refused, executor.news()) == (True, True, False, {})
    assert executor.look_interval == 2.5
    assert not executor.over_limit()
    world.family.too_much = True
    assert executor.over_limit()
    assert executor.uncounted((1.0, 2.0)) == (1.0, 2.0)
    assert executor.judge(ExitReport("c", "7.3", 1)).error == "judged"


def test_a_program_is_looked_at_soon_after_its_start(world: World) -> None:
    looks = world.executor.first_looks
    assert looks == tuple(sorted(looks))
    assert (looks[0], sum(looks[:3])) == (0.05, 1.0), "many programs are short"
    assert looks[-1] == 5.0
    assert world.executor.traffic == (-1, -1), "nothing knows"
    assert not world.executor.fetches_much
    world.executor.fetch(world.execution)
    world.executor.admit()


def test_a_program_that_is_started_again_is_counted_anew(world: World) -> None:
    world.start()
    assert world.family.calls == ["prepare"]
    world.executor.start(world.execution, {})
    assert world.family.calls == ["prepare", "again"]


def test_our_own_process_in_a_namespace_is_no_process_of_the_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "Started", SimpleNamespace)
    world.programs = [SimpleNamespace(pid=20, space=world.space), SimpleNamespace(pid=40, space=None)]
    world.family.living = {20, 30}
    executor = world.start()
    assert executor.usage() == [20]  # type: ignore[comparison-overlap]
    executor.suspend()
    assert world.family.calls[-1] == ([20], signal.SIGSTOP)
    monkeypatch.setattr(os, "pidfd_open", lambda pid: pid + 1000)
    assert executor.watch() == 1020
    assert world.space.calls == ["go on"], "it is not reaped before somebody watches"
    executor.start(world.execution, {})
    assert world.family.calls[-2:] == [([30], signal.SIGKILL), "again"], "the old namespace goes"
    assert world.space.calls == ["go on", "close"]
    assert executor.watch() == 1040
    executor.close()
    assert world.space.calls == ["go on", "close"]


def test_a_cover_surrounds_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Namespaces(shared_memory=True)
    covered = World(tmp_path, monkeypatch, Cover(own, "/tmp"))
    assert covered.start().tmp == "/tmp"
    assert covered.launched == [Within(own=own, niceness=3, address_space=1 << 40)]
    bare = World(tmp_path, monkeypatch)
    assert bare.start().tmp == ""
    assert bare.launched == [Within(niceness=3, address_space=1 << 40)]


class Sessions:
    """Sessions that would be started: (where the program in the namespaces is, whether it is in the namespace)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[tuple[int, Any]] = []
        monkeypatch.setattr(processes, "start_session", self._start)

    def _start(self, request: Any, place: Any, streams: Any, owner: Any, prepare: Any, inner: int = 0) -> str:
        self.begun.append((inner, prepare))
        return "session"


def enter(executor: ProcessExecutor) -> None:
    executor.enter(SessionRequest("", (), False), PLACE, STREAMS, None)


def test_a_session_gets_the_limits_of_the_program(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(monkeypatch)
    set_to: list[Any] = []
    monkeypatch.setattr(processes, "limits_of", lambda pid: {5: (pid, pid)})
    monkeypatch.setattr(processes, "niceness_of", lambda pid: 7 if pid == 20 else 1)
    monkeypatch.setattr(os, "setpriority", lambda *words: set_to.append(words))
    monkeypatch.setattr(resource, "setrlimit", lambda *words: set_to.append(words))
    executor = world.start()
    enter(executor)
    sessions.begun[0][1]()
    assert (world.family.calls[-1], set_to) == ("join", [(os.PRIO_PROCESS, 0, 7), (5, (20, 20))])
    executor._running = False
    assert executor._limits() == ({resource.RLIMIT_AS: (1 << 40, 1 << 40)}, 3), "what it was given"
    enter(executor)
    set_to.clear()
    sessions.begun[1][1]()
    assert set_to[0] == (os.PRIO_PROCESS, 0, 7), "as that of the first session"
    executor._within, executor._niceness = Within(), 0
    assert executor._limits() == ({}, 1)


def test_a_session_is_in_the_namespace_of_processes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions(monkeypatch)
    executor = world.start()
    enter(executor)
    assert world.space.calls == []
    executor._space = cast(Any, world.space)
    enter(executor)
    assert (world.space.calls, [inner for inner, _ in sessions.begun]) == (["in", "out"], [0, 0])


@pytest.mark.parametrize("network", [True, False])
def test_a_session_of_others_enters_by_an_inhabitant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: bool
) -> None:
    sessions = Sessions(monkeypatch)
    world = World(tmp_path, monkeypatch, Cover(Namespaces(network=network, unprivileged=True)))
    joined: list[int] = []
    monkeypatch.setattr(processes, "join", joined.append)
    executor = world.start()
    enter(executor)
    executor._space = cast(Any, world.space)
    enter(executor)
    assert [inner for inner, _ in sessions.begun] == [20, 30]
    assert world.space.calls == []
    executor._shared = ({}, 0)
    monkeypatch.setattr(os, "setpriority", lambda *words: None)
    executor._prepare_session()
    assert joined == [], "nsenter does that"
    executor._space, executor._running = None, False
    if network:
        with pytest.raises(OSError, match="no process is left in the network of the job") as caught:
            enter(executor)
        assert caught.value.errno == 3
    else:
        enter(executor)
        assert sessions.begun[-1][0] == 0


@pytest.mark.parametrize("network", [True, False])
def test_a_session_sees_what_the_program_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: bool) -> None:
    world = World(tmp_path, monkeypatch, Cover(Namespaces(shared_memory=True, network=network)))
    joined: list[int] = []
    monkeypatch.setattr(processes, "join", joined.append)
    monkeypatch.setattr(os, "setpriority", lambda *words: None)
    executor = world.start()
    executor._shared = ({}, 0)
    executor._prepare_session()
    executor._space = cast(Any, world.space)
    executor._prepare_session()
    executor._space, executor._running = None, False
    executor._prepare_session()
    assert joined == [20, 30, 0], "another process may have its number already"

    def gone(pid: int) -> None:
        raise FileNotFoundError(2, "No such file")

    monkeypatch.setattr(processes, "join", gone)
    if network:
        with pytest.raises(FileNotFoundError):
            executor._prepare_session()
    else:
        executor._prepare_session()
