"""What only one program sees: directories, processes, the network; and how a program ends that is alone."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from apart import apart

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import spawning
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.namespaces import Namespaces, may_mount
from condor_py.machine.run.process import Streams, collect
from condor_py.machine.run.processes import Cover, ProcessExecutor
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.machine.run.spawning import Launch, Program, Started, quick, start_on
from condor_py.model.settings.starter import StarterSettings

pytestmark = pytest.mark.skipif(not may_mount(), reason="only root may make namespaces")
needs_module = pytest.mark.skipif(not quick(), reason="the C module is not built")
#: Seconds that nobody else sleeps.
_LONG = 1000000 + os.getpid()
#: Of processes only.
ALONE = Namespaces(processes=True)


def started(text: str, own: Namespaces, out: Path, user: str = "") -> Program:
    owner = account(user) if user else None
    stream = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    launch = Launch(["/bin/sh", "-c", text], {"PATH": "/bin:/usr/bin"}, "/", owner, "/bin/sh", own=own)
    try:
        return start_on(launch, (stream, stream, stream))
    finally:
        os.close(stream)


def ended(program: Program) -> tuple[int | None, int | None]:
    """Exit code and signal of a program; its namespace is gone afterwards."""
    space = program.space if isinstance(program, Started) else None
    if space is not None:
        space.go_on()
    ending = collect(program)
    if space is not None:
        os.kill(space.first, signal.SIGKILL)
        os.waitpid(space.first, 0)
        space.close()
    return ending.exit_code, ending.exit_signal


@pytest.mark.parametrize("way", ["native", "fork"])
def test_a_program_sees_its_directories_and_others_do_not(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "fork":
        monkeypatch.setattr(spawning, "_native", None)
    own, place = tmp_path / "own", tmp_path / "place"
    for directory in (own, place):
        directory.mkdir()
        (directory / directory.name).touch()
    covered = Namespaces(((str(own), str(place)),), shared_memory=True, network=True)
    looks = f"ls {place}; ls -A /dev/shm | wc -l; grep -c : /proc/net/dev"
    text = f"{looks}; touch {place}/made /dev/shm/made.{os.getpid()}"
    assert ended(started(text, covered, tmp_path / "out")) == (0, None)
    assert (tmp_path / "out").read_text().split() == ["own", "0", "1"]
    assert (own / "made").exists()
    assert not (place / "made").exists()
    assert not os.path.exists(f"/dev/shm/made.{os.getpid()}")


@pytest.mark.parametrize("way", ["native", "fork"])
def test_a_directory_is_opened_with_the_rights_of_its_owner(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "fork":
        monkeypatch.setattr(spawning, "_native", None)
    secret, place = tmp_path / "private" / "secret", tmp_path / "place"
    secret.mkdir(parents=True)
    place.mkdir()
    (tmp_path / "private").chmod(0o700)
    (tmp_path / "link").symlink_to(secret)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    covered = Namespaces(((str(tmp_path / "link"), str(place)),))
    with pytest.raises(Exception, match=r"namespaces|preexec_fn"):
        started("ls", covered, tmp_path / "out", "nobody")
    assert ended(started("ls /", covered, tmp_path / "out")) == (0, None)


@needs_module
def test_a_program_sees_what_it_has_started(tmp_path: Path) -> None:
    text = "sleep 100 & echo $$ $!; ls /proc | grep ^[0-9] | tr '\\n' ' '"
    program = started(text, ALONE, tmp_path / "out", "nobody")
    assert ended(program) == (0, None)
    mine, listed = (tmp_path / "out").read_text().splitlines()
    assert mine == "2 3"
    assert listed.split()[:3] == ["1", "2", "3"]


@needs_module
@pytest.mark.parametrize(
    ("text", "expected"), [("exit 7", (7, None)), ("kill -11 $$", (None, 11)), ("true", (0, None))]
)
def test_its_end_is_told(text: str, expected: tuple[int | None, int | None], tmp_path: Path) -> None:
    program = started(text, ALONE, tmp_path / "out")
    with open(f"/proc/{program.pid}/stat", "rb"):  # it stays until somebody has seen its pid
        pass
    assert ended(program) == expected


@needs_module
def test_usage_is_that_of_the_program(tmp_path: Path) -> None:
    program = started("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", ALONE, tmp_path / "out")
    assert isinstance(program, Started)
    assert program.space is not None
    program.space.go_on()
    ending = collect(program)
    os.kill(program.space.first, signal.SIGKILL)
    os.waitpid(program.space.first, 0)
    assert ending.user_cpu > 0
    assert ending.max_rss_kb > 100
    assert ending.own_pid == 2


@needs_module
@apart
def test_nothing_that_is_left_behind_outlives_the_namespace(tmp_path: Path) -> None:
    program = started(f"(setsid sleep {_LONG} & echo $! > {tmp_path}/left); exit 0", ALONE, tmp_path / "out")
    assert isinstance(program, Started)
    assert program.space is not None
    left = program.space.first
    assert ended(program) == (0, None)
    assert not os.path.exists(f"/proc/{left}")
    assert not [
        path for path in Path("/proc").glob("[0-9]*") if f"sleep\0{_LONG}\0".encode() in _read(path / "cmdline")
    ]


@needs_module
def test_killed_altogether_it_was_killed(tmp_path: Path) -> None:
    program = started("sleep 100", ALONE, tmp_path / "out")
    assert isinstance(program, Started)
    assert program.space is not None
    os.kill(program.space.first, signal.SIGKILL)
    os.waitpid(program.space.first, 0)
    program.space.go_on()
    assert collect(program).exit_signal == signal.SIGKILL


@needs_module
@apart
def test_a_program_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    launch = Launch(["x"], {}, "/", None, str(tmp_path / "none"), own=ALONE)
    with pytest.raises(FileNotFoundError):
        start_on(launch, (0, 1, 2))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@needs_module
def test_a_signal_reaches_the_program(tmp_path: Path) -> None:
    program = started("trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.01; done", ALONE, tmp_path / "out")
    while "ready" not in (tmp_path / "out").read_text():
        pass
    os.kill(program.pid, signal.SIGTERM)
    assert ended(program) == (3, None)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def session_network(running: bool, network: bool, tmp_path: Path) -> str:
    """The devices that a session sees beside a program of its own directories, or after it."""
    scratch, own = tmp_path / "scratch", tmp_path / "own"
    for directory in (scratch, own):
        directory.mkdir()
    cover = Cover(Namespaces(((str(own), str(own)),), network=network))
    family = JobFamily(StarterSettings(str(tmp_path), base_cgroup=""), "slot1@here", ClassAd())
    ad = ClassAd({"ClusterId": 1, "ProcId": 0, "Owner": "root", "Iwd": str(scratch), "Cmd": "/bin/sleep", "Args": "30"})
    place = Place("slot1@here", "there", Sandbox(str(tmp_path)), "", {"PATH": "/bin:/usr/bin"})
    execution = Execution(read_job(ad, "here"), place, str(scratch), None)
    executor = ProcessExecutor(family, ad, lambda execution: cover)
    executor.prepare(execution)
    executor.start(execution, {})
    if not running:
        executor.kill()
        os.waitid(os.P_PID, executor.pid, os.WEXITED | os.WNOWAIT)
        executor.collect()
    with open(tmp_path / "told", "w+b") as told, open(os.devnull, "rb") as nothing:
        streams = Streams(nothing.fileno(), told.fileno(), told.fileno())
        request = SessionRequest("cat /proc/net/dev", ("/bin/sh",), False)
        try:
            executor.enter(request, SessionPlace("/", {}, (), "slot1@here", "1.1"), streams, None).wait()
        finally:
            executor.kill()
            executor.end()
            executor.close()
        told.seek(0)
        return told.read().decode()


@apart
def test_a_session_beside_a_program_without_network_has_none(tmp_path: Path) -> None:
    assert session_network(True, True, tmp_path).count(":") == 1


@apart
def test_a_session_that_comes_after_such_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.SubprocessError):
        session_network(False, True, tmp_path)


@apart
def test_a_session_that_comes_after_a_program_with_directories_of_its_own_is_let_in(tmp_path: Path) -> None:
    assert "lo:" in session_network(False, False, tmp_path)
