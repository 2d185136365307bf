"""Starting the job's program and collecting how it ended."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.job import Job
from condor_py.machine.run.namespaces import PROGRAM_PID, Ended, Namespaces, ProcessSpace
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import Place
from condor_py.machine.run.spawning import Door, Launch, Program, Started, quick, start_on
from condor_py.model.arguments import join_v2
from condor_py.model.states import HoldCode

#: A starter does not live with a smaller stack, in bytes.
_LEAST_STACK = 1024 * 1024


#: What replaces standard error among named pipes that goes where standard output goes.
SAME = "="

_SHELL = "/bin/sh"
#: Opens what is named, and becomes the rest of its arguments; nothing of them is looked at by the shell.
_OPEN = """\
test -n "$1" && exec <"$1"
test -n "$2" && exec >"$2"
case $3 in "") ;; =) exec 2>&1 ;; *) exec 2>"$3" ;; esac
shift 3
exec "$@"
"""

#: What the machine, or the account, is short of for the moment: processes, memory, open files. The job is tried again.
OF_THE_MACHINE = frozenset((errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE))


_NO_STOP = "suspend_job_at_exec needs the modules in C, which this condor_py has not"


class StartError(Exception):
    """The program cannot be started and it is the job's fault: hold code, errno and text."""

    def __init__(self, code: int, subcode: int, text: str) -> None:
        super().__init__(text)
        self.code = int(code)
        self.subcode = subcode


@dataclass(slots=True)
class Ending:
    """Exit code or signal, CPU seconds and peak resident KB (of the process and everything it waited for)."""

    exit_code: int | None
    exit_signal: int | None
    core_dumped: bool
    user_cpu: float
    sys_cpu: float
    max_rss_kb: int
    #: The program's own process id in its namespace of processes; 0 without one.
    own_pid: int = 0


@dataclass(slots=True)
class Streams:
    """Descriptors of the job's standard streams; stderr may be the same as stdout. ``pipes`` are the paths of those
    that the job has to open itself (SAME: as stdout), "" for others. Those that are ``kept`` stay open."""

    stdin: int
    stdout: int
    stderr: int
    pipes: tuple[str, str, str] = ("", "", "")
    kept: bool = False

    def close(self) -> None:
        """Close our copies; the job has its own. A bad file system may report an error then, which is no reason to take
        a program that was started for one that was not: it would be started once more."""
        if self.kept:
            return
        for descriptor in {self.stdin, self.stdout, self.stderr}:
            with suppress(OSError):
                os.close(descriptor)


@cache
def _nowhere() -> Streams:
    """Return the streams of all jobs that name no file for any of them."""
    into = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    return Streams(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), into, into, kept=True)


def check_directory(path: str) -> None:
    """StartError 14 when the initial directory cannot be entered."""
    try:
        if not os.path.isdir(path):
            os.stat(path)
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(path, os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        text = f"Cannot access initial working directory {path}: {error.strerror}"
        raise StartError(HoldCode.IWD_ERROR, error.errno or 0, text) from None


def open_streams(job: Job, scratch: str, slot: str, *, pipes: bool = False) -> Streams:
    """Opens stdin, stdout and stderr with the caller's present rights. StartError and OSError as of ``open_stream``.

    A job that writes checkpoints, or wants it so, continues with the output of its last run. With ``pipes`` a named
    pipe is left to the job: opening it waits for the process at its other end.
    """
    held: list[int] = []
    left = ["", "", ""]

    def take(name: str, flags: int, what: str) -> None:
        path = os.path.join(job.iwd, name)
        if pipes and path != os.devnull and _is_pipe(path):
            _check_pipe(path, flags, what, slot)
            left[len(held)] = path
            path = os.devnull
        held.append(open_stream(path, flags, what, slot))

    try:
        stdin_name = (
            os.path.join(scratch, os.path.basename(job.stdin))
            if job.transfer and job.stdin != os.devnull and not job.stream_input
            else os.path.join(job.iwd, job.stdin)
        )
        take(stdin_name, os.O_RDONLY, "standard input")
        out_name = _stream_path(job, job.stdout, STDOUT_NAME, job.stream_output, scratch)
        err_name = _stream_path(job, job.stderr, STDERR_NAME, job.stream_error, scratch)
        writing = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if job.appends else os.O_TRUNC)
        take(out_name, writing, "standard output")
        if err_name == out_name or (job.stderr == job.stdout != os.devnull):
            held.append(held[1])
            left[2] = SAME if left[1] else ""
        else:
            take(err_name, writing, "standard error")
    except (StartError, OSError):
        for descriptor in held:
            os.close(descriptor)
        raise
    return Streams(held[0], held[1], held[2], (left[0], left[1], left[2]))


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def _stream_path(job: Job, name: str, temporary: str, streamed: bool, scratch: str) -> str:
    """With file transfer an unstreamed stream is collected in the scratch directory and moved at the end."""
    if name == os.devnull:
        return name
    if not job.transfer:
        return name
    return os.path.join(job.iwd, name) if streamed else os.path.join(scratch, temporary)


