"""The engine of containers: docker's command, or one that understands the same (podman)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from condor_py.machine.run.spawning import Launch, answer_of, start

#: Seconds for a command of the engine.
_PATIENCE = 120.0
#: What the engine's own programs receive of our environment.
_INHERITED = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONFIG", "CONTAINER_HOST", "TMPDIR")
#: Where engines look for their own programs.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: Characters of what an engine says that a HoldReason shows.
_SHOWN = 511
#: Code of an answer: the engine's program is not there, or the machine has no process for it now.
NOT_STARTED = -2
#: Begins a line of podman's log.
_NOTE = re.compile(r'time="[^"]*" level=\w+ ')
#: How the name of a job's container begins (``docker.container_name``); the process number of its starter follows.
_OF_A_JOB = r"HTCJob\d+_\d+_\S+_PID"
#: The label of HTCondor's containers.
LABEL = "org.htcondorproject=True"


def place_label(execute: str) -> str:
    """Return the label that marks the containers of one pool, by the directory of its starters."""
    return f"condor_py.execute={execute}"


def one_line(text: str) -> str:
    """Join an engine's message to one line. Notes of podman on its way (that it tries again, that it cannot clear up)
    are left out where it also says what went wrong."""
    lines = text.splitlines()
    said = [line for line in lines if _NOTE.match(line) is None] or lines
    return " ".join(" ".join(said).split())[:_SHOWN]


class Answer(NamedTuple):
    """The result of a command of the engine; ``code`` -1: it did not answer in time, and was killed; NOT_STARTED."""

    code: int
    out: str
    err: str

    @classmethod
    def of(cls, code: int, out: bytes, err: bytes) -> Answer:
        """Make the answer from a program's exit code and output."""
        return cls(code, out.decode(errors="replace"), err.decode(errors="replace"))

    def check_started(self) -> None:
        """OSError when the engine could not be asked."""
        if self.code == NOT_STARTED:
            raise OSError(self.err)

    @property
    def line(self) -> str:
        """The error in one line."""
        return one_line(self.err or self.out)


class Engine:
    """The program of an engine (DOCKER), run with our rights and few of our variables. Those of a job could make it do
    anything: it gets none of them."""

    def __init__(self, command: str) -> None:
        words = command.split()
        self.argv = ("/usr/bin/sudo", *words[1:]) if words[:1] == ["sudo"] else (command,)
        found = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self.environment = {"PATH": PATH, **found}

    def is_there(self) -> bool:
        """Whether there is a program to ask."""
        return os.path.exists(self.argv[-1])

    def ask(self, *words: str, patience: float = _PATIENCE) -> Answer:
        """Runs a command to its end, or for ``patience`` seconds."""
        launch = Launch((*self.argv, *words), self.environment, "/")
        try:
            process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
        except OSError as error:
            return Answer(NOT_STARTED, "", f"cannot run {self.argv[0]}: {error.strerror}")
        said = answer_of(process, patience)
        if said is None:
            return Answer(-1, "", f"{self.argv[0]} {words[0]} did not answer within {patience:.0f} seconds")
        return Answer.of(process.returncode, *said)

    def _found(self, template: str, name: str) -> dict[str, Any] | None:
        answer = self.ask("inspect", "--type", "container", "--format", template, name)
        try:
            found = json.loads(answer.out) if answer.code == 0 else None
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def state(self, name: str) -> dict[str, Any] | None:
        """Return the engine's facts about a container (Running, ExitCode, OOMKilled, Error, Pid); None when there are
        none."""
        return self._found("{{json .State}}", name)

    def ports(self, name: str) -> dict[int, int]:
        """The ports of this machine that lead to those of a container, by the container's."""
        found = {}
        for inside, doors in (self._found("{{json .NetworkSettings.Ports}}", name) or {}).items():
            number = inside.partition("/")[0]
            for door in doors if isinstance(doors, list) else ():
                outside = str(door.get("HostPort", "")) if isinstance(door, dict) else ""
                if _is_port(number) and _is_port(outside):
                    found[int(number)] = int(outside)
        return found

    def remove(self, name: str) -> Answer:
        """A container, whether it runs or not, and its volumes."""
        return self.ask("rm", "-f", "-v", name)

    def destroy(self, name: str) -> Answer:
        """Kill the program of a container that is not needed any more, and remove it. Without the kill podman gives the
        program ten seconds to end."""
        self.ask("kill", name)
        return self.remove(name)


def _is_port(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 6


def _ours(engine: Engine, execute: str, shown: str, *filters: str) -> list[str]:
    """List the format ``shown`` of each container of the pool with this EXECUTE. OSError."""
    wanted = f"label={LABEL}", f"label={place_label(execute)}", *filters
    answer = engine.ask("ps", "--all", *(word for each in wanted for word in ("--filter", each)), "--format", shown)
    answer.check_started()
    return answer.out.splitlines() if answer.code == 0 else []


def remove_orphans(command: str, executes: Sequence[str], startd: int) -> list[str]:
    """Removes the containers of the pool whose starters are no children of ``startd`` any more: those that could not be
    removed while the engine was out of order. Their ids. OSError."""
    engine, found = Engine(command), []
    for execute in executes:
        rows = [line.split() for line in _ours(engine, execute, "{{.ID}} {{.Names}}")]
        found += [row[0] for row in rows if len(row) == 2 and not _is_child(row[1].rpartition("_PID")[2], startd)]
    for container in found:
        engine.destroy(container)
    return found


def _is_child(pid: str, parent: int) -> bool:
    try:
        with open(f"/proc/{int(pid)}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1]) == parent
    except (OSError, ValueError):
        return False


def remove_left(command: str, execute: str, starter: int = 0) -> list[str]:
    """Removes the containers that dead starters of the pool with this EXECUTE have left, or only that of one process
    number; their ids. Those of others are not touched, unless they are unfinished. OSError."""
    engine = Engine(command)
    found = _ours(engine, execute, "{{.ID}}", *([f"name=_PID{starter}$"] if starter else []))
    names = unfinished(engine)
    if starter:
        found += [name for name in names if re.fullmatch(f"{_OF_A_JOB}{starter}", name)]
    else:
        found += of_dead(rf"{_OF_A_JOB}(\d+)", names)
    for container in found:
        engine.destroy(container)
    return found


def unfinished(engine: Engine) -> list[str]:
    """Return the names of containers that a killed podman had only begun to make: files without labels or a program,
    which keep their images from being removed. Other engines leave none. OSError."""
    every = engine.ask("ps", "--all", "--external", "--format", "{{.Names}}")
    if every.code != 0:
        return []
    whole = engine.ask("ps", "--all", "--format", "{{.Names}}")
    return [name for name in every.out.split() if name not in whole.out.split()] if whole.code == 0 else []


def of_dead(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that match, with the number of a process that has ended."""
    found = {name: match[1] for name in names if (match := re.fullmatch(pattern, name))}
    return [name for name, pid in found.items() if not os.path.exists(f"/proc/{pid}")]
