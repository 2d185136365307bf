"""Starting the master: to the background with a word back to the shell, or in the foreground."""

from __future__ import annotations

import os
import sys

from condor_py.access import programs
from condor_py.access.lockfile import AlreadyRunning
from condor_py.daemon.master.daemon import MasterDaemon
from condor_py.model.errors import CondorError

#: Exit status of an HTCondor daemon that cannot go on.
_EXCEPTION = 4


def launch(foreground: bool, pidfile: str | None, minutes: str | None) -> int:
    """Runs the master (foreground) or returns once the background one holds the pool's lock.

    A second master of the same pool says so; it returns 4 in the foreground, and 0 as HTCondor does in the background.
    """
    if foreground:
        return _serve(pidfile, minutes, lambda: None, second=_EXCEPTION)
    ready, told = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid:
        os.close(told)
        return _await(ready, pid)
    os.close(ready)
    os.setsid()
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    code = _serve(pidfile, minutes, lambda: _detach(told, null))
    os._exit(code)


def _await(ready: int, pid: int) -> int:
    """Waits for the child's word: it detaches, or it ends."""
    if os.read(ready, 1):
        return 0
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _detach(told: int, null: int) -> None:
    """The pool is up: let go of the terminal and of whoever started us."""
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.write(told, b"1")
    os.close(told)


def _serve(pidfile: str | None, minutes: str | None, up: object, second: int = 0) -> int:
    try:
        daemon = MasterDaemon()
    except AlreadyRunning as error:
        sys.stderr.write(f"condor_master: another master runs this pool already: {error}\n")
        return second
    except CondorError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write("".join(f"condor_master: {line}\n" for line in daemon.advice))
    if pidfile:
        with open(pidfile, "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    if minutes:
        daemon.loop.after(float(minutes) * 60, lambda: os.kill(os.getpid(), 15))
    if callable(up):
        up()
    code = daemon.serve()
    if daemon.shutdown_program:
        _become(daemon)
    if daemon.restart_wanted:
        os.execv(sys.executable, [sys.executable, "-I", programs.COMMANDS, "condor_master", "-f"])
    return code


def _become(daemon: MasterDaemon) -> None:
    """The program of condor_set_shutdown takes this process over; returns only when it cannot be executed."""
    program = daemon.shutdown_program
    daemon.log.write(f"**** condor_master (condor_MASTER) pid {os.getpid()} EXITING BY EXECING {program}")
    try:
        os.execv(program, [program])
    except OSError as error:
        daemon.log.write(f"**** execl() FAILED {error.errno} {error.strerror}")
