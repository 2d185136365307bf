"""The java universe: the executor of its jobs, and the trial of the Java machine.

A wrapper written in Java (``libexec/CondorJavaWrapper.java``) runs the class of the job. Without it an exception of the
program could not be distinguished from System.exit(1), nor a program that does not exist from a Java machine that does
not work. It is here as a class file, too, because a machine that runs Java programs need not have a compiler.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.run.engine import PATH, Answer
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import Family
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import STDERR_NAME
from condor_py.machine.run.process import Ending, StartError
from condor_py.machine.run.processes import Cover, ProcessExecutor
from condor_py.machine.run.spawning import Launch, answer_of, start
from condor_py.machine.run.userfiles import user_file
from condor_py.machine.run.verdict import held
from condor_py.model.arguments import ArgumentError, join_v2, parse_arguments, split_v2
from condor_py.model.commonfiles import split_files
from condor_py.model.report import ExitReport
from condor_py.model.settings.java import JavaAbilities, JavaSettings
from condor_py.model.states import HoldCode

_WRAPPER = "CondorJavaWrapper"
_CLASS_FILE = f"{os.path.dirname(os.path.abspath(__file__))}/libexec/{_WRAPPER}.class"
#: What the wrapper writes in the scratch directory.
START_NAME, END_NAME = "jvm.start", "jvm.end"
#: Bytes of END_NAME that are read: a job may have written it.
_READ = 8192
#: Classes that divide exceptions into kinds, and the kind that is not the program's fault.
_KINDS = ("java.lang.Error", "java.lang.LinkageError", "java.lang.Exception", "java.lang.RuntimeException")
_OF_THE_MACHINE = "java.lang.Error"
#: Seconds that a Java machine may take to describe itself, and characters of each fact.
_PATIENCE, _SHOWN = 60.0, 200
#: The trial leaves the processors to what the startd does at its start.
_NICENESS = 10
_FACTS = {"java.vendor": "vendor", "java.version": "version", "java.specification.version": "specification"}


def machine_words(settings: JavaSettings, wrapper: str, jars: tuple[str, ...] = ()) -> list[str]:
    """Return the command line up to the arguments of one job; ``wrapper`` is the directory of the wrapper's class.
    OSError when JAVA_EXTRA_ARGUMENTS cannot be read."""
    places = (wrapper, *(settings.classpath or (".",)), *jars)
    try:
        extra, _ = parse_arguments(settings.extra_arguments)
    except ArgumentError as error:
        raise OSError(22, f"JAVA_EXTRA_ARGUMENTS: {error}") from None
    return [
        settings.command,
        settings.classpath_argument,
        settings.separator[:1].join(places),
        *extra,
    ]


# -- the machine's Java ------------------------------------------------------------------------------------------------


def try_java(settings: JavaSettings, user: Account | None) -> tuple[JavaAbilities, str]:
    """Return what the Java machine says of itself, or why it does not work. ``user`` is whose rights it is tried with;
    None for ours."""
    try:
        if user is None:
            said, code = _ask(machine_words(settings, os.path.dirname(_CLASS_FILE)), None)
        else:  # another account need not be able to read this package
            with tempfile.TemporaryDirectory(prefix="java_test.") as place:
                os.chmod(place, 0o755)
                said, code = _ask(machine_words(settings, _put_wrapper(place)), user)
    except OSError as error:
        return JavaAbilities(), f"cannot run {settings.command}: {error.strerror}"
    if said is None:
        return JavaAbilities(), f"{settings.command} did not answer within {_PATIENCE:.0f} seconds"
    answer = Answer.of(code, *said)
    found = JavaAbilities(**_facts(answer.out)) if answer.code == 0 else JavaAbilities()
    return found, "" if found.any else f"{settings.command} failed: {answer.line}"[: 2 * _SHOWN]


def _ask(words: list[str], user: Account | None) -> tuple[tuple[bytes, bytes] | None, int]:
    """Return the output of the wrapper without arguments (None: it takes too long), and its exit code. OSError."""
    environment = {"PATH": os.environ.get("PATH") or PATH}
    launch = Launch([*words, _WRAPPER], environment, "/", user, words[0], umask=0o022, niceness=_NICENESS)
    process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
    return answer_of(process, _PATIENCE), process.returncode


def _facts(out: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in out.splitlines())
    return {_FACTS[name]: value.strip()[:_SHOWN] for name, _, value in pairs if name in _FACTS}


# -- how a program ended -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Thrown:
    """The exception that ended a program: the names of its classes, from Object down."""

    hierarchy: str

    @property
    def name(self) -> str:
        """Its own class."""
        return self.hierarchy.split()[-1]

    @property
    def kind(self) -> str:
        """The innermost of _KINDS; "" for none."""
        return next((word for word in reversed(self.hierarchy.split()) if word in _KINDS), "")

    def attributes(self) -> dict[str, str]:
        """Return what the job's ad has about it."""
        named = {"ExceptionHierarchy": self.hierarchy, "ExceptionName": self.name, "ExceptionType": self.kind}
        return {attribute: quote_string(text) for attribute, text in named.items() if text}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a program: by an exception that is its own (``thrown``), or because the Java machine failed
    (``failure``); neither when it returned from main or called System.exit. ``started``: the wrapper has begun."""

    thrown: Thrown | None = None
    failure: str = ""
    started: bool = True


def verdict(ending: Ending, started: bool, end: str | None) -> Verdict:
    """``started``: the wrapper has begun; ``end`` is what it wrote at the end, None for nothing."""
    if ending.exit_signal is not None:
        return Verdict(failure=f"the Java machine was killed by signal {ending.exit_signal}")
    if not started:
        failure = f"the Java machine did not start: it ended with code {ending.exit_code}"
        return Verdict(failure=failure, started=False)
    lines = (end or "").splitlines()
    word = lines[0].strip() if lines else ""
    thrown = Thrown(lines[1].strip()) if len(lines) > 1 and lines[1].strip() else None
    match word:
        case "" | "normal":
            return Verdict()
        case "abnormal" if thrown is not None and thrown.kind == _OF_THE_MACHINE:
            return Verdict(thrown, f"the program threw a {thrown.name} ({thrown.kind}), and is tried again")
        case "abnormal" | "noexec":
            return Verdict(thrown or Thrown("unknown"))
        case _:
            return Verdict(failure="the end of the program cannot be read")


class JavaExecutor(ProcessExecutor):
    """See Executor. The program is the Java machine, which runs the class that is the first argument of the job."""

    def __init__(
        self,
        settings: JavaSettings,
        family: Family,
        job_ad: ClassAd,
        cover: Callable[[Execution], Cover | None],
        log: Callable[[str], None],
        look_interval: float = 1.0,
    ) -> None:
        super().__init__(family, job_ad, cover, look_interval)
        self._settings = settings
        self._log = log
        self._execution: Execution | None = None
        self._verdict = Verdict()
        self._complaint = ""
        self._news: dict[str, str] = {}

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Starts the Java machine. StartError when the job's arguments for it cannot be read."""
        if not self._settings.command:
            raise OSError(2, "JAVA is not set: this machine runs no jobs of the java universe")
        self._execution = execution
        self._verdict = Verdict()
        root, scratch = execution.place.sandbox.root, execution.place.sandbox.scratch
        wrapper = _put_wrapper(root)
        self._forget(execution)  # of the run before, from a checkpoint on
        chirp = environment.get("_CONDOR_CHIRP_CONFIG", f"{scratch}/chirp.config")
        machine = machine_words(self._settings, wrapper, self._jars(execution))
        words = (
            *machine[1:],
            f"-Dchirp.config={chirp}",
            *_vm_arguments(self._job_ad),
            _WRAPPER,
            f"{scratch}/{START_NAME}",
            f"{scratch}/{END_NAME}",
            *execution.job.arguments,
        )
        job = replace(execution.job, cmd=machine[0], arguments=words, transfer_executable=False)
        super().start(replace(execution, job=job), environment)

    def _jars(self, execution: Execution) -> tuple[str, ...]:
        """The jar files of the job: those that were transferred are in the scratch directory."""
        jars = split_files(self._job_ad.eval_str("JarFiles", None))
        if not execution.job.transfer:
            return jars
        return tuple(f"{execution.place.sandbox.scratch}/{os.path.basename(jar)}" for jar in jars)

    def collect(self) -> Ending:
        """Waits for the Java machine, and describes how its program ended: an exception counts as a signal."""
        ending = super().collect()
        execution = self._execution
        assert execution is not None
        self._verdict = found = verdict(ending, *self._records(execution))
        if not found.started:
            self._complaint = self._first_line(execution)
        self._forget(execution)
        if found.thrown is not None:
            self._news = found.thrown.attributes()
        if found.failure:
            self._log(f"Java: {found.failure}")
        elif found.thrown is not None:
            self._log(f"Java: the program ended by {found.thrown.name}")
            return replace(ending, exit_code=None, exit_signal=int(signal.SIGTERM))
        return ending

    def _records(self, execution: Execution) -> tuple[bool, str | None]:
        """Whether the wrapper has begun, and what it wrote at the end."""
        scratch = execution.place.sandbox.scratch
        with as_user(execution.owner):
            if not os.path.lexists(f"{scratch}/{START_NAME}"):
                return False, None
            try:
                with user_file(f"{scratch}/{END_NAME}", errors="replace") as file:
                    return True, str(file.read(_READ))
            except OSError:
                return True, None

    def _first_line(self, execution: Execution) -> str:
        """The first line of the error output."""
        job, scratch = execution.job, execution.place.sandbox.scratch
        streamed = not job.transfer or job.stream_error
        path = os.path.join(job.iwd, job.stderr) if streamed else f"{scratch}/{STDERR_NAME}"
        with as_user(execution.owner), suppress(OSError), user_file(path, errors="replace", links=True) as file:
            return str(file.readline(_SHOWN)).strip()
        return ""

    def _forget(self, execution: Execution) -> None:
        with as_user(execution.owner):
            for name in (START_NAME, END_NAME):
                with suppress(OSError):
                    os.unlink(f"{execution.place.sandbox.scratch}/{name}")

    def news(self) -> dict[str, str]:
        """Attributes of the exception that ended the program."""
        news, self._news = self._news, {}
        return news

    def judge(self, report: ExitReport) -> ExitReport:
        """A job runs again when the Java machine has failed; it is held when its own arguments keep that from
        starting."""
        report = super().judge(report)
        failure = self._verdict.failure
        if not failure or report.hold_code or report.error or report.vacated:
            return report
        if not self._verdict.started and (words := _vm_arguments(self._job_ad)) and self._execution is not None:
            slot = self._execution.place.slot
            text = f"Error from {slot}: {failure}, with the arguments {join_v2(words)}: {self._complaint}"
            return held(report, HoldCode.FAILED_TO_CREATE_PROCESS, 0, text.rstrip(": "))
        return replace(report, error=f"Java: {failure}", exit_code=None, exit_signal=None)


def _put_wrapper(root: str) -> str:
    """Puts the wrapper where every account can read it, next to the scratch directory, and returns its directory."""
    place = f"{root}/java"
    os.makedirs(place, exist_ok=True)
    os.chmod(place, 0o755)
    with open(_CLASS_FILE, "rb") as source, open(f"{place}/{_WRAPPER}.class", "wb") as copy:
        copy.write(source.read())
    os.chmod(f"{place}/{_WRAPPER}.class", 0o644)
    return place


def _vm_arguments(ad: ClassAd) -> list[str]:
    """The arguments that a job has for the Java machine. StartError."""
    quoted = ad.eval_str("JavaVMArguments", None)
    if quoted is None:
        return (ad.eval_str("JavaVMArgs", None) or "").split()
    try:
        return split_v2(quoted)
    except ArgumentError as error:
        text = f"JavaVMArguments cannot be read: {error}"
        raise StartError(HoldCode.FAILED_TO_CREATE_PROCESS, 0, text) from None
