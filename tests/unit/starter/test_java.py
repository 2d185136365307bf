"""The java universe: how a program ended, the command line, and the trial of the Java machine."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import java
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import Account
from condor_py.machine.run.java import JavaExecutor, Thrown, Verdict, machine_words, try_java, verdict
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import Ending, StartError
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.model.report import ExitReport
from condor_py.model.settings.java import JavaAbilities, JavaSettings

ENDED = Ending(1, None, False, 0.1, 0.1, 1000)
KILLED = Ending(None, 9, False, 0.1, 0.1, 1000)
ROOT = "java.lang.Object java.lang.Throwable "
IO = ROOT + "java.lang.Exception java.io.IOException"
MISSING = ROOT + "java.lang.Exception java.lang.ReflectiveOperationException java.lang.ClassNotFoundException"
NO_CLASS = ROOT + "java.lang.Error java.lang.LinkageError java.lang.NoClassDefFoundError"
STACK = ROOT + "java.lang.Error java.lang.VirtualMachineError java.lang.StackOverflowError"
SOURCES = Path(java.__file__).parent / "libexec"


@pytest.mark.parametrize(
    ("end", "found"),
    [
        (None, Verdict()),  # System.exit
        ("", Verdict()),
        ("normal\n", Verdict()),
        (f"abnormal\n{IO} \n", Verdict(Thrown(IO))),
        (f"noexec\r\n{MISSING} \r\n", Verdict(Thrown(MISSING))),
        (f"abnormal\n{NO_CLASS}\n", Verdict(Thrown(NO_CLASS))),
        (f"noexec\n{STACK}\n", Verdict(Thrown(STACK))),
        ("abnormal\n", Verdict(Thrown("unknown"))),
        ("abnormal\n \t\n", Verdict(Thrown("unknown"))),
        ("\x00\ufffd\n", Verdict(failure="the end of the program cannot be read")),
    ],
)
def test_a_program_that_was_run_has_ended(end: str | None, found: Verdict) -> None:
    assert verdict(ENDED, True, end) == found


def test_what_is_not_the_programs_fault_is_tried_again() -> None:
    assert "StackOverflowError" in verdict(ENDED, True, f"abnormal\n{STACK}\n").failure
    assert verdict(ENDED, False, "normal").failure == "the Java machine did not start: it ended with code 1"
    assert verdict(KILLED, True, "normal").failure == "the Java machine was killed by signal 9"


class Nothing:
    """A family without processes."""

    def judge(self, report: ExitReport) -> ExitReport:
        return report


@pytest.mark.parametrize(
    ("ad", "hold_code", "text"),
    [
        ("", 0, "Java: FAILED"),
        ("JavaVMArguments = \"-Xa 'b c'\"", 6, "Error from slot1: FAILED, with the arguments -Xa b' 'c: REFUSED"),
        ('JavaVMArgs = "-Xa"', 6, "Error from slot1: FAILED, with the arguments -Xa: REFUSED"),
    ],
)
def test_a_machine_that_does_not_start_is_the_fault_of_the_jobs_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ad: str, hold_code: int, text: str
) -> None:
    job = read_job(ClassAd.from_text_items([("Iwd", f'"{tmp_path}"'), ("Err", '"err"')]), "")
    (tmp_path / "err").write_text("Unrecognized option: -Xa\nError: ...\n")
    place = SimpleNamespace(slot="slot1", sandbox=SimpleNamespace(scratch=str(tmp_path)))
    job_ad = ClassAd.from_text_items([tuple(line.split(" = ")) for line in ad.splitlines()])
    executor = JavaExecutor(JavaSettings(), Nothing(), job_ad, lambda execution: None, lambda line: None)
    executor._execution = Execution(dataclasses.replace(job, transfer=False), place, str(tmp_path), None)
    monkeypatch.setattr(ProcessExecutor, "collect", lambda self: ENDED)
    assert executor.collect() == ENDED
    report = executor.judge(ExitReport("claim", "1.0", 1, exit_code=1))
    told = (report.hold_reason or report.error).replace("Unrecognized option: -Xa", "REFUSED")
    told = told.replace("the Java machine did not start: it ended with code 1", "FAILED")
    assert (report.hold_code, told) == (hold_code, text)


def test_the_ad_has_the_exception() -> None:
    assert Thrown(IO).attributes() == {
        "ExceptionHierarchy": f'"{IO}"',
        "ExceptionName": '"java.io.IOException"',
        "ExceptionType": '"java.lang.Exception"',
    }
    assert Thrown("a.B").attributes() == {"ExceptionHierarchy": '"a.B"', "ExceptionName": '"a.B"'}


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"classpath": ("/usr/lib", ".")}, ["-classpath", "W:/usr/lib:.:a.jar"]),
        ({}, ["-classpath", "W:.:a.jar"]),
        (
            {"classpath_argument": "-cp", "separator": ";x", "extra_arguments": "\"-Xmx64m '-Dx=a b'\""},
            ["-cp", "W;.;a.jar", "-Xmx64m", "-Dx=a b"],
        ),
    ],
)
def test_the_command_line(knobs: dict[str, object], words: list[str]) -> None:
    settings = JavaSettings("/java", **{"classpath": (), **knobs})
    assert machine_words(settings, "W", ("a.jar",)) == ["/java", *words]


def machine(place: Path, text: str) -> JavaSettings:
    path = place / "java"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return JavaSettings(str(path))


@pytest.mark.parametrize(
    ("text", "found", "why"),
    [
        ("echo java.version=9; echo java.vendor=; echo x; echo java.x=y", JavaAbilities(version="9"), ""),
        ("echo java.version=9; echo broken >&2; exit 3", JavaAbilities(), "JAVA failed: broken"),
        ("exit 0", JavaAbilities(), "JAVA failed: "),
    ],
)
def test_the_machine_is_asked(tmp_path: Path, text: str, found: JavaAbilities, why: str) -> None:
    settings = machine(tmp_path, text)
    assert try_java(settings, None) == (found, why.replace("JAVA", settings.command))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (JavaSettings("/not/there"), "cannot run /not/there: No such file or directory"),
        (JavaSettings("/bin/true", extra_arguments='"a'), "cannot run /bin/true: JAVA_EXTRA_ARGUMENTS: "),
    ],
)
def test_what_cannot_be_run_is_told(settings: JavaSettings, why: str) -> None:
    found, told = try_java(settings, None)
    assert not found.any
    assert told.startswith(why)


def test_the_class_file_is_made_of_its_source(tmp_path: Path) -> None:
    compiler = shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no javac")
    version = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=True)
    if not re.match(r"javac 17\b", version.stdout + version.stderr):
        pytest.skip("another javac than the one that made the class file")
    source = SOURCES / "CondorJavaWrapper.java"
    subprocess.run([compiler, "--release", "8", "-g:none", "-d", tmp_path, source], capture_output=True, check=True)
    made = (tmp_path / "CondorJavaWrapper.class").read_bytes()
    assert made == (SOURCES / "CondorJavaWrapper.class").read_bytes()


# ---- the executor -------------------------------------------------------------------------------------------


class World:
    """An executor whose Java machine is not started: ``begun`` is the job that it would be."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, ad: str = "", knobs: str = "", **job: Any) -> None:
        self.root, self.scratch = top / "root", top / "root" / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.said: list[str] = []
        self.begun: list[tuple[Execution, Mapping[str, str]]] = []
        monkeypatch.setattr(
            ProcessExecutor, "start", lambda _self, execution, variables: self.begun.append((execution, variables))
        )
        settings = JavaSettings("/java", extra_arguments=knobs)
        job_ad = ClassAd.from_text_items([tuple(line.split(" = ")) for line in ad.splitlines()])
        self.made = JavaExecutor(settings, Nothing(), job_ad, lambda execution: None, self.said.append, 2.5)
        bare = {"Iwd": str(top), "Cmd": "a.jar", "Args": "Main x", "Err": "err", "ShouldTransferFiles": "YES"}
        read = dataclasses.replace(read_job(ClassAd(bare), "here"), **job)
        place = Place("slot1", "there", Sandbox(str(self.root)), "", {})
        self.execution = Execution(read, place, str(self.scratch), None)

    def start(self, environment: dict[str, str] | None = None) -> tuple[str, tuple[str, ...]]:
        self.made.start(self.execution, environment or {})
        job = self.begun[-1][0].job
        assert not job.transfer_executable
        return job.cmd, tuple(job.arguments)

    def end(self, monkeypatch: pytest.MonkeyPatch, start: bool, end: str | None, ending: Ending = ENDED) -> Ending:
        if start:
            (self.scratch / "jvm.start").touch()
        if end is not None:
            (self.scratch / "jvm.end").write_bytes(end.encode("latin-1"))
        monkeypatch.setattr(ProcessExecutor, "collect", lambda _self: ending)
        return self.made.collect()


