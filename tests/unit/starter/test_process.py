"""How the program of a job is started: its command line, streams and limits, and what its end is."""

from __future__ import annotations

import errno
import gc
import os
import resource
import signal
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from apart import apart

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import process, spawning
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.namespaces import Ended, Namespaces
from condor_py.machine.run.process import (
    StartError,
    Streams,
    Within,
    _nowhere,
    check_directory,
    launch,
    open_streams,
    spawn,
)
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.spawning import Launch, Started, is_plain, rights, start_on
from condor_py.machine.run.verdict import start_failed
from condor_py.model.report import ExitReport

ANN = Account("ann", 2001, 2002, "/home/ann", (2002,))


def job(top: Path, **attributes: object) -> Job:
    bare = {"ClusterId": 7, "ProcId": 3, "Iwd": str(top), "Cmd": "run", "ShouldTransferFiles": "NO"}
    return read_job(ClassAd({**bare, **attributes}), "here")


class Starts:
    """Programs that would be started: what they are, and what their streams are."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.launched: list[Launch] = []
        self.streams: list[list[str]] = []
        self.limits: list[tuple[int, int]] = []
        self.error: Exception | None = None
        monkeypatch.setattr(process, "start_on", self._start)
        monkeypatch.setattr(process, "set_limits", lambda *words: self.limits.append(words))

    def _start(self, launched: Launch, streams: tuple[int, int, int]) -> Any:
        self.launched.append(launched)
        self.streams.append([os.readlink(f"/proc/self/fd/{each}") for each in streams])
        if self.error is not None:
            raise self.error
        return SimpleNamespace(pid=7)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    return Starts(monkeypatch)


def begin(top: Path, wanted: Job, wrapper: str = "", within: Within = Within()) -> Any:  # noqa: B008
    place = replace(Place("slot1@here", "there", Sandbox(str(top)), "", {}), wrapper=wrapper)
    _nowhere()  # whose descriptors stay
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    try:
        return launch(wanted, place, str(top), {"A": "1"}, None, within)
    finally:
        assert os.listdir("/proc/self/fd") == before


def test_a_program_is_started_with_its_arguments_streams_and_limits(starts: Starts, tmp_path: Path) -> None:
    (tmp_path / "in").touch()
    wanted = job(tmp_path, Args="a b", In="in", Out="out", Err="err", CoreSize=-1, StackSize=5)
    within = Within(own=Namespaces(network=True), niceness=3, address_space=4)
    assert begin(tmp_path, wanted, within=within).pid == 7
    (found,) = starts.launched
    assert (found.program, list(found.argv)) == (f"{tmp_path}/run", [f"{tmp_path}/run", "a", "b"])
    assert (found.environment, found.directory, found.user, found.umask) == ({"A": "1"}, str(tmp_path), None, 0o022)
    assert (found.own, found.niceness, found.address_space, found.stops) == (within.own, 3, 4, False)
    assert starts.streams == [[f"{tmp_path}/{name}" for name in ("in", "out", "err")]]
    assert starts.limits == [(-1, 5)]


def test_a_program_has_been_started_whatever_closing_our_streams_says(
    starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bad file system reports errors at close(2). A start that seems to fail is tried again, and the job would run
    twice."""
    close = os.close

    def bad(descriptor: int) -> None:
        close(descriptor)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "in").touch()
    wanted = job(tmp_path, In="in", Out="out", Err="err")
    _nowhere()
    with monkeypatch.context() as patch:
        patch.setattr(os, "close", bad)
        assert begin(tmp_path, wanted).pid == 7


@pytest.mark.parametrize(("nice", "slot", "found"), [(0, 3, 3), (5, 3, 5), (2, 3, 3), (0, 0, 0)])
def test_a_job_may_be_nicer_than_its_slot(starts: Starts, tmp_path: Path, nice: int, slot: int, found: int) -> None:
    begin(tmp_path, job(tmp_path, JobNice=nice), within=Within(niceness=slot))
    assert starts.launched[0].niceness == found


