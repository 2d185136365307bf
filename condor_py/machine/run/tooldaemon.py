"""The tool daemon of a job (tool_daemon_cmd): a program that runs beside the job's own, a debugger or a monitor. It has
the job's environment and limits, and finds the process id of the job's program in TDP_AP_PID."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from condor_py.machine.run.executor import Execution, Executor
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.job import ToolDaemon
from condor_py.machine.run.process import OF_THE_MACHINE, StartError, Streams, exec_error, open_stream
from condor_py.machine.run.session import SessionPlace, SessionRequest

_WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def start_tool(
    tool: ToolDaemon, execution: Execution, executor: Executor, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start the tool daemon of a program that was started. StartError; OSError when it is not the job that failed."""
    program = _place(tool.cmd, execution)
    variables = {**environment, "TDP_LASS_ADDRESS": "ENV", "TDP_AP_PID": str(_inner_pid(executor.pid))}
    request = SessionRequest("", (), terminal=False, words=(program, *tool.arguments))
    place = SessionPlace(execution.directory, variables, (), execution.place.slot, "")
    with as_user(execution.owner):
        if execution.job.transfer:
            _make_executable(program)
        streams = _open_streams(tool, execution)
    try:
        return executor.enter(request, place, streams, execution.owner)
    except OSError as error:
        if error.errno in OF_THE_MACHINE:
            raise
        with as_user(execution.owner):
            raise exec_error(program, tool.arguments, execution.directory, error) from None
    except subprocess.SubprocessError as error:
        raise OSError(str(error)) from None
    finally:
        streams.close()


def _place(name: str, execution: Execution) -> str:
    """The path of a file of the tool daemon: what was transferred has lost its directories."""
    if execution.job.transfer:
        return os.path.join(execution.place.sandbox.scratch, os.path.basename(name))
    return os.path.join(execution.job.iwd, name)


def _make_executable(path: str) -> None:
    """StartError for a tool that is not there."""
    try:
        os.chmod(path, os.stat(path).st_mode | 0o700)
    except OSError as error:
        raise exec_error(path, (), os.path.dirname(path), error) from None


def _open_streams(tool: ToolDaemon, execution: Execution) -> Streams:
    """StartError and OSError as of ``open_stream`` for a file that cannot be opened."""
    opened: list[int] = []
    try:
        for name, flags, what in (
            (tool.stdin, os.O_RDONLY, "standard input"),
            (tool.stdout, _WRITING, "standard output"),
            (tool.stderr, _WRITING, "standard error"),
        ):
            path = _place(name, execution) if name else os.devnull
            opened.append(open_stream(path, flags | os.O_NONBLOCK, what, execution.place.slot))
            os.set_blocking(opened[-1], True)
    except (StartError, OSError):
        for descriptor in opened:
            os.close(descriptor)
        raise
    return Streams(opened[0], opened[1], opened[2])


def _inner_pid(pid: int) -> int:
    """The number of a process in its innermost namespace, which is that of the tool daemon."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            found = next((line.split()[-1] for line in file if line.startswith("NSpid:")), "")
    except OSError:
        return pid
    return int(found) if found.isdecimal() else pid
