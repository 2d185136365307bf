"""The executor of jobs in containers: docker, or podman, which understands the same commands.

A container is made (``create``), and a client waits for it (``start -a``): that is the child which represents the
program. Everything else is a short command of the engine. A container carries a label and a name that tell whose it is;
what a dead starter leaves is removed by the startd (``engine.remove_left``).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import dockercredentials
from condor_py.machine.run.dockerclient import Client, start_client
from condor_py.machine.run.dockerimages import Images, check_image, image_of, is_name, marked
from condor_py.machine.run.dockervolumes import scratch_directories
from condor_py.machine.run.dockerwords import Wanted, create_words, service_ports
from condor_py.machine.run.engine import Engine, one_line
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.family import ContainerUsage, ContainerWatch, Family, reap_all
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.process import (
    Ending,
    StartError,
    Streams,
    check_directory,
    collect,
    open_streams,
    set_limits,
)
from condor_py.machine.run.session import LOGIN, MARK, SessionPlace, SessionRequest, refuse_words
from condor_py.machine.run.spawning import Launch, start
from condor_py.model.arguments import ArgumentError
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.states import HoldCode, VacateCode

#: Seconds for an ended container to be known as one.
_SETTLING = 20.0
#: Seconds in which an engine is not asked about the container that it is just starting.
_UNDISTURBED = 0.7
#: Seconds between the first looks: the container is there soon, and may have got another directory than it should.
_LOOKS = (0.1, *(0.05 for _ in range(8)), 0.25, 1.0, 2.0, 5.0)
#: The file that podman's conmon leaves where it was started.
_NOTICE = "oom"
#: What an engine says of a container that was not started; it has no outcome, whatever exit code it is said to have.
_ONLY_MADE = "created"
#: Exit codes beyond this are signals, as shells have it.
_SIGNALS = 128
#: But for what programs mean that say -1.
_MINUS_ONE = 255
#: Begins the names of variables that tell whose child a process of ours is.
_ANCESTOR = "_CONDOR_ANCESTOR_"
#: Hold subcode of memory.
_MEMORY = 102
#: What an image may be made for that runs here.
_ARCHITECTURES = {"x86_64": ("amd64", ""), "aarch64": ("arm64", "aarch64", "")}


def container_name(job_id: str, slot: str, starter: int) -> str:
    """The name of the container of a job, with the job, the slot and the process id of the starter."""
    tag = "".join(char if char.isalnum() or char in "_.-" else "_" for char in slot.partition("@")[0])
    return f"HTCJob{job_id.replace('.', '_')}_{tag}_PID{starter}"


@dataclass(frozen=True, slots=True)
class Within:
    """The slot that a container is made in: its ad, the cpus that it is bound to, and names of images that are known to
    be here and to run."""

    slot_ad: ClassAd
    cores: tuple[int, ...] = ()
    images: frozenset[str] = frozenset()


class DockerExecutor:
    """See Executor. ``family`` knows the processes of the machine, among them the engine's client."""

    tmp = ""
    #: The control group of the container counts what has ended in it.
    counts_ended = True
    first_looks: tuple[float, ...] = _LOOKS

    def __init__(
        self,
        settings: DockerSettings,
        family: Family,
        within: Within,
        job_ad: ClassAd,
        log: Callable[[str], None],
        look_interval: float = 5.0,
    ) -> None:
        self.pid = 0
        self.look_interval = look_interval
        self._settings = settings
        self._family = family
        self._within, self._job_ad = within, job_ad
        self._log = log
        self._engine = Engine(settings.command)
        self._images = Images(self._engine, settings)
        self._image = image_of(job_ad)
        self._architecture: str | None = None
        self._user = job_ad.eval_str("User", None) or ""
        self._name = ""
        self._client: Client | None = None
        self._running = self._collected = False
        self._begun = 0.0
        self._complaint = ""
        self._root_pid = 0
        self._watch: ContainerWatch | None = None
        #: What podman leaves when something in a container was killed for its memory (its state does not tell it where
        #: control groups have version 1).
        self._notice = ""
        self._last: ContainerUsage | None = None
        self._state: dict[str, Any] = {}
        #: What directories of the owner, by their names inside, were when the owner could enter them.
        self._directories: dict[str, tuple[int, int]] = {}
        #: The one of them that became another one.
        self._swapped = ""
        self._sends_credentials = job_ad.eval_bool("DockerSendCredentials", False) is True
        self._root = ""
        self._asks_ports = bool(job_ad.eval_str("ContainerServiceNames", None))
        self._told: tuple[str, ...] = ()

    # -- the start

    @property
    def fetches_much(self) -> bool:
        """Unless the image is here."""
        return self._sends_credentials or not self._is_here()

    @property
    def _mark(self) -> str:
        """Return the image's name for a user who may have it."""
        return self._image if self._settings.trusts_local_images else marked(self._image, self._user)

    def _is_here(self) -> bool:
        """Whether the image may be used without asking for it. Without an engine nothing is here; ``fetch`` will tell
        that."""
        if self._mark in self._within.images:
            return True
        if not is_name(self._image) or not self._engine.is_there():
            return False
        self._architecture = self._images.architecture(self._mark)
        return self._architecture is not None

    def fetch(self, execution: Execution) -> None:
        """Pulls the image. StartError 35 when it cannot be had, or is not for this machine."""
        check_image(self._image)
        if self._sends_credentials:
            dockercredentials.bring(
                self._settings.credentials_program, execution.owner, self._let_credentials_be_used(execution)
            )
        if self._architecture is None and not self._is_here():
            self._log(f"Pulling image {self._image}")
            self._images.pull(self._image)
            if self._mark != self._image:
                self._images.mark(self._image, self._user)
            self._architecture = self._images.architecture(self._image)
        fitting = _ARCHITECTURES.get(os.uname().machine)
        found = self._architecture
        if self._settings.checks_architecture and fitting is not None and found is not None and found not in fitting:
            text = f"DockerProc::StartJob(): Image Architecture {found} not compatible with this machine."
            raise StartError(HoldCode.INVALID_DOCKER_IMAGE, 0, text)

    def _let_credentials_be_used(self, execution: Execution) -> str:
        """The engine looks for them where they lie; where that is."""
        self._root = execution.place.sandbox.root
        self._engine.environment.update(dockercredentials.variables(self._root))
        return self._root

    def prepare(self, execution: Execution) -> None:
        """The engine prepares its containers itself; a child may have fetched what it needs."""
        if self._sends_credentials:
            self._let_credentials_be_used(execution)

    def start(self, execution: Execution, environment: Mapping[str, str]) -> None:
        """Has the container made and started. StartError for what the job may not have."""
        self._remove()
        self._name = container_name(execution.job.job_id, execution.place.slot, os.getpid())
        check_image(self._image)
        with as_user(execution.owner):  # again: the pull may have taken hours
            check_directory(execution.directory)
            self._directories = {execution.directory: _identity(execution.directory)}
        own = self._own_environment(execution, environment)
        wanted = Wanted(execution, self._name, self._image, own, self._within.cores)
        try:
            words = create_words(self._settings, self._within.slot_ad, self._job_ad, wanted, self._log)
        except ArgumentError as error:
            raise OSError(22, f"DOCKER_EXTRA_ARGUMENTS: {error}") from None
        with as_user(execution.owner):
            for inside, made in scratch_directories(self._settings, self._job_ad, execution):
                self._directories[inside] = _identity(made)
        self._forget()
        self._notice = f"{execution.place.sandbox.root}/{_NOTICE}"
        with suppress(FileNotFoundError):
            os.unlink(self._notice)
        self._client = self._begin(execution, words)
        self.pid = self._client.pid
        self._running, self._collected, self._begun = True, False, time.monotonic()
        self._root_pid, self._last, self._state = 0, None, {}

    def _own_environment(self, execution: Execution, environment: Mapping[str, str]) -> dict[str, str]:
        """Without the PATH of this machine, which means nothing in an image, and the marks by which processes of the
        machine are found."""
        own = execution.job.environment
        return {
            name: value
            for name, value in environment.items()
            if name in own or not (name == "PATH" or name.startswith(_ANCESTOR))
        }

    def _begin(self, execution: Execution, words: list[str]) -> Client:
        """The client, whose streams are those of the program. Engines that start containers themselves, as podman does,
        give them our limits."""
        job, place, engine = execution.job, execution.place, self._engine
        with as_user(execution.owner):
            streams = open_streams(job, place.sandbox.scratch, place.slot, pipes=True)
        set_limits(job.core_limit, job.stack_limit)
        begin = ("start", "-a", *(("-i",) if job.stdin != os.devnull else ()), self._name)
        try:
            create = (*engine.argv, "create", *words)
            return start_client(
                create, (*engine.argv, *begin), engine.environment, streams, place.sandbox.root, execution.owner
            )
        finally:
            streams.close()

    # -- while it runs

    def watch(self) -> int:
        """Of the engine's program that attends the container."""
        return os.pidfd_open(self.pid)

    @property
    def _is_made(self) -> bool:
        return self._client is not None and self._client.has_made

    def signal(self, number: int) -> None:
        """To the first process of the container, or to that which its init runs. A program that has not begun yet will
        not."""
        if self._running and number and not (self._is_made and self._say("kill", "--signal", str(number))):
            self._prevent()

    def kill(self) -> None:
        """Ends the container. One whose program has not begun yet cannot be killed: it is removed."""
        if self._running and not (self._is_made and self._say("kill", "--signal", "9")):
            self._prevent()

    def _prevent(self) -> None:
        """Prevent a container that is just being made from running; one that has just ended is kept."""
        if not self._is_made:
            for send in (os.kill, os.killpg):  # a client that has just been made has no group yet
                with suppress(OSError):
                    send(self.pid, signal.SIGKILL)
        if (self._engine.state(self._name) or {}).get("Status") not in ("exited", "stopped"):
            self._engine.remove(self._name)

    def suspend(self) -> int:
        """The engine freezes the container."""
        return max(1, self.usage().processes) if self._say("pause") else 0

    def resume(self) -> int:
        """Let the program continue."""
        return max(1, self.usage().processes) if self._say("unpause") else 0

    def dismiss(self) -> None:
        """Sessions need the container, which lives as long as its program: it stays."""

    def _say(self, verb: str, *options: str) -> bool:
        answer = self._engine.ask(verb, *options, self._name)
        if answer.code != 0:
            self._log(f"{self._engine.argv[0]} {verb} {self._name}: {answer.line}")
        return answer.code == 0

    def usage(self) -> ContainerUsage:
        """Of everything in the container."""
        is_made = self._is_made
        watch = self._watch or self._family.container(self._client.container if self._client and is_made else "")
        if is_made:
            self._watch = watch
        if not self._root_pid and self._running and is_made:
            self._root_pid = watch.first() or self._told_pid()
            self._check_directories()
        if self._root_pid and self._running and watch.abandoned(self._root_pid):
            self._give_up()
        found = watch.usage(self._root_pid)
        if found.processes or self._last is None:
            self._last = found
        return self._last

    def _give_up(self) -> None:
        """Kill the program and its client, so that the job runs again: no process would report the program's end, and
        the client would wait for ever."""
        self._log(f"The engine's program that kept container {self._name} is gone: the container is removed")
        self._family.send((self._root_pid, self.pid), signal.SIGKILL)

    def _told_pid(self) -> int:
        """The id of the first process by the engine, which is not to be disturbed at first."""
        if time.monotonic() - self._begun < _UNDISTURBED:
            return 0
        return int((self._engine.state(self._name) or {}).get("Pid") or 0)

    def _check_directories(self) -> None:
        """End a job that got another directory than its owner could enter. The engine opens directories by their names,
        with more rights than the owner has, who may have put a link in the place of one meanwhile."""
        for path, expected in self._directories.items() if self._root_pid else ():
            found = self._family.sees(self._root_pid, path)
            if found is not None and found != expected:
                self._swapped = path
                self.kill()
                return

    @property
    def traffic(self) -> tuple[int, int]:
        """Return the bytes received and sent over the network of the container; -1 each where unknown."""
        return (-1, -1) if self._last is None else (self._last.received, self._last.sent)

    def news(self) -> dict[str, str]:
        """The ports of this machine that lead to the services of the job (<name>_HostPort), once they are known, and
        that they do so no more."""
        if not self._running:
            told, self._told = self._told, ()
            return dict.fromkeys(told, "undefined")
        if not self._asks_ports or not self._root_pid:
            return {}
        ports = self._engine.ports(self._name)
        found = {name: ports[inside] for name, inside in service_ports(self._job_ad).items() if inside in ports}
        self._asks_ports = not found
        self._told = tuple(f"{name}_HostPort" for name in found)
        return dict(zip(self._told, map(str, found.values()), strict=True))

    def over_limit(self) -> bool:
        """The engine sees to that."""
        return False

    # -- sessions

    def admit(self) -> None:
        """The engine lets sessions in."""

    @property
    def ready(self) -> bool:
        """Whether the container runs."""
        if self._root_pid or not self._is_made:
            return bool(self._root_pid)
        return (self._engine.state(self._name) or {}).get("Running") is True

    def enter(
        self, request: SessionRequest, place: SessionPlace, streams: Streams, owner: Account | None
    ) -> subprocess.Popen[bytes]:
        """A shell or a command in the container, with a client of the engine that represents it."""
        import fcntl
        import termios

        refuse_words(request)

        def take_terminal() -> None:
            if request.terminal:
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        own = {**dict(request.variables), "_CONDOR_SLOT_NAME": place.slot, MARK: place.mark}
        variables = [word for name, value in own.items() for word in ("--env", f"{name}={value}")]
        how = "--interactive", *(("--tty",) if request.terminal else ())
        command = ("-c", request.command) if request.command else ("-c", LOGIN, "sh", *request.shells)
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
        self._collected = True
        self._state = self._settled(waits=not waited.exit_signal) if self._is_made else {}
        self._complaint = "" if self._is_made or waited.exit_signal == signal.SIGKILL else self._why_not_made()
        if self._state.get("Status") == _ONLY_MADE and not self._state.get("Error"):
            said = one_line(self._client.last_words)
            self._state["Error"] = said.removeprefix("Error: ") or "the engine did not start its container"
        code, number = _outcome(self._state.get("ExitCode"), waited)
        used = self._last
        return Ending(
            exit_code=code,
            exit_signal=number,
            core_dumped=bool(number),  # as far as there is a file
            user_cpu=used.user_cpu if used is not None else 0.0,
            sys_cpu=used.sys_cpu if used is not None else 0.0,
            max_rss_kb=used.rss_kb if used is not None else 0,
        )

    def _why_not_made(self) -> str:
        assert self._client is not None
        return one_line(self._client.complaint) or "The container was not made"

    def _settled(self, *, waits: bool) -> dict[str, Any]:
        """The state of the container when the engine has noticed that it is over; nothing where it is not, because only
        its client was killed, or does not answer (``waits``: who has just been told the end waits for it)."""
        deadline = time.monotonic() + _SETTLING
        state = self._engine.state(self._name)
        while waits and state is not None and state.get("Running") and time.monotonic() < deadline:
            self._engine.ask("wait", self._name, patience=_SETTLING)
            state = self._engine.state(self._name)
        if state is not None and state.get("Running"):
            self._log(f"The client of container {self._name} has ended, and the container has not")
            return {}
        return state or {}

    def end(self) -> None:
        """Removes the container with everything in it, and collects our own children."""
        if self._name and not self.refused and self._mark != self._image:
            self._images.mark(self._image, self._user)  # it was in use until now
        self._remove()
        while not reap_all():
            self._family.kill_family(lambda: self._family.descendants(os.getpid()))

    def _remove(self) -> None:
        """Remove the container. One that cannot be removed keeps its name, and is tried again."""
        if not self._name:
            return
        answer = self._engine.remove(self._name)
        if answer.code == 0 or (answer.code > 0 and self._engine.state(self._name) is None):
            self._name = ""
        else:
            self._log(f"{self._engine.argv[0]} rm {self._name}: {answer.line}")

    def uncounted(self, counted: tuple[float, float]) -> tuple[float, float]:
        """Zeros: usage after the last measurement is not known."""
        return 0.0, 0.0

    @property
    def refused(self) -> bool:
        """Whether there was no container, or its end is unknown, or the engine did not let it be."""
        if not self._collected:
            return False
        return bool(self._swapped) or not self._state or self._was_too_big or bool(self._state.get("Error"))

    @property
    def _was_too_big(self) -> bool:
        """Whether something was killed for the container's memory."""
        return self._state.get("OOMKilled") is True or os.path.lexists(self._notice)

    def judge(self, report: ExitReport) -> ExitReport:
        """A job is held whose container could not be made, unless what made it was killed; that was killed for
        its memory; or whose program the engine could not start."""
        if not self.refused or report.hold_code or report.vacated:
            return report
        if self._complaint:
            return _held(report, HoldCode.INVALID_DOCKER_IMAGE, 0, self._complaint)
        if self._swapped:
            what = "initial working directory" if self._swapped == next(iter(self._directories)) else "directory"
            text = f"Cannot access {what} {self._swapped}: it became another one"
            return _held(report, HoldCode.IWD_ERROR, 0, text)
        if not self._state:
            text = (
                "Cannot inspect exited container" if self._is_made else "The engine was killed as it made the container"
            )
            return replace(report, error=report.error or text, vacate_code=int(VacateCode.CONTAINER_ERROR))
        if self._was_too_big:
            memory = self._within.slot_ad.eval_int("Memory", 0)
            reason = f"Docker job has gone over memory limit of {memory} Mb"
            return _held(report, HoldCode.JOB_OUT_OF_RESOURCES, _MEMORY, reason)
        error = one_line(str(self._state.get("Error")))
        return _held(report, HoldCode.FAILED_TO_CREATE_PROCESS, 0, f"Error running docker job: {error}")

    def close(self) -> None:
        """Removes the container."""
        self._remove()
        self._forget()
        if self._root:
            dockercredentials.forget(self._root)

    def _forget(self) -> None:
        """Close the client and the watch of a container that is gone."""
        if self._client is not None:
            self._client.close()
            self._client = None
        self._watch = None


def _identity(path: str) -> tuple[int, int]:
    """Return the device and inode of a directory. OSError."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _outcome(reported: object, client: Ending) -> tuple[int | None, int | None]:
    """Exit code or signal of a program: those of its container by the engine, else those of its client."""
    code = reported if isinstance(reported, int) else client.exit_code
    if code is None:
        return None, client.exit_signal
    return (None, code - _SIGNALS) if _SIGNALS < code < _MINUS_ONE else (code, None)


def _held(report: ExitReport, code: HoldCode, subcode: int, reason: str) -> ExitReport:
    return replace(report, hold_code=int(code), hold_subcode=subcode, hold_reason=reason)