def test_a_wrapper_gets_the_command_line_of_the_job(starts: Starts, tmp_path: Path) -> None:
    begin(tmp_path, job(tmp_path, Args="a"), wrapper="/bin/wrapper")
    assert list(starts.launched[0].argv) == ["/bin/wrapper", f"{tmp_path}/run", "a"]


@pytest.mark.parametrize("executable", [True, False])
def test_a_shell_opens_named_pipes(starts: Starts, tmp_path: Path, executable: bool) -> None:
    for name in ("in", "out"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "run").touch()
    (tmp_path / "run").chmod(0o755 if executable else 0o644)
    begin(tmp_path, job(tmp_path, Args="a", In="in", Out="out", Err="out"))
    found = list(starts.launched[0].argv)
    assert starts.streams == [[os.devnull] * 3]
    if executable:
        assert (found[0], found[1]) == ("/bin/sh", "-c")
        assert found[3:] == ["sh", f"{tmp_path}/in", f"{tmp_path}/out", "=", f"{tmp_path}/run", "a"]
    else:
        assert found == [f"{tmp_path}/run", "a"], "it is executed as it is, for its error"


@pytest.mark.parametrize("module", [True, False])
def test_a_program_that_is_to_stop_at_its_start(
    starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: bool
) -> None:
    monkeypatch.setattr(process, "quick", lambda: module)
    wanted = job(tmp_path, SuspendJobAtExec=True)
    if module:
        begin(tmp_path, wanted)
        assert starts.launched[0].stops
        return
    with pytest.raises(StartError, match="suspend_job_at_exec needs the modules in C") as caught:
        begin(tmp_path, wanted)
    assert (caught.value.code, caught.value.subcode) == (6, errno.ENOSYS)


def test_what_a_start_fails_with(starts: Starts, tmp_path: Path) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    streams = Streams(null, null, null)

    def failure(error: Exception, directory: str = str(tmp_path)) -> Exception:
        starts.error = error
        with pytest.raises((StartError, OSError)) as caught:
            spawn("/p", ["a"], directory, {}, streams, None)
        return caught.value

    odd = failure(ValueError("embedded null byte"))
    assert isinstance(odd, StartError)
    assert (odd.code, odd.subcode, str(odd)) == (
        6, errno.EINVAL, "Failed to execute '/p' with arguments a: embedded null byte",
    )  # fmt: skip
    gone = failure(subprocess.SubprocessError("directory: no"), f"{tmp_path}/none")
    assert isinstance(gone, StartError)
    assert gone.code == 14
    step = failure(subprocess.SubprocessError("clone: no"))
    assert isinstance(step, OSError)
    assert (step.errno, step.strerror, step.filename) == (
        errno.EAGAIN, "the new process could not be prepared", "/p",
    )  # fmt: skip
    os.close(null)


# ---- directories and streams --------------------------------------------------------------------------------


def test_directories_that_cannot_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    check_directory(str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode, **more: mode != os.X_OK)
    for path, number, why in (
        (f"{tmp_path}/none", 2, "No such file or directory"), (f"{tmp_path}/file", 20, "Not a directory"),
        (str(tmp_path), 13, "Permission denied"),
    ):  # fmt: skip
        with pytest.raises(StartError) as caught:
            check_directory(path)
        assert (caught.value.code, caught.value.subcode) == (14, number)
        assert str(caught.value) == f"Cannot access initial working directory {path}: {why}"


