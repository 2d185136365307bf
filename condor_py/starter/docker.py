"""The executor of jobs in containers: docker, or podman, which understands the same commands.

A container is made (``create``), and a client waits for it (``start --attach``): that is the child which stands for the
program. Everything else is a short command of the engine. A container carries a label and a name that tell whose it is;
what a dead starter leaves is removed by the startd (``remove_left``).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from condor_py.classad import ClassAd
from condor_py.model.report import ExitReport
from condor_py.model.settings.starter import DockerSettings
from condor_py.model.states import HoldCode
from condor_py.starter.dockerwords import LABEL, check_image, create_words, is_name, place_label
from condor_py.starter.executor import Execution
from condor_py.starter.family import Family, FamilyUsage, reap_all
from condor_py.starter.identity import Account, as_user
from condor_py.starter.process import Ending, StartError, Streams, check_directory, collect, open_streams
from condor_py.starter.session import MARK, SessionPlace, SessionRequest
from condor_py.starter.spawning import Launch, Program, start, start_on

#: Seconds for a command of the engine; for an image to come; and for an ended container to be known as one.
_PATIENCE, _PULLING, _SETTLING = 120.0, 72_000.0, 20.0
#: Exit codes beyond this are signals, as shells have it.
_SIGNALS = 128
#: Hold subcode of memory.
_MEMORY = 102
#: What the engine's own programs are told of our environment.
_INHERITED = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONFIG", "CONTAINER_HOST", "TMPDIR")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: A login shell of the container: the first of its arguments that is there.
_LOGIN = 'for s in "$@"; do if command -v "$s" >/dev/null 2>&1; then exec "$s" -l; fi; done; exec /bin/sh -l'
#: Characters of what an engine says that a HoldReason shows.
_SHOWN = 511


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command of the engine ended; ``code`` -1: it did not answer in time, and was killed."""

    code: int
    out: str
    err: str