def test_the_machine_runs_the_class_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ad = 'JarFiles = "/a/one.jar,two.jar"\nJavaVMArgs = "-Xa -Xb"'
    world = World(tmp_path, monkeypatch, ad, knobs="-Dsite=1")
    scratch = str(world.scratch)
    program, words = world.start()
    assert program == "/java"
    assert words == (
        "-classpath", f"{world.root}/java:.:{scratch}/one.jar:{scratch}/two.jar", "-Dsite=1",
        f"-Dchirp.config={scratch}/chirp.config", "-Xa", "-Xb", "CondorJavaWrapper", f"{scratch}/jvm.start",
        f"{scratch}/jvm.end", "Main", "x",
    )  # fmt: skip
    assert world.start({"_CONDOR_CHIRP_CONFIG": "/c"})[1][3] == "-Dchirp.config=/c"
    shared = World(tmp_path, monkeypatch, ad, transfer=False)
    assert shared.start()[1][1] == f"{world.root}/java:.:/a/one.jar:two.jar"
    assert shared.made.look_interval == 2.5


def test_every_account_may_read_the_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    before = os.umask(0o077)
    try:
        world.start()
        world.start()
    finally:
        os.umask(before)
    wrapper = world.root / "java" / "CondorJavaWrapper.class"
    assert wrapper.read_bytes() == (SOURCES / "CondorJavaWrapper.class").read_bytes()
    assert (wrapper.stat().st_mode & 0o777, wrapper.parent.stat().st_mode & 0o777) == (0o644, 0o755)


