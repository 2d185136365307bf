"""The scripts at work: starting them, hearing of their end, keeping what they print where the DAG wants it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.core.dag.progress import ScriptResult
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.nodeslog import NodesLog, post_event
from condor_py.lang.dag.graph import NodeScript

_NOT_STARTED = 1
_PATIENCE = 5.0


class ScriptEnd(NamedTuple):
    """A script that ended, by exit code or by signal."""

    node: int
    kind: str
    code: int | None
    signal: int | None


@dataclass(slots=True)
class _Working:
    node: int
    kind: str
    name: str
    words: tuple[str, ...]
    directory: str
    script: NodeScript
    process: subprocess.Popen[bytes]
    output: int = -1


class ScriptJobs:
    """Scripts are children of condor_dagman, each a process group of its own."""

    def __init__(self) -> None:
        self._working: list[_Working] = []
        self._failed: list[ScriptEnd] = []

    def start(self, node: int, kind: str, name: str, words: tuple[str, ...], directory: str, script: NodeScript) -> str:
        """Start a script in the node's directory. Why it could not be, else ""; it counts as failed with 1 then."""
        output = -1
        wanted = script.debug[1].upper() if script.debug is not None else ""
        out: int = subprocess.DEVNULL
        err: int = subprocess.DEVNULL
        try:
            if wanted:
                output = os.memfd_create("script")
                out = output if wanted in ("ALL", "STDOUT") else out
                err = output if wanted in ("ALL", "STDERR") else err
            program = words[0] if words else ""
            process = subprocess.Popen(  # the user's own program with the user's own rights
                words,
                executable=os.path.join(directory or ".", program) if "/" not in program else None,
                cwd=directory or None,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            if output >= 0:
                os.close(output)
            self._failed.append(ScriptEnd(node, kind, _NOT_STARTED, None))
            number, text = (error.errno, error.strerror) if isinstance(error, OSError) else (0, str(error))
            shown = words[0] if words else ""
            return f'Create_Process: Cannot access specified executable "{shown}": errno = {number} ({text})'
        self._working.append(_Working(node, kind, name, words, directory, script, process, output))
        return ""

    def ended(self) -> Iterator[ScriptEnd]:
        """The scripts that have ended since."""
        failed, self._failed = self._failed, []
        yield from failed
        for one in [one for one in self._working if one.process.poll() is not None]:
            self._working.remove(one)
            status = one.process.returncode
            end = ScriptEnd(one.node, one.kind, status if status >= 0 else None, -status if status < 0 else None)
            _keep_output(one, end)
            yield end

    def kill(self) -> None:
        """Kill all scripts that are at work, and wait a little for their ends, which ``ended`` reports."""
        for one in self._working:
            try:
                os.killpg(one.process.pid, signal.SIGKILL)
            except OSError:
                continue
        deadline = time.monotonic() + _PATIENCE
        for one in self._working:
            try:
                one.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue


def _keep_output(one: _Working, end: ScriptEnd) -> None:
    if one.output < 0 or one.script.debug is None:
        return
    how = f"ExitCode={end.code}" if end.signal is None else f"Signal={end.signal}"
    head = f"*** Node={one.name} Type={one.kind} {how} Completion={int(time.time())} Cmd='{' '.join(one.words)}'\n"
    try:
        with open(one.output, "rb") as stream:
            stream.seek(0)
            text = stream.read()
        with open(os.path.join(one.directory or ".", one.script.debug[0]), "ab") as file:
            file.write(head.encode("utf-8", "surrogateescape") + text)
    except OSError:
        return


_NO_JOB = (-1, 0, 0)


class ScriptLog:
    """Ends of PRE scripts for the next condor_dagman of this job, on the medium before anything follows from them: no
    event of the nodes log records them.

    The file is next to the DAG while it runs (``.scripts`` after the name of the first .dag file). It has an event 016
    for each end, as the nodes log has for POST scripts.
    """

    def __init__(self, primary: str, patience: Patience) -> None:
        self.path = f"{primary}.scripts"
        self._log = NodesLog(self.path, patience)

    def read(self) -> list[tuple[str, ScriptResult]]:
        """Name of the node and result of all that are known. Raises StoreError for a damaged file."""
        if not os.path.exists(self.path):
            return []
        return [(event.name, ScriptResult(event.code, event.signal)) for event, _ in self._log.read() if event.name]

    def add(self, ends: Iterable[tuple[str, ScriptEnd]]) -> None:
        """Keep these ends. Raises StoreError."""
        now = time.time()
        self._log.append([post_event(name, _NO_JOB, now, end.code, end.signal) for name, end in ends])

    def remove(self) -> None:
        """Remove the file, which is not needed any more."""
        try:
            os.unlink(self.path)
        except OSError:
            return