class Engine:
    """The program of an engine (DOCKER), run with our rights and few of our variables. Those of a job could make it do
    anything: it gets none of them. OSError when it is not there."""

    def __init__(self, command: str) -> None:
        self.argv = tuple(command.split()) if command.startswith("sudo ") else (command,)
        found = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self.environment = {"PATH": _PATH, **found}

    def is_there(self) -> bool:
        """Whether there is a program to ask."""
        return os.path.exists(self.argv[-1])

    def ask(self, *words: str, patience: float = _PATIENCE) -> Answer:
        """Runs a command to its end, or for ``patience`` seconds."""
        launch = Launch((*self.argv, *words), self.environment, "/")
        process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Answer(-1, "", f"{self.argv[0]} {words[0]} did not answer within {patience:.0f} seconds")
        return Answer(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    def state(self, name: str) -> dict[str, Any] | None:
        """What the engine knows of a container (Running, ExitCode, OOMKilled, Error, Pid); None when that is
        nothing."""
        answer = self.ask("inspect", "--type", "container", "--format", "{{json .State}}", name)
        try:
            found = json.loads(answer.out) if answer.code == 0 else None
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


def image_of(ad: ClassAd) -> str:
    """The image of a job as the engine calls it, with its tag; "" when it has none."""
    image = ad.eval_str("DockerImage", None) or ad.eval_str("ContainerImage", None) or ""
    image = image.removeprefix("docker://")
    if not image or "@" in image or ":" in image.rpartition("/")[2]:
        return image
    return f"{image}:latest"


def container_name(job_id: str, slot: str, starter: int) -> str:
    """The name of the container of a job: it tells the job, the slot and the process number of the starter."""
    tag = "".join(char if char.isalnum() or char in "_.-" else "_" for char in slot.partition("@")[0])
    return f"HTCJob{job_id.replace('.', '_')}_{tag}_PID{starter}"


def remove_left(command: str, execute: str, starter: int = 0) -> list[str]:
    """Removes the containers that dead starters of the pool with this EXECUTE have left, or only that of one process
    number; their ids. Those of others are not touched. OSError."""
    engine = Engine(command)
    filters = [f"label={LABEL}", f"label={place_label(execute)}", *([f"name=_PID{starter}$"] if starter else [])]
    answer = engine.ask("ps", "--all", "--quiet", *(word for each in filters for word in ("--filter", each)))
    found = answer.out.split() if answer.code == 0 else []
    for container in found:
        engine.ask("rm", "--force", container)
    return found


class DockerExecutor:
    """See Executor. ``family`` knows the processes of the machine, of which the engine's client is one."""

    tmp = ""
    counts_ended = False

    def __init__(
        self,
        settings: DockerSettings,
        family: Family,
        slot_ad: ClassAd,
        job_ad: ClassAd,
        log: Callable[[str], None],
        look_interval: float = 5.0,
    ) -> None:
        self.pid = 0
        self.look_interval = look_interval
        self._settings = settings
        self._family = family
        self._slot_ad, self._job_ad = slot_ad, job_ad
        self._log = log
        self._engine = Engine(settings.command)
        self._image = image_of(job_ad)
        self._name = ""
        self._client: Program | None = None
        self._running = False
        self._root_pid = 0
        self._last: FamilyUsage | None = None
        self._state: dict[str, Any] = {}

    # -- the start

    @property
    def fetches_much(self) -> bool:
        """Unless the image is here."""
        return not self._is_here() or self._always_pulls

    @property
    def _always_pulls(self) -> bool:
        return (self._job_ad.eval_str("DockerPullPolicy", None) or "").lower() == "always"

    def _is_here(self) -> bool:
        """Without an engine nothing is; ``fetch`` will tell that."""
        if not is_name(self._image) or not self._engine.is_there():
            return False
        return self._engine.ask("image", "inspect", "--format", "{{.Id}}", self._image).code == 0

    def fetch(self, execution: Execution) -> None:
        """Pulls the image. StartError 35 when it cannot be had."""
        check_image(self._image)
        if not self.fetches_much:
            return
        self._log(f"Pulling image {self._image}")
        answer = self._engine.ask("pull", "--quiet", self._image, patience=_PULLING)
        if answer.code != 0:
            raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, f"Cannot pull image {self._image} {_line(answer.err)}")

    def prepare(self, execution: Execution) -> None:
        """The engine prepares its containers itself."""

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Makes the container and starts it. StartError 35 when the engine does not like the image."""
        self._remove()
        self._name = container_name(execution.job.job_id, execution.place.slot, os.getpid())
        check_image(self._image)
        with as_user(execution.owner):  # again: the pull may have taken hours
            check_directory(execution.directory)
        own = self._own_environment(execution, environment)
        words = create_words(self._settings, self._slot_ad, self._job_ad, execution, self._name, self._image, own)
        answer = self._engine.ask("create", *words)
        if answer.code != 0:
            self._remove()
            raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, _line(answer.err))
        self._client = self._attach(execution)
        self.pid = self._client.pid
        self._running, self._root_pid, self._last = True, 0, None

    def _own_environment(self, execution: Execution, environment: Mapping[str, str]) -> dict[str, str]:
        """Without the PATH of this machine, which means nothing in an image."""
        own = execution.job.environment
        return {name: value for name, value in environment.items() if name != "PATH" or name in own}

    def _attach(self, execution: Execution) -> Program:
        """The client, whose streams are those of the program."""
        job, place = execution.job, execution.place
        with as_user(execution.owner):
            streams = open_streams(job, execution.directory, place.sandbox.scratch, place.slot)
        attached = ("--attach", "--interactive") if job.stdin != os.devnull else ("--attach",)
        argv = (*self._engine.argv, "start", *attached, self._name)
        try:
            launch = Launch(argv, self._engine.environment, "/", program=self._engine.argv[0])
            return start_on(launch, (streams.stdin, streams.stdout, streams.stderr))
        finally:
            streams.close()

    # -- while it runs

    def watch(self) -> int:
        """Of the engine's program that attends the container."""
        return os.pidfd_open(self.pid)

    def signal(self, number: int) -> None:
        """To the first process of the container, or to that which its init runs."""
        if self._running and number:
            self._say("kill", "--signal", str(number))

    def kill(self) -> None:
        """Ends the container. One whose program has not begun yet cannot be killed: it is removed."""
        if self._running and not self._say("kill", "--signal", "KILL"):
            self._engine.ask("rm", "--force", self._name)

    def suspend(self) -> int:
        """The engine freezes the container."""
        return self._say("pause") and len(self._inside())

    def resume(self) -> int:
        """It goes on."""
        return self._say("unpause") and len(self._inside())

    def dismiss(self) -> None:
        """Sessions need the container, which lives as long as its program: it stays."""

    def _say(self, verb: str, *options: str) -> bool:
        answer = self._engine.ask(verb, *options, self._name)
        if answer.code != 0:
            self._log(f"{self._engine.argv[0]} {verb} {self._name}: {_line(answer.err)}")
        return answer.code == 0

    def _inside(self) -> set[int]:
        """The processes of the container, as this machine numbers them."""
        if not self._root_pid and self._running:
            self._root_pid = int((self._engine.state(self._name) or {}).get("Pid") or 0)
        root = self._root_pid
        return {root} | self._family.descendants(root) if root else set()

    def usage(self) -> FamilyUsage:
        """Of the processes that live in the container."""
        self._last = self._family.usage(self._inside())
        return self._last

    def over_limit(self) -> bool:
        """The engine sees to that."""
        return False

    # -- sessions

    def admit(self) -> None:
        """The engine lets sessions in."""

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """A shell or a command in the container, with a client of the engine that stands for it."""
        import fcntl
        import termios

        def take_terminal() -> None:
            if request.terminal:
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        own = {**dict(request.variables), "_CONDOR_SLOT_NAME": place.slot, MARK: place.mark}
        variables = [word for name, value in own.items() for word in ("--env", f"{name}={value}")]
        how = "--interactive", *(("--tty",) if request.terminal else ())
        command = ("-c", request.command) if request.command else ("-c", _LOGIN, "sh", *request.shells)
        words = "exec", *how, *variables, "--workdir", place.directory, self._name, "/bin/sh", *command
        environment = {**self._engine.environment, MARK: place.mark}
        launch = Launch((*self._engine.argv, *words), environment, "/", enter=take_terminal)
        return start(launch, streams.stdin, streams.stdout, streams.stderr)

    # -- the end

    def collect(self) -> Ending:
        """Asks the engine how the container ended; where it does not know, what its client says counts."""
        assert self._client is not None
        waited = collect(self._client)
        self._running, self._root_pid = False, 0
        self._state = self._settled()
        code = self._state.get("ExitCode", waited.exit_code)
        number = code - _SIGNALS if isinstance(code, int) and code > _SIGNALS else waited.exit_signal
        used = self._last
        return Ending(
            exit_code=None if number else int(code or 0),
            exit_signal=number,
            core_dumped=False,
            user_cpu=used.user_cpu if used is not None else 0.0,
            sys_cpu=used.sys_cpu if used is not None else 0.0,
            max_rss_kb=used.rss_kb if used is not None else 0,
        )

    def _settled(self) -> dict[str, Any]:
        """The state of the container when the engine has noticed that it is over."""
        state = self._engine.state(self._name)
        if state is not None and state.get("Running"):
            self._engine.ask("wait", self._name, patience=_SETTLING)
            state = self._engine.state(self._name)
        return state or {}

    def end(self) -> None:
        """Removes the container with everything in it, and collects our own children."""
        self._remove()
        while not reap_all():
            self._family.kill_family(lambda: self._family.descendants(os.getpid()))

    def _remove(self) -> None:
        """What cannot be removed keeps its name, and is tried again."""
        if not self._name:
            return
        answer = self._engine.ask("rm", "--force", self._name)
        if answer.code == 0 or self._engine.state(self._name) is None:
            self._name = ""
        else:
            self._log(f"{self._engine.argv[0]} rm {self._name}: {_line(answer.err)}")

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """What was used after the last look is not known."""
        return 0.0, 0.0

    def judge(self, report: ExitReport) -> ExitReport:
        """A job is held that was killed for its memory, or whose program the engine could not start."""
        if self._state.get("OOMKilled") is True:
            memory = self._slot_ad.eval_int("Memory", 0)
            reason = f"Docker job has gone over memory limit of {memory} Mb"
            return _held(report, HoldCode.JOB_OUT_OF_RESOURCES, _MEMORY, reason)
        if error := str(self._state.get("Error") or ""):
            return _held(report, HoldCode.FAILED_TO_CREATE_PROCESS, 0, f"Error running docker job: {_line(error)}")
        return report

    def close(self) -> None:
        """Removes the container."""
        self._remove()


def _held(report: ExitReport, code: HoldCode, subcode: int, reason: str) -> ExitReport:
    return replace(report, hold_code=int(code), hold_subcode=subcode, hold_reason=reason)


def _line(text: str) -> str:
    """What an engine says, as one line."""
    return " ".join(text.split())[:_SHOWN]