def test_without_a_java_machine_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    world.made._settings = JavaSettings("")
    with pytest.raises(OSError, match="JAVA is not set: this machine runs no jobs of the java universe") as caught:
        world.start()
    assert caught.value.errno == 2
    odd = World(tmp_path, monkeypatch, knobs='"a')
    with pytest.raises(OSError, match="JAVA_EXTRA_ARGUMENTS: ") as caught:
        odd.start()
    assert caught.value.errno == 22


def test_arguments_of_a_job_that_cannot_be_read_hold_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch, 'JavaVMArguments = "\'a"')
    with pytest.raises(StartError, match="JavaVMArguments cannot be read: ") as caught:
        world.start()
    assert (caught.value.code, caught.value.subcode) == (6, 0)


def test_an_exception_counts_as_a_signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    world.start()
    ending = world.end(monkeypatch, True, f"abnormal\n{IO} \n")
    assert (ending.exit_code, ending.exit_signal) == (None, 15)
    assert world.said == ["Java: the program ended by java.io.IOException"]
    assert world.made.news() == Thrown(IO).attributes()
    assert world.made.news() == {}
    assert os.listdir(world.scratch) == []
    report = ExitReport("claim", "1.0", 1, exit_signal=15)
    assert world.made.judge(report) == report


def test_what_the_run_before_has_written_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    for name in ("jvm.start", "jvm.end"):
        (world.scratch / name).write_text(f"abnormal\n{IO}\n")
    world.start()
    assert os.listdir(world.scratch) == []
    assert world.end(monkeypatch, True, None) == ENDED
    assert (world.said, world.made.news()) == ([], {})


def test_an_error_of_the_machine_runs_the_job_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch, 'JavaVMArgs = "-Xa"')
    world.start()
    assert world.end(monkeypatch, True, f"abnormal\n{STACK}\n") == ENDED
    failure = "the program threw a java.lang.StackOverflowError (java.lang.Error), and is tried again"
    assert world.said == [f"Java: {failure}"]
    assert world.made.news()["ExceptionType"] == '"java.lang.Error"'
    report = world.made.judge(ExitReport("claim", "1.0", 1, exit_code=1))
    assert (report.error, report.exit_code, report.exit_signal, report.hold_code) == (f"Java: {failure}", None, None, 0)
    for known in ({"hold_code": 3}, {"error": "no disk"}, {"vacated": True}):
        given = dataclasses.replace(ExitReport("claim", "1.0", 1, exit_code=1), **known)
        assert world.made.judge(given) is given
    world.start()
    assert world.made.judge(ExitReport("claim", "1.0", 1)).error == "", "it is another run"


