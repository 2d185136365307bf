"""The java universe: how a program ended, the command line, and the trial of the Java machine."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import java
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.java import JavaExecutor, Thrown, Verdict, machine_words, try_java, verdict
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import Ending
from condor_py.machine.run.processes import ProcessExecutor
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
