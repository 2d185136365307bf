"""A machine that can lose its power: processes in namespaces of their own, and a disk that forgets.

All that a pool and its users run is in there, and is killed at one moment. The disk has all directories of the pool and
the work directory of the user. While the power may go, nothing outside may touch the disk: it would wait for ever.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from campaign import CannotRun
from forgetting import ForgetfulDirectory
from pool import MAIN, PersonalPool, wait_for

#: The first process of the machine: parent of all that have lost theirs.
_INIT = """
import os, select, signal
come, go = os.pipe()
os.set_blocking(go, False)
signal.set_wakeup_fd(go)
signal.signal(signal.SIGCHLD, lambda *_: None)
print("ready", flush=True)
while 0 not in select.select([0, come], [], [])[0]:  # its end is that of who switched the machine on
    os.read(come, 4096)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
"""
_POOL = "tests/campaigns/power_pool.py"
_EXITING = 0x4  # PF_EXITING of the kernel
_DAEMONS = ("master", "schedd", "negotiator", "startd")


class Machine:
    """``pool`` has the paths and the environment of its pool, whose tools run by ``begin``; ``disk`` is where it is."""

    def __init__(self, top: Path, cpus: int, **knobs: str) -> None:
        missing = [name for name in ("unshare", "nsenter") if shutil.which(name) is None]
        if missing:
            raise CannotRun(f"there is no {missing[0]}")
        self.disk = ForgetfulDirectory(top)
        self.pool = PersonalPool(self.disk.path / "pool", cpus, **knobs)
        self._init: subprocess.Popen[str] | None = None
        self._pid = 0
        self._space = ""
        self._switched_on = 0

    # -- power

    def switch_on(self) -> None:
        """Has a first process; nothing else runs yet."""
        words = ["unshare", "--pid", "--mount", "--ipc", "--fork", "--kill-child=SIGKILL", "--mount-proc"]
        words += [sys.executable, "-I", "-S", "-c", _INIT]
        self._init = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._init.stdout is not None
        if self._init.stdout.readline() != "ready\n":
            raise CannotRun("unshare makes no namespaces here")
        self._pid = int(Path(f"/proc/{self._init.pid}/task/{self._init.pid}/children").read_text().split()[0])
        self._space = os.readlink(f"/proc/{self._pid}/ns/pid")
        self._switched_on = time.time_ns()

    def lose_power(self, seed: int, model: str) -> None:
        """Everything that runs is killed, and the disk has what is left of its content."""
        self.disk.crash()
        self._kill()
        self.disk.recover(seed, model)
        self._end()

    def switch_off(self) -> None:
        """Everything that runs is killed; the disk keeps all."""
        self._kill()
        self._end()

    def _kill(self) -> None:
        """Kill all processes. On return none does anything more, though some may wait for the disk."""
        if self._init is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        wait_for(lambda: all(map(_is_killed, self._processes())), "all processes are killed", 20)

    def _end(self) -> None:
        if self._init is not None:
            self._init.wait(30)
            for pipe in (self._init.stdin, self._init.stdout):
                assert pipe is not None
                pipe.close()
            self._init = None

    def _processes(self) -> Iterator[int]:
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{name}/ns/pid") == self._space:
                    yield int(name)

    def close(self) -> None:
        """Nothing is left."""
        self.disk.crash()
        self._kill()
        self.disk.close()
        self._end()

    # -- what runs in it

    def begin(self, *words: str, out: IO[str] | int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a program in the work directory; its messages come with its output."""
        entering = ["nsenter", f"--target={self._pid}", "--pid", "--mount", "--ipc", "--"]
        within = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(self.pool.work)]
        return subprocess.Popen(
            [*entering, *within, *words], env=self.pool.environment, stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip

    def master(self, *, is_local: bool) -> subprocess.Popen[str]:
        """Start condor_master. Where the disk ``is_local`` the schedd takes it for one of the machine's own."""
        words = [str(MAIN), "condor_master"] if not is_local else [str(MAIN.parents[1] / _POOL)]
        return self.begin(sys.executable, "-I", "-S", *words)

    def tool(self, name: str, *words: str) -> subprocess.Popen[str]:
        """Start a command of the pool."""
        return self.begin(sys.executable, "-I", "-S", str(MAIN), name, *words)

    def is_up(self) -> bool:
        """Whether every daemon has published since the machine was switched on. Touches the disk."""
        return all(map(self._serves, _DAEMONS))

    def _serves(self, daemon: str) -> bool:
        lock = self.pool.log / ("InstanceLock" if daemon == "master" else f"{daemon}.lock")
        try:
            begun = lock.stat().st_mtime_ns
            told = (self.pool.spool / "ads" / f"{daemon.upper()}.ads").stat().st_mtime_ns
        except FileNotFoundError:
            return False
        return told >= begun >= self._switched_on


def _is_killed(pid: int) -> bool:
    """Whether a process will do nothing more: it has ended, is ending, or is about to."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    pending = 0
    for line in status.splitlines():
        name, _, value = line.partition(":")
        if name in ("SigPnd", "ShdPnd"):
            pending |= int(value, 16)
    return fields[0] in "ZX" or bool(int(fields[6]) & _EXITING) or bool(pending & 1 << (signal.SIGKILL - 1))