def opened(top: Path, wanted: Job, **more: Any) -> list[str]:
    (top / "scratch").mkdir(exist_ok=True)
    streams = open_streams(wanted, str(top / "scratch"), "slot1@here", **more)
    names = [os.readlink(f"/proc/self/fd/{each}") for each in (streams.stdin, streams.stdout, streams.stderr)]
    assert not any(os.get_inheritable(each) for each in (streams.stdin, streams.stdout, streams.stderr))
    streams.close()
    return [name.removeprefix(f"{top}/") for name in names]


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ({"ShouldTransferFiles": "YES"}, ["scratch/in", "scratch/_condor_stdout", "scratch/_condor_stderr"]),
        (
            {"ShouldTransferFiles": "YES", "StreamIn": True, "StreamOut": True, "StreamErr": True},
            ["sub/in", "out", "err"],
        ),
        ({"ShouldTransferFiles": "YES", "StreamOut": True}, ["scratch/in", "out", "scratch/_condor_stderr"]),
        ({}, ["sub/in", "out", "err"]),
        ({"Err": "out"}, ["sub/in", "out", "out"]),
        ({"Err": "/dev/null", "Out": "/dev/null", "In": "/dev/null"}, ["/dev/null"] * 3),
        ({"ShouldTransferFiles": "YES", "Err": "/dev/null"}, ["scratch/in", "scratch/_condor_stdout", "/dev/null"]),
    ],
)
def test_streams_are_where_the_job_has_them(tmp_path: Path, attributes: dict[str, object], names: list[str]) -> None:
    for place in ("sub", "scratch"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "in").touch()
    assert opened(tmp_path, job(tmp_path, **{"In": "sub/in", "Out": "out", "Err": "err", **attributes})) == names


@pytest.mark.parametrize("appends", [True, False])
def test_output_begins_anew_unless_the_job_goes_on(tmp_path: Path, appends: bool) -> None:
    (tmp_path / "out").write_text("before ")
    streams = open_streams(job(tmp_path, Out="out", WantFTOnCheckpoint=appends), str(tmp_path), "slot1@here")
    os.write(streams.stdout, b"now")
    streams.close()
    assert (tmp_path / "out").read_text() == ("before now" if appends else "now")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o644


def test_streams_that_cannot_be_opened_leave_none_open(tmp_path: Path) -> None:
    gc.collect()
    before = os.listdir("/proc/self/fd")
    for name, code in (("In", 8), ("Out", 7), ("Err", 7)):
        with pytest.raises(StartError) as caught:
            open_streams(job(tmp_path, **{name: "none/x"}), str(tmp_path), "slot1@here")
        assert (caught.value.code, caught.value.subcode) == (code, 2)
        what = {"In": "standard input", "Out": "standard output", "Err": "standard error"}[name]
        assert str(caught.value) == (
            f"Error from slot1@here: Failed to open '{tmp_path}/none/x' as {what}: No such file or directory (errno 2)"
        )
    assert os.listdir("/proc/self/fd") == before


def test_a_machine_without_descriptors_is_not_the_fault_of_the_job(tmp_path: Path) -> None:
    """The run is given up, and another try may do better."""
    gc.collect()
    before = os.listdir("/proc/self/fd")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    next_one = os.open(os.devnull, os.O_RDONLY)
    os.close(next_one)
    for left in range(3):
        resource.setrlimit(resource.RLIMIT_NOFILE, (next_one + left, hard))
        try:
            with pytest.raises(OSError) as caught:
                open_streams(job(tmp_path, Out="out", Err="err"), str(tmp_path), "slot1@here")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert caught.value.errno == errno.EMFILE
        report = start_failed(ExitReport("c", "1.0", 1), caught.value, "slot1@here")
        assert (report.hold_code, "Too many open files" in report.error) == (0, True)
    assert os.listdir("/proc/self/fd") == before


def test_pipes_are_left_to_the_job(tmp_path: Path) -> None:
    for name in ("p", "q"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "file").touch()
    for attributes, pipes in (
        ({"Out": "p", "Err": "p"}, ("", "p", "=")), ({"Out": "p", "Err": "q"}, ("", "p", "q")),
        ({"In": "q", "Out": "file"}, ("q", "", "")), ({"Out": "file", "Err": "file"}, ("", "", "")),
    ):  # fmt: skip
        streams = open_streams(job(tmp_path, **attributes), str(tmp_path), "slot1@here", pipes=True)
        streams.close()
        assert streams.pipes == tuple(f"{tmp_path}/{each}" if each.isalpha() else each for each in pipes)


