"""Starting the master: to the background with a word back to the shell, or in the foreground."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from condor_py.client.lockfile import AlreadyRunning
from condor_py.daemons.common import ownprograms as programs
from condor_py.daemons.common.loop import monotonic
from condor_py.daemons.master.daemon import MasterDaemon
from condor_py.daemons.master.startup import StartReport
from condor_py.model.errors import CondorError

#: Exit status of an HTCondor daemon that cannot continue.
_EXCEPTION = 4
#: The first byte of the report of a master in the background.
_SERVES, _FAILED = b"1", b"0"


def launch(foreground: bool, pidfile: str = "", minutes: int = 0, local_name: str = "") -> int:
    """Runs the master (foreground), or returns once each daemon of the background one serves or has died: 1 when one
    does not serve.

    A second master of the same pool says so; it returns 4 in the foreground, and 0 as HTCondor does in the background.
    """
    if foreground:
        return _serve(pidfile, minutes, local_name, lambda: None, _complain, second=_EXCEPTION)
    reading, writing = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid:
        os.close(writing)
        return _await(reading, pid)
    os.close(reading)
    os.setsid()
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)

    def tell(report: StartReport) -> None:
        with suppress(OSError):  # the shell waits no longer
            lines = "".join(map(_line, report.lines)).encode("utf-8", "surrogateescape")
            os.write(writing, (_FAILED if report.failed else _SERVES) + lines)
        os.close(writing)

    code = _serve(pidfile, minutes, local_name, lambda: _detach(null), tell)
    os._exit(code)


def _await(reading: int, pid: int) -> int:
    """Wait for the child's report about the daemons, or for its end."""
    with open(reading, "rb") as pipe:
        report_bytes = pipe.read()
    if report_bytes:
        sys.stderr.write(report_bytes[1:].decode("utf-8", "surrogateescape"))
        return 1 if report_bytes[:1] == _FAILED else 0
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _complain(report: StartReport) -> None:
    sys.stderr.write("".join(map(_line, report.lines)))


def _line(text: str) -> str:
    return f"condor_master: {text}\n"


def _detach(null: int) -> None:
    """Let go of the terminal of the user who started us."""
    os.dup2(null, 1)
    os.dup2(null, 2)


def _serve(
    pidfile: str,
    minutes: int,
    local_name: str,
    up: Callable[[], None],
    tell: Callable[[StartReport], None],
    second: int = 0,
) -> int:
    """Runs the master: ``up`` is called when it has the lock of the pool, ``tell`` when each of its daemons serves or
    has died."""
    try:
        daemon = MasterDaemon(local_name)
    except AlreadyRunning as error:
        sys.stderr.write(f"condor_master: another master runs this pool already: {error}\n")
        return second
    except CondorError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write("".join(map(_line, daemon.advice)))
    if pidfile:
        _write_pid(daemon, pidfile)
    if minutes > 0:
        daemon.leave_after(minutes * 60.0)
    until = monotonic() + minutes * 60.0
    up()
    daemon.watch_start(tell)
    code = daemon.serve()
    if pidfile:
        with suppress(OSError):
            os.unlink(pidfile)
    program = daemon.shutdown_program if daemon.restart_wanted else daemon.last_program()
    if program:
        _become(daemon, program)
    if daemon.restart_wanted:
        again = [*(("-local-name", local_name) if local_name else ()), *(("-pidfile", pidfile) if pidfile else ())]
        if minutes > 0:
            again += ["-runfor", str(max(1, int((until - monotonic()) // 60)))]
        os.execv(sys.executable, [sys.executable, "-I", "-X", "utf8", programs.COMMANDS, "condor_master", "-f", *again])
    return code


def _write_pid(daemon: MasterDaemon, path: str) -> None:
    """Write our pid to a file; the pool runs without one that cannot be written."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    except OSError as error:
        text = f"DaemonCore: ERROR: Can't open pid file {path}: {error.strerror}"
        daemon.log.write(text)
        sys.stderr.write(_line(text))


def _become(daemon: MasterDaemon, program: str) -> None:
    """The program of condor_set_shutdown, or DEFAULT_MASTER_SHUTDOWN_SCRIPT, takes this process over; returns only when
    it cannot be executed."""
    daemon.log.write(f"**** condor_master (condor_MASTER) pid {os.getpid()} EXITING BY EXECING {program}")
    try:
        os.execv(program, [program])
    except OSError as error:
        daemon.log.write(f"**** execl() FAILED {error.errno} {error.strerror}")