def test_what_a_job_wrote_in_the_place_of_the_record_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, monkeypatch)
    world.start()
    assert world.end(monkeypatch, True, "\xff" * 20_000) == ENDED
    assert world.said == ["Java: the end of the program cannot be read"]
    assert world.made._records(world.execution) == (False, None)
    (world.scratch / "jvm.start").touch()
    assert world.made._records(world.execution) == (True, None)
    (world.scratch / "jvm.end").write_bytes(b"\xff" * 20_000)
    assert world.made._records(world.execution) == (True, "\ufffd" * 8192)
    (world.scratch / "jvm.end").unlink()
    (world.scratch / "jvm.end").symlink_to("/etc/hostname")
    assert world.made._records(world.execution) == (True, None), "a link is not followed"


@pytest.mark.parametrize(("streams", "place"), [(True, "err"), (False, "root/scratch/_condor_stderr")])
def test_the_complaint_of_the_machine_is_where_the_error_output_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streams: bool, place: str
) -> None:
    world = World(tmp_path, monkeypatch, 'JavaVMArgs = "-Xa"', stream_error=streams)
    (tmp_path / place).write_bytes(b" bad \xff option \nmore\n")
    world.start()
    world.end(monkeypatch, False, None)
    report = world.made.judge(ExitReport("claim", "1.0", 1, exit_code=1))
    assert report.hold_reason.endswith("with the arguments -Xa: bad \ufffd option")
    (tmp_path / place).unlink()
    world.start()
    world.end(monkeypatch, False, None)
    report = world.made.judge(ExitReport("claim", "1.0", 1, exit_code=1))
    assert report.hold_reason.endswith("with the arguments -Xa")
    (tmp_path / place).write_text("x" * 1000)
    world.start()
    world.end(monkeypatch, False, None)
    assert len(world.made._complaint) == 200


def test_the_trial_of_the_machine_is_that_of_its_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another account need not be able to read this package; and others have the processors first."""
    started: list[Any] = []

    def begin(launch: Any, stdin: int, stdout: int, stderr: int) -> Any:
        place = launch.argv[2].split(":")[0]
        started.append((launch, place, os.listdir(place), os.stat(place[: -len("/java")]).st_mode & 0o777))
        return subprocess.Popen(["/bin/echo", "java.version=9"], stdout=stdout, stderr=stderr)

    monkeypatch.setattr(java, "start", begin)
    monkeypatch.setenv("PATH", "/own")
    user = Account("nobody", 65534, 65534, "/", ())
    assert try_java(JavaSettings("/java"), user) == (JavaAbilities(version="9"), "")
    launch, place, files, mode = started[0]
    assert launch.argv[0] == launch.program == "/java"
    assert (launch.argv[-1], launch.environment, launch.directory) == ("CondorJavaWrapper", {"PATH": "/own"}, "/")
    assert (launch.user, launch.umask, launch.niceness) == (user, 0o022, 10)
    assert (files, mode) == (["CondorJavaWrapper.class"], 0o755)
    assert not os.path.exists(place)
    monkeypatch.delenv("PATH")
    monkeypatch.setattr(java, "start", lambda launch, *streams: started.append(launch) or begin_one())
    try_java(JavaSettings("/java"), None)
    assert started[-1].environment == {"PATH": java.PATH}
    assert started[-1].argv[2] == f"{SOURCES}:."


def begin_one() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["/bin/true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_machine_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_PATIENCE", 0.05)
    settings = machine(tmp_path, "exec sleep 1000")
    assert try_java(settings, None) == (JavaAbilities(), f"{settings.command} did not answer within 0 seconds")


def test_what_a_machine_tells_is_short(tmp_path: Path) -> None:
    settings = machine(tmp_path, f"echo java.version={'9' * 300}; echo java.specification.version=' 8 '")
    found, _ = try_java(settings, None)
    assert (found.version, found.specification) == ("9" * 200, "8")
    _, why = try_java(machine(tmp_path, f"echo {'x' * 1000} >&2; exit 1"), None)
    assert len(why) == 400