# ---- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "number"), [("exit 3", 3, None), ("kill -15 $$", None, 15), ("exit 0", 0, None)]
)
def test_the_end_of_a_program(text: str, code: int | None, number: int | None) -> None:
    child = subprocess.Popen(["/bin/sh", "-c", f"i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; {text}"])
    ending = process.collect(child)
    assert (ending.exit_code, ending.exit_signal, ending.core_dumped, ending.own_pid) == (code, number, False, 0)
    assert child.returncode == (code if number is None else -number)
    assert ending.user_cpu + ending.sys_cpu > 0
    assert ending.max_rss_kb > 100


@pytest.mark.parametrize(
    ("ended", "code", "number", "core"),
    [
        (Ended(3 << 8, 1.0, 2.0, 5), 3, None, False), (Ended(11 | 0x80, 1.0, 2.0, 5), None, 11, True),
        (None, None, signal.SIGKILL, False),
    ],
)  # fmt: skip
def test_the_end_that_a_first_process_tells(
    ended: Ended | None, code: int | None, number: int | None, core: bool
) -> None:
    program = Started(5, space=SimpleNamespace(ended=lambda: ended))  # type: ignore[arg-type]
    ending = process.collect(program)
    assert (ending.exit_code, ending.exit_signal, ending.core_dumped, ending.own_pid) == (code, number, core, 2)
    used = (1.0, 2.0, 5) if ended is not None else (0.0, 0.0, 0)
    assert (ending.user_cpu, ending.sys_cpu, ending.max_rss_kb) == used
    assert program.returncode == (code if number is None else -number)


@apart
def test_limits_are_the_soft_ones_of_a_job() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 5000))
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 2000))
    process.set_limits(3000, 0)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (3000, 5000)
    assert resource.getrlimit(resource.RLIMIT_CPU) == (2000, 2000)
    process.set_limits(9000, 0)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (5000, 5000)
    process.set_limits(-1, 0)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (5000, 5000)
    resource.setrlimit(resource.RLIMIT_CORE, (7, 5000))
    process.set_limits(-1, 0)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (7, 5000), "nothing is done where they are as before"
    process.set_limits(0, 0)
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 5000)


# ---- starting -----------------------------------------------------------------------------------------------