def open_stream(path: str, flags: int, what: str, slot: str) -> int:
    """Open the file of a standard stream with the caller's present rights. StartError 7 or 8; OSError when it is not
    the job that failed."""
    try:
        return os.open(path, flags | os.O_CLOEXEC | os.O_NOCTTY, 0o644)
    except OSError as error:
        if error.errno in OF_THE_MACHINE:
            raise
        raise _not_opened(path, what, slot, error) from None


def _check_pipe(path: str, flags: int, what: str, slot: str) -> None:
    """StartError 7 or 8 for a named pipe that may not be opened, which nothing would report later."""
    needed = os.W_OK if flags & os.O_WRONLY else os.R_OK
    if not os.access(path, needed, effective_ids=os.access in os.supports_effective_ids):
        raise _not_opened(path, what, slot, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _not_opened(path: str, what: str, slot: str, error: OSError) -> StartError:
    code = HoldCode.UNABLE_TO_OPEN_INPUT if what == "standard input" else HoldCode.UNABLE_TO_OPEN_OUTPUT
    text = f"Error from {slot}: Failed to open '{path}' as {what}: {error.strerror} (errno {error.errno})"
    return StartError(code, error.errno or 0, text)


def program_of(job: Job, scratch: str) -> str:
    """The path to execute."""
    if job.keeps_name or (job.cmd.startswith("/") and not (job.transfer and job.transfer_executable)):
        return job.cmd
    if job.transfer and job.transfer_executable:
        return os.path.join(scratch, os.path.basename(job.cmd))
    return os.path.join(scratch if job.transfer else job.remote_iwd or job.iwd, job.cmd)


@dataclass(frozen=True, slots=True)
class Within:
    """The surroundings of a job's program, as Launch has them."""

    own: Namespaces | None = None
    door: Door | None = None
    niceness: int = 0
    address_space: int = 0
    stops: bool = False


def spawn(
    program: str,
    arguments: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    streams: Streams,
    owner: Account | None,
    within: Within = Within(),
) -> Program:
    """Starts the program in a session of its own, as the owner, within the limits of its job.

    StartError 6 with the errno of the failed execution; OSError when it was not the job that failed.
    """
    launch = Launch(
        [program, *arguments], environment, cwd, owner, program, 0o022,
        door=within.door, niceness=within.niceness, address_space=within.address_space, own=within.own,
        stops=within.stops,
    )  # fmt: skip
    try:
        return start_on(launch, (streams.stdin, streams.stdout, streams.stderr))
    except OSError as error:
        if error.errno in OF_THE_MACHINE:
            raise
        with as_user(owner):
            raise exec_error(program, arguments, cwd, error) from None
    except ValueError as error:
        raise StartError(
            HoldCode.FAILED_TO_CREATE_PROCESS, errno.EINVAL, f"{_failed(program, arguments)}: {error}"
        ) from None
    except subprocess.SubprocessError:
        with as_user(owner):
            check_directory(cwd)
        raise OSError(errno.EAGAIN, "the new process could not be prepared", program) from None


def launch(
    job: Job, place: Place, cwd: str, environment: Mapping[str, str], owner: Account | None, within: Within
) -> Program:
    """Starts the program of a job, with its streams and limits. StartError; OSError as of ``spawn``."""
    if job.is_silent:
        streams = _nowhere()
    else:
        with as_user(owner):
            streams = open_streams(job, place.sandbox.scratch, place.slot, pipes=True)
    try:
        set_limits(job.core_limit, job.stack_limit)
        program, arguments = program_of(job, place.sandbox.scratch), job.arguments
        if place.wrapper:  # USER_JOB_WRAPPER is executed with the job's command line
            program, arguments = place.wrapper, (program, *arguments)
        if any(streams.pipes):
            program, arguments = _opening(program, arguments, streams.pipes, owner)
        if job.nice:
            within = replace(within, niceness=max(job.nice, within.niceness))
        if job.stops_at_start:
            if not quick():
                raise StartError(HoldCode.FAILED_TO_CREATE_PROCESS, errno.ENOSYS, _NO_STOP)
            within = replace(within, stops=True)
        return spawn(program, arguments, cwd, environment, streams, owner, within)
    finally:
        streams.close()


def _opening(
    program: str, arguments: tuple[str, ...], pipes: tuple[str, str, str], owner: Account | None
) -> tuple[str, tuple[str, ...]]:
    """A shell that opens named pipes and becomes the program, so that no process but the job waits for their other
    ends. What cannot be executed is executed as it is, for its error."""
    with as_user(owner):
        if not os.access(program, os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            return program, arguments
    return _SHELL, ("-c", _OPEN, "sh", *pipes, program, *arguments)


def _failed(program: str, arguments: Sequence[str]) -> str:
    """Describe the program that could not be executed."""
    given = f" with arguments {join_v2(list(arguments))}" if arguments else ""
    return f"Failed to execute '{program}'{given}"


def exec_error(program: str, arguments: Sequence[str], cwd: str, error: OSError) -> StartError:
    """Return the failure of a program that could not be executed, looked into with the caller's present rights."""
    number = error.errno or 0
    if error.filename == cwd and not os.path.isdir(cwd):
        return StartError(
            HoldCode.IWD_ERROR, number, f"Cannot access initial working directory {cwd}: {os.strerror(number)}"
        )
    why = _missing_interpreter(program) if number == errno.ENOENT else ""
    text = f"{_failed(program, arguments)}: {why}(errno={number}: '{os.strerror(number)}')"
    return StartError(HoldCode.FAILED_TO_CREATE_PROCESS, number, text)


def _missing_interpreter(program: str) -> str:
    """Why a script that is there is not found: its first line names an interpreter that is not."""
    try:
        descriptor = os.open(program, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        line = os.read(descriptor, 256).partition(b"\n")[0]
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    words = line.removeprefix(b"#!").split()
    if not line.startswith(b"#!") or not words or os.path.exists(words[0]):
        return ""
    return f"invalid interpreter ({os.fsdecode(words[0])}) specified on first line of script "


def collect(process: Program) -> Ending:
    """Reaps an ended process."""
    if isinstance(process, Started) and process.space is not None:
        return _collect_apart(process, process.space)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return _ending(status, usage.ru_utime, usage.ru_stime, usage.ru_maxrss)


def _collect_apart(process: Started, space: ProcessSpace) -> Ending:
    """The first process of its namespace has reaped it; when that one was killed, all were."""
    ended = space.ended() or Ended(signal.SIGKILL, 0.0, 0.0, 0)
    process.returncode = os.waitstatus_to_exitcode(ended.status)
    return replace(_ending(*ended), own_pid=PROGRAM_PID)


def _ending(status: int, user_cpu: float, sys_cpu: float, max_rss_kb: int) -> Ending:
    signalled = os.WIFSIGNALED(status)
    return Ending(
        exit_code=None if signalled else os.WEXITSTATUS(status),
        exit_signal=os.WTERMSIG(status) if signalled else None,
        core_dumped=signalled and os.WCOREDUMP(status),
        user_cpu=user_cpu,
        sys_cpu=sys_cpu,
        max_rss_kb=max_rss_kb,
    )


#: What ``set_limits`` has set in this process: core and stack; None before the first call.
_set: tuple[int, int] | None = None


def set_limits(core: int, stack: int) -> None:
    """Sets the soft limits that the next job inherits, in bytes: ``core`` of core files (0 none, negative as much as
    the hard limit allows), ``stack`` of the stack (0 as much as that). CPU time, file sizes and data have only the
    hard ones. Nothing is done where they are those of the job before.
    """
    global _set
    if (core, stack) == _set:
        return
    _set = None
    _limit(resource.RLIMIT_CORE, core)
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA):
        _limit(kind, -1)
    _limit(resource.RLIMIT_STACK, max(stack, _LEAST_STACK) if stack > 0 else -1)
    _set = core, stack


def _limit(kind: int, amount: int) -> None:
    _, hard = resource.getrlimit(kind)
    wanted = hard if amount < 0 else amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    resource.setrlimit(kind, (wanted, hard))