class Native:
    """The C module: what it was asked, and its outcome."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.outcome: spawning.Outcome = (70, "", 0, 0, -1)
        monkeypatch.setattr(spawning, "_native", self)

    def spawn(self, *words: Any) -> spawning.Outcome:
        self.asked.append(words)
        return self.outcome


def test_the_module_gets_everything_of_a_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    native = Native(monkeypatch)
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(os, "getpriority", lambda *words: 2)
    door = SimpleNamespace(ways=lambda: (("/g/tasks",), "thread"))
    own = Namespaces((("/a", "/b"),), network=True)
    full = Launch(
        ["x", "\udcff"], {"A": "b=c"}, "/d", ANN, "/p", 0o022, door=door, niceness=5, address_space=6, own=own,  # type: ignore[arg-type]
        stops=True,
    )  # fmt: skip
    program = start_on(full, (10, 11, 12))
    assert (program.pid, program.returncode) == (70, None)
    assert native.asked == [(
        b"/p", (b"x", b"\xff"), (b"A=b=c",), (10, 11, 12), b"/d", 0o022, (2001, 2002, (2002,)), (b"/g/tasks",), 5, 6,
        "thread", 4, (b"/a", b"/b"), True,
    )]  # fmt: skip
    start_on(Launch(["x"], {}, program="/p", niceness=1), (0, 1, 2))
    assert native.asked[1] == (b"/p", (b"x",), (), (0, 1, 2), b"", -1, None, (), 2, 0, None, 0, (), False)
    native.outcome = (70, "", 0, 69, 9)
    inside = start_on(full, (10, 11, 12))
    assert isinstance(inside, Started)
    assert inside.space is not None
    assert (inside.space.first, inside.space.told) == (69, 9)


@pytest.mark.parametrize(
    ("step", "user", "error", "name"),
    [
        ("clone", None, OSError, "/p"), ("execute", None, OSError, "/p"), ("directory", None, OSError, "/d"),
        ("directory", ANN, subprocess.SubprocessError, ""), ("limits", None, subprocess.SubprocessError, ""),
    ],
)  # fmt: skip
def test_what_the_module_cannot_do_is_an_error(
    monkeypatch: pytest.MonkeyPatch, step: str, user: Account | None, error: type[Exception], name: str
) -> None:
    native = Native(monkeypatch)
    native.outcome = (0, step, errno.ENOENT, 0, -1)
    monkeypatch.setattr(os, "getuid", lambda: 0)
    with pytest.raises(error) as caught:
        start_on(Launch(["x"], {}, "/d", user, "/p"), (0, 1, 2))
    if isinstance(caught.value, OSError):
        assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, name)
    else:
        assert str(caught.value) == f"{step}: No such file or directory"


def test_what_the_module_is_not_for_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    native = Native(monkeypatch)
    forked: list[Launch] = []
    monkeypatch.setattr(spawning, "start", lambda launched, *streams: forked.append(launched) or "forked")
    plain = Launch(["x"], {}, program="/p")
    for odd in (replace(plain, enter=lambda: None), replace(plain, program="p"), replace(plain, program="")):
        assert start_on(odd, (0, 1, 2)) == "forked"  # type: ignore[comparison-overlap]
    assert native.asked == []
    monkeypatch.setattr(spawning, "_native", None)
    assert start_on(plain, (0, 1, 2)) == "forked"  # type: ignore[comparison-overlap]
    assert not spawning.quick()


@pytest.mark.parametrize(
    ("changes", "plain"),
    [
        ({}, True), ({"enter": lambda: None}, False), ({"door": "door"}, False), ({"own": Namespaces()}, False),
        ({"niceness": 1}, False), ({"address_space": 1}, False), ({"user": ANN}, False),
        ({"user": Account("root", 0, 0, "/", ())}, True),
    ],
)  # fmt: skip
def test_launches_with_nothing_between_fork_and_execution(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], plain: bool
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert is_plain(replace(Launch(["x"], {}), **changes)) is plain
    monkeypatch.setattr(os, "getuid", lambda: 5)
    assert is_plain(Launch(["x"], {}, user=ANN))


def test_root_gives_up_its_rights_in_this_order(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    for name in ("seteuid", "setgroups", "setresgid", "setresuid", "chdir", "setpriority"):
        monkeypatch.setattr(os, name, lambda *words, name=name: done.append((name, *words)))
    monkeypatch.setattr(resource, "setrlimit", lambda *words: done.append(("setrlimit", *words)))
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(os, "geteuid", lambda: 5)
    monkeypatch.setattr(os, "getpriority", lambda *words: 0)
    monkeypatch.setattr(spawning.namespaces, "enter", lambda own, user: done.append(("namespaces", user)))
    door = SimpleNamespace(join=lambda: done.append("door"))
    full = Launch(
        ["x"], {}, "/d", ANN, enter=lambda: done.append("enter"), door=door, niceness=3, address_space=4,  # type: ignore[arg-type]
        own=Namespaces(network=True),
    )  # fmt: skip
    spawning._beginning(full)()
    assert done == [
        "door", "enter", ("namespaces", ANN), ("seteuid", 0), ("setgroups", (2002,)), ("setresgid", 2002, 2002, 2002),
        ("setresuid", 2001, 2001, 2001), ("chdir", "/d"), ("setpriority", os.PRIO_PROCESS, 0, 3),
        ("setrlimit", resource.RLIMIT_AS, (4, 4)),
    ]  # fmt: skip
    done.clear()
    spawning._beginning(Launch(["x"], {}))()
    assert done == []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    spawning.become(ANN)
    assert done[0][0] == "setgroups"


@pytest.mark.parametrize(
    ("real", "effective", "found"), [(0, 5, (5, 6)), (0, 0, (None, None)), (5, 5, (None, None)), (5, 0, (None, None))]
)
def test_the_rights_of_the_moment(monkeypatch: pytest.MonkeyPatch, real: int, effective: int, found: Any) -> None:
    monkeypatch.setattr(os, "getuid", lambda: real)
    monkeypatch.setattr(os, "geteuid", lambda: effective)
    monkeypatch.setattr(os, "getegid", lambda: 6)
    assert rights() == found
